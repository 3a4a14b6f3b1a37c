"""What the runs of a program tell of placement. Rates in bytes per second of one rank."""

from __future__ import annotations

from dataclasses import dataclass

from jostle.analysis.placement.model import CommunicatorShape, Company, Shape
from jostle.analysis.spread import Range


@dataclass(frozen=True)
class Run:
    """One run of the program.

    Attributes:
        job: Its name.
        start_ns: When it began, ns since the epoch.
        seconds: How long it took.
        ranks: Its MPI ranks.
        hosts: Its nodes.
        rate: Its messaging rate: bytes sent by MPI over the time in MPI, summed over the ranks;
            None: it sent nothing.
        collective_rate: The same of collectives alone.
        p2p_rate: The same of point-to-point messages alone.
        compute_s: Time per rank outside MPI and I/O.
        mpi_s: Time per rank in MPI.
        calls_s: Mean time of a rank in each kind of MPI calls.
        shape: Its placement.
        company: Who ran beside it.
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
    """How two columns go together.

    Attributes:
        n: Pairs of values.
        pearson: r; None: fewer than four values, or all are equal.
        pearson_p: Its probability by chance.
        spearman: rho.
        spearman_p: Its probability by chance.
    """

    n: int
    pearson: float | None
    pearson_p: float | None
    spearman: float | None
    spearman_p: float | None


@dataclass(frozen=True)
class Measured:
    """One measure of placement against rate and time, over the runs.

    Attributes:
        key: Of MEASURES.
        values: Of each run; None: not defined.
        rate: Its correlation with the messaging rate.
        time: Its correlation with the run time.
    """

    key: str
    values: tuple[float | None, ...]
    rate: Correlation
    time: Correlation


@dataclass(frozen=True)
class SuspectProgram:
    """Runs beside a program that might use the same links, against runs without it.

    Attributes:
        program: Its name.
        with_rates: Messaging rates of the runs beside it; without_rates: of the others.
        change: Mean rate with it over that without, less one, and its 95 % interval.
        normal: Shapiro-Wilk p of each group; None: too few.
        equal_variance: Bartlett p.
        test: "ANOVA" or "Kruskal-Wallis"; "": too few runs.
        p: Of that test.
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
    """Two runs side by side.

    Attributes:
        why: "best and worst", "most alike", "same nodes, other neighbours" or "same box, both
            surrounded".
        slow: The slower run; fast: the faster one.
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
        at_s: When, seconds after the start of the run.
        job, program: Which.
        starts: It starts; else it ends.
        routers: Its routers.
        change: Mean rate after it over that before it, less one; None: too few slices.
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
        job: The run.
        times_s: Begin of each slice, seconds after the start of the run.
        rates: Messaging rate in it.
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
        mpi_spread: The same of their mean time in MPI.
        least: Least computation time of a rank under the mean of its run, at most, as a share.
        most: Greatest one above it, at most.
        compute_part: Part of the variance of run times that goes with computation; mpi_part: with
            MPI. They need not add up to 1: there is I/O, and both may vary together.
        excluded: Computation hardly varies: noise of the system is not the reason.
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
    """Time in collectives against hops, over the communicators of runs.

    Attributes:
        all: Over the communicators of all runs.
        runs: Of the slowest, the fastest and the most contiguous run, by job.
    """

    all: Correlation
    runs: dict[str, Correlation]


@dataclass(frozen=True)
class ProgramPlacement:
    """What placement has to do with the speed of a program's runs.

    Attributes:
        program: Its name.
        fabric: The fabric in which its runs are.
        kind: Its kind.
        runs: Its runs, in order of their start.
        measures: Measures of placement, the one that tells most of the rate first.
        rate_and_time: Correlation of messaging rate and run time.
        suspects: Programs beside some of the runs but not all, those with evidence first.
        pairs: Pairs of runs that tell something.
        courses: Rate inside long runs, those that vary most first.
        noise: Of the operating system; None: too few runs.
        communicators: Hops of communicators and their time; None: not known.
        calls: Kinds of MPI calls by mean time of a rank over all runs, the least first.
        best_to_worst: Rate of the fastest run over that of the slowest.
        left_out: How many runs were not used, and why.
        notes: What could not be known, or was guessed; sentences.
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
