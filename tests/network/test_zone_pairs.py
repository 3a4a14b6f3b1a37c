"""Traffic between leaves and between groups of a fabric."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from jostle.network.zone_pairs import zone_loads, zones_of
from jostle.topology import dragonfly, fat_tree
from jostle.values.traffic import COLLECTIVES, PAIRS, Traffic

_S = 10**9


def _traffic(*rows: tuple[str, str, str, int]) -> Traffic:
    """Makes messages of slice 1, and a broadcast of two hosts in slice 2."""
    pairs = pa.Table.from_pylist(
        [
            {
                "job": job,
                "slice": 1,
                "slice_ns": _S,
                "span": 1,
                "source": a,
                "target": b,
                "bytes": n,
                "ops": 1,
                "what": "messages",
            }
            for job, a, b, n in rows
        ],
        PAIRS,
    )
    calls = pa.Table.from_pylist(
        [
            {
                "job": "a",
                "slice": 2,
                "slice_ns": _S,
                "span": 1,
                "group": 0,
                "operation": "MPI_Bcast",
                "root": 0,
                "ops": 2,
                "bytes": 200,
            }
        ],
        COLLECTIVES,
    )
    return Traffic(pairs, calls, groups=[["node1", "node3"]])


def test_leaves_get_what_their_nodes_sent_each_other() -> None:
    topology = fat_tree(2, 2, 1)
    zones = zones_of(topology, "switch")
    assert zones.names == ("leaf1", "leaf2")
    assert [[topology.vertices[each] for each in of] for of in zones.vertices] == [
        ["leaf1"],
        ["leaf2"],
    ]
    found = zone_loads(
        topology,
        _traffic(
            ("a", "node1", "node2", 5),
            ("b", "node2", "node3", 7),
            ("b", "node1", "node1", 9),
            ("b", "node1", "unknown", 9),
        ),
        (0, _S, 3),
        zones,
    )
    np.testing.assert_allclose(found.jobs["a"].toarray(), [[0] * 4, [5, 0, 0, 0], [0, 100, 0, 0]])
    np.testing.assert_allclose(found.jobs["b"].toarray()[1], [0, 7, 0, 0])
    assert abs(found.modelled - 100 / 112) < 1e-6


def test_groups_and_the_routers_of_some() -> None:
    topology = dragonfly(3, 2, 1)
    groups = zones_of(topology, "group")
    assert groups.names == ("group 0", "group 1", "group 2")
    assert len(groups.vertices[2]) == 2
    routers = zones_of(topology, "switch", [0, 2])
    assert routers.names == ("g0s0", "g0s1", "g2s0", "g2s1")
