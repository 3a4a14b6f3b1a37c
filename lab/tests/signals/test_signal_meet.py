"""Signals of several jobs in one folder and on one lock (`--meet`); their pauses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from signal_runner import Signals

METADATA = ("metadata", "create-files", "stat-files", "list-folder", "unlink-files", "lock-file")


@pytest.fixture
def meeting(signals: Signals) -> Path:
    """A folder that exists before, with a file of somebody else."""
    folder = signals.folder / "meeting"
    folder.mkdir()
    (folder / "of-another").touch()
    return folder


@pytest.mark.in_turn
@pytest.mark.parametrize("pattern", METADATA)
def test_works_in_a_common_folder_and_leaves_what_others_put_there(
    signals: Signals, meeting: Path, pattern: str
) -> None:
    words = (pattern, "--meet", str(meeting), "--processes", "2", "--iterations", "1100")
    signals.run(*words).leaves_nothing()
    left = {path.name for path in meeting.iterdir()}
    assert left == {"of-another"} | ({"lock"} if pattern == "lock-file" else set())


def test_names_of_two_jobs_differ(signals: Signals, meeting: Path) -> None:
    for job in ("one", "two"):
        words = ("create-files", "--meet", str(meeting), "--iterations", "3", "--keep")
        signals.run(*words, "--job", job)
    names = sorted(path.name for path in meeting.iterdir())
    assert len(names) == 7
    assert sum(name.startswith("jostle-signal-one-") for name in names) == 3
    assert sum(name.startswith("jostle-signal-two-") for name in names) == 3


def test_two_jobs_wait_for_one_lock(signals: Signals, meeting: Path) -> None:
    """The second one opens the file that the first one left."""
    signals.run("lock-file", "--meet", str(meeting), "--iterations", "1", "--job", "one")
    before = (meeting / "lock").stat().st_ino
    signals.run("lock-file", "--meet", str(meeting), "--iterations", "1", "--job", "two")
    assert (meeting / "lock").stat().st_ino == before


def test_is_for_metadata_alone(signals: Signals, meeting: Path) -> None:
    done = signals.run("write-seek", "--meet", str(meeting), code=2)
    assert "--meet is for patterns of metadata and locks" in done.err


def test_rests_between_bursts_instead_of_spinning(signals: Signals) -> None:
    """By its CPU time: the load itself needs next to none, and one that spins all it can get."""
    words = ("write-seek", "--chunk", "4KiB", "--period", "0.5", "--duty", "0.02", "--time", "2")
    begin = os.times().children_user
    signals.run(*words, "--rest")
    rested = os.times().children_user - begin
    signals.run(*words)
    spun = os.times().children_user - begin - rested
    assert 3 * rested + 0.1 < spun


def test_has_pauses_to_rest_in(signals: Signals) -> None:
    assert "--rest is for the pauses of --period" in signals.run("cpu", "--rest", code=2).err


def test_begins_operations_no_sooner_than_asked_for(signals: Signals) -> None:
    """A second has room for twenty, the first of them at once."""
    done = signals.run("write-seek", "--chunk", "4KiB", "--every", "50ms", "--time", "1")
    assert 15 <= done.sum("operations") <= 21


def test_processes_that_meet_have_no_pace_of_their_own(signals: Signals) -> None:
    words = ("write-seek", "--api", "mpiio", "--shared", "--every", "50ms")
    assert signals.run(*words, code=2).err
