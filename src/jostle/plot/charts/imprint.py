"""A signal's inverted imprint in a probe's time slices: what is shown, and how in a terminal.

Thesis §2.2.2, fig. 2.7: whenever the signal peaks, the probe dents. `imprint_figure` draws the same
as a picture (it loads matplotlib).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.axis import ceiling, value_label
from jostle.plot.charts.chart import TERMINAL_PALETTE, Series
from jostle.plot.terminal.chart import Span
from jostle.report.format.values import rate, significant

_GUTTER = 12
_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)


@dataclass(frozen=True)
class ImprintChart:
    """A probe alone and with a periodic signal, slice by slice.

    Attributes:
        probe: Name of the probe.
        signal: Name of the signal.
        unit: What a slice counts: bytes, ops.
        alone: The probe without the signal, per second; its own wall-clock time.
        together: The probe with the signal, per second.
        load: The signal, per second; None where only its bursts are known.
        bursts: (begin, end) of the signal's bursts in ns since the epoch, from its own log.
        alone_ns: Begin and end of the probe's run alone, ns since the epoch.
        together_ns: The same with the signal.
        dent: Degradation of the probe's throughput during the bursts, a share; None: unknown.
        degradation: The same over the whole run.
        dilation: Share by which the run took longer.
        seen: In how many periods the dent is seen, and how many there were; None: not judged.
        source: Where it was measured and in which slices; a line of small print.
        told: Where the bursts are known from: "log" (the signal's own), "rule" (its period),
            "profile" (its slices); "" unknown.
        setting: Which run it is, and its setting, in words.
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
    dent: float | None = None
    degradation: float | None = None
    dilation: float | None = None
    seen: tuple[int, int] | None = None
    source: str = ""
    told: str = "log"
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
        """How the bursts are known, in words; empty where that is unknown."""
        return {"log": "from its own log", "rule": "by its period",
                "profile": "from its slices"}.get(self.told, "")  # fmt: skip

    @property
    def title(self) -> str:
        """The finding in a sentence."""
        if not _known(self.dent):
            return f"{self.probe} alone and beside {self.signal}, which is periodic"
        seen, periods = self.seen or (1, 1)
        if self.dent > 0.02 and not seen:
            return f"The slices of {self.probe} do not tell the bursts of {self.signal} from pauses"
        if self.dent > 0.02:
            return (
                f"{'Each burst' if seen == periods else 'A burst'} of {self.signal} takes "
                f"{shown(self.dent)} of the throughput of {self.probe}"
            )
        return f"The bursts of {self.signal} leave no dent in {self.probe}"

    @property
    def findings(self) -> list[str]:
        """The numbers, each named for what it is."""
        said = (
            ("degradation during the bursts", self.dent),
            ("degradation over the whole run", self.degradation),
            ("dilation of the run time", self.dilation),
        )
        lines = [f"{what}: {shown(share)}" for what, share in said if _known(share)]
        if self.seen:
            lines.append(f"dent seen in {self.seen[0]} of {self.seen[1]} periods")
        return lines


def _known(share: float | None) -> TypeGuard[float]:
    return share is not None and math.isfinite(share)


def shown(share: float) -> str:
    """Return a measured share as a percentage: `43 %`, `8.1 %`, `-0.4 %`; more would be noise."""
    value = 100 * share
    text = f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}"
    return f"{text.replace('-0.0', '0.0')} %"


def relative(series: Series, begin_ns: int) -> NDArray[np.float64]:
    """Return the borders of a series' slices as seconds since `begin_ns`."""
    made: NDArray[np.float64] = (series.edges - begin_ns).astype(np.float64) / 1e9
    return made


def level(series: Series, span: tuple[int, int]) -> float:
    """Return a series' mean rate between two instants, ns since the epoch."""
    if not len(series.values) or span[1] <= span[0]:
        return math.nan
    mean = series.resampled(np.array(span, dtype=np.float64))
    return float(mean[0])


def role(name: str, kind: str) -> str:
    """Return a name with its role, or alone where it says the role itself."""
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


def draw_imprint(imprint: ImprintChart, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw the imprint as lines of styled text.

    Args:
        imprint: What to draw.
        width: Columns of the terminal; at least 50 are used.
        unicode: False for a terminal that knows only ASCII.

    Returns:
        Lines, each a list of (text, style).
    """
    columns = max(width, 50) - _GUTTER - 2
    blue, orange, grey = TERMINAL_PALETTE[0], TERMINAL_PALETTE[1], "dim"
    top = ceiling(max(imprint.alone.peak, imprint.together.peak), imprint.unit)
    lines: list[list[Span]] = [[(imprint.title, "bold")], []]
    for label, series, span, colour in (
        (f"{imprint.probe} alone", imprint.alone, imprint.alone_ns, grey),
        (f"{imprint.probe} beside {imprint.signal}", imprint.together, imprint.together_ns, blue),
    ):
        if not len(series.values):
            continue
        said = f"{significant((span[1] - span[0]) / 1e9)} s"
        mean = level(series, span)
        if math.isfinite(mean):
            said += f", mean {rate(mean, imprint.unit)}"
        lines.append([(label, "bold"), (f"  {said}", "dim")])
        means = _columns(series, span[0], imprint.seconds, columns)
        lines.extend(rows(means, top, imprint.unit, height=5, colour=colour, unicode=unicode))
    lines.append([(f"{imprint.signal} is on", "bold"), (f"  {imprint.known_from}", "dim")])
    lines.append(_ruler(imprint, columns, orange, unicode=unicode))
    lines.extend(_axis(imprint.seconds, columns, unicode=unicode))
    lines.append([])
    lines.extend([("  " + finding, "")] for finding in imprint.findings)
    for small in filter(None, (imprint.setting, imprint.source)):
        lines.append([("  " + small, "dim")])
    return lines if unicode else [[(_ascii(text), style) for text, style in row] for row in lines]


def _ascii(text: str) -> str:
    return text.replace("µ", "u").replace("−", "-").encode("ascii", "replace").decode()


def _columns(series: Series, begin_ns: int, seconds: float, columns: int) -> NDArray[np.float64]:
    borders = begin_ns + np.linspace(0, seconds * 1e9, columns + 1)
    return series.resampled(borders)


def rows(
    means: NDArray[np.float64], top: float, unit: str, *, height: int, colour: str, unicode: bool
) -> Iterator[list[Span]]:
    """Yield bars of eighth blocks, one column per mean; NaN stays blank, 0 is a dot.

    Args:
        means: Values to draw.
        top: The value that fills all rows.
        unit: Unit of the values, per second.
        height: Number of rows.
        colour: Style of the bars.
        unicode: False for ASCII.
    """
    glyphs, wall, idle = (" ▁▂▃▄▅▆▇█", "│", "·") if unicode else (" .:#", "|", "_")
    steps = len(glyphs) - 1
    filled = np.nan_to_num(means) / max(top, 1e-300) * height * steps
    levels = np.where(filled > 0, np.maximum(np.rint(filled), 1), 0).astype(int)
    for row in range(height, 0, -1):
        label = value_label(top * row / height, unit, level=False) if row == height else ""
        label = "0" if row == 1 else label
        text = "".join(
            idle if row == 1 and value == 0 and not math.isnan(mean)
            else glyphs[min(max(value - (row - 1) * steps, 0), steps)]
            for value, mean in zip(levels.tolist(), means.tolist(), strict=True)
        )  # fmt: skip
        yield [(f"{label:>{_GUTTER - 1}} {wall}", "dim"), (text.rstrip(), colour)]


def _ruler(imprint: ImprintChart, columns: int, colour: str, *, unicode: bool) -> list[Span]:
    """Mark the bursts below the probe's slices."""
    cells = [" "] * columns
    for begin, end in imprint.phases:
        first = round(begin / imprint.seconds * columns)
        last = max(round(end / imprint.seconds * columns), first + 1)
        for place in range(first, min(last, columns)):
            cells[place] = "▀" if unicode else "="
    wall = "│" if unicode else "|"
    return [(" " * _GUTTER + wall, "dim"), ("".join(cells).rstrip(), colour)]


def _axis(seconds: float, columns: int, *, unicode: bool) -> Iterator[list[Span]]:
    """Yield the axis in seconds since the probe's start."""
    line, tick, corner = ("─", "┬", "└") if unicode else ("-", "+", "+")
    marks, labels = [line] * columns, [" "] * (columns + _GUTTER + 1)
    free = 0
    for value in seconds_ticks(seconds, max(columns // 9, 2)):
        place = min(round(value / seconds * columns), columns - 1)
        marks[place] = tick
        text = f"{value:g} s"
        start = min(place + _GUTTER + 1 - len(text) // 2, len(labels) - len(text))
        if start >= free:
            labels[start : start + len(text)] = text
            free = start + len(text) + 1
    yield [(" " * _GUTTER + corner + "".join(marks), "dim")]
    yield [("".join(labels).rstrip(), "dim")]
    yield [(" " * (_GUTTER + 1) + "since the probe's start", "dim")]
