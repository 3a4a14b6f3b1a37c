"""Writes the results of the experiments on CephFS for a terminal, and as a page of the docs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from jostle_lab.validation.cephfs.plan import GROUPS, QUIETS
from jostle_lab.validation.cephfs.score import (
    ERROR,
    RIGHT,
    VISIBLE,
    WRONGLY_NAMED,
    Row,
    Summary,
    by_group,
    summary,
)
from jostle_lab.validation.csv_rows import load_rows, save_rows

PAGE, _DATA = "who-hurts-whom.md", "who-hurts-whom-{seed}.csv"
_COMMAND = "lab/bench/proofs/who_hurts_whom.py"

_HEAD = """\
# Who hurts whom on CephFS

Written by `{command} --page` from {data}; nothing here is written by hand.
{facts}

A victim with a profile works on CephFS in a
[lab](../../lab/docs/how-to/build-a-small-cluster-on-one-machine.md): a metadata server, two object
servers, four nodes, an agent on every host. A cause of interference is injected at known instants:
another job, a job without a profile, or a slow server. Decoys are jobs that do not slow the victim.
Victims, causes, rhythms and decoys are drawn from the seed. Then jostle names the job or server
that slowed the victim, the resource, and the lost time.
[How it is made](../../lab/docs/how-to/validate.md#who-hurts-whom-on-cephfs).
"""

_LEGEND = """\
**slowed**: decrease of the victim's rate while the cause was active. **true**: time that the victim
lost by it, seconds. Both follow from the log of the victim's operations, compared with the time
slices of the same run in which nothing was active. **longer**: additional run time, compared with
the same work without the cause. **decoys cost**: time lost to decoys, by the same log. **found**:
jostle's estimate of the time lost on the file system, with its interval. **on cores**: jostle's
estimate of the time lost on the cores of the victim's node, which is not scored, since all hosts of
a lab share this machine's cores. **resource**, **suspect**: the first ones that jostle names; `!`
marks one that was not injected, or that none is named. **named**: suspects that were not injected;
in brackets those in the run without the cause.
"""


def save(folder: Path, seed: int, rows: Iterable[Row]) -> Path:
    """Write the rows of a measurement as data; return the file."""
    return save_rows(folder / _DATA.format(seed=seed), Row, rows)


def load(folder: Path) -> dict[int, list[Row]]:
    """Read all measurements that were saved, by their seeds."""
    start, end = _DATA.split("{seed}")
    files = {
        int(path.name.removeprefix(start).removesuffix(end)): path
        for path in folder.glob(_DATA.format(seed="*"))
    }
    return {seed: load_rows(files[seed], Row) for seed in sorted(files)}


def page(measured: Mapping[int, Sequence[Row]], seed: int, facts: str) -> str:
    """Return the page.

    Args:
        measured: All experiments of each measurement, by its seed.
        seed: The measurement whose experiments are listed one by one.
        facts: Sentence with the date and the machine of the measurement.
    """
    rows = measured[seed]
    data = ", ".join(f"[seed {one}]({_DATA.format(seed=one)})" for one in measured)
    parts = [_HEAD.format(command=_COMMAND, data=data, facts=facts), goals(measured)]
    parts += [f"## Experiments of seed {seed}\n", _groups(rows), _LEGEND]
    for group, some in by_group(rows).items():
        parts.append(f"### {group[0].upper()}{group[1:]}\n\n{table(some)}")
    return "\n".join(parts)


def goals(measured: Mapping[int, Sequence[Row]]) -> str:
    """Return the headline of the page: a table of goals, and the results of each measurement."""
    results = [_results(summary(rows)) for rows in measured.values()]
    text = [
        f"| | goal | {' | '.join(f'seed {seed}' for seed in measured)} |",
        "|---|---" + "|---" * len(measured) + "|",
    ]
    for same in zip(*results, strict=True):
        found = (each if reached else f"**{each}**" for _, _, each, reached in same)
        text.append(f"| {same[0][0]} | {same[0][1]} | {' | '.join(found)} |")
    return "\n".join([*text, "", "Bold values miss the goal.", ""])


def _results(one: Summary) -> list[tuple[str, str, str, bool]]:
    """Return, for each line of the headline: measure, goal, result, whether it meets the goal."""
    off = "unknown" if one.off is None else f"{one.off:.0%}"
    return [
        (
            "experiments with the correct resource and the correct suspect first",
            f"{RIGHT} of {sum(GROUPS.values())}",
            f"{one.right} of {one.harmful}",
            one.right >= RIGHT,
        ),
        (
            "experiments with the correct resource first",
            "",
            f"{one.resource} of {one.harmful}",
            True,
        ),
        ("experiments with the correct suspect first", "", f"{one.suspect} of {one.harmful}", True),
        (
            "quiet experiments in which a suspect is named",
            f"{WRONGLY_NAMED} of {QUIETS}",
            f"{one.quiet_named} of {one.quiet}",
            one.quiet_named <= WRONGLY_NAMED,
        ),
        (
            "runs of harmful experiments without their cause in which a suspect is named",
            "",
            f"{one.without_named} of {one.without}",
            True,
        ),
        (
            "harmful experiments in which another suspect is named as well",
            "",
            f"{one.named} of {one.harmful}",
            True,
        ),
        (
            "median relative error of the lost seconds",
            f"{ERROR:.0%}",
            off,
            one.off is not None and one.off <= ERROR,
        ),
        (
            f"harmful experiments that slowed the victim by less than {VISIBLE:.0f} %",
            "",
            f"{one.unseen} of {one.harmful}",
            True,
        ),
        (
            "experiments whose decoys did slow the victim, so that naming them is not wrong",
            "",
            str(one.decoys),
            True,
        ),
        ("experiments that failed", "", str(one.failed), True),
    ]


def _groups(rows: Sequence[Row]) -> str:
    text = [
        "| kind | experiments | resource correct | suspect correct | both | slowed, median |",
        "|---|---|---|---|---|---|",
    ]
    for group, some in by_group(rows).items():
        one: Summary = summary(some)
        slowed = sorted(row.slowed for row in some if row.slowed is not None)
        if one.harmful:
            middle = f"{slowed[len(slowed) // 2]:.0f} %" if slowed else ""
            cells = (group, one.harmful, one.resource, one.suspect, one.right, middle)
            text.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*text, ""])


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _cells(row: Row) -> list[str]:
    """Return the cells of an experiment."""
    cause = f"{row.cause}, {row.rhythm}" if row.cause else ""
    what = [str(row.number), row.victim, cause, row.decoys]
    if row.error:
        return [*what, f"failed: {row.error}"] + [""] * 8
    slowed = "" if row.slowed is None else f"{row.slowed:.0f} %"
    found = f"{_seconds(row.found_s)} ({_seconds(row.low_s)} to {_seconds(row.high_s)})"
    resource = (row.found_resource or "none") + ("" if row.right_resource is not False else " !")
    suspect = (row.found_suspect or "none") + ("" if row.right_suspect is not False else " !")
    wrong = row.wrong + (f" ({row.wrong_without})" if row.wrong_without else "")
    true = [slowed, _seconds(row.true_s), _seconds(row.longer_s), _seconds(row.decoys_s)]
    return [*what, *true, found, _seconds(row.cores_s), resource, suspect, wrong]


_COLUMNS = (
    *("no.", "victim", "cause", "decoys"),
    *("slowed", "true", "longer", "decoys cost"),
    *("found", "on cores", "resource", "suspect", "named"),
)


def table(rows: Sequence[Row]) -> str:
    """Return a table of experiments for the page."""
    text = [f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|"]
    text += [f"| {' | '.join(_cells(row))} |" for row in rows]
    return "\n".join([*text, ""])


def printed(rows: Sequence[Row], seed: int) -> str:
    """Return all experiments of a measurement and the headline for a terminal."""
    text = []
    for group, some in by_group(rows).items():
        text.append(f"{group}:")
        for row in some:
            number, victim, cause, decoys, *rest = _cells(row)
            text.append(f"  {number:>2}  {victim} | {cause or 'nothing'} | {decoys or 'no decoys'}")
            if row.error:
                text.append(f"      {rest[0]}")
                continue
            slowed, true, longer, cost, found, cores, resource, suspect, wrong = rest
            text += [
                f"      slowed {slowed or '-'}, true {true or '-'} s, longer {longer or '-'} s, "
                f"decoys cost {cost or '-'} s",
                f"      found {found} s, {resource}, {suspect}; on cores {cores} s"
                + (f"; incorrectly named: {wrong}" if wrong else ""),
            ]
    return "\n".join([*text, "", goals({seed: rows}).replace("**", "")])
