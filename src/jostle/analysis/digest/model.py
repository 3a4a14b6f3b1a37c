"""Result types of the digest of a job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jostle.analysis.access.model import AccessPattern
from jostle.analysis.binding.model import BindingAdvice
from jostle.analysis.digest.mpi_world import Advice, WorldDigest
from jostle.analysis.shares_of_time import share_of_time
from jostle.analysis.spread import Spread
from jostle.values.plain_values import MaybeNan, plain


@dataclass(frozen=True)
class Threads:
    """CPU time over lifetime: the cores that a process kept busy, over processes."""

    min: float
    mean: float
    max: float


@dataclass(frozen=True)
class Rate:
    """A rate, and what it divides by.

    Attributes:
        value: The rate.
        unit: bytes/s or ops/s.
        over: What the seconds are.
        seconds: How many they are.
    """

    value: float
    unit: str
    over: str
    seconds: float


@dataclass(frozen=True)
class Share:
    """A part of the processes' lifetime.

    Attributes:
        name: What the time went into.
        seconds: Summed over processes and threads.
        share: The same divided by the summed lifetime of the processes, or of their threads
            where one of the shares would exceed 1, 0 to 1; NaN where it is not known: more time
            was counted than there was. CPU time and time inside calls overlap.
    """

    name: str
    seconds: float
    share: MaybeNan


@dataclass(frozen=True)
class FileDigest:
    """What a job did with one file, or with all files that are not listed.

    Attributes:
        path: Its path, "…" before the end of a long one; "" without names, and of the others.
        mount: Identity of the mount that it is on; "" of the others.
        hash: Of the path, 16 digits; "" of the others.
        format: HDF5 or netCDF, by its first bytes; "" another, not seen, and of the others.
        files: 1; of the others how many they are.
        processes: Processes that used it; of the others the most that used one of them.
        opens: Calls that opened it.
        reads: Calls that read.
        writes: Calls that wrote.
        syncs: Calls that synchronised or flushed it.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        seconds: Time in all calls on it, summed over processes and threads.
        meta_s: Of these, in open, close and the like.
    """

    path: str
    mount: str
    hash: str
    format: str
    files: int
    processes: int
    opens: int
    reads: int
    writes: int
    syncs: int
    read_bytes: int
    write_bytes: int
    seconds: float
    meta_s: float


@dataclass(frozen=True)
class FormatDigest:
    """What a job did with all files of one format that have a row of their own.

    Attributes:
        format: HDF5 or netCDF: whose library wrote and reads them.
        files: How many there are.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        seconds: Time in all calls on them, summed over processes and threads.
    """

    format: str
    files: int
    read_bytes: int
    write_bytes: int
    seconds: float


@dataclass(frozen=True)
class MountDigest:
    """What a job did on one mount.

    Attributes:
        mount: Identity of the shared resource.
        paths: Where processes saw it.
        type: Type of the file system.
        shared: Several nodes share it.
        processes: Processes that did anything there.
        metrics: Every metric of scope mount that is not zero, by id; over these processes.
        rates: read_bytes and write_bytes per second of the job, none where its time is not known;
            read_service and write_service per second spent in the calls, which do not depend on
            how much the job asked for.
        errors: Failed calls by class.
    """

    mount: str
    paths: list[str]
    type: str
    shared: bool
    processes: int
    metrics: dict[str, Spread]
    rates: dict[str, Rate]
    errors: dict[str, int]


@dataclass(frozen=True)
class AccessShape:
    """How a job accesses files in one direction.

    Attributes:
        direction: read or write.
        ops: Calls (posix and stdio).
        bytes: Bytes moved.
        mean_bytes: Per call; 0 without calls.
        histogram: 32 counters of posix and stdio sizes; bucket b holds sizes in
            [2^(b-1), 2^b), bucket 0 size 0, bucket 31 all from 2^30.
        common_low: Lower bound of the most frequent bucket, bytes.
        common_high: Its upper bound, exclusive.
        small_share: Share of the calls in the histogram below 4 KiB.
        seeks_per_op: Seeks per call, of both directions together.
        pattern: In words: the access pattern of the mount with most of the bytes (see
            AccessPattern) where it has a name; else "many small", "large", "mixed sizes" or
            "none" by the sizes of calls, with "seeking" where seeks are frequent.
    """

    direction: str
    ops: int
    bytes: int
    mean_bytes: float
    histogram: list[int]
    common_low: int
    common_high: int
    small_share: float
    seeks_per_op: float
    pattern: str


@dataclass(frozen=True)
class Unaccounted:
    """Traffic that the kernel saw and no counted call did.

    It is of io_uring, static code and calls inside libc, or of files that are left out on purpose:
    pseudo file systems (a read of /dev/zero counts here) and excluded paths.

    Attributes:
        direction: read or write.
        system: Bytes by the kernel's count (rchar or wchar).
        wrapped: Bytes of wrapped calls on files and streams.
        bytes: system - wrapped, at least 0. stdio reads ahead, so a little is normal.
        share: bytes / system; 0 without traffic.
        storage: Bytes that reached the storage layer; mapped files show only here.
    """

    direction: str
    system: int
    wrapped: int
    bytes: int
    share: float
    storage: int


@dataclass(frozen=True)
class ProfilerCost:
    """What jostle itself cost the job.

    Attributes:
        calls: Wrapped calls counted.
        heartbeat_s: CPU seconds of the heartbeats.
        total_s: Estimated seconds in all.
        share_of_cpu: total_s over the CPU time of the job; 0 without CPU time, NaN where
            it is more than that.
    """

    calls: int
    heartbeat_s: float
    total_s: float
    share_of_cpu: MaybeNan


@dataclass(frozen=True)
class Clock:
    """How well the clocks of the job's nodes agree.

    Attributes:
        synchronised: No process saw an unsynchronised clock.
        error_us: Largest error bound that the kernel gave, µs.
        steps: Jumps of the clock that were seen.
        text: A sentence for users.
    """

    synchronised: bool
    error_us: int
    steps: int
    text: str


@dataclass(frozen=True)
class GpuDigest:
    """What a job did on one GPU.

    Attributes:
        host: The node.
        gpu: Its name there: PCI bus id, or the UUID of an instance.
        name: Of its make; "" unknown.
        memory_bytes: Its memory; 0 unknown.
        to_bytes: Copied from the host to it.
        back_bytes: Copied from it to the host.
        within_bytes: Copied within its memory.
        peer_bytes: Copied to or from another GPU.
        to_served: Bytes per second of the time of copies to it; None without any.
        back_served: The same of copies to the host.
        launches: Of kernels and graphs.
        busy_share: Part of the job's time in which its kernels ran, 0 to 1; None where kernels
            were not recorded, or added up to more than the job's time, as those of several
            processes may.
        lost_records: Copies that were not counted, since CUPTI dropped their records.
    """

    host: str
    gpu: str
    name: str
    memory_bytes: int
    to_bytes: int
    back_bytes: int
    within_bytes: int
    peer_bytes: int
    to_served: float | None
    back_served: float | None
    launches: int
    busy_share: float | None
    lost_records: int


@dataclass(frozen=True)
class JobDigest:
    """A job in figures.

    Attributes:
        job: Its name.
        programs: Processes by program, the most frequent first.
        hosts: Its nodes.
        processes: Processes with a profile of their own.
        short_processes: Processes too short for one; they count in totals only.
        start_ns: First start, ns since the epoch.
        end_ns: Last end, or the last slice seen while it runs.
        running: Some process has not ended.
        seconds: Wall-clock time, s.
        process_seconds: Lifetimes of all processes, summed, s.
        slice_ns: Slice lengths in use, ns.
        metrics: Every metric that is not zero and no histogram; mount metrics over all mounts.
            Gauges: total is the sum of each process's highest level, the others are of these.
        mounts: The mounts, the busiest first.
        rates: Of the whole job; none over its time where that is shorter than 1 ms, or than the
            time that was counted in it.
        shares: Where the time of the ranks went; without ranks that of all processes.
        effective_threads: CPU time over lifetime, per process; None where that is not known.
        cores: CPU time over the job's wall-clock time: cores in use on average; NaN where that
            time is not known.
        access: Reading and writing.
        errors: Failed calls by class.
        unaccounted: Traffic that no wrapper saw.
        cost: Our own.
        clock: State of the clocks.
        notes: What the runtime had to say, each once.
        warnings: What the reader had to say, each once.
        mpi: The MPI programs, one entry per world; empty without MPI.
        files: The files with most time and bytes, the slowest first, and last all others together;
            empty where no process that is over recorded its files.
        formats: What it did with HDF5 and netCDF files; empty where no call moved the first bytes
            of such a file.
        gpus: What it did on each GPU; empty where that was not recorded.
        next: What to look at next in a job without MPI; worlds have their own.
        binding: What another binding of cores and GPUs would fix; empty where nothing is wrong.
        writing: The access pattern of its writes on each mount, phase by phase, the mount with the
            most bytes first.
        reading: The same of its reads.
    """

    job: str
    programs: dict[str, int]
    hosts: list[str]
    processes: int
    short_processes: int
    start_ns: int
    end_ns: int
    running: bool
    seconds: float
    process_seconds: float
    slice_ns: list[int]
    metrics: dict[str, Spread]
    mounts: list[MountDigest]
    rates: dict[str, Rate]
    shares: list[Share]
    effective_threads: Threads | None
    cores: MaybeNan
    access: list[AccessShape]
    errors: dict[str, int]
    unaccounted: list[Unaccounted]
    cost: ProfilerCost
    clock: Clock
    notes: list[str]
    warnings: list[str]
    mpi: list[WorldDigest] = field(default_factory=list)
    writing: list[AccessPattern] = field(default_factory=list)
    reading: list[AccessPattern] = field(default_factory=list)
    files: list[FileDigest] = field(default_factory=list)
    formats: list[FormatDigest] = field(default_factory=list)
    gpus: list[GpuDigest] = field(default_factory=list)
    next: list[Advice] = field(default_factory=list)
    binding: list[BindingAdvice] = field(default_factory=list)

    @property
    def file_share(self) -> float:
        """Return the share of the ranks' (else the processes') time in calls on files, 0 to 1.

        NaN where it is not known.
        """
        shares = (share.share for share in self.shares if share.name.startswith("file "))
        return share_of_time(sum(shares), 1.0)

    def to_json(self) -> dict[str, Any]:
        """Return the digest as plain values."""
        found: dict[str, Any] = plain(self)
        return found
