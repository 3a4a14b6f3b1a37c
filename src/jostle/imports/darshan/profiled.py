"""Finds batch jobs that have profiles, so that their Darshan logs are not imported as well."""

from __future__ import annotations

from collections import defaultdict

from jostle.names.batch_jobs import batch_job_of
from jostle.repository import Repository

_PROFILED = """
SELECT job, min(start_ns) AS start_ns, max(end_ns) AS end_ns, max(uid) AS uid FROM process_kinds
WHERE coalesce(basis, '') = '' GROUP BY job
"""
#: The least share of a run that profiles must cover for it to count as profiled.
_COVERED = 0.5


class ProfiledJobs:
    """The batch jobs of a repository that have profiles."""

    def __init__(self, store: Repository) -> None:
        """Read the batch jobs of a repository.

        Args:
            store: The repository.
        """
        self._spans: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        for row in store.query(_PROFILED).to_pylist():
            batch = batch_job_of(row["job"])
            if batch is not None and row["uid"] is not None:
                self._spans[batch.number, row["uid"]].append((row["start_ns"], row["end_ns"]))

    def has(self, number: str, uid: int, start_ns: int, end_ns: int) -> bool:
        """Return whether profiles cover at least half of a run's time.

        Args:
            number: Number of the run's batch job.
            uid: Uid of the batch job's user.
            start_ns: Start of the run, ns since the epoch.
            end_ns: End of the run, ns since the epoch.
        """
        spans = self._spans.get((number, uid), ())
        covered = max((min(hi, end_ns) - max(lo, start_ns) for lo, hi in spans), default=0)
        return covered >= _COVERED * (end_ns - start_ns)
