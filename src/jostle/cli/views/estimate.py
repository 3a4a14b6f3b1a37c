"""Shows the loss of a run to interference, as text and tables."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jostle.analysis.estimation.classes import LOW
from jostle.analysis.estimation.light import at_most
from jostle.cli.output import console, fit, heading, light_of, table, utf8, without
from jostle.names.users import owner_name
from jostle.report.format import values
from jostle.report.format.users import others_alongside
from jostle.report.format.values import (
    alike,
    core_time,
    count,
    duration,
    energy_within,
    local_time,
    percent,
    seconds,
    seconds_within,
)
from jostle.report.format.waits import wait_sentences
from jostle.report.models.job.lost_time import join_spans
from jostle.report.verdict.attribution import (
    UNEXPLAINED,
    AttributedSuspect,
    Attribution,
    suspect_name,
)
from jostle.report.verdict.verdict import NOTHING, CauseRow, attribution_of, cause_rows, head

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Cluster, RunEstimate
    from jostle.analysis.identification.model import JobInterference
    from jostle.analysis.interval import Interval
    from jostle.analysis.waits import JobWaits

#: Most rows of the tables of clusters and suspects; --json has all.
_MOST_CLUSTERS, _MOST_SUSPECTS, _MOST_SPANS = 6, 5, 3
#: Least members of a cluster with its own row.
_LEAST_MEMBERS = 5


def percent_within(interval: Interval) -> str:
    """Return percent with their interval, in characters that the terminal has."""
    return values.percent_within(interval, plus_minus=_plus_minus())


def _plus_minus() -> str:
    return "±" if utf8() else "+-"


def place(resource: str, names: Mapping[str, str]) -> str:
    """Return a resource's name for users: a mount by its path in the job."""
    return names.get(resource, resource)


def verdict(estimate: RunEstimate, interference: JobInterference | None = None) -> Any:
    """Return the verdict: `red  NAME lost 31 % ± 3 of its time: file system, by job ...`."""
    from rich.text import Text

    first = head(estimate)
    reasons = [first.what, *_who_in_brief(interference, attribution_of(estimate, interference))]
    why = ", ".join(reasons) if first.cause else ""
    lost = f"  {estimate.job} lost {percent_within(estimate.percent)} of its time"
    return Text.assemble(
        light_of(first.light, "bold "),
        (lost, "bold"),
        f": {why}" if why else "",
        f"; {first.undecided}" if first.undecided else "",
    )


def _who_in_brief(interference: JobInterference | None, attribution: Attribution) -> list[str]:
    """Name the suspects, their slices, and the share of the loss that no job explains."""
    if interference is None or not attribution.suspects:
        return []
    culprits = f"by {_job(attribution.suspects[0])}"
    if all(suspect.kind == "server" for suspect in attribution.suspects):
        culprits = f"not by a neighbour: {attribution.suspects[0].job} was slow"
    if len(attribution.suspects) > 1:
        culprits += f" and {len(attribution.suspects) - 1} more"
    if not attribution.leaves_some:
        return [culprits, _when(interference, attribution)]
    return [
        f"{seconds(attribution.explained_s.value)} {culprits}",
        _when(interference, attribution),
        f"{seconds(attribution.unexplained_s.value)} {UNEXPLAINED}",
    ]


def _job(suspect: AttributedSuspect) -> str:
    from jostle.analysis.identification.model import OTHERS

    if suspect.job == OTHERS or suspect.kind != "job":
        return suspect_name(suspect.job, suspect.kind)
    owner = "" if suspect.user is None else f" ({owner_name(suspect.user)})"
    return f"job {suspect.job}{owner}"


def _when(interference: JobInterference, attribution: Attribution) -> str:
    """Return the number of slices with losses in which suspects were active, and their times."""
    many = f"in {_slices(attribution)}"
    spans = join_spans(
        [
            (disturbed_slice.start_ns, disturbed_slice.start_ns + disturbed_slice.length_ns)
            for disturbed_slice in interference.disturbed
        ]
    )
    if not spans:
        return many
    shown = [f"{_clock(begin)} to {_clock(end)}" for begin, end in spans[:_MOST_SPANS]]
    left = len(spans) - _MOST_SPANS
    more = f" and {left} more span{'s' if left > 1 else ''}" if left > 0 else ""
    return f"{many} ({', '.join(shown)}{more})"


def _slices(attribution: Attribution) -> str:
    slow, lost = attribution.suspect_slices, attribution.lost_slices
    total = f" of {count(lost)}" if lost > slow else ""
    return (
        f"{count(slow)}{total} slice{'s' if lost != 1 else ''}{' that lost time' if total else ''}"
    )


def _clock(instant_ns: int) -> str:
    return local_time(instant_ns, zone=False).split()[1]


def view(
    estimate: RunEstimate,
    names: Mapping[str, str],
    interference: JobInterference | None = None,
    waits: JobWaits | None = None,
) -> Iterator[Any]:
    """Yield the estimate as lines and tables, the verdict first.

    Args:
        estimate: The report on the run.
        names: Path of each mount, for users.
        interference: Result on the neighbours; None if they were not identified.
        waits: Late ranks that its ranks waited for; None: it has no ranks.
    """
    yield verdict(estimate, interference)
    yield from _figures(estimate)
    shown = cause_rows(estimate, names)
    if shown:
        yield from ("", heading("Where the seconds went"), _causes(shown))
    yield from _alongside_the_loss(estimate)
    yield from wait_sentences(waits, names)
    strip = list(_strip(estimate)) if shown else []
    if strip:
        yield from ("", heading("When", f"  {_strip_note(estimate)}"), *strip)
    yield from _neighbours(interference, attribution_of(estimate, interference), names)
    usable = [cluster for cluster in estimate.clusters if cluster.usable]
    if usable:
        yield from ("", heading("Why", f"  {_clusters_note(estimate)}"), _clusters(usable))
    limits = [*estimate.limits, *(interference.limits if interference else [])]
    if limits:
        yield ""
    yield from (f"note: {limit}" for limit in alike(limits))


def _figures(estimate: RunEstimate) -> Iterator[Any]:
    first = head(estimate)
    yield heading(
        f"{first.advice}.",
        f" {seconds_within(first.lost_s)} of {seconds(first.run_s)} lost; "
        f"{seconds(first.intrinsic_s)} without interference",
    )
    if first.decided_by:
        yield f"what would decide it: {first.decided_by}"
    who = "rank" if estimate.world >= 0 else "process"
    plural = "" if estimate.ranks == 1 else "s" if who == "rank" else "es"
    yield (
        f"{core_time(estimate.core_hours_lost)} lost by {count(estimate.ranks)} "
        f"{who}{plural}"
        + (
            f"; chance that more than {LOW:g} % was lost: {_chance(estimate)}"
            if first.light
            else ""
        )
    )
    if energy := estimate.energy_lost_kwh:
        yield f"{energy_within(energy)} lost by its nodes"
    between = (
        "from start to end of its world" if estimate.world >= 0 else "from first to last slice"
    )
    line = f"covered: {percent(estimate.coverage)} of the time {between}"
    if estimate.inferred_coverage is not None:
        line += f"; clusters hold {percent(estimate.inferred_coverage)} of it after set-up"
    yield f"{line}; method {estimate.method}"


def _chance(estimate: RunEstimate) -> str:
    """Return the probability that the run lost more than a run fit for analysis may."""
    percents = round(100 * (1 - at_most(LOW, estimate.percent)))
    return "> 99 %" if percents > 99 else "< 1 %" if percents < 1 else f"{percents} %"


def _causes(shown: Sequence[CauseRow]) -> Any:
    frame = table(["=", "=", ">lost", ">95 %", ">of the run", "=", "=how"])
    full, empty = ("█", "·") if utf8() else ("#", ".")
    wide = 20 if console().width >= 80 else 10
    for cause in shown:
        share = cause.share
        filled = min(max(round(share * wide), int(share > 0)), wide)
        frame.add_row(
            cause.what,
            cause.place,
            seconds(cause.seconds.value),
            f"{seconds(cause.seconds.low)} to {seconds(cause.seconds.high)}",
            percent(share),
            full * filled + empty * (wide - filled),
            cause.how,
        )
    # Two rows of the same cause and resource differ only in their evidence.
    twins = len({(cause.what, cause.place) for cause in shown}) < len(shown)
    return fit(frame, "95 %", *([] if twins else ["how"]))


def _alongside_the_loss(estimate: RunEstimate) -> Iterator[Any]:
    """Yield the speed of the cores, and effects outside the loss: imbalance, a drift."""
    cores = estimate.core_speed
    if cores is not None:
        known = "this run alone" if not cores.jobs else f"{count(cores.jobs)} other jobs there"
        taken = f"; steal time {percent(cores.steal)}" if cores.steal >= NOTHING else ""
        yield (
            f"cores: the core-speed probe took {cores.core_probe:.2f} times as long as on "
            f"undisturbed cores (reference: {known}): sibling threads or frequency{taken}"
        )
    if estimate.imbalance_s is not None and estimate.imbalance_s >= NOTHING * estimate.run_s > 0:
        share = estimate.imbalance_s / estimate.run_s
        yield (
            f"besides, {seconds(estimate.imbalance_s)} "
            f"({percent(share)}) went to waiting for slower "
            "ranks of its own: imbalance, not interference"
        )
    if estimate.continuous is not None:
        yield heading(
            "warning:",
            " perhaps another "
            f"{percent_within(estimate.continuous.percent)} was lost over the whole run, "
            f"not counted above: {estimate.continuous.reason}",
        )


def _strip_note(estimate: RunEstimate) -> str:
    width = max(shutil.get_terminal_size((80, 24)).columns, 40) - 14
    column = (estimate.end_ns - estimate.start_ns) / width
    return f"one column = {duration(column)}; a full column was lost completely"


def _strip(estimate: RunEstimate) -> Iterator[Any]:
    from rich.text import Text

    from jostle.plot.terminal.lost_time import draw_lost
    from jostle.report.models.job.lost_time import drawn_part

    width = shutil.get_terminal_size((80, 24)).columns
    for line in draw_lost(estimate, width=width, unicode=utf8()):
        yield Text.assemble(*line)
    if part := drawn_part(estimate):
        yield Text(part, "dim")


def _neighbours(
    interference: JobInterference | None, attribution: Attribution, names: Mapping[str, str]
) -> Iterator[Any]:
    if interference is None or not (interference.neighbours or attribution.suspects):
        return
    alongside = others_alongside(interference.neighbours, unnamed=interference.unnamed)
    how = {named.how for named in attribution.suspects}
    found = f"; found {next(iter(how))}" if len(how) == 1 else ""
    yield from ("", heading("By whom", f"  {alongside or 'no profiled job'} alongside it{found}"))
    if not attribution.suspects:
        yield _no_evidence(interference, names)
        return
    frame = table(
        [
            "=job",
            "=on",
            ">cost",
            ">95 %",
            ">of the loss",
            "=found",
            ">active",
            ">correlation",
            "=what it did",
        ]
    )
    for named in attribution.suspects[:_MOST_SUSPECTS]:
        more = len(named.resources) - 1
        where = place(named.resources[0], names) + (f" and {more} more" if more else "")
        frame.add_row(
            _job(named).removeprefix("job "),
            where,
            seconds(named.seconds.value),
            _ends(named.seconds),
            percent(named.share),
            named.how,
            _count_slices(named.slices),
            f"{named.correlation:.2f}" if named.tested else "-",
            named.pattern,
        )
    left = attribution.suspects[_MOST_SUSPECTS:]
    if left:
        cost, share = (
            sum(named.seconds.value for named in left),
            sum(named.share for named in left),
        )
        frame.add_row(
            f"{count(len(left))} more", "", seconds(cost), "", percent(share), "", "", "", ""
        )
    if attribution.leaves_some:
        rest = attribution.unexplained_s
        frame.add_row(
            UNEXPLAINED,
            "",
            seconds(rest.value),
            _ends(rest),
            percent(attribution.unexplained_share),
            "",
            "",
            "",
            "",
        )
    if len(how) == 1:  # the heading shows it
        without(frame, [column for column in frame.columns if column.header == "found"])
    yield fit(frame, "95 %", "correlation", "active", "what it did")
    if attribution.lost_slices > attribution.suspect_slices:
        yield f"suspects were active in {_slices(attribution)}"


def _no_evidence(interference: JobInterference, names: Mapping[str, str]) -> str:
    """Return the sentence for a result without suspects: undecided, not tested, or no evidence."""
    if interference.blind:
        where = place(interference.blind.resource, names)
        return f"undecided whether any of them did it; {where}: {interference.blind.blind}"
    if interference.untested and not interference.ruled_out:
        return (
            "None of them could be tested; `jostle interference` shows why, and what would "
            "decide it."
        )
    return (
        "No evidence against any of them. A loss above "
        f"{seconds(interference.smallest_s)} to one of them would have been detected."
    )


def _ends(interval: Interval) -> str:
    return f"{seconds(interval.low)} to {seconds(interval.high)}"


def _count_slices(number: int) -> str:
    return f"{count(number)} slice{'s' if number != 1 else ''}"


def _clusters_note(estimate: RunEstimate) -> str:
    usable = sum(cluster.usable for cluster in estimate.clusters)
    hit = sum(cluster.hit for cluster in estimate.clusters)
    members = sum(cluster.members for cluster in estimate.clusters)
    return (
        f"{count(hit)} of {count(members)} segments took longer than similar ones; "
        f"{count(usable)} cluster{'s' if usable != 1 else ''} of similar segments"
    )


def _clusters(usable: Sequence[Cluster]) -> Any:
    """Return the clusters that lost most; small ones, evaluated with similar ones, as one row."""
    frame = table(
        [">cluster", "=ended by", ">segments", ">usually", ">interfered beyond", ">hit", ">lost"]
    )
    large = [cluster for cluster in usable if cluster.members >= _LEAST_MEMBERS]
    large.sort(key=lambda cluster: (-cluster.excess_s, -cluster.total_s))
    for cluster in large[:_MOST_CLUSTERS]:
        frame.add_row(
            str(cluster.number),
            cluster.name,
            count(cluster.members),
            seconds(cluster.reference_s),
            seconds(cluster.threshold_s),
            count(cluster.hit),
            seconds(cluster.excess_s),
        )
    small = [cluster for cluster in usable if cluster.members < _LEAST_MEMBERS]
    for name, rest in (("more", large[_MOST_CLUSTERS:]), ("small ones", small)):
        if rest:
            frame.add_row(
                "",
                f"{count(len(rest))} {name}",
                count(sum(cluster.members for cluster in rest)),
                "",
                "",
                count(sum(cluster.hit for cluster in rest)),
                seconds(sum(cluster.excess_s for cluster in rest)),
            )
    return fit(frame, "interfered beyond", "usually")
