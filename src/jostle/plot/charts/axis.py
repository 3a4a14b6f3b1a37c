"""Chooses round numbers and labels for axes: values in their unit, instants in local time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from jostle.report.format.values import quantity, rate

_ROUND: tuple[float, ...] = (
    1,
    1.5,
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    12,
    15,
    20,
    25,
    30,
    40,
    50,
    60,
    80,
    100,
    120,
    150,
    200,
)
_ROUND += (250, 300, 400, 500, 600, 800)
_STEPS_S: tuple[float, ...] = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800)
_STEPS_S += (3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2419200)


def ceiling(peak: float, unit: str) -> float:
    """Return the round number at or above a peak, at which an axis ends."""
    if peak <= 0:
        return 1.0
    base = 1024.0 if unit == "bytes" else 1000.0
    scale = base ** math.floor(math.log(peak, base) + 1e-12)
    for number in _ROUND:
        if number * scale >= peak * (1 - 1e-9):
            return number * scale
    return base * scale


def value_label(value: float, unit: str, *, level: bool) -> str:
    """Return an axis label for a value (of a unit per second, unless it is a level)."""
    if value == 0:
        return "0"
    shown = rate(value, unit).removesuffix("/s") if unit == "ns" else quantity(value, unit)
    number, _, rest = shown.partition(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    text = f"{number} {rest}".rstrip()
    return f"{text}/s" if unit in ("bytes", "ns") and not level else text


def unit_label(unit: str, *, level: bool) -> str:
    """Return the label of the unit of the value axis."""
    if level:
        return unit
    return {"bytes": "bytes per second", "ns": "time per second", "count": "per second"}.get(
        unit, f"{unit} per second"
    )


@dataclass(frozen=True)
class TimeTicks:
    """Ticks of a time axis.

    Attributes:
        instants: Instants of the ticks, ns since the epoch.
        labels: Labels in local time, as short as the step allows.
    """

    instants: tuple[int, ...]
    labels: tuple[str, ...]


def time_ticks(start_ns: int, end_ns: int, most: int) -> TimeTicks:
    """Return at most `most` ticks at round local times within [start_ns, end_ns]."""
    length_s = (end_ns - start_ns) / 1e9
    fits = [step for step in _STEPS_S if length_s / step <= max(most - 1, 1)]
    step_s = fits[0] if fits else _STEPS_S[-1]
    step = round(step_s * 1e9)
    zone = datetime.fromtimestamp(start_ns / 1e9).astimezone().utcoffset()
    offset = round((zone.total_seconds() if zone else 0.0) * 1e9)
    first = -(-(start_ns + offset) // step) * step - offset
    instants = tuple(range(first, end_ns + 1, step))
    return TimeTicks(instants, tuple(_clock(instant, step_s) for instant in instants))


def _clock(instant_ns: int, step_s: float) -> str:
    moment = datetime.fromtimestamp(instant_ns / 1e9).astimezone()
    if step_s < 1:
        return f"{moment:%H:%M:%S}.{instant_ns // 100_000_000 % 10}"
    if step_s < 60:
        return f"{moment:%H:%M:%S}"
    return f"{moment:%H:%M}" if step_s < 43200 else f"{moment:%m-%d %H:%M}"
