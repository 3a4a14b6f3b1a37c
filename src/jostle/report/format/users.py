"""Texts on the jobs of users, with jobs hidden that the viewer may not see."""

from __future__ import annotations

from jostle.report.format.values import count


def others_alongside(neighbours: int, *, unnamed: bool) -> str:
    """Return text on the jobs concurrent with a job: `2 other jobs and other users' jobs`; or "".

    Args:
        neighbours: Number of other jobs; all that the viewer may not see count as one job.
        unnamed: Whether there are jobs that the viewer may not see; their number is not disclosed.
    """
    named = neighbours - unnamed
    jobs = f"{count(named)} other job{'s' if named != 1 else ''}" if named > 0 else ""
    return " and ".join(filter(None, [jobs, "other users' jobs" if unnamed else ""]))
