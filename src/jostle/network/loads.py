"""What each link of a fabric carried, slice by slice, and for whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from jostle.network.demands import Demands, demands_of
from jostle.network.ports import PortLoads, port_loads
from jostle.network.routes import Routes, routes_of
from jostle.network.walk import Lists
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
        waiting: Of each link, the part of the time in which data waited at its port, shape
            (slices, links), only where `is_measured`; see `jostle.network.ports`.
        modelled: Of each job, the part of its load that comes from expanded collectives, 0 to 1.
        spread: Of each job, the part of its load whose partners are not known: divided evenly.
        lost: Of each job, the bytes that no route was found for (nodes that are not in the fabric).
        offered: Of each job, all bytes that it sent, lost ones too; collectives expanded.
    """

    topology: Topology
    axis: tuple[int, int, int]
    jobs: dict[str, csr_array]
    low: csr_array
    high: csr_array
    measured: csr_array
    is_measured: NDArray[np.bool_]
    waiting: csr_array
    modelled: dict[str, float]
    spread: dict[str, float]
    lost: dict[str, float]
    offered: dict[str, float]

    def lost_share(self, job: str) -> float:
        """Return the part of a job's bytes that no route was found for, 0 to 1."""
        return self.lost[job] / self.offered[job] if self.offered.get(job) else 0.0

    @cached_property
    def carried(self) -> csr_array:
        """Bytes of all jobs per slice and link: measured where there are counters, else routed."""
        routed = diags_array((~self.is_measured).astype(np.float32))
        return csr_array(self.low @ routed + self.measured)


@dataclass(frozen=True, eq=False)
class _HostPairs:
    """Pairs of hosts, and the pairs of their adapters.

    Attributes:
        known: Of each pair, whether there is a way, or none is needed (on one host).
        low: Part of a pair's traffic on each link, shape (pairs, links).
        adapters: Part of it between each pair of adapters, shape (pairs, pairs of adapters).
        routes: Of the pairs of adapters.
    """

    known: NDArray[np.bool_]
    low: csr_array
    adapters: csr_array
    routes: Routes


def link_loads(
    topology: Topology,
    traffic: Traffic,
    axis: tuple[int, int, int],
    ports: pa.Table | None = None,
) -> LinkLoads:
    """Return what the links of a fabric carried.

    A host with several adapters sends evenly by all of them that share a plane with the other
    host's. What stays on one host loads no link.

    Args:
        topology: The fabric.
        traffic: What hosts sent to each other (Repository.traffic).
        axis: Start ns, length ns and number of the slices that are wanted; slices of jobs that are
            longer, shorter or shifted are divided in proportion to time.
        ports: What ports counted (Repository.port_counters).
    """
    demands = demands_of(traffic)
    pairs = _host_pairs(topology, demands)
    count, links, jobs = axis[2], len(topology.sources), len(demands.jobs)
    routed = csr_array((jobs * count, links), dtype=np.float32)
    adapted = csr_array((jobs * count, links), dtype=np.float32)
    kinds: dict[str, Floats] = {}
    lost, offered = np.zeros(jobs), np.zeros(jobs)
    for demand in demands.parts:
        load = np.zeros(jobs)
        on_links = csr_array(demand.patterns @ pairs.low)
        gone = demand.patterns @ (~pairs.known).astype(np.float32) + demand.nowhere
        sent = demand.patterns @ np.ones(len(pairs.known), np.float32) + demand.nowhere
        adapters = csr_array(demand.patterns @ pairs.adapters)
        for moved in demand.moved(axis, jobs):
            part = moved @ on_links
            routed = routed + part
            load += _per_job(part, jobs)
            lost += _per_job(moved @ diags_array(gone), jobs)
            offered += _per_job(moved @ diags_array(sent), jobs)
            if pairs.routes.detours:
                adapted = adapted + pairs.routes.carried_high(csr_array(moved @ adapters))
        kinds[demand.kind] = load
    whole = np.maximum(sum(kinds.values()), 1e-30)
    both = csr_array(
        (np.ones(jobs * count, np.float32), (np.tile(np.arange(count), jobs),
                                             np.arange(jobs * count))),
        shape=(count, jobs * count),
    )  # fmt: skip
    low = high = csr_array(both @ routed)
    if pairs.routes.detours:
        valiant = csr_array(both @ adapted)
        low, high = low.minimum(valiant), low.maximum(valiant)
    counted = PortLoads.nothing(topology, axis) if ports is None else port_loads(
        topology, ports, axis
    )  # fmt: skip

    def of_jobs(values: Floats) -> dict[str, float]:
        return dict(zip(demands.jobs, values.tolist(), strict=True))

    return LinkLoads(
        topology, axis,
        {name: routed[k * count : (k + 1) * count] for k, name in enumerate(demands.jobs)},
        low, high, counted.bytes, counted.is_known, counted.waiting,
        of_jobs(kinds["collectives"] / whole), of_jobs(kinds["spread"] / whole), of_jobs(lost),
        of_jobs(offered),
    )  # fmt: skip


def _per_job(matrix: csr_array, jobs: int) -> Floats:
    """Add up the rows of each job."""
    if not jobs:
        return np.zeros(0)
    sums = np.asarray(matrix.sum(axis=1, dtype=np.float64))
    return np.asarray(sums.reshape(jobs, -1).sum(axis=1), np.float64)


def _host_pairs(topology: Topology, demands: Demands) -> _HostPairs:
    """Find the adapters of pairs of hosts, and their routes."""
    adapters = [adapters_of(topology, host) for host in demands.hosts]
    starts = np.cumsum([0, *map(len, adapters)])
    items = np.array([vertex for some in adapters for vertex in some], np.int64)
    lists = Lists(starts, items)
    apart = np.flatnonzero(demands.sources != demands.targets)
    first, begin = lists.expand(demands.sources[apart])
    second, end = lists.expand(demands.targets[apart][first])
    row, begin = apart[first[second]], begin[second]
    same = topology.planes[begin] == topology.planes[end]
    row, begin, end = row[same], begin[same], end[same]
    routes = routes_of(topology, begin, end)
    count = len(demands.sources)
    number = np.bincount(row[routes.reached], minlength=count)
    weight = np.where(routes.reached, 1 / np.maximum(number[row], 1), 0).astype(np.float32)
    between = csr_array((weight, (row, np.arange(len(row)))), shape=(count, len(row)))
    nobody = np.array([not host for host in demands.hosts], bool)
    known = (demands.sources == demands.targets) & ~nobody[demands.sources] | (number > 0)
    return _HostPairs(known, csr_array(between @ routes.low), between, routes)


def adapters_of(topology: Topology, host: str) -> tuple[int, ...]:
    """Return the vertices of a host; a name with a domain is also known without it."""
    adapters = topology.adapters_of.get(host)
    return adapters or topology.adapters_of.get(host.partition(".")[0], ())
