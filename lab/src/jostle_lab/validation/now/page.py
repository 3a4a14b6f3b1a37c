"""Writes the results of the sessions for a terminal, and as a page of the docs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jostle_lab.validation.csv_rows import load_rows, save_rows
from jostle_lab.validation.now.plan import (
    CPU,
    DATA,
    FILE_SYSTEMS,
    KINDS,
    LINK,
    MEMORY,
    METADATA,
    SLICE_NS,
)
from jostle_lab.validation.now.score import (
    AFTER,
    GOAL_S,
    NO_EFFECT,
    SHOWN,
    VISIBLE,
    Row,
    SessionRow,
    Summary,
    by_kind,
    summary,
)

PAGE, DATA_FILE, SESSIONS_FILE = "now.md", "now.csv", "now-sessions.csv"
_COMMAND = "lab/bench/proofs/now.py"
#: Kinds whose culprit is a job with a profile.
_BY_JOBS = (DATA, METADATA, CPU, MEMORY, LINK)

_HEAD = """\
# Who slows whom at this moment

Written by `{command} --page` from [{data}]({data}) and
[{sessions}]({sessions}); nothing here is written by hand.
{facts}

Three to six jobs run in a [lab](../../lab/docs/how-to/build-a-small-cluster-on-one-machine.md) with
agents. At random times they are disturbed. Meanwhile `jostle serve` is asked twice a second, as
`jostle top --server` asks it, which jobs lose time, and to whom. Slices are {slice_s:g} s long, so
at the default length of 4 s the times in seconds are about four times as long.
[How it is made](../../lab/docs/how-to/validate.md#who-slows-whom-at-this-moment),
[how it is found](../explanation/live-answers.md).
"""

_LEGEND = f"""\
**harmful**: disturbances that made a unit of the job's work take at least {VISIBLE:.0f} % longer,
by the job's own log; only these count below. **seen**: of these, those that an answer showed.
**time until seen**: from the begin of the disturbance, by the log of what was injected, until the
answer was there; median, and nine tenths are no later than the value in brackets. **named**:
disturbances in which somebody was named. **right**: those whose first suspect was the culprit. With
a *slow server* or an *own phase* (the job itself does something else) no job is the culprit: right
is to name nobody, and all own phases count. **within {GOAL_S:.0f} s**: the culprit was the first
suspect, and named no later than that. *No profile*: the culprit has no profile.
"""

_ALARMS = f"""\
An answer is a false alarm if it names somebody who slows a job (in a change, or with a loss of at
least {SHOWN:.0f} %) while nothing was injected, or only something that did not slow this job (by
less than {NO_EFFECT:.0f} %). The {AFTER} slices after a disturbance do not count. What is said
about the cores of other nodes than node1 does not count either: in the lab they share cores.
"""


def save(folder: Path, rows: Sequence[Row], sessions: Sequence[SessionRow]) -> None:
    """Write the results as data."""
    save_rows(folder / DATA_FILE, Row, rows)
    save_rows(folder / SESSIONS_FILE, SessionRow, sessions)


def load(folder: Path) -> tuple[list[Row], list[SessionRow]]:
    """Read results that were saved."""
    return load_rows(folder / DATA_FILE, Row), load_rows(folder / SESSIONS_FILE, SessionRow)


def page(rows: Sequence[Row], sessions: Sequence[SessionRow], facts: str) -> str:
    """Return the page.

    Args:
        rows: All disturbances.
        sessions: All sessions.
        facts: Sentence with the date, the seed and the machine of the measurement.
    """
    head = _HEAD.format(
        command=_COMMAND,
        data=DATA_FILE,
        sessions=SESSIONS_FILE,
        facts=facts,
        slice_s=SLICE_NS / 1e9,
    )
    parts = [head, goals(rows, sessions), f"## By kind\n\n{_LEGEND}", kinds(rows)]
    parts += [f"## False alarms\n\n{_ALARMS}", _alarms(sessions)]
    parts.append("## All disturbances\n")
    parts += [f"### {fs}\n\n{_all([row for row in rows if row.fs == fs])}" for fs in _fs(rows)]
    return "\n".join(parts)


def printed(rows: Sequence[Row], sessions: Sequence[SessionRow]) -> str:
    """Return all tables for a terminal."""
    parts = [_all(rows), _alarms(sessions), kinds(rows), goals(rows, sessions)]
    return "\n".join(parts)


def _fs(rows: Sequence[Row]) -> list[str]:
    return [fs for fs in FILE_SYSTEMS if any(row.fs == fs for row in rows)]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else ""


def _number(value: float | None, unit: str = "", digits: int = 1) -> str:
    return "" if value is None else f"{value:.{digits}f}{unit}"


def goals(rows: Sequence[Row], sessions: Sequence[SessionRow]) -> str:
    """Return the headline of the page: measures, goals and results, by file system."""
    where = [*_fs(rows), "both"] if len(_fs(rows)) > 1 else _fs(rows)
    columns = []
    for fs in where:
        mine = [row for row in rows if fs in (row.fs, "both")]
        some = [one for one in sessions if fs in (one.fs, "both")]
        columns.append(_results(mine, some))
    text = [f"| | {' | '.join(where)} |", "|---" * (len(where) + 1) + "|"]
    for same in zip(*columns, strict=True):
        text.append(f"| {same[0][0]} | {' | '.join(found for _, found in same)} |")
    return "\n".join([*text, ""])


def _results(rows: Sequence[Row], sessions: Sequence[SessionRow]) -> list[tuple[str, str]]:
    """Return measures and results over rows."""
    jobs = summary([row for row in rows if row.kind in _BY_JOBS])
    others = summary([row for row in rows if row.has_culprit])
    nobody = summary([row for row in rows if not row.has_culprit])
    hours = sum(one.calm_s for one in sessions) / 3600
    alarms = sum(one.alarms for one in sessions)
    return [
        (
            "disturbances, and those in which a culprit slowed a job",
            f"{len(rows)}, {others.harmful}",
        ),
        ("of these: seen", _share(others.seen, others.harmful)),
        (
            "time until seen: median, and nine tenths",
            f"{_number(others.seen_s, ' s')}, {_number(others.late_s, ' s')}",
        ),
        (
            "the same in slices",
            f"{_number(others.seen_slices, '', 0)}, {_number(others.late_slices, '', 0)}",
        ),
        ("a job with a profile did it: first suspect right", _share(jobs.right, jobs.harmful)),
        (f"the same, named within {GOAL_S:.0f} s of the begin", _share(jobs.in_time, jobs.harmful)),
        ("no job did it: nobody named", _share(nobody.right, nobody.harmful)),
        ("false alarms, in hours of undisturbed jobs", f"{alarms} in {hours:.2f} h"),
        ("false alarms per job-hour", _number(alarms / hours if hours else None, "", 2)),
        (
            "an answer takes, nine tenths of sessions",
            _number(_late([one.answer_s for one in sessions]), " s", 2),
        ),
        ("disturbances of sessions that failed", str(sum(bool(row.error) for row in rows))),
    ]


def _late(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    return known[int(0.9 * (len(known) - 1))] if known else None


def kinds(rows: Sequence[Row]) -> str:
    """Return a table of scores by kind of disturbance."""
    text = [
        f"| kind | injected | harmful | seen | time until seen, s | slices | named | right "
        f"| within {GOAL_S:.0f} s |",
        "|---" * 9 + "|",
    ]
    every = by_kind(rows, list(KINDS))
    for kind, some in every.items():
        one = summary(some)
        in_time = _share(one.in_time, one.harmful) if some[0].has_culprit else ""
        cells = (
            kind,
            str(one.injected),
            str(one.harmful),
            _share(one.seen, one.harmful),
            _times(one),
            f"{_number(one.seen_slices, '', 0)} ({_number(one.late_slices, '', 0)})"
            if one.seen
            else "",
            _share(one.named, one.harmful),
            _share(one.right, one.harmful),
            in_time,
        )
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join([*text, ""])


def _times(one: Summary) -> str:
    return f"{_number(one.seen_s)} ({_number(one.late_s)})" if one.seen else ""


def _alarms(sessions: Sequence[SessionRow]) -> str:
    text = [
        "| session | file system | jobs | length, s | usual times known after, s | answers "
        "| undisturbed, job-hours | false alarms | which |",
        "|---" * 9 + "|",
    ]
    for one in sessions:
        cells = (
            str(one.session),
            one.fs,
            str(one.jobs),
            f"{one.seconds:.0f}",
            _number(one.learned_s, "", 0),
            str(one.answers),
            f"{one.calm_s / 3600:.2f}",
            str(one.alarms),
            f"failed: {one.error}" if one.error else one.alarm,
        )
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join([*text, ""])


def _all(rows: Sequence[Row]) -> str:
    """Return a table with a row for each disturbance; ! marks a wrong answer."""
    head = ["no.", "kind", "job", "cause", "jobs", "length, s", "slowed", "seen after, s"]
    head += ["slices", "what", "named after, s", "first suspect"]
    text = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        cause = row.cause + (", ran before" if row.resident else "")
        what = [f"{row.session}.{row.number}", row.kind, row.target, cause, str(row.jobs)]
        if row.error:
            text.append(f"| {' | '.join([*what, f'failed: {row.error}'])} |" + " |" * 6)
            continue
        wrong = " !" if (row.counts or not row.has_culprit) and not row.right else ""
        cells = [
            *what,
            _number(row.length_s),
            _number(row.slowed, " %", 0),
            _number(row.seen_s),
            _number(row.seen_slices, "", 0),
            row.what,
            _number(row.named_s),
            f"{row.first or 'nobody'}{wrong}",
        ]
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join([*text, ""])
