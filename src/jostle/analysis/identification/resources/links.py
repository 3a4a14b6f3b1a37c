"""Finds the network links that a job shares with other jobs, where the topology is known.

The whole network is one resource only if the topology is not known. With a topology, two jobs meet
only on the links that carry the traffic of both: a neighbour that shares no link with the job is
ruled out, however much it sends.

A job waits for the fullest link on its path. So if a neighbour shares several links with the job,
it is tested on the one that was fullest while both sent; its load is its bytes there. Different
neighbours may be tested on different links, but always with the same calls of the job. Calls on
files cross links, too: on the path to a file server, a job meets neighbours that use no file system
at all (Shah, 2020, figure 2.8).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.identification.model import RUN_WITHOUT_IT, Untested
from jostle.analysis.identification.resources.shared import (
    Axis,
    Floats,
    MeetingPlace,
    SharedResource,
    job_axis,
    network,
)
from jostle.repository.query.resources.co_running import CoRunning
from jostle.topology import valid_at
from jostle.values.traffic import Traffic

if TYPE_CHECKING:
    from jostle.network import LinkLoads

#: Part of a job's traffic on its own busiest link: a link with less of it does not matter.
_USED = 0.1
#: Part of all load on a link: a neighbour with less does not count there (as resource_tests._DOSE).
_DOSE = 0.02
#: Part of the fullest link that a neighbour shares: a link at least so full may replace it.
_NEARLY = 0.8
#: Most neighbours of a job that are tested, and most links considered for each of them.
_LOUDEST, _FEW = 60, 8
#: Part of a job's bytes that no route was found for: with more, its position is not known.
_UNKNOWN = 0.1


@dataclass(frozen=True)
class _Meeting:
    """The links of one fabric that a job shares with its neighbours.

    Attributes:
        own: The job's bytes per slice on each link where it meets neighbours; shape (slices,
            links).
        theirs: For each neighbour that is tested, its bytes in the same shape.
        others: The bytes of all other jobs together, in the same shape.
        rates: Data rate of each of these links, as a part of that of the fabric's fastest link.
        names: Names of these links.
        sharing: All neighbours on the links that carry much of the job's traffic.
        slightly: Neighbours that share with the job only links that carry little of its traffic.
    """

    own: Floats
    theirs: dict[str, Floats]
    others: Floats
    rates: Floats
    names: list[str]
    sharing: frozenset[str]
    slightly: frozenset[str]


@dataclass(frozen=True)
class _Neighbourhood:
    """A job, its neighbours, and the loads of the neighbours on the links of the job's fabrics."""

    alongside: CoRunning
    axis: Axis
    fabrics: tuple[LinkLoads, ...]

    @classmethod
    def of(cls, alongside: CoRunning) -> _Neighbourhood:
        """Compute the neighbours' load on each link of the job's fabrics, as of the job's start."""
        # Imported only here, since the sparse matrices of SciPy take a fifth of a second to load.
        from jostle.network import link_loads

        axis = job_axis(alongside)
        names = sorted({fabric.name for fabric in alongside.fabrics})
        versions = [valid_at(alongside.fabrics, name, alongside.job.start_ns) for name in names]
        theirs = alongside.traffic.without(alongside.job.job)
        return cls(
            alongside,
            axis,
            tuple(
                link_loads(fabric, theirs, axis)
                for fabric in versions
                if axis[2]
                and alongside.traffic.jobs
                and fabric is not None
                and any(host in fabric.adapters_of for host in alongside.job.nodes)
            ),
        )

    def meetings(self, own: Traffic) -> list[_Meeting]:
        """Return for each fabric the links that neighbours share with some traffic of the job.

        Fabrics on which the routes of this traffic are not known are left out.
        """
        found = [self._meeting(loads, own) for loads in self.fabrics]
        return [meeting for meeting in found if meeting is not None]

    def _meeting(self, loads: LinkLoads, own: Traffic) -> _Meeting | None:
        from jostle.network import link_loads

        job, fabric = self.alongside.job.job, loads.topology
        mine = link_loads(fabric, own, self.axis)
        if job not in mine.jobs or mine.lost_share(job) > _UNKNOWN:
            return None
        total = _summed(mine, job)
        used = np.flatnonzero(total >= max(_USED * total.max(), 1))
        if not len(used):
            return None
        fastest = float(fabric.rates.max(initial=0.0)) or 1.0
        rates = np.where(fabric.rates > 0, fabric.rates, fastest) / fastest
        whole = {name: _summed(loads, name) for name in loads.jobs if name in self.alongside.others}
        moved = {name: sent[used] for name, sent in whole.items()}
        sharing = [name for name in moved if moved[name].any()]
        slightly = {name for name, sent in whole.items() if sent[total > 0].any()}
        loudest = sorted(sharing, key=lambda name: (-moved[name].sum(), name))[:_LOUDEST]
        # A neighbour's load on hundreds of links is nearly the same series: a few suffice.
        places = [
            np.argsort(-total[used] * moved[name] / rates[used] ** 2, kind="stable")[:_FEW]
            for name in loudest
        ]
        met = used[np.unique(np.concatenate([np.zeros(0, np.int64), *places]))]
        others = sum((loads.jobs[name][:, met] for name in loads.jobs), _dense(mine, job, met) * 0)
        return _Meeting(
            _dense(mine, job, met),
            {name: _dense(loads, name, met) for name in loudest},
            np.asarray(others),
            rates[met],
            [fabric.link_name(int(link)) for link in met],
            frozenset(sharing),
            frozenset(slightly.difference(sharing)),
        )

    def unplaced(self) -> set[str]:
        """Return the neighbours that have too much traffic without a known route."""
        return {
            job
            for job in self.senders()
            if all(
                job not in loads.jobs or loads.lost_share(job) > _UNKNOWN for loads in self.fabrics
            )
        }

    def senders(self) -> set[str]:
        """Return the neighbours that sent messages."""
        return set(self.alongside.network_loads.column("job").to_pylist())

    @property
    def is_adaptive(self) -> bool:
        """Whether routing is adaptive: messages may then leave the shortest paths."""
        return any(loads.low is not loads.high for loads in self.fabrics)


def _summed(loads: LinkLoads, job: str) -> Floats:
    return np.asarray(loads.jobs[job].sum(axis=0), dtype=np.float64).ravel()


def _dense(loads: LinkLoads, job: str, links: NDArray[np.int64]) -> Floats:
    return np.asarray(loads.jobs[job][:, links].toarray(), dtype=np.float64)


def with_links(
    alongside: CoRunning, resources: Iterable[SharedResource]
) -> tuple[list[SharedResource], dict[str, str | Untested]]:
    """Replace neighbours' loads by their loads on the links that they share with a job.

    Args:
        alongside: The job and its neighbours. If it has no fabrics or no traffic, nothing changes.
        resources: From shared_resources.

    Returns:
        The changed resources, and neighbours that are not tested. The network keeps only neighbours
        that share links with the job's messages, or whose links are not known. Each mount gets
        further neighbours: those that load the links to its servers. A neighbour that sent
        messages, but is tested on no link of this job's messages, is returned with a sentence that
        says why it did no harm there, or why it is not known whether it did.
    """
    listed = list(resources)
    neighbourhood = _Neighbourhood.of(alongside)
    if not neighbourhood.fabrics:
        return listed, {}
    kept = [
        _with_strangers(neighbourhood, resource) if resource.mount else resource
        for resource in listed
        if resource.kind != "network"
    ]
    own = alongside.traffic.of(alongside.job.job).messages
    meetings = neighbourhood.meetings(own) if alongside.own_nodes.num_rows else []
    if not meetings:
        return kept + [resource for resource in listed if resource.kind == "network"], {}
    whole = network(alongside, neighbourhood.axis)
    loads, places = _met(meetings, "")
    unplaced = neighbourhood.unplaced()
    loads |= {job: load for job, load in whole.loads.items() if job in unplaced - set(loads)}
    messages = replace(whole, own_load=_own(meetings), loads=loads, places=places)
    apart = {
        job: _why_apart(job, meetings, adaptive=neighbourhood.is_adaptive)
        for job in sorted(neighbourhood.senders() - set(loads))
    }
    return [*kept, messages] if loads else kept, apart


def _why_apart(job: str, meetings: Sequence[_Meeting], *, adaptive: bool) -> str | Untested:
    """Return why a neighbour is tested on no link.

    The reason either rules the neighbour out there, or it is an Untested: then it is not known
    whether the neighbour did harm.
    """
    if any(job in meeting.sharing and job not in meeting.theirs for meeting in meetings):
        return Untested(
            f"of all jobs on this job's links only the {_LOUDEST} with most load were tested",
            RUN_WITHOUT_IT,
        )
    if any(job in meeting.theirs for meeting in meetings):
        return "On the links that it shares with this job it sent little, or at other times."
    if any(job in meeting.slightly for meeting in meetings):
        return "It shares only links that carry little of this job's messages."
    where = "On the shortest paths it" if adaptive else "It"
    return f"{where} shares no link with this job's messages."


def _with_strangers(neighbourhood: _Neighbourhood, mount: SharedResource) -> SharedResource:
    """Add to a mount's loads those of jobs that only load the links to its servers."""
    own = neighbourhood.alongside.traffic.of(neighbourhood.alongside.job.job).files_on(mount.mount)
    known = [
        replace(
            meeting,
            theirs={job: load for job, load in meeting.theirs.items() if job not in mount.loads},
        )
        for meeting in neighbourhood.meetings(own)
    ]
    loads, places = _met(known, f" (to {mount.name})")
    return replace(mount, loads=mount.loads | loads, places=places)


def _met(
    meetings: list[_Meeting], suffix: str
) -> tuple[dict[str, Floats], dict[str, MeetingPlace]]:
    """Return each neighbour's load on the fullest link that it shares with the job, and that link.

    A load is scaled to the bytes that would fill the fastest link to the same degree. If another
    link that a neighbour shares is nearly as full, and is already the link of other neighbours, it
    is used instead, so that fewer links are tested.
    """
    loads: dict[str, Floats] = {}
    places: dict[str, MeetingPlace] = {}
    for meeting in meetings:
        filled = (meeting.own + meeting.others) / meeting.rates
        whole = np.maximum(meeting.own + meeting.others, 1e-300)
        full = {
            job: _fullest(meeting.own, load, whole, filled) for job, load in meeting.theirs.items()
        }
        left = {job for job, values in full.items() if values.any() and job not in loads}
        while left:
            loudest = max(left, key=lambda job: (float(meeting.theirs[job].sum()), job))
            link = int(np.argmax(full[loudest]))
            here = {job for job in left if full[job][link] >= _NEARLY * full[job].max()}
            left -= here
            place = MeetingPlace(
                f"link {meeting.names[link]}{suffix}", meeting.own[:, link], meeting.others[:, link]
            )
            for job in here:
                loads[job] = meeting.theirs[job][:, link] / meeting.rates[link]
                places[job] = place
    return loads, places


def _own(meetings: list[_Meeting]) -> Floats:
    """Return the job's own load per slice: that on the link that it fills most in the slice."""
    fullest = [(meeting.own / meeting.rates).max(axis=1, initial=0.0) for meeting in meetings]
    return np.asarray(np.max(fullest, axis=0), dtype=np.float64)


def _fullest(own: Floats, load: Floats, whole: Floats, filled: Floats) -> Floats:
    """Return how full each link was while a neighbour and the job used it at the same time.

    The value is 0 if they never did, or if the neighbour's part of the traffic is too small.

    Args:
        own: The job's bytes, shape (slices, links), as all others.
        load: The neighbour's bytes.
        whole: The bytes of all jobs.
        filled: These bytes, divided by the rate of each link.
    """
    on, both = load > 0, (load > 0) & (own > 0)
    dose = (load * on).sum(axis=0) / np.maximum((whole * on).sum(axis=0), 1e-300)
    slices = both.sum(axis=0)
    mean = (filled * both).sum(axis=0) / np.maximum(slices, 1)
    return np.asarray(np.where((dose >= _DOSE) & (slices > 0), mean, 0.0), dtype=np.float64)
