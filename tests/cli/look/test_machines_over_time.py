"""Nodes and servers in `timeline`, `background` and `export`."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import jostle

from jostle.errors import UsageError
from jostle.report.models import metrics
from jostle.report.models.job.background import background_of
from jostle.report.models.machines.machine_steps import component_view, machine_steps
from jostle.repository import Repository
from jostle_lab.synthetic import Fault, Injected, Spec, plant, plant_machines

HIDDEN = "burster-0001"


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    faults = (Fault("unprofiled job", HIDDEN, batch="slurm-9001"),)
    spec = Spec(jobs=6, slices=200, length=120, processes=4, faults=faults)
    injected = plant(tmp_path_factory.mktemp("machines") / "repository", spec, seed=5)
    plant_machines(injected, seed=1)
    return injected


def test_a_machine_over_time(injected: Injected) -> None:
    store = Repository(injected.path)
    every = machine_steps(store, "server0")
    assert [each.title for each in every] == [
        "server0",
        "server0 · disk sdb",
        "server0 · OST fs0-OST0000",
        "server0 · requests to fs0-OST0000 of slurm-9001",
    ]
    stored = store.query(
        "SELECT sum(storage_write_bytes)::BIGINT AS b FROM component_slices "
        "WHERE host = 'server0' AND kind = 'disk'"
    )["b"][0].as_py()
    assert every[1].lines[0].values.sum() == stored
    view = component_view("storage_busy_ns")
    assert {each.kind for each in machine_steps(store, "server0", view=view)} == {"disk"}
    assert component_view("posix_write_ops") is None
    with pytest.raises(UsageError, match="No agent ran on a machine server9"):
        machine_steps(store, "server9")


def test_the_background_has_the_servers_and_what_no_profile_has(injected: Injected) -> None:
    store = Repository(injected.path)
    content = background_of(store, "logger-0000", metrics.view("bytes"))
    (server,) = content.servers
    assert (server.servers, server.kind) == (["server0"], "lustre_ost")
    assert server.unprofiled == pytest.approx(0.41, abs=0.02)
    assert not background_of(store, "logger-0000", metrics.view("cpu")).servers


def test_the_commands(injected: Injected, tmp_path: Path) -> None:
    where = ("--repository", str(injected.path))
    done = jostle("timeline", "logger-0000", "--node", "server0", "--json", *where)
    content = json.loads(done.out)
    assert [each["kind"] for each in content["machines"]] == [
        "machine",
        "disk",
        "lustre_ost",
        "lustre_job",
    ]
    lengths = {
        len(line["values"])
        for each in (*content["jobs"], *content["machines"])
        for line in each["series"]
    }
    assert len(lengths) == 1
    out = tmp_path / "slices.parquet"
    done = jostle(
        "export", "component_slices", "--metric", "link_send_bytes", "-o", str(out), *where
    )
    rows = pq.read_table(out)
    assert rows.num_rows > 100
    assert {"kind", "unknown", "link_send_bytes", "start"} <= set(rows.column_names)
    assert "cpu_user_ns" not in rows.column_names
