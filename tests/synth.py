"""Writes profiles and shorts files, by docs/reference/profile-format.md alone.

This is the tests' own encoder: it shares no line with the runtime's or with the decoder, so that
what the two agree on is the document. The small things (varint, record, cells) are in
synth_format.py, random profiles and bulk for benchmarks in synth_random.py; here are Profile and
Shorts, which remember what a reader must find in them.

    p = Profile(job="a", pid=7)
    p.add_mount(0, path="/scratch", type="ext4")
    p.add_slice(p.first_slice, {"posix_write_bytes": {0: 4096}, "os_threads": 3})
    p.write(folder)
    p.rows  # what a reader must find
"""

from __future__ import annotations

import struct
import uuid
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from synth_format import (
    Layout,
    Value,
    Values,
    cells,
    clock_record,
    like_record,
    mount_record,
    note_record,
    ns_code,
    ns_value,
    record,
    schema_layout,
    slice_record,
    string,
    varint,
)
from synth_gpus import PLACE_BYTES, Gpus
from synth_segments import Ring
from synth_traffic import Traffic

BOOT_ID = uuid.UUID("6c1f1c5e-0001-4e5b-8a50-0123456789ab")
EPOCH = 1_700_000_000_000_000_000  # ns; where synthetic jobs start
SECOND = 1_000_000_000
U64 = 2**64


# ---- profiles ----

# Header fields of MPI: offset and form.
MPI_FIELDS = {
    "mpi_state": (1152, "I"),
    "mpi_adapter": (1156, "I"),
    "world_size": (1160, "I"),
    "world_rank": (1164, "I"),
    "thread_level": (1168, "I"),
    "appnum": (1172, "I"),
    "spawned": (1176, "I"),
    "omp_threads": (1180, "I"),
    "mpi_init_ns": (1184, "Q"),
    "mpi_ready_ns": (1192, "Q"),
    "mpi_finalize_ns": (1200, "Q"),
    "mpi_end_ns": (1208, "Q"),
    "mpi_library": (1216, "128s"),
    "mpi_adapter_name": (1344, "32s"),
    "launcher": (1376, "32s"),
    "batch": (1408, "64s"),
    "world": (1472, "32s"),
    "papi_names": (1512, "32s32s32s32s"),
    "perf_asked": (1640, "I"),
    "perf_granted": (1644, "I"),
    "script": (1648, "128s"),
}


@dataclass(frozen=True)
class Row:
    """The expected result of a reader: one slice of a process; gauges as levels, timers in ns."""

    slice: int
    span: int
    values: dict[str, Value]


@dataclass(frozen=True)
class File:
    """A place in the table of files."""

    name: str = ""
    hash: int = 1
    mount: int = 0
    opens: int = 0
    reads: int = 0
    read_bytes: int = 0
    read_ticks: int = 0
    writes: int = 0
    write_bytes: int = 0
    write_ticks: int = 0
    syncs: int = 0
    sync_ticks: int = 0
    meta_ticks: int = 0
    format: int = 0

    @property
    def image(self) -> bytes:
        """Its 256 bytes; of each number half is of the thread that used it first."""
        names = "opens meta_ticks reads read_bytes read_ticks writes write_bytes write_ticks"
        numbers = [getattr(self, name) for name in names.split()]
        halves = [n // 2 for n in numbers] + [n - n // 2 for n in numbers]
        return struct.pack(
            "<2Q2HI19Q80s",
            self.hash,
            7,
            self.mount,
            self.format,
            1,
            8,
            *halves,
            self.syncs,
            self.sync_ticks,
            self.name.encode(),
        )


@dataclass
class Profile:
    """A profile under construction; every field of the header may be set."""

    job: str = "job"
    host: str = "node1"
    program: str = "/usr/bin/prog"
    command: str = "prog --fast"
    library: str = "0.1.0"
    pid: int = 4242
    ppid: int = 1
    uid: int = 1000
    gid: int = 1000
    sid: int = 4242
    part: int = 0
    proc_start: int = 77
    boot_id: uuid.UUID = BOOT_ID
    slice_ns: int = 4 * SECOND
    start_ns: int = EPOCH
    file_ns: int | None = None
    heartbeat_ns: int | None = None
    end_ns: int = 0
    end_reason: int = 0
    clock_state: int = 0
    clock_error_us: int = 1500
    lost_threads: int = 0
    generation: int | None = None
    tick_ns: int = round(2**32 / 2.1)
    block_capacity: int = 4
    block_bytes: int = 4096
    blocks_used: int = 3
    align: int = 4096  # of the areas in the head
    layout: Layout = field(default_factory=schema_layout)
    head_slots: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)
    mpi: dict[str, object] = field(default_factory=dict)  # header fields, see MPI_FIELDS
    ring: Ring | None = None
    files: Sequence[File] = ()  # the first is that of all others
    traffic: Traffic | None = None
    gpus: Gpus | None = None
    # Cores, their NUMA nodes, and the same of the group, as they were said one after the other.
    bindings: Sequence[tuple[str, str, str, str]] = ()
    node_samples: Sequence[int] = ()
    tick_now: int = 0
    marks: dict[int, tuple[str, int]] = field(default_factory=dict)  # block: timer, since (ticks)
    rows: list[Row] = field(default_factory=list)  # what the records hold
    remainder: Row | None = None  # what the live blocks hold beyond them
    records: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._metric = self.layout.cells()
        self._total: dict[int, int] = {}  # in ns and levels: what the records hold
        self._carry: dict[int, int] = {}
        self._beyond: dict[int, int] = {}  # in ticks
        self._expected = self.first_slice
        self._base: tuple[int, dict[int, int]] | None = None  # the newest 'S' record: number, cells

    @property
    def first_slice(self) -> int:
        return self.start_ns // self.slice_ns

    @property
    def name(self) -> str:
        part = f".{self.part}" if self.part else ""
        return f"{self.job}.{self.pid}.{self.start_ns}{part}.jst"

    def add_slice(self, slice_: int, values: Values, span: int = 1, like: bool = False) -> None:
        """Appends a slice. Time that its code cannot hold is carried to the next, as documented.

        like: An 'L' record, if there is an 'S' record before it.
        """
        moved = {}
        for cell, n in self.layout.flat(values).items():
            coding = self._metric[cell].coding
            before = self._total.get(cell, 0)
            if coding == "svarint":
                change, self._total[cell] = n - before, n
            elif coding == "ns":
                n += self._carry.get(cell, 0)
                change = ns_value(ns_code(n))
                self._carry[cell] = n - change
                self._total[cell] = before + change
            else:
                change, self._total[cell] = n, before + n
            if change:
                moved[cell] = change
        late = slice_ - self._expected
        if like and self._base is not None:
            number, base = self._base
            back = sum(map(len, self.records[number:]))
            self.records.append(like_record(self.layout, base, back, moved, late, span))
        else:
            self._base = len(self.records), moved
            self.records.append(slice_record(self.layout, moved, late, span))
        self._expected = slice_ + span
        self.rows.append(Row(slice_, span, self._named(moved)))

    def _named(self, moved: Mapping[int, int]) -> dict[str, Value]:
        """Values as a reader shows them: gauges stay at their level."""
        gauges = {c: self._total.get(c, 0) for c in self.layout.gauges}
        return self.layout.named({**moved, **gauges})

    def add_mount(
        self,
        slot: int,
        path: str = "/data",
        type: str = "ext4",  # noqa: A002
        source: str = "/dev/sda1",
        device: tuple[int, int] = (8, 1),
        mnt_id: int = 30,
        fs_magic: int = 0xEF53,
    ) -> None:
        self.head_slots[slot] = (*device, fs_magic, mnt_id)
        self.records.append(mount_record(slot, *device, mnt_id, fs_magic, path, type, source))

    def add_clock(self, realtime_ns: int, state: int, maxerror_us: int, step_ns: int = 0) -> None:
        self.records.append(clock_record(realtime_ns, state, maxerror_us, step_ns))

    def add_note(self, realtime_ns: int, text: str | bytes) -> None:
        self.records.append(note_record(realtime_ns, text))

    def set_remainder(self, values: Values) -> None:
        """Puts values (ns, levels) into the live blocks that no record holds yet."""
        moved, shown = {}, {}
        levels = dict(self._total)
        for cell, n in self.layout.flat(values).items():
            metric = self._metric[cell]
            if metric.kind == "gauge":
                moved[cell], levels[cell] = n - levels.get(cell, 0), n
            elif metric.kind == "timer":
                moved[cell] = -(-n * 2**32 // self.tick_ns)
                shown[cell] = moved[cell] * self.tick_ns >> 32
            else:
                moved[cell] = shown[cell] = n
        gauges = {c: levels.get(c, 0) for c in self.layout.gauges}
        self._beyond = moved
        last = (self.end_ns or self._heartbeat) // self.slice_ns
        span = max(1, last - self._expected + 1)
        self.remainder = Row(self._expected, span, self.layout.named({**shown, **gauges}))

    @property
    def _heartbeat(self) -> int:
        return self._expected * self.slice_ns if self.heartbeat_ns is None else self.heartbeat_ns

    def encode(self) -> bytes:
        """The bytes of the file."""
        base = self._commit_cells()
        total = dict(base)
        for cell, n in self._beyond.items():
            total[cell] = (total.get(cell, 0) + n) % U64
        body = b"".join(self.records)
        return self._head(base, total, len(body), self._expected) + body

    def _commit_cells(self) -> dict[int, int]:
        base = {}
        for cell, n in self._total.items():
            ticks = self._metric[cell].kind == "timer"
            base[cell] = (n * 2**32 // self.tick_ns if ticks else n) % U64
        return base

    def _head(
        self, base: Mapping[int, int], total: Mapping[int, int], body_bytes: int, open_slice: int
    ) -> bytes:
        """Header, commits, table, blocks: base is committed, total is in the blocks."""
        layout, text = self.layout, self.layout.text
        commit_bytes = self._aligned(16 + 8 * layout.cell_count)
        block_bytes = max(self.block_bytes, 64 + 8 * layout.cell_count)
        table_offset = 4096 + 2 * commit_bytes
        block_offset = self._aligned(table_offset + len(text))
        ring_offset = block_offset + block_bytes * self.block_capacity
        ring = self.ring.image() if self.ring else b""
        files = b"".join(file.image for file in self.files)
        files_offset = self._aligned(ring_offset + len(ring))
        peers, collectives = self.traffic.images() if self.traffic else (b"", b"")
        peers_offset = self._aligned(files_offset + len(files))
        collectives_offset = peers_offset + len(peers)
        gpus = self.gpus.image() if self.gpus else b""
        gpus_offset = collectives_offset + len(collectives)
        head_bytes = self._aligned(gpus_offset + len(gpus))
        generation = len(self.records) if self.generation is None else self.generation
        version = 2 if any(record[:1] == b"L" for record in self.records) else 1
        head = bytearray(head_bytes)
        struct.pack_into(
            "<8s14I4Q4IQ2I16s64s128s256s32s512s2I",
            head,
            0,
            b"jostle01",
            version,
            head_bytes,
            layout.cell_count,
            block_offset,
            block_bytes,
            self.block_capacity,
            table_offset,
            len(text),
            4096,
            commit_bytes,
            zlib.crc32(text),
            layout.slots,
            layout.stride,
            0,
            self.slice_ns,
            self.start_ns,
            self.file_ns or self.start_ns,
            self.first_slice,
            self.pid,
            self.ppid,
            self.uid,
            self.gid,
            self.proc_start,
            self.sid,
            self.part,
            self.boot_id.bytes,
            self.host.encode(),
            self.job.encode(),
            self.program.encode(),
            self.library.encode(),
            self.command.encode(),
            self.clock_state,
            self.clock_error_us,
        )
        struct.pack_into(
            "<4Q4IQ",
            head,
            2048,
            generation,
            self.tick_ns,
            self._heartbeat,
            self.end_ns,
            self.end_reason,
            self.blocks_used,
            self.clock_state,
            self.clock_error_us,
            self.lost_threads,
        )
        struct.pack_into("<Q", head, 2104, self.tick_now)
        if files:
            struct.pack_into("<3I", head, 1776, files_offset, 256, len(self.files))
            head[files_offset : files_offset + len(files)] = files
        if self.traffic:
            places = self.traffic.capacity
            struct.pack_into(
                "<6I", head, 1792, peers_offset, 48, places, collectives_offset, 64, places
            )
            struct.pack_into("<Q", head, 2368, self.traffic.open_slice)
            head[peers_offset : collectives_offset + len(collectives)] = peers + collectives
        if self.gpus:
            struct.pack_into("<3I", head, 1816, gpus_offset, PLACE_BYTES, self.gpus.capacity)
            struct.pack_into("<QI", head, 2376, self.gpus.open_slice, len(self.gpus.names))
            head[gpus_offset : gpus_offset + len(gpus)] = gpus
        self._put_mpi(head)
        for number, texts in enumerate(self.bindings, 1):
            struct.pack_into(
                "<Q256s64s256s64s",
                head,
                2392 + 648 * (~number & 1),
                number,
                *map(str.encode, texts),
            )
        struct.pack_into(f"<{len(self.node_samples)}I", head, 3688, *self.node_samples)
        if ring:
            struct.pack_into("<2I", head, 1504, ring_offset, len(ring))
            head[ring_offset : ring_offset + len(ring)] = ring
        for slot, (major, minor, fs_magic, mnt_id) in self.head_slots.items():
            struct.pack_into("<2I3Q", head, 2112 + 32 * slot, major, minor, fs_magic, mnt_id, 1)
        valid, stale = (
            4096 + commit_bytes * (generation & 1),
            4096 + commit_bytes * (~generation & 1),
        )
        struct.pack_into("<2Q", head, valid, head_bytes + body_bytes, open_slice)
        struct.pack_into("<2Q", head, stale, U64 - 1, U64 - 1)  # half written: must not be used
        for cell, n in base.items():
            struct.pack_into("<Q", head, valid + 16 + 8 * cell, n)
        head[table_offset : table_offset + len(text)] = text
        self._put_blocks(head, block_offset, block_bytes, total)
        return bytes(head)

    def _put_mpi(self, head: bytearray) -> None:
        for name, value in self.mpi.items():
            at, form = MPI_FIELDS[name]
            texts = value if isinstance(value, tuple) else (value,)
            raw = [v.encode() if isinstance(v, str) else v for v in texts]
            struct.pack_into("<" + form, head, at, *raw)

    def _aligned(self, n: int) -> int:
        return -(-n // self.align) * self.align

    def _put_blocks(
        self, head: bytearray, offset: int, block_bytes: int, total: Mapping[int, int]
    ) -> None:
        """Spreads the cells over the blocks; a sum may wrap."""
        used = min(self.blocks_used, self.block_capacity)
        for cell, n in total.items():
            if used > 1:
                share = (n * 7 + cell) % (n + 1 if n < U64 - 1 else U64)
                parts = [share, (n - share) % U64]
            else:
                parts = [n]
            for i, part in enumerate(parts[:used]):
                block = (cell + i) % used
                struct.pack_into("<Q", head, offset + block * block_bytes + 64 + 8 * cell, part)
        for block, (timer, since) in self.marks.items():
            cell = next(m.cell for m in self.layout.metrics if m.id == timer)
            struct.pack_into("<2I2Q", head, offset + block * block_bytes, 99, cell, 5, since)

    def write(self, folder: Path, name: str | None = None) -> Path:
        """Writes the file under its proper name (mode 0600) and returns its path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (name or self.name)
        path.touch(mode=0o600)
        path.write_bytes(self.encode())
        return path


# ---- shorts files ----


@dataclass(frozen=True)
class Short:
    """A short process."""

    pid: int = 100
    ppid: int = 99
    uid: int = 1000
    gid: int = 1000
    sid: int = 99
    start_ns: int = EPOCH
    end_ns: int = EPOCH + 5_000_000
    end_reason: int = 1
    program: str = "true"
    mounts: tuple[tuple[int, int, int, int], ...] = ()  # slot, major, minor, fs_magic
    values: Values = field(default_factory=dict)


@dataclass
class Shorts:
    """A shorts file under construction; `rows` are the expected ones, in order of the file."""

    job: str = "job"
    host: str = "node1"
    library: str = "0.1.0"
    uid: int = 1000
    boot_id: uuid.UUID = BOOT_ID
    slice_ns: int = 4 * SECOND
    layout: Layout = field(default_factory=schema_layout)
    shorts: list[Short] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)

    def add_header(self) -> None:
        numbers = (self.slice_ns, self.layout.cell_count, self.layout.slots, self.layout.stride)
        names = (self.host, self.job, self.library)
        payload = b"".join(map(varint, numbers)) + self.boot_id.bytes
        payload += b"".join(map(string, names)) + string(self.layout.text)
        self.records.append(record("H", payload))

    def add(self, short: Short) -> None:
        layout = self.layout
        moved = layout.flat(short.values)
        for cell, metric in layout.cells().items():
            if metric.coding == "ns" and cell in moved:
                moved[cell] = ns_value(ns_code(moved[cell]))
        numbers = (
            short.pid,
            short.ppid,
            short.uid,
            short.gid,
            short.sid,
            short.start_ns,
            short.end_ns,
            short.end_reason,
        )
        payload = b"".join(map(varint, numbers)) + struct.pack("<I", zlib.crc32(layout.text))
        payload += string(short.program) + varint(len(short.mounts))
        payload += b"".join(varint(n) for mount in short.mounts for n in mount)
        self.records.append(record("P", payload + cells(layout, moved)))
        first, last = short.start_ns // self.slice_ns, short.end_ns // self.slice_ns
        self.shorts.append(short)
        self.rows.append(Row(first, max(1, last - first + 1), layout.named(moved)))

    def encode(self) -> bytes:
        return b"".join(self.records)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.job}.{self.uid}.jss"
        path.touch(mode=0o600)
        path.write_bytes(self.encode())
        return path
