"""Agents of a lab without Slurm only sample: measurements use the profiles they wrote."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from lab_parts import lab_of

from jostle.repository import Repository

pytestmark = pytest.mark.in_turn


def test_every_host_is_sampled_and_no_wait_for_this_machines_storage_is(tmp_path: Path) -> None:
    """The lab's storage is memory: for that nobody in it waits."""
    with lab_of("sampled", fs="plain", nodes=1, agents="250ms", size="64MiB") as lab:
        time.sleep(2)
        store = Repository(tmp_path / "repository", create=True)
        store.ingest([lab.local(host) / "spool" for host in ("node1", "storage")])
    rows = store.query(
        "SELECT host, count(*)::BIGINT AS slices, sum(pressure_io_ns)::BIGINT AS waited "
        "FROM component_slices WHERE kind = 'machine' GROUP BY host ORDER BY host"
    ).to_pylist()
    assert [row["host"] for row in rows] == ["node1", "storage"]
    assert all(row["slices"] >= 4 and not row["waited"] for row in rows)
