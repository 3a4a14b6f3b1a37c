"""Computes the loads of a fabric's links per slice and job."""

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
from jostle.values.traffic import Traffic

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """Loads of the links of one fabric on an axis of slices, bytes per slice.

    Attributes:
        topology: The fabric; columns of all matrices are its links.
        axis: Start ns, length ns and number of the slices; rows of all matrices.
        jobs: Load of each job by name, shape (slices, links), computed from routes; from the
            minimal routes if routing is adaptive. The name "" has the traffic of no known job.
        low: Load of all jobs together: of each link the smaller one of its loads with minimal and
            with Valiant routes.
        high: The larger one of these two loads; equal to low where routing is not adaptive.
        measured: Load that the ports counted; only where `is_measured`.
        is_measured: Whether the port of each link has counters.
        waiting: Part of the time in which data waited at the port of each link, shape
            (slices, links), only where `is_measured`; see `jostle.network.ports`.
        modelled: Part of each job's load that comes from expanded collectives, 0 to 1.
        spread: Part of each job's load whose receivers are not known, so that it is divided evenly
            among the job's hosts.
        lost: Bytes of each job without a route, such as those of nodes that the fabric lacks.
        offered: All bytes that each job sent, including lost ones; collectives expanded.
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
        """Return the part of a job's bytes without a route, 0 to 1."""
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
        known: Whether each pair has a path, or needs none (both on one host).
        low: Part of a pair's traffic on each link, shape (pairs, links).
        adapters: Part of it between each pair of adapters, shape (pairs, pairs of adapters).
        routes: Routes of the pairs of adapters.
    """

    known: NDArray[np.bool_]
    low: csr_array
    adapters: csr_array
    routes: Routes


def link_loads(
    topology: Topology, traffic: Traffic, axis: tuple[int, int, int], ports: pa.Table | None = None
) -> LinkLoads:
    """Return the loads of the links of a fabric.

    A host with several adapters sends evenly by all of them that share a plane with the other
    host's. Traffic within one host loads no link.

    Args:
        topology: The fabric.
        traffic: Traffic between hosts (Repository.traffic).
        axis: Start ns, length ns and number of the slices that are wanted; slices of jobs that are
            longer, shorter or offset are divided in proportion to time.
        ports: Counters of ports (Repository.port_counters).
    """
    demands = demands_of(traffic)
    pairs = _host_pairs(topology, demands)
    count, links, jobs = axis[2], len(topology.sources), len(demands.jobs)
    both = csr_array(
        (
            np.ones(jobs * count, np.float32),
            (np.tile(np.arange(count), jobs), np.arange(jobs * count)),
        ),
        shape=(count, jobs * count),
    )
    routed: list[csr_array] = []
    adapted: list[csr_array] = []
    kinds: dict[str, Floats] = {}
    lost, offered = np.zeros(jobs), np.zeros(jobs)
    for demand in demands.parts:
        on_links = csr_array(demand.patterns @ pairs.low)
        crossed = np.asarray(on_links.sum(axis=1))
        gone = demand.patterns @ (~pairs.known).astype(np.float32) + demand.nowhere
        sent = demand.patterns @ np.ones(len(pairs.known), np.float32) + demand.nowhere
        detours = pairs.routes.detours
        if detours is not None:
            detours = detours.after(csr_array(demand.patterns @ pairs.adapters))
        kinds[demand.kind] = np.zeros(jobs)
        for moved in demand.moved(axis, jobs):
            routed.append(moved @ on_links)
            kinds[demand.kind] += _per_job(moved @ crossed, jobs)
            lost += _per_job(moved @ gone, jobs)
            offered += _per_job(moved @ sent, jobs)
            if detours is not None:
                adapted.append(detours.carried(csr_array(both @ moved)))
    whole = np.maximum(sum(kinds.values()), 1e-30)
    by_job = _sum(routed, (jobs * count, links))
    low = high = csr_array(both @ by_job)
    if pairs.routes.detours is not None:
        valiant = _sum(adapted, (count, links))
        low, high = low.minimum(valiant), low.maximum(valiant)
    counted = (
        PortLoads.nothing(topology, axis) if ports is None else port_loads(topology, ports, axis)
    )

    def of_jobs(values: Floats) -> dict[str, float]:
        return dict(zip(demands.jobs, values.tolist(), strict=True))

    return LinkLoads(
        topology,
        axis,
        {name: _rows(by_job, k * count, count) for k, name in enumerate(demands.jobs)},
        low,
        high,
        counted.bytes,
        counted.is_known,
        counted.waiting,
        of_jobs(kinds["collectives"] / whole),
        of_jobs(kinds["spread"] / whole),
        of_jobs(lost),
        of_jobs(offered),
    )


def _per_job(rows: NDArray[np.float32], jobs: int) -> Floats:
    """Add up the rows of each job."""
    whole = rows.astype(np.float64).reshape(jobs, -1).sum(axis=1) if jobs else np.zeros(0)
    return np.asarray(whole, np.float64)


def _sum(parts: list[csr_array], shape: tuple[int, int]) -> csr_array:
    total = parts[0] if parts else csr_array(shape, dtype=np.float32)
    for part in parts[1:]:
        total = total + part
    return csr_array(total)


def _rows(matrix: csr_array, first: int, count: int) -> csr_array:
    """Return some rows of a matrix, without copying the data."""
    starts = matrix.indptr[first : first + count + 1]
    part = slice(starts[0], starts[-1])
    return csr_array(
        (matrix.data[part], matrix.indices[part], starts - starts[0]),
        shape=(count, matrix.shape[1]),
    )


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
