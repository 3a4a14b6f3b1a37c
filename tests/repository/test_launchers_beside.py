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
            job=job, pid=100 + number, program=f"/opt/{program}", slice_ns=SLICE, start_ns=EPOCH,
            end_ns=EPOCH + 4 * SLICE, end_reason=1, host="node1",
        )  # fmt: skip
        for index in range(4):
            profile.add_slice(profile.first_slice + index, {"os_user_ns": 1_000_000})
        profile.write(spool)
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([spool])
    beside = store.beside("train-1a2b3c4d")
    assert bool(beside.others) == bool(beside.node_loads.num_rows) == is_neighbour
