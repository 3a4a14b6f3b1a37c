"""The metrics of jostle, as data.

Made by tools/generate.py from schema/metrics.toml; do not edit.
"""
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        id: Name in snake case, module first; the column's name everywhere.
        module: Part of the runtime that counts it.
        kind: counter, timer, gauge or histogram.
        unit: Unit of the value (bytes, ops, ns, threads).
        scope: mount (one value per mount) or process.
        merge: How values of several processes or slices become one: sum or max.
        since: Version that introduced it.
        doc: One sentence.
    """

    id: str
    module: str
    kind: str
    unit: str
    scope: str
    merge: str
    since: str
    doc: str


HIST_BUCKETS: Final = 32
MOUNT_SLOTS: Final = 8

METRICS: Final[tuple[Metric, ...]] = (
    Metric("posix_open_ops", "posix", "counter", "ops", "mount", "sum", "0.1", "Files opened by the open family, creat and mkstemp family."),
    Metric("posix_close_ops", "posix", "counter", "ops", "mount", "sum", "0.1", "Descriptors closed with close."),
    Metric("posix_read_ops", "posix", "counter", "ops", "mount", "sum", "0.1", "Successful calls of the read family on files, and the reading side of sendfile, copy_file_range and splice."),
    Metric("posix_read_bytes", "posix", "counter", "bytes", "mount", "sum", "0.1", "Bytes that the read family returned."),
    Metric("posix_read_ns", "posix", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in the read family."),
    Metric("posix_write_ops", "posix", "counter", "ops", "mount", "sum", "0.1", "Successful calls of the write family on files, and the writing side of sendfile, copy_file_range and splice."),
    Metric("posix_write_bytes", "posix", "counter", "bytes", "mount", "sum", "0.1", "Bytes that the write family accepted."),
    Metric("posix_write_ns", "posix", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in the write family."),
    Metric("posix_seek_ops", "posix", "counter", "ops", "mount", "sum", "0.1", "Calls of lseek."),
    Metric("posix_sync_ops", "posix", "counter", "ops", "mount", "sum", "0.1", "Calls of fsync, fdatasync, sync_file_range and syncfs."),
    Metric("posix_sync_ns", "posix", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in them."),
    Metric("posix_meta_ops", "posix", "counter", "ops", "mount", "sum", "0.1", "Other metadata calls: the stat family, truncate, fallocate, rename, unlink, mkdir, rmdir, opendir, readdir and their kin."),
    Metric("posix_meta_ns", "posix", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in metadata calls, open and close included."),
    Metric("stdio_open_ops", "stdio", "counter", "ops", "mount", "sum", "0.1", "Streams opened by fopen, fdopen, freopen, tmpfile."),
    Metric("stdio_close_ops", "stdio", "counter", "ops", "mount", "sum", "0.1", "Streams closed with fclose."),
    Metric("stdio_read_ops", "stdio", "counter", "ops", "mount", "sum", "0.1", "Calls of the stdio input functions; a character function is one call."),
    Metric("stdio_read_bytes", "stdio", "counter", "bytes", "mount", "sum", "0.1", "Bytes that the stdio input functions delivered to the program."),
    Metric("stdio_read_ns", "stdio", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in input calls that had to ask the kernel."),
    Metric("stdio_write_ops", "stdio", "counter", "ops", "mount", "sum", "0.1", "Calls of the stdio output functions; a character function is one call."),
    Metric("stdio_write_bytes", "stdio", "counter", "bytes", "mount", "sum", "0.1", "Bytes that the stdio output functions accepted."),
    Metric("stdio_write_ns", "stdio", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in output calls that had to ask the kernel."),
    Metric("stdio_seek_ops", "stdio", "counter", "ops", "mount", "sum", "0.1", "Calls of fseek, fseeko, fsetpos and rewind."),
    Metric("stdio_sync_ops", "stdio", "counter", "ops", "mount", "sum", "0.1", "Calls of fflush."),
    Metric("stdio_sync_ns", "stdio", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in them."),
    Metric("stdio_meta_ops", "stdio", "counter", "ops", "mount", "sum", "0.1", "Other stream calls: setvbuf and its kin."),
    Metric("stdio_meta_ns", "stdio", "timer", "ns", "mount", "sum", "0.1", "Wall-clock time spent in them, fopen and fclose included."),
    Metric("error_missing_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with ENOENT, ENOTDIR."),
    Metric("error_access_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with EACCES, EPERM, EROFS."),
    Metric("error_space_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with ENOSPC, EDQUOT, EFBIG."),
    Metric("error_io_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with EIO, ENXIO, ENODEV, EUCLEAN."),
    Metric("error_remote_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ECONNRESET, EREMOTEIO, ESHUTDOWN."),
    Metric("error_again_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with EAGAIN, EINTR, EBUSY, ETXTBSY."),
    Metric("error_limit_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with EMFILE, ENFILE, ENOMEM, ENOLCK."),
    Metric("error_invalid_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with EINVAL, EBADF, EFAULT, ENOSYS, EOPNOTSUPP, EEXIST, EISDIR, ENAMETOOLONG, ELOOP, ESPIPE, EXDEV, ENOTEMPTY."),
    Metric("error_other_ops", "error", "counter", "ops", "mount", "sum", "0.1", "Failed file calls with any other error number."),
    Metric("posix_read_size", "posix", "histogram", "ops", "process", "sum", "0.1", "Sizes of posix read calls."),
    Metric("posix_write_size", "posix", "histogram", "ops", "process", "sum", "0.1", "Sizes of posix write calls."),
    Metric("stdio_read_size", "stdio", "histogram", "ops", "process", "sum", "0.1", "Sizes of stdio read calls, character functions left out."),
    Metric("stdio_write_size", "stdio", "histogram", "ops", "process", "sum", "0.1", "Sizes of stdio write calls, character functions left out."),
    Metric("stream_read_ops", "stream", "counter", "ops", "process", "sum", "0.1", "Successful read calls on sockets, pipes and other descriptors that are no files (read and write families and stdio)."),
    Metric("stream_read_bytes", "stream", "counter", "bytes", "process", "sum", "0.1", "Bytes of them."),
    Metric("stream_read_ns", "stream", "timer", "ns", "process", "sum", "0.1", "Wall-clock time of them."),
    Metric("stream_write_ops", "stream", "counter", "ops", "process", "sum", "0.1", "Successful write calls on sockets, pipes and other descriptors that are no files (read and write families and stdio)."),
    Metric("stream_write_bytes", "stream", "counter", "bytes", "process", "sum", "0.1", "Bytes of them."),
    Metric("stream_write_ns", "stream", "timer", "ns", "process", "sum", "0.1", "Wall-clock time of them."),
    Metric("os_read_chars", "os", "counter", "bytes", "process", "sum", "0.1", "Bytes that read calls of any origin returned (rchar of /proc/PID/io); our own and those of children that were waited for are left out."),
    Metric("os_write_chars", "os", "counter", "bytes", "process", "sum", "0.1", "Bytes that write calls of any origin accepted (wchar); our own and those of children that were waited for are left out."),
    Metric("os_read_bytes", "os", "counter", "bytes", "process", "sum", "0.1", "Bytes fetched from the storage layer (read_bytes)."),
    Metric("os_write_bytes", "os", "counter", "bytes", "process", "sum", "0.1", "Bytes sent to the storage layer (write_bytes)."),
    Metric("os_read_calls", "os", "counter", "ops", "process", "sum", "0.1", "Read system calls (syscr), our own left out."),
    Metric("os_write_calls", "os", "counter", "ops", "process", "sum", "0.1", "Write system calls (syscw), our own left out."),
    Metric("os_user_ns", "os", "counter", "ns", "process", "sum", "0.1", "CPU time in user mode, all threads but our own."),
    Metric("os_system_ns", "os", "counter", "ns", "process", "sum", "0.1", "CPU time in the kernel, all threads but our own."),
    Metric("os_runqueue_ns", "os", "counter", "ns", "process", "sum", "0.1", "Time threads were ready to run but waited for a core (schedstat); the main thread and up to 15 others."),
    Metric("os_voluntary_switches", "os", "counter", "ops", "process", "sum", "0.1", "Voluntary context switches, our own left out."),
    Metric("os_involuntary_switches", "os", "counter", "ops", "process", "sum", "0.1", "Involuntary context switches, our own left out."),
    Metric("os_minor_faults", "os", "counter", "ops", "process", "sum", "0.1", "Page faults served without I/O, our own left out."),
    Metric("os_major_faults", "os", "counter", "ops", "process", "sum", "0.1", "Page faults that needed I/O, our own left out."),
    Metric("os_rss_bytes", "os", "gauge", "bytes", "process", "sum", "0.1", "Resident memory at the end of the slice."),
    Metric("os_threads", "os", "gauge", "threads", "process", "sum", "0.1", "Threads at the end of the slice, our own left out."),
    Metric("self_calls_ops", "self", "counter", "ops", "process", "sum", "0.1", "Wrapped calls that were counted."),
    Metric("self_heartbeat_ns", "self", "counter", "ns", "process", "sum", "0.1", "CPU time of the heartbeat."),
    Metric("self_cost_ns", "self", "counter", "ns", "process", "sum", "0.1", "Estimated time that jostle cost the program: wrapped calls at their calibrated price, and the heartbeat."),
)

BY_ID: Final[dict[str, Metric]] = {m.id: m for m in METRICS}
MOUNT_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.scope == "mount")
PROCESS_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.scope == "process")
HISTOGRAM_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.kind == "histogram")
