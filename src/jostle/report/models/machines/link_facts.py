"""A fabric for display: its layout, the loads of its links per step, and the jobs on each link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.topology import LINK_KINDS, Topology

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from jostle.network import LinkLoads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: No job has a load on the link.
NO_JOB = 65535
_ARRAYS = (
    "levels",
    "groups",
    "planes",
    "coordinates",
    "sources",
    "targets",
    "rates",
    "lanes",
    "link_kinds",
    "link_dimensions",
    "link_signs",
)


def fabric_row(topology: Topology) -> dict[str, Any]:
    """Return a version of a fabric for a list: its name, layout and size."""
    return {
        "name": topology.name,
        "kind": topology.kind,
        "valid_from_ns": topology.valid_from_ns,
        "nodes": len(topology.adapters_of),
        "switches": int(topology.is_switch.sum()),
        "links": len(topology.sources),
        "dimensions": list(topology.dimensions),
        "sizes": list(topology.sizes),
        "wraps": list(topology.wraps),
        "origin": topology.origin,
        "notes": list(topology.notes),
    }


def fabric_shape(topology: Topology) -> dict[str, Any]:
    """Return the vertices and links of a fabric as plain lists; `kinds` names kinds of links."""
    return {
        **fabric_row(topology),
        "vertices": list(topology.vertices),
        "hosts": list(topology.hosts),
        "kinds": list(LINK_KINDS),
        **{name: getattr(topology, name).tolist() for name in _ARRAYS},
        "link_names": [topology.link_name(link) for link in range(len(topology.sources))],
    }


@dataclass(frozen=True, eq=False)
class FabricLoads:
    """The loads of a fabric's links, as they are displayed.

    The load of a link is measured if the link's port has counters. Else it is routed: computed from
    the messages of the jobs and their routes.

    Attributes:
        loads: The loads of the links; each of its slices is one step.
    """

    loads: LinkLoads

    @property
    def nbytes(self) -> int:
        """Size in memory, bytes, with cached values."""
        of = (
            *self.loads.jobs.values(),
            *[self.loads.low, self.loads.high, self.loads.measured] * 2,
        )
        return sum(each.data.nbytes + each.indices.nbytes + each.indptr.nbytes for each in of)

    @property
    def step_s(self) -> float:
        """Length of a step, in seconds."""
        return self.loads.axis[1] / 1e9

    @cached_property
    def jobs(self) -> tuple[str, ...]:
        """Names of the jobs with load, the most bytes first; "" stands for unknown jobs."""
        sums = {job: float(load.sum()) for job, load in self.loads.jobs.items()}
        return tuple(
            sorted((job for job in sums if sums[job] > 0), key=lambda job: (-sums[job], job))
        )

    @cached_property
    def load(self) -> csr_array:
        """Bytes per step and link: measured, else routed by minimal routes."""
        from scipy.sparse import csr_array

        shape = self.loads.low.shape
        return self._shown(sum(self.loads.jobs.values(), start=csr_array(shape)))

    @cached_property
    def least(self) -> csr_array:
        """Least bytes per step and link that adaptive routing allows."""
        return self._shown(self.loads.low)

    @cached_property
    def most(self) -> csr_array:
        """Most bytes per step and link that adaptive routing allows."""
        return self._shown(self.loads.high)

    def _shown(self, routed: csr_array) -> csr_array:
        from scipy.sparse import csr_array, diags_array

        counted = diags_array(self.loads.is_measured.astype(float))
        rest = diags_array((~self.loads.is_measured).astype(float))
        return csr_array(routed @ rest + self.loads.measured @ counted)

    @cached_property
    def has_range(self) -> bool:
        """Whether the load of some links is a range because routing is adaptive."""
        return bool(self.most.sum() > self.least.sum() * (1 + 1e-6))

    def rates(self, first: int, count: int) -> tuple[Floats, Floats]:
        """Return `load` and `most` in some steps, each (count, links), bytes per second."""
        steps = slice(first, first + count)
        load = self.load[steps].toarray() / self.step_s
        return load, np.maximum(load, self.most[steps].toarray() / self.step_s)

    @property
    def has_waiting(self) -> bool:
        """Whether at least one port counts the time that data waits."""
        return bool(self.loads.waiting.nnz)

    def waiting(self, first: int, count: int) -> Floats:
        """Return the share of the time that data waited, (count, links); NaN: not counted."""
        part = self.loads.waiting[first : first + count].toarray()
        return np.where(self.loads.is_measured, part, np.nan)

    def busiest_jobs(self, first: int, count: int, before: str = "") -> NDArray[np.uint16]:
        """Return the index in `jobs` of each link's busiest job: (count, links); NO_JOB: none.

        Args:
            first: Number of the first step.
            count: Number of steps.
            before: Job that is preferred to all others wherever it has traffic; "": none.
        """
        best = np.zeros((count, len(self.loads.is_measured)))
        who = np.full(best.shape, NO_JOB, np.uint16)
        for place, job in enumerate(self.jobs[:NO_JOB]):
            load = self.loads.jobs[job][first : first + count].tocoo()
            row, link = load.coords
            more = load.data > (0 if job == before else best[row, link])
            best[row[more], link[more]] = np.inf if job == before else load.data[more]
            who[row[more], link[more]] = place
        return who

    def overview(self, programs: Mapping[str, str]) -> dict[str, Any]:
        """Return the load of the busiest link in each step, and the jobs with their bytes.

        Args:
            programs: Program of each job.
        """
        start, step, steps = self.loads.axis
        peaks = self.load.max(axis=1).toarray().ravel() / self.step_s
        return {
            "start_ns": start,
            "step_ns": step,
            "steps": steps,
            "links": len(self.loads.is_measured),
            "peaks": [_short(value) for value in peaks],
            "greatest": _short(float(peaks.max(initial=0.0))),
            "measured": int(self.loads.is_measured.sum()),
            "low_high": self.has_range,
            "waiting": self.has_waiting,
            "jobs": [
                {
                    "job": job,
                    "program": programs.get(job, ""),
                    "bytes": float(self.loads.jobs[job].sum()),
                    "modelled": self.loads.modelled.get(job, 0.0),
                    "spread": self.loads.spread.get(job, 0.0),
                    "lost_bytes": float(self.loads.lost.get(job, 0.0)),
                }
                for job in self.jobs
            ],
        }

    def on_links(self, links: Sequence[int]) -> dict[str, Any]:
        """Return the summed load of some links in each step, bytes per second.

        Args:
            links: One link, or all links into a switch.

        Returns:
            load: Load of all jobs, (steps,).
            low, high: Least and greatest load that adaptive routing allows, (steps,).
            measured: Whether all of the links' ports have counters.
            jobs: Routed load by job, (steps,) each, the job with most bytes first. If ports counted
                more bytes than that, the difference is in `load` only.
        """
        place = np.array(links, np.int64)
        jobs = {job: self.loads.jobs[job][:, place].sum(axis=1) / self.step_s for job in self.jobs}
        sums = {job: float(values.sum()) for job, values in jobs.items()}
        load = self.load[:, place].sum(axis=1) / self.step_s
        return {
            "load": load,
            "low": np.minimum(load, self.least[:, place].sum(axis=1) / self.step_s),
            "high": np.maximum(load, self.most[:, place].sum(axis=1) / self.step_s),
            "measured": bool(len(place)) and bool(self.loads.is_measured[place].all()),
            "jobs": {
                job: jobs[job] for job in sorted(sums, key=lambda job: -sums[job]) if sums[job] > 0
            },
        }


def losses_at(
    resources: AbstractSet[str],
    slices: Mapping[str, Sequence[Mapping[str, Any]]],
    span: tuple[int, int],
) -> tuple[dict[str, float], dict[str, float]]:
    """Add up the losses of jobs at some resources in a span, from their verdicts.

    Args:
        resources: Names of resources, as in verdicts: `link leaf1 > spine2`, `switch leaf1`.
        slices: For each job, the slices in which other jobs slowed it (DisturbedSlice).
        span: Start and end, ns since the epoch.

    Returns:
        Two mappings by job: the time that the job lost at these resources, s; and the time that
        other jobs lost there because of it, in seconds.
    """
    lost, cost = dict.fromkeys(slices, 0.0), dict[str, float]()
    for job, of in slices.items():
        for each in of:
            there = str(each["resource"]).partition(" (to ")[0]  # traffic to a file system
            if there in resources and span[0] <= each["start_ns"] < span[1]:
                lost[job] += each["seconds"]
                cost[each["suspect"]] = cost.get(each["suspect"], 0.0) + each["seconds"]
    return lost, cost


def link_report(
    fabric: FabricLoads,
    *,
    link: int | None,
    switch: int | None,
    programs: Mapping[str, str],
    disturbed_slices: Callable[[str], Sequence[Mapping[str, Any]] | None],
) -> dict[str, Any]:
    """Return the jobs on a link or a switch, with their bytes and losses.

    Args:
        fabric: The loads.
        link: Number of the link; None: a switch.
        switch: Vertex of the switch, whose incoming links are added up.
        programs: Program of each job.
        disturbed_slices: Function that returns the slices in which other jobs slowed a job, as for
            `losses_at`, or None if there is no verdict on the job yet.
    """
    topology = fabric.loads.topology
    start, step, steps = fabric.loads.axis
    if link is not None:
        links, name = [link], topology.link_name(link)
    else:
        links = np.flatnonzero(topology.targets == switch).tolist()
        name = topology.vertices[switch or 0]
    there = fabric.on_links(links)
    resource = f"{'link' if link is not None else 'switch'} {name}"
    resources = {resource}
    if link is None:  # losses on its links count for the switch
        ends = (topology.targets == switch) | (topology.sources == switch)
        resources |= {f"link {topology.link_name(int(each))}" for each in np.flatnonzero(ends)}
    slices = {job: of for job in there["jobs"] if (of := disturbed_slices(job)) is not None}
    lost, cost = losses_at(resources, slices, (start, start + step * steps))
    whole = sum(float(values.sum()) for values in there["jobs"].values())
    return {
        "name": name,
        "resource": resource,
        "rate": float(topology.rates[links].sum()) / 8,
        "links": len(links),
        "start_ns": start,
        "step_ns": step,
        **{which: _list(there[which]) for which in ("load", "low", "high")},
        "measured": there["measured"],
        "jobs": [
            {
                "job": job,
                "program": programs.get(job, ""),
                "bytes": float(values.sum()) * fabric.step_s,
                "share": float(values.sum()) / whole,
                "modelled": fabric.loads.modelled.get(job, 0.0),
                "spread": fabric.loads.spread.get(job, 0.0),
                "seconds_lost": lost.get(job),
                "seconds_cost": cost.get(job, 0.0),
                "values": _list(values),
            }
            for job, values in there["jobs"].items()
        ],
    }


def _list(values: Floats) -> list[float]:
    return [_short(value) for value in values.tolist()]


def _short(value: float) -> float:
    return float(f"{value:.6g}")
