"""GPUs that are slow or slowed down among their peers are named; healthy ones are left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis.nodes import NodeDifferences
from jostle.report.format.nodes import size_of, what_of
from jostle.report.models.machines.nodes import node_differences
from jostle.repository import Repository
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.log import Log
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk

DAY = 86_400
NODES, GPUS, DAYS, SLICES = 4, 4, 8, 48
GPU = [f"0000:{bus:02x}:00.0" for bus in (0x1B, 0x43, 0x9D, 0xC3)]
WORD = 4 * 10**9


def played(folder: Path, seed: int, *, faults: bool) -> NodeDifferences:
    """Compare 16 GPUs; with faults, four of them have one each."""
    rng = np.random.default_rng(seed)
    chunks = []
    for day in range(DAYS):
        start = (20_000 + day) * DAY // 4
        node, gpu, at = (axis.ravel() for axis in np.indices((NODES, GPUS, SLICES)))
        size = len(node)
        busy = rng.choice([0.0, 0.1, 0.5, 0.9], size)

        def at_fault(which: int, node: np.ndarray = node, gpu: np.ndarray = gpu) -> np.ndarray:
            return np.asarray(faults & (node == which) & (gpu == which))

        clock = 1980e3 * (1 - 0.03 * busy + 0.004 * rng.standard_normal(size))
        clock = np.where(at_fault(0), 0.85 * clock, clock)
        slowed = busy * WORD * np.where(at_fault(1), 0.3, 0.01) * rng.random(size)
        idle_rate = np.where(busy > 0.25, 63e9, 8e9)
        rate = np.where(at_fault(2), idle_rate / 2, idle_rate)
        errors = rng.random(size) < np.where(at_fault(3), 0.2, 0.0002)
        rows = pa.table(
            {
                "host": [f"n{each}" for each in node],
                "kind": ["gpu"] * size,
                "name": [GPU[each] for each in gpu],
                "source": [""] * size,
                "job": [""] * size,
                "mount": ["pci0000:00/" + GPU[each] for each in gpu],
                "unknown": [""] * size,
                "slice": start + at,
                "slice_ns": np.full(size, WORD),
                "span": np.ones(size, dtype=np.int32),
                "memory_limit_bytes": np.full(size, 80 * 10**9),
                "device_clock_limit_khz": np.full(size, 1_980_000),
                "device_busy_ns": (busy * WORD).astype(np.int64),
                "device_clock_khz": clock.astype(np.int64),
                "device_throttle_ns": slowed.astype(np.int64),
                "link_rate_bytes": rate.astype(np.int64),
                "device_error_ops": errors.astype(np.int64),
            }
        )
        begin = start * WORD
        chunks.append(PartitionChunk("component_slices", rows, begin, begin + SLICES * WORD))
    path = folder / f"r{seed}{faults}"
    Repository(path, create=True)
    publish(path, Log(path), Change("ingest", add=write_chunks(path, chunks)))
    return node_differences(Repository(path))


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_gpus_with_a_fault_are_named(tmp_path: Path, seed: int) -> None:
    named = {
        (each.host, each.component, each.figure): each
        for each in played(tmp_path, seed, faults=True).differences
    }
    assert set(named) == {
        ("n0", GPU[0], "clock under load"),
        ("n1", GPU[1], "time slowed by power or heat"),
        ("n2", GPU[2], "PCIe rate under load"),
        ("n3", GPU[3], "errors of a GPU"),
    }
    clock = named["n0", GPU[0], "clock under load"]
    assert clock.peers == NODES * GPUS - 1
    assert clock.percent.value == pytest.approx(-15, abs=0.5)
    assert what_of(clock) == f"GPU {GPU[0]}: clock under load"
    slowed = named["n1", GPU[1], "time slowed by power or heat"]
    assert slowed.own == pytest.approx(0.15, abs=0.02)
    assert slowed.peers_rate == pytest.approx(0.005, abs=0.001)
    assert " % of busy time; peers 0." in size_of(slowed)


def test_healthy_gpus_are_left_alone(tmp_path: Path) -> None:
    assert not [
        each for seed in range(4) for each in played(tmp_path, seed, faults=False).differences
    ]


def test_slow_copies_to_a_gpu_are_seen_in_jobs(tmp_path: Path) -> None:
    """One GPU of eight has half of its lanes; small copies and GPUs without a name show nothing."""
    path = tmp_path / "r"
    store = Repository(path, create=True)
    chunks = []
    for day in range(7):
        rng = np.random.default_rng(day)
        gpu, at = (axis.ravel() for axis in np.indices((10, 40)))
        size, start = len(gpu), (20_000 + day) * DAY
        unnamed, small = gpu == 8, gpu == 9
        operations = np.where(at % 2, 8, 64)
        each = np.where(small, 4, np.where(at % 2, 16 << 20, 1 << 20))
        rate = np.where((gpu == 5) | unnamed | small, 25, 50) * (1 - 0.02 * rng.random(size))
        rows = pa.table(
            {
                "job": [f"job{day}"] * size,
                "process": gpu,
                "host": [f"n{n // 4}" for n in gpu],
                "gpu": ["unknown" if n == 8 else GPU[n % 4] for n in gpu],
                "slice": start + at,
                "slice_ns": np.full(size, 10**9),
                "span": np.ones(size, dtype=np.int32),
                "gpu_h2d_ops": operations,
                "gpu_h2d_bytes": operations * each,
                "gpu_h2d_ns": (operations * each / rate * np.where(at % 2, 1, 2)).astype(np.int64),
            }
        )
        chunks.append(PartitionChunk("gpu_slices", rows, start * 10**9, (start + 60) * 10**9))
    publish(path, Log(path), Change("ingest", add=write_chunks(path, chunks)))
    (worse,) = node_differences(store).differences
    assert (worse.host, worse.component) == ("n1", GPU[1])
    assert what_of(worse) == f"GPU {GPU[1]}: rate of copies to it in jobs"
    assert worse.percent.value == pytest.approx(-50, abs=1)
    assert worse.peers == 7
