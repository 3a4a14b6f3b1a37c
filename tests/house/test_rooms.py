"""The house: which room may look into which (see the design's `Dependencies point one way`)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2] / "src/jostle"
#: Rooms that a room may not look into, by name; it may look into all others.
CLOSED = {
    "reader": {"repository", "analysis", "told", "cli", "server", "plot"},
    "repository": {"analysis", "told", "cli", "server", "plot"},
    "analysis": {"told", "cli", "server", "plot"},
    "told": {"cli", "server", "plot"},
    "server": {"cli", "plot"},
    "plot": {"cli", "server"},
    "cli": set(),
}


def rooms_seen(path: Path) -> set[str]:
    """Rooms that a module imports from, at any depth; those only named in types do not count."""
    tree = ast.parse(path.read_text())
    typing = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    seen: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        seen |= {name.split(".")[1] for name in names if name.startswith("jostle.")}
    return seen


@pytest.mark.parametrize("room", CLOSED)
def test_rooms_look_one_way(room: str) -> None:
    wrong = {
        str(path.relative_to(HOUSE)): sorted(found)
        for path in sorted((HOUSE / room).rglob("*.py"))
        if (found := rooms_seen(path) & CLOSED[room])
    }
    assert not wrong
