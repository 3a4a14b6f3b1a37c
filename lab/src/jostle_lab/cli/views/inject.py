"""The final report of `jostle inject`: the delays that were really made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, show, table
from jostle.report.format.values import count, duration, percent

if TYPE_CHECKING:
    from jostle.cli.for_verbs import CommandOutcome
    from jostle_lab.inject.log import InjectLog

#: Up to so many rows ranks are shown separately; more are summed over ranks.
_MOST_ROWS = 24
_NOTES = 3


class Delays:
    """Delays that are injected into a profiled command.

    Attributes:
        key: Key of the delays in a report as JSON.
        environment: Environment variables that make the injector delay the command's calls.
        wants_another: Whether the command is to run again; always False here.
        has_estimate: Whether to suggest an estimate of the run next.
    """

    key = "inject"
    wants_another = False
    has_estimate = True

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        """Keep the delays' environment and the folder of their logs.

        Args:
            environment: Environment variables from jostle_lab.inject.
            folder: Folder of the logs.
        """
        self.environment = environment
        self._folder = folder

    def evaluate(self, _files: Sequence[Path], _outcome: CommandOutcome) -> bool:
        """Return True: there is always a report, however the run ended."""
        return True

    def to_json(self) -> dict[str, Any]:
        """Return the totals and the folder of the logs."""
        log = self._read()
        return {
            "rules": self.environment["JOSTLE_INJECT"],
            "log": str(self._folder),
            "given": sum(log.totals.column("given").to_pylist()),
            "seconds": sum(log.totals.column("delay_ns").to_pylist()) / 1e9,
            "totals": log.totals.to_pylist(),
            "notes": list(log.notes),
        }

    def _read(self) -> InjectLog:
        from jostle_lab.inject.log import read

        if self._folder.is_dir():
            return read(self._folder)
        return replace(read([]), notes=(self._removed,))

    @property
    def _removed(self) -> str:
        return f"{self._folder} was removed while the command ran"

    def say(self) -> None:
        """Print the delays given, by class and rank, on stderr."""
        if not self._folder.is_dir():
            show(f"  no logs: {self._removed}", err=True)
            return
        log = self._read()
        rows = _rows(log)
        given, spent = sum(row[3] for row in rows), sum(row[4] for row in rows)
        if not rows:
            show("  no delays: no process made a call that was to be delayed", err=True)
        elif not given:
            seen = sum(row[2] for row in rows)
            show(f"  no delays: of {count(seen)} calls none was selected", err=True)
        else:
            show(f"  injected: {_delays(given)}, {duration(spent)} in all", err=True)
            show(fit(_table(rows), "class"), err=True)
        for note in log.notes[:_NOTES]:
            show(f"  note: {note}", err=True)
        if len(log.notes) > _NOTES:
            show(f"  and {len(log.notes) - _NOTES} more notes", err=True)
        if rows:
            show(f"  every delay is in {self._folder}", err=True)


def _delays(given: int) -> str:
    return f"{count(given)} delay{'s' if given != 1 else ''}"


def _rows(log: InjectLog) -> list[tuple[str, int | None, int, int, int]]:
    """Return rows of class, rank, calls, delays and time (ns); sums over ranks if they are many."""
    by_rank = log.totals.group_by(["class", "rank"]).aggregate(
        [("calls", "sum"), ("given", "sum"), ("delay_ns", "sum")]
    )
    rows = [
        (r["class"], r["rank"], r["calls_sum"], r["given_sum"], r["delay_ns_sum"])
        for r in by_rank.to_pylist()
    ]
    if len(rows) > _MOST_ROWS:
        names = {row[0] for row in rows}
        rows = [
            (name, None, *(sum(row[i] for row in rows if row[0] == name) for i in (2, 3, 4)))
            for name in names
        ]
    return sorted(rows, key=lambda row: (row[0], -1 if row[1] is None else row[1]))


def _table(rows: Sequence[tuple[str, int | None, int, int, int]]) -> Any:
    ranked = any(row[1] is not None for row in rows)
    frame = table(
        [
            "  class",
            *([">rank"] if ranked else []),
            ">calls",
            ">delayed",
            ">share",
            ">time",
            ">mean",
        ]
    )
    for name, rank, calls, given, ns in rows:
        frame.add_row(
            f"  {name}",
            *(["" if rank is None else str(rank)] if ranked else []),
            count(calls),
            count(given),
            percent(given / calls) if calls else "",
            duration(ns),
            duration(ns / given) if given else "",
        )
    return frame
