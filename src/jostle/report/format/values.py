"""Formats numbers and times as text for users."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.analysis.interval import Interval

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_DECIMAL = ("", " k", " M", " G", " T", " P", " E")


def significant(value: float) -> str:
    """Format a number with three significant digits, without exponent or trailing zeros."""
    if value == 0:
        return "0"
    digits = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    if abs(value) < 0.0995:
        return f"{value:.2g}" if abs(value) >= 0.0001 else f"{value:.1e}"
    return f"{value:.{digits}f}"


def core_time(hours: float) -> str:
    """Format the time of cores in a suitable unit: `12 core-hours`."""
    if hours >= 0.0995 or hours == 0:
        return f"{significant(hours)} core-hours"
    return f"{significant(3600 * hours)} core-seconds"


def byte_count(value: float) -> str:
    """Format a number of bytes in binary units: `1.50 MiB`."""
    size = float(value)
    for unit in _BINARY:
        if abs(size) < 1023.5 or unit == _BINARY[-1]:
            return f"{size:.0f} B" if unit == "B" else f"{significant(size)} {unit}"
        size /= 1024
    raise AssertionError("unreachable")


def count(value: float) -> str:
    """Format a count: exact with separators up to a million, then `12.3 M`."""
    if abs(value) < 1e6:
        return (
            f"{value:,.0f}"
            if float(value).is_integer() or abs(value) >= 100
            else significant(value)
        )
    size = float(value)
    for unit in _DECIMAL:
        if abs(size) < 999.5 or unit == _DECIMAL[-1]:
            return f"{significant(size)}{unit}"
        size /= 1000
    raise AssertionError("unreachable")


def duration(ns: float) -> str:
    """Format a duration in nanoseconds: `350 µs`, `2.41 s`, `3 min 12 s`, `2 h 05 min`."""
    seconds = ns / 1e9
    if ns == 0:
        return "0 s"
    if seconds < 1e-6:
        return f"{ns:.0f} ns"
    if seconds < 1e-3:
        return f"{significant(seconds * 1e6)} µs"
    if seconds < 1:
        return f"{significant(seconds * 1e3)} ms"
    if seconds < 60:
        return f"{significant(seconds)} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02d} h"


def seconds(value: float) -> str:
    """Format a duration that is given in seconds; a negative one gets a minus sign."""
    if value < 0:
        return f"-{seconds(-value)}"
    if 60 <= value < 600:
        return f"{value:.0f} s" if value >= 99.95 else f"{value:.1f} s"
    return duration(value * 1e9)


def percent(share: float) -> str:
    """Format a share of 1 as a percentage: `12 %`, `0.31 %`; `-` where it is not known."""
    if math.isnan(share):
        return "-"
    value = 100 * share
    if 0 < value < 0.005:
        return "< 0.01 %"
    return f"{value:.0f} %" if value >= 9.95 or value == 0 else f"{significant(value)} %"


def points(value: float, *, like: float | None = None) -> str:
    """Format percent without the % sign: `31`, `4.2`, `0`; with as many digits as `like`."""
    whole = abs(value if like is None else like) >= 9.95
    text = f"{value:.0f}" if whole and round(value) else f"{value:.1f}"
    return text if float(text) else "0"


def percent_within(interval: Interval, *, plus_minus: str = "±") -> str:
    """Format percent with interval: `31 % ± 3`, or `4.0 % (1.2 to 9.0)` if that is asymmetric."""
    down, up = interval.value - interval.low, interval.high - interval.value
    if max(up, down) < 0.05:
        return f"{points(interval.value)} %"
    if abs(up - down) <= 0.2 * max(up, down):
        return (
            f"{points(interval.value)} % {plus_minus} {points(max(up, down), like=interval.value)}"
        )
    return f"{points(interval.value)} % ({points(interval.low)} to {points(interval.high)})"


def seconds_within(interval: Interval) -> str:
    """Format seconds with their interval: `24.1 s (21.8 s to 26.4 s)`."""
    text, low, high = seconds(interval.value), seconds(interval.low), seconds(interval.high)
    return text if low == high else f"{text} ({low} to {high})"


def energy_within(kwh: Interval) -> str:
    """Format an energy with its interval: `0.82 kWh (0.61 to 1.1)`, below 0.1 kWh in Wh."""
    unit, factor = ("kWh", 1.0) if kwh.value >= 0.1 else ("Wh", 1000.0)
    value, low, high = (significant(factor * x) for x in (kwh.value, kwh.low, kwh.high))
    return f"{value} {unit} ({low} to {high})"


def local_time(ns: int, *, zone: bool = True) -> str:
    """Format nanoseconds since the epoch as local time, with its zone's name."""
    moment = datetime.fromtimestamp(ns / 1e9).astimezone()
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text} {zone_name(ns)}" if zone else text


def zone_name(ns: int) -> str:
    """Return the name of the local time zone at `ns` nanoseconds since the epoch."""
    return datetime.fromtimestamp(ns / 1e9).astimezone().strftime("%Z")


def iso_time(ns: int) -> str:
    """Format nanoseconds since the epoch as ISO 8601 with the local offset, for programs."""
    return datetime.fromtimestamp(ns / 1e9).astimezone().isoformat(timespec="milliseconds")


def quantity(value: float, unit: str) -> str:
    """Format a value by its unit: bytes, ns or a count; CPU time (cpu_ns) in seconds."""
    if unit == "bytes":
        return byte_count(value)
    if unit == "ns":
        return duration(value)
    return _plain(value / 1e9) if unit == "cpu_ns" else count(value)


def _plain(value: float) -> str:
    return significant(value) if value < 1000 else count(value)


def alike(texts: Sequence[str]) -> list[str]:
    """Replace texts that differ only in numbers by the first one and `(and 3 more like this)`."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(re.sub(r"\d+", "0", text), []).append(text)
    return [
        group[0] + (f" (and {len(group) - 1} more like this)" if len(group) > 1 else "")
        for group in groups.values()
    ]


def rate(value: float, unit: str) -> str:
    """Format a rate per second: `1.50 MiB/s`; time per second in `s/s` (busy threads)."""
    if unit == "bytes":
        return f"{byte_count(value)}/s"
    if unit == "cpu_ns":
        return f"{quantity(value, unit)} CPU s/s"
    if unit == "ns":
        return f"{duration(value)}/s" if value < 1e9 else f"{_plain(value / 1e9)} s/s"
    return f"{count(value)}/s" if unit == "count" else f"{count(value)} {unit}/s"


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts node2 before node10."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
