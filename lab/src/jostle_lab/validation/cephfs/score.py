"""Compares what jostle names with what was injected on CephFS. Pure functions."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from jostle.analysis import JobInterference
from jostle_lab.validation.cephfs.plan import GROUPS, QUIET, Experiment
from jostle_lab.validation.cephfs.runner import FAULT, Record, Run
from jostle_lab.validation.lab.score import beside, calm, lost

#: What is to be reached: experiments with resource and suspect right, of all harmful ones; quiet
#: ones in which somebody is accused; median error of the seconds, a share of the true ones.
RIGHT, ACCUSED, ERROR = 19, 0, 0.2
#: Kind of the resource that no experiment injects anything on.
_CORES = "node"
#: A disturbance that costs less of the time in which it is on is none.
VISIBLE = 10.0


class Suspect(Protocol):
    """The part of a suspect that is compared."""

    @property
    def job(self) -> str:
        """Its name."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def resource(self) -> str:
        """Where it is suspected."""


@dataclass(frozen=True)
class Row:
    """An experiment, what was injected, and what jostle named.

    Times in seconds. A truth that cannot be known is None.

    Attributes:
        number: Of the experiment.
        group: Its kind.
        victim: The victim's signal.
        cause: What harmed it; "" in a quiet one.
        rhythm: When.
        decoys: The signals of jobs that did no harm.
        error: Why it failed; then nothing below is known.
        run_s: How long the run took.
        slowed: By how many percent the victim's rate was lower while the cause was on, by its log.
        true_s: What the cause cost it, by its log: against the slices in which nothing was on.
        longer_s: By how much the run was longer than the same work without the cause.
        decoys_s: What decoys cost it while the cause was off, by its log.
        found_s, low_s, high_s: What jostle says that it lost on the file system.
        cores_s: What it says that it lost on the cores of its node.
        resource: Kind of the resource on which the victim lost time, as injected.
        found_resource: Kind of the first resource that jostle names; "" none.
        found_name: Its name.
        found_suspect: The first suspect that jostle names; "" none.
        right_resource, right_suspect: The first is that which was injected; None in a quiet one.
        wrong: Suspects on the file system that were not injected.
        wrong_without: The same in the run without the cause.
    """

    number: int
    group: str
    victim: str
    cause: str = ""
    rhythm: str = ""
    decoys: str = ""
    error: str = ""
    run_s: float | None = None
    slowed: float | None = None
    true_s: float | None = None
    longer_s: float | None = None
    decoys_s: float | None = None
    found_s: float | None = None
    low_s: float | None = None
    high_s: float | None = None
    cores_s: float | None = None
    resource: str = ""
    found_resource: str = ""
    found_name: str = ""
    found_suspect: str = ""
    right_resource: bool | None = None
    right_suspect: bool | None = None
    wrong: str = ""
    wrong_without: str = ""

    @property
    def quiet(self) -> bool:
        """Nothing was injected."""
        return self.group == QUIET

    @property
    def right(self) -> bool:
        """The first resource and the first suspect are those that were injected."""
        return bool(self.right_resource and self.right_suspect)

    @property
    def off(self) -> float | None:
        """Error of the seconds, a share of the true ones; None where these are not known."""
        if self.found_s is None or not self.true_s or self.true_s <= 0:
            return None
        return abs(self.found_s - self.true_s) / self.true_s


def described(experiment: Experiment) -> dict[str, Any]:
    """Return the part of a row that says what was injected."""
    cause = experiment.fault or experiment.bad
    return {
        "number": experiment.number,
        "group": experiment.group,
        "victim": experiment.victim + (" in a common folder" if experiment.meeting else ""),
        "cause": _cause(experiment),
        "rhythm": str(cause.rhythm) if cause else "",
        "decoys": "; ".join(
            load.words + (" elsewhere" if load.folder == "elsewhere" else "")
            for load in experiment.loads
            if not load.harm
        ),
        "resource": experiment.resource,
    }


def _cause(experiment: Experiment) -> str:
    folders = {"meeting": " in the common folder", "victim's": " in the victim's folder"}
    if experiment.bad is None:
        return experiment.cause
    profile = "" if experiment.bad.profiled else " (no profile)"
    return experiment.cause + folders.get(experiment.bad.folder, "") + profile


def failed(record: Record, error: str) -> Row:
    """Return the row of an experiment that failed, or could not be judged."""
    return Row(**described(record.experiment), error=error)


def judge(record: Record, found: JobInterference, without: JobInterference | None) -> Row:
    """Compare an experiment with what jostle says of it.

    Args:
        record: The experiment, which did not fail.
        found: The answer for the run with the cause.
        without: That for the run without it; None: there is none.
    """
    experiment, run = record.experiment, record.run
    assert run is not None
    suspects = _on_file_system(found)
    first = suspects[0] if suspects else None
    evident = [one for one in found.resources if one.evident and one.kind != _CORES]
    name = first.resource if first else evident[0].resource if evident else ""
    kind = next((str(one.kind) for one in found.resources if one.resource == name), "")
    quiet = experiment.quiet
    twin = record.without
    return Row(
        **described(experiment),
        **truths(experiment, run, twin),
        found_s=sum(one.seconds.value for one in evident),
        low_s=sum(one.seconds.low for one in evident),
        high_s=sum(one.seconds.high for one in evident),
        cores_s=sum(one.seconds.value for one in found.resources if one.kind == _CORES),
        found_resource=kind,
        found_name=name,
        found_suspect=_shown(first, run) if first else "",
        right_resource=None if quiet else kind == experiment.resource,
        right_suspect=None if quiet else first is not None and injected(experiment, run, first),
        wrong=_wrong(experiment, run, found),
        wrong_without=_wrong(experiment.without(), twin, without) if twin and without else "",
    )


def injected(experiment: Experiment, run: Run, suspect: Suspect) -> bool:
    """Return whether a suspect is what was injected: the job, the server, or the node's load."""
    bad, fault = experiment.bad, experiment.fault
    if suspect.kind == "server":
        return fault is not None and _names(suspect.job, fault.server)
    if bad is None:
        return False
    if suspect.kind == "unprofiled":
        return not bad.profiled and _names(suspect.job, bad.node)
    return bad.profiled and suspect.job == run.of(bad.name)


def _names(text: str, host: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(host)}(?![\w-])", text) is not None


def _wrong(experiment: Experiment, run: Run, found: JobInterference) -> str:
    accused = [one for one in _on_file_system(found) if not injected(experiment, run, one)]
    return "; ".join(_shown(one, run) for one in accused)


def _on_file_system(found: JobInterference) -> list[Suspect]:
    """Return the suspects that are asked for, the first first.

    RATIONALE: all hosts of a lab share this machine's cores: whoever is on them takes time from the
    victim's node, and by the account of the cores rightly so. On a cluster the servers and other
    nodes have cores of their own.
    """
    cores = {one.resource for one in found.resources if one.kind == _CORES}
    suspects: list[Suspect] = [one for one in found.suspects if one.resource not in cores]
    return suspects


def _shown(suspect: Suspect, run: Run) -> str:
    """Name a suspect for the table: of a job only what it is called in its experiment."""
    return suspect.job.removeprefix(f"{run.job}-")


def truths(experiment: Experiment, run: Run, twin: Run | None) -> dict[str, Any]:
    """Return what is known without jostle: run_s, slowed, true_s, longer_s, decoys_s.

    In slices in which something was on, the time at work less what the work done there takes in
    the slices in which nothing was on: the same run says both, so that what differs between runs
    does not count.
    """
    cause = FAULT if experiment.fault else "bad"
    causes = [] if experiment.quiet else [cause]
    decoys = [load.name for load in experiment.loads if not load.harm]
    work = run.work
    shares = beside(work, [*causes, *decoys])
    usual = calm(work, shares) or calm(work, beside(work, causes))
    found: dict[str, Any] = {"run_s": work.seconds}
    if usual and causes:
        found["true_s"] = lost(work, causes, usual)
        inside = [n for n, share in beside(work, causes).items() if share > 0.95]
        rates = [work.work()[number] for number in inside]
        found["slowed"] = 100 * (1 - statistics.fmean(rates) / usual) if rates else None
    if usual and decoys:
        on = beside(work, decoys)
        off = beside(work, causes)
        mine = [n for n, share in on.items() if share > 0.5 and off[n] < 0.05]
        found["decoys_s"] = sum(1 - work.work()[n] / usual for n in mine) / 4 if mine else None
    if twin:
        found["longer_s"] = work.seconds - twin.work.seconds
    return found


@dataclass(frozen=True)
class Summary:
    """All experiments together.

    Attributes:
        harmful, right: Harmful experiments that were made, and those with the right resource and
            the right suspect first.
        resource, suspect: Those with the right resource first, and with the right suspect.
        accused: Harmful experiments in which somebody else is a suspect as well.
        quiet, quiet_accused: Quiet ones, and those in which anybody is a suspect.
        without, without_accused: The same of the runs of harmful ones without their cause.
        off: Median error of the seconds, a share of the true ones; None: none are known.
        unseen: Harmful experiments whose cause slowed the victim by less than it should.
        failed: Experiments that failed.
    """

    harmful: int
    right: int
    resource: int
    suspect: int
    accused: int
    quiet: int
    quiet_accused: int
    without: int
    without_accused: int
    off: float | None
    unseen: int
    failed: int


def summary(rows: Sequence[Row]) -> Summary:
    """Sum rows up."""
    made = [row for row in rows if not row.error]
    harmful = [row for row in made if not row.quiet]
    quiet = [row for row in made if row.quiet]
    offs = [row.off for row in harmful if row.off is not None]
    return Summary(
        harmful=len(harmful),
        right=sum(row.right for row in harmful),
        resource=sum(bool(row.right_resource) for row in harmful),
        suspect=sum(bool(row.right_suspect) for row in harmful),
        accused=sum(bool(row.wrong) for row in harmful),
        quiet=len(quiet),
        quiet_accused=sum(bool(row.wrong) for row in quiet),
        without=sum(row.longer_s is not None for row in harmful),
        without_accused=sum(bool(row.wrong_without) for row in harmful),
        off=statistics.median(offs) if offs else None,
        unseen=sum(row.slowed is None or row.slowed < VISIBLE for row in harmful),
        failed=len(rows) - len(made),
    )


def by_group(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each kind of experiment, in the order of the plan."""
    found = {group: [row for row in rows if row.group == group] for group in (*GROUPS, QUIET)}
    return {group: some for group, some in found.items() if some}


def plain(row: Row) -> dict[str, str]:
    """Return a row as texts for CSV."""
    return {each.name: _text(getattr(row, each.name)) for each in fields(Row)}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)


def of_plain(plain: dict[str, str]) -> Row:
    """Read what `plain` gave."""
    found: dict[str, Any] = {}
    for each in fields(Row):
        text = plain[each.name]
        kind = str(each.type)
        if kind == "int":
            found[each.name] = int(text)
        elif kind == "str":
            found[each.name] = text
        elif not text:
            found[each.name] = None
        else:
            found[each.name] = text == "yes" if "bool" in kind else float(text)
    return Row(**found)
