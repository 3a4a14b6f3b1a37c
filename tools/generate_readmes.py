#!/usr/bin/env python3
"""generate_readmes.py: writes the tables of modules in READMEs, from the modules' docstrings.

tools/generate_readmes.py            write them
tools/generate_readmes.py --check    exit status 1 and the names of those that are stale
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("src/jostle", "lab/src/jostle_lab")
HEADER = "| file | content |\n|---|---|\n"
_TABLE = re.compile(re.escape(HEADER) + r"(?:\|.*\|\n)*")
#: Modules without content of their own, or required by Python.
_UNNAMED = {"__init__.py", "__main__.py"}


def first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]


def fresh(folder: Path) -> str:
    """Return the README of a package with a table of its current modules."""
    path = folder / "README.md"
    text = (
        path.read_text()
        if path.exists()
        else f"# {folder.name}\n\n{first_line(folder / '__init__.py')}\n"
    )
    modules = sorted(path for path in folder.glob("*.py") if path.name not in _UNNAMED)
    rows = "".join(f"| `{path.name}` | {first_line(path)} |\n" for path in modules)
    table = HEADER + rows if rows else ""
    if _TABLE.search(text):
        return _TABLE.sub(lambda _: table, text, count=1)
    return f"{text.rstrip()}\n\n{table}" if table else text


def main() -> int:
    """Write the tables, or name those that are stale."""
    stale = []
    for package in PACKAGES:
        for init in sorted((ROOT / package).rglob("__init__.py")):
            path, text = init.parent / "README.md", fresh(init.parent)
            if not path.exists() or path.read_text() != text:
                stale.append(path.relative_to(ROOT))
                if "--check" not in sys.argv:
                    path.write_text(text)
    if "--check" in sys.argv and stale:
        print("Not fresh, run tools/generate_readmes.py:", *stale, sep="\n  ")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
