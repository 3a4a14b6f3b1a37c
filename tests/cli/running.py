"""A repository of running jobs: one reads, and another one begins to slow it."""

from __future__ import annotations

import time
from pathlib import Path

from jostle.repository import Repository
from synth import Profile

HALF = 500_000_000
SLICES, AT = 60, 40  # the other one begins with this slice


def running(folder: Path) -> Path:
    """Write profiles of two running jobs and ingest them; return the repository."""
    spool = folder / "spool"
    spool.mkdir(parents=True)
    start = (time.time_ns() // HALF - SLICES) * HALF
    victim = Profile(
        job="reader-1", pid=100, program="/usr/bin/reader", slice_ns=HALF, start_ns=start
    )
    bully = Profile(
        job="bully-1", pid=200, program="/usr/bin/bully", slice_ns=HALF, start_ns=start + AT * HALF
    )
    for profile in (victim, bully):
        profile.add_mount(0, "/data")
    for at in range(SLICES):
        per_read = 2_000_000 + 10_000 * (at % 3) + (1_000_000 if at >= AT else 0)
        victim.add_slice(victim.first_slice + at, _reads(100, 100 * per_read))
    for at in range(SLICES - AT):
        bully.add_slice(bully.first_slice + at, _reads(2000, 300_000_000))
    for profile in (victim, bully):
        profile.write(spool)
    repository = folder / "repository"
    store = Repository(repository, create=True)
    store.ingest([spool])
    store.close()
    return repository


def _reads(ops: int, ns: int) -> dict[str, object]:
    return {
        "posix_read_ops": {0: ops},
        "posix_read_bytes": {0: ops << 16},
        "posix_read_ns": {0: ns},
        "os_user_ns": 50_000_000,
    }
