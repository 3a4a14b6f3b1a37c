"""Evaluates spans of a run that has not ended yet, in a separate process.

A benchmark must not share its process with an analysis, whose memory and threads would change what
is measured. `python -m jostle.ci.window SPOOL JOB` reads requests from standard input and writes
answers, one line of JSON each; it ends with its standard input.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from jostle.errors import JostleError
from jostle.reader import find_profiles
from jostle.report.format.values import percent_within
from jostle.report.verdict.gate import Finding, GateResult, find
from jostle.repository import Repository
from jostle.values.arrow_columns import floats

if TYPE_CHECKING:
    from jostle.repository.types import RunTables

#: How long to wait for the last slice of a span, s: a heartbeat without a core is late.
_PATIENCE_S, _STEP_S = 1.0, 0.02


class WindowError(JostleError):
    """A span of a run cannot be evaluated."""


@dataclass(frozen=True)
class WindowAnswer:
    """The finding about a span of a run.

    Attributes:
        finding: One of clean (not disturbed), disturbed, or undecided.
        message: The finding as a sentence: loss and causes, or why it is undecided.
        percent: Share of the span that was lost, percent; None if it is not known.
        low: Lower end of the 95 % interval of `percent`.
        high: Upper end of that interval.
        again: Whether a repetition could be clean, or could decide an undecided finding.
    """

    finding: Finding
    message: str
    percent: float | None = None
    low: float | None = None
    high: float | None = None
    again: bool = False


class RunningJob:
    """A job whose profiles are still being written."""

    def __init__(self, spool: Path, job: str, repository: Path) -> None:
        """Create the object without reading any profile.

        Args:
            spool: Folder of the job's profiles.
            job: Name of the job.
            repository: Folder of the repository for these profiles.
        """
        self._spool, self._job = spool, job
        self._store = Repository(repository, create=True)

    def evaluate(self, start_ns: int, end_ns: int, most: float) -> WindowAnswer:
        """Evaluate the slices that are completely in a span of the job's run.

        Args:
            start_ns: Start of the span, ns since the epoch.
            end_ns: End of the span, ns since the epoch.
            most: Largest accepted loss, percent of the span.
        """
        try:
            tables = within(self._tables(end_ns), start_ns, end_ns)
            from jostle.analysis import estimate

            return window_answer(find(estimate(tables), most), tables)
        except JostleError as error:
            return WindowAnswer("undecided", " ".join(filter(None, (str(error), error.hint))))
        except Exception as error:  # tests go on; a finding must not look like a pass
            return WindowAnswer("undecided", f"{type(error).__name__}: {error}")

    def _tables(self, end_ns: int) -> RunTables:
        """Return the tables of the run; wait for its last slice before an instant, for a while."""
        until = time.monotonic() + _PATIENCE_S
        while True:
            self._store.ingest(find_profiles([self._spool]))
            tables = self._store.run_tables(self._store.newest(self._job))
            slices = tables.slices
            if slices.num_rows:
                length = int(slices["slice_ns"].to_numpy().min())
                if _ends(slices).max() >= end_ns // length * length:
                    return tables
            if time.monotonic() > until:
                return tables
            time.sleep(_STEP_S)


def within(tables: RunTables, start_ns: int, end_ns: int) -> RunTables:
    """Return the tables of a part of a run: the slices that are completely in a span.

    The run's segments are left out: a span has too few segments to compare with each other.

    Args:
        tables: Tables of the run.
        start_ns: Start of the span, ns since the epoch.
        end_ns: End of the span, ns since the epoch.

    Raises:
        WindowError: No slice is completely in the span.
    """
    slices = _inside(tables.slices, start_ns, end_ns)
    if not slices.num_rows:
        raise WindowError(
            "It contains no complete slice, or none with activity.",
            hint="Measure for longer, or use shorter slices: jostle run --slice 100ms -- pytest",
        )
    length = int(slices["slice_ns"].to_numpy().min())
    # Slices in which a process was idle have no row.
    begin, end = -(-start_ns // length) * length, end_ns // length * length
    processes = tables.processes
    own_end = floats(processes, "end_ns").astype(np.int64)
    own_end = np.where(own_end > 0, own_end, end)
    own_begin = processes["start_ns"].to_numpy()
    there = (own_begin < end) & (own_end > begin)
    clipped = {"start_ns": own_begin.clip(begin, end), "end_ns": own_end.clip(begin, end)}
    for name, values in clipped.items():
        place = processes.schema.get_field_index(name)
        processes = processes.set_column(place, name, pa.array(values))
    return replace(
        tables,
        processes=processes.filter(pa.array(there)),
        worlds=(),
        slices=slices,
        mount_slices=_inside(tables.mount_slices, start_ns, end_ns),
    )


def window_answer(result: GateResult, tables: RunTables) -> WindowAnswer:
    """Return a finding as a sentence with its numbers."""
    from jostle.report.verdict.verdict import head, mount_paths

    estimate = result.estimate
    if estimate is None:
        return WindowAnswer("undecided", result.why)
    first = head(estimate)
    place = mount_paths(tables).get(first.resource, first.resource)
    where = f" ({place})" if place else ""
    lost = f"lost {percent_within(estimate.percent)} of its time"
    lost += f": {first.what}{where}" if first.what else ""
    message = lost if result.finding != "undecided" else f"{lost}; {result.why}"
    percent = estimate.percent
    again = result.finding == "disturbed" or result.again
    return WindowAnswer(result.finding, message, percent.value, percent.low, percent.high, again)


def _inside(slices: pa.Table, start_ns: int, end_ns: int) -> pa.Table:
    return slices.filter(pa.array((_begins(slices) >= start_ns) & (_ends(slices) <= end_ns)))


def _begins(slices: pa.Table) -> Any:
    return slices["slice"].to_numpy() * slices["slice_ns"].to_numpy()


def _ends(slices: pa.Table) -> Any:
    return _begins(slices) + slices["slice_ns"].to_numpy()


def main() -> None:
    """Answer requests from standard input until it ends."""
    spool, job = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="jostle-") as folder:
        run = RunningJob(Path(spool), job, Path(folder) / "repository")
        for line in sys.stdin:
            answer = run.evaluate(*json.loads(line))
            print(json.dumps(asdict(answer)), flush=True)


if __name__ == "__main__":
    main()
