"""Compares jostle's suspects at several slice lengths with the injected causes. Pure functions."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields

from jostle.analysis import JobInterference
from jostle_lab.validation.cephfs.score import (
    injected,
    on_file_system,
    shown,
    truths,
    wrongly_named,
)
from jostle_lab.validation.lengths.plan import LONG_S
from jostle_lab.validation.lengths.runner import Made

#: Goals at the default length. For jobs of ten minutes with bursts of 30 s: the share with the
#: right suspect first, the share of quiet ones in which a suspect is named, and the median error of
#: the seconds as a share of the true ones. For jobs of two minutes: the share that is right, or
#: reported as too short.
RIGHT, QUIET_NAMED, ERROR, SHORT_RIGHT = 0.95, 0.02, 0.2, 0.85
#: A neighbour that costs a smaller share of the time in which it is on does no harm.
VISIBLE = 10.0


@dataclass(frozen=True)
class Row:
    """The result of a trial at one slice length: the injected cause, and jostle's suspects.

    Times in seconds; what cannot be known is None.

    Attributes:
        number: Number of the trial.
        kind: The trial's kind.
        fs: File system of the trial's lab.
        seconds: Run time of the victim, in seconds.
        slice_ms: Length of slices, milliseconds.
        victim: The victim's signal.
        cause: Cause of the victim's loss; "" in a quiet trial.
        rhythm: Times at which the cause was active.
        decoys: Jobs without influence.
        error: Reason why the trial failed; if it did, the following fields are empty.
        slowed: Decrease of the victim's rate while causes were active, percent, by the victim's
            log.
        true_s: Time that the causes cost the victim, by its log.
        decoys_slowed: Decrease of the victim's rate while decoys were active, percent.
        found_s, low_s, high_s: jostle's estimate of the loss on the file system, with its interval.
        suspect: The first suspect that jostle names; "" if there is none.
        right: Whether that suspect was injected; None in a quiet trial.
        wrong: Suspects that were not injected.
        said: Suggestion by jostle on how to obtain a suspect; "" if there is none.
        decidable: Whether the run alone can identify the cause.
    """

    number: int
    kind: str
    fs: str
    seconds: float
    slice_ms: int
    victim: str = ""
    cause: str = ""
    rhythm: str = ""
    decoys: str = ""
    error: str = ""
    slowed: float | None = None
    true_s: float | None = None
    decoys_slowed: float | None = None
    found_s: float | None = None
    low_s: float | None = None
    high_s: float | None = None
    suspect: str = ""
    right: bool | None = None
    wrong: str = ""
    said: str = ""
    decidable: bool = True

    @property
    def quiet(self) -> bool:
        """Whether nothing was injected."""
        return not self.cause

    @property
    def off(self) -> float | None:
        """Relative error of the estimated seconds; None if the true seconds are not known."""
        if self.found_s is None or not self.true_s or self.true_s <= 0:
            return None
        return abs(self.found_s - self.true_s) / self.true_s

    @property
    def short(self) -> bool:
        """Whether the trial's victim ran for less than ten minutes."""
        return self.seconds < LONG_S


def described(one: Made, slice_ms: int) -> Row:
    """Return the fields of a row that describe what was injected."""
    experiment = one.trial.experiment
    return Row(
        experiment.number,
        experiment.group,
        one.fs,
        one.trial.seconds,
        slice_ms,
        victim=experiment.victim,
        cause=experiment.cause
        + ("" if all(x.profiled for x in experiment.harmful) else " (no profile)"),
        rhythm="; ".join(str(load.rhythm) for load in experiment.harmful),
        decoys="; ".join(load.words for load in experiment.loads if not load.harm),
        error=one.error,
        decidable=one.trial.decidable,
    )


def score(one: Made, slice_ms: int, found: JobInterference) -> Row:
    """Compare a trial, which did not fail, with jostle's verdict at a slice length."""
    experiment, run = one.trial.experiment, one.run
    assert run is not None
    truth = truths(experiment, run, None)
    suspects = on_file_system(found)
    first = suspects[0] if suspects else None
    cores = {each.resource for each in found.resources if each.kind == "node"}
    evident = [each for each in found.resources if each.evident and each.resource not in cores]
    plain = {each.name: getattr(described(one, slice_ms), each.name) for each in fields(Row)}
    return Row(
        **{
            **plain,
            "slowed": truth.get("slowed"),
            "true_s": truth.get("true_s"),
            "decoys_slowed": truth.get("decoys_slowed"),
            "found_s": sum(each.seconds.value for each in evident),
            "low_s": sum(each.seconds.low for each in evident),
            "high_s": sum(each.seconds.high for each in evident),
            "suspect": shown(first, run) if first else "",
            "right": None
            if experiment.quiet
            else first is not None and injected(experiment, run, first),
            "wrong": wrongly_named(experiment, run, found),
            "said": next(iter(found.limits), ""),
        }
    )


@dataclass(frozen=True)
class Summary:
    """Trials of one kind at one slice length.

    Attributes:
        harmful: Number of trials whose cause slowed the victim.
        right: Number of harmful trials whose first suspect is correct.
        undecided: Number of harmful trials in which no suspect is named.
        also_named: Number of harmful trials in which a job is named that was not injected.
        quiet: Number of trials in which nothing was injected.
        quiet_named: Number of quiet trials in which a suspect is named.
        off: Median relative error of the estimated seconds; None if no true seconds are known.
        failed: Number of trials that failed.
    """

    harmful: int
    right: int
    undecided: int
    also_named: int
    quiet: int
    quiet_named: int
    off: float | None
    failed: int


def summary(rows: Sequence[Row]) -> Summary:
    """Return the summary of rows of one slice length.

    If the victim's log shows that the cause slowed the victim by less than VISIBLE percent, the
    trial counts neither as harmful nor as quiet.
    """
    made = [row for row in rows if not row.error]
    harmful = [row for row in made if not row.quiet and (row.slowed or VISIBLE) >= VISIBLE]
    quiet = [row for row in made if row.quiet]
    offs = [row.off for row in harmful if row.off is not None]
    return Summary(
        harmful=len(harmful),
        right=sum(bool(row.right) for row in harmful),
        undecided=sum(not row.suspect for row in harmful),
        also_named=sum(bool(row.wrong) for row in harmful),
        quiet=len(quiet),
        quiet_named=sum(bool(row.wrong) for row in quiet),
        off=statistics.median(offs) if offs else None,
        failed=len(rows) - len(made),
    )
