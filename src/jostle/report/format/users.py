"""Users' jobs in words."""

from __future__ import annotations

from jostle.report.format.values import count


def others_alongside(neighbours: int, *, unnamed: bool) -> str:
    """Return who ran concurrently with a job: `2 other jobs and other users' jobs`; "" for none.

    Args:
        neighbours: Other jobs; those that the viewer may not see count as one.
        unnamed: Whether there are such; their number is not disclosed.
    """
    named = neighbours - unnamed
    jobs = f"{count(named)} other job{'s' if named != 1 else ''}" if named > 0 else ""
    return " and ".join(filter(None, [jobs, "other users' jobs" if unnamed else ""]))
