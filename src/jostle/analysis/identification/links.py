"""Makes the links that a job's traffic takes its shared resources, where the fabric is known.

"The network" is one resource only as long as nobody knows who sits where. With a topology, two jobs
meet on the links that carry the traffic of both, and nowhere else: a neighbour that shares no link
is acquitted, however loud it is.

Which links: a job waits for the fullest link on its way. So of the links that it shares with a
neighbour, the one that was fullest while the neighbour sent is tested; neighbours whose fullest
link is the same are tested there together. Calls on files cross links, too: on the way to a file
server a job meets neighbours that use no file system at all (thesis, figure 2.8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.identification.resources import (
    Axis,
    Floats,
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
#: Links that are tested for one kind of calls; more say little more, and cost evidence.
_MOST = 8
#: Part of a job's bytes that no route was found for: with more, its position is not known.
_UNKNOWN = 0.1


@dataclass(frozen=True)
class _Meeting:
    """Where a job and its neighbours meet on one fabric.

    Attributes:
        own: The job's bytes per slice and link, of the links that it uses; shape (slices, links).
        theirs: The same of each neighbour that shares one of them.
        filled: All bytes on these links over their rate.
        names: Of these links.
    """

    own: Floats
    theirs: dict[str, Floats]
    filled: Floats
    names: list[str]


def with_links(
    beside: Beside, resources: Iterable[SharedResource]
) -> tuple[list[SharedResource], set[str]]:
    """Put the shared links in the place of "the network", and beside each mount those to it.

    Args:
        beside: From Repository.beside; without fabrics or traffic nothing changes.
        resources: From shared_resources.

    Returns:
        The resources; "network" stays for neighbours whose place is not known, if there are any.
        And the neighbours that sent messages, but over none of the links of this job's messages.
    """
    listed = list(resources)
    fabrics = _of_job(beside)
    axis = job_axis(beside)
    if not fabrics or not beside.traffic.jobs or not axis[2]:
        return listed, set()
    kept = [resource for resource in listed if resource.kind != "network"]
    for resource in [resource for resource in kept if resource.kind == "file system"]:
        kept += _to_files(beside, resource, fabrics, axis)
    messages = _of_messages(beside, fabrics, axis)
    if messages is None:
        return kept + [resource for resource in listed if resource.kind == "network"], set()
    placed = {job for resource in messages for job in resource.loads}
    return kept + messages, set(_jobs(beside.network_loads)) - placed


def _of_job(beside: Beside) -> list[Topology]:
    """Return the fabrics in which nodes of the job are, as they were when it began."""
    names = sorted({fabric.name for fabric in beside.fabrics})
    versions = [valid_at(beside.fabrics, name, beside.job.start_ns) for name in names]
    return [
        fabric
        for fabric in versions
        if fabric is not None and any(host in fabric.adapters_of for host in beside.job.nodes)
    ]


def _jobs(table: pa.Table) -> list[str]:
    return sorted(set(table.column("job").to_pylist()))


def _of_messages(
    beside: Beside, fabrics: list[Topology], axis: Axis
) -> list[SharedResource] | None:
    """Return the links that a job's messages share with neighbours; None: nobody knows which."""
    own = beside.traffic.of(beside.job.job).messages
    meetings = [_meeting(beside, fabric, own, axis) for fabric in fabrics]
    if not beside.own_nodes.num_rows or all(meeting is None for meeting in meetings):
        return None
    whole = network(beside, axis)
    links = [each for meeting in meetings if meeting is not None
             for each in _shared(meeting, whole, "")]  # fmt: skip
    unplaced = _unplaced(beside, fabrics, axis)
    loads = {job: load for job, load in whole.loads.items() if job in unplaced}
    return [*links, replace(whole, loads=loads, calls_of="messages")] if loads else links


def _to_files(
    beside: Beside, mount: SharedResource, fabrics: list[Topology], axis: Axis
) -> list[SharedResource]:
    """Return the links on the way to a file system that others fill who do not use it."""
    own = beside.traffic.of(beside.job.job).files
    links: list[SharedResource] = []
    for fabric in fabrics:
        meeting = _meeting(beside, fabric, own, axis)
        if meeting is not None:
            strangers = {job: load for job, load in meeting.theirs.items()
                         if job not in mount.loads}  # fmt: skip
            links += _shared(replace(meeting, theirs=strangers), mount, f" (to {mount.name})")
    return links


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
    rates = np.where(fabric.rates > 0, fabric.rates, fabric.rates.max(initial=1.0) or 1.0)[used]
    whole = carried[:, used] + np.sum(list(theirs.values()), axis=0)
    return _Meeting(carried[:, used], theirs, whole / rates,
                    [fabric.link_name(int(link)) for link in used])  # fmt: skip


def _of_links(loads: LinkLoads, job: str, links: NDArray[np.int64]) -> Floats:
    """Return a job's bytes per slice on some links; all links of all jobs would fill the memory."""
    return np.asarray(loads.jobs[job].tocsc()[:, links].toarray(), dtype=np.float64)


def _unplaced(beside: Beside, fabrics: list[Topology], axis: Axis) -> set[str]:
    """Return the neighbours of whose messages too many have an end outside the job's fabrics."""
    messages = beside.traffic.without(beside.job.job).messages
    loads = [link_loads(fabric, messages, axis) for fabric in fabrics]
    return {
        job for job in _jobs(beside.network_loads)
        if all(job not in each.jobs or each.lost_share(job) > _UNKNOWN for each in loads)
    }  # fmt: skip


def _shared(meeting: _Meeting, calls: SharedResource, suffix: str) -> Iterator[SharedResource]:
    """Yield the links to test: of each neighbour the fullest one that it shares with the job."""
    whole = np.maximum(meeting.own + np.sum(list(meeting.theirs.values()), axis=0), 1e-300)
    doses = {job: _dose(load, whole) for job, load in meeting.theirs.items()}
    full = {job: _fullest(meeting, load, doses[job]) for job, load in meeting.theirs.items()}
    left = {job for job, values in full.items() if values.any()}
    for _ in range(_MOST):
        if not left:
            return
        loudest = max(left, key=lambda job: (float(meeting.theirs[job].sum()), job))
        link = int(np.argmax(full[loudest]))
        left -= {job for job in left if full[job][link] >= _NEARLY * full[job].max()}
        loads = {job: load[:, link] for job, load in meeting.theirs.items()
                 if doses[job][link] >= _DOSE}  # fmt: skip
        yield replace(
            calls,
            name=f"link {meeting.names[link]}{suffix}",
            kind="network",
            own_load=meeting.own[:, link],
            loads=loads,
            unit="bytes",
            servers=(),
            apart=(),
            calls_of=calls.calls_of or ("messages" if calls.kind == "network" else calls.name),
        )


def _dose(load: Floats, whole: Floats) -> Floats:
    """Return the part of all load that is a neighbour's, in the slices in which it sends."""
    on = load > 0
    part = (load * on).sum(axis=0) / np.maximum((whole * on).sum(axis=0), 1e-300)
    return np.asarray(part, dtype=np.float64)


def _fullest(meeting: _Meeting, load: Floats, dose: Floats) -> Floats:
    """Return how full each link was while a neighbour and the job used it; 0: they never did."""
    both = (load > 0) & (meeting.own > 0)
    slices = both.sum(axis=0)
    filled = (meeting.filled * both).sum(axis=0) / np.maximum(slices, 1)
    return np.asarray(np.where((dose >= _DOSE) & (slices > 0), filled, 0.0), dtype=np.float64)
