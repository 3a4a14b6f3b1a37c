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
    """Number of cores that a process kept busy: CPU time over run time; spread over processes."""

    min: float
    mean: float
    max: float


@dataclass(frozen=True)
class Rate:
    """A rate, and the time that it is divided by.

    Attributes:
        value: The rate.
        unit: bytes/s or ops/s.
        over: Description of the time that the rate is divided by.
        seconds: Length of that time, in seconds.
    """

    value: float
    unit: str
    over: str
    seconds: float


@dataclass(frozen=True)
class Share:
    """The share of the processes' run time that was spent in one state.

    Attributes:
        name: Name of the state.
        seconds: Time in the state, summed over processes and threads.
        share: `seconds` divided by the summed lifetime of the processes, 0 to 1. If a share would
            exceed 1, all are divided by the lifetime of the threads. NaN where even that is
            exceeded, so that the lifetime is not known. CPU time and time inside calls overlap.
    """

    name: str
    seconds: float
    share: MaybeNan


@dataclass(frozen=True)
class FileDigest:
    """What a job did with one file, or with the rest: all files that are not listed singly.

    Attributes:
        path: Path of the file; of a long path the end, after "…". "" if names were not recorded,
            and for the rest.
        mount: Identity of the mount that the file is on; "" for the rest.
        hash: Hash of the path, 16 hexadecimal digits; "" for the rest.
        format: HDF5 or netCDF, by the file's first bytes; "" if it is a different format or not
            known, and for the rest.
        files: Number of files: 1, or the number of files in the rest.
        processes: Number of processes that used the file. For the rest: of the file used by most.
        opens: Number of calls that opened the file.
        reads: Number of read calls.
        writes: Number of write calls.
        syncs: Number of calls that synchronised or flushed the file.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        seconds: Time in all calls on the file, summed over processes and threads.
        meta_s: Part of this time that was spent in open, close and other metadata calls.
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
    """What a job did with the files of one format, as far as they were recorded singly.

    Attributes:
        format: HDF5 or netCDF.
        files: Number of these files.
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
        mount: Identity of the mount.
        paths: Paths at which processes saw it mounted.
        type: Type of the file system.
        shared: Whether several nodes share the mount.
        processes: Number of processes with calls on the mount.
        metrics: Spread over these processes of every metric of scope mount that is not zero, by id.
        rates: Rates by name. read_bytes, write_bytes, read_ops and write_ops are per second of the
            job's run time; they are missing where this time is not known. read_service and
            write_service are bytes per second inside the calls, which do not depend on how many
            calls the job made.
        errors: Number of failed calls by class of error.
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
    """How a job reads its files, or how it writes them.

    Attributes:
        direction: read or write.
        ops: Number of calls (posix and stdio).
        bytes: Bytes moved.
        mean_bytes: Mean bytes per call; 0 without calls.
        histogram: Number of calls (posix and stdio) by size, 32 buckets. Bucket b counts sizes in
            [2^(b-1), 2^b); bucket 0 counts size 0, and bucket 31 all sizes from 2^30 on.
        common_low: Lower bound of the most frequent bucket, bytes.
        common_high: Upper bound of the most frequent bucket, exclusive, bytes.
        small_share: Share of the calls in the histogram that are below 4 KiB.
        seeks_per_op: Number of seeks per call, of reads and writes together.
        pattern: Access pattern, in words. It is that of the mount with most of the bytes (see
            AccessPattern), if that is known. Otherwise it follows from the sizes of calls: "many
            small", "large", "mixed sizes" or "none", with "seeking" where seeks are frequent.
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
    """Traffic that the kernel counted, but jostle's wrapped calls did not.

    It comes from io_uring, static code and calls inside libc, or from files that jostle leaves out
    on purpose: pseudo file systems (such as a read of /dev/zero) and excluded paths.

    Attributes:
        direction: read or write.
        system: Bytes by the kernel's count (rchar or wchar).
        wrapped: Bytes of wrapped calls on files and streams.
        bytes: system - wrapped, at least 0. stdio reads ahead, so a few bytes are normal.
        share: bytes / system; 0 without traffic.
        storage: Bytes that reached the storage layer. Traffic of mapped files shows only here.
    """

    direction: str
    system: int
    wrapped: int
    bytes: int
    share: float
    storage: int


@dataclass(frozen=True)
class ProfilerCost:
    """The time that jostle itself cost the job.

    Attributes:
        calls: Number of wrapped calls that were counted.
        heartbeat_s: CPU time of the runtime's threads that write records (heartbeats), in seconds.
        total_s: Estimated cost of calls and heartbeats together, in seconds.
        share_of_cpu: total_s divided by the CPU time of the job; 0 if the job has no CPU time, NaN
            if total_s exceeds the CPU time.
    """

    calls: int
    heartbeat_s: float
    total_s: float
    share_of_cpu: MaybeNan


@dataclass(frozen=True)
class Clock:
    """How well the clocks of the job's nodes agree.

    Attributes:
        synchronised: Whether all processes found their node's clock synchronised.
        error_us: Largest error bound of a clock that a node's kernel reported, µs.
        steps: Number of jumps of clocks that processes saw.
        text: The agreement of the clocks, in one sentence for users; "" for a job on one node.
    """

    synchronised: bool
    error_us: int
    steps: int
    text: str


@dataclass(frozen=True)
class GpuDigest:
    """The copies, launches and kernels of a job on one GPU.

    Attributes:
        host: Node of the GPU.
        gpu: Id of the GPU on its node: PCI bus id, or the UUID of a MIG instance.
        name: Model name; "" unknown.
        memory_bytes: Size of the GPU's memory; 0 unknown.
        to_bytes: Bytes copied from the host to the GPU.
        back_bytes: Bytes copied from the GPU to the host.
        within_bytes: Bytes copied within the GPU's memory.
        peer_bytes: Bytes copied to or from a different GPU.
        to_served: Bytes per second inside copies from the host to the GPU; None without such
            copies.
        back_served: Bytes per second inside copies from the GPU to the host; None without such
            copies.
        launches: Number of launches of kernels and graphs.
        busy_share: Part of the job's run time in which its kernels ran, 0 to 1. None where kernels
            were not recorded, or where the kernels of several processes add up to more than the
            run time.
        lost_records: Number of copies that were not counted, since CUPTI dropped their records.
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
    """The digest of a job: its metrics, each with minimum, mean and maximum over its processes.

    Attributes:
        job: Name of the job.
        programs: Number of processes by program, the most frequent first.
        hosts: Nodes of the job.
        processes: Number of processes with a profile of their own.
        short_processes: Number of processes too short for a profile; they count in totals only.
        start_ns: Start of the first process, ns since the epoch.
        end_ns: End of the last process, or of the last slice seen while the job runs.
        running: Whether some process has not ended.
        seconds: Wall-clock time, in seconds.
        process_seconds: Sum of the lifetimes of all processes, in seconds.
        slice_ns: Lengths of the slices that were recorded, in ns.
        metrics: Spread of every metric that is not zero, by id, without histograms. Metrics of
            mounts are added up over all mounts. For a gauge, the value of a process is its highest
            level.
        mounts: What the job did on each mount, the busiest mount first.
        rates: Rates of the whole job, by name. Rates per second of its run time are missing where
            that is shorter than 1 ms, or too short for the CPU time that was counted.
        shares: How the time of the ranks is divided among states; without ranks that of all
            processes.
        effective_threads: CPU time over lifetime of a process; None where that is not known.
        cores: CPU time divided by the job's wall-clock time, which is the number of cores in use
            on average; NaN where that time is not known.
        access: Sizes and pattern of the job's reads, and of its writes.
        errors: Number of failed calls by class of error.
        unaccounted: Traffic that the kernel counted, but no wrapped call did.
        cost: Time that jostle itself cost the job.
        clock: How well the clocks of the job's nodes agree.
        notes: Notes that the runtime recorded, each once.
        warnings: Warnings of the reader of profiles, each once.
        mpi: The MPI programs, one entry per world; empty without MPI.
        files: The files with most time and bytes, those with most time first; the last entry is
            all other files together. Empty where no process that has ended recorded its files.
        formats: Use of HDF5 and netCDF files, which are recognised by their first bytes; empty
            where no call read or wrote these.
        gpus: Use of each GPU; empty where that was not recorded.
        next: Advice what to examine next in a job without MPI. Advice on MPI programs is in `mpi`.
        binding: Problems that a different binding of processes to cores and GPUs would fix; empty
            if there are none.
        writing: The access pattern of the job's writes on each mount, phase by phase, the mount
            with the most bytes first.
        reading: The access pattern of the job's reads, in the same form.
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
        """Return the share of the ranks' time that was spent in calls on files, 0 to 1.

        Without ranks, the share of all processes' time; NaN where it is not known.
        """
        shares = (share.share for share in self.shares if share.name.startswith("file "))
        return share_of_time(sum(shares), 1.0)

    def to_json(self) -> dict[str, Any]:
        """Return the digest as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found
