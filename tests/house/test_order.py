"""Every test runs once, the longest folders first, and no folder delays the end of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import order_tests as order  # noqa: E402
import shared_fixtures  # noqa: E402
from order_tests import Took  # noqa: E402


def test_every_test_file_is_in_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = []
    for part in order.parts(order.folders(), order.read()):
        for path in map(Path, part.paths):
            found += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    tops = ("tests", "lab/tests")
    assert sorted(found) == sorted(each for top in tops for each in Path(top).rglob("test_*.py"))


def test_what_is_committed_names_folders_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    took = order.read()
    assert set(took) <= set(order.folders())
    assert {each.kind for each in took.values()} == {"waiting", "computing"}


def test_the_longest_first_and_in_parts() -> None:
    files = {name: [f"tests/{name}/test_{n}.py" for n in range(9)] for name in ("new", "a", "b")}
    files["c"] = ["tests/c/test_only.py"]
    took = {"a": Took(100, "waiting"), "b": Took(700, "computing"), "c": Took(400, "computing")}
    found = order.parts(files, took)
    assert [part.name for part in found] == ["c", "b.1", "b.2", "b.3", "b.4", "a", "new"], (
        "half of a stream's share is 200 s; one file cannot be split"
    )
    assert found[1].paths == [f"tests/b/test_{n}.py" for n in (0, 4, 8)]
    assert found[-1].paths == ["tests/new"] and found[-1].kind == "computing"
    assert order.parts({"new": files["new"]}, {})[0].paths == ["tests/new"], "nothing is known yet"


def test_times_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "a.seconds").write_text("100.2 20.1 9.0\n")
    (tmp_path / "b.1.seconds").write_text("60.0 50.0 1.0\n")
    (tmp_path / "b.2.seconds").write_text("40.0 5.0 1.0\n")
    (tmp_path / "b.2.again.seconds").write_text("90.0 0.0 0.0\n")
    assert order.measured(tmp_path) == {"a": Took(100, "waiting"), "b": Took(100, "computing")}


class Item:
    """A test as pytest collects it.

    Attributes:
        name: Its name.
        path: Its file.
        marks: The words of its mark `in_turn`; None: it has none.
    """

    path = Path("tests/some/test_file.py")

    def __init__(self, name: str, *marks: str, is_marked: bool = True) -> None:
        self.name = name
        self.mark = pytest.mark.in_turn(*marks).mark if is_marked else None

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        assert name == "in_turn"
        return self.mark


def test_in_seven_days_each_test_in_turn_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A group is run on one day, what is not marked each time; without a day all are run."""
    lab = [Item("one", "lab"), Item("other", "lab")]
    every = [*(Item(f"long[{number}]") for number in range(14)), *lab]
    short = Item("short", is_marked=False)
    left: list[Item] = []
    config = SimpleNamespace(
        hook=SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    )

    def run_of(day: str) -> list[Item]:
        monkeypatch.setenv("TEST_TURN", day)
        items = [*every, short]
        left.clear()
        shared_fixtures.pytest_collection_modifyitems(config, items)  # type: ignore[arg-type]
        assert {*items, *left} == {*every, short}
        return items

    ran = [run_of(str(day)) for day in range(shared_fixtures.TURNS)]
    assert all(items.pop() is short for items in ran)
    assert sorted(item.name for items in ran for item in items) == sorted(
        item.name for item in every
    )
    assert [len(set(lab) & set(items)) for items in ran].count(2) == 1
    assert max(map(len, ran)) <= 4
    assert run_of("") == [*every, short]
