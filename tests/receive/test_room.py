"""The receiver's space: no owner takes that of another or of root, and freed space comes back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receive_node import ranged
from test_mirror import Mirror, State, state

from jostle.receive import node_mirror
from jostle.receive.shares import ROOT, Shares


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    mirror = Mirror(tmp_path / "mirror")
    yield mirror
    os.close(mirror.keeper._lock)


def fill(mirror: Mirror, owner: int, files: int, first: int = 0) -> list[str]:
    """Post one-byte files of an owner; return why some were not taken."""
    parts = [ranged(n, b"x", name=f"{n}.jst", owner=owner) for n in range(first, first + files)]
    return [why for _, (_, _, why) in mirror.put(*parts) if why]


def machine(file: int = 999) -> tuple[bytes, State]:
    return ranged(file, b"head", name="machine.jsm", owner=ROOT), state(file, 4, owner=ROOT)


def test_files_of_five_owners_leave_room_for_root_and_for_others(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_mirror, "MOST_OF_USER", 20)
    monkeypatch.setattr(node_mirror, "MOST_FILES", 100)
    for owner in range(1000, 1005):
        assert fill(mirror, owner, 30) == ["files"] * 10
    sent, stored = machine()
    assert mirror.put(sent) == [stored]
    assert fill(mirror, 2000, 30) == ["files"] * (30 - 100 // 6)
    mirror.restart()
    assert mirror.put(machine(998)[0]) == [machine(998)[1]]
    assert fill(mirror, 2001, 30) == ["files"] * (30 - 100 // 7)
    assert fill(mirror, 1000, 1, first=50) == ["files"]


def test_files_that_are_over_leave_room_as_well(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_mirror, "_MOST_KNOWN", 10)
    over = [ranged(n, b"x", name=f"{n}.jst", over=True) for n in range(11)]
    assert [why for _, (_, _, why) in mirror.put(*over)] == [""] * 10 + ["files"]
    sent, stored = machine()
    assert mirror.put(sent) == [stored]
    assert fill(mirror, 2000, 6) == ["files"]


@pytest.mark.parametrize("kill", [False, True])
def test_a_slot_is_free_once_its_file_is_gone(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch, kill: bool
) -> None:
    monkeypatch.setattr(node_mirror, "MOST_OF_USER", 3)
    assert fill(mirror, 1000, 4) == ["files"]
    for path in mirror.folder.glob("n1/1000/*.jst"):
        path.unlink()  # the ingester: nothing was added for seven days
    if kill:
        mirror.restart()
    mirror.keeper._prune()
    if not kill:
        assert mirror.keeper.files_known() == 0
    assert fill(mirror, 1000, 4, first=10) == ["files"]
    assert mirror.keeper.files_known() == 3
    # A node that still has such a file sends it from the beginning.
    for path in mirror.folder.glob("n1/1000/*.jst"):
        path.unlink()
    mirror.keeper._prune()
    assert mirror.put(ranged(10, b"y", 1, name="10.jst")) == [state(10, 0, why="offset")]
    assert mirror.put(ranged(10, b"xy", name="10.jst", over=True)) == [state(10, 2, done=True)]
    assert mirror.read("n1/1000/10.jst") == b"xy"


def test_slots_of_files_that_are_gone_are_found_when_there_is_no_room(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_mirror, "MOST_OF_USER", 3)
    assert fill(mirror, 1000, 3) == []
    for path in mirror.folder.glob("n1/1000/*.jst"):
        path.unlink()
    assert fill(mirror, 1000, 3, first=10) == []


def test_bytes_of_others_leave_room_for_root(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror", most=4000)
    for owner in range(1000, 1003):
        assert mirror.put(ranged(1, bytes(1000), owner=owner))[0][1] == (1000, False, "")
    sent = ranged(1, bytes(1000), owner=1004)
    assert mirror.put(sent) == [state(1, 1000, owner=1004)]
    assert mirror.put(ranged(1, bytes(900), name="m.jsm", owner=ROOT)) == [state(1, 900, owner=0)]
    assert mirror.put(ranged(1, bytes(801), owner=1005)) == [state(1, 0, owner=1005, why="quota")]
    assert mirror.put(ranged(1, bytes(800), owner=1005)) == [state(1, 800, owner=1005)]
    os.close(mirror.keeper._lock)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(-5, 20)), max_size=300))
def test_nobody_is_refused_an_equal_part_and_the_sum_is_bounded(
    steps: list[tuple[int, int]],
) -> None:
    most, most_of_owner = 100, 40
    shares = Shares(most, most_of_owner)
    held = dict.fromkeys(range(13), 0)
    for owner, size in steps:
        if size <= 0:
            size = -min(-size, held[owner])
        elif not shares.fits(owner, size):
            owners = sum(count > 0 for who, count in held.items() if who not in (ROOT, owner)) + 1
            part = most_of_owner if owner == ROOT else min(most_of_owner, most // owners)
            assert held[owner] + size > part
            continue
        shares.add(owner, size)
        held[owner] += size
        assert shares.total == sum(held.values())
        assert held[owner] <= most_of_owner
        assert sum(held.values()) - held[ROOT] <= most * sum(1 / n for n in range(1, 13))


def test_gaps_without_end_do_not_fill_the_disk_with_the_journal(mirror: Mirror) -> None:
    for post in range(12):
        gaps = [ranged(1, b"", 1000 * post + n, gap=True) for n in range(1, 1000)]
        assert mirror.put(*gaps) == [state(1, 1000 * post + 999)]
    journal = mirror.folder / "n1/.files"
    assert len(journal.read_bytes().splitlines()) < 6000
    mirror.restart()
    assert mirror.put(ranged(1)) == [state(1, 11_999)]
