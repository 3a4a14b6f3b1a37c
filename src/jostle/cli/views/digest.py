"""Shows the digest of a job as text and tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, path_end, table, utf8
from jostle.cli.views.access_patterns import patterns_view
from jostle.cli.views.among_runs import figures_view
from jostle.cli.views.bindings import binding_view
from jostle.cli.views.mpi_world import all_advice, next_view, world_view
from jostle.report.format.values import (
    alike,
    byte_count,
    count,
    duration,
    local_time,
    percent,
    quantity,
    significant,
)
from jostle.report.models.job.digest import (
    busy_mounts,
    cpu_seconds,
    gpu_wait,
    mount_traffic,
    own_share,
)
from jostle.report.models.job.finishing import finding, tail_share
from jostle.schema.metrics import BY_ID

if TYPE_CHECKING:
    from jostle.analysis import AccessShape, JobDigest, MountDigest, Spread
    from jostle.analysis.digest.finishing import Finishing

_ERRORS = {
    "missing": "no such file",
    "access": "permission denied",
    "space": "no space or quota",
    "io": "I/O error",
    "remote": "server does not answer",
    "again": "try again or busy",
    "limit": "too many files or no memory",
    "invalid": "invalid call",
    "other": "other",
}
#: Least CPU time for which the share of jostle is shown.
_LEAST_CPU_S = 0.1
_PAST = {"read": "read", "write": "written"}
#: Columns of the table of processes, if they are not zero.
_PER_PROCESS = {
    "posix_read_bytes": "read, posix",
    "stdio_read_bytes": "read, stdio",
    "posix_write_bytes": "written, posix",
    "stdio_write_bytes": "written, stdio",
    "stream_read_bytes": "received (sockets, pipes)",
    "stream_write_bytes": "sent (sockets, pipes)",
    "os_user_ns": "user CPU",
    "os_system_ns": "system CPU",
    "os_runqueue_ns": "waiting for a core",
    "os_rss_bytes": "resident memory, peak",
    "os_threads": "threads, peak",
    "os_major_faults": "major faults",
    "os_involuntary_switches": "involuntary switches",
}


def processes_text(digest: JobDigest) -> str:
    """Return the numbers of processes, threads and nodes as text."""
    number = digest.processes + digest.short_processes
    words = [f"{count(number)} process{'es' if number != 1 else ''}"]
    if digest.short_processes:
        words[0] += f" ({count(digest.short_processes)} short-lived)"
    threads = digest.metrics.get("os_threads")
    if threads and threads.total > digest.processes:
        words.append(f"{count(threads.total)} threads at most")
    if len(digest.hosts) > 1:
        words.append(f"{len(digest.hosts)} nodes")
    programs = [f"{name} {count(times)}" for name, times in list(digest.programs.items())[:4]]
    more = ", ..." if len(digest.programs) > 4 else ""
    return ", ".join(words) + f": {', '.join(programs)}{more}"


def mount_name(mount: MountDigest) -> str:
    """Return a mount's name for users: its path; its identity if nodes share it."""
    paths = [path for path in mount.paths if path]
    if not paths:
        return mount.mount
    return f"{paths[0]} ({mount.mount})" if mount.shared else paths[0]


def own_cost(digest: JobDigest) -> str:
    """Return the cost of jostle as text."""
    cost = (
        f"jostle itself {duration(digest.cost.total_s * 1e9)}: {percent(own_share(digest))} of "
        "the processes' time"
    )
    if cpu_seconds(digest) < _LEAST_CPU_S:
        return cost
    return f"{cost}, {percent(digest.cost.share_of_cpu)} of their CPU time"


def view(
    digest: JobDigest, among: Mapping[str, Any], every: Sequence[Finishing] = ()
) -> Iterator[Any]:
    """Yield the digest as lines and tables.

    Args:
        digest: The digest.
        among: Numbers of the job compared with other runs: see
            `report.models.among_runs.figures_of`.
        every: Ends of its processes' I/O on each mount: `report.models.finishing.finishing_of`.
    """
    state = "running since" if digest.running else "from"
    lengths = ", ".join(duration(length) for length in digest.slice_ns)
    yield heading(digest.job, f"  {processes_text(digest)}")
    yield (
        f"{state} {local_time(digest.start_ns)}, {duration(digest.seconds * 1e9)}; "
        f"slices of {lengths}; nodes: {_few(digest.hosts)}"
    )
    for world in digest.mpi:
        yield ""
        yield from world_view(world)
    if busy_mounts(digest):
        yield from ("", heading("Files, by mount"), _mounts(digest))
        yield from _finishing(digest, every)
    if digest.files:
        note = " of processes that ended" if digest.running else ""
        yield from ("", heading("Files", note), _files(digest))
        for use in digest.formats:
            yield (
                f"{use.format}: {count(use.files)} file{'s' if use.files != 1 else ''}, "
                f"{byte_count(use.read_bytes)} read, {byte_count(use.write_bytes)} written, "
                f"{duration(use.seconds * 1e9)} in calls"
            )
    if digest.gpus:
        yield from ("", heading("GPUs"), _gpus(digest))
        yield from _gpu_wait(digest)
        yield from _lost_records(digest)
    if any(access.ops for access in digest.access):
        yield from ("", heading("How they were accessed"), _access(digest))
    for patterns, done in ((digest.writing, "written"), (digest.reading, "read")):
        named = [each for each in patterns if each.pattern != "none" and each.followed]
        if named:
            yield from ("", heading(f"How they were {done}, by mount"))
            yield from patterns_view(named, digest)
    shares = [share for share in digest.shares if share.seconds > 0]
    if shares and not any(world.shares for world in digest.mpi):
        yield from ("", heading("Where the time went", " (may overlap)"), _shares(digest))
        if any(math.isnan(share.share) for share in shares):
            yield (
                "shares shown as - are unknown: more time was counted than the known "
                "lifetime of the processes; the end or the threads of one were not recorded"
            )
    # If ranks exist, mpirun and similar processes are left out of minimum and mean.
    single = len(digest.mpi) == 1
    metrics = digest.mpi[0].metrics if single else digest.metrics
    shown = [name for name in _PER_PROCESS if name in metrics]
    if shown:
        yield from ("", heading("Per rank" if single else "Per process"), _spreads(metrics, shown))
    yield from figures_view(among)
    yield ""
    if digest.errors:
        failed = [f"{_ERRORS.get(name, name)} {count(n)}" for name, n in digest.errors.items()]
        yield f"failed calls: {', '.join(failed)}"
    yield from unaccounted(digest)
    yield f"{own_cost(digest)}; {count(digest.cost.calls)} calls counted"
    if digest.clock.text:
        yield digest.clock.text
    yield from (f"note: {note}" for note in alike(digest.notes))
    yield from (heading("warning:", f" {warning}") for warning in digest.warnings)
    yield from next_view(all_advice(digest), digest.job)
    yield from binding_view(digest.binding)


def _few(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _mounts(digest: JobDigest) -> Any:
    frame = table(
        [
            "=mount",
            "=type",
            ">read",
            ">written",
            ">reads",
            ">writes",
            ">opens",
            ">metadata",
            ">read served at",
            ">write served at",
        ]
    )
    shown = Counter(mount_name(mount) for mount in busy_mounts(digest))
    for mount in busy_mounts(digest):
        name = mount_name(mount)
        if shown[name] > 1:
            name = f"{name} ({mount.mount})"  # each node has a separate one
        moved = mount_traffic(mount)
        served = [
            byte_count(mount.rates[key].value) + "/s" if key in mount.rates else "-"
            for key in ("read_service", "write_service")
        ]
        frame.add_row(
            name,
            mount.type,
            byte_count(moved["read_bytes"]),
            byte_count(moved["write_bytes"]),
            *(count(moved[name]) for name in ("read_ops", "write_ops", "open_ops", "meta_ops")),
            *served,
        )
    return fit(frame, "opens", "metadata", "write served at", "read served at", "type")


def _gpus(digest: JobDigest) -> Any:
    frame = table(
        [
            "=GPU",
            "=node",
            "=make",
            ">to GPU",
            ">from GPU",
            ">within GPU",
            ">other GPUs",
            ">to GPU at",
            ">from GPU at",
            ">launches",
            ">computing",
        ]
    )
    for gpu in digest.gpus:
        served = [
            byte_count(value) + "/s" if value is not None else "-"
            for value in (gpu.to_served, gpu.back_served)
        ]
        moved = (gpu.to_bytes, gpu.back_bytes, gpu.within_bytes, gpu.peer_bytes)
        frame.add_row(
            gpu.gpu or "unknown",
            gpu.host,
            gpu.name or "-",
            *map(byte_count, moved),
            *served,
            count(gpu.launches),
            percent(gpu.busy_share) if gpu.busy_share is not None else "-",
        )
    return fit(frame, "within GPU", "make", "other GPUs", "node", "launches", "from GPU at")


def _gpu_wait(digest: JobDigest) -> Iterator[str]:
    waited = gpu_wait(digest)
    if waited.seconds > 0:
        yield (
            f"waiting for GPUs: {duration(waited.seconds * 1e9)} in calls that wait, "
            f"{percent(waited.share)} of the {'ranks' if digest.mpi else 'processes'}' time"
        )


def _lost_records(digest: JobDigest) -> Iterator[str]:
    lost = sum(gpu.lost_records for gpu in digest.gpus)
    if lost:
        yield f"{count(lost)} copies are not counted: CUPTI dropped their records"


def _finishing(digest: JobDigest, every: Sequence[Finishing]) -> Iterator[str]:
    """Yield findings on the ends of processes: a tail-off, a slow server."""
    names = {mount.mount: mount_name(mount) for mount in digest.mounts}
    for each in every:
        if each.notable:
            more = f"; {tail_share(each)}" if each.late else ""
            yield f"{names.get(each.mount, each.mount)}: {finding(each)}{more}"


def _files(digest: JobDigest) -> Any:
    paths = {mount.mount: mount_name(mount) for mount in digest.mounts}
    formats = any(file.format for file in digest.files)
    frame = table(
        [
            "=file",
            *["=format"] * formats,
            "=mount",
            ">time",
            ">read",
            ">written",
            ">opens",
            ">processes",
        ]
    )
    for file in digest.files:
        single = bool(file.hash)
        frame.add_row(
            path_end(file.path or f"file {file.hash}", 64)
            if single
            else f"{count(file.files)} other{'s' if file.files != 1 else ''}",
            *[file.format] * formats,
            paths.get(file.mount, file.mount) if single else "",
            duration(file.seconds * 1e9),
            byte_count(file.read_bytes),
            byte_count(file.write_bytes),
            count(file.opens),
            count(file.processes),
        )
    return fit(frame, "mount", "opens", "processes")


def _access(digest: JobDigest) -> Any:
    frame = table(
        ["=", ">calls", ">mean size", "=most common size", "=pattern", ">seeks/call", "=sizes"]
    )
    for access in digest.access:
        if access.ops:
            frame.add_row(
                access.direction,
                count(access.ops),
                byte_count(access.mean_bytes),
                _common(access),
                access.pattern if access.pattern != "none" else "-",
                significant(access.seeks_per_op),
                histogram(access.histogram),
            )
    return fit(frame, "seeks/call", "most common size", "mean size")


def _common(access: AccessShape) -> str:
    if not access.common_high:
        return "-"
    if not access.common_low:
        return "0 B"
    return f"{_edge(access.common_low)} to {_edge(access.common_high)}"


def _edge(size: int) -> str:
    """Return a power of two without decimals."""
    return byte_count(size).replace(".00", "").replace(".0", "")


def histogram(buckets: list[int]) -> str:
    """Draw the used part of a log2 histogram between its bounds: `4 KiB ▁▃█ 1 MiB`."""
    used = [place for place, number in enumerate(buckets) if number]
    if not used:
        return "-"
    bars = " ▁▂▃▄▅▆▇█" if utf8() else " .:+*%#"
    first, last, most = used[0], used[-1], max(buckets)
    drawn = "".join(
        bars[max(1, round(number / most * (len(bars) - 1)))] if number else bars[0]
        for number in buckets[first : last + 1]
    )
    low = _edge(2 ** (first - 1)) if first else "0 B"
    return f"{low} {drawn} {_edge(2**last)}"


def _shares(digest: JobDigest) -> Any:
    frame = table(["=", ">time", ">share", "="])
    full, empty = ("█", "·") if utf8() else ("#", ".")
    for share in digest.shares:
        if share.seconds > 0:
            filled = 0 if math.isnan(share.share) else round(share.share * 20)
            bar = full * filled + empty * (20 - filled)
            frame.add_row(share.name, duration(share.seconds * 1e9), percent(share.share), bar)
    return frame


def _spreads(metrics: Mapping[str, Spread], names: list[str]) -> Any:
    frame = table(["=", ">least", ">mean", ">most", ">all together"])
    for name in names:
        unit, spread = BY_ID[name].unit, metrics[name]
        frame.add_row(
            _PER_PROCESS[name],
            quantity(spread.min, unit),
            quantity(spread.mean, unit),
            quantity(spread.max, unit),
            quantity(spread.total, unit),
        )
    return frame


def unaccounted(digest: JobDigest) -> Iterator[str]:
    """Yield the traffic that the kernel counted, but no wrapped call, if it is more than noise."""
    for part in digest.unaccounted:
        if part.share > 0.05 and part.bytes > 1 << 20:
            yield (
                f"unaccounted: {byte_count(part.bytes)} {_PAST[part.direction]}, "
                f"{percent(part.share)} of what the kernel saw "
                "(devices, io_uring, static code, library internals)"
            )
