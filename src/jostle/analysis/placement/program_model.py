"""Result types of the analysis how placement and the speed of a program's runs are related.

A messaging rate is the number of bytes that a rank sends by MPI per second of its time in MPI.
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
        seconds: Run time, in seconds.
        ranks: Number of MPI ranks of the run.
        hosts: Nodes of the run.
        rate: Messaging rate of the run: bytes that all ranks sent by MPI, divided by their time in
            MPI; None: the run sent no messages.
        collective_rate: Messaging rate of collectives alone.
        p2p_rate: Messaging rate of point-to-point messages alone.
        compute_s: Time of a rank outside MPI and I/O, in seconds.
        mpi_s: Time of a rank in MPI, in seconds.
        calls_s: Mean time of a rank in each kind of MPI calls, in seconds.
        shape: Measures of the run's placement.
        company: The jobs that ran concurrently with the run.
        communicators: Hops and times of the run's communicators, except MPI_COMM_WORLD.
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
        """Mean hops of the communicators whose ranks are on several routers."""
        wide = [each.hops for each in self.communicators if each.hops > 0]
        return sum(wide) / len(wide) if wide else None


@dataclass(frozen=True)
class Correlation:
    """The correlation of two columns.

    Attributes:
        n: Number of pairs of values.
        pearson: Pearson's r. None if there are fewer than four pairs, or if all values of a column
            are equal.
        pearson_p: p value of `pearson`; None in the same cases.
        spearman: Spearman's rho; None in the same cases.
        spearman_p: p value of `spearman`; None in the same cases.
    """

    n: int
    pearson: float | None
    pearson_p: float | None
    spearman: float | None
    spearman_p: float | None


@dataclass(frozen=True)
class Measured:
    """How one measure of placement is correlated with the speed of a program's runs.

    Attributes:
        key: Name of the measure, a key of MEASURES.
        values: Value of the measure in each run; None: not defined.
        rate: Correlation of the measure with the messaging rate.
        time: Correlation of the measure with the run time.
    """

    key: str
    values: tuple[float | None, ...]
    rate: Correlation
    time: Correlation


@dataclass(frozen=True)
class SuspectProgram:
    """Comparison of runs with and without a concurrent program that may use the same links.

    Attributes:
        program: Name of the concurrent program.
        with_rates: Messaging rates of the runs that ran concurrently with this program.
        without_rates: Messaging rates of the other runs.
        change: Mean rate with the program divided by the mean rate without it, less 1; and the
            lower and the upper end of its 95 % interval.
        normal: p value of the Shapiro-Wilk test of each of the two groups; None: too few runs.
        equal_variance: p value of Bartlett's test of equal variances; None: too few runs.
        test: Name of the test of equal means: "ANOVA" or "Kruskal-Wallis"; "": too few runs.
        p: p value of this test.
        q: p value adjusted for the false discovery rate over all programs.
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
        why: Why the pair is informative: "best and worst", "most alike", "same nodes, other
            neighbours" or "same box, both surrounded".
        slow: Name of the slower run.
        fast: Name of the faster run.
        nodes_alike: Number of common nodes divided by the number of nodes of the larger run, 0 to
            1.
        neighbours_alike: The same ratio for the nodes of conflicting jobs; None: neither run had
            conflicting jobs.
        faster: Messaging rate of the faster run divided by that of the slower run, less 1.
    """

    why: str
    slow: str
    fast: str
    nodes_alike: float
    neighbours_alike: float | None
    faster: float


@dataclass(frozen=True)
class Event:
    """The start or end of a conflicting job (one that may use the same links) during a run.

    Attributes:
        at_s: Time of the event, seconds after the start of the run.
        job: Name of the conflicting job.
        program: Program of the conflicting job.
        starts: Whether the job starts; else it ends.
        routers: Number of routers of the conflicting job.
        change: Mean messaging rate after the event divided by that before it, less 1; None: too
            few slices.
    """

    at_s: float
    job: str
    program: str
    starts: bool
    routers: int
    change: float | None


@dataclass(frozen=True)
class Course:
    """The messaging rate over time within one long run.

    Attributes:
        job: Name of the run.
        times_s: Start of each slice, seconds after the start of the run.
        rates: Messaging rate in each slice.
        slice_s: Length of a slice, in seconds.
        variation: Standard deviation of the rates divided by their mean.
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

    Such noise would make the computation time of runs vary.

    Attributes:
        compute_spread: Standard deviation of the runs' computation times (mean over ranks),
            divided by their mean.
        mpi_spread: The same ratio for the runs' times in MPI.
        least: How far the computation time of a rank is below the mean of its run, as a share of
            the mean; greatest value over all runs.
        most: How far it is above the mean of its run, as a share of the mean; greatest value.
        compute_part: Part of the variance of run times that computation times explain.
        mpi_part: Part of this variance that times in MPI explain. Both parts need not add up to 1,
            since there is also I/O, and since both times may vary together.
        excluded: Whether noise is ruled out as the reason, since computation hardly varies.
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
    """Correlation of communicators' hops with the time in their collectives.

    Attributes:
        all: Correlation over the communicators of all runs.
        runs: Correlation over the communicators of a single run, by name of the run: for the
            slowest, the fastest and the most contiguous run.
    """

    all: Correlation
    runs: dict[str, Correlation]


@dataclass(frozen=True)
class ProgramPlacement:
    """How placement and the speed of a program's runs are related.

    Attributes:
        program: Name of the program.
        fabric: Name of the fabric in which the runs are.
        kind: Kind of the fabric.
        runs: Runs of the program, in order of their starts.
        measures: Measures of placement, the one that correlates best with the messaging rate first.
        rate_and_time: Correlation of messaging rate and run time.
        suspects: Programs that ran concurrently with some of the runs but not with all, the one
            with the strongest evidence first.
        pairs: Pairs of runs that best show why runs differ.
        courses: Messaging rate over time within long runs, the most variable run first.
        noise: Whether noise of the operating system explains the differences; None: too few runs.
        communicators: Correlation of communicators' hops with their times; None: not known.
        calls: Time of a rank in each kind of MPI calls, over all runs, the kind with the least time
            first.
        best_to_worst: Messaging rate of the fastest run divided by that of the slowest run.
        left_out: How many runs were left out, and why, one text for each reason.
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
