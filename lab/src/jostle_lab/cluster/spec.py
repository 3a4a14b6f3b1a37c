"""Specification of a lab, and the error that labs raise."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import Any

from jostle.errors import JostleError, UsageError

QUEUES = ("fair", "fifo")
FILE_SYSTEMS = ("sshfs", "gluster", "cephfs", "loop", "plain")
NETWORKED = ("sshfs", "gluster", "cephfs")
STORES = ("ram", "disk", "both")
PRELOADS = ("plugin", "prolog")
MOST_NODES = 16
MOST_SERVERS = 5
#: Fewest and most object servers of CephFS; the fewest are the default.
OBJECT_SERVERS = (2, MOST_SERVERS - 1)
#: Topologies, and how many sizes each has.
TOPOLOGIES = {"tree": (2, 3), "torus": (1, 4), "dragonfly": (3, 3)}

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)bit")
_TOPOLOGY = re.compile(r"([a-z]+):(\d{1,3}(?:x\d{1,3})*)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_DECIMAL = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3}
_BINARY = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class LabError(JostleError):
    """A lab cannot be started, does not exist, or has failed."""


@dataclass(frozen=True)
class LabSpec:
    """The specification of a lab.

    Attributes:
        name: Name of the lab; several labs can run at the same time.
        nodes: Number of compute nodes, 1 to 16; the first half is connected to one leaf switch,
            the rest to the other. A topology decides itself how many there are.
        storage_rate: Data rate of the link between the storage and its switch, in each direction.
            Several rates, separated by commas, give as many file servers, each with its own link;
            with CephFS the first rate is the metadata server's, the others are the object servers'.
        object_servers: Number of object servers of CephFS; 0: two with CephFS, none otherwise.
        device_rate: Data rate of the device of each object server; empty: as fast as this machine.
        uplink_rate: Data rate of the link between the two leaf switches, in each direction; with a
            topology the rate of every link between nodes and switches.
        queue: How those links are shared: `fair` (a class per node) or `fifo`.
        fs: Type of the shared file system.
        store: Medium of the storage: memory or disk; `both`: folders `ram` and `disk`, one on each.
        slurm: Whether to start Slurm on the nodes.
        slurm_preload: Mechanism that profiles Slurm's jobs: the SPANK `plugin`, if it is built, or
            the TaskProlog, `prolog`.
        agents: Length of the slices of agents on all hosts, such as `500ms`; empty: no agents. With
            Slurm, whose munged shows the receiver who sends, they ship their profiles; without it
            the profiles stay in each host's spool.
        size: Size of the shared file system, for example `4GiB`; None for a share of the free
            space.
        topology: The network of the nodes, see `parse_topology`; empty for two leaf switches.
        storage_at: The switch of the topology that the storage is connected to; file traffic then
            crosses the fabric. Empty: files have a network of their own.
    """

    name: str = "lab"
    nodes: int = 4
    storage_rate: str = "400mbit"
    object_servers: int = 0
    device_rate: str = ""
    uplink_rate: str = "100mbit"
    queue: str = "fair"
    fs: str = "sshfs"
    store: str = "ram"
    slurm: bool = False
    slurm_preload: str = "plugin"
    agents: str = ""
    size: str | None = None
    topology: str = ""
    storage_at: str = ""

    def __post_init__(self) -> None:
        """Check the specification.

        Raises:
            UsageError: A field is invalid; the message gives the valid values.
        """
        check_name(self.name)
        if self.topology:
            object.__setattr__(self, "nodes", math.prod(parse_topology(self.topology)[1]))
        if not 1 <= self.nodes <= MOST_NODES:
            raise UsageError(
                f"A lab cannot have {self.nodes} nodes, but 1 to {MOST_NODES}.",
                hint="Give another number, for example --nodes 4.",
            )
        _one_of("queue", self.queue, QUEUES)
        _one_of("fs", self.fs, FILE_SYSTEMS)
        _one_of("store", self.store, STORES)
        if self.store == "both" and self.fs not in ("sshfs", "plain"):
            raise UsageError(
                f"--fs {self.fs} cannot have files both in memory and on a disk.",
                hint="Use --fs sshfs or plain, or --store ram or disk.",
            )
        _one_of("slurm_preload", self.slurm_preload, PRELOADS)
        if self.fs == "cephfs":
            self._check_object_servers()
        elif self.object_servers or self.device_rate:
            raise UsageError(
                f"--fs {self.fs} has no object servers, so their number and device rate cannot "
                "be set.",
                hint="Use --fs cephfs, or leave --object-servers and --device-rate out.",
            )
        elif len(self.server_rates) > 1:
            self._check_servers()
        parse_rate(self.uplink_rate)
        if self.size is not None:
            parse_size(self.size)
        if self.storage_at:
            self._check_storage()

    def _check_servers(self) -> None:
        if self.fs != "gluster" or self.queue != "fifo" or self.topology:
            raise UsageError(
                "Several file servers need GlusterFS, links with --fifo, and nodes on two leaf "
                "switches.",
                hint="Add --fs gluster --fifo, without --topology; or one --storage-rate.",
            )
        if len(self.server_rates) > MOST_SERVERS:
            raise UsageError(
                f"A lab cannot have {len(self.server_rates)} file servers, but 1 to "
                f"{MOST_SERVERS}.",
                hint="Give fewer rates in --storage-rate.",
            )

    def _check_object_servers(self) -> None:
        if not self.object_servers:
            object.__setattr__(self, "object_servers", OBJECT_SERVERS[0])
        least, most = OBJECT_SERVERS
        if not least <= self.object_servers <= most:
            raise UsageError(
                f"CephFS in a lab cannot have {self.object_servers} object servers, but {least} "
                f"to {most}.",
                hint=f"Give another number, for example --object-servers {least}.",
            )
        if self.topology:
            raise UsageError(
                "A lab with CephFS cannot have a topology, because Ceph's servers need a network "
                "of their own. Only a lab without --topology has such a network.",
                hint="Leave --topology out, or use --fs sshfs.",
            )
        if self.device_rate:
            parse_rate(self.device_rate)
        hosts, rates = self.object_servers + 1, len(self.storage_rate.split(","))
        if rates not in (1, hosts):
            raise UsageError(
                f"--storage-rate has {rates} rates for the metadata server and "
                f"{self.object_servers} object servers.",
                hint=f"Give one rate for all servers, or {hosts} rates, the metadata server's "
                "first.",
            )

    def _check_storage(self) -> None:
        if not self.topology:
            raise UsageError(
                "--storage-at is a switch of a topology, and this lab has none.",
                hint="Add --topology, for example tree:2x2.",
            )
        if self.fs not in NETWORKED:
            raise UsageError(
                f"With --fs {self.fs} no file traffic crosses a network.",
                hint=f"Use --fs {' or '.join(NETWORKED)}, or leave --storage-at out.",
            )

    @property
    def node_names(self) -> tuple[str, ...]:
        """Host names of the nodes: node1, node2, ..."""
        return tuple(f"node{number}" for number in range(1, self.nodes + 1))

    @property
    def server_rates(self) -> tuple[int, ...]:
        """Rate of the link of each file server, bits per second."""
        return tuple(map(parse_rate, self.server_rate_texts))

    @property
    def server_rate_texts(self) -> tuple[str, ...]:
        """Rate of the link of each file server, as the user wrote it."""
        rates = tuple(self.storage_rate.split(","))
        return rates * (self.object_servers + 1) if len(rates) == 1 else rates

    @property
    def server_names(self) -> tuple[str, ...]:
        """Host names of the file servers: storage, storage2, ..."""
        others = range(2, len(self.server_rates) + 1)
        return ("storage", *(f"storage{number}" for number in others))

    @property
    def stores(self) -> tuple[str, ...]:
        """Folders of the shared file system with a placement of files of their own; empty: none.

        `ram` and `disk`: on that medium. `by-name`: on the server that a hash of the file's name
        names. `by-node`: node N's files on server N; where there are fewer servers, from the first
        on again.
        """
        if self.store == "both":
            return ("ram", "disk")
        several = self.fs == "gluster" and len(self.server_rates) > 1
        return ("by-name", "by-node") if several else ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields as types of JSON."""
        return asdict(self)


def check_name(name: str) -> str:
    """Return the name of a lab if it is valid, else raise UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"`{name}` cannot name a lab: a name has at most 32 letters, digits, `_` and `-`.",
            hint="Give another name, for example --name lab2.",
        )
    return name


def parse_rate(text: str) -> int:
    """Parse a rate such as `400mbit` or `1gbit`; return bits per second.

    Raises:
        UsageError: The text is not a rate, or the rate is not within 1 Mbit/s to 40 Gbit/s.
    """
    match = _RATE.fullmatch(text.strip().lower())
    rate = round(float(match[1]) * _DECIMAL[match[2]]) if match else 0
    if not 10**6 <= rate <= 40 * 10**9:
        raise UsageError(
            f"`{text}` is not the data rate of a link (1mbit to 40gbit).",
            hint="Write for example 400mbit.",
        )
    return rate


def parse_topology(text: str) -> tuple[str, tuple[int, ...]]:
    """Parse the topology of a lab; the product of its sizes is the number of nodes.

    `tree:LxN`: L leaf switches with N nodes each, below one spine. `tree:PxLxN`: P such trees, each
    with a spine, below one core. `torus:AxBx...`: one to four dimensions, a switch with one node at
    every coordinate. `dragonfly:GxSxN`: G groups of S switches, N nodes on each switch.

    Returns:
        The kind, and the sizes.

    Raises:
        UsageError: The text is none of these, or the topology has more nodes than a lab can have.
    """
    match = _TOPOLOGY.fullmatch(text.strip().lower())
    kind, sizes = (match[1], tuple(map(int, match[2].split("x")))) if match else ("", ())
    least, most = TOPOLOGIES.get(kind, (1, 0))
    smallest = 2 if kind == "torus" else 1
    if not least <= len(sizes) <= most or min(sizes, default=0) < smallest:
        raise UsageError(
            f"A lab cannot have the topology `{text}`.",
            hint="tree:LEAVESxNODES, tree:TREESxLEAVESxNODES, torus:AxBxC (each 2 or more), or "
            "dragonfly:GROUPSxSWITCHESxNODES.",
        )
    if math.prod(sizes) > MOST_NODES:
        raise UsageError(
            f"{text} has {math.prod(sizes)} nodes; a lab has at most {MOST_NODES}.",
            hint="For example tree:4x2, torus:2x2x2, torus:4x4 or dragonfly:2x2x2.",
        )
    return kind, sizes


def parse_size(text: str) -> int:
    """Parse a size such as `4GiB` or `512M` (powers of 1024); return bytes.

    Raises:
        UsageError: The text is not a size, or the size is less than 16 MiB.
    """
    match = _SIZE.fullmatch(text.strip())
    size = round(float(match[1]) * _BINARY[match[2].upper()]) if match else 0
    if size < 16 << 20:
        raise UsageError(
            f"`{text}` is not a size of a file system (16MiB or more).",
            hint="Write for example --size 4GiB.",
        )
    return size


def _one_of(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(
            f"`{value}` is not a possible {field} of a lab.", hint=f"One of {', '.join(allowed)}."
        )
