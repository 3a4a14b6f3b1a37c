"""Compares a run whose times are known only as totals with similar runs, and lists concurrent jobs.

That a job ran concurrently with one run is no evidence that it slowed the run: by chance, some job
always runs concurrently. The evidence comes from a comparison of all runs of the run's program:
those with the other job's program, and those without it (`whole_runs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from jostle.analysis.identification.model import OTHERS, Encounter, ResourceKind, Visibility
from jostle.analysis.identification.resources.shared import Floats
from jostle.analysis.identification.runs.flows import Flows
from jostle.analysis.identification.runs.matrix import combined, matrix_parts
from jostle.analysis.identification.runs.matrix_rows import (
    Ints,
    ResourceRows,
    Roles,
    roles_of,
    rows_of,
    tables_of,
)
from jostle.analysis.identification.runs.with_without import FEWEST
from jostle.analysis.identification.statistics.resource_tests import LEVEL
from jostle.analysis.interval import Slowdown
from jostle.repository.query.resources.programs import Programs, shares
from jostle.values.plain_values import plain

#: evidence: q is at most 0.05; weak: only p is; none: neither is; too few runs: not tested.
Strength = Literal["evidence", "weak", "none", "too few runs"]
_LEAST_SHARE = 0.01  # of a run's traffic: with less of it concurrent, it did not meet the other job


@dataclass(frozen=True)
class SlownessOnResource:
    """The slowdown of a run on one resource, compared with similar runs.

    Similar runs are runs of the same program on about as many ranks.

    Attributes:
        resource: The resource.
        resource_kind: Kind of the resource.
        bytes_and_calls: Load of the run on it: bytes, plus a fixed number of bytes for each call.
        factor: Service time of the run, divided by the median of similar runs. If it is above 1,
            the run was slower. It is 1 if there are no similar runs.
        like_runs: Number of similar runs.
        slower_than: Number of similar runs that were faster.
    """

    resource: str
    resource_kind: ResourceKind
    bytes_and_calls: float
    factor: float
    like_runs: int
    slower_than: int


@dataclass(frozen=True)
class MetJob:
    """A job that used a resource at the same time as the run.

    Attributes:
        job: Name of the job, or "other users' jobs" for all jobs that the viewer may not see.
        program: Program of the job, or "other users' jobs".
        user: Uid of its owner; None where it is not shown.
        resource: The resource that both used.
        resource_kind: Kind of that resource.
        overlap_s: Time in which the run and the job were both active on it.
        share: Part of the run's traffic on the resource that it moved in this time, 0 to 1.
        load_share: Part of the load of both in this time that was the job's, 0 to 1.
        strength: Strength of the evidence that the job's program slows the run's program.
        with_runs: Number of runs of the run's program that were concurrent with the job's program.
        without_runs: Number of runs of the run's program without the job's program.
        slowdown: By how much the runs with the job's program are slower than the runs without it;
            None: too few runs.
        p: p value of the test; None: too few runs.
        q: p after control of the false-discovery rate over all programs that are compared with the
            run's program; None: too few runs.
    """

    job: str
    program: str
    user: int | None
    resource: str
    resource_kind: ResourceKind
    overlap_s: float
    share: float
    load_share: float
    strength: Strength
    with_runs: int
    without_runs: int
    slowdown: Slowdown | None
    p: float | None
    q: float | None


@dataclass(frozen=True)
class RunAmongItsLike:
    """The result of `run_among_its_like`: slowdowns of a run on resources, and concurrent jobs.

    Attributes:
        job: Name of the run's job.
        program: Program of the run.
        resources: Slowdown of the run on each resource; the resource with most load of the run
            comes first.
        met: Concurrent jobs; those with the strongest evidence come first.
        limits: Limits of the result, one sentence each.
    """

    job: str
    program: str
    resources: list[SlownessOnResource]
    met: list[MetJob]
    limits: list[str]

    @property
    def evident(self) -> list[MetJob]:
        """The concurrent jobs whose program slows the run's program according to the test."""
        return [each for each in self.met if each.strength == "evidence"]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def run_among_its_like(
    tables: Programs, job: str, visibility: Visibility | None = None
) -> RunAmongItsLike:
    """Compare a run with similar runs, and list the jobs that ran at the same time.

    Args:
        tables: Loads and calls of all jobs, from Repository.programs_alongside.
        job: Name of the run, whose times are known only as totals.
        visibility: The jobs and programs that the viewer may see; None: all.
    """
    sight = visibility or Visibility()
    roles = roles_of(tables.jobs, sight)
    number = roles.jobs.index(job)
    program = int(roles.program[number])
    roles = replace(roles, own=roles.own & (roles.program == program))
    files = [rows for _, rows in shares(tables.mounts)] if tables.mounts.num_rows else []
    parts = [part for rows in files for part in matrix_parts("file system", rows, roles)]
    matrix = combined(parts, roles)[0] if parts else None
    pairs = {
        (each.aggressor, each.resource_kind): each for each in (matrix.encounters if matrix else [])
    }
    resources: list[SlownessOnResource] = []
    met: list[MetJob] = []
    for share in files:
        for kind, table in tables_of("file system", share).items():
            rows = rows_of(kind, table, roles)
            if not (rows.job == number).any():
                continue
            names = table.column("resource").combine_chunks().dictionary_encode()
            labels = [str(name) for name in names.dictionary.to_pylist()]
            resources += _slowness(rows, number, labels, roles)
            met += _met(rows, number, labels, roles, tables, sight, pairs)
    order = {"evidence": 0, "weak": 1, "none": 2, "too few runs": 3}
    return RunAmongItsLike(
        job,
        roles.names[program],
        sorted(resources, key=lambda each: (-each.bytes_and_calls, each.resource)),
        sorted(met, key=lambda each: (order[each.strength], -each.share, each.job)),
        _limits(met),
    )


def _slowness(
    rows: ResourceRows, number: int, labels: list[str], roles: Roles
) -> Iterator[SlownessOnResource]:
    """Yield how slow a run was on each resource, compared with similar runs."""
    for resource in np.unique(rows.resource[rows.job == number]).tolist():
        here = (rows.resource == resource) & (rows.expected > 0) & roles.own[rows.job]
        size = len(roles.jobs)
        expected, spent = (
            np.bincount(rows.job[here], values[here], minlength=size)
            for values in (rows.expected, rows.spent)
        )
        if not expected[number]:
            continue
        like = np.unique(rows.job[here & (rows.like == rows.like[rows.job == number][0])])
        others = like[like != number]
        ratios = spent[others] / expected[others]
        own = float(spent[number] / expected[number])
        mine = (rows.job == number) & (rows.resource == resource)
        yield SlownessOnResource(
            labels[resource],
            rows.kind,
            float(rows.load[mine].sum()),
            own / float(np.median(ratios)) if len(ratios) else 1.0,
            len(others),
            int((ratios < own).sum()),
        )


def _met(
    rows: ResourceRows,
    number: int,
    labels: list[str],
    roles: Roles,
    tables: Programs,
    sight: Visibility,
    pairs: dict[tuple[str, ResourceKind], Encounter],
) -> Iterator[MetJob]:
    """Yield the jobs that were active on a resource of a run while the run was active on it."""
    facts = list(tables.jobs.values())
    # Jobs that the viewer may not see count as one.
    shown = np.array([k if sight.own(fact.user) else -1 for k, fact in enumerate(facts)])
    who = shown[rows.job]
    for resource in np.unique(rows.resource[rows.job == number]).tolist():
        mine = np.flatnonzero((rows.job == number) & (rows.resource == resource) & (rows.load > 0))
        if not len(mine):
            continue
        first, last = int(rows.start[mine].min()), int(rows.end[mine].max())
        here = (rows.resource == resource) & (rows.load > 0) & (rows.job != number)
        near = here & (rows.start < last) & (rows.end > first)
        for other in np.unique(who[near]).tolist():
            some = np.flatnonzero(near & (who == other))
            overlap, theirs = _during(rows, some, mine)
            part = overlap / (rows.end[mine] - rows.start[mine])
            own = rows.load[mine] * part
            share = float(own.sum() / rows.load[mine].sum())
            if share < _LEAST_SHARE:
                continue
            fact = facts[other] if other >= 0 else None
            program = roles.names[int(roles.program[other])] if fact else OTHERS
            yield _with_evidence(
                pairs.get((program, rows.kind)),
                job=fact.job if fact else OTHERS,
                program=program,
                user=fact.user if fact else None,
                resource=labels[resource],
                resource_kind=rows.kind,
                overlap_s=float(overlap.sum()) / 1e6,
                share=share,
                load_share=float(theirs.sum() / max(theirs.sum() + own.sum(), 1e-9)),
            )


def _during(rows: ResourceRows, some: Ints, mine: Ints) -> tuple[Floats, Floats]:
    """Return for each slice of a run how long other jobs were active, µs, and what they moved.

    Args:
        rows: All rows.
        some: Numbers of the rows of the other jobs.
        mine: Numbers of the rows of the run.
    """
    channel = np.zeros(len(some), dtype=np.int64)
    start, end = rows.start[some], rows.end[some]
    asked = np.zeros(len(mine), dtype=np.int64), rows.start[mine], rows.end[mine]
    active = Flows(channel, start, end, (end - start).astype(np.float64)).between(*asked)
    moved = Flows(channel, start, end, rows.load[some]).between(*asked)
    # Several jobs that are shown as one may have been active at the same time.
    return np.minimum(active, rows.end[mine] - rows.start[mine]), moved


def _with_evidence(pair: Encounter | None, **found: Any) -> MetJob:
    """Return a concurrent job with the evidence on its program and the run's program.

    Args:
        pair: Comparison of the run's program with and without the job's program; None: none.
        **found: The other attributes of the job.
    """
    if pair is None:
        return MetJob(
            **found,
            strength="too few runs",
            with_runs=0,
            without_runs=0,
            slowdown=None,
            p=None,
            q=None,
        )
    strength: Strength = "too few runs"
    if pair.p is not None and pair.q is not None:
        slower = pair.slowdown is not None and pair.slowdown.value > 0
        strength = "none"
        if slower and pair.p <= LEVEL:
            strength = "evidence" if pair.q <= LEVEL else "weak"
    return MetJob(
        **found,
        strength=strength,
        with_runs=pair.with_runs,
        without_runs=pair.without_runs,
        slowdown=pair.slowdown,
        p=pair.p,
        q=pair.q,
    )


def _limits(met: list[MetJob]) -> list[str]:
    limits = [
        "Which calls of the run were slow is not known, so that seconds cannot be attributed: the "
        "evidence is how slow runs of its program are with the other program and without it."
    ]
    if any(each.strength == "too few runs" for each in met):
        limits.append(
            f"A test needs {FEWEST} runs of its program with the other one and {FEWEST} without it."
        )
    return limits
