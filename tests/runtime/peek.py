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

Cells = dict[int, int]


@dataclass(frozen=True)
class Metric:
    """One line of a profile's metric table."""

    id: str
    kind: str
    unit: str
    scope: str
    cell: int
    count: int


@dataclass
class Table:
    """The metric table of a profile and the layout of a counter block."""

    metrics: dict[str, Metric]
    cell_count: int
    mount_slots: int
    mount_stride: int
    kinds: dict[int, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str, cell_count: int, slots: int, stride: int) -> Table:
        """Read the text of a metric table and note how each cell is coded."""
        metrics = {}
        for line in text.splitlines():
            name, kind, unit, scope, first, count = line.split()
            metrics[name] = Metric(name, kind, unit, scope, int(first), int(count))
        table = cls(metrics, cell_count, slots, stride)
        for metric in metrics.values():
            float_coded = metric.kind == "timer" or (
                metric.kind == "counter" and metric.unit == "ns"
            )
            kind = "float" if float_coded else metric.kind
            for cell in table.cells_of(metric.id):
                assert cell not in table.kinds, f"cell {cell} is used twice"
                assert cell < cell_count
                table.kinds[cell] = kind
        return table

    def cells_of(self, metric: str, slot: int | None = None) -> list[int]:
        """All cells of a metric, or those of one mount slot."""
        m = self.metrics[metric]
        if m.scope == "mount":
            slots = range(self.mount_slots) if slot is None else [slot]
            return [s * self.mount_stride + m.cell for s in slots]
        return list(range(m.cell, m.cell + m.count))

    def name_of(self, cell: int) -> str:
        """The metric that a cell belongs to."""
        return next(name for name in self.metrics if cell in self.cells_of(name))


class Bytes:
    """A cursor over a byte string."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def take(self, n: int) -> bytes:
        """The next n bytes."""
        if self.at + n > len(self.data):
            raise EOFError
        self.at += n
        return self.data[self.at - n : self.at]

    def varint(self) -> int:
        """An unsigned LEB128 number."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def svarint(self) -> int:
        """A zigzag-coded signed number."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def string(self) -> str:
        """A length and that many bytes of text."""
        return self.take(self.varint()).decode("utf-8", "replace")

    def minifloat(self) -> int:
        """A 5-bit exponent and 11-bit mantissa."""
        word = int.from_bytes(self.take(2), "little")
        exponent, mantissa = word >> 11, word & 0x7FF
        return mantissa if exponent == 0 else (2048 + mantissa) << (exponent - 1)

    def cells(self, table: Table) -> Cells:
        """The cells of an 'S' or 'P' record."""
        groups = (table.cell_count + 7) // 8
        bitmap = self.take((groups + 7) // 8)
        out: Cells = {}
        for group in range(groups):
            if not bitmap[group // 8] >> (group % 8) & 1:
                continue
            mask = self.take(1)[0]
            for bit in range(8):
                if mask >> bit & 1:
                    cell = group * 8 + bit
                    kind = table.kinds[cell]
                    out[cell] = (
                        self.minifloat()
                        if kind == "float"
                        else self.svarint()
                        if kind == "gauge"
                        else self.varint()
                    )
        return out


class Bits:
    """A cursor over bits, the lowest of each byte first."""

    def __init__(self, data: bytes) -> None:
        self.data, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def take(self, n: int) -> int:
        """The next n bits as a number."""
        if n > self.left:
            raise EOFError
        value, self.data, self.left = self.data & (1 << n) - 1, self.data >> n, self.left - n
        return value

    def small(self) -> int:
        """Zeros, a one, as many bits as there were zeros: a number that is 1 too large."""
        behind = 0
        while not self.take(1):
            behind += 1
        return (1 << behind | self.take(behind)) - 1

    def difference(self) -> int:
        """A zigzag-coded signed number."""
        n = self.small()
        return (n >> 1) ^ -(n & 1)

    def number(self, against: int) -> int:
        """The difference of two lengths, and the bits behind the first."""
        n = against.bit_length() + self.difference()
        return 1 << n - 1 | self.take(n - 1) if n else 0

    def time(self, against: int) -> int:
        """The difference of two exponents, and a mantissa."""
        exponent = (against >> 11) + self.difference()
        return exponent << 11 | self.take(11)


def _code(kind: str, value: int) -> int:
    if kind == "gauge":
        return 2 * value if value >= 0 else -2 * value - 1
    if kind != "float" or value < 2048:
        return value
    exponent = value.bit_length() - 11
    return exponent << 11 | value >> exponent - 1 & 0x7FF


def _value(kind: str, code: int) -> int:
    if kind == "gauge":
        return (code >> 1) ^ -(code & 1)
    if kind != "float":
        return code
    return Bytes(code.to_bytes(2, "little")).minifloat()


def like(table: Table, base: Cells, data: bytes) -> Cells:
    """The cells of an 'L' record; base: those of the newest 'S' record."""
    bits, out = Bits(data), {}
    old = {cell: _code(table.kinds[cell], value) for cell, value in base.items()}
    order = sorted(old)
    for i, cell in enumerate(order):
        kind, back = table.kinds[cell], []
        if kind == "float":
            out[cell] = bits.time(old[cell])
            continue
        if kind != "gauge":
            back = [
                other
                for other in order[max(0, i - 64) : i]
                if old[other] == old[cell] and table.kinds[other] in ("counter", "histogram")
            ]
        if back and bits.take(1):
            out[cell] = out[back[-1]]
        else:
            out[cell] = old[cell] if bits.take(1) else bits.number(old[cell])
    cell = -1
    for _ in range(bits.small()):
        cell += 1 + bits.small()
        out[cell] = bits.time(0) if table.kinds[cell] == "float" else bits.number(0)
    assert bits.left < 8
    return {cell: _value(table.kinds[cell], code) for cell, code in sorted(out.items()) if code}


def records(data: bytes, at: int = 0) -> Iterator[tuple[str, bytes]]:
    """Type and payload of each record; a wrong checksum is an error."""
    cursor = Bytes(data, at)
    while cursor.at < len(data):
        begin = cursor.at
        kind = cursor.take(1).decode("latin-1")
        payload = cursor.take(cursor.varint())
        checked = data[begin : cursor.at]
        (crc,) = struct.unpack("<I", cursor.take(4))
        assert crc == zlib.crc32(checked), f"record {kind!r} at {begin}: wrong checksum"
        yield kind, payload


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


# ---- execution segments ----

_VALUES = (
    "signature_set sends recvs isends irecvs sendrecvs p2p_bytes p2p_room one_to_all all_to_one "
    "all_to_all barriers scans neighbors collective_bytes rma_ops rma_bytes opens closes reads "
    "writes read_bytes write_bytes mpiio_ops mpiio_bytes mpi_ns io_ns cpu_ns wait_ns offcpu_ns "
    "instructions flops wait_bins offcpu_bins occurrence"
).split()
_RULES = ("every", "coalesced", "epoch", "raw", "final")


def entries(data: bytes) -> list[tuple[str, int, bytes]]:
    """Type, number and payload of each entry: of the 'G' records, then of the ring."""
    h: dict[str, int] = read_header(data)  # type: ignore[assignment]
    commit = h["commit_offset"] + (h["generation"] & 1) * h["commit_bytes"]
    (records_end,) = struct.unpack_from("<Q", data, commit)
    body = records(data[h["head_bytes"] : records_end])
    parts = [b"".join(payload for kind, payload in body if kind == "G")]
    if h["ring_bytes"]:
        written, drained = struct.unpack_from("<QQ", data, h["ring_offset"])
        size, at = h["ring_bytes"] - 64, h["ring_offset"] + 64
        assert 0 <= written - drained <= size
        parts.append(bytes(data[at + n % size] for n in range(drained, written)))
    out: list[tuple[str, int, bytes]] = []
    for part in parts:
        cursor = Bytes(part)
        while cursor.at < len(part):
            kind, number = cursor.take(1).decode("latin-1"), cursor.varint()
            payload = cursor.take(cursor.varint())
            assert number <= len(out), f"entry {len(out)} is missing"
            if number == len(out):
                out.append((kind, number, payload))
    return out


def tokens(path: Path) -> dict[int, dict[str, object]]:
    """The tokens of a profile by index: hash, function, bytes, site, module."""
    out: dict[int, dict[str, object]] = {}
    for kind, _, payload in entries(path.read_bytes()):
        if kind == "t":
            c = Bytes(payload)
            index, (token_hash,) = c.varint(), struct.unpack("<I", c.take(4))
            out[index] = {"hash": token_hash, "function": c.string(), "bytes": c.varint()}
            out[index] |= {"site": c.varint(), "module": c.string()}
            assert c.at == len(payload)
    return out


def segments(path: Path) -> list[dict[str, Any]]:
    """The segments of a profile, in order; what is absent is 0 (bins: empty)."""
    data = path.read_bytes()
    names = tokens(path)
    out: list[dict[str, Any]] = []
    header = read_header(data)
    end: int = header["file_ns" if header["part"] else "mpi_init_ns"]  # type: ignore[assignment]
    kinds = 0
    for kind, number, payload in entries(data):
        if kind != "s":
            continue
        row, kinds = _segment(Bytes(payload), kinds)
        row |= {"number": number, "start_ns": end, "end_ns": end + row["duration_ns"]}
        row["function"] = names[row["token"]]["function"] if row["token"] else ""
        end = row["end_ns"]
        out.append(row)
    return out


def _segment(c: Bytes, kinds: int) -> tuple[dict[str, Any], int]:
    row: dict[str, Any] = {"duration_ns": c.varint()}
    rule = c.take(1)[0]
    row |= {
        "rule": _RULES[rule & 7],
        "level": rule >> 3,
        "token": c.varint(),
        "globals": c.varint(),
    }
    row["sequence_hash"], row["signature_sum"] = struct.unpack("<HI", c.take(6))
    present = c.varint()
    assert present >> len(_VALUES) == 0
    for bit, name in enumerate(_VALUES):
        if not present >> bit & 1:
            row[name] = kinds if bit == 0 else b"" if name.endswith("bins") else 0
        elif bit == 0:
            (row[name],) = struct.unpack("<Q", c.take(8))
        elif name.endswith("bins"):
            row["bin_shift"] = c.take(1)[0]
            row[name] = c.take(c.varint())
        else:
            row[name] = c.minifloat() if 25 <= bit <= 29 else c.varint()
    assert c.at == len(c.data), "an entry is longer than what it holds"
    return row, row["signature_set"]


# ---- spools ----


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
