"""The cost of delays in each window: by the log, by the estimate, and by the rate of work."""

from __future__ import annotations

import numpy as np
import pytest

from jostle.analysis import estimate
from jostle_lab.synthetic import SPECS, trace
from jostle_lab.validation.within.truth import (
    LoggedDelays,
    SegmentLosses,
    progress_loss,
    segment_delays,
    window_losses,
)

S = 1_000_000_000
MS = 1_000_000


def ints(*values: int) -> np.ndarray:
    """An array of ns."""
    return np.array(values, dtype=np.int64)


def segments(*edges_ms: int, collectives: int = 1, lost_s: float = 0.0) -> SegmentLosses:
    """Segments between these instants."""
    edges = ints(*edges_ms) * MS
    count = len(edges) - 1
    return SegmentLosses(
        edges[:-1], edges[1:], np.full(count, collectives, dtype=np.int64), np.full(count, lost_s)
    )


def delays(*rows: tuple[int, int, int]) -> LoggedDelays:
    """Delays of start and length in ms, and rank."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return LoggedDelays(columns[:, 0] * MS, columns[:, 1] * MS, columns[:, 2])


def test_the_most_delayed_rank_of_each_segment() -> None:
    logged = delays((10, 20, 0), (15, 30, 1), (60, 5, 1), (110, 10, 0), (150, 20, 1))
    low, true, high = segment_delays(segments(0, 100, 200, 300), logged)
    assert low == pytest.approx([0.035, 0.020, 0])
    assert true == pytest.approx(low)
    assert high == pytest.approx([0.055, 0.030, 0])


def test_a_segment_of_several_exchanges_loses_the_time_in_which_any_rank_is_delayed() -> None:
    logged = delays((10, 20, 0), (15, 30, 1), (60, 5, 1), (110, 10, 0), (150, 20, 1))
    low, true, high = segment_delays(segments(0, 100, 200, 300, collectives=5), logged)
    assert low == pytest.approx([0.035, 0.020, 0])
    assert true == pytest.approx([0.040, 0.030, 0])
    assert high == pytest.approx([0.055, 0.030, 0])


def test_a_delay_that_outlasts_its_segment_counts_in_both() -> None:
    logged = delays((80, 40, 0), (250, 100, 0), (400, 10, 0))
    low, true, high = segment_delays(segments(0, 100, 200, 300), logged)
    assert low == pytest.approx([0.020, 0.020, 0.050])
    assert true == pytest.approx(low) and high == pytest.approx(low)
    nothing = segment_delays(segments(0, 100, 200), delays())
    assert all(part == pytest.approx([0, 0]) for part in nothing)


def test_threads_of_a_rank_delay_a_segment_no_longer_than_it_takes() -> None:
    low, _, high = segment_delays(segments(0, 100), delays((0, 90, 0), (5, 90, 0)))
    assert low == pytest.approx([0.1]) and high == pytest.approx([0.18])


def test_windows_are_compared_by_the_segments_inside_them() -> None:
    start = ints(0, 1, 2, 3) * S
    on = np.array([True, False, False, True])
    # 250 ms each, but one that lies across the border at 1 s; it belongs to no window
    own = segments(0, 250, 500, 750, 1250, *range(1500, 4001, 250), lost_s=0.025)
    logged = delays((100, 50, 0), (800, 400, 0), (3100, 125, 1))
    found = window_losses(start, start + S, ints(7, 7, 8, 8), on, segments=own, delays=logged)
    assert found.period.tolist() == [7, 7, 8, 8] and found.on.tolist() == on.tolist()
    assert found.covered == pytest.approx([0.75, 0.75, 1, 1])
    assert found.true == pytest.approx([100 * 0.05 / 0.75, 0, 0, 12.5])
    assert found.estimated == pytest.approx([10] * 4)


def test_periods_with_windows_that_segments_do_not_cover_are_left_out() -> None:
    start = ints(0, 1, 2, 3) * S
    own = segments(0, 600, 1200, 2000, 2400, 3600, 4000)
    flags = np.array([True, False, False, True])
    found = window_losses(start, start + S, ints(7, 7, 8, 8), flags, segments=own, delays=delays())
    assert found.period.tolist() == [7, 7]
    none = window_losses(
        start, start + S, ints(7, 7, 8, 8), flags, segments=segments(0, 9000), delays=delays()
    )
    assert len(none.period) == 0
    no_windows = window_losses(
        ints(), ints(), ints(), flags[:0], segments=own, delays=delays((0, 1, 0))
    )
    assert len(no_windows.period) == 0


def test_how_much_slower_the_work_was_done() -> None:
    at = ints(0, 1, 2, 3, 4) * S + 10**18
    done = ints(0, 100, 180, 280, 340)
    on = np.array([False, True, False, True])
    found = progress_loss(done, at, start_ns=at[:-1], end_ns=at[1:], on=on)
    assert found == pytest.approx([0, 20, 0, 40])
    still = progress_loss(0 * done, at, start_ns=at[:-1], end_ns=at[1:], on=on)
    assert np.isnan(still).all()


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["solver-calls", "steady-70", "halo-calls"])
def test_synthetic_runs_lose_in_windows_what_their_estimate_says(name: str) -> None:
    """The exact loss of each window of a synthetic run, in place of that of a log."""
    tables, truth = trace(SPECS[name], 5)
    table = estimate(tables).segments
    own = SegmentLosses(
        table["start_ns"].to_numpy(),
        table["end_ns"].to_numpy(),
        np.ones(table.num_rows, dtype=np.int64),
        table["lost_ns"].to_numpy() / 1e9,
    )
    length = max((own.end_ns[-1] - own.start_ns[0]) // 40, int(12 * np.median(np.diff(own.end_ns))))
    start = np.arange(own.start_ns[0], own.end_ns[-1] - length, length)
    found = window_losses(
        start,
        start + length,
        np.arange(len(start)) // 2,
        np.arange(len(start)) % 2 == 0,
        segments=own,
        delays=delays(),
    )
    late = (truth.time_ns - truth.init_ns) / 1e9 - truth.clean_at_s
    lost = np.interp(start + length, truth.time_ns, late) - np.interp(start, truth.time_ns, late)
    true = 100 * lost / (length / 1e9)
    kept = np.isin(np.arange(len(start)) // 2, found.period)
    assert kept.mean() > 0.8
    off = found.estimated - true[kept]
    assert abs(np.mean(off)) < 2.5 and np.median(np.abs(off)) < 4
