"""Slowdowns that programs cause and suffer in each week, as data for all views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.analysis.identification.model import Matrix
    from jostle.repository import Repository

#: Default number of weeks.
WEEKS = 8
_DAY_NS = 86_400_000_000_000
_WEEK_NS = 7 * _DAY_NS


@dataclass(frozen=True)
class WeekOfProgram:
    """Slowdowns that one program caused and suffered in one week.

    Attributes:
        runs: Number of the program's runs in the week.
        active: Mean slowdown that the program caused, 0.1 is 10 %; None: no other program ran at
            the same time.
        passive: Mean slowdown that the program suffered, 0.1 is 10 %; None: no other program ran at
            the same time.
        hurts: Programs that this one slows, according to the statistical test.
        hurt_by: Programs that slow this one, according to the statistical test.
    """

    runs: int
    active: float | None
    passive: float | None
    hurts: list[str]
    hurt_by: list[str]


@dataclass(frozen=True)
class ProgramTrends:
    """The programs of a site over some weeks.

    Attributes:
        begins_ns: Start of each week, ns since the epoch; the oldest first.
        programs: For each program one entry per week, None where it did not run. Programs that
            slowed others in most weeks come first.
    """

    begins_ns: list[int]
    programs: dict[str, list[WeekOfProgram | None]]

    def to_json(self) -> dict[str, Any]:
        """Return the trends as JSON-compatible values."""
        return asdict(self)


def program_trends(
    store: Repository, matrix_of: Callable[[tuple[int, int]], Matrix], weeks: int = WEEKS
) -> ProgramTrends:
    """Compare the programs of a repository in each of its last weeks.

    Args:
        store: The repository.
        matrix_of: Function that returns the interference matrix of a span (ns) of whole days (UTC).
        weeks: Largest number of weeks; weeks without slices do not count.
    """
    files = store.snapshot(["rollup", "node_rollup"]).files
    known = [file for each in files.values() for file in each]
    if not known:
        return ProgramTrends([], {})
    end = -(-max(file.hi for file in known) // _DAY_NS) * _DAY_NS
    passed = sorted({(end - 1 - file.lo) // _WEEK_NS for file in known})[:weeks]
    begins = [end - (number + 1) * _WEEK_NS for number in reversed(passed)]
    programs: dict[str, list[WeekOfProgram | None]] = {}
    for place, begin in enumerate(begins):
        for each in matrix_of((begin, begin + _WEEK_NS)).programs:
            weeks_of = programs.setdefault(each.program, [None] * len(begins))
            weeks_of[place] = WeekOfProgram(
                each.runs, each.active, each.passive, each.hurts, each.hurt_by
            )
    return ProgramTrends(begins, dict(sorted(programs.items(), key=_most)))


def _most(program: tuple[str, list[WeekOfProgram | None]]) -> tuple[int, float, str]:
    """Return a sort key: programs that slowed others in most weeks, and by most, come first."""
    name, weeks = program
    proven = sum(bool(week and week.hurts) for week in weeks)
    return -proven, -max((week.active or 0.0 for week in weeks if week), default=0.0), name
