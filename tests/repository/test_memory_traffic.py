"""Traffic of memory controllers: all sockets of a node together, and nothing that is unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from jostle.repository import Repository
from jostle.repository.query.resources.memory_traffic import memory_traffic
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.log import Log
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk

SECOND = 1_000_000_000
START = 1_800_000_000


@pytest.fixture
def store(tmp_path: Path) -> Repository:
    """Two nodes of two sockets each; in one slice a counter of the first was not known."""
    path = tmp_path / "repository"
    store = Repository(path, create=True)
    host, socket, at = (axis.ravel() for axis in np.indices((2, 2, 10)))
    size = len(host)
    rows = pa.table(
        {
            "host": [f"n{each}" for each in host],
            "kind": ["socket"] * size,
            "name": [f"socket{each}" for each in socket],
            **dict.fromkeys(("source", "job", "mount"), [""] * size),
            "unknown": np.where(
                (host == 0) & (socket == 0) & (at == 3), "memory_read_bytes", ""
            ).tolist(),
            "slice": START + at,
            "slice_ns": np.full(size, SECOND),
            "span": np.ones(size, dtype=np.int32),
            "memory_read_bytes": 1000 * (1 + host),
            "memory_write_bytes": np.full(size, 10),
        }
    )
    chunk = PartitionChunk("component_slices", rows, START * SECOND, (START + 10) * SECOND)
    publish(path, Log(path), Change("ingest", add=write_chunks(path, [chunk])))
    return store


def test_sockets_of_a_node_are_added_up(store: Repository) -> None:
    found = memory_traffic(store._engine, ["n0"], (START * SECOND, (START + 10) * SECOND))
    assert found["host"].unique().to_pylist() == ["n0"]
    assert set(found["bytes"].to_pylist()) == {2020}
    assert START + 3 not in found["slice"].to_pylist()
    assert found.num_rows == 9


def test_only_the_window_and_the_nodes_that_are_asked_for(store: Repository) -> None:
    window = ((START + 2) * SECOND, (START + 5) * SECOND)
    found = memory_traffic(store._engine, ["n1", "elsewhere"], window)
    assert found["slice"].to_pylist() == [START + 2, START + 3, START + 4]
    assert set(found["bytes"].to_pylist()) == {4020}
    assert memory_traffic(store._engine, [], window).num_rows == 0


def test_without_agents_there_is_nothing(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty", create=True)
    assert memory_traffic(empty._engine, ["n0"], (0, 2**62)).num_rows == 0
