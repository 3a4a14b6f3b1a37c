"""Checks that the recorded data of a job (a profile, or an imported log) allows an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jostle.errors import UsageError
from jostle.names.basis import BYTES, NEEDS, TIMES, Basis, basis_of, basis_words, remedy_of
from jostle.report.format.values import count

if TYPE_CHECKING:
    import pyarrow as pa

    from jostle.repository import Repository

_BASES = """
SELECT job, coalesce(min(nullif(basis, '')), '') AS basis, max(clock_error_us) AS clock_error_us
FROM process_kinds WHERE $1 IS NULL OR list_contains($1, job) GROUP BY job ORDER BY job
"""


class NoBasisError(UsageError):
    """The recorded data of a job does not allow the requested answer."""


def job_bases(store: Repository, jobs: Sequence[str] | None = None) -> dict[str, tuple[Basis, int]]:
    """Return, for each job, the source of its times (basis) and the largest clock error, µs.

    Args:
        store: The repository.
        jobs: Names of the jobs; None: all jobs.
    """
    rows = store.query(_BASES, [None if jobs is None else list(jobs)]).to_pylist()
    return {row["job"]: (basis_of(row["basis"]), int(row["clock_error_us"] or 0)) for row in rows}


def require(store: Repository, jobs: Sequence[str], answer: str) -> None:
    """Refuse an answer that the recorded data of a job does not allow.

    Args:
        store: The repository.
        jobs: The jobs of the answer.
        answer: A key of `jostle.names.basis.NEEDS`.

    Raises:
        NoBasisError: The data of one of the jobs lacks a property that the answer needs.
    """
    for job, (basis, _) in job_bases(store, jobs).items():
        require_basis(job, basis, answer)


def require_of(job: str, processes: pa.Table, answer: str) -> None:
    """Refuse an answer that the recorded data of a job's processes does not allow.

    Args:
        job: The job.
        processes: Rows of the job in table processes.
        answer: A key of `jostle.names.basis.NEEDS`.

    Raises:
        NoBasisError: The data of the processes lacks a property that the answer needs.
    """
    if "basis" in processes.column_names:
        for text in set(processes["basis"].to_pylist()):
            require_basis(job, basis_of(text), answer)


def require_basis(job: str, basis: Basis, answer: str) -> None:
    """Refuse an answer that the basis of a job (the source of its times) does not allow.

    Args:
        job: The job.
        basis: Basis of the job.
        answer: A key of `jostle.names.basis.NEEDS`.

    Raises:
        NoBasisError: The basis lacks a property that the answer needs.
    """
    lacking = basis.lacks(answer) - {BYTES}
    if not lacking:
        return
    possible = [name for name in NEEDS if not basis.lacks(name)]
    raise NoBasisError(
        f"{job} was imported from a log of {basis.source.title()}, which does not record "
        f"{' and '.join(sorted(lacking))}: `{answer}` needs this.",
        hint=f"{remedy_of(lacking)}\nAnswers that this log allows: {', '.join(possible)}.",
    )


def rests_on(store: Repository, jobs: Sequence[str], answer: str) -> list[str]:
    """Return sentences on the recorded data behind an answer about jobs; [] if all have profiles.

    Args:
        store: The repository.
        jobs: The jobs of the answer.
        answer: A key of `jostle.names.basis.NEEDS`.
    """
    found: dict[str, list[str]] = {}
    for job, (basis, error_us) in job_bases(store, jobs).items():
        if words := basis_words(basis, error_us):
            found.setdefault(words + _caveat(basis, answer), []).append(job)
    if len(found) == 1 and len(jobs) == 1:
        return list(found)
    return [f"{', '.join(names)}: {words[:1].lower()}{words[1:]}" for words, names in found.items()]


def as_json(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return the sentences of `rests_on` as part of an answer's JSON; {} if there are none."""
    return {"rests_on": list(lines)} if lines else {}


def _caveat(basis: Basis, answer: str) -> str:
    if BYTES not in basis.lacks(answer):
        return ""
    return " When exactly it moved bytes is not known, and bursts cannot be seen."


def all_rest_on(store: Repository) -> list[str]:
    """Return sentences on the recorded data of an answer about all jobs; [] if all have profiles.

    Args:
        store: The repository.
    """
    bases = job_bases(store)
    numbers: Counter[Basis] = Counter(basis for basis, _ in bases.values() if basis.source)
    if not numbers:
        return []
    imported = ", ".join(
        f"{count(number)} {'log' if number == 1 else 'logs'} of {basis.source.title()} "
        f"with {_WITH[basis.resolution]}"
        for basis, number in sorted(numbers.items(), key=lambda item: -item[1])
    )
    profiles = len(bases) - sum(numbers.values())
    lines = [
        f"Based on {count(profiles)} profiled {'job' if profiles == 1 else 'jobs'} and {imported}."
    ]
    if any(TIMES not in basis.has for basis in numbers):
        lines.append(
            "Runs for which the time of calls per slice is not known are compared as a whole: by "
            "their slowness, and by the share of their traffic while another program was active."
        )
    if any(BYTES not in basis.has for basis in numbers):
        lines.append(
            "If only totals of a run are known, its accesses are assumed to lie between the first "
            "and the last one, so slowdowns among such runs are underestimated."
        )
    return lines


_WITH = {"operations": "traced operations", "bins": "bytes per slice", "totals": "totals only"}
