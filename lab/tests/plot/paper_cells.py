"""Cells, runs alone and traces of studies, with the numbers that the papers print."""

from __future__ import annotations

import math
import statistics
import zlib

import numpy as np

from jostle_lab.analysis.study.model import (
    Cell,
    Repetition,
    Setting,
    Side,
    Standalone,
    StudyResult,
    Summary,
    Trace,
)

MIB = 1 << 20
GIB = 1 << 30
OWC, WS, AW = "open-write-close", "write-seek", "aggregate-write"
#: Standalone rates of Lustre at 1 MiB, GB/s (table 3.2).
ALONE = {OWC: 28.4e9, WS: 31.6e9, AW: 42.2e9}
#: Of applications, assumed: closes per second and bytes per second.
APPLICATIONS = {"OpenFOAM": 3500.0, "MADbench2": 11e9, "HACC-IO": 14e9}
RATES = ALONE | APPLICATIONS
#: Degradation of the probe (first) next to the signal (second), by chunk size in MiB: the text of
#: §3.3.3 and table 3.2; the rest in their manner.
LOSSES = {
    (OWC, OWC): {1: 0.4261, 16: 0.48, 256: 0.50},
    (OWC, WS): {1: 0.4085, 16: 0.52, 256: 0.63},
    (OWC, AW): {1: 0.6620, 16: 0.55, 256: 0.48},
    (WS, OWC): {1: 0.3734, 16: 0.45, 256: 0.44},
    (WS, WS): {1: 0.47, 16: 0.50, 256: 0.55},
    (WS, AW): {1: 0.68, 16: 0.50, 256: 0.38},
    (AW, OWC): {1: 0.0995, 16: 0.30, 256: 0.48},
    (AW, WS): {1: 0.12, 16: 0.50, 256: 0.62},
    (AW, AW): {1: 0.41, 16: 0.44, 256: 0.50},
}
JITTER = (-0.02, 0.012, 0.0, 0.03, -0.008)


def summary(values: list[float]) -> Summary:
    """What repetitions amount to; 2.776 is Student's t of four degrees of freedom."""
    if not values:
        return Summary(0, None, None, None, None, None, None)
    mean = statistics.fmean(values)
    half = None
    if len(values) > 1:
        half = 2.776 * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Summary(
        len(values),
        statistics.median(values),
        min(values),
        max(values),
        mean,
        None if half is None else mean - half,
        None if half is None else mean + half,
    )


NONE = summary([])


def side(program: str, setting: Setting, loss: float, metric: str = "bytes") -> Side:
    alone = RATES.get(program, 30e9)
    return Side(
        program,
        f"papers.{program}",
        setting.processes[0],
        64,
        metric,
        alone,
        alone * (1 - loss),
        alone * (1 - loss),
        alone * (1 - loss) * 1.1,
        20 / (1 - loss),
        loss,
        loss / (1 - loss),
        loss / (1 - loss),
    )


def cell(
    probe: str,
    signal: str,
    setting: Setting,
    loss: float,
    other: float,
    *,
    metric: str = "bytes",
    discarded: int = 0,
    failed: int = 0,
) -> Cell:
    """A cell of five repetitions around a loss; the last ones discarded or failed."""
    values = [loss + jitter for jitter in JITTER]
    pair = sorted(zip((probe, signal), setting.processes, strict=True))
    key = (pair, setting.chunk, setting.shared, setting.periodic)
    place = zlib.crc32(str(key).encode()) % 9973
    repetitions = []
    for number, value in enumerate(values):
        verdict, reason = "kept", ""
        if number >= 5 - discarded:
            verdict, reason = "discarded", "foreign traffic 23 % above our own"
        elif number < failed:
            verdict, reason = "failed", f"{probe} ended with status 1: No space left on device"
        repetitions.append(
            Repetition(
                f"r{number}-p{place:04d}",
                number,
                verdict,
                reason,
                side(probe, setting, value, metric),
                side(signal, setting.turned(), other),
                18,
                16,
                0.05 + value / 10,
                0.02,
                0.1,
            )
        )
    kept = [v for v, r in zip(values, repetitions, strict=True) if r.verdict == "kept"]
    rate = RATES.get(probe, 30e9)
    return Cell(
        probe,
        signal,
        setting,
        metric,
        repetitions,
        summary(kept),
        min(kept, default=None),
        "r0-p001" if kept else "",
        summary([v / (1 - v) for v in kept]),
        summary([other + jitter for jitter in JITTER][: len(kept)]),
        summary([rate * (1 - v) for v in kept]),
        summary([RATES.get(signal, 30e9) * (1 - other) for _ in kept]),
    )


def standalone(
    program: str,
    setting: Setting,
    rate: float,
    *,
    seconds: float = 20.0,
    nodes: int = 64,
    metric: str = "bytes",
) -> Standalone:
    rates = [rate * (1 + jitter) for jitter in JITTER]
    return Standalone(
        program=program,
        setting=setting,
        pattern=program if program in ALONE else "",
        metric=metric,
        nodes=nodes,
        volume=rate * seconds,
        rate=summary(rates),
        best=max(rates),
        overall=summary([r * 0.97 for r in rates]),
        seconds=summary([seconds * (1 - j) for j in JITTER]),
        rates=rates,
        outlier=[False] * 5,
        protocol=1.03,
        discarded=0,
        failed=0,
    )


def trace(
    probe: str,
    signal: str,
    setting: Setting,
    *,
    loss: float,
    period_s: float = 0.0,
    slices: int = 60,
) -> Trace:
    """A probe of 24 s by itself, in slices of 0.5 s; the signal on in every other half period."""
    length = 0.5
    bursts = []
    if period_s:
        bursts = [(k * period_s + 2, k * period_s + 2 + period_s / 2) for k in range(20)]
        bursts = [burst for burst in bursts if burst[1] <= slices * length]
    alone = RATES.get(probe, 30e9)
    rates, load = [], []
    for number in range(slices):
        middle = (number + 0.5) * length
        on = not bursts or any(begin <= middle < end for begin, end in bursts)
        wave = 1 + 0.03 * math.sin(number * 1.7) + 0.02 * math.cos(number * 0.6)
        rates.append(alone * wave * (1 - loss if on else 1))
        load.append(RATES.get(signal, 30e9) * wave * (0.5 if on else 0))
    calm = [alone * (1 + 0.02 * math.sin(number * 2.3)) for number in range(40)]
    return Trace(
        probe,
        signal,
        setting,
        "r0-p001",
        "bytes",
        "bytes",
        1_700_000_000 * 10**9,
        500_000_000,
        rates,
        load,
        calm,
        0,
        (0, slices - 6),
        (1, slices - 3),
        bursts,
    )


def result(**parts: object) -> StudyResult:
    """An empty result with some parts."""
    empty: dict[str, object] = {
        "study": "papers",
        "place": "lab",
        "slice_ns": 500_000_000,
        "runs": 0,
        "planned": 0,
        "programs": [],
        "settings": [],
        "standalone": [],
        "cells": [],
        "curves": [],
        "break_even": [],
        "serialised": [],
        "kuo": None,
        "imprints": [],
        "traces": [],
        "notes": [],
        "balances": [],
    }
    return StudyResult(**(empty | parts))  # type: ignore[arg-type]
