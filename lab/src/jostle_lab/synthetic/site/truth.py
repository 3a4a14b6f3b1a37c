"""The truth about a simulated site: its jobs, the time that they lost, and its causes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jostle_lab.synthetic.site.course import Course
from jostle_lab.synthetic.site.faults import SiteFault
from jostle_lab.synthetic.site.mix import JobMix
from jostle_lab.synthetic.site.processes import host_name, identity, job_name, scratch
from jostle_lab.synthetic.site.spec import SiteSpec


@dataclass(frozen=True)
class SiteJob:
    """The truth about a job of a simulated site.

    Attributes:
        job: The job's name.
        program: The job's program.
        user: Number of its user.
        nodes: The job's nodes.
        processes: Number of processes of the job.
        mount: The job's scratch file system.
        submit_s: Time at which the job was submitted, s after the site's start.
        start_s: The job's start.
        end_s: End of the job; None if the job still ran when the simulation ended.
        lost_s: Seconds that the job lost to other jobs on its file system.
        killed: Whether the job ended because one of its nodes went down.
        net_lost_s: Seconds that the job lost to other jobs on the network.
        by: Seconds that each injected aggressor cost the job.
    """

    job: str
    program: str
    user: int
    nodes: tuple[str, ...]
    processes: int
    mount: str
    submit_s: float
    start_s: float
    end_s: float | None
    killed: bool
    lost_s: float
    net_lost_s: float
    by: dict[str, float]


@dataclass(frozen=True)
class Simulated:
    """A simulated site and the truth about it.

    Attributes:
        path: The site's folder.
        spec: The site's specification.
        jobs: Truth about each job that ran, by name.
        victims: Injected victims of each injected aggressor, by name.
        faults: Injected faults.
        process_slices: Number of rows of table slices.
    """

    path: Path
    spec: SiteSpec
    jobs: dict[str, SiteJob]
    victims: dict[str, tuple[str, ...]]
    faults: tuple[SiteFault, ...]
    process_slices: int

    def to_json(self) -> dict[str, Any]:
        """Return the content of truth.json; without the path, a seed gives the same bytes."""
        return {
            "spec": vars(self.spec),
            "process_slices": self.process_slices,
            "aggressors": {name: list(hurt) for name, hurt in self.victims.items()},
            "faults": [_said(fault) for fault in self.faults],
            "jobs": {
                name: vars(job) | {"nodes": list(job.nodes)} for name, job in self.jobs.items()
            },
        }


def truth_of(
    spec: SiteSpec, jobs: JobMix, course: Course, path: Path, process_slices: int
) -> Simulated:
    """Return the truth about a site whose simulation is over."""
    injected = np.flatnonzero(jobs.aggressor & (course.start_s < np.inf)).tolist()
    names = {int(jobs.injected[job]): job_name(job) for job in injected}
    every = {
        job_name(job): _job(spec, jobs, course, job, names)
        for job in np.flatnonzero(course.start_s < np.inf).tolist()
    }
    victims = {
        name: tuple(
            job_name(job)
            for job in np.flatnonzero(
                (jobs.injected == number) & ~jobs.aggressor & (course.start_s < np.inf)
            ).tolist()
        )
        for number, name in names.items()
    }
    return Simulated(path, spec, every, victims, course.faults, process_slices)


def _job(spec: SiteSpec, jobs: JobMix, course: Course, job: int, names: dict[int, str]) -> SiteJob:
    program = jobs.programs[jobs.program[job]]
    nodes = course.nodes[job].tolist()
    ended = course.end_s[job] < np.inf
    attribution = {
        name: round(float(course.attributed_s[number, job]), 3)
        for number, name in names.items()
        if course.attributed_s[number, job] > 0
    }
    return SiteJob(
        job_name(job),
        program.name,
        int(jobs.user[job]),
        tuple(map(host_name, nodes)),
        len(nodes) * (program.per_node or spec.processes_per_node),
        identity(*scratch(int(jobs.mount[job]))),
        round(float(jobs.submit_s[job]), 3),
        round(float(course.start_s[job]), 3),
        round(float(course.end_s[job]), 3) if ended else None,
        bool(course.killed[job]),
        round(float(course.lost_s[0, job]), 3),
        round(float(course.lost_s[1, job]), 3),
        attribution,
    )


def _said(fault: SiteFault) -> dict[str, Any]:
    """Return a fault in the format of truth.json."""
    server = fault.kind == "slow server"
    where = identity(*scratch(fault.place)) if server else host_name(fault.place)
    return {
        "kind": fault.kind,
        "where": where,
        "size": round(fault.size, 3),
        "start_s": round(fault.start_s, 3),
        "end_s": round(fault.end_s, 3),
    }
