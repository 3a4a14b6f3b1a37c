"""Types of the rows that a measurement with windows stores for each run, window and program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunRow:
    """A run with delays in windows.

    Attributes:
        seed: Seed of the measurement.
        code: Name of the program.
        job: Name of the run's job.
        calls: Sets of calls that could be delayed.
        shape: Requested distribution of delays.
        ranks: Ranks that were delayed; "" for all.
        aimed: Intended loss in a window with delays, percent of the window.
        window_ms: Length of a window, ms.
        places: Number of windows in a period.
        run_s: Run time, in seconds.
        own_cores: Whether each thread of the run has a core on this machine.
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
    """A window of a run with delays in windows; losses are in percent (see truth.WindowLosses).

    Attributes:
        seed: Seed of the measurement.
        job: Name of the run's job.
        period: Number of the window's period in the run, from 0.
        on: Whether calls were delayed in the window.
        covered: Share of the window in segments that lie wholly inside it.
        low, true, high: The window's loss to delays by the log: lower bound, value, upper bound.
        estimated: The window's loss by jostle's estimate.
        slower: Slowdown of the work in the window, percent; None if not known.
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
    """Scores of the estimates of a program's whole runs.

    The true loss of whole runs follows from comparing runs with each other (see oracle.py).

    Attributes:
        seed: Seed of the measurement.
        code: The program.
        runs: Number of the program's runs, including undisturbed ones.
        resolution: Difference, in percentage points, between the true losses from two halves of the
            runs; None if there are too few runs.
        soft: Median of the soft accuracy; None if no run was evaluated.
        tenth: Tenth percentile of the soft accuracy; None if no run was evaluated.
        error: Median error, percentage points.
        why: Reason why the true loss is not known; "" if it is known.
    """

    seed: int
    code: str
    runs: int
    resolution: float | None = None
    soft: float | None = None
    tenth: float | None = None
    error: float | None = None
    why: str = ""
