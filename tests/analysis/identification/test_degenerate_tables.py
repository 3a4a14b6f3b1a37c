"""Tables of faulty runs: wrong clocks, counts beyond 2^53, rows without a job.

They come from damaged profiles and from nodes whose clock was set; they must cost no memory and end
in no traceback.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from jostle.analysis.estimation.spans import _spans
from jostle.analysis.identification.resources.shared import job_axis
from jostle.analysis.interval import Interval
from jostle.repository.query.resources.co_running import _merged
from jostle.repository.query.resources.programs import of_jobs
from jostle.values.plain_values import plain


def test_a_clock_that_began_in_1970_makes_no_endless_axis() -> None:
    day = 1_780_000_000_000
    slices = pa.table({"slice": [0, day], "slice_ns": [1_000_000, 1_000_000]})
    spans = _spans(slices, 0, (day + 1) * 1_000_000)
    assert 0 < len(spans.start) <= 2_000_000


def test_loads_beyond_what_a_float_holds_exactly_are_merged() -> None:
    loads = pa.table(
        {
            "job": ["a", "b"],
            "host": ["n", "n"],
            "slice": [1, 1],
            "slice_ns": [1, 1],
            "count": [1, 1],
            "cpu_ns": [2**62, 2**62 + 1],
        }
    )
    (row,) = _merged(loads, set(), "other users", ["host"]).to_pylist()
    assert row["job"] == "other users"
    assert row["cpu_ns"] == 2.0**63


def test_what_is_no_number_is_null_in_json() -> None:
    assert plain({"a": [float("nan"), (float("inf"), 1.0)]}) == {"a": [None, [None, 1.0]]}
    bounded = Interval(1.0, float("-inf"), float("nan"))
    assert plain([bounded, "x", None]) == [{"value": 1.0, "low": None, "high": None}, "x", None]


def test_a_run_of_very_many_slices_is_assessed_to_its_end() -> None:
    slices = pa.table({"slice": [7, 1_000_000], "slice_ns": [100, 100]})
    found: Any = SimpleNamespace(own_mounts=slices, own_nodes=slices.slice(0, 0))
    begin, step, steps = job_axis(found)
    assert steps <= 100_000
    assert begin <= 700 and begin + step * steps >= 100_000_100


def test_slices_of_jobs_that_nobody_knows_are_no_part_of_the_matrix() -> None:
    slices = pa.table({"job": ["known", "expired"], "slice": [1, 1], "slice_ns": [4, 4]})
    assert of_jobs(slices, {}, ["known"])["job"].to_pylist() == ["known"]
    assert of_jobs(slices, {}, []).num_rows == 0
