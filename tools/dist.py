#!/usr/bin/env python3
"""dist.py: creates the release archive in build/dist, its checksum, and package recipes.

tools/dist.py               the archive of the last commit; refuses a tree with other changes
tools/dist.py --url URL     the address that the archive will have [file://, its current path]

The archive is what pip takes as the source of jostle, with the built web front end. It has the same
bytes for the same commit. In the same folder are a Spack repository and a conda recipe with its
address and checksum.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "src/jostle/server/static/index.html"
SPACK = ROOT / "integrations/spack/spack_repo"
CONDA = ROOT / "packaging/conda/recipe.yaml"
_MAIN = '    version("main", branch="main")\n'
_MAKE = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"


def output(*words: str) -> str:
    """Return the output of a command in the tree."""
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def make_archive(folder: Path) -> Path:
    """Build the archive into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    when = output("git", "log", "-1", "--format=%ct")
    command = [ROOT / ".venv/bin/python", "-c", _MAKE, str(folder.resolve())]
    subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "SOURCE_DATE_EPOCH": when},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    (archive,) = folder.glob("jostle-*.tar.gz")
    return archive


def spack_recipe(text: str, version: str, url: str, sha256: str) -> str:
    """Return the recipe of Spack with a version that is the archive."""
    if text.count(_MAIN) != 1:
        raise SystemExit(f"dist.py: the recipe of Spack lacks the line {_MAIN.strip()}")
    values = {"sha256": sha256, "url": url}
    words = [
        f'        "{version}",',
        *(f'        {key}="{value}",' for key, value in values.items()),
    ]
    lines = "\n".join(["    version(", *words, "    )"]) + "\n"
    return text.replace(_MAIN, lines + _MAIN)


def conda_recipe(text: str, version: str, url: str, sha256: str) -> str:
    """Return the recipe of conda with the archive as its source."""
    for key, value in (("version", f'"{version}"'), ("url", url), ("sha256", f'"{sha256}"')):
        text, found = re.subn(rf"(?m)^  {key}: .*$", f"  {key}: {value}", text, count=1)
        if not found:
            raise SystemExit(f"dist.py: the recipe of conda lacks the key {key}")
    return text


def write_recipes(folder: Path, archive: Path, url: str) -> None:
    """Write both recipes to the folder of the archive, and its checksum."""
    version = archive.name.removeprefix("jostle-").removesuffix(".tar.gz")
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    (folder / f"{archive.name}.sha256").write_text(f"{sha256}  {archive.name}\n")
    shutil.copytree(SPACK, folder / "spack_repo", ignore=shutil.ignore_patterns("__pycache__"))
    package = folder / "spack_repo/jostle/packages/jostle/package.py"
    package.write_text(spack_recipe(package.read_text(), version, url, sha256))
    (folder / "conda").mkdir()
    (folder / "conda/recipe.yaml").write_text(conda_recipe(CONDA.read_text(), version, url, sha256))


def main() -> int:
    """Build the archive and the recipes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", help="URL that the archive will have [its current path]")
    url = parser.parse_args().url
    if changed := output("git", "status", "--porcelain"):
        print("dist.py: these changes are in no commit:", changed, sep="\n", file=sys.stderr)
        return 1
    if not STATIC.exists():
        print("dist.py: the web front end is not built: make build", file=sys.stderr)
        return 1
    folder = ROOT / "build/dist"
    shutil.rmtree(folder, ignore_errors=True)
    archive = make_archive(folder)
    write_recipes(folder, archive, url or archive.resolve().as_uri())
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
