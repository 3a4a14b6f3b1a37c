"""Spreading amounts over time: totals stay, nothing becomes negative, three methods agree.

`resample` lays spans on an axis, `Flows` asks what moved between two instants, and `spread` divides
whole numbers over slices. They round differently, so they stay three functions.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.analysis import resample
from jostle.analysis.identification.runs.flows import Flows
from jostle.repository.store.layout import GAUGE_IDS
from jostle.repository.store.tables import spread

SPANS = st.lists(
    st.tuples(st.integers(0, 5000), st.integers(1, 900), st.integers(0, 10**9)),
    min_size=1,
    max_size=20,
)


def columns(rows: list[tuple[int, int, int]]) -> list[np.ndarray]:
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]


@given(rows=SPANS, step=st.integers(1, 700))
def test_resample_keeps_the_total_of_spans_within_the_axis(rows, step) -> None:
    start, length, amount = columns(rows)
    steps = -(-6000 // step)
    laid = resample(start, length, amount, (0, step, steps))
    assert (laid >= 0).all()
    assert laid.sum() == pytest.approx(amount.sum(), rel=1e-12)


@given(rows=SPANS, step=st.integers(1, 700))
def test_flows_agree_with_resample(rows, step) -> None:
    start, length, amount = columns(rows)
    steps = -(-6000 // step)
    channel = np.zeros(len(start), dtype=np.int64)
    flows = Flows(channel, start, start + length, amount.astype(np.float64))
    edges = np.arange(steps + 1, dtype=np.int64) * step
    moved = flows.between(np.zeros(steps, dtype=np.int64), edges[:-1], edges[1:])
    assert (moved >= 0).all()
    laid = resample(start, length, amount, (0, step, steps))
    # A flow sums rates up, so that its error is relative to all that moved.
    assert moved == pytest.approx(laid, rel=1e-9, abs=1e-9 * max(float(amount.sum()), 1.0))


def test_flows_of_channels_with_large_numbers_stay_apart() -> None:
    """Numbers times the last end, here 2**40, exceed 64 bits, and 2**24 would be taken for 0."""
    channel = np.array([0, 2**24, 2**40], dtype=np.int64)
    start = np.zeros(3, dtype=np.int64)
    end = np.full(3, 2**40 - 1, dtype=np.int64)
    amount = np.array([1.0, 2.0, 4.0])
    flows = Flows(channel, start, end, amount)
    assert flows.between(channel, start, end) == pytest.approx(amount)
    unknown = np.array([1, 2**24 - 1, 2**41], dtype=np.int64)
    assert flows.between(unknown, start, end).tolist() == [0, 0, 0]


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5000), st.integers(1, 40), st.integers(0, 2**53)),
        min_size=1,
        max_size=12,
    )
)
def test_spread_keeps_whole_numbers_and_repeats_gauges(rows) -> None:
    first, span, amount = columns(rows)
    gauge = next(iter(GAUGE_IDS))
    slices, out, source = spread(first, span, {"posix_write_bytes": amount, gauge: amount})
    assert len(slices) == span.sum()
    assert (out["posix_write_bytes"] >= 0).all()
    total = np.zeros(len(rows), dtype=np.int64)
    np.add.at(total, source, out["posix_write_bytes"])
    assert total.tolist() == amount.tolist()
    assert (out[gauge] == amount[source]).all()
    assert ((slices >= first[source]) & (slices < (first + span)[source])).all()
