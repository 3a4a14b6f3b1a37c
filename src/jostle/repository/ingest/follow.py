"""Follows spools, so that new slices appear in the repository while jobs run."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from jostle.errors import JostleError
from jostle.repository.ingest.ingest import Ingester
from jostle.repository.maintenance.compact import Compactor, end_silent
from jostle.repository.store.files import plain_errors
from jostle.repository.store.marker import open_marker
from jostle.repository.types import IngestReport

_SLOWEST_S = 2.0
_FASTEST_S = 0.03
_ASK_S = 0.1
_COMPACT_EVERY_S = 30.0
_MERGE_EVERY_S = 10.0
_END_EVERY_S = 300.0


def follow(
    root: Path,
    paths: Sequence[Path],
    *,
    stop: Callable[[], bool],
    on_change: Callable[[IngestReport], None] | None = None,
    remove: bool = False,
    files: Callable[[], Sequence[Path]] | None = None,
    pause: Callable[[float, int], None] | None = None,
) -> IngestReport:
    """Ingest new data repeatedly, until `stop` returns true; see Repository.follow."""
    open_marker(root)
    ingester = Ingester(root, remove=remove)
    tidy = _Alongside(partial(_tidy, Compactor(root)), _COMPACT_EVERY_S)
    present: list[set[int] | None] = [None]  # of the last pass that looked at everything
    ending = _Alongside(partial(_end_silent, root, present), _END_EVERY_S)
    merging = _Alongside(ingester.merge, _MERGE_EVERY_S)
    total = IngestReport()
    first = True
    while True:
        last = stop()
        begin = time.monotonic()
        folders = _stamps(paths)
        try:
            with plain_errors(root):
                there = files() if files else [path for path in paths if path.exists()]
            report = ingester.run(there) if last else ingester.turn(there)
            if not files or set(paths) <= set(there):
                present[0] = ingester.present
        except JostleError as error:
            if first or last:
                raise
            # The user may free space meanwhile: data that could not be stored stays in the spool.
            report = IngestReport(left=1, warnings=[f"{error} {error.hint}"])
        first = False
        new = [text for text in report.warnings if text not in total.warnings]
        total.add(report)
        total.profiles = report.profiles
        report.warnings = new
        if on_change is not None and (report.commits or new):
            on_change(report)
        if last:
            tidy.join()
            merging.join()
            ending.join()
            return total
        tidy.maybe()
        ending.maybe()
        if ingester.large:
            merging.maybe()
        if report.left and report.commits:
            continue
        now = time.monotonic()
        if pause is not None:
            pause(now - begin, report.left)
            continue
        half_slice = ingester.shortest_slice_ns / 2e9
        wait = min(max(half_slice, _FASTEST_S), _SLOWEST_S)
        # New files may belong to processes with shorter slices, so they end the wait early. But
        # checks for new files may use at most a fifth of a core.
        early = now + 5 * (now - begin)
        _sleep(begin + wait, stop, partial(_changed, paths, folders, early))


def _changed(paths: Sequence[Path], before: Sequence[int], not_before: float) -> bool:
    return time.monotonic() > not_before and _stamps(paths) != before


def _stamps(paths: Sequence[Path]) -> list[int]:
    """Return numbers that change when files are added to spools, or removed from them."""
    stamps = []
    for path in paths:
        try:
            stamps.append(path.stat().st_mtime_ns)
        except OSError:
            stamps.append(0)
    return stamps


def _sleep(end: float, stop: Callable[[], bool], wake: Callable[[], bool]) -> None:
    end = max(end, time.monotonic() + 0.005)
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _ASK_S))
        if stop() or wake():
            return


class _Alongside:
    """Runs a task from time to time concurrently with the ingester, in at most one thread."""

    def __init__(self, work: Callable[[], None], every_s: float) -> None:
        self._work = work
        self._every_s = every_s
        self._thread: threading.Thread | None = None
        self._next = time.monotonic() + every_s

    def maybe(self) -> None:
        if time.monotonic() < self._next or (self._thread and self._thread.is_alive()):
            return
        self._next = time.monotonic() + self._every_s
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def join(self) -> None:
        if self._thread:
            self._thread.join()


def _tidy(compactor: Compactor) -> None:
    with contextlib.suppress(JostleError):  # the ingester reports it as well
        compactor.tend()


def _end_silent(root: Path, present: Sequence[set[int] | None]) -> None:
    if present[0] is not None:
        with contextlib.suppress(JostleError):  # as above
            end_silent(root, present[0])
