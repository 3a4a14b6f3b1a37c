"""Charts and the numbers on them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.plot import Bars, Chart, IntervalBar, Panel, Series, draw, draw_bars
from jostle.plot.charts.axis import ceiling, time_ticks, value_label
from jostle.report.format.values import byte_count, count, duration, percent, rate

SECOND = 1_000_000_000


def series(values: list[float], start: int = 0, label: str = "written") -> Series:
    edges = start + np.arange(len(values) + 1, dtype=np.int64) * SECOND
    return Series(label, edges, np.array(values, dtype=np.float64), sum(values))


def chart(*panels: list[float], unit: str = "bytes") -> Chart:
    drawn = tuple(
        Panel(f"job{n}", "", unit, False, (series(values),)) for n, values in enumerate(panels)
    )
    return Chart("title", "note", drawn)


@given(
    st.lists(st.floats(0, 1e12), min_size=1, max_size=200),
    st.integers(1, 500),
    st.integers(-50, 50),
    st.integers(1, 400),
)
def test_resampling_keeps_the_area(
    values: list[float], columns: int, before: int, longer: int
) -> None:
    one = series(values, start=1_700_000_000 * SECOND)
    start = float(one.edges[0]) + min(before, 0) * SECOND
    borders = np.linspace(start, float(one.edges[-1]) + longer * SECOND, columns + 1)
    means = one.resampled(borders)
    covered = np.clip(borders, float(one.edges[0]), float(one.edges[-1]))
    area = float(np.nansum(means * np.diff(covered)))
    assert area == pytest.approx(sum(values) * SECOND, rel=1e-6, abs=1e3)


@given(st.floats(1e-3, 1e18), st.sampled_from(["bytes", "ops", "ns", "threads"]), st.booleans())
def test_an_axis_ends_at_a_round_number_not_far_above(peak: float, unit: str, level: bool) -> None:
    top = ceiling(peak, unit)
    assert peak * (1 - 1e-6) <= top <= peak * 2.0001
    assert len(value_label(top, unit, level=level)) <= 11


@given(st.integers(0, 2 * 10**18), st.integers(10**8, 10**17), st.integers(2, 20))
def test_time_ticks_lie_inside_and_are_not_too_many(start: int, length: int, most: int) -> None:
    ticks = time_ticks(start, start + length, most)
    assert len(ticks.instants) == len(ticks.labels)
    assert all(start <= instant <= start + length for instant in ticks.instants)
    if length < 10**15:
        assert len(ticks.instants) <= most + 1


@given(
    st.lists(st.lists(st.floats(0, 1e15), min_size=1, max_size=90), min_size=1, max_size=4),
    st.integers(20, 250),
    st.booleans(),
)
def test_drawings_fit_and_are_ascii_when_asked(
    panels: list[list[float]], width: int, unicode: bool
) -> None:
    for line in draw(chart(*panels), width=width, unicode=unicode):
        text = "".join(piece for piece, _ in line)
        if "│" in text or "└" in text:
            assert len(text) <= max(width, 40)
        assert unicode or text.isascii()


def test_something_is_never_drawn_as_nothing() -> None:
    lines = draw(chart([0, 1e9, 0, 1.0, 0]), width=60, unicode=True)
    bottom = "".join(piece for piece, _ in lines[9])
    assert "▁" in bottom


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (byte_count(0), "0 B"),
        (byte_count(1023), "1023 B"),
        (byte_count(1024), "1.00 KiB"),
        (byte_count(1536 * 1024), "1.50 MiB"),
        (byte_count(2**70), "1024 EiB"),
        (count(999_999), "999,999"),
        (count(1_234_567), "1.23 M"),
        (count(0.5), "0.50"),
        (duration(0), "0 s"),
        (duration(350), "350 ns"),
        (duration(1_500), "1.50 µs"),
        (duration(2_410_000_000), "2.41 s"),
        (duration(192 * SECOND), "3 min 12 s"),
        (duration(7_500 * SECOND), "2 h 05 min"),
        (duration(200_000 * SECOND), "2 d 07 h"),
        (percent(0), "0 %"),
        (percent(0.00001), "< 0.01 %"),
        (percent(0.0031), "0.31 %"),
        (percent(0.5), "50 %"),
        (rate(2**20, "bytes"), "1.00 MiB/s"),
        (rate(5e8, "ns"), "500 ms/s"),
        (rate(12, "ops"), "12 ops/s"),
    ],
)
def test_numbers_as_people_read_them(shown: str, wanted: str) -> None:
    assert shown == wanted


@given(st.lists(st.floats(-90, 900), min_size=3, max_size=3), st.integers(50, 200))
def test_bars_have_zero_and_every_mark_inside(values: list[float], width: int) -> None:
    low, middle, high = sorted(values)
    chart = Bars("title", "", "axis", (IntervalBar("plain", low, middle, high, (middle,)),))
    first, last = chart.span
    assert first <= min(low, 0) + 1e-6 and last >= max(high, 0) - 1e-6
    assert 0 in chart.ticks()
    assert len(chart.ticks()) <= 9
    lines = [
        "".join(text for text, _ in line) for line in draw_bars(chart, width=width, unicode=True)
    ]
    assert max(map(len, lines)) <= max(width, 50)
    assert re.search(r"(^|\s)0 %", lines[-1])
