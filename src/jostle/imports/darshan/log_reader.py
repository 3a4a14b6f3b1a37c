"""Reads one Darshan log with the package `darshan`, in a separate process.

Only the package's back end is used, a C library that converts the records of all versions of
Darshan to those of the newest version. The output consists of plain numbers (message.py).

    python -m jostle.imports.darshan.log_reader

reads paths from its standard input, one per line, and answers each with a message.
"""

from __future__ import annotations

import contextlib
import os
import resource
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from jostle.imports.darshan.message import Arrays, pack

#: Memory limit of the process: a log has megabytes, its content at most a few gigabytes.
_MOST_MEMORY = 6 << 30
#: Records and traced operations that are read of one log; one that has more is set aside.
_MOST_BYTES = 2 << 30
_MOST_NAMES = 2_000_000
_COUNTED = {"POSIX": "struct darshan_posix_file", "STDIO": "struct darshan_stdio_file"}
_COUNTED |= {"MPI-IO": "struct darshan_mpiio_file"}
#: Modules whose records only say that a file is of a format.
FORMATS = {"H5F": "struct darshan_hdf5_file", "PNETCDF_FILE": "struct darshan_pnetcdf_file"}
#: Not used, but a log that has them is complete.
_UNUSED = ("DXT_MPIIO", "H5D", "PNETCDF_VAR")
#: Modules whose traffic bypasses POSIX; they are not read.
_BEYOND = ("DFS", "DAOS", "MDHIM")


class LogError(ValueError):
    """A log cannot be used; the message is the reason, a part of a sentence."""


def read_log(path: str) -> tuple[dict[str, Any], Arrays]:
    """Read all of a log.

    Args:
        path: Path of the log.

    Returns:
        The values of the log's header, with `file` (see `DarshanLog`), and the records as arrays. A
        module M with counters has the arrays M.id, M.rank, M.counters and M.fcounters, with one row
        per record. `_Reader` names the arrays of bins, traced operations and storage targets.

    Raises:
        LogError: The file is no log, or is damaged.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise LogError(f"the file cannot be opened: {error.strerror}") from error
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise LogError("it is no regular file")
        # The owner must be that of what is read: at the path may be another file by now.
        header, arrays = _read(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
    header["file"] = [info.st_uid, info.st_size]
    return header, arrays


def _read(path: str) -> tuple[dict[str, Any], Arrays]:
    from darshan.backend import cffi_backend as backend

    log = backend.log_open(path)
    if not log["handle"]:
        raise LogError("the file cannot be opened as a Darshan log")
    try:
        reader = _Reader(backend, log)
        header: dict[str, Any] = {"job": reader.job(), "exe": reader.words(backend.log_get_exe)}
        header["mounts"] = reader.words(backend.log_get_mounts)
        arrays: Arrays = {}
        reader.read_modules(header, arrays)
        reader.read_names(header, arrays)
    finally:
        backend.log_close(log)
    return header, arrays


class _Reader:
    """Reads the parts of one open log."""

    def __init__(self, backend: Any, log: Any) -> None:
        self._backend, self._log = backend, log
        self._ffi, self._library = backend.ffi, backend.libdutil
        self._left = _MOST_BYTES
        self._modules: dict[str, Any] = {}

    def job(self) -> dict[str, Any]:
        """Return the record of the job: user, times and number of processes."""
        record = self._ffi.new("struct darshan_job *")
        if self._library.darshan_log_get_job(self._log["handle"], record) < 0:
            raise LogError("the record of its job cannot be read")
        found = self._backend.log_get_job(self._log)
        found["metadata"] = {str(k): str(v)[:200] for k, v in found["metadata"].items()}
        return dict(found)

    def words(self, read: Any) -> Any:
        try:
            return read(self._log)
        except UnicodeDecodeError as error:
            raise LogError("its text is no UTF-8") from error

    def read_modules(self, header: dict[str, Any], arrays: Arrays) -> None:
        self._modules = self._backend.log_get_modules(self._log)
        header["modules"] = {
            name: {"partial": bool(about["partial_flag"])} for name, about in self._modules.items()
        }
        header["counters"] = {}
        header["beyond"] = [name for name in _BEYOND if name in self._modules]
        for module, struct in (_COUNTED | FORMATS).items():
            if module in self._modules:
                arrays |= self._counted(module, struct)
        for module in _COUNTED:
            if module in self._modules:
                header["counters"][module] = [
                    list(self._backend.counter_names(module)),
                    list(self._backend.fcounter_names(module)),
                ]
        for module, read in (
            ("LUSTRE", self._targets),
            ("HEATMAP", self._bins),
            ("DXT_POSIX", self._operations),
            ("APMPI", self._nodes),
        ):
            if module in self._modules:
                read(header, arrays)
        for module in _UNUSED:
            if module in self._modules:
                for _ in self._records(module):
                    pass

    def read_names(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Read the names of the records in the log."""
        wanted: set[int] = set()
        for name, values in arrays.items():
            if name.endswith(".id") and name != "HEATMAP.id":
                wanted.update(values.tolist())
        names = self.words(self._backend.log_get_name_records)
        if len(names) > _MOST_NAMES:
            raise LogError(f"it has names of {len(names)} files; {_MOST_NAMES} can be read")
        known = {key: name for key, name in names.items() if key in wanted}
        arrays["names.id"] = np.array(list(known), dtype=np.uint64)
        header["names"] = list(known.values())
        header["bins"] = {
            str(key): name for key, name in names.items() if name.startswith("heatmap:")
        }

    def _records(self, module: str) -> Iterator[Any]:
        """Yield pointers to the records of a module, each valid until the next one."""
        handle, number = self._log["handle"], self._modules[module]["idx"]
        while True:
            buffer = self._ffi.new("void **")
            state = self._library.darshan_log_get_record(handle, number, buffer)
            if state < 0:
                raise LogError(f"its records of {module} cannot be read to their end")
            if state == 0:
                return
            try:
                yield buffer
            finally:
                self._library.darshan_free(buffer[0])

    def _take(self, size: int) -> None:
        self._left -= size
        if size < 0 or self._left < 0:
            raise LogError(f"its records take more than {_MOST_BYTES >> 30} GiB")

    def _bytes(self, pointer: Any, size: int) -> bytes:
        self._take(size)
        return bytes(self._ffi.buffer(pointer, size)) if size else b""

    def _counted(self, module: str, struct: str) -> Arrays:
        ffi = self._ffi
        size = ffi.sizeof(struct)
        sample = ffi.new(f"{struct} *")
        extra = 8 if module in ("H5D", "PNETCDF_VAR") else 0
        shape = [
            ("id", "<u8"),
            ("rank", "<i8"),
            ("more", f"V{extra}"),
            ("counters", "<i8", (len(sample.counters),)),
            ("fcounters", "<f8", (len(sample.fcounters),)),
        ]
        raw = b"".join(self._bytes(buffer[0], size) for buffer in self._records(module))
        rows = np.frombuffer(raw, dtype=np.dtype(shape))
        fields = ("id", "rank") if module in FORMATS else ("id", "rank", "counters", "fcounters")
        return {f"{module}.{name}": np.ascontiguousarray(rows[name]) for name in fields}

    def _targets(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Read the storage targets of files: LUSTRE.id, .rank, .count and .target."""
        ids, ranks, counts, targets = [], [], [], []
        for buffer in self._records("LUSTRE"):
            record = self._ffi.cast("struct darshan_lustre_record *", buffer[0])
            number = int(record.num_stripes)
            if not 0 <= number <= 1 << 20:
                raise LogError(f"a file claims to be on {number} storage targets")
            ids.append(int(record.base_rec.id))
            ranks.append(int(record.base_rec.rank))
            counts.append(number)
            targets.append(self._bytes(record.ost_ids, 8 * number))
        arrays["LUSTRE.id"] = np.array(ids, dtype=np.uint64)
        arrays["LUSTRE.rank"] = np.array(ranks, dtype=np.int64)
        arrays["LUSTRE.count"] = np.array(counts, dtype=np.int64)
        arrays["LUSTRE.target"] = np.frombuffer(b"".join(targets), dtype=np.int64)

    def _bins(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Read bytes per bin of time: HEATMAP.id, .rank, .width, .read and .write.

        The arrays .read and .write have one row per record and one column per bin.
        """
        ids, ranks, widths, reads, writes = [], [], [], [], []
        for buffer in self._records("HEATMAP"):
            record = self._ffi.cast("struct darshan_heatmap_record *", buffer[0])
            number = int(record.nbins)
            if not 0 <= number <= 1 << 20:
                raise LogError(f"it claims to have {number} bins of time")
            ids.append(int(record.base_rec.id))
            ranks.append(int(record.base_rec.rank))
            widths.append(float(record.bin_width_seconds))
            writes.append(np.frombuffer(self._bytes(record.write_bins, 8 * number), np.int64))
            reads.append(np.frombuffer(self._bytes(record.read_bins, 8 * number), np.int64))
        most = max((len(row) for row in reads), default=0)
        self._take(16 * most * len(ids))
        arrays["HEATMAP.id"] = np.array(ids, dtype=np.uint64)
        arrays["HEATMAP.rank"] = np.array(ranks, dtype=np.int64)
        arrays["HEATMAP.width"] = np.array(widths, dtype=np.float64)
        for name, rows in (("read", reads), ("write", writes)):
            matrix = np.zeros((len(rows), most), dtype=np.int64)
            for row, values in zip(matrix, rows, strict=True):
                row[: len(values)] = values
            arrays[f"HEATMAP.{name}"] = matrix

    def _operations(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Read traced operations: DXT.id, .rank, .writes, .length, .begin and .end."""
        ids, ranks, writes, reads, parts = [], [], [], [], []
        head = self._ffi.sizeof("struct dxt_file_record")
        hosts: dict[str, str] = {}
        for buffer in self._records("DXT_POSIX"):
            record = self._ffi.cast("struct dxt_file_record *", buffer[0])
            written, read = int(record.write_count), int(record.read_count)
            if min(written, read) < 0:
                raise LogError("the log has a negative number of traced operations")
            ids.append(int(record.base_rec.id))
            ranks.append(int(record.base_rec.rank))
            writes.append(written)
            reads.append(read)
            parts.append(self._bytes(buffer[0] + head, 32 * (written + read)))
            host = self._ffi.string(record.hostname).decode("utf-8", "replace")
            hosts[str(int(record.base_rec.rank))] = host
        shape = [("offset", "<i8"), ("length", "<i8"), ("begin", "<f8"), ("end", "<f8")]
        rows = np.frombuffer(b"".join(parts), dtype=np.dtype(shape))
        counts = np.add(writes, reads, dtype=np.int64)
        which = np.repeat(np.arange(len(ids)), counts)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        arrays["DXT.id"] = np.array(ids, dtype=np.uint64)[which]
        arrays["DXT.rank"] = np.array(ranks, dtype=np.int64)[which]
        is_write = np.arange(len(rows)) - first < np.array(writes, dtype=np.int64)[which]
        arrays["DXT.writes"] = is_write.astype(np.int64)
        for name in ("length", "begin", "end"):
            arrays[f"DXT.{name}"] = np.ascontiguousarray(rows[name])
        header["hosts"] = {**hosts, **header.get("hosts", {})}

    def _nodes(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Read the nodes of the ranks, from the module for MPI."""
        hosts: dict[str, str] = {}
        records = self._records("APMPI")
        next(records, None)  # the first record is about all ranks together
        for buffer in records:
            record = self._ffi.cast("struct darshan_apmpi_perf_record *", buffer[0])
            host = self._ffi.string(record.node_name).decode("utf-8", "replace")
            hosts[str(int(record.base_rec.rank))] = host
        header["hosts"] = {**header.get("hosts", {}), **hosts}


def _complaints(errors: BinaryIO) -> str:
    """Return what the C library wrote to its standard error output since the last log."""
    errors.seek(0)
    text = errors.read(2000).decode("utf-8", "replace")
    errors.truncate(0)
    errors.seek(0)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def _answer(path: str, errors: BinaryIO) -> list[bytes | memoryview]:
    try:
        return pack(*read_log(path))
    except MemoryError:
        why = "its records do not fit into memory"
    except LogError as error:
        why = str(error)
    # RATIONALE: an error of the back end is caused by this log, and must not stop the reading of
    # others.
    except Exception as error:
        why = f"{type(error).__name__}: {error}"[:300]
    said = _complaints(errors)
    return pack({"error": f"{why} (Darshan: {said})" if said else why}, {})


def main() -> None:
    """Read paths from the input until it ends, and write a message for each."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    out = os.fdopen(os.dup(1), "wb")
    errors = os.fdopen(os.memfd_create("errors"), "w+b")
    # The library writes to both; only messages may be in this process's output.
    os.dup2(errors.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    import darshan.backend.cffi_backend  # noqa: F401  (it takes a second: once, and not in a log's time)

    _complaints(errors)
    out.write(b"ready\n")
    out.flush()
    for line in sys.stdin.buffer:
        path = os.fsdecode(line.rstrip(b"\n"))
        if not Path(path).exists():
            parts = pack({"error": "it is gone"}, {})
        else:
            parts = _answer(path, errors)
        for part in parts:
            out.write(part)
        out.flush()


if __name__ == "__main__":
    main()
