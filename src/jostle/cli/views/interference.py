"""Shows which jobs slowed a job, as text and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from jostle.cli.options.as_user import who
from jostle.cli.output import fit, heading, table, without
from jostle.report.format.users import others_alongside
from jostle.report.format.values import alike, count, duration, significant
from jostle.report.verdict.attribution import (
    UNEXPLAINED,
    Attribution,
    found_by,
    suspect_name,
    to_whom,
)
from jostle.report.verdict.verdict import WORTH_A_WORD, attribution_of, head

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.analysis.estimation.model import RunEstimate
    from jostle.analysis.identification.model import (
        CoreAccount,
        JobInterference,
        ResourceLoss,
        Suspect,
    )
    from jostle.analysis.interval import Interval

_RULED_OUT = 8  # neighbours that are listed one by one: those ruled out, and untested ones
_PART = 0.01  # of the waiting for cores: smaller parts are not listed
_NODES = 3  # nodes that are listed one by one; the others add little


def seconds_text(seconds: Interval) -> str:
    """Return a loss with its interval: `1 min 15 s (58.0 s to 1 min 32 s)`."""
    value, low, high = (duration(1e9 * x) for x in (seconds.value, seconds.low, seconds.high))
    return f"{value} ({low} to {high})"


def answer(estimate: RunEstimate, interference: JobInterference) -> Iterator[Any]:
    """Yield the answer, then a line per resource and per suspect."""
    yield from in_short(estimate, interference)
    if interference.resources:
        yield from ("", heading("Where"))
        yield from _where(interference.resources)
    if interference.suspects:
        jobs = all(suspect.kind == "job" for suspect in interference.suspects)
        what = "jobs whose load explains the loss" if jobs else "what explains the loss"
        how = {suspect.how for suspect in interference.suspects}
        what += f", {found_by(how)}" if len(how) == 1 else ""
        yield from ("", heading("Who", f"  {what}"))
        yield _suspects(interference)
        yield from _agreement(interference)
    for account in interference.accounts:
        yield from _core_account(account)


def _agreement(interference: JobInterference) -> Iterator[str]:
    """Yield the statistical test's result for suspects that were found as users of the cores."""
    said: dict[str, list[str]] = {}
    for suspect in interference.suspects:
        if suspect.agreement:
            said.setdefault(suspect.agreement, []).append(suspect.job)
    for agreement, jobs in said.items():
        yield f"  {', '.join(dict.fromkeys(jobs))}: by CPU time used; {agreement}"


def _core_account(account: CoreAccount) -> Iterator[Any]:
    """Yield the users of the cores while the job waited for them, if not all are other jobs."""
    shares = [
        (part, part.seconds.value / account.waited_s)
        for part in account.parts
        if part.seconds.value >= _PART * account.waited_s
    ]
    if all(part.kind in ("job", "unprofiled") for part, _ in shares):
        return
    yield from (
        "",
        heading(
            f"Its threads waited {duration(1e9 * account.waited_s)} for cores of {account.host}"
        ),
    )
    frame = table(["=who had them", ">seconds", ">interval", ">share"])
    for part, share in shares:
        ends = [duration(1e9 * end) for end in (part.seconds.low, part.seconds.high)]
        frame.add_row(
            part.name, duration(1e9 * part.seconds.value), " to ".join(ends), f"{100 * share:.0f} %"
        )
    yield fit(frame, "interval")


def in_short(estimate: RunEstimate, interference: JobInterference) -> Iterator[Any]:
    """Yield the answer in a few lines, without tables."""
    run = f"of its {duration(interference.run_s * 1e9)}"
    split = attribution_of(estimate, interference)
    if interference.evident:
        yield heading(
            f"{interference.job} lost {seconds_text(split.explained_s)} "
            f"{run} {to_whom({suspect.kind for suspect in split.suspects})}."
        )
        yield f"  {_first(split)}"
    elif interference.blind:
        yield heading(
            f"There is too little evidence to decide whether others slowed {interference.job}."
        )
        yield f"  {interference.blind.resource}: {interference.blind.blind}"
    else:
        yield heading(f"No evidence that other profiled jobs slowed {interference.job}.")
        yield from _seen(interference, run)
    yield f"  {working(interference.neighbours, unnamed=interference.unnamed)} meanwhile."
    if split.leaves_some and estimate.percent.value >= WORTH_A_WORD:
        words = head(estimate).what
        what = f" to {words}" if words and estimate.causes[0].cause != "unknown" else ""
        rest = f": {seconds_text(split.unexplained_s)}" if split.suspects else ","
        yield f"  In all it lost {seconds_text(split.lost_s)}{what}{rest} {UNEXPLAINED}."


def working(neighbours: int, *, unnamed: bool) -> str:
    """Return which other jobs were active: `2 other jobs were active on its resources`.

    Only profiled jobs are known: there may have been unprofiled load as well.
    """
    who_else = others_alongside(neighbours, unnamed=unnamed) or "no other profiled job"
    verb = "was" if neighbours <= 1 and not unnamed else "were"
    return f"{who_else[0].upper()}{who_else[1:]} {verb} active on its resources"


def _first(split: Attribution) -> str:
    """Return the name of the first suspect."""
    first = split.suspects[0]
    kind = PurePath(first.program).name
    program = f", {kind}" if kind and kind not in first.job else ""
    whose = f" ({who(first.user)}{program})" if first.user is not None else ""
    share = first.seconds.value / split.explained_s.value if split.explained_s.value > 0 else 0.0
    name = suspect_name(first.job, first.kind)
    slices = f"{count(split.suspect_slices)} slice{'s' if split.suspect_slices != 1 else ''}"
    return f"{100 * share:.0f} % of that to {name}{whose} on {first.resources[0]}, in {slices}."


def _seen(interference: JobInterference, run: str) -> Iterator[str]:
    """Yield the smallest loss that would have been detected, if one could be detected."""
    resource_losses = [
        resource_loss for resource_loss in interference.resources if not resource_loss.blind
    ]
    if not resource_losses:
        return
    smallest = max(resource_loss.smallest_s for resource_loss in resource_losses)
    share = 100 * smallest / interference.run_s if interference.run_s else 0.0
    some = (
        f" on {' and '.join(resource_loss.resource for resource_loss in resource_losses)}"
        if len(resource_losses) < 3
        else ""
    )
    yield (
        f"  A loss above {duration(smallest * 1e9)} ({significant(share)} % {run}){some} "
        "would have been detected."
    )


def _where(losses: list[ResourceLoss]) -> Iterator[Any]:
    """Yield the table of resources, and why those without evidence have none."""
    nodes = [loss for loss in losses if loss.kind in ("node", "memory")][_NODES:]
    resource_losses = [loss for loss in losses if loss not in nodes]
    yield _resources(resource_losses)
    for loss in resource_losses:
        if not loss.evident and loss.why_not:
            yield f"  {loss.resource}: {loss.why_not}"
    if nodes:
        disturbed = sum(loss.evident for loss in nodes)
        yield f"  and {count(len(nodes))} more nodes, {count(disturbed)} of them with evidence"


def _resources(losses: list[ResourceLoss]) -> Table:
    lost = any(loss.evident for loss in losses)
    columns = [
        "=resource",
        "=kind",
        *([">lost", ">interval"] * lost),
        ">slower",
        ">own calls",
        ">slices",
        ">visible",
        "=evident",
    ]
    frame = table(columns)
    for loss in losses:
        ends = [duration(1e9 * end) for end in (loss.seconds.low, loss.seconds.high)]
        cells = [duration(1e9 * loss.seconds.value), " to ".join(ends)]
        frame.add_row(
            loss.resource,
            loss.kind,
            *((cells if loss.evident else ["-", "-"]) * lost),
            "-" if loss.slowdown is None else f"{significant(loss.slowdown)} x",
            duration(1e9 * loss.own_s),
            count(loss.slices),
            "-" if loss.evident else f"> {duration(1e9 * loss.smallest_s)}",
            "yes" if loss.evident else "no",
        )
    return fit(frame, "own calls", "kind", "visible", "slices")


def _suspects(interference: JobInterference) -> Table:
    frame = table(
        [
            "=job",
            "=program",
            "=user",
            "=on",
            ">share there",
            ">lost",
            ">interval",
            "=found",
            ">slices",
            ">correlation",
            ">p",
            ">q",
            ">lag",
            "=access pattern",
        ]
    )
    for suspect, place in _once(interference):
        ends = [duration(1e9 * end) for end in (suspect.seconds.low, suspect.seconds.high)]
        frame.add_row(
            suspect_name(suspect.job, suspect.kind),
            PurePath(suspect.program).name or "-",
            who(suspect.user),
            place,
            f"{100 * suspect.share:.0f} %",
            duration(1e9 * suspect.seconds.value),
            " to ".join(ends),
            found_by([suspect.how]),
            count(suspect.slices),
            *_tested(suspect),
            duration(1e9 * suspect.lag_s) if suspect.lag_s else "none",
            suspect.pattern or "-",
        )
    same_resource = len({suspect.resource for suspect in interference.suspects}) == 1
    on = ["on"] if same_resource else []
    if len({suspect.how for suspect in interference.suspects}) == 1:  # the heading shows it
        without(frame, [column for column in frame.columns if column.header == "found"])
    return fit(frame, *on, "interval", "p", "user", "lag", "program", "q", "access pattern")


def _tested(suspect: Suspect) -> tuple[str, str, str]:
    """Return correlation, p and q of the test; dashes for suspects that were not tested.

    Suspects found as users of the cores need no test.
    """
    if not suspect.tested:
        return "-", "-", "-"
    return f"{suspect.correlation:.2f}", probability(suspect.p), probability(suspect.q)


def _once(interference: JobInterference) -> Iterator[tuple[Suspect, str]]:
    """Yield each suspect with its resource; all nodes that it shares with the job are one entry."""
    kinds = {loss.resource: loss.kind for loss in interference.resources}
    nodes = Counter(
        suspect.job for suspect in interference.suspects if kinds.get(suspect.resource) == "node"
    )
    shown: set[str] = set()
    for suspect in interference.suspects:
        if kinds.get(suspect.resource) != "node":
            yield suspect, suspect.resource
        elif suspect.job not in shown:
            shown.add(suspect.job)
            more = nodes[suspect.job] - 1
            also = f" and {more} more node{'s' if more > 1 else ''}" if more else ""
            yield suspect, suspect.resource + also


def probability(value: float) -> str:
    """Return a p value as text: at most three digits, and never 0."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}".rstrip("0").rstrip(".")


def details(interference: JobInterference) -> Iterator[Any]:
    """Yield neighbours that are ruled out or untested, with reasons, and limits of the answer."""
    if interference.ruled_out:
        yield from ("", heading("Ruled out", "  jobs that ran alongside it"))
        reasons = list(interference.ruled_out.items())
        yield from (f"  {job}: {why}" for job, why in reasons[:_RULED_OUT])
        if len(reasons) > _RULED_OUT:
            yield f"  and {len(reasons) - _RULED_OUT} more"
    if interference.untested:
        yield from ("", heading("Not tested", "  jobs that ran alongside it"))
        reasons = [
            (job, f"because {each.why}; what would decide it: {each.decided_by}")
            for job, each in interference.untested.items()
        ]
        yield from (f"  {job}: {why}" for job, why in reasons[:_RULED_OUT])
        if len(reasons) > _RULED_OUT:
            yield f"  and {len(reasons) - _RULED_OUT} more"
    if interference.limits:
        yield ""
        yield from (f"note: {limit}" for limit in alike(interference.limits))
