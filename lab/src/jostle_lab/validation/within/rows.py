"""Stored results of a measurement with windows: a row for each run, each window, each program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunRow:
    """A run with delays in windows.

    Attributes:
        seed: That of the measurement.
        code: The run's program.
        job: The run's job.
        calls: Sets of calls that could be delayed.
        shape: Requested distribution of delays.
        ranks: Which ranks; "" for all.
        aimed: Intended share of a window with delays, percent.
        window_ms: Length of a window.
        places: Windows of a period.
        run_s: Run time of the run.
        own_cores: Whether each of its threads has a core on this machine.
        steal: Steal time, share of the cores' time.
        foreign: Share of the cores' time that other programs used.
        whole: Loss of the whole run by the estimate, percent.
        error: Reason why the run cannot be scored; "" if it can.
    """

    seed: int
    code: str
    job: str
    calls: str
    shape: str
    ranks: str
    aimed: float
    window_ms: int
    places: int
    run_s: float
    own_cores: bool
    steal: float
    foreign: float
    whole: float | None = None
    error: str = ""


@dataclass(frozen=True)
class WindowRow:
    """A window of such a run; losses in percent (truth.WindowLosses).

    Attributes:
        seed: That of the measurement.
        job: The run.
        period: Number of its period in the run, from 0.
        on: Whether calls were delayed in it.
        covered: Share of it that is in segments inside it.
        low, true, high: The window's loss to delays by the log: lower bound, value, upper bound.
        estimated: The window's loss by the estimate.
        slower: By how much slower the work was done in it; None: not known.
    """

    seed: int
    job: str
    period: int
    on: bool
    covered: float
    low: float
    true: float
    high: float
    estimated: float
    slower: float | None = None


@dataclass(frozen=True)
class WholeRow:
    """The estimates of a program's whole runs against the truth by comparing runs (oracle).

    Attributes:
        seed: That of the measurement.
        code: The program.
        runs: The program's runs, clean ones included.
        resolution: Difference of the truths by halves of the runs, points; None: too few runs.
        soft, tenth: Soft accuracy: median and tenth percentile; None: no run was evaluated.
        error: Median error, points.
        why: Why the truth is not known; "" if it is.
    """

    seed: int
    code: str
    runs: int
    resolution: float | None = None
    soft: float | None = None
    tenth: float | None = None
    error: float | None = None
    why: str = ""
