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
    Metric("mpi_send_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: blocking sends (MPI_Send, Bsend, Ssend, Rsend)."),
    Metric("mpi_send_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes sent by them."),
    Metric("mpi_send_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in blocking sends (MPI_Send, Bsend, Ssend, Rsend)."),
    Metric("mpi_recv_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: blocking receives (MPI_Recv, Mrecv)."),
    Metric("mpi_recv_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of room in their receive buffers, whatever arrived."),
    Metric("mpi_recv_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in blocking receives (MPI_Recv, Mrecv)."),
    Metric("mpi_sendrecv_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Sendrecv and MPI_Sendrecv_replace."),
    Metric("mpi_sendrecv_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes sent, plus room to receive."),
    Metric("mpi_sendrecv_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Sendrecv and MPI_Sendrecv_replace."),
    Metric("mpi_isend_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: non-blocking sends, and persistent and partitioned sends when they are started."),
    Metric("mpi_isend_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes sent by them."),
    Metric("mpi_isend_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in non-blocking sends, and persistent and partitioned sends when they are started."),
    Metric("mpi_irecv_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: non-blocking receives, and persistent and partitioned ones when they are started."),
    Metric("mpi_irecv_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of room in their receive buffers."),
    Metric("mpi_irecv_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in non-blocking receives, and persistent and partitioned ones when they are started."),
    Metric("mpi_probe_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Probe, Iprobe, Mprobe and Improbe."),
    Metric("mpi_probe_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Probe, Iprobe, Mprobe and Improbe."),
    Metric("mpi_wait_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Wait, Waitall, Waitany and Waitsome."),
    Metric("mpi_wait_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Wait, Waitall, Waitany and Waitsome."),
    Metric("mpi_test_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Test, Testall, Testany, Testsome and Request_get_status."),
    Metric("mpi_test_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Test, Testall, Testany, Testsome and Request_get_status."),
    Metric("mpi_request_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: calls that make, start, cancel or free requests."),
    Metric("mpi_request_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in calls that make, start, cancel or free requests."),
    Metric("mpi_one_to_all_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: blocking MPI_Bcast, Scatter and Scatterv."),
    Metric("mpi_one_to_all_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of the broadcast buffer on every rank; of a scatter what the root sends to all, and what the others receive."),
    Metric("mpi_one_to_all_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in blocking MPI_Bcast, Scatter and Scatterv."),
    Metric("mpi_all_to_one_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: blocking MPI_Reduce, Gather and Gatherv."),
    Metric("mpi_all_to_one_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of this rank's contribution."),
    Metric("mpi_all_to_one_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in blocking MPI_Reduce, Gather and Gatherv."),
    Metric("mpi_all_to_all_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: blocking MPI_Allreduce, Allgather(v), Alltoall(v,w) and Reduce_scatter(_block)."),
    Metric("mpi_all_to_all_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of this rank's contribution: the vector of a reduction, its part of an allgather, what it sends to all in an alltoall."),
    Metric("mpi_all_to_all_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in blocking MPI_Allreduce, Allgather(v), Alltoall(v,w) and Reduce_scatter(_block)."),
    Metric("mpi_barrier_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Barrier."),
    Metric("mpi_barrier_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Barrier."),
    Metric("mpi_scan_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: blocking MPI_Scan and Exscan."),
    Metric("mpi_scan_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of this rank's contribution."),
    Metric("mpi_scan_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in blocking MPI_Scan and Exscan."),
    Metric("mpi_neighbor_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: blocking neighbourhood collectives."),
    Metric("mpi_neighbor_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes sent to all neighbours."),
    Metric("mpi_neighbor_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in blocking neighbourhood collectives."),
    Metric("mpi_ione_to_all_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: non-blocking MPI_Ibcast and Iscatter(v), and persistent ones when started."),
    Metric("mpi_ione_to_all_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes as for mpi_one_to_all_bytes."),
    Metric("mpi_ione_to_all_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in non-blocking MPI_Ibcast and Iscatter(v), and persistent ones when started."),
    Metric("mpi_iall_to_one_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: non-blocking MPI_Ireduce and Igather(v), and persistent ones when started."),
    Metric("mpi_iall_to_one_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes as for mpi_all_to_one_bytes."),
    Metric("mpi_iall_to_one_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in non-blocking MPI_Ireduce and Igather(v), and persistent ones when started."),
    Metric("mpi_iall_to_all_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: non-blocking all-to-all-shaped collectives, and persistent ones when started."),
    Metric("mpi_iall_to_all_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes as for mpi_all_to_all_bytes."),
    Metric("mpi_iall_to_all_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in non-blocking all-to-all-shaped collectives, and persistent ones when started."),
    Metric("mpi_ibarrier_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Ibarrier, and persistent barriers when started."),
    Metric("mpi_ibarrier_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Ibarrier, and persistent barriers when started."),
    Metric("mpi_iscan_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: non-blocking MPI_Iscan and Iexscan, and persistent ones when started."),
    Metric("mpi_iscan_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes as for mpi_scan_bytes."),
    Metric("mpi_iscan_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in non-blocking MPI_Iscan and Iexscan, and persistent ones when started."),
    Metric("mpi_ineighbor_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: non-blocking neighbourhood collectives, and persistent ones when started."),
    Metric("mpi_ineighbor_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes as for mpi_neighbor_bytes."),
    Metric("mpi_ineighbor_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in non-blocking neighbourhood collectives, and persistent ones when started."),
    Metric("mpi_put_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Put and Rput."),
    Metric("mpi_put_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of the origin buffer."),
    Metric("mpi_put_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Put and Rput."),
    Metric("mpi_get_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Get and Rget."),
    Metric("mpi_get_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of the origin buffer."),
    Metric("mpi_get_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Get and Rget."),
    Metric("mpi_accumulate_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Accumulate, Get_accumulate, Fetch_and_op, Compare_and_swap and their request forms."),
    Metric("mpi_accumulate_bytes", "mpi", "counter", "bytes", "process", "sum", "0.2", "Bytes of the origin buffer."),
    Metric("mpi_accumulate_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Accumulate, Get_accumulate, Fetch_and_op, Compare_and_swap and their request forms."),
    Metric("mpi_rma_sync_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: synchronisation of one-sided communication: fence, post, start, complete, wait, lock, unlock, flush, sync."),
    Metric("mpi_rma_sync_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in synchronisation of one-sided communication: fence, post, start, complete, wait, lock, unlock, flush, sync."),
    Metric("mpi_window_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: calls that make, change or free windows."),
    Metric("mpi_window_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in calls that make, change or free windows."),
    Metric("mpiio_open_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_File_open."),
    Metric("mpiio_open_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in MPI_File_open."),
    Metric("mpiio_close_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_File_close."),
    Metric("mpiio_close_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in MPI_File_close."),
    Metric("mpiio_sync_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_File_sync."),
    Metric("mpiio_sync_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in MPI_File_sync."),
    Metric("mpiio_meta_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: views, seeks, sizes, preallocation, deletion and other MPI-IO calls that move no data."),
    Metric("mpiio_meta_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in views, seeks, sizes, preallocation, deletion and other MPI-IO calls that move no data."),
    Metric("mpiio_read_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: independent MPI-IO reads, non-blocking ones included."),
    Metric("mpiio_read_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes asked for."),
    Metric("mpiio_read_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in independent MPI-IO reads, non-blocking ones included."),
    Metric("mpiio_read_all_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: collective MPI-IO reads."),
    Metric("mpiio_read_all_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes asked for."),
    Metric("mpiio_read_all_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in collective MPI-IO reads."),
    Metric("mpiio_read_shared_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: MPI-IO reads with the shared file pointer, ordered ones included."),
    Metric("mpiio_read_shared_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes asked for."),
    Metric("mpiio_read_shared_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in MPI-IO reads with the shared file pointer, ordered ones included."),
    Metric("mpiio_read_split_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: split collective MPI-IO reads, counted at their begin."),
    Metric("mpiio_read_split_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes asked for."),
    Metric("mpiio_read_split_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in split collective MPI-IO reads, counted at their begin."),
    Metric("mpiio_write_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: independent MPI-IO writes, non-blocking ones included."),
    Metric("mpiio_write_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes passed."),
    Metric("mpiio_write_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in independent MPI-IO writes, non-blocking ones included."),
    Metric("mpiio_write_all_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: collective MPI-IO writes."),
    Metric("mpiio_write_all_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes passed."),
    Metric("mpiio_write_all_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in collective MPI-IO writes."),
    Metric("mpiio_write_shared_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: MPI-IO writes with the shared file pointer, ordered ones included."),
    Metric("mpiio_write_shared_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes passed."),
    Metric("mpiio_write_shared_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in MPI-IO writes with the shared file pointer, ordered ones included."),
    Metric("mpiio_write_split_ops", "mpiio", "counter", "ops", "process", "sum", "0.2", "Calls: split collective MPI-IO writes, counted at their begin."),
    Metric("mpiio_write_split_bytes", "mpiio", "counter", "bytes", "process", "sum", "0.2", "Bytes passed."),
    Metric("mpiio_write_split_ns", "mpiio", "timer", "ns", "process", "sum", "0.2", "Time in split collective MPI-IO writes, counted at their begin."),
    Metric("mpi_comm_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: calls that make or free communicators and topologies."),
    Metric("mpi_comm_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in calls that make or free communicators and topologies."),
    Metric("mpi_spawn_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: process management: spawn, connect, accept, disconnect, ports and names."),
    Metric("mpi_spawn_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in process management: spawn, connect, accept, disconnect, ports and names."),
    Metric("mpi_init_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Init, Init_thread and Session_init."),
    Metric("mpi_init_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Init, Init_thread and Session_init."),
    Metric("mpi_finalize_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Finalize and Session_finalize."),
    Metric("mpi_finalize_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Finalize and Session_finalize."),
    Metric("mpi_abort_ops", "mpi", "counter", "ops", "process", "sum", "0.2", "Calls: MPI_Abort."),
    Metric("mpi_abort_ns", "mpi", "timer", "ns", "process", "sum", "0.2", "Time in MPI_Abort."),
    Metric("state_p2p_ns", "state", "timer", "ns", "process", "sum", "0.2", "Time in point-to-point calls, completion included, summed over threads, booked in the slice in which it passed; of nested calls only the outermost counts."),
    Metric("state_collective_ns", "state", "timer", "ns", "process", "sum", "0.2", "Time in collective calls, summed over threads, booked in the slice in which it passed; of nested calls only the outermost counts."),
    Metric("state_onesided_ns", "state", "timer", "ns", "process", "sum", "0.2", "Time in one-sided communication, summed over threads, booked in the slice in which it passed; of nested calls only the outermost counts."),
    Metric("state_mpiio_ns", "state", "timer", "ns", "process", "sum", "0.2", "Time in MPI-IO, summed over threads, booked in the slice in which it passed; of nested calls only the outermost counts."),
    Metric("state_mpi_ns", "state", "timer", "ns", "process", "sum", "0.2", "Time in other MPI calls: start and end, communicators, requests, processes, summed over threads, booked in the slice in which it passed; of nested calls only the outermost counts."),
    Metric("state_io_ns", "state", "timer", "ns", "process", "sum", "0.2", "Time in file and stdio calls outside MPI, summed over threads, booked in the slice in which it passed; of nested calls only the outermost counts."),
    Metric("wait_mpi_ns", "wait", "timer", "ns", "process", "sum", "0.2", "Time in MPI calls beyond what a call of its site and size usually takes (the running lower quartile)."),
    Metric("wait_offcpu_ns", "wait", "timer", "ns", "process", "sum", "0.2", "Time off the CPU in the gaps between MPI calls; sampled at most once a millisecond, a lower bound."),
    Metric("perf_instructions", "perf", "counter", "count", "process", "sum", "0.2", "Instructions completed in user mode."),
    Metric("perf_cycles", "perf", "counter", "count", "process", "sum", "0.2", "CPU cycles in user mode."),
    Metric("perf_llc_misses", "perf", "counter", "count", "process", "sum", "0.2", "Misses of the last-level cache."),
    Metric("perf_task_clock_ns", "perf", "counter", "ns", "process", "sum", "0.2", "Time on a CPU, as the kernel's performance counters see it."),
    Metric("perf_switches", "perf", "counter", "count", "process", "sum", "0.2", "Context switches, as the kernel's performance counters see them."),
    Metric("perf_migrations", "perf", "counter", "count", "process", "sum", "0.2", "Moves to another CPU."),
    Metric("perf_faults", "perf", "counter", "count", "process", "sum", "0.2", "Page faults, as the kernel's performance counters see them."),
    Metric("papi_1_count", "papi", "counter", "count", "process", "sum", "0.2", "PAPI event 1 of JOSTLE_PAPI; the profile's head has its name."),
    Metric("papi_2_count", "papi", "counter", "count", "process", "sum", "0.2", "PAPI event 2 of JOSTLE_PAPI; the profile's head has its name."),
    Metric("papi_3_count", "papi", "counter", "count", "process", "sum", "0.2", "PAPI event 3 of JOSTLE_PAPI; the profile's head has its name."),
    Metric("papi_4_count", "papi", "counter", "count", "process", "sum", "0.2", "PAPI event 4 of JOSTLE_PAPI; the profile's head has its name."),
)

BY_ID: Final[dict[str, Metric]] = {m.id: m for m in METRICS}
MOUNT_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.scope == "mount")
PROCESS_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.scope == "process")
HISTOGRAM_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.kind == "histogram")
