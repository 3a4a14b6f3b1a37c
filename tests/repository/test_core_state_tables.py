"""An estimate gets agents' counters of its nodes' cores and of its own control groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_machine_loads import NFS, SLICES, job, stored

from jostle.repository.query.resources import core_states
from jostle.repository.types import NO_CORE_STATES
from synth import EPOCH, SECOND
from synth_machine import MachineProfile


def test_states_of_the_jobs_nodes_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = []
    for host, pid in (("node1", 11), ("node9", 12)):
        p = MachineProfile(host=host, pid=pid, start_ns=EPOCH + pid)
        whole = p.add_component(kind="machine", name="machine")
        mine = p.add_component(kind="batch_job", name="job_1", job="slurm-1")
        other = p.add_component(kind="batch_job", name="job_2", job="slurm-2")
        for at in range(SLICES):
            steal = {"cpu_steal_ns": SECOND if at else None}
            p.add_slice(
                p.first_slice + at,
                {
                    whole: {"cpu_throttle_ns": 7_000_000, "cpu_frequency_khz": 2_000_000, **steal},
                    mine: {"cpu_quota_ns": 5},
                    other: {"cpu_quota_ns": 6},
                },
            )
        p.end_ns, p.end_reason = EPOCH + SLICES * p.slice_ns, 1
        agents.append(p)
    store = stored(tmp_path, job("mine", "node1", 1, NFS, mpi={"batch": "slurm-1"}), *agents)
    table = store.run_tables("mine").core_states
    assert table.schema == NO_CORE_STATES.schema
    assert set(table["host"].to_pylist()) == {"node1"}
    assert set(table["name"].to_pylist()) == {"machine", "job_1"}
    rows = [row for row in table.to_pylist() if row["kind"] == "machine"]
    steal = [row["cpu_steal_ns"] for row in rows]
    assert steal[0] is None
    assert steal[1:] == pytest.approx([SECOND] * (SLICES - 1), rel=0.001)

    monkeypatch.setattr(core_states, "_MOST_ROWS", SLICES)  # of two components: pairs are joined
    joined = store.run_tables("mine").core_states
    rows = [row for row in joined.to_pylist() if row["kind"] == "machine"]
    assert len(rows) in (SLICES // 2, SLICES // 2 + 1)
    assert sum(row["cpu_throttle_ns"] for row in rows) == pytest.approx(7e6 * SLICES, rel=0.001)
    assert {row["cpu_frequency_khz"] for row in rows} == {2_000_000}


def test_without_agents_nothing_is_there(tmp_path: Path) -> None:
    store = stored(tmp_path, job("mine", "node1", 1, NFS))
    assert not store.run_tables("mine").core_states.num_rows
