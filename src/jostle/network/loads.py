"""What each link of a fabric carried, slice by slice, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jostle.arrow_columns import ints
from jostle.network.routes import Routes, routes_of
from jostle.topology import Topology
from jostle.traffic import Traffic

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """Loads of the links of one fabric on an axis of slices, bytes per slice.

    Attributes:
        topology: The fabric; columns of all matrices are its links.
        axis: Start ns, length ns and number of the slices; rows of all matrices.
        jobs: Name of a job -> its load, shape (slices, links): routed, with the minimal routes
            where a range is possible. "" is what belongs to no job that is known.
        low: What all jobs together put there with minimal routes or with Valiant's, the smaller.
        high: The larger of both; where routing is not adaptive, equal to low.
        measured: What the ports counted; only where `is_measured`.
        is_measured: Of each link, whether its port has counters.
        modelled: Of each job, the part of its load that comes from expanded collectives, 0 to 1.
        lost: Of each job, the bytes that no route was found for (nodes that are not in the fabric).
        offered: Of each job, all its bytes, lost ones too, and what stays within a node.
    """

    topology: Topology
    axis: tuple[int, int, int]
    jobs: dict[str, csr_array]
    low: csr_array
    high: csr_array
    measured: csr_array
    is_measured: NDArray[np.bool_]
    modelled: dict[str, float]
    lost: dict[str, float]
    offered: dict[str, float]

    def lost_share(self, job: str) -> float:
        """Return the part of a job's bytes that no route was found for, 0 to 1."""
        return self.lost[job] / self.offered[job] if self.offered.get(job) else 0.0


@dataclass(frozen=True, eq=False)
class _HostPairs:
    """Pairs of hosts, and the pairs of their adapters.

    Attributes:
        known: Of each pair, whether a way was found, or none is needed (on one host).
        low: Part of a pair's traffic on each link, shape (pairs, links).
        adapters: Part of it between each pair of adapters, shape (pairs, pairs of adapters).
        routes: Of the pairs of adapters.
    """

    known: NDArray[np.bool_]
    low: csr_array
    adapters: csr_array
    routes: Routes


def link_loads(topology: Topology, traffic: Traffic, axis: tuple[int, int, int]) -> LinkLoads:
    """Return what the links of a fabric carried.

    A host with several adapters sends evenly by all of them that share a plane with the other
    host's. What stays on one host loads no link.

    Args:
        topology: The fabric.
        traffic: What hosts sent to each other.
        axis: Start ns, length ns and number of the slices that are wanted; slices of jobs that are
            longer, shorter or shifted are divided in proportion to time.
    """
    table = traffic.pairs
    hosts = _codes(table, ("source", "target"))
    pair, place = np.unique(
        hosts.codes[0] * len(hosts.names) + hosts.codes[1], return_inverse=True
    )  # fmt: skip
    ends = pair // max(len(hosts.names), 1), pair % max(len(hosts.names), 1)
    pairs = _host_pairs(topology, hosts.names, *ends)
    count, links = axis[2], len(topology.sources)
    job = _codes(table, ("job",))
    row, at, part = _on_axis(table, axis)
    values = table["bytes"].to_numpy().astype(np.float64)[row] * part
    jobs: dict[str, csr_array] = {}
    lost: dict[str, float] = {}
    offered: dict[str, float] = {}
    total = csr_array((count, len(pair)), dtype=np.float32)
    for number, name in enumerate(job.names):
        mine = job.codes[0][row] == number
        moved = csr_array(
            (values[mine].astype(np.float32), (at[mine], place[row][mine])),
            shape=(count, len(pair)),
        )
        jobs[name] = moved @ pairs.low
        lost[name] = float(values[mine][~pairs.known[place[row][mine]]].sum())
        offered[name] = float(values[mine].sum())
        total = total + moved
    minimal = total @ pairs.low
    low, high = minimal, minimal
    if pairs.routes.detours:
        valiant = pairs.routes.carried_high(csr_array(total @ pairs.adapters))
        low, high = minimal.minimum(valiant), minimal.maximum(valiant)
    return LinkLoads(
        topology, axis, jobs, low, high,
        csr_array((count, links), dtype=np.float32), np.zeros(links, bool),
        dict.fromkeys(jobs, 0.0), lost, offered,
    )  # fmt: skip


@dataclass(frozen=True)
class _Codes:
    """Columns of names as numbers, and the names."""

    codes: list[Ints]
    names: list[str]


def _codes(table: pa.Table, columns: Sequence[str]) -> _Codes:
    names: dict[str, int] = {}
    codes = []
    for column in columns:
        encoded = table[column]
        if not pa.types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode()
        encoded = encoded.unify_dictionaries().combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):  # of no rows
            codes.append(np.zeros(0, np.int64))
            continue
        known = [
            names.setdefault(name or "", len(names)) for name in encoded.dictionary.to_pylist()
        ]
        codes.append(np.array(known, np.int64)[encoded.indices.to_numpy(zero_copy_only=False)])
    return _Codes(codes, list(names))


def _on_axis(table: pa.Table, axis: tuple[int, int, int]) -> tuple[Ints, Ints, Floats]:
    """Return which part of each row of a table is in which slice of the axis: row, slice, part."""
    start, step, count = axis
    step_ns = np.maximum(ints(table, "slice_ns"), 1)
    begin = ints(table, "slice") * step_ns - start
    length = step_ns * np.maximum(ints(table, "span"), 1)
    first = np.clip(begin // step, 0, count)
    last = np.clip(-(-(begin + length) // step), first, count)
    number = last - first
    row = np.repeat(np.arange(len(begin)), number)
    at = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
    inside = np.minimum(begin[row] + length[row], (at + 1) * step) - np.maximum(
        begin[row], at * step
    )
    return row, at, inside / length[row]


def _host_pairs(topology: Topology, hosts: Sequence[str], source: Ints, target: Ints) -> _HostPairs:
    """Find the adapters of pairs of hosts, and their routes."""
    adapters = [adapters_of(topology, host) for host in hosts]
    rows, begins, ends, weights = [], [], [], []
    for row, (a, b) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        if a == b:
            continue
        both = [(v, w) for v in adapters[a] for w in adapters[b]
                if topology.planes[v] == topology.planes[w]]  # fmt: skip
        for v, w in both:
            rows.append(row)
            begins.append(v)
            ends.append(w)
            weights.append(1 / len(both))
    order = np.arange(len(rows))
    routes = routes_of(topology, np.array(begins, np.int64), np.array(ends, np.int64))
    between: Any = csr_array(
        (np.array(weights, np.float32) * routes.reached, (np.array(rows, np.int64), order)),
        shape=(len(source), len(order)),
    )
    found = np.asarray(between.sum(axis=1))
    known = (source == target) | (found > 0.5)
    return _HostPairs(known, csr_array(between @ routes.low), between, routes)


def adapters_of(topology: Topology, host: str) -> tuple[int, ...]:
    """Return the vertices of a host; a name with a domain is also known without it."""
    adapters = topology.adapters_of.get(host)
    return adapters or topology.adapters_of.get(host.partition(".")[0], ())
