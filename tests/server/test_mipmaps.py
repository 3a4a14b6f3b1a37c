"""Downsampled series: no peak is lost, and the level fits the request."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jostle.server.jobs.mipmaps import Mipmap


@given(
    st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=300),
    st.integers(1, 400),
)
def test_every_level_holds_the_peaks(values: list[float | None], points: int) -> None:
    series = np.array([np.nan if value is None else value for value in values])
    mipmap = Mipmap.of(0, 10, series)
    start, cut = mipmap.cut(0, 10 * len(series), points)
    assert start == 0
    known = series[~np.isnan(series)]
    if len(known):
        assert np.nanmax(cut.high) == known.max()
        assert np.nanmin(cut.low) == known.min()
    else:
        assert np.isnan(cut.mean).all()


def test_the_finest_level_that_fits_is_taken() -> None:
    mipmap = Mipmap.of(0, 1, np.arange(1000.0))
    assert len(mipmap.cut(0, 1000, 1000)[1].mean) == 1000
    assert len(mipmap.cut(0, 1000, 999)[1].mean) == 500
    start, cut = mipmap.cut(500, 600, 200)
    assert cut.step_ns == 1
    assert start == 499
    assert cut.mean.tolist() == list(range(499, 601))


def test_a_span_outside_is_empty() -> None:
    _, cut = Mipmap.of(0, 1, np.ones(10)).cut(100, 200, 50)
    assert len(cut.mean) == 0
