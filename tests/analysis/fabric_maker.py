"""Makes an MPI job and its neighbours on a fabric: who slows it is decided by the links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from alongside_maker import _NODE_COLUMNS, MIB, SLICE_NS, START, Floats, Maker, noise, table

from jostle.repository.query.resources.co_running import CoRunning, JobFacts
from jostle.topology import Topology
from jostle.values.traffic import PAIRS, Traffic

RATE = 100.0 * MIB  # bytes that a link carries in a slice
_CALL = 64 * 1024.0  # bytes of a message
_BASE_S = 0.0006  # time of one, undisturbed
_WORK_S = 0.0006  # between two


@dataclass
class Sender:
    """A job that sends from node to node.

    Attributes:
        pairs: (source, target): part of its bytes.
        sent: Bytes per slice.
        mount: Of traffic to a file server, the file system; "" for messages.
    """

    pairs: Mapping[tuple[str, str], float]
    sent: Floats
    mount: str = ""

    def rows(self, job: str) -> pa.Table:
        """Rows of the table of traffic."""
        on = np.flatnonzero(self.sent > 0)
        parts = [
            table(
                {
                    "job": [job] * len(on),
                    "slice": START + on,
                    "slice_ns": np.full(len(on), SLICE_NS),
                    "source": [source] * len(on),
                    "target": [target] * len(on),
                    "bytes": self.sent[on] * part,
                    "ops": self.sent[on] * part / _CALL,
                    "mount": [self.mount] * len(on),
                    "span": np.ones(len(on)),
                },
                (),
            )
            for (source, target), part in self.pairs.items()
        ]
        return pa.concat_tables([part.select(PAIRS.names).cast(PAIRS) for part in parts])

    @property
    def nodes(self) -> tuple[str, ...]:
        """Its nodes."""
        return tuple(sorted({host for pair in self.pairs for host in pair}))


def ring(hosts: Sequence[str]) -> dict[tuple[str, str], float]:
    """Each host sends to the next one."""
    return {(host, hosts[(k + 1) % len(hosts)]): 1 / len(hosts) for k, host in enumerate(hosts)}


@dataclass
class Scene:
    """A job of several nodes that waits for its messages, and its neighbours.

    Attributes:
        fabric: The fabric.
        pairs: Of the job.
        slowed: How many times as long its messages take, per slice.
        neighbours: The others.
        seed: Of the noise.
    """

    fabric: Topology
    pairs: Mapping[tuple[str, str], float]
    slowed: Floats
    neighbours: Mapping[str, Sender] = field(default_factory=dict)
    seed: int = 0

    @property
    def calls(self) -> tuple[Floats, Floats]:
        """Messages per slice, and the time of one in seconds."""
        seconds = _BASE_S * self.slowed * noise(len(self.slowed), self.seed)
        return np.round(1 / (seconds + _WORK_S)), seconds

    def lost(self) -> float:
        """Seconds that the slowdown cost: what its messages took beyond their undisturbed time."""
        ops, seconds = self.calls
        return float((ops * seconds * (1 - 1 / self.slowed)).sum())

    def make(self) -> CoRunning:
        """Gives the tables."""
        size = len(self.slowed)
        ops, seconds = self.calls
        sender = Sender(self.pairs, ops * _CALL)
        empty = Maker(np.zeros(size), np.zeros(size), np.zeros(size), {}).make()
        hosts = sender.nodes
        spent = ops * seconds * 1e9
        own = pa.concat_tables(
            [
                table(
                    {
                        "host": [host] * size,
                        "slice": START + np.arange(size),
                        "slice_ns": np.full(size, SLICE_NS),
                        "count": np.ones(size),
                        "mpi_send_ops": ops,
                        "mpi_send_bytes": ops * _CALL,
                        "mpi_send_ns": spent,
                        "state_p2p_ns_min": spent,
                        "state_p2p_ns_max": spent,
                    },
                    _NODE_COLUMNS,
                )
                for host in hosts
            ]
        )
        loads = [
            table(
                {
                    "job": [name] * size,
                    "slice": START + np.arange(size),
                    "slice_ns": np.full(size, SLICE_NS),
                    "count": np.full(size, len(each.nodes)),
                    "bytes": each.sent,
                    "ops": each.sent / _CALL,
                    "ns": np.full(size, 1e8),
                },
                (),
            )
            for name, each in self.neighbours.items()
            if not each.mount
        ]
        end = (START + size) * SLICE_NS
        facts = {
            name: JobFacts(
                job=name,
                program=f"/bin/{name}",
                user=1000,
                nodes=nodes,
                processes=len(nodes),
                ranks=len(nodes),
                start_ns=START * SLICE_NS,
                end_ns=end,
                slice_ns=SLICE_NS,
                clocks=("one",),
            )
            for name, nodes in [("me", hosts), *((n, s.nodes) for n, s in self.neighbours.items())]
        }
        traffic = [sender.rows("me"), *(s.rows(n) for n, s in self.neighbours.items())]
        return replace(
            empty,
            job=facts.pop("me"),
            others=facts,
            own_nodes=own,
            network_loads=pa.concat_tables(loads) if loads else empty.network_loads,
            traffic=Traffic(pa.concat_tables(traffic)),
            fabrics=(self.fabric,),
        )
