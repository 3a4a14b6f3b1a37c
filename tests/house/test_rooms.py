"""Dependencies between packages of the code: which may import which. All point one way.

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
PRODUCT, LAB = ROOT / "src/jostle", ROOT / "lab/src/jostle_lab"

#: Room -> the rooms that it may import, apart from `errors`, `extensions` and the rooms for all.
ROOMS = {
    "schema": "",
    "names": "schema",
    "values": "schema",
    "files": "",
    "reader": "",
    "topology": "",
    "network": "topology",
    "repository": "reader topology",
    "receive": "reader repository",
    "imports": "reader repository",
    "analysis": "reader repository topology network",
    "report": "reader repository analysis topology network",
    "spark": "reader repository analysis report",
    "api": "reader repository analysis report",
    "ci": "reader repository analysis report",
    "plot": "reader repository analysis report topology network",
    "server": "reader repository analysis report topology network",
    "cli": "reader repository analysis report plot server receive imports spark ci topology "
    "network",
}
FOR_ALL = ("schema", "names", "values", "files")
#: The same of the lab, whose rooms may all import the public API of jostle.
LAB_ROOMS = {
    "signals": "",
    "inject": "",
    "cluster": "",
    "synthetic": "",
    "analysis": "signals",
    "study": "analysis cluster signals inject",
    "validation": "analysis synthetic cluster signals inject study",
    "plot": "analysis study validation",
    "server": "analysis study",
    "cli": "analysis study validation synthetic cluster signals inject plot server",
}
#: Room -> its subrooms from the lowest to the highest: each may import those before it, and those
#: joined by "+" do not import each other. The modules next to the subrooms may import all of them:
#: they are the room's interface, or hold what its subrooms have in common. A subroom that has
#: subrooms is named by its path.
SUBROOMS = {
    "repository": "store query segments maintenance ingest",
    "repository/query": "resources job",
    "analysis": "access+binding+waits+live estimation identification "
    "digest+kinds+nodes+placement advise+site_advice",
    "analysis/identification": "resources statistics runs",
    "report": "format models verdict",
    "report/models": "machines job",
    "plot": "charts terminal+figures document",
    "server": "access cache schemas background jobs verdicts+system fabric transport routes",
    "cli": "options views launch+doctor+top commands",
    "cli/commands": "record+look+maintain",
    "topology": "formats",
    "imports": "darshan+accounting+counters",
}
LAB_SUBROOMS = {
    "analysis": "study+validation",
    "study": "places",
    "validation": "lab+scale+within cephfs+waits lengths+advice+now",
    "synthetic": "traces+injected+placed machines site",
    "cluster": "filesystems",
    "plot": "study",
    "cli": "views site_demo+network_demo commands",
}
#: The two packages: their rooms, and what these are made of.
HOUSES = {PRODUCT: (ROOMS, SUBROOMS), LAB: (LAB_ROOMS, LAB_SUBROOMS)}
EVERY_ROOM = [(house, room) for house, (rooms, _) in HOUSES.items() for room in rooms]
EVERY_SUBROOM = [(house, room) for house, (_, subrooms) in HOUSES.items() for room in subrooms]


#: What the lab, and whatever else is installed with jostle, may import of it
#: (docs/reference/extensions.md): the interfaces of rooms and the modules next to them, and these.
PUBLIC = {
    *(f"jostle.{room}.{path.stem}" for room in FOR_ALL for path in (PRODUCT / room).glob("*.py")),
    "jostle.cli.for_verbs",
    "jostle.cli.options",
    "jostle.cli.output",
    "jostle.cli.progress",
    "jostle.plot.charts",
    "jostle.plot.document",
    "jostle.plot.figures",
    "jostle.report.format.values",
    "jostle.repository.writing",
    "jostle.server.pages",
    "jostle.topology.store",
}


@functools.cache
def imports(path: Path) -> list[str]:
    """Return the names that a module imports, at any depth; those only named in types do not count.

    Of `from a import b` it is `a.b`.
    """
    text = path.read_text()
    every = list(ast.walk(ast.parse(text)))
    typing = {
        id(inner)
        for node in (every if "TYPE_CHECKING" in text else ())
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found: list[str] = []
    for node in every:
        if id(node) in typing:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def rooms_seen(folder: Path) -> dict[str, dict[str, set[str]]]:
    """Return, for each package in a folder, the others that its modules import: name -> modules."""
    house = LAB if folder.is_relative_to(LAB) else PRODUCT
    package = ".".join(folder.relative_to(house.parent).parts)
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


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: house.name)
def test_every_room_has_its_rule(house: Path) -> None:
    rooms, subrooms = HOUSES[house]
    assert packages(house) == rooms.keys()
    for room in {*rooms, *subrooms}:
        named = subrooms.get(room, "").replace("+", " ").split()
        assert packages(house / room) == set(named), room


def test_the_product_does_not_import_the_lab() -> None:
    wrong = {
        path.relative_to(ROOT): name
        for path in PRODUCT.rglob("*.py")
        for name in imports(path)
        if name.partition(".")[0] == LAB.name
    }
    assert not wrong


def test_the_lab_imports_nothing_private_of_the_product() -> None:
    wrong = set()
    for path in LAB.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if module.partition(".")[0] == PRODUCT.name and not _is_public(module):
                wrong.add((str(path.relative_to(LAB)), module))
    assert not wrong


def _is_public(module: str) -> bool:
    return module in PUBLIC or (module.count(".") <= 1 and "._" not in module)


@pytest.mark.parametrize(("house", "room"), EVERY_ROOM)
def test_rooms_import_one_way(house: Path, room: str) -> None:
    allowed = HOUSES[house][0][room].split()
    allowed += [] if room in FOR_ALL else FOR_ALL
    wrong = {other: by for other, by in rooms_seen(house)[room].items() if other not in allowed}
    assert not wrong


@pytest.mark.parametrize(("house", "room"), EVERY_SUBROOM)
def test_subrooms_import_one_way(house: Path, room: str) -> None:
    seen, lower, wrong = rooms_seen(house / room), set(), {}
    for level in HOUSES[house][1][room].split():
        for name in level.split("+"):
            wrong |= {f"{name} -> {o}": by for o, by in seen[name].items() if o not in lower}
        lower |= set(level.split("+"))
    assert not wrong


@pytest.mark.parametrize("folder", ["src", "lab/src", "tools"])
def test_no_modules_import_each_other_in_a_circle(folder: str) -> None:
    paths = {}
    for path in (ROOT / folder).rglob("*.py"):
        name = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
        paths[name.removesuffix(".__init__")] = path
    left = {}
    for module, path in paths.items():
        found = {name if name in paths else name.rpartition(".")[0] for name in imports(path)}
        left[module] = (found & paths.keys()) - {module}
    while free := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in free:
            del left[module]
    assert not left
