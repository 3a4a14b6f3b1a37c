"""Creates regular topologies: torus, mesh, fat tree, dragonfly."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from jostle.topology.builder import Builder
from jostle.topology.model import Topology


def torus(
    sizes: Sequence[int],
    *,
    names: Sequence[str] = (),
    nodes_per_switch: int = 1,
    wraps: Sequence[bool] | None = None,
    rate: float = 0.0,
    hosts: Sequence[str] = (),
    name: str = "fabric",
) -> Topology:
    """Make an N-dimensional torus, or a mesh where no dimension is joined at its ends.

    Args:
        sizes: Length of each dimension.
        names: Names of the dimensions; a, b, c, ... if left out.
        nodes_per_switch: Number of nodes on each switch.
        wraps: Whether the ends of each dimension are joined; a dimension of length 2 is joined
            once.
        rate: Rate of each link, bit/s.
        hosts: Names of the nodes in the order of the switches, the last dimension fastest;
            node1, node2, ... if left out.
        name: Name of the fabric.
    """
    joined = tuple(wraps) if wraps is not None else (True,) * len(sizes)
    builder = Builder()
    letters = tuple(names) or tuple("abcdefghijklmnop"[: len(sizes)])
    switches = {
        at: builder.vertex("s" + "-".join(map(str, at)), level=1, at=at)
        for at in itertools.product(*map(range, sizes))
    }
    for number, (at, switch) in enumerate(switches.items()):
        for k in range(nodes_per_switch):
            index = number * nodes_per_switch + k
            host = hosts[index] if hosts else f"node{index + 1}"
            node = builder.vertex(host, host, level=0, at=at)
            builder.cable(node, switch, "terminal", rate=rate, ports=("", f"n{k}"))
    for at, switch in switches.items():
        for dimension, size in enumerate(sizes):
            last = at[dimension] == size - 1
            if size < 2 or (last and (size < 3 or not joined[dimension])):
                continue
            there = (*at[:dimension], (at[dimension] + 1) % size, *at[dimension + 1 :])
            ports = (f"{letters[dimension]}+", f"{letters[dimension]}-")
            builder.cable(
                switch, switches[there], "dimension", rate=rate, ports=ports, dimension=dimension
            )
    return builder.build(
        name,
        "torus" if any(joined) else "mesh",
        dimensions=letters,
        sizes=tuple(sizes),
        wraps=joined,
    )


def fat_tree(
    leaves: int,
    nodes_per_leaf: int,
    spines: int,
    *,
    cores: int = 0,
    leaves_per_pod: int = 0,
    rate: float = 0.0,
    hosts: Sequence[str] = (),
    name: str = "fabric",
) -> Topology:
    """Make a fat tree of two levels, or of three: pods with spines of their own below cores.

    Args:
        leaves: Number of leaf switches.
        nodes_per_leaf: Number of nodes on each leaf.
        spines: Number of spine switches (of each pod, with three levels).
        cores: Number of core switches above the spines; 0: two levels.
        leaves_per_pod: Number of leaves of a pod, with three levels.
        rate: Rate of each link, bit/s.
        hosts: Names of the nodes, leaf by leaf.
        name: Name of the fabric.
    """
    builder = Builder()
    per_pod = leaves_per_pod or leaves
    pods = -(-leaves // per_pod)
    number = 0
    leaf_switches = [
        builder.vertex(f"leaf{k + 1}", level=1, group=k // per_pod) for k in range(leaves)
    ]
    spine_switches = [
        builder.vertex(f"spine{k + 1}", level=2, group=k // spines) for k in range(pods * spines)
    ]
    core_switches = [builder.vertex(f"core{k + 1}", level=3) for k in range(cores)]
    for k, leaf in enumerate(leaf_switches):
        for port in range(nodes_per_leaf):
            host = hosts[number] if hosts else f"node{number + 1}"
            number += 1
            node = builder.vertex(host, host, level=0, group=k // per_pod)
            builder.cable(node, leaf, "terminal", rate=rate, ports=("", str(port + 1)))
        for j in range(spines):
            spine = spine_switches[k // per_pod * spines + j]
            ports = (f"up{j + 1}", f"down{k % per_pod + 1}")
            builder.cable(leaf, spine, "up", "down", rate=rate, ports=ports)
    for k, spine in enumerate(spine_switches):
        for j, core in enumerate(core_switches):
            ports = (f"up{j + 1}", f"down{k + 1}")
            builder.cable(spine, core, "up", "down", rate=rate, ports=ports)
    return builder.build(name, "fat tree")


def dragonfly(
    groups: int,
    switches_per_group: int,
    nodes_per_switch: int,
    *,
    cables_per_pair: int = 1,
    rate: float = 0.0,
    hosts: Sequence[str] = (),
    name: str = "fabric",
) -> Topology:
    """Make a dragonfly: all switches of a group are joined, and all pairs of groups.

    The global cables of a group are distributed over its switches in turn.

    Args:
        groups: Number of groups.
        switches_per_group: Number of switches of each group.
        nodes_per_switch: Number of nodes of each switch.
        cables_per_pair: Number of global cables between two groups.
        rate: Rate of each link, bit/s.
        hosts: Names of the nodes, group by group.
        name: Name of the fabric.
    """
    builder = Builder()
    switches = [
        [builder.vertex(f"g{g}s{s}", level=1, group=g) for s in range(switches_per_group)]
        for g in range(groups)
    ]
    number = 0
    for g, members in enumerate(switches):
        for switch in members:
            for k in range(nodes_per_switch):
                host = hosts[number] if hosts else f"node{number + 1}"
                number += 1
                node = builder.vertex(host, host, level=0, group=g)
                builder.cable(node, switch, "terminal", rate=rate, ports=("", f"n{k}"))
        for a, b in itertools.combinations(range(switches_per_group), 2):
            builder.cable(members[a], members[b], "local", rate=rate, ports=(f"l{b}", f"l{a}"))
    used = [0] * groups
    for _ in range(cables_per_pair):
        for a, b in itertools.combinations(range(groups), 2):
            ends = [switches[g][used[g] % switches_per_group] for g in (a, b)]
            ports = (f"g{used[a]}", f"g{used[b]}")
            used[a], used[b] = used[a] + 1, used[b] + 1
            builder.cable(ends[0], ends[1], "global", rate=rate, ports=ports)
    return builder.build(name, "dragonfly")
