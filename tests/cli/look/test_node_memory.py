"""How fast a node's memory answered its jobs, as the node's page shows it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from jostle.report.models.machines.node_memory import node_memory
from jostle.repository import Repository
from jostle_lab.synthetic import MachineSpec, plant_machines


class _Store:
    """Answers the question from rows of our own: slices of one node."""

    def __init__(self, rows: pa.Table) -> None:
        import duckdb

        self._connection = duckdb.connect()
        self._connection.register("node_rollup", rows)

    def query(self, sql: str, values: list[object]) -> pa.Table:
        return self._connection.sql(sql, params=values).to_arrow_table()


def test_latency_bandwidth_and_misses_of_each_job() -> None:
    second = 1_000_000_000
    size = 100
    slow = [2 if at >= 90 else 1 for at in range(size)]
    probed = {
        "job": ["probed"] * size,
        "cpu": [2 * second] * size,
        "latency": [6400 * each for each in slow],
        "stream": [8192] * size,
        "probes": [1] * size,
        "misses": [1_000_000] * size,
    }
    other = {
        "job": ["other"] * size,
        "cpu": [second // 2] * size,
        **dict.fromkeys(("latency", "stream", "probes", "misses"), [0] * size),
    }
    columns = {name: probed[name] + other[name] for name in probed}
    rows = pa.table(
        {
            "job": columns["job"],
            "host": ["node1"] * (2 * size),
            "slice": [*range(size), *range(size)],
            "slice_ns": [second] * (2 * size),
            "os_user_ns_sum": columns["cpu"],
            "os_system_ns_sum": [0] * (2 * size),
            "memory_latency_ns_sum": columns["latency"],
            "memory_stream_ns_sum": columns["stream"],
            "memory_probe_count_sum": columns["probes"],
            "perf_llc_misses_sum": columns["misses"],
        }
    )
    first, last = node_memory(_Store(rows), "node1", (0, size * second))  # type: ignore[arg-type]
    assert (first.job, first.cores) == ("probed", pytest.approx(2.0))
    assert first.latency_ns == pytest.approx(110)  # 100 ns, 200 in each tenth slice
    assert first.slower == pytest.approx(2.0)
    assert first.bandwidth == pytest.approx(4e9)
    assert first.missed == pytest.approx(64e6)
    assert (last.job, last.cores) == ("other", pytest.approx(0.5))
    assert (last.latency_ns, last.slower, last.bandwidth, last.missed) == (None,) * 4


def test_a_repository_without_jobs_has_none(tmp_path: Path) -> None:
    plant_machines(tmp_path / "repository", MachineSpec(nodes=2, slices=40, mounts=1), seed=1)
    assert node_memory(Repository(tmp_path / "repository"), "node0000", (0, 2**62)) == []
