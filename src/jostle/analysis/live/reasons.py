"""Finds which jobs' load rose when a job became slower, and with what confidence."""

from __future__ import annotations

from jostle.analysis.live.loads import LoadBook
from jostle.analysis.live.model import Because, LiveSuspect

#: Part of all load on the resource: a smaller rise cannot explain a visible loss.
_DOSE = 0.02
#: Part by which the job's own load must exceed its usual rate to have risen.
_OWN = 0.3
#: Most suspects that are named, the likeliest ones.
_MOST = 5


def reason(
    book: LoadBook | None, job: str, at_ns: int, end_ns: int
) -> tuple[Because, tuple[LiveSuspect, ...]]:
    """Return the reason why a job has been slower on a resource since an instant.

    Args:
        book: The loads of all jobs on the resource; None: no load is known.
        job: Name of the job that became slower.
        at_ns: Time at which it became slower, ns since the epoch.
        end_ns: End of the slice that showed this, ns since the epoch.

    Returns:
        The reason, and the suspects whose load rose, the likeliest first.
    """
    if book is None:
        return "nobody known", ()
    loads = {name: load.rate(at_ns, end_ns) for name, load in book.jobs.items()}
    least = _DOSE * sum(loads.values())
    rises = {
        name: loads[name] - load.before(at_ns)
        for name, load in book.others(job)
        if loads[name] > 0 and loads[name] - load.before(at_ns) > least
    }
    mine = book.jobs.get(job)
    own = loads.get(job, 0.0) - mine.before(at_ns) if mine else 0.0
    risen = sum(rises.values())
    if mine and own > risen and own > _OWN * mine.before(at_ns):
        return "own change of phase", ()
    if not rises:
        return "nobody known", ()
    suspects = [
        LiveSuspect(name, rise / risen, rise / risen * (1 - min(book.jobs[name].chance, 1.0)))
        for name, rise in rises.items()
    ]
    suspects.sort(key=lambda suspect: (-suspect.confidence, suspect.job))
    return "other jobs", tuple(suspects[:_MOST])
