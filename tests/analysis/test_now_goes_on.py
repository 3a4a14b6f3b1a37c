"""Reading running jobs from a repository that is slow or fails, and after a restart."""

from __future__ import annotations

import math
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from live_maker import EPOCH_NS, SLICE_NS, noise, reader, together

from jostle.errors import JostleError
from jostle.report.models import now as module
from jostle.report.models.now import Now
from jostle.repository.query.live import LiveRows

_SLICES, _AT = 60, 40


class Site:
    """A repository in which slices appear as they end, and the time, which a test sets.

    Attributes:
        done: Number of slices that have ended.
        fails: Whether the repository cannot be read.
        free: Event without which the repository does not answer.
    """

    def __init__(self) -> None:
        slow = noise(np.random.default_rng(1), _SLICES, 0.01)
        slow[_AT:] += math.log(1.5)
        loud = np.where(np.arange(_SLICES) >= _AT, 4000.0, 0.0)
        self._rows = together([*reader("victim-1", slow), *reader("bully-1", slow * 0, loud)])
        self.done, self.fails, self.free = 0, False, threading.Event()
        self.free.set()

    def time_ns(self) -> int:
        return EPOCH_NS + self.done * SLICE_NS

    def monotonic(self) -> float:
        return 100.0 + self.done * SLICE_NS / 1e9

    def commits(self) -> int:
        return self.done

    def query(self, *_: object) -> pa.Table:
        row = {"jobs": [2], "start_ns": [EPOCH_NS], "slice_ns": [SLICE_NS], "path": ["/data"]}
        return pa.table(row)

    def live_rows(self, span: tuple[int, int]) -> LiveRows:
        if self.fails:
            raise JostleError("The repository cannot be read.")
        assert self.free.wait(30)
        mounts = tuple(
            row
            for row in self._rows.mounts
            if span[0] <= row.start_ns < span[1] and row.start_ns + SLICE_NS <= self.time_ns()
        )
        newest = max((row.start_ns + SLICE_NS for row in mounts), default=0)
        return LiveRows(self._rows.jobs, mounts, (), newest)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    found = Site()
    monkeypatch.setattr(module, "time", found)
    return found


def _until(site: Site, now: Now, done: int) -> Now:
    while site.done < done:
        site.done += 1
        now.refresh()
    return now


@pytest.mark.parametrize("at", [25, _AT + 1, _AT + 2, _AT + 5, _SLICES - 1])
def test_after_a_restart_in_the_middle_the_stream_goes_on_where_it_was(site: Site, at: int) -> None:
    first = _until(site, Now(site), at)  # type: ignore[arg-type]
    second = Now(site)  # type: ignore[arg-type]
    second.refresh()
    assert second.report() == first.report()
    while site.done < _SLICES:
        site.done += 1
        first.refresh()
        second.refresh()
    assert second.report() == first.report()
    (victim,) = (each.answer for each in second.report().jobs if each.answer.job == "victim-1")
    assert victim.suspects[0].job == "bully-1" and victim.now_percent > 10


def test_while_the_repository_is_slow_the_last_answer_is_given(site: Site) -> None:
    now = _until(site, Now(site), _AT + 5)  # type: ignore[arg-type]
    last = now.report()
    site.free.clear()
    site.done += 1
    waiting = threading.Thread(target=now.refresh)
    waiting.start()
    try:
        site.done += 1
        begin = time.monotonic()
        for _ in range(3):
            assert now.refresh() == [] and now.report() == last
        assert time.monotonic() - begin < 5 and waiting.is_alive()
    finally:
        site.free.set()
        waiting.join()
    _until(site, now, _SLICES)
    assert now.report() == _fresh(site)


def test_before_the_first_answer_all_wait_for_it(site: Site) -> None:
    site.done = _SLICES
    site.free.clear()
    now, found = Now(site), []  # type: ignore[arg-type]

    def look() -> None:
        now.refresh()
        found.append(len(now.report().jobs))

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    assert not found
    site.free.set()
    for thread in threads:
        thread.join()
    assert found == [2, 2, 2]


def test_what_could_not_be_read_is_read_later(site: Site) -> None:
    now = _until(site, Now(site), _AT - 2)  # type: ignore[arg-type]
    site.fails = True
    for _ in range(8):
        site.done += 1
        with pytest.raises(JostleError):
            now.refresh()
    site.fails = False
    _until(site, now, _SLICES)
    assert now.report() == _fresh(site)


def _fresh(site: Site) -> object:
    """The report of a reader that has just started."""
    now = Now(site)  # type: ignore[arg-type]
    now.refresh()
    return now.report()
