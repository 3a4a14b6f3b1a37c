"""Connects the hosts of a lab: the storage network, and leaf switches or a fabric for the nodes.

The fabric is imported only where a lab has one: it imports numpy, which would cost every other lab
a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Sequence

from jostle_lab.cluster import network
from jostle_lab.cluster.spec import LabSpec


def file_address(spec: LabSpec, number: int) -> str:
    """Return a host's address on the network that file traffic takes."""
    return network.address(number) if spec.storage_at else network.storage_address(number)


def prepare(spec: LabSpec) -> None:
    """Set up the network namespace of the switches."""
    network.quiet_namespace()
    if spec.topology:
        from jostle_lab.cluster import fabric

        fabric.let_forward()


def switch_commands(spec: LabSpec) -> list[str]:
    """Return the commands for `ip -batch` that make the switches and the cables between them."""
    lines = network.storage_switch_commands()
    if spec.topology:
        from jostle_lab.cluster import fabric

        return lines + fabric.switch_commands(spec)
    return lines + network.leaf_commands()


def switch_devices(spec: LabSpec) -> Sequence[str]:
    """Return the ports of the cables between switches."""
    if spec.topology:
        from jostle_lab.cluster import fabric

        return fabric.switch_devices(spec)
    return network.UPLINK_PORTS


def cable_commands(spec: LabSpec, number: int, pid: int) -> list[str]:
    """Return the commands for `ip -batch` on the switches that connect the host `pid`."""
    lines = network.storage_cable_commands(number, pid)
    if spec.topology:
        from jostle_lab.cluster import fabric

        return lines + fabric.cable_commands(spec, number, pid)
    return lines + network.leaf_cable_commands(number, pid, spec.nodes)


def port(spec: LabSpec, number: int) -> str:
    """Return the switch's end of a host's cable to the other nodes."""
    if spec.topology:
        from jostle_lab.cluster import fabric

        return fabric.port(spec, number)
    return network.port("n", number)


def host_commands(spec: LabSpec, number: int) -> list[str]:
    """Return the commands for `ip -batch` on the host itself."""
    lines = network.storage_host_commands(number)
    if spec.topology:
        from jostle_lab.cluster import fabric

        return lines + fabric.host_commands(number)
    return lines + network.leaf_host_commands(number)


def shape_switches(spec: LabSpec) -> list[str]:
    """Return the commands for `tc -batch` on the switches, once all hosts are connected."""
    if spec.topology:
        from jostle_lab.cluster import fabric

        return fabric.shape_ports(spec)
    return network.shape_uplink(spec)


def shape_host(spec: LabSpec, number: int) -> list[str]:
    """Return the commands for `tc -batch` on a host, for its cable to the other nodes."""
    if spec.topology:
        from jostle_lab.cluster import fabric

        return fabric.shape_host(spec, number)
    return []


def counters(spec: LabSpec, table: str, *, payload: bool) -> dict[str, int]:
    """Return the bytes by link and direction since the start (see `Lab.counters`).

    Args:
        spec: Specification of the lab.
        table: The text of the switches' `/proc/PID/net/dev`.
        payload: Whether to leave headers out.
    """
    ports = network.read_counters(table, payload=payload)
    counts: dict[str, int] = {}
    for name, number in [*network.servers(spec), *network.numbered(spec)]:
        nodes_port = port(spec, number)
        files_port = nodes_port if spec.storage_at else network.port("s", number)
        # The switch receives from a cable what the host has sent.
        counts[f"{name}.out"], counts[f"{name}.in"] = ports[files_port]
        counts[f"{name}.mpi.out"], counts[f"{name}.mpi.in"] = ports[nodes_port]
    if spec.topology:
        from jostle_lab.cluster import fabric

        return counts | fabric.link_counters(spec, ports)
    counts["uplink.left"], counts["uplink.right"] = ports[network.UPLINK_PORTS[0]]
    return counts
