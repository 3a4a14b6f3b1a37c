"""Makes the links that a job's traffic takes its shared resources, where the fabric is known.

"The network" is one resource only as long as nobody knows who sits where. With a topology, two jobs
meet on the links that carry the traffic of both, and nowhere else: a neighbour that shares no link
is acquitted, however loud it is.

Which links: a job waits for the fullest link on its way. So of the links that it shares with a
neighbour, the neighbour's load is that on the one that was fullest while both sent. All neighbours
are tested with the same calls of the job, each by its load on its own link. Calls on files cross
links, too: on the way to a file server a job meets neighbours that use no file system at all
(thesis, figure 2.8).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.identification.resources import (
    Axis,
    Floats,
    Place,
    SharedResource,
    job_axis,
    network,
)
from jostle.network import LinkLoads, link_loads
from jostle.repository.query.co_running import Beside
from jostle.topology import Topology, valid_at
from jostle.traffic import Traffic

#: Part of a job's traffic on the link of its own that carries most: with less it does not matter.
_USED = 0.1
#: Part of all load on a link: a neighbour with less of it is not on it (as resource_tests._DOSE).
_DOSE = 0.02
#: Part of the fullest link that a neighbour shares: it is tested on one that is nearly as full.
_NEARLY = 0.8
#: Part of a job's bytes that no route was found for: with more, its position is not known.
_UNKNOWN = 0.1


@dataclass(frozen=True)
class _Meeting:
    """Where a job and its neighbours meet on one fabric.

    Attributes:
        own: The job's bytes per slice and link, of the links that it uses; shape (slices, links).
        theirs: The same of each neighbour that shares one of them.
        rates: Of these links, as parts of the fastest one.
        names: Of these links.
    """

    own: Floats
    theirs: dict[str, Floats]
    rates: Floats
    names: list[str]

    @property
    def others(self) -> Floats:
        """The bytes of all neighbours."""
        return np.asarray(sum(self.theirs.values(), np.zeros_like(self.own)))


def with_links(
    beside: Beside, resources: Iterable[SharedResource]
) -> tuple[list[SharedResource], set[str]]:
    """Let neighbours count by their load on the links that they share with a job.

    Args:
        beside: From Repository.beside; without fabrics or traffic nothing changes.
        resources: From shared_resources.

    Returns:
        The resources: of "the network" only neighbours on shared links, and those whose place is
        not known; of each mount also those who fill the links to it. And the neighbours that sent
        messages, but over none of the links of this job's messages.
    """
    listed = list(resources)
    fabrics = _of_job(beside)
    axis = job_axis(beside)
    if not fabrics or not beside.traffic.jobs or not axis[2]:
        return listed, set()
    kept = [_with_strangers(beside, resource, fabrics, axis)
            for resource in listed if resource.kind != "network"]  # fmt: skip
    messages = _of_messages(beside, fabrics, axis)
    if messages is None:
        return kept + [resource for resource in listed if resource.kind == "network"], set()
    senders = set(beside.network_loads.column("job").to_pylist())
    return [*kept, messages] if messages.loads else kept, senders - set(messages.loads)


def _of_job(beside: Beside) -> list[Topology]:
    """Return the fabrics in which nodes of the job are, as they were when it began."""
    names = sorted({fabric.name for fabric in beside.fabrics})
    versions = [valid_at(beside.fabrics, name, beside.job.start_ns) for name in names]
    return [
        fabric
        for fabric in versions
        if fabric is not None and any(host in fabric.adapters_of for host in beside.job.nodes)
    ]


def _of_messages(beside: Beside, fabrics: list[Topology], axis: Axis) -> SharedResource | None:
    """Return the network with the loads on shared links; None: the job's ways are not known."""
    own = beside.traffic.of(beside.job.job).messages
    meetings = [_meeting(beside, fabric, own, axis) for fabric in fabrics]
    known = [meeting for meeting in meetings if meeting is not None]
    if not beside.own_nodes.num_rows or not known:
        return None
    whole = network(beside, axis)
    loads, places = _met(known, "")
    unplaced = _unplaced(beside, fabrics, axis) - set(loads)
    loads |= {job: load for job, load in whole.loads.items() if job in unplaced}
    return replace(whole, own_load=_own(known), loads=loads, places=places)


def _with_strangers(
    beside: Beside, resource: SharedResource, fabrics: list[Topology], axis: Axis
) -> SharedResource:
    """Add to the loads on a mount those on the links to it, of jobs that do not use it."""
    if resource.kind != "file system":
        return resource
    own = beside.traffic.of(beside.job.job).files_on(resource.name)
    meetings = [_meeting(beside, fabric, own, axis) for fabric in fabrics]
    known = [
        replace(meeting, theirs={job: load for job, load in meeting.theirs.items()
                                 if job not in resource.loads})
        for meeting in meetings if meeting is not None
    ]  # fmt: skip
    loads, places = _met(known, f" (to {resource.name})")
    return replace(resource, loads=resource.loads | loads, places=places)


def _meeting(beside: Beside, fabric: Topology, own: Traffic, axis: Axis) -> _Meeting | None:
    """Return where neighbours share the links of some of the job's traffic; None: nobody knows."""
    job = beside.job.job
    mine = link_loads(fabric, own, axis)
    if job not in mine.jobs or mine.lost_share(job) > _UNKNOWN:
        return None
    carried = np.asarray(mine.jobs[job].toarray(), dtype=np.float64)
    if not carried.any():
        return None
    total = carried.sum(axis=0)
    used = np.flatnonzero(total >= _USED * total.max())
    loads = link_loads(fabric, beside.traffic.without(job), axis)
    theirs = {
        name: load
        for name in loads.jobs
        if name in beside.others and (load := _of_links(loads, name, used)).any()
    }
    fastest = float(fabric.rates.max(initial=0.0)) or 1.0
    rates = np.where(fabric.rates > 0, fabric.rates, fastest)[used] / fastest
    names = [fabric.link_name(int(link)) for link in used]
    return _Meeting(carried[:, used], theirs, rates, names)


def _of_links(loads: LinkLoads, job: str, links: NDArray[np.int64]) -> Floats:
    """Return a job's bytes per slice on some links; all links of all jobs would fill the memory."""
    return np.asarray(loads.jobs[job].tocsc()[:, links].toarray(), dtype=np.float64)


def _unplaced(beside: Beside, fabrics: list[Topology], axis: Axis) -> set[str]:
    """Return the neighbours of whose messages too many have an end outside the job's fabrics."""
    messages = beside.traffic.without(beside.job.job).messages
    loads = [link_loads(fabric, messages, axis) for fabric in fabrics]
    return {
        job for job in set(beside.network_loads.column("job").to_pylist())
        if all(job not in each.jobs or each.lost_share(job) > _UNKNOWN for each in loads)
    }  # fmt: skip


def _met(meetings: list[_Meeting], suffix: str) -> tuple[dict[str, Floats], dict[str, Place]]:
    """Return each neighbour's load on the fullest link that it shares with the job, and that link.

    Loads are bytes on the fastest link that fill it as they fill their own. Neighbours whose
    fullest links are nearly as full have one in common, where there is one.
    """
    loads: dict[str, Floats] = {}
    places: dict[str, Place] = {}
    for meeting in meetings:
        others = meeting.others
        filled = (meeting.own + others) / meeting.rates
        whole = np.maximum(meeting.own + others, 1e-300)
        full = {job: _fullest(meeting.own, load, whole, filled)
                for job, load in meeting.theirs.items()}  # fmt: skip
        left = {job for job, values in full.items() if values.any() and job not in loads}
        while left:
            loudest = max(left, key=lambda job: (float(meeting.theirs[job].sum()), job))
            link = int(np.argmax(full[loudest]))
            here = {job for job in left if full[job][link] >= _NEARLY * full[job].max()}
            left -= here
            place = Place(f"link {meeting.names[link]}{suffix}", meeting.own[:, link],
                          others[:, link])  # fmt: skip
            for job in here:
                loads[job] = meeting.theirs[job][:, link] / meeting.rates[link]
                places[job] = place
    return loads, places


def _own(meetings: list[_Meeting]) -> Floats:
    """Return the job's own load, on the links that it fills most."""
    return np.asarray(
        np.max([(meeting.own / meeting.rates).max(axis=1) for meeting in meetings], axis=0),
        dtype=np.float64,
    )


def _fullest(own: Floats, load: Floats, whole: Floats, filled: Floats) -> Floats:
    """Return how full each link was while a neighbour and the job used it; 0: they never did."""
    on, both = load > 0, (load > 0) & (own > 0)
    dose = (load * on).sum(axis=0) / np.maximum((whole * on).sum(axis=0), 1e-300)
    slices = both.sum(axis=0)
    mean = (filled * both).sum(axis=0) / np.maximum(slices, 1)
    return np.asarray(np.where((dose >= _DOSE) & (slices > 0), mean, 0.0), dtype=np.float64)
