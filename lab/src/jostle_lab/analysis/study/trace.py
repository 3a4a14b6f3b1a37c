"""Rates of a probe and a signal over time, and the drops that bursts leave in the probe's rate.

Rates, shares and times are in the units that the first lines of model.py describe.
"""

from __future__ import annotations

from dataclasses import dataclass

from jostle_lab.analysis.study.setting import Setting, Summary


@dataclass(frozen=True)
class Drop:
    """The drop of a probe's rate during one burst of a periodic signal.

    Attributes:
        begin_ns: Begin of the burst.
        end_ns: The burst's end.
        on: Mean rate of the probe in the slices of the burst.
        off: Mean rate in the silent slices around it.
        depth: 1 - on / off.
        p: p-value of the one-sided Mann-Whitney test for rates in the slices of the burst that are
            lower than in the silent slices around it.
        seen: Whether the drop is significant at a false discovery rate of 5 % over the run's
            bursts.
    """

    begin_ns: int
    end_ns: int
    on: float | None
    off: float | None
    depth: float | None
    p: float | None
    seen: bool


@dataclass(frozen=True)
class Imprint:
    """The imprint of a periodic signal on a probe in one run.

    Source: Shah et al., 2013, section III; Shah, 2020, figure 3.11.

    Attributes:
        probe: Name of the probe.
        signal: Name of the signal; the probe's own where its ranks are split in probe and noise.
        setting: The setting.
        run: The run.
        period_s: Period of the signal.
        source: Source of the bursts: "log" (the signal's log), "rule" (its period) or "profile"
            (its slices).
        drops: One drop per burst that fell wholly into the probe's run.
        seen: Number of drops that were detected.
        total: Number of bursts.
        probability: seen / total: the probability that a burst hits.
        low: Lower end of its 95 % interval (Clopper and Pearson).
        high: The interval's upper end.
        depth: Statistics of the depths of the drops.
        false_rate: Share of assumed bursts for which the same test reports a drop in the standalone
            run of the probe, which had no bursts; None if there are too few slices.
        test: Description of the test.
    """

    probe: str
    signal: str
    setting: Setting
    run: str
    period_s: float
    source: str
    drops: list[Drop]
    seen: int
    total: int
    probability: float | None
    low: float | None
    high: float | None
    depth: Summary
    false_rate: float | None
    test: str


@dataclass(frozen=True)
class Trace:
    """One run slice by slice, for the time-slice view.

    As in Shah, 2020, figures 2.7 and 3.11, and Kuo et al., 2013, figure 5.

    Attributes:
        probe: Name of the probe.
        signal: Name of the signal; "" for a standalone run.
        setting: The setting.
        run: The run: the least disturbed one of its cell.
        metric: Unit in which the probe's progress is counted.
        signal_metric: Unit in which the signal's progress is counted.
        start_ns: Begin of the axis, a slice boundary.
        slice_ns: Slice length, in ns.
        probe_rate: Rate of the probe per slice.
        signal_rate: Rate of the signal per slice; empty for a standalone run.
        alone_rate: Rate of the probe in its median standalone run, aligned with the probe's first
            slice; empty without one.
        alone_first: Position of the first value of alone_rate on the axis.
        evaluated: First and last slice of the evaluated part, counted from the axis' begin.
        overlap: First and last slice of the active overlap.
        bursts: Begin and end of each burst of a periodic signal, s from the axis' begin.
    """

    probe: str
    signal: str
    setting: Setting
    run: str
    metric: str
    signal_metric: str
    start_ns: int
    slice_ns: int
    probe_rate: list[float]
    signal_rate: list[float]
    alone_rate: list[float]
    alone_first: int
    evaluated: tuple[int, int] | None
    overlap: tuple[int, int] | None
    bursts: list[tuple[float, float]]
