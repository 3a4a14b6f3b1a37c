"""Every package says what is in it: a README that names each module, in the module's own words."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2] / "src/jostle"
ROOMS = sorted(path.parent for path in HOUSE.rglob("__init__.py"))
_ROW = re.compile(r"^\| `(\w+\.py)` \| (.+) \|$", re.MULTILINE)
#: They have no room of their own, or are what Python wants to be there.
_UNNAMED = {"__init__.py", "__main__.py"}


def first_line(path: Path) -> str:
    """Return what a module says of itself in its first line."""
    return (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(HOUSE.parent)))
def test_a_readme_names_each_module_in_its_own_words(room: Path) -> None:
    text = (room / "README.md").read_text()
    modules = {path.name for path in room.glob("*.py")} - _UNNAMED
    assert not modules - set(re.findall(r"`(\w+\.py)`", text)), "modules that are not named"
    rows = dict(_ROW.findall(text))
    assert rows == {name: first_line(room / name) for name in rows}
