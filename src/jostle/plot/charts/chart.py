"""Content of a chart of time series, independent of how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.report.format.values import quantity, rate

#: Okabe and Ito's palette, safe for colour-blind readers; the order is that of the series. The
#: first is the job in question, the second other jobs and the loss, as in ui/src/tokens.css.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
#: The same hues, light enough for a dark terminal.
TERMINAL_PALETTE = ("#56B4E9", "#F0954F", "#2FBF94", "#E59CC4", "#F0E442", "#8CB8E8")
#: Opacity of the area below a line; `--fill` in ui/src/tokens.css.
FILL = 0.2
NOTHING = 1e-9  # a smaller value, of any unit, counts as zero


@dataclass(frozen=True)
class Series:
    """One line of steps: a value that holds over each slice.

    Attributes:
        label: Name of the series ("written").
        edges: Borders of the n slices: n + 1 instants in ns since the epoch, ascending.
        values: Values of the n slices: per second for counters and timers, levels for gauges.
        total: Sum over the series in the metric's own unit; None for a level.
        lasted_s: Time over which the total was counted, s, since a job rarely fills its first and
            last slice; 0: the length of all slices.
    """

    label: str
    edges: NDArray[np.int64]
    values: NDArray[np.float64]
    total: float | None = None
    lasted_s: float = 0.0

    @property
    def peak(self) -> float:
        """The greatest value, 0 for an empty series."""
        return float(self.values.max(initial=0.0))

    @property
    def mean(self) -> float:
        """The mean over the series' time, 0 for an empty series."""
        if self.total is not None and self.lasted_s > 0:
            return self.total / self.lasted_s
        weight = np.diff(self.edges)
        return float(np.average(self.values, weights=weight)) if len(self.values) else 0.0

    def resampled(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of the series within each of `edges`' spans (areas are kept).

        Args:
            edges: Borders of the m spans: m + 1 instants in ns since the epoch.

        Returns:
            Mean in each span; NaN if the span is outside of the series.
        """
        if not len(self.values):
            return np.full(len(edges) - 1, np.nan)
        start = self.edges[0]
        known = (self.edges - start).astype(np.float64)
        area = np.concatenate([[0.0], np.cumsum(self.values * np.diff(known))])
        asked = np.clip(edges - float(start), known[0], known[-1])
        covered = np.diff(asked)
        gained = np.diff(np.interp(asked, known, area))
        return np.where(covered > 0, gained / np.where(covered > 0, covered, 1.0), np.nan)


@dataclass(frozen=True)
class Panel:
    """A panel with one pair of axes: series of one unit, on the chart's common time axis.

    Attributes:
        title: Name of the job.
        note: Short text after the title.
        unit: Unit of the metric: bytes, ops, ns, threads.
        level: Whether the values are levels (gauges), not rates per second.
        series: At least one series.
    """

    title: str
    note: str
    unit: str
    level: bool
    series: tuple[Series, ...]

    @property
    def peak(self) -> float:
        """The greatest value of all series."""
        return max(series.peak for series in self.series)


@dataclass(frozen=True)
class Chart:
    """Panels one above the other, over one time axis.

    Attributes:
        title: Heading of the chart.
        note: Line below the heading, which explains how the values were computed.
        panels: At least one panel.
    """

    title: str
    note: str
    panels: tuple[Panel, ...]

    @property
    def span(self) -> tuple[int, int]:
        """First and last instant of any series, ns since the epoch."""
        drawn = [s for panel in self.panels for s in panel.series if len(s.values)]
        if not drawn:
            return 0, 1
        return min(int(s.edges[0]) for s in drawn), max(int(s.edges[-1]) for s in drawn)


def summary(panel: Panel, series: Series, *, brief: bool = False) -> str:
    """Return total, mean (left out when brief) and peak of a series as text."""
    if series.peak < NOTHING:
        return "nothing"
    show = quantity if panel.level else rate
    words = [] if panel.level or series.total is None else [quantity(series.total, panel.unit)]
    if not brief:
        words.append(f"mean {show(series.mean, panel.unit)}")
    words.append(f"peak {show(series.peak, panel.unit)}")
    return ", ".join(words)
