#!/usr/bin/env bash
# lock.sh: pin the dependencies of pyproject.toml in requirements.lock, with the hashes of their files.
#
#   tools/supply/lock.sh           resolves all again
#   tools/supply/lock.sh NAME...   only these; the others keep their versions
#   tools/supply/lock.sh --keep    none; removes what pyproject.toml no longer requires, adds what is new
#
# One lock for every Python from 3.11 on and every Linux machine. Afterwards: make build, and then
# tools/supply/sbom.py, which describes what is pinned.
set -euo pipefail
cd "$(dirname "$0")/../.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

python3 -m venv "$fresh/venv"
"$fresh/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
    -r tools/supply/lock-tool.txt
python3 - "$fresh" <<'PYTHON'
import sys
import tomllib
from pathlib import Path

table = tomllib.loads(Path("pyproject.toml").read_text())
project = table["project"]
wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
wanted += table["build-system"]["requires"]
Path(sys.argv[1], "wanted").write_text("\n".join(wanted))
PYTHON
# Packages for other systems than Linux are left out.
cat >"$fresh/pyproject.toml" <<'TOML'
[tool.uv]
environments = ["sys_platform == 'linux' and implementation_name == 'cpython'"]
TOML

renewed=()
case "${1:-}" in
'') renewed=(--upgrade) ;;
--keep) ;;
*) for name in "$@"; do renewed+=(--upgrade-package "$name"); done ;;
esac
grep -v '^#' requirements.lock >"$fresh/lock" # versions in the output's file are kept
(cd "$fresh" && venv/bin/uv pip compile --quiet --universal --python-version 3.11 \
    --generate-hashes --no-annotate --no-header "${renewed[@]}" wanted -o lock)
{
    echo "# Pinned Python packages of the development environment (.venv), and the hashes of all their"
    echo "# files; \`make build\` installs exactly these. To renew: \`make lock\`."
    # Every line is for CPython on Linux.
    sed "s/ ; implementation_name == 'cpython' and sys_platform == 'linux' / /
        s/ ; implementation_name == 'cpython' and \(.*\) and sys_platform == 'linux' / ; \1 /" "$fresh/lock"
} >"$fresh/done"
cp "$fresh/done" requirements.lock
