"""Defines a policy: which options a scheduler adds to the jobs of which program, and licences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jostle.analysis.site_advice.model import SiteAdvice

_LICENCES = "licenses="


@dataclass(frozen=True)
class Policy:
    """The options that a scheduler shall add to jobs.

    Attributes:
        totals: How many of each licence exist, by name of the licence.
        programs: For each program, the options that are added to its jobs, as `Directive.words`.
    """

    totals: Mapping[str, int] = field(default_factory=dict)
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def needs(self, program: str) -> dict[str, float]:
        """Return how many of each licence a job of a program needs, by name of the licence."""
        found: dict[str, float] = {}
        for words in self.programs.get(program, ()):
            if words.startswith(_LICENCES):
                name, _, number = words.removeprefix(_LICENCES).partition(":")
                found[name] = max(found.get(name, 0.0), float(number or 1))
        return found

    def is_exclusive(self, program: str) -> bool:
        """Return whether the jobs of a program share no node with other jobs."""
        return "exclusive" in self.programs.get(program, ())


def policy_of(advice: SiteAdvice) -> Policy:
    """Return the policy that combines all advice for a site."""
    totals: dict[str, int] = {}
    programs: dict[str, dict[str, None]] = {}
    for each in advice.found:
        for line in each.settings:
            name, _, number = line.removeprefix("Licenses=").partition(":")
            totals[name] = int(number)
        for directive in each.directives:
            programs.setdefault(directive.program, {})[directive.words] = None
    return Policy(totals, {name: tuple(words) for name, words in sorted(programs.items())})
