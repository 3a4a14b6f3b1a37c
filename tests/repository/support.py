"""Helpers of the repository's tests: spools of synthetic profiles, and plain sums of them."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jostle.repository import Repository
from jostle.repository.store.layout import TABLES, process_id
from jostle.schema.metrics import BY_ID, HISTOGRAM_IDS, MOUNT_IDS
from synth import EPOCH, SECOND, Profile, Short, Shorts

SLICE = 4 * SECOND
SHARED = {"path": "/scratch", "type": "nfs4", "source": "server:/scratch", "device": (0, 50)}
MOVED = ("posix_write_bytes", "posix_write_ops", "posix_read_bytes", "stdio_write_bytes")


def make_profile(
    seed: int, job: str = "alpha", *, slices: int = 10, ended: bool = True, **header: Any
) -> Profile:
    """A profile with spans, gaps, two mounts, a histogram, and (when ended) a remainder."""
    rng = random.Random(seed)
    header = {"host": f"node{seed % 3}", "pid": 1000 + seed, **header}
    profile = Profile(job=job, **header)
    profile.add_mount(0, **SHARED)
    profile.add_mount(1, "/", "ext4", "/dev/vda", (254, 0))
    at = profile.first_slice
    for _ in range(slices):
        at += rng.choice((0, 0, 0, 1, 3))
        span = rng.choice((1, 1, 1, 2, 5))
        profile.add_slice(at, random_moves(rng), span)
        at += span
    if ended:
        profile.set_remainder(random_moves(rng))
        end_job(profile, at)
    return profile


def random_moves(rng: random.Random) -> dict[str, Any]:
    """The content of a slice; a remainder needs a few of them too."""
    values: dict[str, Any] = {
        name: {slot: rng.randrange(1, 10**6) for slot in (0, 1) if rng.random() < 0.7}
        for name in MOVED
    }
    values["os_user_ns"] = rng.randrange(1, 2000)
    values["os_rss_bytes"] = rng.randrange(1, 10**6)
    values["posix_write_size"] = [rng.randrange(5) if b % 7 == 3 else 0 for b in range(32)]
    return values


def newer(store: Any) -> None:
    """Ingests a job of this hour, so that one job is left when all others expire."""
    folder = store.path.parent / "newer"
    begin = time.time_ns() - 30 * SLICE
    make_profile(99, "newer", slices=3, start_ns=begin, heartbeat_ns=begin).write(folder)
    store.ingest([folder])


def end_job(profile: Profile, at: int) -> None:
    """Lets the process end in orderly fashion in a slice."""
    profile.end_ns = at * profile.slice_ns + profile.slice_ns // 2
    profile.end_reason = 1


def key_of(profile: Profile) -> int:
    """The process id that the repository of its file's owner gives it."""
    return process_id(None, str(profile.boot_id), profile.pid, profile.start_ns, profile.part)


def make_shorts(job: str = "alpha", number: int = 5, *, host: str = "node0", **kw: Any) -> Shorts:
    """A shorts file; its processes span one to three slices."""
    shorts = Shorts(job=job, host=host, **kw)
    shorts.add_header()
    for i in range(number):
        start = EPOCH + i * SECOND
        shorts.add(
            Short(
                pid=50_000 + i,
                start_ns=start,
                end_ns=start + i * 2 * SECOND,
                mounts=((0, 0, 50, 0x6969),),
                values={"posix_write_bytes": {0: 1000 + i}, "os_user_ns": 100 + i},
            )
        )
    return shorts


def all_rows(profile: Profile, *, remainder: bool = True) -> list[Any]:
    """The rows that a profile must give."""
    extra = [profile.remainder] if remainder and profile.remainder else []
    return [*profile.rows, *extra]


def spread_plainly(value: int, span: int) -> list[int]:
    """Divides a value over slices, the remainder in the last."""
    return [value // span] * (span - 1) + [value - value // span * (span - 1)]


def plain_rollup(profiles: Iterable[Profile], metric: str) -> dict[tuple[str, str, int], list[int]]:
    """Values per (job, mount, slice), one per process with a row there; plain Python."""
    out: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for profile in profiles:
        names = {0: "nfs:server:/scratch", 1: f"{profile.host}:/dev/vda"}
        for row in all_rows(profile):
            slots = {
                slot
                for name, value in row.values.items()
                if name in MOUNT_IDS
                for slot, n in value.items()
                if n
            }
            for slot in slots:
                value = row.values.get(metric, {}).get(slot, 0)
                for i, part in enumerate(spread_plainly(value, row.span)):
                    out[profile.job, names[slot], row.slice + i].append(part)
    return dict(out)


def plain_total(profiles: Iterable[Profile], metric: str) -> int:
    """Sum of a metric over everything in some profiles."""
    total = 0
    for profile in profiles:
        for row in all_rows(profile):
            value = row.values.get(metric, 0)
            if metric in HISTOGRAM_IDS:
                total += sum(value or [])
            elif BY_ID[metric].scope == "mount":
                total += sum((value or {}).values())
            else:
                total += value
    return total


def expected_keys(profiles: Iterable[Profile], *, remainder: bool = True) -> list[tuple[int, int]]:
    """(process, slice) of every row that must be there, sorted."""
    return sorted(
        (key_of(profile), row.slice)
        for profile in profiles
        for row in all_rows(profile, remainder=remainder)
    )


def stored_keys(store: Any) -> list[tuple[int, int]]:
    """(process, slice) of every row of table slices, sorted."""
    rows = store.query("SELECT process, slice FROM slices").to_pylist()
    return sorted((row["process"], row["slice"]) for row in rows)


def write_all(folder: Path, profiles: Iterable[Profile]) -> None:
    """Writes profiles into a spool."""
    for profile in profiles:
        profile.write(folder)


def content(store: Repository) -> dict[str, list[tuple[str, ...]]]:
    """All rows of all tables, sorted; partial sums of the rollups are added up."""
    found = {}
    for table in TABLES:
        rows = store.query(f"SELECT * FROM {table}")
        names = [name for name in rows.column_names if name != "revision"]
        if table.endswith("rollup"):
            rows = store.query(f"SELECT {summed(names)} FROM {table} GROUP BY ALL")
        texts = [[f"{name}={v or 0}" for v in rows.column(name).to_pylist()] for name in names]
        lines = zip(*texts, strict=True)
        found[table] = sorted(set(lines) if table in ("mounts", "gpus") else lines)
    return found


def summed(names: list[str]) -> str:
    """The columns of a rollup for a query that groups by its keys."""
    how = {"count": "sum", "_sum": "sum", "_min": "min", "_max": "max"}
    return ", ".join(
        f"{how[end]}({name}) AS {name}"
        if (end := name[name.rfind("_") :]) in how or (end := name) in how
        else name
        for name in names
    )


def compare(one: Repository, other: Repository) -> None:
    mine, theirs = content(one), content(other)
    for table, rows in mine.items():
        more, less = set(rows) - set(theirs[table]), set(theirs[table]) - set(rows)
        differ = [set(a) ^ set(b) for a, b in zip(sorted(more), sorted(less), strict=False)]
        assert len(rows) == len(theirs[table]), (table, more, less)
        assert not differ, (table, differ)
