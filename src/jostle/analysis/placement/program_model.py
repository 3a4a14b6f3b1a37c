"""Result types of the analysis of a program's runs and their placement.

Rates in bytes per second of one rank.
"""

from __future__ import annotations

from dataclasses import dataclass

from jostle.analysis.placement.model import CommunicatorShape, Company, Shape
from jostle.analysis.spread import Range


@dataclass(frozen=True)
class Run:
    """One run of the program, with its rates, times and placement.

    Attributes:
        job: Name of the job.
        start_ns: Start of the run, ns since the epoch.
        seconds: Run time, s.
        ranks: Number of its MPI ranks.
        hosts: Nodes of the run.
        rate: Messaging rate of the run: bytes sent by MPI over the time in MPI, summed over the
            ranks; None: it sent no messages.
        collective_rate: Messaging rate of collectives alone.
        p2p_rate: Messaging rate of point-to-point messages alone.
        compute_s: Time per rank outside MPI and I/O.
        mpi_s: Time per rank in MPI.
        calls_s: Mean time of a rank in each kind of MPI calls.
        shape: Measures of its placement.
        company: The jobs that ran concurrently with it.
        communicators: Hops and times of its communicators, without the world.
    """

    job: str
    start_ns: int
    seconds: float
    ranks: int
    hosts: tuple[str, ...]
    rate: float | None
    collective_rate: float | None
    p2p_rate: float | None
    compute_s: Range
    mpi_s: Range
    calls_s: dict[str, float]
    shape: Shape
    company: Company
    communicators: tuple[CommunicatorShape, ...] = ()

    @property
    def communicator_hops(self) -> float | None:
        """Mean hops of its communicators that reach over several routers."""
        wide = [each.hops for each in self.communicators if each.hops > 0]
        return sum(wide) / len(wide) if wide else None


@dataclass(frozen=True)
class Correlation:
    """The correlation of two columns.

    Attributes:
        n: Number of pairs of values.
        pearson: Pearson's r; None: fewer than four values, or all are equal.
        pearson_p: p value of `pearson`.
        spearman: Spearman's rho.
        spearman_p: p value of `spearman`.
    """

    n: int
    pearson: float | None
    pearson_p: float | None
    spearman: float | None
    spearman_p: float | None


@dataclass(frozen=True)
class Measured:
    """Correlation of one measure of placement with rate and time, over the runs.

    Attributes:
        key: Key of the measure in MEASURES.
        values: Value of each run; None: not defined.
        rate: Correlation of the measure with the messaging rate.
        time: Correlation of the measure with the run time.
    """

    key: str
    values: tuple[float | None, ...]
    rate: Correlation
    time: Correlation


@dataclass(frozen=True)
class SuspectProgram:
    """Runs with and without a concurrent program that might use the same links, compared.

    Attributes:
        program: Name of the concurrent program.
        with_rates: Messaging rates of the runs concurrent with it.
        without_rates: Messaging rates of the others.
        change: Mean rate with it over that without, less one, and its 95 % interval.
        normal: Shapiro-Wilk p of each group; None: too few.
        equal_variance: Bartlett p.
        test: Name of the test: "ANOVA" or "Kruskal-Wallis"; "": too few runs.
        p: p value of that test.
        q: p after control of the false-discovery rate over all programs.
    """

    program: str
    with_rates: tuple[float, ...]
    without_rates: tuple[float, ...]
    change: tuple[float, float, float] | None
    normal: tuple[float | None, float | None]
    equal_variance: float | None
    test: str
    p: float | None
    q: float | None = None


@dataclass(frozen=True)
class PairOfRuns:
    """Two runs of a program that are compared.

    Attributes:
        why: "best and worst", "most alike", "same nodes, other neighbours" or "same box, both
            surrounded".
        slow: The slower run.
        fast: The faster run.
        nodes_alike: Part of the larger placement that both have in common, 0 to 1.
        neighbours_alike: The same of the nodes of conflicting jobs; None: there are none.
        faster: Rate of the faster one over that of the slower one, less one.
    """

    why: str
    slow: str
    fast: str
    nodes_alike: float
    neighbours_alike: float | None
    faster: float


@dataclass(frozen=True)
class Event:
    """A conflicting job that starts or ends while a run goes on.

    Attributes:
        at_s: Time of the event, seconds after the start of the run.
        job, program: The conflicting job and its program.
        starts: Whether the job starts; else it ends.
        routers: Number of its routers.
        change: Mean rate after the event over that before it, less one; None: too few slices.
    """

    at_s: float
    job: str
    program: str
    starts: bool
    routers: int
    change: float | None


@dataclass(frozen=True)
class Course:
    """The messaging rate inside one long run.

    Attributes:
        job: Name of the run.
        times_s: Begin of each slice, seconds after the start of the run.
        rates: Messaging rate in each slice.
        slice_s: Length of a slice.
        variation: Standard deviation of the rates over their mean.
        events: Starts and ends of conflicting jobs, in order of time.
    """

    job: str
    times_s: tuple[float, ...]
    rates: tuple[float, ...]
    slice_s: float
    variation: float
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Noise:
    """Whether noise of the operating system explains the differences between runs.

    Attributes:
        compute_spread: Standard deviation over mean of the runs' mean computation time.
        mpi_spread: Standard deviation over mean of the runs' mean time in MPI.
        least: Greatest distance, over the runs, of a rank's computation time below the mean of its
            run, as a share of the mean.
        most: Greatest such distance above the mean.
        compute_part: Part of the variance of run times that is explained by computation.
        mpi_part: The same for MPI. Both need not add up to 1: there is I/O, and they may covary.
        excluded: Computation hardly varies, so noise of the system is not the reason.
    """

    compute_spread: float
    mpi_spread: float
    least: float
    most: float
    compute_part: float
    mpi_part: float
    excluded: bool


@dataclass(frozen=True)
class CommunicatorHops:
    """Correlation of time in collectives with hops, over the communicators of runs.

    Attributes:
        all: Correlation over the communicators of all runs.
        runs: Correlation over those of the slowest, the fastest and the most contiguous run, by
            job.
    """

    all: Correlation
    runs: dict[str, Correlation]


@dataclass(frozen=True)
class ProgramPlacement:
    """How placement and the speed of a program's runs are related.

    Attributes:
        program: Name of the program.
        fabric: The fabric in which its runs are.
        kind: Kind of the fabric.
        runs: Runs of the program, in order of their start.
        measures: Measures of placement, the one that correlates best with the rate first.
        rate_and_time: Correlation of messaging rate and run time.
        suspects: Programs concurrent with some of the runs but not all, those with evidence first.
        pairs: Pairs of runs that show what makes the difference.
        courses: Messaging rate during long runs, those that vary most first.
        noise: Whether noise of the operating system explains differences; None: too few runs.
        communicators: Hops of communicators and their time; None: not known.
        calls: Kinds of MPI calls by mean time of a rank over all runs, the least first.
        best_to_worst: Rate of the fastest run over that of the slowest.
        left_out: Number of runs that were not used, and why.
        notes: Notes on unknown or estimated data, one sentence each.
    """

    program: str
    fabric: str
    kind: str
    runs: tuple[Run, ...]
    measures: tuple[Measured, ...]
    rate_and_time: Correlation
    suspects: tuple[SuspectProgram, ...]
    pairs: tuple[PairOfRuns, ...]
    courses: tuple[Course, ...]
    noise: Noise | None
    communicators: CommunicatorHops | None
    calls: dict[str, Range]
    best_to_worst: float | None
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
