"""Writes the results of the experiments on advice for a terminal, and as a page with a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jostle_lab.validation.advice.plan import KINDS
from jostle_lab.validation.advice.predictions import ADVISE, PREDICT, REPLAY
from jostle_lab.validation.advice.score import ERROR, HELD, SIGN, Row, Summary, summary
from jostle_lab.validation.csv_rows import load_rows, save_rows

PAGE, DATA, FIGURE = "advice.md", "advice.csv", "advice-savings"
_COMMAND = "lab/bench/proofs/advice.py"
_SOURCES = (ADVISE, REPLAY, PREDICT)

_HEAD = """\
# Does advice save as much as predicted?

Written by `{command} --page` from [{data}]({data}); nothing here is written by hand.
{facts}

In each experiment, jobs slow each other in a
[lab](../../lab/docs/how-to/build-a-small-cluster-on-one-machine.md), on SSHFS or CephFS. jostle
predicts what a change (a lever) would save, the change is made, and the same jobs run again. The
jobs of *another leaf* send messages and use no files. Rhythms, amounts and sizes of writes are
drawn from the seed. The measured saving is the difference of run times by the jobs' own logs.
[How it is made](../../lab/docs/how-to/validate.md#advice).
"""

_LEGEND = """\
**before**, **after**: run time of the first job without and with the change. With the levers
*licence* (all jobs), *rate limit*, *another object server* and *another leaf* these are core
seconds, as in advice for a site. **measured**: the saving, before less after. **predicted**:
jostle's prediction with its interval, by `jostle advise`, `replay` or `predict`; `!` marks an
interval that does not contain the measured saving, a wrong sign, and a change that is not advised.
**error**: relative to the measured saving. A change that is not advised counts as a predicted
saving of 0 with a wrong interval and sign; a usual setting is applied then. The interval of
`predict` is one of 90 %, the others of 95 %.
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
        rows: The rows of all experiments.
        facts: Sentence with the date, the seed and the machine of the measurement.
    """
    return "\n".join(
        [
            _HEAD.format(command=_COMMAND, data=DATA, facts=facts),
            goals(rows),
            f"![Predicted and measured savings of all predictions]({FIGURE}.svg)\n",
            "## By lever\n",
            _levers(rows),
            "## All experiments\n",
            _LEGEND,
            table(rows),
        ]
    )


def printed(rows: Sequence[Row]) -> str:
    """Return all tables for a terminal."""
    return "\n".join([table(rows), _levers(rows), goals(rows).replace("**", "")])


def goals(rows: Sequence[Row]) -> str:
    """Return the headline of the page: goals and results, together and by source."""
    sources = [each for each in _SOURCES if any(row.source == each for row in rows)]
    columns = [summary(rows)]
    columns += [summary([row for row in rows if row.source == each]) for each in sources]
    text = [
        f"| | goal | together | {' | '.join(f'`{each}`' for each in sources)} |",
        "|---|---|---" + "|---" * len(sources) + "|",
    ]
    for same in zip(*map(_results, columns), strict=True):
        cells = (each if reached or not each else f"**{each}**" for _, _, each, reached in same)
        text.append(f"| {same[0][0]} | {same[0][1]} | {' | '.join(cells)} |")
    return "\n".join([*text, "", "Bold values miss the goal.", ""])


def _results(one: Summary) -> list[tuple[str, str, str, bool]]:
    """Return, for each line of the headline: measure, goal, result, whether it meets the goal."""
    number = one.predictions
    return [
        ("changes that are advised", "all", _part(one.advised, number), one.advised == number),
        (
            "measured saving within the predicted interval",
            f"{HELD:.0%}",
            _part(one.held, number),
            one.held >= HELD * number,
        ),
        ("sign of the saving right", "all", _part(one.signs, number), one.signs >= SIGN * number),
        (
            "median relative error of the saving",
            f"{ERROR:.0%}",
            _percent(one.off),
            one.off is not None and one.off <= ERROR,
        ),
        ("relative error that nine of ten predictions do not exceed", "", _percent(one.most), True),
        (
            "nothing helps: no change is advised",
            "all",
            _part(one.quiet, one.nothing),
            one.quiet == one.nothing,
        ),
        ("experiments that failed", "", str(one.failed), True),
    ]


def _levers(rows: Sequence[Row]) -> str:
    text = [
        "| lever | file system | advised | in the interval | sign right | median error | failed |",
        "|---" * 7 + "|",
    ]
    for lever in KINDS:
        for fs in dict.fromkeys(row.fs for row in rows if row.lever == lever):
            some = [row for row in rows if (row.lever, row.fs) == (lever, fs)]
            one = summary(some)
            cells = [
                lever,
                fs,
                _part(one.advised, one.predictions),
                _part(one.held, one.predictions),
                _part(one.signs, one.predictions),
                _percent(one.off),
                str(one.failed or ""),
            ]
            if one.nothing:
                cells[2] = f"no change in {_part(one.quiet, one.nothing)}"
            text.append(f"| {' | '.join(cells)} |")
    return "\n".join([*text, ""])


_COLUMNS = (
    *("no.", "lever", "file system", "first job", "others"),
    *("applied", "before, s", "after, s", "measured, s", "predicted, s", "error"),
)


def table(rows: Sequence[Row]) -> str:
    """Return a table of all experiments and predictions."""
    text = [f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|"]
    text += [f"| {' | '.join(_cells(row))} |" for row in sorted(rows, key=_order)]
    return "\n".join([*text, ""])


def _order(row: Row) -> tuple[int, str, int, int]:
    source = _SOURCES.index(row.source) if row.source else 0
    return (KINDS.index(row.lever), row.fs, row.number, source)


def _cells(row: Row) -> list[str]:
    what = [str(row.number), row.lever, row.fs, row.first, row.other]
    if row.error:
        return [*what, f"failed: {row.error}"] + [""] * 5
    times = [_seconds(each) for each in (row.before_s, row.after_s, row.measured_s)]
    if row.nothing:
        return [*what, "others left out", *times, f"{row.others} !" if row.others else "none", ""]
    predicted = "not advised !"
    if row.advised:
        interval = f"({_seconds(row.low_s)} to {_seconds(row.high_s)})"
        mark = "" if row.right else " !"
        predicted = f"{row.source}: {_seconds(row.predicted_s)} {interval}{mark}"
    return [*what, row.setting, *times, predicted, _percent(row.off)]


def _part(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else ""


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
