"""Computes the interference matrix and the runs behind it, as far as a viewer may see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jostle.analysis.identification.model import EncounterRuns, Matrix, Visibility
from jostle.report.models.job.evidence import all_rest_on
from jostle.server.access import Viewer

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle.repository.query.resources.programs import Programs

_COMMON = 3  # least number of users of a program whose name is public


@dataclass(frozen=True)
class MatrixResult:
    """A matrix with the runs behind it.

    Attributes:
        matrix: The matrix.
        evidence: For each encounter of the matrix, in the same order, the runs from which it was
            computed.
        users: Uid of each job's user; None: the job belongs to several users.
    """

    matrix: Matrix
    evidence: list[EncounterRuns]
    users: dict[str, int | None]

    def to_json(self) -> dict[str, Any]:
        """Return the output of `jostle matrix --json`, without `figures` (files of plots)."""
        return self.matrix.to_json()

    def behind(self, viewer: Viewer, victim: str, aggressor: str, kind: str) -> dict[str, Any]:
        """Return the encounter of two programs on a kind of resource, and the runs behind it.

        Runs that the viewer may not see have no name.

        Raises:
            KeyError: The programs did not use the resource at the same time.
        """
        key = (victim, aggressor, kind)
        for met, runs in zip(self.to_json()["encounters"], self.evidence, strict=True):
            if (met["victim"], met["aggressor"], met["resource_kind"]) == key:
                return {
                    "encounter": met,
                    "alongside": self._runs(viewer, runs.alongside),
                    "without": self._runs(viewer, runs.without),
                }
        raise KeyError(victim)

    def _runs(self, viewer: Viewer, runs: Iterable[tuple[str, float]]) -> list[dict[str, Any]]:
        return [
            {"job": job if viewer.sees(self.users.get(job)) else None, "value": value}
            for job, value in sorted(runs, key=lambda run: (-run[1], run[0]))
        ]


def make_matrix(repository: Repository, users: frozenset[int] | None) -> MatrixResult:
    """Find which program slowed which, as far as a viewer may see it.

    Args:
        repository: The repository.
        users: Users (uids) whose jobs the viewer may see; None: all users. A program of other users
            is named only if at least _COMMON users run it.
    """
    from jostle.analysis.identification.runs.matrix import matrix_and_evidence

    tables = repository.programs_alongside()
    named = frozenset() if users is None else common(tables)
    matrix, evidence = matrix_and_evidence(tables, Visibility(users, named))
    matrix = replace(matrix, limits=[*matrix.limits, *all_rest_on(repository)])
    return MatrixResult(matrix, evidence, {name: fact.user for name, fact in tables.jobs.items()})


def common(tables: Programs) -> frozenset[str]:
    """Return the programs that at least _COMMON users run, whose names may thus be shown."""
    users: dict[str, set[int]] = {}
    for fact in tables.jobs.values():
        if fact.user is not None:
            users.setdefault(fact.program, set()).add(fact.user)
    return frozenset(name for name, some in users.items() if len(some) >= _COMMON)
