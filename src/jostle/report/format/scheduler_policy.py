"""Writes and reads a policy for schedulers: the table of job_submit.lua, or JSON."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jostle.errors import UsageError

if TYPE_CHECKING:
    from jostle.analysis.site_advice import Policy, SiteAdvice

#: Path of the table: in the folder of job_submit.lua.
FILE = "/etc/slurm/jostle_policy.tsv"
_TOTALS = re.compile(r"#\s*Licenses=((?:\w+:\d+,?)+)\s*")
_ROW = re.compile(r"([^#\t][^\t]*)\t(.*)")


def slurm_policy(advice: SiteAdvice) -> str:
    """Return the table that integrations/slurm/job_submit.lua reads.

    Each line has a program, a tab, and the options that are added to its jobs, separated by blanks.
    Lines that begin with # are no part of the table; they contain the lines for slurm.conf.
    """
    from jostle.analysis.site_advice import policy_of

    policy = policy_of(advice)
    lines = [
        f"# {FILE}: made by jostle advise --site --format slurm",
        f"# by {advice.evaluated} of {advice.jobs} jobs, {_day(advice.from_s)} to "
        f"{_day(advice.to_s)}",
    ]
    if policy.programs:
        lines += ["# slurm.conf needs:", *(f"#   {line}" for line in settings(policy))]
    else:
        why = advice.nothing or "see jostle advise --site"
        lines.append(f"# nothing is to be added to jobs: {why}")
    lines += [f"{program}\t{' '.join(words)}" for program, words in policy.programs.items()]
    return "\n".join(lines) + "\n"


def policy_json(advice: SiteAdvice) -> dict[str, Any]:
    """Return a policy as JSON-compatible values: lines of slurm.conf, and options by program."""
    from jostle.analysis.site_advice import policy_of

    policy = policy_of(advice)
    return {
        "from_s": advice.from_s,
        "to_s": advice.to_s,
        "jobs": advice.jobs,
        "evaluated": advice.evaluated,
        "settings": settings(policy),
        "programs": {program: list(words) for program, words in policy.programs.items()},
    }


def settings(policy: Policy) -> list[str]:
    """Return the lines of a policy for slurm.conf, with one line for all licences."""
    if not policy.programs:
        return []
    licences = ",".join(f"{name}:{number}" for name, number in policy.totals.items())
    return [f"Licenses={licences}"] * bool(licences) + ["JobSubmitPlugins=lua"]


def read_policy(text: str, name: str) -> Policy:
    """Return the policy of a table that `slurm_policy` wrote, also if it was edited.

    Args:
        text: Text of the table.
        name: Name of its file, for messages.

    Raises:
        UsageError: A line cannot be parsed; the message names it.
    """
    from jostle.analysis.site_advice import Policy

    totals: dict[str, int] = {}
    programs: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TOTALS.fullmatch(line):
            pairs = (pair.split(":") for pair in found[1].strip(",").split(","))
            totals |= {licence: int(many) for licence, many in pairs}
        elif line.startswith("#") or not line.strip():
            continue
        elif row := _ROW.fullmatch(line):
            programs[row[1]] = tuple(row[2].split())
        else:
            raise UsageError(
                f"{name}, line {number} cannot be parsed; expected a program, a tab and options.",
                hint="Create the file with `jostle advise --site --format slurm`.",
            )
    return Policy(totals, programs)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
