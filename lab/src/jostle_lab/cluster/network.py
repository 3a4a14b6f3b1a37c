"""Builds a lab's networks: two leaf switches with a rate-limited uplink, and a storage network.

    node1 ... nodeH ── leaf1 ══ uplink ══ leaf2 ── nodeH+1 ... nodeN      eth0, 10.7.0.0/24
    node1 ... nodeN ── store ══ storage link ══ storage                   eth1, 10.8.0.0/24
                             ══ storage link ══ storage2 ...

Bridges are the switches and live in the supervisor's network namespace; `══` are the links
whose rate is limited, at both ends. A lab with a topology has that (`fabric.py`) instead of the
leaf switches; the storage network is the same.

RATIONALE: a fair link is HTB with one class per node and small quanta. Flows that share one queue
(a token bucket, the `fifo` link) do not share it evenly: bulk TCP then gives 275 against
108 Mbit/s. Offloads are off: a queue counts a 64 KiB super-packet as one packet, and the counters
leave out its headers.
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
from collections.abc import Sequence
from pathlib import Path

from jostle_lab.cluster.spec import LabSpec, parse_rate

LEAVES = ("leaf1", "leaf2")
STORAGE_SWITCH = "store"
STORAGE_NUMBER = 254
_SERVER_NUMBERS = (STORAGE_NUMBER, 252, 251, 250, 249)
#: The machine that has the ports of all switches in profiles of agents.
SWITCHES = "switches"
_UPLINK = ("up1", "up2")
_QUEUE_BYTES = 256 << 10
_BURST_BYTES = 32 << 10

#: Ethernet 14, IP 20, TCP 20 with its time stamps 12.
_HEADER_BYTES = 66

_SIOCETHTOOL = 0x8946
_OFFLOADS = {"tso": 0x1F, "gso": 0x24, "gro": 0x2C}


def address(number: int) -> str:
    """Return a host's address on the network of the nodes."""
    return f"10.7.0.{number}"


def storage_address(number: int) -> str:
    """Return a host's address on the storage network."""
    return f"10.8.0.{number}"


#: Address of the switches on the storage network, from which their agent sends.
SWITCHES_ADDRESS = storage_address(253)


def leaf_of(number: int, nodes: int) -> int:
    """Return the leaf (0 or 1) that a node is connected to; the storage's own port is on leaf 0."""
    return 0 if number > nodes or number <= (nodes + 1) // 2 else 1


def port(kind: str, number: int) -> str:
    """Return the switch's end of a host's cable; kind `n` (nodes) or `s` (storage network)."""
    return f"{kind}{'0' if number == STORAGE_NUMBER else number}"


def hosts_file(spec: LabSpec) -> str:
    """Return the hosts file of every host of the lab."""
    lines = ["127.0.0.1 localhost", "::1 localhost ip6-localhost"]
    for name, number in [*servers(spec), *numbered(spec)]:
        lines += [f"{address(number)} {name}", f"{storage_address(number)} {name}-s"]
    return "\n".join(lines) + "\n"


def servers(spec: LabSpec) -> list[tuple[str, int]]:
    """Return the name and number of every file server."""
    return list(zip(spec.server_names, _SERVER_NUMBERS, strict=False))


def numbered(spec: LabSpec) -> list[tuple[str, int]]:
    """Return the name and number of every node."""
    return [(name, index + 1) for index, name in enumerate(spec.node_names)]


def storage_switch_commands() -> list[str]:
    """Return the first commands for `ip -batch`: the switch of the storage network."""
    return ["link set lo up", *_bridge_commands(STORAGE_SWITCH)]


def _bridge_commands(name: str) -> list[str]:
    return [
        f"link add {name} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
        f"link set {name} up",
    ]


def leaf_commands() -> list[str]:
    """Return the commands for `ip -batch` that make the leaf switches and the uplink."""
    lines = [line for leaf in LEAVES for line in _bridge_commands(leaf)]
    left, right = _UPLINK
    lines.append(f"link add {left} type veth peer name {right}")
    lines += [f"link set {end} master {leaf} up" for end, leaf in zip(_UPLINK, LEAVES, strict=True)]
    return lines


def storage_cable_commands(number: int, pid: int) -> list[str]:
    """Return the commands for `ip -batch` that connect the host `pid` to the storage network."""
    return _cable_commands(port("s", number), "eth1", STORAGE_SWITCH, pid)


def leaf_cable_commands(number: int, pid: int, nodes: int) -> list[str]:
    """Return the commands for `ip -batch` that connect the host `pid` to its leaf switch."""
    return _cable_commands(port("n", number), "eth0", LEAVES[leaf_of(number, nodes)], pid)


def _cable_commands(end: str, device: str, bridge: str, pid: int) -> list[str]:
    return [
        f"link add {end} type veth peer name {device} netns {pid}",
        f"link set {end} master {bridge} up",
    ]


def storage_host_commands(number: int) -> list[str]:
    """Return the commands for `ip -batch` on the host itself: its end on the storage network."""
    return ["link set lo up", f"addr add {storage_address(number)}/24 dev eth1", "link set eth1 up"]


def leaf_host_commands(number: int) -> list[str]:
    """Return the commands for `ip -batch` on the host itself: its end on its leaf switch."""
    return [f"addr add {address(number)}/24 dev eth0", "link set eth0 up"]


def shape_storage_port(spec: LabSpec, number: int, bits: int) -> list[str]:
    """Return the commands for `tc -batch` on the switches: the direction to a file server."""
    sources = [(node, storage_address(node)) for _, node in numbered(spec)]
    return shape(spec, port("s", number), bits, "src", sources)


def shape_storage_host(spec: LabSpec, bits: int) -> list[str]:
    """Return the commands for `tc -batch` on a file server: the direction to the nodes."""
    targets = [(node, storage_address(node)) for _, node in numbered(spec)]
    return shape(spec, "eth1", bits, "dst", targets)


def shape_uplink(spec: LabSpec) -> list[str]:
    """Return the commands for `tc -batch` on the switches: both ends of the uplink."""
    lines: list[str] = []
    for leaf, device in enumerate(_UPLINK):
        here = [number for _, number in numbered(spec) if leaf_of(number, spec.nodes) == leaf]
        sources = [(number, address(number)) for number in here]
        lines += shape(spec, device, parse_rate(spec.uplink_rate), "src", sources)
    return lines


def shape(
    spec: LabSpec, device: str, bits: int, side: str, hosts: Sequence[tuple[int, str]]
) -> list[str]:
    """Return the queue of one end of a link. Packets that are not IP (ARP) are not limited.

    Args:
        spec: The lab's specification.
        device: Network interface at the end of the link.
        bits: Rate limit in bits per second.
        side: Address by which packets get a class: of the source, `src`, or of the target, `dst`.
        hosts: Number and address of each host.
    """
    if spec.queue == "fifo" or not hosts:
        return [
            f"qdisc add dev {device} root tbf rate {bits}bit burst {2 * _BURST_BYTES} "
            f"limit {_QUEUE_BYTES}"
        ]
    lines = [
        f"qdisc add dev {device} root handle 1: htb",
        f"class add dev {device} parent 1: classid 1:1 htb rate {bits}bit ceil {bits}bit "
        f"burst {_BURST_BYTES} cburst {_BURST_BYTES} quantum 3000",
    ]
    for number, ip in hosts:
        own = f"1:{number + 15:x}"
        lines += [
            f"class add dev {device} parent 1:1 classid {own} htb rate {bits // len(hosts)}bit "
            f"ceil {bits}bit burst {_BURST_BYTES} cburst {_BURST_BYTES} quantum 3000",
            f"qdisc add dev {device} parent {own} bfifo limit {_QUEUE_BYTES}",
            f"filter add dev {device} parent 1: protocol ip prio 1 u32 "
            f"match ip {side} {ip}/32 flowid {own}",
        ]
    return lines


def quiet_namespace() -> None:
    """Set this network namespace up for plain TCP: no IPv6 chatter, Reno.

    NOTE: settings that this kernel lacks (no IPv6, no Reno) are skipped.
    """
    for key, value in (
        ("ipv6/conf/all/disable_ipv6", "1"),
        ("ipv6/conf/default/disable_ipv6", "1"),
        ("ipv4/tcp_congestion_control", "reno"),
    ):
        try:
            Path(f"/proc/sys/net/{key}").write_text(value)
        except OSError:
            continue


def offloads_off(devices: Sequence[str]) -> None:
    """Switch segmentation and aggregation off on devices of this network namespace.

    Raises:
        OSError: One of the devices does not exist.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plug:
        for device in devices:
            for command in _OFFLOADS.values():
                value = ctypes.create_string_buffer(struct.pack("II", command, 0))
                request = struct.pack("16sP8x", device.encode(), ctypes.addressof(value))
                fcntl.ioctl(plug, _SIOCETHTOOL, request)


UPLINK_PORTS = _UPLINK


def read_counters(table: str, *, payload: bool = False) -> dict[str, tuple[int, int]]:
    """Return (received, sent) bytes by device from the text of a `/proc/PID/net/dev`.

    Args:
        table: Text of that file.
        payload: Whether to subtract the headers of TCP over Ethernet.
    """
    headers = _HEADER_BYTES if payload else 0
    counts = {}
    for line in table.splitlines()[2:]:
        device, _, numbers = line.partition(":")
        fields = [int(field) for field in numbers.split()]
        received, sent = fields[0] - headers * fields[1], fields[8] - headers * fields[9]
        counts[device.strip()] = (max(0, received), max(0, sent))
    return counts
