"""Real programs with slices of different lengths, one after the other and concurrently."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from subprocess import Popen

import pytest
from command import jostle

from jostle.repository import Repository

pytestmark = pytest.mark.in_turn("lives")

#: Computes for some seconds and prints when it began and ended, by its own clock. One that is given
#: a file says so in FILE.begun, and ends when FILE is there.
_SPIN = """
import os, sys, time

begin, files = time.time(), sys.argv[2:]
for file in files:
    open(file + ".begun", "w").close()
while time.time() < begin + float(sys.argv[1]) and not any(map(os.path.exists, files)):
    sum(range(20000))
print(begin, time.time())
"""
#: Job: length of its slices. The first two end before the third begins, within its first slice.
_ALONE = {"first": "250ms", "second": "1s", "third": "4s"}

#: Reasons to clear a job that rest on sums, not on a test.
_WITHOUT_A_TEST = ("By account", "too little to lose", "almost no time", "Its load was only")


def _words(folder: Path, job: str, slice_: str, seconds: float) -> list[str]:
    return [
        "run",
        "--repository",
        str(folder / "all"),
        "--job",
        job,
        "--slice",
        slice_,
        "--",
        sys.executable,
        "-c",
        _SPIN,
        str(seconds),
    ]


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[float, float]]]:
    """A repository, and from when to when each job lived, as it says itself."""
    folder = tmp_path_factory.mktemp("after")
    found = {}

    def note(job: str, out: str) -> None:
        begin, end = out.split()[:2]
        found[job] = float(begin), float(end)

    while time.time() % 4 > 0.5:  # all begin in one slice of 4 s, if the machine lets them
        time.sleep(0.05)
    for job, slice_ in _ALONE.items():
        done = jostle(*_words(folder, job, slice_, 1.2))
        assert done.code == 0, done.err
        note(job, done.out)
    start = "from jostle.cli.main import main; main()"
    with Popen(
        [sys.executable, "-c", start, *_words(folder, "alongside", "250ms", 60), str(folder / "o")],
        stdout=-1,
        stderr=-1,
        text=True,
    ) as other:
        while other.poll() is None and not (folder / "o.begun").exists():
            time.sleep(0.05)
        time.sleep(1)
        done = jostle(*_words(folder, "met", "1s", 2.5))
        (folder / "o").touch()  # it ends
        assert done.code == 0, done.err
        note("met", done.out)
        note("alongside", other.communicate(timeout=60)[0])
    return folder / "all", found


def test_who_was_there_at_the_same_time_is_a_neighbour_and_nobody_else(lives) -> None:
    folder, said = lives
    store = Repository(folder)
    for job, (begin, end) in said.items():
        met = {other for other, (a, b) in said.items() if other != job and a < end and begin < b}
        assert set(store.alongside(job).others) == met, job
    assert set(store.alongside("met").others) == {"alongside"}


def test_nobody_met_himself(lives) -> None:
    """All are runs of one program: two of them met, and each once."""
    folder, _ = lives
    done = jostle("matrix", "--repository", str(folder), "--json")
    assert done.code == 0, done.err
    nodes = [one for one in json.loads(done.out)["encounters"] if one["resource_kind"] == "node"]
    assert all(one["with_runs"] <= 2 for one in nodes)


def test_few_slices_name_nobody_but_by_account(lives) -> None:
    """So few slices suffice for no test; users of the cores are known without one."""
    folder, _ = lives
    done = jostle("interference", "--repository", str(folder), "met", "--json")
    found = json.loads(done.out)
    assert {suspect["how"] for suspect in found["suspects"]} <= {"account"}
    text = jostle("interference", "--repository", str(folder), "met").out
    assert "would have been detected" not in text
    for why in found["ruled_out"].values():
        assert any(words in why for words in _WITHOUT_A_TEST), why
