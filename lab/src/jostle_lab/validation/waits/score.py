"""Compares the ranks that jostle named as late with the injections, and writes the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from jostle.analysis import JobWaits, Straggler
from jostle_lab.validation.waits.plan import OWN, QUIET, Injection
from jostle_lab.validation.waits.runner import SLICE_NS, Record

#: A begin counts as right if its error is at most this.
WITHIN_S = 1.0
DATA, PAGE = "who-waits.json", "who-waits.md"


@dataclass(frozen=True)
class Row:
    """An injection, or a quiet run, and jostle's verdict.

    Attributes:
        number: Number of the experiment.
        kind: The experiment's kind.
        cause: Injected cause; "" in a quiet run.
        node: Number of the slow node; -1 in a quiet run.
        named: Whether the node was named during the injection.
        why: Cause that jostle named for the node; "" if the node was not named.
        off_s: Seconds between the begin of the injection and the reported begin.
        seconds: Seconds that the other ranks waited according to jostle.
        false: Verdicts on nodes or times at which nothing was injected.
        error: Reason why the experiment has no verdict.
    """

    number: int
    kind: str
    cause: str
    node: int
    named: bool = False
    why: str = ""
    off_s: float = 0.0
    seconds: float = 0.0
    false: tuple[str, ...] = ()
    error: str = ""

    @property
    def right(self) -> bool:
        """Whether node, cause and begin are correct; in a quiet run, whether no node was named."""
        if self.error:
            return False
        if not self.cause:
            return not self.false
        return self.named and self.why == self.cause and abs(self.off_s) <= WITHIN_S


def assess(record: Record, waits: JobWaits) -> list[Row]:
    """Compare an experiment with jostle's verdict.

    Args:
        record: The experiment and its truth.
        waits: jostle's verdict: ranks for which others waited.
    """
    left, rows = list(waits.stragglers), []
    experiment = record.experiment
    for injection, span in zip(experiment.injections, record.spans, strict=True):
        found = _of(injection, span, left)
        if found is not None:
            left.remove(found)
        rows.append(_row(record, injection, span, found))
    said = tuple(f"{each.ranks} {each.cause} {each.seconds:.2f} s" for each in left)
    if not rows:
        return [Row(experiment.number, experiment.kind, "", -1, false=said)]
    return [Row(**{**asdict(row), "false": said if at == 0 else ()}) for at, row in enumerate(rows)]


def _of(injection: Injection, span: tuple[int, int], said: Sequence[Straggler]) -> Straggler | None:
    """Return the verdict that names an injection's node for more than half of the injection.

    If there are several, one with the correct cause is preferred.
    """

    def common(each: Straggler) -> float:
        both = min(each.end_ns, span[1]) - max(each.start_ns, span[0])
        return both / max(span[1] - span[0], 1) if each.ranks == [injection.node] else 0.0

    best = max(
        said, key=lambda each: (common(each) > 0.5, each.cause == injection.cause), default=None
    )
    return best if best is not None and common(best) > 0.5 else None


def _row(
    record: Record, injection: Injection, span: tuple[int, int], found: Straggler | None
) -> Row:
    kind, number = record.experiment.kind, record.experiment.number
    if found is None:
        return Row(number, kind, injection.cause, injection.node)
    off = (found.start_ns - span[0]) / 1e9
    if injection.cause == OWN and found.from_start:
        off = 0.0
    return Row(number, kind, injection.cause, injection.node, True, found.cause, off, found.seconds)


def failed(record: Record, error: str) -> list[Row]:
    """Return the rows of an experiment that has no verdict."""
    experiment = record.experiment
    if not experiment.injections:
        return [Row(experiment.number, experiment.kind, "", -1, error=error)]
    return [
        Row(experiment.number, experiment.kind, each.cause, each.node, error=error)
        for each in experiment.injections
    ]


def printed(rows: Sequence[Row]) -> str:
    """Return, for a terminal, the rows with a wrong verdict, and the numbers of correct ones."""
    lines = []
    for row in rows:
        if row.right and not row.false:
            continue
        said = row.error or (f"{row.why}, {row.off_s:+.2f} s" if row.named else "not named")
        wrong = f"; incorrectly named: {', '.join(row.false)}" if row.false else ""
        what = f"{row.cause or QUIET}{f' on node {row.node}' if row.cause else ''}"
        lines.append(f"{row.number:4} {what}: {said}{wrong}")
    return "\n".join([*lines, *table(rows)])


def table(rows: Sequence[Row]) -> list[str]:
    """Return a Markdown table of the numbers of injections and correct verdicts by cause."""
    lines = [
        "| injected | number | node right | cause right | begin right | all right |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    injected = [row for row in rows if row.cause]
    for cause in [*dict.fromkeys(row.cause for row in injected), "together"]:
        mine = [row for row in injected if cause in (row.cause, "together")]
        known = [row for row in mine if row.named]
        lines.append(
            f"| {cause} | {len(mine)} | {len(known)} "
            f"| {sum(row.why == row.cause for row in known)} "
            f"| {sum(abs(row.off_s) <= WITHIN_S for row in known)} "
            f"| {sum(row.right for row in mine)} |"
        )
    quiet = [row for row in rows if not row.cause]
    alarms = sum(bool(row.false) for row in quiet)
    alongside = sum(bool(row.false) for row in injected)
    return [
        *lines,
        "",
        f"Quiet runs: {len(quiet)}, in {alarms} of them somebody was named. "
        f"Runs with injections in which somebody else was named, too: {alongside}. "
        f"Failed: {sum(bool(row.error) for row in rows)}.",
    ]


def save(folder: Path, rows: Sequence[Row]) -> None:
    """Write the rows as data."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(row) for row in rows], indent=0)
    (folder / DATA).write_text(text + "\n")


def page(rows: Sequence[Row], facts: str) -> str:
    """Return the page of the measurement.

    Args:
        rows: The rows.
        facts: Sentence with the date and the machine of the measurement.
    """
    return "\n".join(
        [
            "# Who waits for whom",
            "",
            "<!-- Made by lab/bench/proofs/who_waits.py --page; do not edit. -->",
            "",
            f"{facts} An injection is right if its rank and its cause are named, with a begin "
            f"within {WITHIN_S:g} s; slices are {SLICE_NS // 10**6} ms long. "
            "[How it is found](../explanation/who-waits.md), "
            "[how it is measured](../../lab/docs/how-to/validate.md#who-waits-for-whom).",
            "",
            *table(rows),
            "",
        ]
    )
