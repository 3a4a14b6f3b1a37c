"""Series: one time axis, sums kept, whatever the lengths of the slices."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.analysis import background, resample, timeline

SECOND = 1_000_000_000


def series(rows, jobs: int | None = None) -> pa.Table:
    """Rows (resource, slice, slice_ns, sum) as Repository.series gives them."""
    columns = {
        "resource": [row[0] for row in rows],
        "slice": [row[1] for row in rows],
        "slice_ns": [row[2] for row in rows],
        "sum": [row[3] for row in rows],
        "min": [row[3] for row in rows],
        "max": [row[3] for row in rows],
        "count": [1 for _ in rows],
    }
    kinds = [pa.string()] + [pa.int64()] * 6
    if jobs is not None:
        columns["jobs"] = [jobs for _ in rows]
        kinds.append(pa.int64())
    return pa.table(
        [pa.array(v, k) for v, k in zip(columns.values(), kinds, strict=True)], names=list(columns)
    )


def plain_resample(spans, begin, step, steps, level):
    """Nanosecond overlap, span by span."""
    out = [0.0] * steps
    for start, length, value in spans:
        for i in range(steps):
            lo, hi = begin + i * step, begin + (i + 1) * step
            overlap = max(0, min(hi, start + length) - max(lo, start))
            out[i] += value * overlap / (step if level else length)
    return out


@given(
    st.lists(
        st.tuples(st.integers(0, 5000), st.integers(1, 900), st.integers(0, 10**9)), max_size=20
    ),
    st.integers(0, 3000),
    st.integers(1, 700),
    st.integers(0, 30),
    st.booleans(),
)
def test_resample_is_overlap_in_time(spans, begin, step, steps, level):
    columns = [np.array([span[i] for span in spans], dtype=np.int64) for i in range(3)]
    got = resample(*columns, (begin, step, steps), level=level)
    assert got == pytest.approx(plain_resample(spans, begin, step, steps, level), rel=1e-9)


def test_equal_slices_come_out_exactly():
    table = series([("m", 10, SECOND, 7), ("m", 11, SECOND, 3), ("n", 11, SECOND, 1)])
    line = timeline({"a": table}, "posix_write_bytes")
    assert (line.start_ns, line.step_ns, line.steps) == (10 * SECOND, SECOND, 2)
    assert line.jobs[0].values == [7, 4]
    assert line.unit == "bytes"


def test_jobs_with_different_slices_share_an_axis():
    fast = series([("m", slice_, SECOND, 100) for slice_ in range(40, 52)])  # 40 s to 52 s
    slow = series([("m", 11, 4 * SECOND, 8), ("m", 12, 4 * SECOND, 12)])  # 44 s to 52 s
    line = timeline({"fast": fast, "slow": slow}, "posix_write_bytes")
    assert (line.start_ns, line.step_ns, line.steps) == (40 * SECOND, 4 * SECOND, 3)
    one, two = line.jobs
    assert (one.first, one.values) == (0, [400, 400, 400])
    assert (two.first, two.values) == (1, [8, 12])
    fine = timeline({"fast": fast, "slow": slow}, "posix_write_bytes", step_ns=SECOND)
    assert fine.jobs[1].values == [2, 2, 2, 2, 3, 3, 3, 3]
    assert sum(fine.jobs[0].values) == 1200


def test_gaps_are_zero_and_jobs_may_be_empty():
    line = timeline(
        {"a": series([("m", 1, SECOND, 5), ("m", 4, SECOND, 6)]), "b": series([])},
        "posix_write_bytes",
    )
    assert line.jobs[0].values == [5, 0, 0, 6]
    assert line.jobs[1].values == []
    assert timeline({"b": series([])}, "posix_write_bytes").steps == 0
    json.dumps(line.to_json())


def test_background_sets_others_against_own():
    own = series([("m", 10, SECOND, 5), ("m", 13, SECOND, 5), ("n", 12, SECOND, 1)])
    others = series(
        [("m", 10, SECOND, 100), ("m", 3, 4 * SECOND, 40), ("m", 99, SECOND, 1)], jobs=2
    )
    found = background("a", "posix_write_bytes", own, others)
    assert (found.start_ns, found.step_ns) == (10 * SECOND, SECOND)
    m, n = found.resources
    assert (m.resource, m.own, m.others) == ("m", [5, 0, 0, 5], [100, 0, 10, 10])
    assert m.jobs == [2, 0, 2, 2]
    assert m.share == pytest.approx(120 / 130)
    assert (n.resource, n.others, n.share) == ("n", [0, 0, 0, 0], 0)
    zoned = background("a", "posix_write_bytes", own, others, zone=lambda name: name == "n")
    assert [place.resource for place in zoned.resources] == ["n"]
    json.dumps(found.to_json())


def test_background_of_nothing():
    assert background("a", "posix_write_bytes", series([]), series([], 0)).resources == []


def test_gauges_are_weighted_by_time():
    table = series([("h", 0, SECOND, 10), ("h", 1, SECOND, 20)])
    line = timeline({"a": table}, "os_rss_bytes", step_ns=2 * SECOND)
    assert line.jobs[0].values == [15]
