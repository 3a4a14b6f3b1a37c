"""The rooms of the code: which package may import which. All dependencies point one way.

`ROOMS` and `SUBROOMS` are the whole rule. Imports inside functions count; imports under
`if TYPE_CHECKING` do not.
"""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src/jostle"

#: Room -> the rooms that it may import, beside the modules of src/jostle itself (errors, schema).
ROOMS = {
    "reader": "",
    "inject": "",
    "signals": "",
    "lab": "topology",
    "topology": "",
    "network": "topology",
    "repository": "reader topology",
    "receive": "reader repository",
    "synthetic": "reader repository topology network",
    "analysis": "reader repository topology network",
    "report": "reader repository analysis topology network",
    "spark": "reader repository analysis report",
    "door": "reader repository analysis report",
    "plot": "reader repository analysis report topology network",
    "study": "reader repository analysis lab signals inject topology network",
    "validation": "reader repository analysis synthetic lab signals inject study topology network",
    "server": "reader repository analysis report study topology network",
    "cli": "reader repository analysis report plot study validation synthetic lab signals inject "
    "server receive spark topology network",
}
#: Room -> its subrooms from the lowest to the highest: each may import those before it, and those
#: joined by "+" do not import each other. The modules beside the subrooms may import all of them:
#: they are the room's interface, or hold what its subrooms have in common.
SUBROOMS = {
    "repository": "store query segments maintenance ingest",
    "analysis": "access+binding estimation identification digest+nodes+placement+study+validation",
    "report": "format models verdict",
    "plot": "charts terminal+figures document",
    "server": "access cache schemas background jobs verdicts+system fabric transport routes",
    "cli": "options views launch doctor site_demo+network_demo commands",
    "study": "places",
    "validation": "lab+scale",
    "synthetic": "traces+planted+placed machines site",
    "lab": "filesystems",
    "topology": "formats",
}


@functools.cache
def imports(path: Path) -> list[str]:
    """Return the names that a module imports, at any depth; those only named in types do not count.

    Of `from a import b` it is `a.b`.
    """
    tree = ast.parse(path.read_text())
    typing = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found: list[str] = []
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def rooms_seen(folder: Path) -> dict[str, dict[str, set[str]]]:
    """Return, for each package in a folder, the others that its modules import: name -> modules."""
    package = ".".join(folder.relative_to(ROOT / "src").parts)
    seen: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        for name in imports(path):
            if len(parts) > 1 and name.startswith(f"{package}."):
                other = name.removeprefix(f"{package}.").partition(".")[0]
                if other != parts[0] and (folder / other / "__init__.py").exists():
                    seen[parts[0]][other].add("/".join(parts))
    return seen


def packages(folder: Path) -> set[str]:
    """Return the names of the packages in a folder."""
    return {path.parent.name for path in folder.glob("*/__init__.py")}


def test_every_room_has_its_rule() -> None:
    assert packages(HOUSE) == ROOMS.keys()
    for room in ROOMS:
        named = SUBROOMS.get(room, "").replace("+", " ").split()
        assert packages(HOUSE / room) == set(named), room


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_one_way(room: str) -> None:
    allowed = ROOMS[room].split()
    wrong = {other: by for other, by in rooms_seen(HOUSE)[room].items() if other not in allowed}
    assert not wrong


@pytest.mark.parametrize("room", SUBROOMS)
def test_subrooms_import_one_way(room: str) -> None:
    seen, lower, wrong = rooms_seen(HOUSE / room), set(), {}
    for level in SUBROOMS[room].split():
        for name in level.split("+"):
            wrong |= {f"{name} -> {o}": by for o, by in seen[name].items() if o not in lower}
        lower |= set(level.split("+"))
    assert not wrong


@pytest.mark.parametrize("folder", ["src", "tools"])
def test_no_modules_import_each_other_in_a_circle(folder: str) -> None:
    paths = {}
    for path in (ROOT / folder).rglob("*.py"):
        name = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
        paths[name.removesuffix(".__init__")] = path
    left = {}
    for module, path in paths.items():
        found = {
            name if name in paths else name.rpartition(".")[0] for name in imports(path)
        }  # fmt: skip
        left[module] = (found & paths.keys()) - {module}
    while free := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in free:
            del left[module]
    assert not left
