"""Compares jostle's suspects with the injected causes on CephFS. Pure functions."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jostle.analysis import JobInterference
from jostle_lab.validation.cephfs.plan import GROUPS, QUIET, SLICE_NS, Experiment
from jostle_lab.validation.cephfs.runner import FAULT, LONGEST_S, Record, Run
from jostle_lab.validation.lab.score import INNOCENT, covered
from jostle_lab.validation.lab.work import Work, merged

#: Goals: experiments with the right resource and suspect, of all harmful ones; quiet ones in which
#: a suspect is named; median error of the seconds, a share of the true ones.
RIGHT, WRONGLY_NAMED, ERROR = 19, 0, 0.2
#: Kinds of resources on which no experiment injects anything: hosts of a lab share this machine's.
_CORES, _SHARED = "node", ("node", "memory")
#: A disturbance that costs a smaller share of the time in which it is on does not count.
VISIBLE = 10.0
#: Fewest slices in which nothing was on that give a usual rate.
_FEWEST = 8


class Suspect(Protocol):
    """The attributes of a suspect that are compared."""

    @property
    def job(self) -> str:
        """The suspect's name."""

    @property
    def kind(self) -> str:
        """The suspect's kind."""

    @property
    def resource(self) -> str:
        """The resource on which the suspect is suspected."""


@dataclass(frozen=True)
class Row:
    """The result of an experiment: the injected cause, and jostle's suspects.

    Times in seconds. A truth that cannot be known is None.

    Attributes:
        number: Number of the experiment.
        group: The experiment's kind.
        victim: The victim's signal.
        cause: Cause of the victim's loss; "" in a quiet experiment.
        rhythm: Times at which the cause was active.
        decoys: The signals of jobs without influence.
        error: Reason why the experiment failed; if it did, the following fields are empty.
        run_s: Run time of the victim, in seconds.
        slowed: Decrease of the victim's rate while the cause was active, percent, by the victim's
            log.
        true_s: Time that the victim lost to the cause, by its log: compared with the slices in
            which nothing was active.
        longer_s: Additional run time, compared with the same work without the cause; None if the
            run was stopped before it had done that work.
        decoys_s: Time that the victim lost to decoys while the cause was inactive, by its log. It
            should be 0.
        decoys_slowed: `decoys_s`, as a percentage of the time with active decoys.
        found_s, low_s, high_s: jostle's estimate of the loss on the file system, and the lower and
            upper end of its interval.
        cores_s: jostle's estimate of the loss on the cores of the victim's node.
        resource: Kind of the resource on which the victim lost time, as injected.
        found_resource: Kind of the first resource that jostle names; "" if there is none.
        found_name: Name of that resource.
        found_suspect: The first suspect that jostle names; "" if there is none.
        right_resource: Whether the first resource is the injected one; None in a quiet experiment.
        right_suspect: Whether the first suspect is the injected one; None in a quiet experiment.
        wrong: Suspects on the file system that were not injected, except for decoys that did slow
            the victim.
        wrong_without: The same suspects, but of the run without the cause.
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
    decoys_slowed: float | None = None
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
        """Whether nothing was injected."""
        return self.group == QUIET

    @property
    def right(self) -> bool:
        """Whether the first resource and the first suspect are those that were injected."""
        return bool(self.right_resource and self.right_suspect)

    @property
    def off(self) -> float | None:
        """Relative error of the estimated seconds; None if the true seconds are not known."""
        if self.found_s is None or not self.true_s or self.true_s <= 0:
            return None
        return abs(self.found_s - self.true_s) / self.true_s


def described(experiment: Experiment) -> dict[str, Any]:
    """Return the fields of a row that describe what was injected."""
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
    """Return the row of an experiment that failed, or could not be assessed."""
    return Row(**described(record.experiment), error=error)


def assess(record: Record, found: JobInterference, without: JobInterference | None) -> Row:
    """Compare an experiment with jostle's verdict.

    Args:
        record: The experiment, which did not fail.
        found: Verdict on the run with the cause.
        without: Verdict on the run without the cause; None if there is none.
    """
    experiment, run = record.experiment, record.run
    assert run is not None
    suspects = on_file_system(found)
    first = suspects[0] if suspects else None
    evident = [one for one in found.resources if one.evident and one.kind not in _SHARED]
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
        found_suspect=shown(first, run) if first else "",
        right_resource=None if quiet else kind == experiment.resource,
        right_suspect=None if quiet else first is not None and injected(experiment, run, first),
        wrong=wrongly_named(experiment, run, found),
        wrong_without=wrongly_named(experiment.without(), twin, without)
        if twin and without
        else "",
    )


def injected(experiment: Experiment, run: Run, suspect: Suspect) -> bool:
    """Return whether a suspect is the injected job, server or load of a node."""
    fault = experiment.fault
    if suspect.kind == "server":
        return fault is not None and _names(suspect.job, fault.server)
    if suspect.kind == "unprofiled":
        nodes = [bad.node for bad in experiment.harmful if not bad.profiled]
        return any(_names(suspect.job, node) for node in nodes)
    return suspect.job in [run.of(bad.name) for bad in experiment.harmful if bad.profiled]


def _names(text: str, host: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(host)}(?![\w-])", text) is not None


def wrongly_named(experiment: Experiment, run: Run, found: JobInterference) -> str:
    """Return the suspects on the file system that did not slow the victim, joined by "; "."""
    slowed = truths(experiment, run, None).get("decoys_slowed") or 0.0
    decoys = [run.of(load.name) for load in experiment.loads if not load.harm]
    excused = decoys if slowed >= VISIBLE else []
    named = [
        one
        for one in on_file_system(found)
        if not injected(experiment, run, one) and one.job not in excused
    ]
    return "; ".join(shown(one, run) for one in named)


def on_file_system(found: JobInterference) -> list[Suspect]:
    """Return the suspects on the file system, the first suspect first.

    RATIONALE: suspects on cores and memory are left out, as all hosts of a lab share those of this
    machine. So any load does take core time from the victim's node, and is correctly named for it.
    On a cluster each node and server has cores of its own.
    """
    cores = {one.resource for one in found.resources if one.kind in _SHARED}
    suspects: list[Suspect] = [one for one in found.suspects if one.resource not in cores]
    return suspects


def shown(suspect: Suspect, run: Run) -> str:
    """Return a suspect's name for the table; a job is shown by its name in the experiment."""
    return suspect.job.removeprefix(f"{run.job}-")


def truths(experiment: Experiment, run: Run, twin: Run | None) -> dict[str, Any]:
    """Return the fields of a row that are known from logs, without jostle.

    The loss in slices with an active cause is the time at work there, minus the time that the same
    work takes in slices in which nothing was active. Both are from the same run, so that
    differences between runs have no effect.
    """
    causes = [FAULT] if experiment.fault else [load.name for load in experiment.harmful]
    decoys = [load.name for load in experiment.loads if not load.harm]
    lay = _Slices(run.work)
    cause, decoy = lay.share(causes), lay.share(decoys)
    found: dict[str, Any] = {"run_s": run.work.seconds}
    usual = lay.usual([max(pair) for pair in zip(cause, decoy, strict=True)]) or lay.usual(cause)
    if usual and causes:
        found["true_s"], found["slowed"] = lay.lost(cause, usual)
    if usual and decoys:
        alone = [0.0 if other >= INNOCENT else on for on, other in zip(decoy, cause, strict=True)]
        found["decoys_s"], found["decoys_slowed"] = lay.lost(alone, usual)
    if twin and run.work.seconds < LONGEST_S:
        found["longer_s"] = run.work.seconds - twin.work.seconds
    return found


class _Slices:
    """The activity of a run in each slice, including slices in which no operation ended."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._first, self._last = work.begin_ns // SLICE_NS, work.end_ns // SLICE_NS
        done = {pair[0]: pair[1] for pair in work.active}
        self._done = [done.get(k, 0) for k in range(self._first, self._last + 1)]
        self._at_work = covered(work.rounds, self._first, self._last)

    def share(self, names: Sequence[str]) -> list[float]:
        """Return the share of each slice in which any of some loads was active."""
        spans = [span for name in names for span in self._work.bursts.get(name, [])]
        return covered(merged(spans), self._first, self._last)

    def usual(self, on: Sequence[float]) -> float | None:
        """Return the usual number of operations in a slice; None if it is not known.

        It is the mean over slices in which, and just before which, no load was active.
        """
        clear = [
            done
            for done, at_work, now, before in zip(
                self._done, self._at_work, on, [1.0, *on[:-1]], strict=True
            )
            if at_work > 0.999 and now < INNOCENT and before < INNOCENT
        ]
        return statistics.fmean(clear) or None if len(clear) >= _FEWEST else None

    def lost(self, on: Sequence[float], usual: float) -> tuple[float, float | None]:
        """Return the seconds lost in slices with an active load, and as percentage of its time."""
        each = zip(self._done, self._at_work, on, strict=True)
        inside = [(at_work - done / usual, now * at_work) for done, at_work, now in each if now > 0]
        lost = sum(one[0] for one in inside) * SLICE_NS / 1e9
        time = sum(one[1] for one in inside) * SLICE_NS / 1e9
        return lost, 100 * lost / time if time else None


@dataclass(frozen=True)
class Summary:
    """Scores over all experiments.

    Attributes:
        harmful: Number of experiments with a cause that slows the victim.
        right: Number of harmful experiments whose first resource and first suspect are correct.
        resource: Number of harmful experiments whose first resource is correct.
        suspect: Number of harmful experiments whose first suspect is correct.
        named: Number of harmful experiments in which a suspect is named that was not injected.
        quiet: Number of experiments in which nothing slows the victim.
        quiet_named: Number of quiet experiments in which a suspect is named.
        without: Number of harmful experiments with a complete run, and one without the cause.
        without_named: Number of runs without the cause in which a suspect is named.
        off: Median relative error of the estimated seconds; None if no true seconds are known.
        decoys: Number of experiments whose decoys slowed the victim by at least VISIBLE percent.
        unseen: Number of harmful experiments whose cause slowed it by less than VISIBLE percent.
        failed: Number of experiments that failed.
    """

    harmful: int
    right: int
    resource: int
    suspect: int
    named: int
    quiet: int
    quiet_named: int
    without: int
    without_named: int
    off: float | None
    decoys: int
    unseen: int
    failed: int


def summary(rows: Sequence[Row]) -> Summary:
    """Return the summary of rows."""
    made = [row for row in rows if not row.error]
    harmful = [row for row in made if not row.quiet]
    quiet = [row for row in made if row.quiet]
    offs = [row.off for row in harmful if row.off is not None]
    return Summary(
        harmful=len(harmful),
        right=sum(row.right for row in harmful),
        resource=sum(bool(row.right_resource) for row in harmful),
        suspect=sum(bool(row.right_suspect) for row in harmful),
        named=sum(bool(row.wrong) for row in harmful),
        quiet=len(quiet),
        quiet_named=sum(bool(row.wrong) for row in quiet),
        without=sum(row.longer_s is not None for row in harmful),
        without_named=sum(bool(row.wrong_without) for row in harmful),
        off=statistics.median(offs) if offs else None,
        decoys=sum((row.decoys_slowed or 0.0) >= VISIBLE for row in made),
        unseen=sum(row.slowed is None or row.slowed < VISIBLE for row in harmful),
        failed=len(rows) - len(made),
    )


def by_group(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each kind of experiment, in the order of the plan."""
    found = {group: [row for row in rows if row.group == group] for group in (*GROUPS, QUIET)}
    return {group: some for group, some in found.items() if some}
