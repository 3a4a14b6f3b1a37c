"""Content of a chart that shows how a periodic load (the signal) slows a program (the probe).

Whenever the signal peaks, the probe's throughput drops: the probe's time slices show an inverted
imprint of the signal (Shah, 2020, section 2.2.2). The chart is drawn by `plot/terminal/imprint.py`
and `jostle_lab/plot/imprint.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.chart import Series

_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)


@dataclass(frozen=True)
class ImprintChart:
    """A probe alone and with a periodic signal, slice by slice.

    Attributes:
        probe: Name of the probe.
        signal: Name of the signal.
        unit: Unit of a slice's count: bytes, ops.
        alone: Rate of the probe without the signal, per second, over its own wall-clock time.
        together: Rate of the probe with the signal, per second.
        load: Rate of the signal, per second; None where only its bursts are known.
        bursts: (begin, end) of the signal's bursts in ns since the epoch, from its own log.
        alone_ns: Begin and end of the probe's run alone, ns since the epoch.
        together_ns: Begin and end of the probe's run with the signal, ns since the epoch.
        drop: Degradation of the probe's throughput during the bursts, against its run alone, a
            share; None: unknown.
        degradation: Degradation of the probe's throughput over the whole run.
        dilation: Share by which the run took longer.
        seen: Number of periods with a visible drop, and number of all periods; None: not assessed.
        source: Place of the measurement and length of slices, as a line in small type.
        bursts_from: Source of the bursts: "log" (the signal's own), "rule" (its period),
            "profile" (its slices); "" unknown.
        setting: The run and its settings, as text.
    """

    probe: str
    signal: str
    unit: str
    alone: Series
    together: Series
    load: Series | None
    bursts: tuple[tuple[int, int], ...]
    alone_ns: tuple[int, int]
    together_ns: tuple[int, int]
    drop: float | None = None
    degradation: float | None = None
    dilation: float | None = None
    seen: tuple[int, int] | None = None
    source: str = ""
    bursts_from: str = "log"
    setting: str = ""

    @property
    def seconds(self) -> float:
        """Length of the common axis: the longer run, at least a tenth of a second."""
        longest = max(end - begin for begin, end in (self.alone_ns, self.together_ns))
        return max(longest / 1e9, 0.1)

    @property
    def phases(self) -> list[tuple[float, float]]:
        """The bursts as seconds since the probe's start, cut to its run with the signal."""
        begin, end = self.together_ns
        inside = [(max(a, begin), min(b, end)) for a, b in self.bursts]
        return [((a - begin) / 1e9, (b - begin) / 1e9) for a, b in inside if b > a]

    @property
    def known_from(self) -> str:
        """The source of the bursts, as text; empty where it is unknown."""
        return {
            "log": "from its own log",
            "rule": "by its period",
            "profile": "from its slices",
        }.get(self.bursts_from, "")

    @property
    def title(self) -> str:
        """The finding in a sentence."""
        if not _known(self.drop):
            return f"{self.probe} alone and alongside {self.signal}, which is periodic"
        seen, periods = self.seen or (1, 1)
        if self.drop > 0.02 and not seen:
            return f"The slices of {self.probe} do not show the bursts of {self.signal}"
        if self.drop > 0.02:
            return (
                f"{'Each burst' if seen == periods else 'A burst'} of {self.signal} takes "
                f"{shown(self.drop)} of the throughput that {self.probe} has alone"
            )
        return f"The bursts of {self.signal} leave no drop in {self.probe}"

    @property
    def findings(self) -> list[str]:
        """The numbers, each with its name."""
        shares = (
            ("degradation during the bursts, against the run alone", self.drop),
            ("degradation over the whole run, against the run alone", self.degradation),
            ("dilation of the run time", self.dilation),
        )
        lines = [f"{what}: {shown(share)}" for what, share in shares if _known(share)]
        if self.seen:
            lines.append(f"drop seen in {self.seen[0]} of {self.seen[1]} periods")
        return lines


def _known(share: float | None) -> TypeGuard[float]:
    return share is not None and math.isfinite(share)


def shown(share: float) -> str:
    """Format a measured share as a percentage of few digits: `43 %`, `8.1 %`, `-0.4 %`."""
    value = 100 * share
    text = f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}"
    return f"{text.replace('-0.0', '0.0')} %"


def relative(series: Series, begin_ns: int) -> NDArray[np.float64]:
    """Return the borders of a series' slices as seconds since `begin_ns`."""
    seconds: NDArray[np.float64] = (series.edges - begin_ns).astype(np.float64) / 1e9
    return seconds


def level(series: Series, span: tuple[int, int]) -> float:
    """Return a series' mean rate between two instants, ns since the epoch."""
    if not len(series.values) or span[1] <= span[0]:
        return math.nan
    mean = series.resampled(np.array(span, dtype=np.float64))
    return float(mean[0])


def role(name: str, kind: str) -> str:
    """Return a name with its role, or the name alone if it contains the role."""
    return name if name == kind else f"{name} ({kind})"


def level_in_bursts(shown: ImprintChart) -> float:
    """Return the probe's mean rate over all bursts."""
    weights, rates = [], []
    for begin, end in shown.bursts:
        begin, end = max(begin, shown.together_ns[0]), min(end, shown.together_ns[1])
        value = level(shown.together, (begin, end))
        if math.isfinite(value):
            weights.append(end - begin)
            rates.append(value)
    return float(np.average(rates, weights=weights)) if weights else math.nan


def seconds_ticks(length_s: float, most: int) -> list[float]:
    """Return round seconds from 0 to `length_s`, at most `most`."""
    step = next((s for s in _STEPS if length_s / s <= max(most - 1, 1)), _STEPS[-1])
    return [number * step for number in range(int(length_s / step + 1e-9) + 1)]
