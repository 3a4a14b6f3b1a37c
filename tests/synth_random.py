"""Profiles with random content, small ones, and many of them for benchmarks."""

from __future__ import annotations

import itertools
import random
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from synth import EPOCH, SECOND, Profile, Short, Shorts
from synth_format import Layout, Metric, Value, Values
from synth_gpus import random_gpus
from synth_segments import peers_record, random_stream
from synth_traffic import random_traffic


def random_values(
    rng: random.Random, layout: Layout, density: float = 0.2, slots: Iterable[int] = range(8)
) -> dict[str, Value]:
    """Values for some of the metrics, from small to very large."""

    def number() -> int:
        return rng.randrange(1, 2 ** rng.choice((1, 7, 8, 14, 20, 32, 40)))

    out: dict[str, Value] = {}
    for m in layout.metrics:
        if rng.random() >= density:
            continue
        if m.scope == "mount":
            out[m.id] = {s: number() for s in slots if rng.random() < 0.5}
        elif m.kind == "histogram":
            out[m.id] = [number() if rng.random() < 0.2 else 0 for _ in range(m.count)]
        else:
            out[m.id] = number()
    return out


def random_profile(
    seed: int,
    slices: int = 20,
    density: float = 0.2,
    slots: Sequence[int] = (0, 1, 7),
    remainder: bool = True,
    **header: object,
) -> Profile:
    """A profile with slices, gaps, spans, mounts, clock events, notes, and a remainder."""
    rng = random.Random(seed)
    p = Profile(**header)  # type: ignore[arg-type]
    p.generation = rng.randrange(1000)
    p.blocks_used = rng.randrange(1, p.block_capacity + 3)
    for slot in slots:
        p.add_mount(slot, f"/mnt/{slot}", device=(8, slot))
    at = p.first_slice
    values: Values = {}
    for _ in range(slices):
        at += rng.choice((0, 0, 0, 0, 1, 5, 1000))
        span = rng.choice((1, 1, 1, 1, 2, 40))
        like = rng.random() < 0.7
        again = like and rng.random() < 0.5  # much as before, as slices are
        values = values if again else random_values(rng, p.layout, density, slots)
        p.add_slice(at, values, span, like)
        at += span
        if rng.random() < 0.1:
            p.add_clock(at * p.slice_ns, rng.randrange(6), rng.randrange(10**6), -rng.randrange(99))
        if rng.random() < 0.1:
            p.add_note(at * p.slice_ns, "the spool vanished")
    if remainder:
        p.set_remainder(random_values(rng, p.layout, density, slots))
    return p


# ---- small ones ----

# Few metrics, so that a mutation hits something that matters.
SMALL = Layout(
    (
        Metric("posix_read_bytes", "counter", "bytes", "mount", 0),
        Metric("posix_read_ns", "timer", "ns", "mount", 1),
        Metric("posix_read_size", "histogram", "ops", "process", 16, 32),
        Metric("stream_read_ns", "timer", "ns", "process", 48),
        Metric("os_user_ns", "counter", "ns", "process", 49),
        Metric("os_rss_bytes", "gauge", "bytes", "process", 50),
        Metric("of_the_future_ops", "counter", "ops", "process", 51),
        Metric("self_calls_ops", "counter", "ops", "process", 52),
    ),
    cell_count=56,
    slots=8,
    stride=2,
)


def small_running(seed: int) -> Profile:
    """A small profile of a process that runs: after a mount, there are only slices."""
    rng = random.Random(seed)
    p = Profile(layout=SMALL, align=8, block_bytes=512, block_capacity=2)
    p.add_mount(0, "/mnt/0", device=(8, 0))
    for _ in range(12):
        values = random_values(rng, SMALL, 0.5, (0,))
        p.add_slice(p._expected + rng.randrange(2), values, rng.randrange(1, 3), rng.random() < 0.6)
    return p


def small_profile(seed: int, **header: object) -> Profile:
    """A profile of about 6 KB with every kind of record."""
    p = random_profile(
        seed,
        slices=6,
        density=0.5,
        layout=SMALL,
        align=8,
        block_bytes=512,
        block_capacity=2,
        **header,
    )
    p.add_clock(EPOCH, 5, 16_000_000, -3_600_000_000_000)
    p.add_note(EPOCH, "the spool vanished")
    return p


def small_mpi(seed: int, **header: object) -> Profile:
    """A small profile with segments in records and ring, traffic, peers, and GPUs."""
    mpi = {"mpi_state": 2, "mpi_adapter": 1, "world_size": 4, "mpi_init_ns": EPOCH}
    p = small_profile(seed, mpi=mpi, **header)
    random_stream(seed, 12, EPOCH).into(p, in_records=8, per_record=3, overlap=2)
    p.records.append(peers_record([(1, 2, 300, 4, 500), (2**32 - 1, 1, 1, 1, 1)]))
    p.traffic, records = random_traffic(seed, p.first_slice)
    p.records += records
    p.gpus, records = random_gpus(seed, p.first_slice)
    p.records += records
    return p


def small_shorts(layout: Layout = SMALL) -> Shorts:
    """A shorts file with a process before the header, mounts, and two headers."""
    s = Shorts(layout=layout)
    s.add(Short(values={"os_user_ns": 1_000_000}))
    s.add_header()
    for i in range(3):
        mounts = tuple((slot, 8, slot, 0xEF53) for slot in range(i))
        values = {"posix_read_bytes": {0: 4096 * i}, "self_calls_ops": i + 1}
        s.add(Short(pid=101 + i, end_ns=EPOCH + i * 5_000_000_000, mounts=mounts, values=values))
    s.add_header()
    return s


# ---- bulk ----

TYPICAL = (
    "posix_read_ops posix_read_bytes posix_read_ns posix_write_ops posix_write_bytes "
    "posix_write_ns posix_seek_ops os_read_chars os_write_chars os_write_bytes os_read_calls "
    "os_write_calls os_user_ns os_system_ns os_runqueue_ns os_voluntary_switches "
    "os_involuntary_switches os_minor_faults os_rss_bytes self_calls_ops self_heartbeat_ns "
    "self_cost_ns"
).split()


def bulk_profile(slices: int, everything: bool = False, seed: int = 1, **header: object) -> bytes:
    """A profile of very many slices, quickly: 64 records, repeatedly.

    Args:
        slices: How many, one after the other.
        everything: Every metric moves on two mounts; else a typical program on one.
        seed: Of the values.
        header: Fields of Profile.
    """
    rng = random.Random(seed)
    p = Profile(**header)  # type: ignore[arg-type]
    for slot in range(1 + everything):
        p.add_mount(slot, f"/mnt/{slot}", device=(8, slot))
    head_records = list(p.records)
    period = min(slices, 64)
    for i in range(period):
        p.add_slice(p.first_slice + i, _bulk_values(rng, p.layout, everything))
    whole, rest = divmod(slices, period)
    once = p.records[len(head_records) :]
    body = b"".join(head_records) + b"".join(once) * whole + b"".join(once[:rest])
    base = p._commit_cells()
    gauges = {c for c, m in p._metric.items() if m.kind == "gauge"}
    total = {cell: n if cell in gauges else n * whole for cell, n in base.items()}
    p.heartbeat_ns = (p.first_slice + slices) * p.slice_ns
    p.generation = slices
    return p._head(total, total, len(body), p.first_slice + slices) + body


def _bulk_values(rng: random.Random, layout: Layout, everything: bool) -> dict[str, Value]:
    out: dict[str, Value] = {}
    for m in layout.metrics:
        n = rng.randrange(1, 10**5 if m.unit == "ops" else 10**9)
        if m.scope == "mount" and (everything or m.id in TYPICAL):
            out[m.id] = dict.fromkeys(range(1 + everything), n)
        elif m.kind == "histogram" and (everything or m.id.startswith("posix")):
            out[m.id] = [n if i in (4, 12, 13, 17, 20) else 0 for i in range(m.count)]
        elif m.scope == "process" and (everything or m.id in TYPICAL):
            # NOTE: the last level must be the first one's base when the records repeat.
            out[m.id] = 2**20 if m.kind == "gauge" else n
    return out


def bulk_spool(
    folder: Path, processes: int, slices: int, jobs: int = 1, everything: bool = False
) -> list[Path]:
    """Fills a folder with profiles of ended processes, 16 to a node; returns their paths."""
    paths = []
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(processes):
        data = _bulk_bytes(slices, everything, i % 4, i, jobs)
        path = folder / f"job{i % jobs}.{1000 + i}.{EPOCH}.jst"
        path.write_bytes(data)
        paths.append(path)
    return paths


@cache
def _bulk_template(slices: int, everything: bool, seed: int) -> bytes:
    return bulk_profile(slices, everything, seed, end_ns=EPOCH + slices * 4 * SECOND, end_reason=1)


def _bulk_bytes(slices: int, everything: bool, seed: int, number: int, jobs: int) -> bytes:
    data = bytearray(_bulk_template(slices, everything, seed))
    struct.pack_into("<I", data, 96, 1000 + number)
    node, job = f"node{number // 16}", f"job{number % jobs}"
    struct.pack_into("<64s128s", data, 144, node.encode(), job.encode())
    return bytes(data)


def flip(data: bytes, bits: Iterable[int]) -> bytes:
    """The bytes with some bits turned over."""
    out = bytearray(data)
    for bit in itertools.takewhile(lambda b: b < 8 * len(data), sorted(set(bits))):
        out[bit // 8] ^= 1 << bit % 8
    return bytes(out)
