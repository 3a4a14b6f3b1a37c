"""Advice on a site as a scheduler reads it: the table of job_submit.lua, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.analysis.site_advice import SiteAdvice

#: Where the table belongs, beside job_submit.lua.
FILE = "/etc/slurm/jostle_policy.tsv"


def slurm_policy(advice: SiteAdvice) -> str:
    """Return the table that integrations/slurm/job_submit.lua reads.

    Each line has a program, a tab, and what is added to jobs that run it, separated by blanks.
    Lines that begin with # are no part of the table; they hold what slurm.conf needs.
    """
    lines = [
        f"# {FILE}: made by jostle advise --site --format slurm",
        f"# by {advice.evaluated} of {advice.jobs} jobs, {_day(advice.from_s)} to "
        f"{_day(advice.to_s)}",
    ]
    settings = _settings(advice)
    if settings:
        lines += ["# slurm.conf needs:", *(f"#   {line}" for line in settings)]
    else:
        lines += [
            f"# nothing is to be added to jobs: {advice.nothing or 'see jostle advise --site'}"
        ]
    lines += [f"{program}\t{' '.join(words)}" for program, words in _by_program(advice).items()]
    return "\n".join(lines) + "\n"


def policy_json(advice: SiteAdvice) -> dict[str, Any]:
    """Return the same as plain values: lines of slurm.conf, and what is added by program."""
    return {
        "from_s": advice.from_s,
        "to_s": advice.to_s,
        "jobs": advice.jobs,
        "evaluated": advice.evaluated,
        "settings": _settings(advice),
        "programs": _by_program(advice),
    }


def _settings(advice: SiteAdvice) -> list[str]:
    """Return lines of slurm.conf; it has one line for all licences."""
    licences = [line.removeprefix("Licenses=") for each in advice.found for line in each.settings]
    lines = [f"Licenses={','.join(licences)}"] if licences else []
    return [*lines, "JobSubmitPlugins=lua"] if _by_program(advice) else lines


def _by_program(advice: SiteAdvice) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in advice.found:
        for directive in each.directives:
            found.setdefault(directive.program, []).append(directive.words)
    return {program: list(_unique(words)) for program, words in sorted(found.items())}


def _unique(words: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(words)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
