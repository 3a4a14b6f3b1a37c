"""Reads and writes the budget of counted costs, and finds which counts differ from it.

The budget is a TOML file in git. It has a table for each kind of cost, with one number (a *figure*)
for each name. A figure that was raised on purpose has its reason:
`"name" = { is = 130, was = 120, reason = "why" }`.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from counts.figure import Figure

HEAD = """\
# budget.toml: what jostle may cost, in figures that are the same in every run.
#
# `make check` (step budget) counts them again. One that is higher than here, new or gone fails;
# one that is lower is named. `make budget` rewrites this file. To raise a figure:
# `lab/bench/budget.py --write --reason "WHY"`, in the commit that needs it (CONTRIBUTING.md).
"""


@dataclass(frozen=True)
class Limit:
    """A figure in the budget file.

    Attributes:
        value: Limit of the figure.
        was: Limit before the last increase; None if the limit was not increased.
        reason: Reason why the figure was raised.
    """

    value: int
    was: int | None = None
    reason: str = ""


Limits = dict[str, dict[str, Limit]]  # by kind and name


@dataclass(frozen=True)
class Change:
    """A figure that differs from the budget file.

    Attributes:
        kind, name: Kind and name of the figure.
        was, now: Value in the file, and the counted value; None if there is none.
        of: Parts of the counted figure.
    """

    kind: str
    name: str
    was: int | None
    now: int | None
    of: str = ""

    @property
    def is_raise(self) -> bool:
        """Whether the figure has grown."""
        return self.was is not None and self.now is not None and self.now > self.was

    @property
    def is_fall(self) -> bool:
        """Whether the figure has become smaller."""
        return self.was is not None and self.now is not None and self.now < self.was

    def __str__(self) -> str:
        what = f'{self.kind}: "{self.name}"'
        if self.was is None:
            return f"NEW      {what} is {self.now}"
        if self.now is None:
            return f"GONE     {what} was {self.was}"
        word = "RAISED" if self.is_raise else "LOWERED"
        text = f"{word:8s} {what} was {self.was}, is {self.now} ({self.now - self.was:+d})"
        return f"{text}\n         its parts are: {self.of}" if self.is_raise and self.of else text


def read(text: str) -> tuple[dict[str, str], Limits]:
    """Return the tools that a budget was counted with, and its figures."""
    tables = tomllib.loads(text)
    made_with = tables.pop("made-with", {})
    return made_with, {
        kind: {name: _limit(value) for name, value in table.items()}
        for kind, table in tables.items()
    }


def _limit(value: int | Mapping[str, int | str]) -> Limit:
    if isinstance(value, int):
        return Limit(value)
    return Limit(int(value["is"]), int(value["was"]), str(value["reason"]))


def write(made_with: Mapping[str, str], limits: Limits) -> str:
    """Return the text of a budget."""
    lines = [HEAD, "[made-with]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in sorted(made_with.items())]
    for kind, table in sorted(limits.items()):
        lines += ["", f"[{kind}]"]
        for name, limit in sorted(table.items()):
            value = str(limit.value)
            if limit.reason:
                why = json.dumps(limit.reason, ensure_ascii=False)
                value = f"{{ is = {limit.value}, was = {limit.was}, reason = {why} }}"
            lines.append(f"{json.dumps(name)} = {value}")
    return "\n".join(lines) + "\n"


def compare(
    kind: str,
    limits: Mapping[str, Limit],
    found: Mapping[str, Figure],
    chance: Mapping[str, int] = MappingProxyType({}),
) -> list[Change]:
    """Return the changes of figures, increases first.

    Args:
        kind: Kind of the figures.
        limits: Limits in the file.
        found: Counted figures.
        chance: Random variation in thousandths of a figure (at least 1), by the beginning of a
            name, the longest first. All other figures are exact.
    """
    changes = []
    for name in {**limits, **found}:
        limit, figure = limits.get(name), found.get(name)
        was = limit.value if limit else None
        now = figure.value if figure else None
        if was is not None and now is not None:
            parts = next((chance[each] for each in chance if name.startswith(each)), None)
            if abs(now - was) <= (0 if parts is None else max(1, abs(was) * parts // 1000)):
                continue
        changes.append(Change(kind, name, was, now, figure.of if figure else ""))
    return sorted(changes, key=lambda change: (not change.is_raise, change.name))


def applied(table: Mapping[str, Limit], changes: list[Change], reason: str) -> dict[str, Limit]:
    """Return a table with changes; raised figures get the reason, lowered ones lose theirs."""
    new = dict(table)
    for change in changes:
        if change.now is None:
            del new[change.name]
        elif change.is_raise:
            new[change.name] = Limit(change.now, change.was, reason)
        else:
            new[change.name] = Limit(change.now)
    return new


def raised_without_reason(before: Limits, now: Limits) -> list[str]:
    """Return the figures that are higher than before without a reason of their own."""
    wrong = []
    for kind, table in now.items():
        for name, limit in table.items():
            old = before.get(kind, {}).get(name)
            if old and limit.value > old.value and limit.reason in ("", old.reason):
                wrong.append(f'{kind}: "{name}" from {old.value} to {limit.value}')
    return wrong


def before(path: Path) -> Limits | None:
    """Return the budget before its last change, committed or not; None where git has none."""
    committed = _git(path, "log", "-2", "--format=%H", "--", path.name).split()
    if not committed:
        return None
    text = _git(path, "show", f"{committed[0]}:./{path.name}")
    if text == path.read_text():
        if len(committed) < 2:
            return None
        text = _git(path, "show", f"{committed[1]}:./{path.name}")
    return read(text)[1]


def _git(path: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(path.parent), *words], capture_output=True, text=True, check=False
    )
    return done.stdout
