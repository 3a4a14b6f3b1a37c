"""Launchers of training jobs are in a job of their own, which is no neighbour of their ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile

SLICE = SECOND // 2


@pytest.mark.parametrize(("other", "is_neighbour"), [("torchrun", False), ("load.x", True)])
def test_a_launcher_alone_is_no_neighbour(tmp_path: Path, other: str, is_neighbour: bool) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    for number, (job, program) in enumerate([("train-1a2b3c4d", "train.x"), ("local-1-2", other)]):
        profile = Profile(
            job=job,
            pid=100 + number,
            program=f"/opt/{program}",
            slice_ns=SLICE,
            start_ns=EPOCH,
            end_ns=EPOCH + 4 * SLICE,
            end_reason=1,
            host="node1",
        )
        for index in range(4):
            profile.add_slice(profile.first_slice + index, {"os_user_ns": 1_000_000})
        profile.write(spool)
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([spool])
    alongside = store.alongside("train-1a2b3c4d")
    assert bool(alongside.others) == bool(alongside.node_loads.num_rows) == is_neighbour


def test_a_rank_that_its_launcher_looked_at_is_in_its_own_job_only(tmp_path: Path) -> None:
    """A heartbeat looks at its process's children, which may belong to another job than it."""
    spool = tmp_path / "spool"
    spool.mkdir()
    for job, ending in (("train-1a2b3c4d", "jst"), ("local-1-2", "jsp")):
        rank = Profile(
            job=job,
            pid=100,
            program="/opt/train.x",
            slice_ns=SLICE,
            start_ns=EPOCH,
            end_ns=EPOCH + 4 * SLICE,
            end_reason=1,
            host="node1",
            proc_start=99,
        )
        rank.add_slice(rank.first_slice, {"os_user_ns": 1_000_000})
        rank.write(spool, f"{job}.100.{EPOCH}.{ending}")
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([spool])
    rows = store.query("SELECT job FROM processes").to_pylist()
    assert rows == [{"job": "train-1a2b3c4d"}]
