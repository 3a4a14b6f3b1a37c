"""Persistent differences between nodes: synthetic ones are found, healthy nodes are left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis.nodes import BY_NAME, NodeDifferences, persistent_differences
from jostle.analysis.nodes.deviations import Rows, daily
from jostle.analysis.nodes.persistence import evidence, significant
from jostle.report.format.nodes import answer, not_assessed, size_of, what_of
from jostle.report.models.machines.nodes import node_differences
from jostle.repository import Repository
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk
from jostle_lab.synthetic import Fault, MachineSpec, plant_machines

DAY = 86_400
MACHINES = pa.table({"host": ["n0"], "role": ["node"], "cores": [16]}).slice(0, 0)


def slices(values: np.ndarray, figure: str = "time per request") -> pa.Table:
    """Condensed slices of the disk of each host: values (hosts, days)."""
    hosts, days = values.shape
    host, day = (axis.ravel() for axis in np.indices(values.shape))
    known = ~np.isnan(values.ravel())
    size = hosts * days
    table = pa.table(
        {
            "figure": [list(BY_NAME).index(figure)] * size,
            "kind": ["disk"] * size,
            "host": [f"n{number}" for number in host],
            "name": ["sda"] * size,
            "source": [""] * size,
            "mount": [""] * size,
            "day": day + 20_000,
            "load": np.zeros(size, dtype=np.int64),
            "slices": np.full(size, 50),
            "value": values.ravel(),
        }
    )
    return table.filter(pa.array(known))


def compared(values: np.ndarray) -> NodeDifferences:
    return persistent_differences(slices(values), MACHINES)


def healthy(hosts: int = 12, days: int = 20, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    level = 0.02 * rng.standard_normal((hosts, 1))
    return level + 0.05 * rng.standard_normal((hosts, days))


def test_a_persistent_difference_is_named_with_its_first_day() -> None:
    values = healthy()
    values[3, 8:] += 0.5
    (each,) = compared(values).differences
    assert (each.host, each.figure, each.peers) == ("n3", "time per request", 11)
    assert each.since_day == 20_008
    assert each.worse_days == each.days == 12
    assert each.percent.low < 100 * np.expm1(0.5) < each.percent.high
    assert [day.worse for day in each.course] == [False] * 8 + [True] * 12
    assert what_of(each) == "disk sda: time per request"
    assert "% more (" in size_of(each)


def test_bad_days_do_not_last() -> None:
    values = healthy()
    values[3, ::7] += 1.0
    content = compared(values)
    assert not content.differences
    assert answer(content) == "No machine is persistently worse than its peers."


def test_what_is_better_is_not_named_and_less_is_worse_for_some() -> None:
    values = healthy()
    values[3] -= 0.5
    assert not compared(values).differences
    less = slices(values, "throughput when busy")
    (each,) = persistent_differences(less, MACHINES).differences
    assert each.percent.value == pytest.approx(100 * np.expm1(-0.5), abs=5)
    assert size_of(each) == "41 % less (40 to 42)"


def test_days_without_load_are_passed_over() -> None:
    values = healthy()
    values[3, 8:] += 0.5
    values[3, 10:16] = np.nan
    (each,) = compared(values).differences
    assert each.days == 6


def test_too_few_peers_or_days_are_said() -> None:
    few = compared(healthy(hosts=5))
    assert not few.comparisons
    assert [not_assessed(each) for each in few.unassessed] == [
        "Not assessed: 5 disks (n0, n1, n2 ...): 4 peers of similar hardware at most; "
        "5 peers are needed."
    ]
    short = compared(healthy(days=2))
    assert short.unassessed[0].why == "too few days"
    assert answer(short) == "Nothing could be compared."
    assert compared(healthy()[:, :0]).days == 0


def test_only_like_hardware_is_compared() -> None:
    values = healthy()
    values[:6] += 0.8  # older machines, with fewer cores
    machines = pa.table(
        {
            "host": [f"n{number}" for number in range(12)],
            "role": ["node"] * 12,
            "cores": [8] * 6 + [16] * 6,
        }
    )
    assert not persistent_differences(slices(values), machines).differences


def test_what_is_compared_is_alike_in_load() -> None:
    rows = Rows(
        np.array([0, 1, 2, 3, 0, 1, 2]),
        np.zeros(7, dtype=np.int64),
        np.array([1, 1, 1, 1, 2, 2, 2]),
        np.full(7, 10),
        np.array([1.0, 2, 3, 9, 50, 51, 52]),
    )
    differences = daily(rows, 4, 1)
    # In the second bin too few others are left; in the first one the median is that of the others.
    assert differences.ravel().tolist() == [-2.0, -1.0, 1.0, 7.0]


def test_evidence_is_an_e_value() -> None:
    """Healthy nodes: the mean of the evidence is at most one, whatever the number of days."""
    means = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = rng.standard_t(3, (20, 10))
        means.append(np.mean([each.value for each in evidence(values, 0.0) if each]))
    assert np.mean(means) <= 1
    assert significant(np.array([1e5, 3.0, 900.0]), 3).tolist() == [True, False, True]
    assert not significant(np.zeros(0), 0).size


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("nodes") / "repository"
    faults = (
        Fault("throttled node", "node0001", 0.8, start_s=2 * DAY),
        Fault("capped disk", "node0002", 0.4, start_s=2 * DAY),
        Fault("lossy link", "node0003", 1e-5),
    )
    spec = MachineSpec(nodes=9, slices=8 * 180, slice_s=480.0, faults=faults)
    plant_machines(folder, spec, seed=2)
    return Repository(folder)


def test_injected_faults_are_found_in_a_repository(injected: Repository) -> None:
    content = node_differences(injected)
    named = {(each.host, each.figure) for each in content.differences}
    assert {host for host, _ in named} == {"node0001", "node0002", "node0003"}
    assert {
        ("node0001", "throttled time"),
        ("node0002", "time per request"),
        ("node0003", "errors, drops and repeats"),
    } <= named
    assert content.to_json()["differences"][0]["course"][0]["day"].startswith("2025-06-")
    last = node_differences(injected, days=2)
    assert not last.differences
    assert {each.why for each in last.unassessed} == {"too few days"}


def test_of_many_rows_some_slices_are_enough(
    injected: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jostle.report.models.machines.nodes._MOST_ROWS", 30_000)
    hosts = {each.host for each in node_differences(injected).differences}
    assert "node0003" in hosts
    assert hosts <= {"node0001", "node0002", "node0003"}


def test_nodes_without_an_agent_are_compared_within_jobs(tmp_path: Path) -> None:
    path = tmp_path / "r"
    store = Repository(path, create=True)
    chunks = []
    for day in range(7):
        host, at = (axis.ravel() for axis in np.indices((6, 40)))
        start = (20_000 + day) * DAY
        size = len(host)
        slow = np.where(host == 2, 3, 1) * (1 + 0.01 * np.random.default_rng(day).random(size))
        rows = pa.table(
            {
                "job": [f"job{day}"] * size,
                "process": host,
                "host": [f"n{each}" for each in host],
                "mount": ["nfs:server:/x"] * size,
                "slice": start + at,
                "slice_ns": np.full(size, 10**9),
                "span": np.ones(size, dtype=np.int32),
                "posix_write_ops": np.full(size, 20),
                "posix_write_bytes": np.full(size, 20 << 20),
                "posix_write_ns": (slow * 5e6 * (1 + day)).astype(np.int64),
            }
        )
        chunks.append(PartitionChunk("mount_slices", rows, start * 10**9, (start + 60) * 10**9))
    schema = pa.schema(list(TABLES["mounts"].keys.items()))
    mount = {
        "job": "job0",
        "host": "n0",
        "mount": "nfs:server:/x",
        "path": "/x",
        "type": "nfs4",
        "source": "server:/x",
        "major": 0,
        "minor": 50,
        "shared": True,
    }
    chunks.append(PartitionChunk("mounts", pa.Table.from_pylist([mount], schema), 0, 0))
    publish(path, Log(path), Change("ingest", add=write_chunks(path, chunks)))
    (each,) = node_differences(store).differences
    assert (each.host, each.figure) == ("n2", "time per call in jobs")
    assert what_of(each) == "mount nfs:server:/x: time per call in jobs"
    assert each.percent.value == pytest.approx(200, abs=3)


def test_a_node_with_slow_memory_is_found_within_jobs(tmp_path: Path) -> None:
    path = tmp_path / "r"
    store = Repository(path, create=True)
    chunks = []
    for day in range(7):
        host, at = (axis.ravel() for axis in np.indices((6, 40)))
        start = (20_000 + day) * DAY
        size = len(host)
        noise = 1 + 0.01 * np.random.default_rng(day).random(size)
        slow = np.where(host == 4, 1.5, 1) * noise
        rows = pa.table(
            {
                "job": [f"job{day}"] * size,
                "process": host,
                "host": [f"n{each}" for each in host],
                "slice": start + at,
                "slice_ns": np.full(size, 10**9),
                "span": np.ones(size, dtype=np.int32),
                "memory_probe_count": np.full(size, 8),
                "memory_latency_ns": (8 * 6400 * slow).astype(np.int64),
                "memory_stream_ns": (8 * 2200 * noise).astype(np.int64),
            }
        )
        chunks.append(PartitionChunk("slices", rows, start * 10**9, (start + 60) * 10**9))
    publish(path, Log(path), Change("ingest", add=write_chunks(path, chunks)))
    (each,) = node_differences(store).differences
    assert (each.host, each.figure) == ("n4", "memory latency in jobs")
    assert what_of(each) == "memory: memory latency in jobs"
    assert each.percent.value == pytest.approx(50, abs=2)


def test_a_mount_whose_metadata_is_slow_is_found(tmp_path: Path) -> None:
    path = tmp_path / "r"
    store = Repository(path, create=True)
    chunks = []
    for day in range(7):
        host, at = (axis.ravel() for axis in np.indices((8, 40)))
        start = (20_000 + day) * DAY
        size = len(host)
        noise = np.random.default_rng(day).uniform(0.98, 1.02, size)
        rows = pa.table(
            {
                "host": [f"n{each}" for each in host],
                "kind": ["ceph_mount"] * size,
                **dict.fromkeys(("source", "job", "unknown"), [""] * size),
                "name": ["/scratch"] * size,
                "mount": ["ceph-fuse:/scratch"] * size,
                "slice": start + at,
                "slice_ns": np.full(size, 10**9),
                "span": np.ones(size, dtype=np.int32),
                "storage_write_ops": np.full(size, 20),
                "storage_write_ns": (4e7 * noise).astype(np.int64),
                "storage_meta_ops": np.full(size, 50),
                "storage_meta_ns": (np.where(host == 5, 2, 1) * 5e7 * noise).astype(np.int64),
            }
        )
        chunks.append(PartitionChunk("component_slices", rows, start * 10**9, (start + 60) * 10**9))
    publish(path, Log(path), Change("ingest", add=write_chunks(path, chunks)))
    (each,) = node_differences(store).differences
    assert (each.host, each.figure) == ("n5", "time per metadata request")
    assert each.percent.value == pytest.approx(100, abs=2)


def test_an_empty_repository_has_nothing_to_compare(tmp_path: Path) -> None:
    content = node_differences(Repository(tmp_path / "r", create=True))
    assert (content.days, content.differences, content.unassessed) == (0, [], [])
