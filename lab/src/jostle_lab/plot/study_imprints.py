"""Makes charts of imprints: the drops that bursts of a signal leave in the speed of a probe.

The charts are those of Shah (2020, figures 2.7 and 3.11), from the traces of a study.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jostle.plot.charts import ImprintChart, Series, level, level_in_bursts, slug
from jostle_lab.analysis.study.model import Imprint, Side, StudyResult, Trace
from jostle_lab.plot.study_charts import source

_MOST = 48  # cells that get a picture each


def periodic(result: StudyResult) -> list[tuple[str, ImprintChart]]:
    """Return the traces with bursts as imprints, each with its file's name."""
    imprints = {(i.probe, _other(i), i.setting, i.run): i for i in result.imprints}
    bursty = [trace for trace in result.traces if trace.bursts and trace.probe_rate]
    charts = []
    for trace in bursty[:_MOST]:
        imprint = imprints.get((trace.probe, trace.signal, trace.setting, trace.run))
        chart = _chart(result, trace, imprint)
        stem = (
            f"time-slices-{slug(chart.probe)}-alongside-{slug(chart.signal)}-{slug(_brief(trace))}"
        )
        charts.append((stem, chart))
    return charts


def _other(imprint: Imprint) -> str:
    """Return the signal's name in traces; "" if one job is split into probe and signal."""
    return imprint.signal if imprint.setting.processes[1] else ""


def _brief(trace: Trace) -> str:
    """Return a setting as part of a file's name."""
    return trace.setting.label.replace(" processes", "").replace(", periodic", "")


def _chart(result: StudyResult, trace: Trace, imprint: Imprint | None) -> ImprintChart:
    """Combine a trace, the drops by its bursts, and its run's numbers."""
    probe, signal = trace.probe, trace.signal
    if not signal:  # one job, whose ranks are split in two
        probe, signal = f"one half of {trace.probe}", "the other half"
    side = _side(result, trace)
    first = _busy(trace.probe_rate)[0]
    begin = trace.start_ns + first * trace.slice_ns
    seconds = side.seconds if side and side.seconds else _length(trace.probe_rate, trace)
    dilation = side.dilation if side else None
    known = dilation is not None and dilation > -1
    alone_s = seconds / (1 + (dilation or 0.0)) if known else _length(trace.alone_rate, trace)
    alone_begin = trace.start_ns + trace.alone_first * trace.slice_ns
    chart = ImprintChart(
        probe=probe,
        signal=signal,
        unit=trace.metric,
        alone=_series(trace.alone_rate, trace, trace.alone_first),
        together=_series(trace.probe_rate, trace),
        load=_series(trace.signal_rate, trace) if trace.signal_rate else None,
        bursts=tuple(
            (trace.start_ns + round(a * 1e9), trace.start_ns + round(b * 1e9))
            for a, b in trace.bursts
        ),
        alone_ns=(alone_begin, alone_begin + round(alone_s * 1e9)),
        together_ns=(begin, begin + round(seconds * 1e9)),
        degradation=side.degradation if side else None,
        dilation=dilation,
        seen=(imprint.seen, imprint.total) if imprint and imprint.total else None,
        source=source(result),
        bursts_from=imprint.source if imprint else "",
        setting=f"run {trace.run}, {trace.setting.label}",
    )
    alone, alongside = level(chart.alone, chart.alone_ns), level_in_bursts(chart)
    if alone > 0 and math.isfinite(alongside):
        return replace(chart, drop=1 - alongside / alone)
    return replace(chart, drop=imprint.depth.median if imprint else None)


def _side(result: StudyResult, trace: Trace) -> Side | None:
    """Return the numbers of the probe in a trace's run."""
    for cell in result.cells:
        if (cell.probe, cell.signal, cell.setting) == (trace.probe, trace.signal, trace.setting):
            return next((run.probe for run in cell.repetitions if run.run == trace.run), None)
    return None


def _busy(rates: Sequence[float]) -> tuple[int, int]:
    """Return the index of the first busy slice, and of the slice after the last busy one."""
    busy = np.flatnonzero(np.nan_to_num(np.asarray(rates, dtype=np.float64)) > 0)
    return (int(busy[0]), int(busy[-1]) + 1) if len(busy) else (0, len(rates))


def _length(rates: Sequence[float], trace: Trace) -> float:
    """Return the seconds between a series' first and last busy slice."""
    first, end = _busy(rates)
    return (end - first) * trace.slice_ns / 1e9


def _series(rates: Sequence[float], trace: Trace, first: int = 0) -> Series:
    places = np.arange(first, first + len(rates) + 1, dtype=np.int64)
    values = np.asarray(rates, dtype=np.float64)
    return Series("rate", trace.start_ns + places * trace.slice_ns, values)
