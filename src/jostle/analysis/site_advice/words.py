"""Builds parts of sentences for the advice to sites, and checks names that users may paste."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from jostle.analysis.interval import Interval
from jostle.analysis.site_advice.model import SiteEvidence, added, scaled
from jostle.analysis.site_advice.outcome import Outcome

#: Names that may become part of a text to paste; a program's name is chosen by its user.
_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")


def is_safe(name: str) -> bool:
    """Return whether a name may be part of a configuration or a command to paste."""
    return bool(_SAFE.fullmatch(name))


def rate_text(rate: float) -> str:
    """Return bytes per second with a decimal unit, as in `2.4 GB/s`."""
    for unit, size in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g} B/s"


def core_hours(hours: float) -> str:
    """Return a number of core hours as text, in a unit that fits its size."""
    return f"{hours:.3g} core-hours" if hours >= 0.1 else f"{3600 * hours:.3g} core-seconds"


def listed(names: Iterable[str]) -> str:
    """Return names as a part of a sentence: `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def delay_words(done: Outcome) -> str:
    """Return which jobs would have started later, and by how much, as part of a sentence."""
    if not done.jobs:
        return "nobody: no job of the period would have started later"
    worst = done.delays[0]
    mean = done.delay_s / done.jobs
    return (
        f"{done.jobs} of the jobs would have started later, by {_span(mean)} on average; most of "
        f"all those of {worst.program}, by up to {_span(max(each.most_s for each in done.delays))}"
    )


def share_words(done: Outcome, lost: Iterable[Interval], where: str) -> str:
    """Return how a saving was predicted, as part of a sentence.

    Args:
        done: Saving and delays of the change.
        lost: Core hours that jobs lost on the resource.
        where: Name of the resource.
    """
    whole = added(lost).value
    part = f"{max(done.saved.value, 0.0) / whole:.0%}" if whole > 0 else "a part"
    return (
        f"{part} of what jobs cost each other on {where}; {core_hours(done.apart)} "
        "of the victims would no longer have overlapped"
    )


def energy(evidence: SiteEvidence, saved: Interval, programs: Collection[str]) -> Interval | None:
    """Return the energy of saved core hours, kWh; None where the power of nodes is not known.

    It is computed from the mean power per core of the nodes on which given programs ran.

    Args:
        evidence: Recorded data of the period.
        saved: Core hours that are saved.
        programs: The programs whose jobs lost these core hours.
    """
    known = [
        job
        for job in evidence.jobs.values()
        if job.watts is not None and job.program in programs and job.core_hours > 0
    ]
    if not known:
        return None
    kwh = sum((job.watts or 0.0) * job.run_s / 3.6e6 for job in known)
    return scaled(saved, kwh / sum(job.core_hours for job in known))


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
