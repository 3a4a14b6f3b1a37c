"""Types of stored rows of a measurement with windows: for each run, window and program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunRow:
    """A run with delays in windows.

    Attributes:
        seed: That of the measurement.
        code: Name of the program.
        job: Name of the run's job.
        calls: Sets of calls that could be delayed.
        shape: Requested distribution of delays.
        ranks: Ranks that were delayed; "" for all.
        aimed: Intended share of a window with delays, percent.
        window_ms: Length of a window, ms.
        places: Number of windows in a period.
        run_s: Run time, s.
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
    """A window of such a run; losses in percent (truth.WindowLosses).

    Attributes:
        seed: That of the measurement.
        job: Name of the run's job.
        period: Number of the window's period in the run, from 0.
        on: Whether calls were delayed in the window.
        covered: Share of the window that is in segments inside of it.
        low, true, high: The window's loss to delays by the log: lower bound, value, upper bound.
        estimated: The window's loss by the estimate.
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
    """The estimates of a program's whole runs against the truth by comparing runs (oracle).

    Attributes:
        seed: That of the measurement.
        code: The program.
        runs: Number of the program's runs, including undisturbed ones.
        resolution: Difference of the truths by halves of the runs, percentage points; None if there
        are too few runs. soft, tenth: Median and tenth percentile of the soft accuracy; None if no
        run was evaluated.
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
