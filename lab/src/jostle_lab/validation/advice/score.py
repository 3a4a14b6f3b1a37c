"""Compares predicted savings of advice with the measured ones. Pure functions.

The measured saving follows from the logs of the jobs alone: their run time without the lever, less
their run time with it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jostle_lab.validation.advice.plan import LEAF, LICENCE, NOTHING, Experiment
from jostle_lab.validation.advice.predictions import Foreseen
from jostle_lab.validation.advice.runner import Record

#: Goals: the share of intervals that contain the measured saving, the share of predictions whose
#: sign is right, and the median relative error.
HELD, SIGN, ERROR = 0.9, 1.0, 0.2


@dataclass(frozen=True)
class Row:
    """A prediction about an experiment, and what was measured.

    Attributes:
        number: Number of the experiment.
        fs: Type of the file system.
        lever: The experiment's lever.
        first: Description of the first job.
        other: Description of the other jobs, or of the fault.
        source: Part of jostle that made the prediction.
        advised: Whether jostle advised the lever. If not, its prediction counts as no saving.
        setting: Setting of the lever that was applied.
        before_s: Run time without the lever (core seconds, if the saving is one of core seconds).
        after_s: The same with the lever.
        predicted_s: Predicted saving, in the same unit.
        low_s: Lower end of its interval.
        high_s: Upper end of its interval.
        others: With NOTHING: rules of the changes that jostle advised.
        error: Reason why there is no result.
    """

    number: int
    fs: str
    lever: str
    first: str = ""
    other: str = ""
    source: str = ""
    advised: bool | None = None
    setting: str = ""
    before_s: float | None = None
    after_s: float | None = None
    predicted_s: float | None = None
    low_s: float | None = None
    high_s: float | None = None
    others: str = ""
    error: str = ""

    @property
    def nothing(self) -> bool:
        """Whether no lever helps in the experiment."""
        return self.lever == NOTHING

    @property
    def measured_s(self) -> float | None:
        """The measured saving."""
        if self.before_s is None or self.after_s is None:
            return None
        return self.before_s - self.after_s

    @property
    def held(self) -> bool:
        """Whether the predicted interval contains the measured saving."""
        if not self.advised or None in (self.measured_s, self.low_s, self.high_s):
            return False
        assert self.low_s is not None and self.high_s is not None and self.measured_s is not None
        return self.low_s <= self.measured_s <= self.high_s

    @property
    def same_sign(self) -> bool:
        """Whether the predicted and the measured saving have the same sign."""
        if not self.advised or self.predicted_s is None or self.measured_s is None:
            return False
        return self.predicted_s * self.measured_s > 0

    @property
    def off(self) -> float | None:
        """Relative error of the predicted saving; 1 if the lever was not advised."""
        if not self.measured_s or self.predicted_s is None:
            return None
        predicted = self.predicted_s if self.advised else 0.0
        return abs(predicted - self.measured_s) / abs(self.measured_s)

    @property
    def right(self) -> bool:
        """Whether interval and sign are right; with NOTHING: whether no change was advised."""
        if self.error:
            return False
        return not self.others if self.nothing else self.held and self.same_sign


def described(experiment: Experiment) -> dict[str, Any]:
    """Return the fields of a row that describe the jobs."""
    if experiment.messages:
        first, *rest = experiment.messages
        other = "; ".join(f"messages from {' to '.join(job.nodes)}, in bursts" for job in rest)
        return {"first": f"messages from {' to '.join(first.nodes)}", "other": other}
    first_job, *others = experiment.jobs
    words = [str(job) for job in others]
    if experiment.fault:
        words.append(
            f"{experiment.fault}, {experiment.fault.rhythm.on_s:.1f} of "
            f"{experiment.fault.rhythm.period_s:.1f} s"
        )
    return {"first": str(first_job), "other": "; ".join(words)}


def failed(record: Record, error: str) -> Row:
    """Return the row of an experiment that failed, or that could not be assessed."""
    one = record.experiment
    return Row(one.number, one.fs, one.lever, **described(one), error=error)


def assess(record: Record, foreseen: Sequence[Foreseen]) -> list[Row]:
    """Return a row for each prediction about an experiment, which did not fail."""
    one = record.experiment
    return [
        Row(
            one.number,
            one.fs,
            one.lever,
            **described(one),
            source=each.source,
            advised=None if one.lever == NOTHING else each.advised,
            setting=setting_words(record.setting),
            before_s=_total(one, record.before_s),
            after_s=_total(one, record.after_s),
            predicted_s=each.value_s,
            low_s=each.low_s,
            high_s=each.high_s,
            others="; ".join(each.others) if one.lever == NOTHING else "",
        )
        for each in foreseen
    ]


def _total(experiment: Experiment, seconds: Mapping[str, float]) -> float:
    """Return the run time of the first job, or core seconds, as jostle predicts them.

    With LICENCE these are the core seconds of all jobs, with LEAF those of the first one. The first
    job of the other levers whose saving is predicted in core seconds has one process.
    """
    if experiment.lever == LICENCE:
        return sum(job.processes * seconds[job.name] for job in experiment.jobs)
    cores = len(experiment.messages[0].nodes) if experiment.lever == LEAF else 1
    return cores * seconds[experiment.first]


def setting_words(setting: Mapping[str, float]) -> str:
    """Return the setting of a lever in words."""
    if "seconds" in setting:
        return f"the other job {setting['seconds']:.3g} s later"
    if "at_once" in setting:
        return f"{setting['at_once']:.0f} at once"
    if "bytes_s" in setting:
        return f"{setting['bytes_s'] / 1e6:.3g} MB/s"
    if "chunk" in setting:
        return f"writes of {setting['chunk'] / 1024:.0f} KiB"
    if "out" in setting:
        return f"osd.{setting['out']:.0f} out"
    if "total" in setting:
        needs = (f"{name} {much:.0f}" for name, much in setting.items() if name != "total")
        return f"{setting['total']:.0f} licences: {', '.join(sorted(needs))}"
    return ""


@dataclass(frozen=True)
class Summary:
    """Scores over some rows.

    Attributes:
        predictions: Number of predictions about levers.
        advised: Number of these whose lever was advised.
        held: Number of these whose interval contains the measured saving.
        signs: Number of these whose sign is right.
        off: Median relative error; None if there is no prediction.
        most: Relative error that nine of ten predictions do not exceed.
        nothing: Number of experiments in which nothing helps.
        quiet: Number of these in which no change was advised.
        failed: Number of experiments without a result.
    """

    predictions: int
    advised: int
    held: int
    signs: int
    off: float | None
    most: float | None
    nothing: int
    quiet: int
    failed: int


def summary(rows: Sequence[Row]) -> Summary:
    """Return the scores over some rows."""
    made = [row for row in rows if not row.error]
    levers = [row for row in made if not row.nothing]
    nothing = [row for row in made if row.nothing]
    offs = [row.off for row in levers if row.off is not None]
    return Summary(
        predictions=len(levers),
        advised=sum(bool(row.advised) for row in levers),
        held=sum(row.held for row in levers),
        signs=sum(row.same_sign for row in levers),
        off=statistics.median(offs) if offs else None,
        most=sorted(offs)[math.ceil(0.9 * len(offs)) - 1] if offs else None,
        nothing=len(nothing),
        quiet=sum(not row.others for row in nothing),
        failed=len(rows) - len(made),
    )
