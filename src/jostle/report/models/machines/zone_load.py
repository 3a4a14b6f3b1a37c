"""Load of other jobs on the links of a zone (a part of a fabric) while a job ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.errors import UsageError
from jostle.report.format.values import iso_time
from jostle.report.models.jobs import job_row
from jostle.topology import Topology, TopologyError, valid_at

if TYPE_CHECKING:
    from jostle.network import LinkLoads
    from jostle.repository import Repository

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Most steps; longer jobs have coarser steps, since there is a matrix of steps and links.
_MOST_STEPS = 4_000
#: Most jobs that are named for a link: those with most bytes.
_MOST_JOBS = 5


@dataclass(frozen=True)
class JobBytes:
    """A job and its bytes on a link, or on the links of a zone."""

    job: str
    bytes: float


@dataclass(frozen=True)
class ZoneLink:
    """A link of a zone, with the bytes that crossed it while the job ran.

    Attributes:
        name: Name of the link.
        own: Bytes of the job.
        others: Bytes of all other jobs, if they took minimal routes.
        others_high: Bytes of all other jobs, if they took Valiant routes. Without adaptive routing
            the same as `others`.
        measured: Bytes of all jobs that the link's port counted; None: the port has no counters.
        jobs: The other jobs with most bytes.
    """

    name: str
    own: float
    others: float
    others_high: float
    measured: float | None
    jobs: tuple[JobBytes, ...]


@dataclass(frozen=True)
class ZoneLoad:
    """Load of the links of a zone while a job ran; a byte counts once on each link it crosses.

    Attributes:
        fabric: Name of the fabric.
        first: Number of the first step.
        step_ns: Length of the steps, in ns.
        own: Bytes of the job in each step, from its messages and their routes.
        others: Bytes of all other jobs in each step, if they took minimal routes.
        others_high: Bytes of all other jobs in each step, if they took Valiant routes; None where
            routing is not adaptive.
        measured: Bytes of all jobs that ports counted in each step; None: no port has counters.
        routed_there: Bytes of all jobs with minimal routes in each step, on the links whose ports
            have counters; to be compared with `measured`.
        links: The links with a load, those with most bytes of other jobs first.
        jobs: The other jobs, those with most bytes first.
        count: Number of links in the zone.
        counted: Number of these links whose ports have counters.
        modelled: Share of models of collectives in the other jobs' load on the whole fabric.
        spread: Share of messages with unknown partners in this load; they are divided evenly.
        lost: Bytes of other jobs that have no route in this fabric.
    """

    fabric: str
    first: int
    step_ns: int
    own: Floats
    others: Floats
    others_high: Floats | None
    measured: Floats | None
    routed_there: Floats
    links: tuple[ZoneLink, ...]
    jobs: tuple[JobBytes, ...]
    count: int
    counted: int
    modelled: float
    spread: float
    lost: float

    def to_json(self) -> dict[str, Any]:
        """Return the load as JSON-compatible values."""

        def listed(values: Floats | None) -> list[float] | None:
            return None if values is None else [round(float(value), 1) for value in values]

        return {
            "fabric": self.fabric,
            "unit": "bytes",
            "slice_ns": self.step_ns,
            "first_slice": self.first,
            "start": iso_time(self.first * self.step_ns),
            "own": listed(self.own),
            "others": listed(self.others),
            "others_high": listed(self.others_high),
            "measured": listed(self.measured),
            "routed_where_measured": listed(self.routed_there),
            "links": [
                {
                    "link": link.name,
                    "own": link.own,
                    "others": link.others,
                    "others_high": link.others_high,
                    "measured": link.measured,
                    "jobs": [{"job": each.job, "bytes": each.bytes} for each in link.jobs],
                }
                for link in self.links
            ],
            "jobs": [{"job": each.job, "bytes": each.bytes} for each in self.jobs],
            "links_in_zone": self.count,
            "links_measured": self.counted,
            "modelled_share": self.modelled,
            "spread_share": self.spread,
            "lost_bytes": self.lost,
        }


def zone_loads(store: Repository, job: str, zone: str) -> list[ZoneLoad]:
    """Return the load on a zone's links while a job ran, for each fabric that has the zone.

    Args:
        store: The repository.
        job: The job's full name.
        zone: Part of the fabric, as for `jostle.network.zone_links`.

    Raises:
        UsageError: There is no fabric with nodes of the job, or none of them has the zone.
    """
    row = job_row(store, job)
    hosts = {str(host) for host in store.job_processes(job)["host"].unique().to_pylist()}
    fabrics = fabrics_of(store.topologies(), hosts, row["start_ns"])
    if not fabrics:
        raise UsageError(
            f"The nodes of {job} are in no fabric of the repository.",
            hint="`jostle topology import FILE` adds a fabric; `jostle topology show` lists them.",
        )
    chosen = _with_zone(fabrics, zone)
    start, step, count = axis = _axis(row)
    span = (start, start + step * count)
    traffic, ports = store.traffic(span), store.port_counters(span)
    from jostle.network import link_loads

    return [
        _zone_load(
            link_loads(fabric, traffic.of(job), axis),
            link_loads(fabric, traffic.without(job), axis, ports),
            job,
            links,
        )
        for fabric, links in chosen
    ]


def fabrics_of(known: list[Topology], hosts: set[str], time_ns: int) -> list[Topology]:
    """Return the fabrics, as they were at a time, that have at least one of some hosts."""
    versions = [valid_at(known, name, time_ns) for name in sorted({each.name for each in known})]
    return [each for each in versions if each is not None and hosts & each.adapters_of.keys()]


def _with_zone(fabrics: list[Topology], zone: str) -> list[tuple[Topology, Flags]]:
    from jostle.network import zone_links

    chosen, errors = [], []
    for fabric in fabrics:
        try:
            chosen.append((fabric, zone_links(fabric, zone)))
        except TopologyError as error:
            errors.append(error)
    if not chosen:
        raise errors[0]
    return chosen


def _axis(row: dict[str, Any]) -> tuple[int, int, int]:
    """Return the steps of a job: its slices, or for a long job steps of several slices."""
    step = row["slice_ns"]
    number = -(-row["end_ns"] // step) - row["start_ns"] // step
    step *= max(1, -(-number // _MOST_STEPS))
    first = row["start_ns"] // step
    return first * step, step, max(1, -(-row["end_ns"] // step) - first)


def _zone_load(own: LinkLoads, others: LinkLoads, job: str, links: Flags) -> ZoneLoad:
    fabric, chosen = others.topology, np.flatnonzero(links)
    count = others.axis[2]
    mine = _dense(own.jobs.get(job), count, chosen)
    low = sum(
        (_dense(load, count, chosen) for load in others.jobs.values()),
        np.zeros((count, len(chosen))),
    )
    adaptive = others.high is not others.low
    valiant = _dense(others.low, count, chosen) + _dense(others.high, count, chosen) - low
    measured, counted = _dense(others.measured, count, chosen), others.is_measured[chosen]
    totals = {name: _dense(load, count, chosen).sum(axis=0) for name, load in others.jobs.items()}
    order = np.argsort(-np.maximum(low.sum(axis=0), measured.sum(axis=0)), kind="stable")
    moved = (low + mine + measured + valiant).sum(axis=0)
    whole = {name: float(load.sum()) for name, load in others.jobs.items()}
    all_bytes = sum(whole.values())

    def share(parts: dict[str, float]) -> float:
        return sum(parts[name] * whole[name] for name in whole) / all_bytes if all_bytes else 0.0

    return ZoneLoad(
        fabric.name,
        others.axis[0] // others.axis[1],
        others.axis[1],
        mine.sum(axis=1),
        low.sum(axis=1),
        valiant.sum(axis=1) if adaptive else None,
        measured.sum(axis=1) if counted.any() else None,
        (low + mine)[:, counted].sum(axis=1),
        tuple(
            ZoneLink(
                fabric.link_name(int(chosen[k])),
                float(mine[:, k].sum()),
                float(low[:, k].sum()),
                float(valiant[:, k].sum()) if adaptive else float(low[:, k].sum()),
                float(measured[:, k].sum()) if counted[k] else None,
                _busiest({name: float(total[k]) for name, total in totals.items()})[:_MOST_JOBS],
            )
            for k in order.tolist()
            if moved[k] > 0
        ),
        _busiest({name: float(total.sum()) for name, total in totals.items()}),
        len(chosen),
        int(counted.sum()),
        share(others.modelled),
        share(others.spread),
        sum(others.lost.values()),
    )


def _dense(load: Any, count: int, links: NDArray[np.int64]) -> Floats:
    """Return the bytes per step on some links; zeros where there is no load."""
    if load is None:
        return np.zeros((count, len(links)))
    return np.asarray(load.tocsc()[:, links].toarray(), np.float64)


def _busiest(totals: dict[str, float]) -> tuple[JobBytes, ...]:
    ordered = sorted(totals, key=lambda name: (-totals[name], name))
    return tuple(JobBytes(name, totals[name]) for name in ordered if totals[name] > 0)
