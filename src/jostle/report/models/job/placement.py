"""Placement of a job and of a program's runs, as data for the terminal, web pages and plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.errors import UsageError
from jostle.report.models.job.evidence import require
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.analysis.placement import (
        CommunicatorShape,
        Company,
        FabricMap,
        ProgramPlacement,
        Shape,
        Stay,
    )
    from jostle.repository import Repository
    from jostle.topology import Topology

#: Least runs of a program for a comparison of its measures.
LEAST_RUNS = 4
_FOR_EVER = 2**62  # the end of running jobs, ns


@dataclass(frozen=True)
class JobPlacement:
    """The nodes of a job, and the jobs that may use its links.

    Attributes:
        job: Name of the job.
        program: Program of the job.
        start_ns: Start of the job, ns since the epoch.
        end_ns: End of the job, or of its newest slice, ns since the epoch.
        shape: Measures of the job's placement.
        company: The jobs that ran concurrently.
        communicators: Hops within each communicator except MPI_COMM_WORLD, the widest first; empty:
            not recorded.
        notes: Sentences on what is unknown or guessed.
    """

    job: str
    program: str
    start_ns: int
    end_ns: int
    shape: Shape
    company: Company
    communicators: tuple[CommunicatorShape, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Stays:
    """A fabric, with the nodes and the run time of all jobs in it, for plots.

    Attributes:
        fabric_map: The fabric.
        by_job: The nodes and the run time of each job.
        servers: Hosts of machines that are servers.
    """

    fabric_map: FabricMap
    by_job: dict[str, Stay]
    servers: frozenset[str]


def job_placement(
    store: Repository, job: str, *, as_user: int | None = None
) -> tuple[JobPlacement, Stays]:
    """Measure the placement of a job.

    Args:
        store: The repository.
        job: Name of the job.
        as_user: Uid of the viewer, for whom all jobs of other users become one entry without
            names; None: the viewer may see all jobs.

    Raises:
        UsageError: No fabric is known, or none of the job's nodes is in one.
    """
    from jostle.analysis.placement import company, shapes_of

    require(store, [job], "placement")
    asked = store.messages
    fact = asked.facts([job])[job]
    everyone = _stays(store, (fact.start_ns, fact.last_ns))
    own = everyone[job]
    fabric_map, notes = _fabric_map(store, [own])
    others = [stay for name, stay in everyone.items() if name != job]
    hidden = [stay.job for stay in others if as_user is not None and stay.user != as_user]
    shapes = shapes_of(fabric_map, job, asked.ranks([job]), *asked.communicators([job]))
    shape = fabric_map.shape(own.hosts)
    content = JobPlacement(
        job,
        own.program,
        own.start_ns,
        own.end_ns,
        shape,
        company(fabric_map, own, others, hidden),
        tuple(shapes),
        (*notes, *_unknown(shape)),
    )
    shown = {name: stay for name, stay in everyone.items() if name not in hidden}
    return content, Stays(fabric_map, shown, _servers(store))


def program_placement(store: Repository, program: str) -> tuple[ProgramPlacement, Stays]:
    """Analyse the influence of placement on the speed of a program's runs.

    Args:
        store: The repository.
        program: Name of the program, as `jostle jobs` shows it.

    Raises:
        UsageError: No job ran the program, no fabric is known, or too few runs are in one.
    """
    from jostle.analysis.placement import RunMessages
    from jostle.analysis.placement import program_placement as place

    everyone = _stays(store)
    own = [stay for stay in everyone.values() if stay.program == program]
    if not own:
        names = Counter(stay.program for stay in everyone.values() if stay.program)
        most = ", ".join(f"`{name}`" for name, _ in names.most_common(3))
        hint = f"The most frequent are {most}." if most else "`jostle jobs` lists them."
        raise UsageError(f"No job ran `{program}`.", hint=hint)
    fabric_map, notes = _fabric_map(store, own)
    others = [stay for stay in everyone.values() if stay.program != program]
    asked, jobs = store.messages, [stay.job for stay in own]
    sent = RunMessages(asked.ranks(jobs), asked.slices(jobs), *asked.communicators(jobs))
    content = place(fabric_map, program, own, others, sent, notes)
    if len(content.runs) < LEAST_RUNS:
        number = len(content.runs)
        why = f" (left out: {', '.join(content.left_out)})" if content.left_out else ""
        raise UsageError(
            f"`{program}` has {number} run{'' if number == 1 else 's'} that can be compared; "
            f"{LEAST_RUNS} are needed{why}.",
            hint=f"See the placement of one run: jostle placement {own[-1].job}",
        )
    return content, Stays(fabric_map, everyone, _servers(store))


def job_json(content: JobPlacement) -> dict[str, Any]:
    """Return the placement of a job as JSON-compatible values, and the answer as text."""
    from jostle.report.format.placement import job_answer

    meetings = [
        plain(each) | {"conflicting": each.conflicting} for each in content.company.meetings
    ]
    values: dict[str, Any] = plain(content)
    values["company"]["meetings"] = meetings
    return values | {"answer": job_answer(content)}


def program_json(content: ProgramPlacement) -> dict[str, Any]:
    """Return the analysis of a program's runs as JSON-compatible values, and the answer as text."""
    from jostle.report.format.placement import program_answer

    values: dict[str, Any] = plain(content)
    return values | {"answer": program_answer(content)}


def _stays(store: Repository, span: tuple[int, int] | None = None) -> dict[str, Stay]:
    """Return nodes and run time of every job, or of those that ran in a span of time (ns).

    Batch jobs without a profile are included if their nodes are known.
    """
    from jostle.analysis.placement import Stay
    from jostle.names.batch_jobs import batch_job_of

    asked = store.messages
    stays = {
        name: Stay(name, fact.program, fact.user, fact.nodes, fact.start_ns, fact.last_ns)
        for name, fact in asked.facts(None if span is None else asked.living(span)).items()
    }
    profiled = {batch.script for batch in map(batch_job_of, stays) if batch}
    begin, end = span or (0, _FOR_EVER)
    rows = store.query(
        "SELECT job, name, uid, nodes, start_ns, coalesce(nullif(end_ns, 0), $3) AS end_ns "
        "FROM batch_jobs WHERE len(nodes) > 0 AND start_ns BETWEEN 1 AND $2 "
        "AND coalesce(nullif(end_ns, 0), $3) > $1",
        [begin, end, _FOR_EVER],
    ).to_pylist()
    for row in rows:
        name = row["job"]
        if name and name not in stays and name not in profiled:
            stays[name] = Stay(
                name,
                row["name"] or "",
                row["uid"],
                tuple(row["nodes"]),
                row["start_ns"],
                row["end_ns"],
            )
    return stays


def _servers(store: Repository) -> frozenset[str]:
    rows = store.query("SELECT DISTINCT host FROM machines WHERE role = 'server'")
    return frozenset(rows["host"].to_pylist())


def _fabric_map(store: Repository, own: Sequence[Stay]) -> tuple[FabricMap, list[str]]:
    """Return the fabric that has most nodes of some jobs, and notes on it.

    The version of the fabric is that at the end of the last job.
    """
    from jostle.analysis.placement import FabricMap
    from jostle.topology import valid_at

    versions = store.topologies()
    if not versions:
        raise UsageError(
            "The repository has no fabric, so the places of nodes are unknown.",
            hint="jostle topology import FILE",
        )
    last = max(stay.end_ns for stay in own)
    wanted = {host for stay in own for host in stay.hosts}
    candidates: list[tuple[int, Topology]] = []
    for name in dict.fromkeys(each.name for each in versions):
        known = valid_at(versions, name, last)
        if known is not None:
            candidates.append((sum(host in known.adapters_of for host in wanted), known))
    best = max(candidates, key=lambda entry: entry[0], default=None)
    if best is None or not best[0]:
        some = ", ".join(sorted(wanted)[:3])
        raise UsageError(
            f"No fabric of the repository has the nodes of {own[0].job} ({some}).",
            hint="`jostle topology show` lists its nodes; names must be as `hostname` prints them.",
        )
    fabric_map = FabricMap(best[1])
    notes = list(best[1].notes)
    rivals = [each.name for number, each in candidates if number == best[0] and each is not best[1]]
    if rivals:
        notes.append(f"Its nodes are also in the fabric {', '.join(rivals)}, which is not shown.")
    if len(set(best[1].planes.tolist())) > 1:
        notes.append("The fabric has several planes; places are those in the first one.")
    return fabric_map, notes


def _unknown(shape: Shape) -> list[str]:
    if not shape.unknown:
        return []
    some = ", ".join(shape.unknown[:3]) + (" ..." if len(shape.unknown) > 3 else "")
    return [f"{len(shape.unknown)} of its nodes are not in the fabric: {some}."]
