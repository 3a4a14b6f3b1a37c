"""Content of figures of a placement: the job on each node of a fabric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.chart import PALETTE
from jostle.report.format.values import count

if TYPE_CHECKING:
    from jostle.analysis.placement import Company, Stay
    from jostle.report.models.job.placement import Stays

Ints = NDArray[np.int64]

#: Number of other jobs with a colour of their own: those that may use most of its links.
MOST = 3
#: States of nodes; 1 to MOST are the named jobs.
OWN, OTHERS, APART, SERVER, FREE, NOBODY = 0, MOST + 1, MOST + 2, MOST + 3, MOST + 4, -1
COLOURS = (
    PALETTE[0],
    PALETTE[1],
    PALETTE[2],
    PALETTE[4],
    "#8C97A3",
    "#D3D9DF",
    "#1F2933",
    "#F4F6F8",
)


@dataclass(frozen=True)
class NodeRoles:
    """The nodes of a fabric, and the jobs on them.

    Attributes:
        nodes: Vertices of the nodes.
        routers: Switch of each node.
        state: State of each node: OWN, 1 to MOST, OTHERS, APART, SERVER or FREE.
        names: Legend text of each state that occurs.
        jobs: Name of the job of each state; "" if the state has none.
    """

    nodes: Ints
    routers: Ints
    state: Ints
    names: dict[int, str]
    jobs: dict[int, str]

    def only(self, states: Collection[int]) -> NodeRoles:
        """Return the same roles with a legend of some states only."""
        return replace(self, names={k: name for k, name in self.names.items() if k in states})

    def of_routers(self) -> tuple[Ints, Ints]:
        """Return each router that has nodes, and the most important state of these nodes."""
        order = np.lexsort((self.state, self.routers))
        routers, first = np.unique(self.routers[order], return_index=True)
        return routers, self.state[order][first]


def most_conflicting(companies: Sequence[Company]) -> list[str]:
    """Return the programs that share most links with some jobs.

    Their order gives each of these programs the same colour in all pictures.
    """
    shared: Counter[str] = Counter()
    for company in companies:
        for each in company.meetings:
            shared[each.program] += each.shared_links
    return [program for program, links in shared.most_common(MOST) if links and program]


def roles(
    stays: Stays, own: Stay, company: Company, programs: Sequence[str] | None = None
) -> NodeRoles:
    """Return the states of a fabric's nodes while a job runs.

    Args:
        stays: The fabric and all jobs in it.
        own: Name of the job.
        company: The jobs that ran concurrently.
        programs: Programs whose jobs have colours of their own; None: the jobs that share most
            links with job `own` have them.
    """
    fabric_map = stays.fabric_map
    met = [each for each in company.meetings if each.job in stays.by_job]
    states = {}
    for place, each in enumerate(met):
        state = place + 1 if place < MOST else OTHERS
        if programs is not None:
            state = programs.index(each.program) + 1 if each.program in programs else OTHERS
        states[each.job] = state if each.conflicting else APART
    of = dict.fromkeys(fabric_map.vertex_of, FREE)
    of |= dict.fromkeys((host for host in stays.servers if host in of), SERVER)
    for each in sorted(met, key=lambda each: (-states[each.job], each.share)):
        of |= {host: states[each.job] for host in stays.by_job[each.job].hosts if host in of}
    of |= {host: OWN for host in own.hosts if host in of}
    held = np.array(list(of.values()), np.int64)
    names = {OWN: _titled(own.job, own.program, company.links, 0)}
    for each in reversed(met):  # of several jobs of a program, the one with most links counts
        if states[each.job] <= MOST:
            program = each.program if each.program != own.program else ""
            names[states[each.job]] = _titled(each.job, program, company.links, each.shared_links)
    names |= {
        OTHERS: "other jobs that may use its links",
        APART: "jobs that share no link with it",
        SERVER: "servers",
        FREE: "no job",
    }
    seen = set(held.tolist())
    return NodeRoles(
        np.array(list(fabric_map.vertex_of.values()), np.int64),
        np.array(list(fabric_map.router_of.values()), np.int64),
        held,
        {key: names[key] for key in sorted(names) if key in seen},
        {
            OWN: own.job,
            **{
                states[each.job]: each.job if programs is None else each.program
                for each in met
                if states[each.job] <= MOST
            },
        },
    )


def _titled(job: str, program: str, links: int, shared: int) -> str:
    """Name a job: `milc: 861 of 1,333 links`."""
    name = PurePath(program).name or job
    if not shared:
        return f"{job} ({name})" if name != job else job
    return f"{name} may use {count(shared)} of its {count(links)} links"
