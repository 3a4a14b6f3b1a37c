"""Finds nodes that send messages over a network adapter far from the GPUs that the job uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from jostle.analysis.binding.far_gpus import ProcessGpu
from jostle.analysis.binding.launches import over_adapter
from jostle.analysis.binding.model import MOST_CASES, BindingAdvice, BindingCase
from jostle.analysis.binding.processes import names
from jostle.values.core_lists import list_text

#: Fewest bytes that count as a job's traffic.
_LEAST_BYTES = 1 << 30
#: Part of a node's traffic from which on an adapter carries it; with less it is idle.
_CARRIES = 0.1


def far_adapters(used: Sequence[ProcessGpu], adapters: pa.Table | None) -> BindingAdvice | None:
    """Return advice for nodes whose busy network adapters are on another NUMA node than the GPUs.

    Args:
        used: The GPUs that the job's processes used, from `process_gpus`.
        adapters: The network adapters of the job's nodes, JobTables.node_adapters.

    Returns:
        The advice, with all such nodes; None if there is none.
    """
    by_host: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in adapters.to_pylist() if adapters is not None else []:
        by_host[row["host"]].append(row)
    users: dict[str, list[ProcessGpu]] = defaultdict(list)
    for each in used:
        if each.works:
            users[each.process.host].append(each)
    far = [
        (host, here, *other)
        for host, here in sorted(users.items())
        if (other := _other(here, by_host[host]))
    ]
    if not far:
        return None
    far.sort(key=lambda each: -each[2])
    host, here, _, far_names, near = far[0]
    cases = [_case(host, here, carried) for host, here, carried, _, _ in far]
    return BindingAdvice(
        rule="far adapter",
        seen=f"the GPUs of {names([each.process for each in here])} on {host} are on NUMA node "
        f"{here[0].node}, while the node's traffic goes over {', '.join(far_names)} on another "
        f"one, and {near['name']} next to the GPUs is idle",
        lever=f"send over the adapter next to the GPUs, {near['name']}",
        texts=over_adapter(near["name"]),
        pays="Other jobs on the node may lose time, if they send over that adapter.",
        unless="that adapter belongs to another network, or the traffic is not this job's: the "
        "counters of an adapter include all jobs",
        saving="none is predicted: the time of messages on the other adapter was not measured",
        saving_s=None,
        bytes=sum(case.bytes for case in cases),
        seconds=0.0,
        cases=cases[:MOST_CASES],
        more_cases=max(len(cases) - MOST_CASES, 0),
    )


def _other(
    here: Sequence[ProcessGpu], adapters: Sequence[Mapping[str, Any]]
) -> tuple[int, list[str], Mapping[str, Any]] | None:
    """Return an adapter of a node that is better than those that carry its traffic.

    Args:
        here: The GPUs that the job used on the node.
        adapters: All adapters of the node.

    Returns:
        Bytes that the node moved over its busy adapters, which are far from the GPUs; the names of
        these adapters; and an idle adapter near the GPUs. None where there is no such adapter.
    """
    nodes = {each.node for each in here}
    whole = sum(row["bytes"] for row in adapters)
    if len(nodes) != 1 or -1 in nodes or whole < _LEAST_BYTES:
        return None
    (node,) = nodes
    carrying = [row for row in adapters if row["bytes"] >= _CARRIES * whole]
    near = [row for row in adapters if row["numa"] == node and row["bytes"] < _CARRIES * whole]
    if not near or any(row["numa"] in (node, -1) for row in carrying):
        return None
    carried = sum(row["bytes"] for row in carrying)
    # Ports are replaced by ports, interfaces by interfaces: they may be of different networks.
    alike = [row for row in near if ("/" in row["name"]) == ("/" in carrying[0]["name"])]
    return (carried, [row["name"] for row in carrying], alike[0]) if alike else None


def _case(host: str, here: Sequence[ProcessGpu], carried: int) -> BindingCase:
    processes = [each.process for each in here]
    cpus = [process.cpus for process in processes if process.cpus]
    nodes = [process.nodes for process in processes if process.nodes]
    return BindingCase(
        host,
        names(processes),
        list_text(frozenset[int]().union(*cpus)),
        list_text(frozenset[int]().union(*nodes)),
        here[0].gpu,
        here[0].node,
        carried,
        0.0,
    )
