"""Spark's answers are those of the embedded engine, row by row, or a clear error."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support import make_profile

from jostle.analysis import matrix
from jostle.errors import JostleError
from jostle.report.models.job.background import background_of
from jostle.report.models.machines.nodes import node_differences
from jostle.report.models.metrics import DEFAULT, view
from jostle.report.models.trends import program_trends
from jostle.repository import Repository
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import DAY_NS, TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk
from jostle_lab.synthetic import Fault, MachineSpec, Spec, plant, plant_machines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("pyspark")

from jostle.spark.engine import SparkEngine
from jostle.spark.session import Cluster


def fill(folder: Path, seed: int, slice_s: float) -> Repository:
    """Make a repository of jobs, machines and profiles, in many commits, of one or several days."""
    plant(
        folder,
        Spec(
            jobs=4 + seed % 5,
            slices=250,
            length=40,
            processes=4,
            slice_s=slice_s,
            mounts=1 + seed % 3,
            roommates=0.5,
        ),
        seed=seed,
    )
    faults = (Fault("throttled node", "node0002", 0.6),) if seed % 2 else ()
    spec = MachineSpec(nodes=7, slices=150, slice_s=slice_s * 2, faults=faults)
    plant_machines(folder, spec, seed=seed)
    spool = folder.parent / f"{folder.name}.spool"
    store = Repository(folder)
    plant_gpus(store)
    for each in range(seed % 3 + 1):
        make_profile(seed + each, f"job{each % 2}").write(spool)
        store.ingest([spool])
    if seed % 2:
        store.compact()
    return store


def plant_gpus(store: Repository) -> None:
    """Give each job two GPUs, a bus and an NVLink domain on its nodes, in each of its slices."""
    gpus = [f"0000:{bus}:00.0" for bus in ("3b", "3c")]
    seen = store.query("SELECT DISTINCT job, host, slice, slice_ns FROM node_rollup").to_pylist()
    pairs = sorted({(row["job"], row["host"]) for row in seen})
    write(
        store,
        "gpus",
        [
            {
                "job": job,
                "host": host,
                "gpu": gpu,
                "pci": gpu,
                "name": "Big",
                "pci_path": f"pci0000:3a/0000:3a:00.0/{gpu}",
                "numa": 0,
            }
            for job, host in pairs
            for gpu in gpus
        ],
    )
    write(
        store,
        "components",
        [
            {
                "machine": 1,
                "host": host,
                "component": k,
                "kind": "gpu",
                "name": gpu,
                "source": gpus[0],
                "mount": "",
                "job": "",
                "path": "",
            }
            for host in sorted({host for _, host in pairs})
            for k, gpu in enumerate(gpus)
        ],
    )
    amounts = {
        "h2d_ops": 3,
        "h2d_bytes": 9000,
        "h2d_ns": 10**6,
        "launch_ops": 5,
        "peer_ops": 2,
        "peer_bytes": 800,
        "peer_ns": 10**5,
    }
    write(
        store,
        "gpu_rollup",
        [
            {**row, "gpu": gpu, "count": 1}
            | {
                f"gpu_{name}_sum": size * (1 + (row["slice"] + len(row["job"]) * k) % 9)
                for k, (name, size) in enumerate(amounts.items())
            }
            for row in seen
            for gpu in gpus
        ],
    )
    write(
        store,
        "node_rollup",
        [
            {
                **row,
                "count": 0,
                "gpu_wait_ns_sum": 10**7 * (1 + row["slice"] % 5),
                "ccl_send_ops_sum": 1,
                "ccl_send_bytes_sum": 64,
                "ccl_send_ns_sum": 10**6,
            }
            for row in seen
        ],
    )


def write(store: Repository, table: str, rows: list[dict[str, Any]]) -> None:
    layout = TABLES[table]
    values = {name: layout.values[name] for row in rows for name in row if name in layout.values}
    schema = pa.schema(list({**layout.keys, **values}.items()))
    days: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        day = row["slice"] * row["slice_ns"] // DAY_NS if layout.partition_ns else 0
        days.setdefault(day, []).append(row)
    chunks = [
        PartitionChunk(
            table,
            pa.Table.from_pylist(some, schema),
            *((day * DAY_NS, (day + 1) * DAY_NS) if layout.partition_ns else (0, 0)),
        )
        for day, some in sorted(days.items())
    ]
    publish(store.path, Log(store.path), Change("ingest", add=write_chunks(store.path, chunks)))


@pytest.fixture(scope="session")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("days") / "repository", 3, 900.0).path


@pytest.fixture
def engine(spark: SparkSession, days: Path) -> SparkEngine:
    return asked_by(spark, days)


def asked_by(spark: SparkSession, path: Path) -> SparkEngine:
    cluster = Cluster("local[2]")
    cluster.session = spark
    return SparkEngine(cluster, Repository(path))


def near(one: Any, other: Any) -> bool:
    """Return whether plain values are equal; numbers as the order of sums allows."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(near(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(near, one, other))
    return one == other if not isinstance(one, float) else one == pytest.approx(other, rel=1e-9)


@pytest.mark.in_turn
@settings(max_examples=2, phases=[Phase.explicit, Phase.generate])  # to shrink takes minutes
@given(seed=st.integers(0, 10_000), slice_s=st.sampled_from([4.0, 600.0]))
def test_answers_are_equal(spark: SparkSession, seed: int, slice_s: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = fill(Path(folder) / "repository", seed, slice_s)
        engine = asked_by(spark, store.path)
        found = engine.matrix()
        assert found == matrix(store.programs_alongside())
        assert {"gpu", "bus"} <= {pair.resource_kind for pair in found.encounters}
        differences = node_differences(engine.repository).to_json()
        assert near(differences, node_differences(store).to_json())
        job = store.jobs()["job"][seed % 4].as_py()
        seen = background_of(engine.repository, job, view(DEFAULT)).to_json()
        assert seen == background_of(store, job, view(DEFAULT)).to_json()


def test_there_are_days_and_encounters(engine: SparkEngine, days: Path) -> None:
    assert (
        len({file.lo // (86_400 * 10**9) for file in Repository(days).snapshot().files["rollup"]})
        > 1
    )
    assert engine.matrix().encounters
    assert engine.matrix(1000) == matrix(Repository(days).programs_alongside(), as_user=1000)


@pytest.mark.in_turn
def test_weeks_are_equal(engine: SparkEngine, days: Path) -> None:
    store = Repository(days)
    seen = program_trends(engine.repository, partial(engine.matrix, None), 2)
    wanted = program_trends(store, lambda span: matrix(store.programs_alongside(span)), 2)
    assert seen == wanted
    assert wanted.programs


@pytest.mark.in_turn
@pytest.mark.parametrize("what", ["rollup", "mount_slices", "processes", "jobs", "a job"])
def test_exports_are_equal(what: str, engine: SparkEngine, days: Path, tmp_path: Path) -> None:
    store = Repository(days)
    name = store.jobs()["job"][0].as_py() if what == "a job" else what
    report = engine.export(name, "parquet", tmp_path / "parts", span=None, metrics=None)
    whole = store.export(name, "parquet", tmp_path / "whole.parquet")
    assert report.rows == whole.rows > 0
    asked = f"SELECT * FROM '{tmp_path}/{{}}' ORDER BY ALL"
    seen, wanted = (
        duckdb.sql(asked.format(name)).to_arrow_table()
        for name in ("parts/*.parquet", "whole.parquet")
    )
    assert seen.equals(wanted)


@pytest.mark.in_turn
def test_a_snapshot_stays_while_others_write(
    engine: SparkEngine, days: Path, tmp_path: Path
) -> None:
    before = engine.matrix()
    copy = tmp_path / "repository"
    shutil.copytree(days, copy)
    pinned = SparkEngine(engine._cluster, Repository(copy))
    make_profile(77, "late", slices=30).write(tmp_path / "spool")
    Repository(copy).ingest([tmp_path / "spool"])
    Repository(copy).compact()
    assert pinned.matrix() == before
    assert pinned.repository.jobs().num_rows == Repository(days).jobs().num_rows


@pytest.mark.in_turn
def test_a_file_that_is_gone_is_an_error(spark: SparkSession, days: Path, tmp_path: Path) -> None:
    copy = tmp_path / "repository"
    shutil.copytree(days, copy)
    pinned = asked_by(spark, copy)
    gone = Repository(copy).snapshot().files["rollup"][-1].path
    (copy / gone).unlink()
    with pytest.raises(JostleError, match=f"{gone}.* is gone") as caught:
        pinned.matrix()
    assert "Repeat the query" in caught.value.hint


@pytest.mark.in_turn
def test_a_damaged_file_is_an_error(spark: SparkSession, days: Path, tmp_path: Path) -> None:
    copy = tmp_path / "repository"
    shutil.copytree(days, copy)
    torn = copy / Repository(copy).snapshot().files["rollup"][0].path
    torn.write_bytes(torn.read_bytes()[:100])
    with pytest.raises(JostleError, match=r"cannot be read") as caught:
        asked_by(spark, copy).matrix()
    assert "--fix" in caught.value.hint
