"""A second reader of profiles, written from docs/reference/profile-format.md alone.

The tests of the runtime compare its output with a program's own account through this reader,
so that an error shared by the encoder and ``jostle.reader`` cannot hide. It trusts its input.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peek_cells import Bytes, Cells, Table, like, records


@dataclass
class Slice:
    """What moved in one record: slices [first, first + span)."""

    first: int
    span: int
    cells: Cells
    tail: bool = False


@dataclass
class Gpu:
    """A place of the table of GPUs, and what the records and the head say of it."""

    pci: str
    uuid: str
    name: str
    path: str
    numa: int
    memory_bytes: int
    sums: list[int]
    slices: dict[int, list[int]] = field(default_factory=dict)  # of records, by first slice


@dataclass
class Process:
    """One process image, from a profile or from a short-process record."""

    table: Table
    pid: int
    ppid: int
    program: str
    job: str
    start_ns: int
    end_ns: int
    end_reason: int
    short: bool
    slice_ns: int
    slices: list[Slice]
    mounts: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    devices: dict[int, tuple[int, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    # By world rank (-1: all others): messages and bytes sent, messages, bytes and room received.
    peers: dict[int, tuple[int, ...]] = field(default_factory=dict)
    # By communicator, operation and root (-1: none): how many, bytes.
    collectives: dict[tuple[int, str, int], tuple[int, ...]] = field(default_factory=dict)
    communicators: dict[int, tuple[int, list[int]]] = field(default_factory=dict)  # size, ranks
    traffic: list[tuple[int, int]] = field(default_factory=list)  # of 'T': slice, span
    gpus: list[Gpu] = field(default_factory=list)
    # Places of the table of files that are in use; the first is that of all others.
    files: list[dict[str, Any]] = field(default_factory=list)
    header: dict[str, object] = field(default_factory=dict)
    path: Path = Path()

    def total(self, metric: str, slot: int | None = None) -> int:
        """Sum of a metric over all slices (and, unless one is named, all mounts)."""
        cells = self.table.cells_of(metric, slot)
        return sum(s.cells.get(c, 0) for s in self.slices for c in cells)

    def histogram(self, metric: str) -> list[int]:
        """The 32 buckets of a histogram, summed over slices."""
        return [sum(s.cells.get(c, 0) for s in self.slices) for c in self.table.cells_of(metric)]

    def per_slice(self, metric: str) -> dict[int, int]:
        """First slice of each record -> the metric's sum in it."""
        out: dict[int, int] = {}
        for s in self.slices:
            value = sum(s.cells.get(c, 0) for c in self.table.cells_of(metric))
            out[s.first] = out.get(s.first, 0) + value
        return out

    def slot_of(self, directory: Path | str) -> int | None:
        """The mount slot that holds a directory, by device number."""
        import os

        dev = os.stat(directory).st_dev
        wanted = (os.major(dev), os.minor(dev))
        return next((s for s, d in self.devices.items() if d == wanted), None)


_HEADER = struct.Struct("<8s14I4Q4IQ2I16s64s128s256s32s512s2I")
_HEADER_NAMES = (
    "magic version head_bytes cell_count block_offset block_bytes block_capacity table_offset "
    "table_bytes commit_offset commit_bytes table_crc mount_slots mount_stride flags slice_ns "
    "start_ns file_ns first_slice pid ppid uid gid proc_start sid part boot_id host job program "
    "library command clock_state clock_error_us"
).split()
_LIVE = struct.Struct("<QQQQIIIIQ")
_LIVE_NAMES = (
    "generation tick_ns heartbeat_ns end_ns end_reason blocks_used live_clock_state "
    "live_clock_error_us lost_threads"
).split()
# Header fields of MPI: name, form, offset.
_MPI_NUMBERS = (
    "mpi_state mpi_adapter world_size world_rank thread_level appnum spawned omp_threads"
).split()
_MPI = [(name, "I", 1152 + 4 * i) for i, name in enumerate(_MPI_NUMBERS)] + [
    ("mpi_init_ns", "Q", 1184),
    ("mpi_ready_ns", "Q", 1192),
    ("mpi_finalize_ns", "Q", 1200),
    ("mpi_end_ns", "Q", 1208),
    ("mpi_library", "128s", 1216),
    ("mpi_adapter_name", "32s", 1344),
    ("launcher", "32s", 1376),
    ("batch", "64s", 1408),
    ("world", "32s", 1472),
    ("ring_offset", "I", 1504),
    ("ring_bytes", "I", 1508),
    ("papi_1", "32s", 1512),
    ("papi_2", "32s", 1544),
    ("papi_3", "32s", 1576),
    ("papi_4", "32s", 1608),
    ("files_offset", "I", 1776),
    ("file_bytes", "I", 1780),
    ("files_capacity", "I", 1784),
    ("peers_offset", "I", 1792),
    ("peer_bytes", "I", 1796),
    ("peers_capacity", "I", 1800),
    ("collectives_offset", "I", 1804),
    ("collective_bytes", "I", 1808),
    ("collectives_capacity", "I", 1812),
    ("gpus_offset", "I", 1816),
    ("gpu_bytes", "I", 1820),
    ("gpus_capacity", "I", 1824),
    ("gpu_slice", "Q", 2376),
    ("gpus_used", "I", 2384),
    ("traffic_slice", "Q", 2368),
    ("perf_asked", "I", 1640),
    ("perf_granted", "I", 1644),
    ("script", "128s", 1648),
    ("tick_now", "Q", 2104),
]

_BINDING_NAMES = ("allowed_cpus", "allowed_nodes", "group_cpus", "group_nodes")


def read_header(data: bytes) -> dict[str, object]:
    """Every field of a profile's header by name; texts as str (boot_id as bytes)."""
    header: dict[str, object] = {}
    for name, value in zip(_HEADER_NAMES, _HEADER.unpack_from(data), strict=True):
        header[name] = value
    header.update(zip(_LIVE_NAMES, _LIVE.unpack_from(data, 2048), strict=True))
    for name, form, at in _MPI:
        (header[name],) = struct.unpack_from("<" + form, data, at)
    bindings = (struct.unpack_from("<Q256s64s256s64s", data, 2392 + 648 * at) for at in (0, 1))
    header["bindings"], *binding = max(bindings)
    header.update(zip(_BINDING_NAMES, binding, strict=True))
    for name, value in header.items():
        if isinstance(value, bytes) and name != "boot_id":
            header[name] = value.split(b"\0")[0].decode("utf-8", "replace")
    return header


def begun(path: Path) -> dict[str, object] | None:
    """The header of a profile that is being written; None before it has one.

    The file is made, then given its room, then filled: whoever looks at a spool may come between.
    """
    with path.open("rb") as file:
        data = file.read(4096)
    header = read_header(data) if len(data) == 4096 else {}
    return header if header.get("magic") == "jostle01" and header["heartbeat_ns"] else None


def read_profile(path: Path) -> Process:
    """Read a ``*.jst`` file, its last partial slice included."""
    data = path.read_bytes()
    header = read_header(data)
    h: dict[str, int] = header  # type: ignore[assignment]
    assert header["magic"] == "jostle01" and h["version"] == 2 and h["flags"] == 0
    text_bytes = data[h["table_offset"] : h["table_offset"] + h["table_bytes"]]
    assert zlib.crc32(text_bytes) == h["table_crc"]
    table = Table.parse(text_bytes.decode(), h["cell_count"], h["mount_slots"], h["mount_stride"])
    process = Process(
        table,
        h["pid"],
        h["ppid"],
        str(header["program"]),
        str(header["job"]),
        h["start_ns"],
        h["end_ns"],
        h["end_reason"],
        False,
        h["slice_ns"],
        [],
        header=header,
        path=path,
    )
    for slot in range(h["mount_slots"]):
        major, minor, _magic, _mnt, used = struct.unpack_from("<IIQQQ", data, 2112 + 32 * slot)
        if used:
            process.devices[slot] = (major, minor)
    process.files = list(_files(data, h))
    commit = h["commit_offset"] + (h["generation"] & 1) * h["commit_bytes"]
    records_end, open_slice = struct.unpack_from("<QQ", data, commit)
    held = struct.unpack_from(f"<{table.cell_count}Q", data, commit + 16)
    _read_records(process, data[h["head_bytes"] : records_end], h["first_slice"])
    process.slices.append(_tail(data, h, table, held, open_slice))
    _read_traffic(process, data, h, records_end)
    _read_gpus(process, data, h, records_end)
    return process


_FILE_COUNTS = "opens meta_ticks reads read_bytes read_ticks writes write_bytes write_ticks".split()
_FILE_NAMES = [
    *"hash key mount format users owner".split(),
    *_FILE_COUNTS,
    *(f"other_{name}" for name in _FILE_COUNTS),
    *"syncs sync_ticks name".split(),
]


def _files(data: bytes, h: dict[str, int]) -> Iterator[dict[str, Any]]:
    for place in range(h["files_capacity"]):
        at = h["files_offset"] + place * h["file_bytes"]
        file = dict(zip(_FILE_NAMES, struct.unpack_from("<2Q2HI19Q80s", data, at), strict=True))
        file["name"] = file["name"].split(b"\0")[0].decode()
        for name in _FILE_COUNTS:
            file[name] += file[f"other_{name}"]
        if file["hash"] or not place:
            yield file


def _read_records(process: Process, data: bytes, expected: int) -> None:
    base: Cells = {}
    for kind, payload in records(data):
        cursor = Bytes(payload)
        if kind == "S":
            first = expected + cursor.svarint()
            span = cursor.varint()
            process.slices.append(Slice(first, span, cursor.cells(process.table)))
            expected = first + span
            base = process.slices[-1].cells
        elif kind == "L":
            first = expected + cursor.svarint()
            span = cursor.varint()
            cursor.varint()
            process.slices.append(
                Slice(first, span, like(process.table, base, payload[cursor.at :]))
            )
            expected = first + span
        elif kind == "M":
            slot = cursor.varint()
            for _ in range(4):
                cursor.varint()
            process.mounts[slot] = (cursor.string(), cursor.string(), cursor.string())
        elif kind == "N":
            cursor.varint()
            process.notes.append(cursor.string())
        assert kind in "SLMCNGTUD", kind


def _read_traffic(process: Process, data: bytes, h: dict[str, int], records_end: int) -> None:
    """Partners, collectives and communicators: the sums of the records and what is beyond them."""
    sums: tuple[dict[Any, list[int]], dict[Any, list[int]]] = ({}, {})
    names: dict[tuple[int, int], Any] = {}
    held: dict[tuple[int, int], list[int]] = {}
    expected = h["first_slice"]
    for type_, payload in records(data[h["head_bytes"] : records_end]):
        cursor = Bytes(payload)
        if type_ == "U":
            number, size = cursor.varint(), cursor.varint()
            process.communicators[number] = (size, _members(cursor))
        if type_ != "T":
            continue
        first, span = expected + cursor.svarint(), cursor.varint()
        expected = first + span
        process.traffic.append((first, span))
        for kind, words in enumerate((5, 2)):
            place = -1
            while gap := cursor.varint():
                place += gap
                mask = cursor.take(1)[0]
                if mask & 1:
                    number = cursor.varint() if kind else 0
                    rank = cursor.varint() - 1
                    names[kind, place] = (number, cursor.string(), rank) if kind else rank
                gained = [cursor.varint() if mask >> w + 1 & 1 else 0 for w in range(words)]
                _add(sums[kind].setdefault(names[kind, place], [0] * words), gained)
                _add(held.setdefault((kind, place), [0] * words), gained)
    for kind, (what, words) in enumerate((("peer", 5), ("collective", 2))):
        for place in range(h[f"{what}s_capacity"]):
            at = h[f"{what}s_offset"] + place * h[f"{what}_bytes"]
            name: Any
            if kind:
                state, number, root, *now, text = struct.unpack_from("<3I4x2Q32s", data, at)
                none = state < 2 or root == 2**32 - 1
                name = number, text.split(b"\0")[0].decode(), -1 if none else root
            else:
                key, *now = struct.unpack_from("<6Q", data, at)
                name = key - 2 if key > 1 else -1
            before = held.get((kind, place), [0] * words)
            assert all(n >= b for n, b in zip(now, before, strict=True))
            if now != before:
                rest = [n - b for n, b in zip(now, before, strict=True)]
                _add(sums[kind].setdefault(name, [0] * words), rest)
    process.peers = {rank: tuple(values) for rank, values in sums[0].items()}
    process.collectives = {key: tuple(values) for key, values in sums[1].items()}


def _read_gpus(process: Process, data: bytes, h: dict[str, int], records_end: int) -> None:
    """The GPUs of the head; what its words have beyond the records is their last slice."""
    for place in range(h["gpus_used"]):
        at = h["gpus_offset"] + place * h["gpu_bytes"]
        numa, memory, *texts = struct.unpack_from("<I4xQ24s64s64s192s", data, at)
        pci, uuid, name, path = (text.split(b"\0")[0].decode() for text in texts)
        words = list(struct.unpack_from("<24Q", data, at + 384))
        process.gpus.append(Gpu(pci, uuid, name, path, numa - 1, memory, words))
    expected = h["first_slice"]
    for type_, payload in records(data[h["head_bytes"] : records_end]):
        if type_ != "D":
            continue
        cursor = Bytes(payload)
        first, span = expected + cursor.svarint(), cursor.varint()
        expected, place = first + span, -1
        while gap := cursor.varint():
            place += gap
            mask = cursor.varint()
            gained = [cursor.varint() if mask >> w & 1 else 0 for w in range(24)]
            _add(process.gpus[place].slices.setdefault(first, [0] * 24), gained)
    for gpu in process.gpus:
        held = [sum(words) for words in zip(*gpu.slices.values(), [0] * 24, strict=True)]
        rest = [now - before for now, before in zip(gpu.sums, held, strict=True)]
        assert min(rest) >= 0
        if any(rest):
            _add(gpu.slices.setdefault(max(h["gpu_slice"], expected), [0] * 24), rest)


def _add(to: list[int], values: list[int]) -> None:
    for i, value in enumerate(values):
        to[i] += value


def _members(cursor: Bytes) -> list[int]:
    ranks: list[int] = []
    while cursor.at < len(cursor.data):
        first = (ranks[-1] if ranks else 0) + cursor.svarint()
        count = cursor.varint()
        step = cursor.svarint() if count > 1 else 0
        ranks += [first + i * step for i in range(count)]
    return ranks


def _tail(
    data: bytes, h: dict[str, int], table: Table, held: tuple[int, ...], open_slice: int
) -> Slice:
    used = min(h["blocks_used"], h["block_capacity"])
    sums = [0] * table.cell_count
    for block in range(used):
        at = h["block_offset"] + block * h["block_bytes"] + 64
        for i, value in enumerate(struct.unpack_from(f"<{table.cell_count}Q", data, at)):
            sums[i] += value
    for block in range(used):
        mark, since = struct.unpack_from(
            "<4xI8xQ", data, h["block_offset"] + block * h["block_bytes"]
        )
        if mark and h["tick_now"] > since:  # in a call that was not over at the last heartbeat
            sums[mark] += h["tick_now"] - since
    timers = {c for m in table.metrics.values() if m.kind == "timer" for c in table.cells_of(m.id)}
    cells: Cells = {}
    for i, (now, before) in enumerate(zip(sums, held, strict=True)):
        delta = (now - before) % 2**64
        if delta >= 2**63:
            if i in timers:  # its thread was just booking a call that the records hold already
                continue
            assert table.kinds.get(i) == "gauge", f"{table.name_of(i)} lies behind its commit"
            delta -= 2**64
        if delta:
            assert i in table.kinds, f"unused cell {i} moved"
            cells[i] = delta * h["tick_ns"] >> 32 if i in timers else delta
    last = max(open_slice, (h["end_ns"] or h["heartbeat_ns"]) // h["slice_ns"])
    return Slice(open_slice, last - open_slice + 1, cells, tail=True)


def read_shorts(path: Path) -> list[Process]:
    """Read a ``*.jss`` file: one Process per 'P' record."""
    table: Table | None = None
    job, slice_ns, out = "", 1, []
    found = list(records(path.read_bytes()))
    for kind, payload in found:
        if kind == "H":
            c = Bytes(payload)
            slice_ns, count, slots, stride = (c.varint() for _ in range(4))
            c.take(16)
            _host, job, _library, text = (c.string() for _ in range(4))
            table = Table.parse(text, count, slots, stride)
    assert table is not None, f"{path}: no 'H' record"
    for kind, payload in found:
        if kind != "P":
            assert kind == "H", kind
            continue
        c = Bytes(payload)
        pid, ppid, _uid, _gid, _sid, start, end, reason = (c.varint() for _ in range(8))
        c.take(4)
        program = c.string()
        devices = {}
        for _ in range(c.varint()):
            slot, major, minor, _magic = (c.varint() for _ in range(4))
            devices[slot] = (major, minor)
        cells = c.cells(table)
        assert c.at == len(payload)
        first = start // slice_ns
        out.append(
            Process(
                table,
                pid,
                ppid,
                program,
                job,
                start,
                end,
                reason,
                True,
                slice_ns,
                [Slice(first, end // slice_ns - first + 1, cells)],
                devices=devices,
                path=path,
            )
        )
    return out


def read_spool(spool: Path) -> list[Process]:
    """Every process of a spool, profiles and short processes alike."""
    out = [read_profile(p) for p in sorted(spool.glob("*.jst"))]
    for path in sorted(spool.glob("*.jss")):
        out += read_shorts(path)
    return out
