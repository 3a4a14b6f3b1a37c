#!/usr/bin/env bash
# lock.sh: resolve the dependencies of pyproject.toml anew and pin them in requirements.lock.
set -euo pipefail
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

python3 -m venv "$fresh/venv"
python3 - >"$fresh/wanted" <<'PYTHON'
import tomllib

with open("pyproject.toml", "rb") as file:
    table = tomllib.load(file)
project = table["project"]
wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
print("\n".join(wanted + table["build-system"]["requires"]))
PYTHON
"$fresh/venv/bin/pip" install --quiet --disable-pip-version-check -r "$fresh/wanted"
{
    echo "# Pinned Python packages of the development environment (.venv); \`make build\` installs"
    echo "# exactly these. To renew: \`make lock\`."
    "$fresh/venv/bin/pip" freeze
} >"$fresh/lock"
cp "$fresh/lock" requirements.lock
