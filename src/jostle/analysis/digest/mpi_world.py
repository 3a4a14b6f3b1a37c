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
        calls: Calls per rank.
        bytes: Bytes per rank, as docs/reference/metrics.md defines them for each call.
        calls_per_s: Calls per second between MPI_Init and MPI_Finalize; NaN: how long that was
            is known of no rank.
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
        seconds: Summed over ranks.
        share: Of the time of all ranks.
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
        effective: CPU time over lifetime; NaN: how long that was is known of no rank.
        omp_threads: OMP_NUM_THREADS; 0 where it is not set, None where ranks differ.
        ratio: effective over omp_threads, mean over the ranks where it is set; None without.
    """

    effective: Range
    omp_threads: int | None
    ratio: float | None


@dataclass(frozen=True)
class Counters:
    """Hardware counters: what was asked for, what the machine granted, and what they say.

    Attributes:
        asked: Names of the events that were asked for.
        granted: Those that every rank got.
        denied: The others.
        instructions_per_s: In user mode, per rank and second of CPU time that was counted.
        instructions_per_cycle: Over all ranks.
        misses_per_kilo: Last-level misses per 1000 instructions, over all ranks.
        flops_per_s: Of the first PAPI event that counts floating-point operations, per rank and
            second of CPU time that was counted.
        flops_event: Its name; "" without.
        papi: Every granted PAPI event, per rank.
        counted_share: Part of the CPU time during which hardware counters counted: they pause
            where every context switch would make them dear.
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
        rule: What made most of them: every, coalesced, epoch, raw or none.
        rules: Share of the time by rule.
        delimiter: The MPI function that ends most of them; "" where none does.
        coverage: Share of the time between the first and the last delimiter that lies inside
            segments of a kind seen at least five times.
        segmentable: The coverage is at least one half.
        kinds: Recurring kinds.
        agreement: Boundaries common to all ranks over those of the coarsest rank.
        duration_s: Of a segment: least, mean and most, s.
        median_s: Its median, s.
        missing: Ranks of the world that have no profile.
        notes: What the merge had to say.
        rows: The segments one by one, where they were asked for.
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
    """What to use next, and why.

    Attributes:
        rule: Name of the rule that gave it.
        kind: Kind of tool.
        tools: Examples.
        why: What was seen, and what such a tool adds.
    """

    rule: str
    kind: str
    tools: list[str]
    why: str


@dataclass(frozen=True)
class WorldDigest:
    """The ranks of one mpirun, or of one launch of a training job.

    Attributes:
        world: Its id; "" when unknown.
        size: Ranks of the world; 0 when unknown.
        ranks: Ranks that have a profile.
        processes: Their ids, by rank.
        programs: Ranks by program, the most frequent first.
        hosts: Their nodes.
        spawned: Started by MPI_Comm_spawn.
        library: What the MPI says it is, its first line; of a training job its collective
            library.
        adapter: The adapter that counted it; "" without.
        counted: Whether its calls were counted.
        problem: Why not, or what else is missing; "" when all is well.
        launcher: orte, prrte, hydra, slurm, torch or "".
        batch: Batch job; "" without.
        thread_level: single, funneled, serialized or multiple.
        unfinished: Ranks that ended, or still run, without having left MPI_Finalize.
        running: Some rank still runs.
        start_ns: When the first rank called MPI_Init or joined the world, ns since the epoch.
        seconds: From there to the last return of MPI_Finalize, or the end, s.
        in_collectives: Time from begin to completion of the collectives of a collective library,
            over that of the ranks, 0 to 1; NaN where several were under way at once for so long
            that they add up to more than the ranks' time.
        traffic: What the ranks moved, kinds that occurred only.
        shares: Where their time went, of the ranks whose time is known; none where that is known
            of no rank.
        shares_over: What the shares are of.
        balance: Load balance; None for a single rank.
        threads: Thread-level concurrency.
        counters: Hardware counters.
        waited: Share of the time that calls took beyond what such calls usually take; NaN: not
            known.
        off_cpu: Share of the time off the CPU between calls (sampled; at least); NaN: not known.
        metrics: Every metric that is not zero and no histogram, over the ranks.
        segments: Execution segments; None where they were switched off or never recorded.
        next: What to use next.
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
        """Whether a collective library made it, not an MPI."""
        return is_collective_library(self.library)
