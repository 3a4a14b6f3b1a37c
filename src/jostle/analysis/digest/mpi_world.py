"""Result types of the MPI part of a digest: one `WorldDigest` per mpirun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jostle.analysis.spread import Range, Spread
from jostle.names.training import is_collective_library
from jostle.values.plain_values import MaybeNan

#: Events that are counted unless the user names others, in the order of their bits in a profile.
USUAL_EVENTS = (
    "instructions",
    "cycles",
    "last-level misses",
    "task clock",
    "context switches",
    "migrations",
    "page faults",
)


@dataclass(frozen=True)
class CallTraffic:
    """Calls of one kind and what they moved, over ranks.

    Attributes:
        name: ccl collective, ccl send, ccl receive (of a collective library), collective, send,
            receive, room (of receives of which only that is known; their calls are among those of
            receive), sendrecv, complete, one-sided, mpiio read, mpiio write, file read or file
            write.
        calls: Number of calls per rank.
        bytes: Bytes per rank, as docs/reference/metrics.md defines them for each call.
        calls_per_s: Calls per second between MPI_Init and MPI_Finalize; NaN if no rank recorded
            that time.
        bytes_per_s: Bytes per second of that time.
    """

    name: str
    calls: Spread
    bytes: Spread
    calls_per_s: Range
    bytes_per_s: Range


@dataclass(frozen=True)
class TimeShare:
    """A part of the ranks' time.

    Attributes:
        name: computation, point-to-point, collective, one-sided, mpiio, other mpi or file i/o.
        seconds: Time, summed over ranks.
        share: Share of the time of all ranks.
        least: Share on the rank where it is least.
        most: Share on the rank where it is most.
    """

    name: str
    seconds: float
    share: float
    least: float
    most: float


@dataclass(frozen=True)
class Balance:
    """How evenly the ranks share the work.

    Attributes:
        imbalance: Greatest computing time of a rank over the mean, less 1.
        busiest: The rank that computes longest.
        idlest: The rank that computes least.
        least_waiting: The rank that spends least in collectives: the others wait for it; None
            without collectives.
        computing_s: Computing time over ranks, s.
    """

    imbalance: float
    busiest: int
    idlest: int
    least_waiting: int | None
    computing_s: Range


@dataclass(frozen=True)
class RankThreads:
    """Cores that a rank kept busy, and the number of threads it was set to use.

    Attributes:
        effective: CPU time over run time; NaN if no rank recorded its run time.
        omp_threads: OMP_NUM_THREADS; 0 where it is not set, None where ranks differ.
        ratio: effective over omp_threads, mean over the ranks where it is set; None without.
    """

    effective: Range
    omp_threads: int | None
    ratio: float | None


@dataclass(frozen=True)
class Counters:
    """Hardware counters: the events requested, those that the machine granted, and their results.

    Attributes:
        asked: Names of the requested events.
        granted: Events that every rank got.
        denied: The other requested events.
        instructions_per_s: Instructions in user mode, per rank and second of counted CPU time.
        instructions_per_cycle: Instructions per cycle, over all ranks.
        misses_per_kilo: Last-level misses per 1000 instructions, over all ranks.
        flops_per_s: Of the first PAPI event that counts floating-point operations, per rank and
            second of CPU time that was counted.
        flops_event: Name of this event; "" without one.
        papi: Counts of every granted PAPI event, per rank.
        counted_share: Part of the CPU time during which hardware counters counted: they pause where
            frequent context switches would make them costly.
    """

    asked: list[str]
    granted: list[str]
    denied: list[str]
    instructions_per_s: Range | None = None
    instructions_per_cycle: float | None = None
    misses_per_kilo: float | None = None
    flops_per_s: Range | None = None
    flops_event: str = ""
    papi: dict[str, Spread] | None = None
    counted_share: float = 1.0

    @property
    def named_and_denied(self) -> list[str]:
        """The events that the user named and did not get; `jostle doctor` has the others."""
        return [name for name in self.denied if name not in USUAL_EVENTS]


@dataclass(frozen=True)
class SegmentsDigest:
    """The execution segments of a world, merged over its ranks.

    Attributes:
        number: Segments that all ranks have in common.
        per_rank: Segments stored by a rank.
        rule: Rule that made most of them: every, coalesced, epoch, raw or none.
        rules: Share of the time by rule.
        delimiter: The MPI function that ends most of them; "" where none does.
        coverage: Share of the time between the first and the last delimiter that lies inside
            segments of a kind seen at least five times.
        segmentable: The coverage is at least one half.
        kinds: Recurring kinds.
        agreement: Boundaries common to all ranks over those of the coarsest rank.
        duration_s: Least, mean and greatest duration of a segment, s.
        median_s: Median duration, s.
        missing: Ranks of the world that have no profile.
        notes: Notes on the merge of the ranks' segments.
        rows: The segments one by one, if requested.
    """

    number: int
    per_rank: Range
    rule: str
    rules: dict[str, float]
    delimiter: str
    coverage: float
    segmentable: bool
    kinds: int
    agreement: float
    duration_s: Range
    median_s: float
    missing: list[int]
    notes: list[str]
    rows: list[dict[str, Any]] | None = None


@dataclass(frozen=True)
class Advice:
    """Advice which kind of tool to use next, and why.

    Attributes:
        rule: Name of the rule that gave it.
        kind: Kind of tool that is recommended.
        tools: Examples of such tools.
        why: What the digest shows, and what such a tool adds.
    """

    rule: str
    kind: str
    tools: list[str]
    why: str


@dataclass(frozen=True)
class WorldDigest:
    """The ranks of one mpirun, or of one launch of a training job.

    Attributes:
        world: Id of the world; "" when unknown.
        size: Ranks of the world; 0 when unknown.
        ranks: Number of ranks that have a profile.
        processes: Ids of their processes, by rank.
        programs: Number of ranks by program, the most frequent first.
        hosts: Nodes of the ranks.
        spawned: Whether MPI_Comm_spawn started it.
        library: First line of the MPI library's version text; for a training job, its collective
            library.
        adapter: MPI adapter of jostle that counted its calls; "" without one.
        counted: Whether its MPI calls were counted.
        problem: Why its calls were not counted, or what else is missing; "" if nothing is.
        launcher: orte, prrte, hydra, slurm, torch or "".
        batch: Id of the batch job; "" without one.
        thread_level: MPI thread level: single, funneled, serialized or multiple.
        unfinished: Ranks that ended, or still run, without having left MPI_Finalize.
        running: Whether some rank still runs.
        start_ns: When the first rank called MPI_Init or joined the world, ns since the epoch.
        seconds: Time from there to the last return of MPI_Finalize, or to the end, s.
        in_collectives: Time from begin to completion of the collectives of a collective library,
            over that of the ranks, 0 to 1; NaN where several were under way at once for so long
            that they add up to more than the ranks' time.
        traffic: Calls and bytes of the ranks, by kind of call; kinds that occurred only.
        shares: Shares of time by state, over the ranks whose run time is known; empty if it is
            known of none.
        shares_over: Description of the time that the shares are of.
        balance: Load balance; None for a single rank.
        threads: Thread-level concurrency.
        counters: Hardware counters.
        waited: Share of the time that calls took beyond what such calls usually take; NaN: not
            known.
        off_cpu: Share of the time off the CPU between calls (sampled; at least); NaN: not known.
        metrics: Every metric that is not zero and no histogram, over the ranks.
        segments: Execution segments; None where they were switched off or never recorded.
        next: Advice which tools to use next.
    """

    world: str
    size: int
    ranks: int
    processes: list[int]
    programs: dict[str, int]
    hosts: list[str]
    spawned: bool
    library: str
    adapter: str
    counted: bool
    problem: str
    launcher: str
    batch: str
    thread_level: str
    unfinished: int
    running: bool
    start_ns: int
    seconds: float
    in_collectives: MaybeNan
    traffic: list[CallTraffic]
    shares: list[TimeShare]
    shares_over: str
    balance: Balance | None
    threads: RankThreads
    counters: Counters
    waited: MaybeNan
    off_cpu: MaybeNan
    metrics: dict[str, Spread]
    segments: SegmentsDigest | None
    next: list[Advice]

    @property
    def is_training(self) -> bool:
        """Whether the world belongs to a collective library, not to an MPI."""
        return is_collective_library(self.library)
