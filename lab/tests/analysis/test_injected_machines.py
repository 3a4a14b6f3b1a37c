"""Synthetic machines agree with the synthetic jobs, and have the faults that were requested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jostle.repository import Repository
from jostle_lab.synthetic import Fault, Injected, MachineSpec, Spec, plant, plant_machines
from jostle_lab.synthetic.injected.schedule import EPOCH_S

HIDDEN = "burster-0001"


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    faults = (
        Fault("unprofiled job", HIDDEN, batch="slurm-9001"),
        Fault("slow server", size=3.0, mount=0, start_s=60, end_s=90),
    )
    spec = Spec(jobs=6, slices=200, length=120, processes=4, faults=faults)
    injected = plant(tmp_path_factory.mktemp("machines") / "repository", spec, seed=5)
    plant_machines(injected, seed=1)
    return injected


def test_a_server_sees_its_clients_and_these_their_jobs_and_what_has_no_profile(
    injected: Injected,
) -> None:
    repository = Repository(injected.path)
    assert HIDDEN not in repository.jobs()["job"].to_pylist()
    assert HIDDEN in injected.jobs
    profiled, mounted, served = (
        repository.query(sql).to_pylist()[0]["b"]
        for sql in (
            "SELECT sum(posix_write_bytes_sum)::BIGINT AS b FROM rollup",
            "SELECT sum(storage_write_bytes)::BIGINT AS b FROM component_slices "
            "WHERE kind IN ('nfs_mount', 'lustre_mount')",
            "SELECT sum(storage_write_bytes)::BIGINT AS b FROM component_slices "
            "WHERE kind IN ('nfs_server', 'lustre_ost')",
        )
    )
    job = repository.query(
        "SELECT sum(storage_write_bytes)::BIGINT AS b FROM component_slices "
        "WHERE kind = 'batch_job' AND job = 'slurm-9001'"
    ).to_pylist()[0]["b"]
    assert mounted == pytest.approx(served, rel=1e-4)
    assert mounted == pytest.approx(profiled + job, rel=1e-4)
    assert job > 0.1 * profiled


def test_a_slow_server_is_slow_without_load(injected: Injected) -> None:
    rows = Repository(injected.path).query(
        "SELECT slice, storage_wait_ns / storage_wait_ops AS each FROM component_slices "
        "WHERE host = 'server0' AND kind = 'disk' AND storage_wait_ops > 0 ORDER BY slice"
    )
    at = np.array(rows["slice"]) - EPOCH_S
    slow = (at >= 60) & (at < 90)
    each = np.array(rows["each"])
    assert np.median(each[slow]) > 2 * np.median(each[~slow])


def test_faults_of_nodes(tmp_path: Path) -> None:
    faults = (
        Fault("throttled node", "node0001", size=0.7),
        Fault("capped disk", "node0002", size=0.5),
        Fault("lossy link", "node0003", size=1e-4, start_s=400),
        Fault("unprofiled load", "node0000", size=1e8, batch="slurm-7"),
    )
    spec = MachineSpec(nodes=5, slices=200, mounts=2, faults=faults)
    roles = plant_machines(tmp_path / "r", spec, seed=3)
    assert sorted(roles.values()).count("server") == 2
    again = tmp_path / "again"
    plant_machines(again, spec, seed=3)
    sql = "SELECT * EXCLUDE (machine) FROM component_slices ORDER BY ALL"
    repository = Repository(tmp_path / "r")
    assert repository.query(sql) == Repository(again).query(sql)
    by_host = {
        row["host"]: row
        for row in repository.query(
            "SELECT host, avg(cpu_frequency_khz) FILTER (kind = 'machine') AS clock, "
            "sum(link_retry_ops) AS retries, sum(storage_wait_ns) FILTER (kind = 'disk') "
            "/ sum(storage_wait_ops) FILTER (kind = 'disk') AS each "
            "FROM component_slices WHERE host LIKE 'node%' GROUP BY host"
        ).to_pylist()
    }
    assert by_host["node0001"]["clock"] < 0.8 * by_host["node0000"]["clock"]
    assert by_host["node0002"]["each"] > 1.5 * by_host["node0000"]["each"]
    assert by_host["node0003"]["retries"] > 100
    assert by_host["node0000"]["retries"] == 0
    jobs = repository.query("SELECT DISTINCT kind FROM component_slices WHERE job = 'slurm-7'")
    assert sorted(jobs["kind"].to_pylist()) == ["batch_job", "lustre_job"]
