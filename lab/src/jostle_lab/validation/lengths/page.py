"""Writes the results of the experiments on slice lengths for a terminal and for the docs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jostle_lab.validation.cephfs.plan import QUIET
from jostle_lab.validation.csv_rows import load_rows, save_rows
from jostle_lab.validation.lengths.score import (
    ERROR,
    QUIET_NAMED,
    RIGHT,
    SHORT_RIGHT,
    VISIBLE,
    Row,
    Summary,
    summary,
)

PAGE, DATA = "slice-lengths.md", "slice-lengths.csv"
_COMMAND = "lab/bench/proofs/slice_lengths.py"

_HEAD = """\
# How long a slice may be

Written by `{command} --page` from [{data}]({data}); nothing here is written by hand.
{facts}

A victim with a profile writes to a file server in a
[lab](../../lab/docs/how-to/build-a-small-cluster-on-one-machine.md) for ten minutes, or for two.
Others begin and end at known instants, some of them without a profile. Everything is recorded in
slices of 250 ms. The same records are then added up to longer slices, as these would have recorded
them, and jostle is asked who hurt the victim and for how long at each length.
[How it is made](../../lab/docs/how-to/validate.md#how-long-a-slice-may-be).
"""

_LEGEND = f"""\
**right**: experiments whose first suspect was injected, of those that slowed the victim by at least
{VISIBLE:.0f} % while they were on. **nobody named**: of the same. **also named**: of the same,
those in which somebody is named who was not injected. **quiet, named**: experiments in which
nothing was injected, and somebody is named. **error**: median error of the seconds, as a share of
the true ones, which are known from the log of the victim's operations in the same run.
"""


def save(folder: Path, rows: Sequence[Row]) -> Path:
    """Write the rows as data; return the file."""
    return save_rows(folder / DATA, Row, rows)


def load(folder: Path) -> list[Row]:
    """Read rows that were saved."""
    return load_rows(folder / DATA, Row)


def page(rows: Sequence[Row], facts: str) -> str:
    """Return the page.

    Args:
        rows: Results of all trials at all lengths.
        facts: Sentence with the date, the seed and the machine of the measurement.
    """
    parts = [_HEAD.format(command=_COMMAND, data=DATA, facts=facts), _goals(rows)]
    parts += [f"## By kind\n\n{_LEGEND}", _kinds(rows)]
    parts += ["## All experiments\n", _all(rows)]
    return "\n".join(parts)


def printed(rows: Sequence[Row]) -> str:
    """Return all tables for a terminal."""
    return "\n".join([_all(rows), _kinds(rows), _goals(rows).replace("**", "")])


def _lengths(rows: Sequence[Row]) -> list[int]:
    return sorted({row.slice_ms for row in rows})


def _length(slice_ms: int) -> str:
    return f"{slice_ms} ms" if slice_ms < 1000 else f"{slice_ms / 1000:g} s"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else ""


def _off(one: Summary) -> str:
    return "" if one.off is None else f"{one.off:.0%}"


def _goals(rows: Sequence[Row]) -> str:
    """Return goals and results at each length."""
    lengths = _lengths(rows)
    text = [
        "| | goal | " + " | ".join(map(_length, lengths)) + " |",
        "|---|---" + "|---" * len(lengths) + "|",
    ]
    cells: list[tuple[str, str, list[tuple[str, bool]]]] = []
    at = {length: [row for row in rows if row.slice_ms == length] for length in lengths}
    long = [
        summary([r for r in at[n] if not r.short and r.kind == "bursts of 30 s"]) for n in lengths
    ]
    quiet = [summary([r for r in at[n] if r.quiet]) for n in lengths]
    short = [summary([r for r in at[n] if r.short]) for n in lengths]
    cells.append(
        (
            "ten minutes, bursts of 30 s: right suspect first",
            f"{RIGHT:.0%}",
            [(_share(s.right, s.harmful), s.right >= RIGHT * s.harmful) for s in long],
        )
    )
    cells.append(
        (
            "the same: median error of the seconds",
            f"{ERROR:.0%}",
            [(_off(s), s.off is not None and s.off <= ERROR) for s in long],
        )
    )
    cells.append(
        (
            "quiet: anybody named",
            f"{QUIET_NAMED:.0%}",
            [
                (_share(s.quiet_named, s.quiet), s.quiet_named <= QUIET_NAMED * s.quiet)
                for s in quiet
            ],
        )
    )
    cells.append(
        (
            "two minutes: right suspect first",
            f"{SHORT_RIGHT:.0%}",
            [(_share(s.right, s.harmful), s.right >= SHORT_RIGHT * s.harmful) for s in short],
        )
    )
    cells.append(
        ("two minutes: nobody named", "", [(_share(s.undecided, s.harmful), True) for s in short])
    )
    for what, goal, found in cells:
        shown = [value if reached or not value else f"**{value}**" for value, reached in found]
        text.append(f"| {what} | {goal} | {' | '.join(shown)} |")
    return "\n".join([*text, "", "Bold: the goal is not reached.", ""])


def _kinds(rows: Sequence[Row]) -> str:
    text = [
        "| kind | victim works | slices | right | nobody named | also named | error "
        "| quiet, named | failed |",
        "|---" * 9 + "|",
    ]
    keys = dict.fromkeys((row.seconds, row.kind) for row in sorted(rows, key=_order))
    for seconds, kind in keys:
        for length in _lengths(rows):
            some = [r for r in rows if (r.seconds, r.kind, r.slice_ms) == (seconds, kind, length)]
            one = summary(some)
            cells = (
                kind,
                f"{seconds / 60:g} min",
                _length(length),
                _share(one.right, one.harmful),
                _share(one.undecided, one.harmful),
                _share(one.also_named, one.harmful),
                _off(one),
                _share(one.quiet_named, one.quiet),
                str(one.failed or ""),
            )
            text.append(f"| {' | '.join(cells)} |")
    return "\n".join([*text, ""])


def _order(row: Row) -> tuple[float, bool, str, int, int]:
    return (-row.seconds, row.kind == QUIET, row.kind, row.number, row.slice_ms)


def _all(rows: Sequence[Row]) -> str:
    """Return a table with a row for each trial: the suspects that were named at each length."""
    lengths = _lengths(rows)
    head = ["no.", "kind", "victim", "cause", "decoys", "slowed", "true, s"]
    head += [f"found at {_length(length)}, s" for length in lengths]
    text = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    by_number: dict[int, list[Row]] = {}
    for row in sorted(rows, key=_order):
        by_number.setdefault(row.number, []).append(row)
    for number, some in by_number.items():
        row = some[0]
        cause = f"{row.cause}, {row.rhythm}" if row.cause else ""
        cells = [
            str(number),
            f"{row.kind}, {row.seconds / 60:g} min",
            row.victim,
            cause,
            row.decoys,
        ]
        if row.error:
            text.append(
                f"| {' | '.join([*cells, f'failed: {row.error}'])}{' |' * (len(lengths) + 2)}"
            )
            continue
        slowed = "" if row.slowed is None else f"{row.slowed:.0f} %"
        true = "" if row.true_s is None else f"{row.true_s:.1f}"
        found = {each.slice_ms: _found(each) for each in some}
        cells += [slowed, true, *(found.get(length, "") for length in lengths)]
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join([*text, ""])


def _found(row: Row) -> str:
    """Return jostle's verdict at one length; ! marks a suspect that is missing or wrong."""
    seconds = (
        "" if row.found_s is None else f"{row.found_s:.1f} ({row.low_s:.1f} to {row.high_s:.1f})"
    )
    mark = " !" if row.right is False or row.wrong else ""
    wrong = f"; {row.wrong}" if row.wrong and row.wrong != row.suspect else ""
    return f"{seconds} {row.suspect or 'nobody'}{wrong}{mark}".strip()
