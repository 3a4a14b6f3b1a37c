"""Spans of a run: only slices that lie completely in them count."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis import estimate
from jostle.ci.window import WindowError, window_answer, within
from jostle.report.verdict.gate import find
from jostle.repository.types import RunTables

MS = 1_000_000
SLICE = 100 * MS
START = 1_700_000_000_000 * MS
METRICS = {
    "os_user_ns": SLICE,
    "os_system_ns": 0,
    "os_runqueue_ns": 0,
    "os_threads": 1,
    "os_cpus": 1,
    "os_first_cpu": 0,
    "os_awake": 1,
    "os_cpu_limit": 0,
    "os_throttled_ns": 0,
    "wait_mpi_ns": 0,
    "core_probe_steal_ns": 0,
}


def run(seconds: float, waited: slice) -> RunTables:
    """A process that computes; in some slices others had its core for two thirds of the time."""
    count = round(seconds * 10)
    away = np.zeros(count, dtype=np.int64)
    away[waited] = SLICE * 2 // 3
    columns = {name: np.full(count, value) for name, value in METRICS.items()}
    columns |= {"os_runqueue_ns": away, "os_user_ns": SLICE - away}
    slices = {
        "host": ["node1"] * count,
        "slice": START // SLICE + np.arange(count),
        "slice_ns": np.full(count, SLICE),
        "count": np.full(count, 1),
        **{
            f"{name}_{stat}": value
            for name, value in columns.items()
            for stat in ("sum", "min", "max")
        },
    }
    table = pa.table(slices)
    processes = pa.table(
        {
            "process": [1, 2],
            "host": ["node1"] * 2,
            "short": [False] * 2,
            "world_size": [0] * 2,
            "start_ns": [START, START],
            "end_ns": [0, START + 200 * MS],  # the other one has ended long ago
            "last_slice": [START // SLICE + count - 1, START // SLICE + 1],
            "slice_ns": [SLICE] * 2,
        }
    )
    none = table.slice(0, 0)
    names = ["mount", *none.column_names[1:]]
    empty = pa.array([], pa.string())
    mounts = pa.table({"mount": empty, "host": empty, "path": empty})
    return RunTables("job", processes, mounts, (), table, none.rename_columns(names))


@pytest.mark.parametrize(
    ("begin_ms", "end_ms", "finding", "percent"),
    [
        (0, 2000, "clean", 0),
        (2000, 4000, "disturbed", 200 / 3),
        (1010, 3990, "disturbed", 200 / 3 * 19 / 28),  # 1100 to 3900
        (2950, 3250, "undecided", None),  # too short
    ],
)
def test_a_span_is_evaluated_by_its_own_slices(
    begin_ms: int, end_ms: int, finding: str, percent: float | None
) -> None:
    tables = run(4.0, slice(20, 40))
    part = within(tables, START + begin_ms * MS, START + end_ms * MS)
    assert part.processes.num_rows == (2 if begin_ms == 0 else 1)
    answer = window_answer(find(estimate(part), 7.5), part)
    assert answer.finding == finding, answer
    if percent is not None:
        assert answer.percent == pytest.approx(percent, abs=0.5)
        assert answer.low <= answer.percent <= answer.high
        assert answer.again == (finding == "disturbed")
    if finding == "disturbed":
        assert "of its time: CPU" in answer.message


def test_a_span_within_a_slice_cannot_be_evaluated() -> None:
    with pytest.raises(WindowError, match="It contains no complete slice"):
        within(run(2.0, slice(0, 0)), START + 10 * MS, START + 90 * MS)
