"""Compares jostle's suspects in lab experiments with the known causes. Pure functions."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from jostle.analysis import JobInterference
from jostle_lab.validation.lab.plan import SLICE_NS
from jostle_lab.validation.lab.runner import Played
from jostle_lab.validation.lab.work import Work

#: Share of a slice in which a harmful neighbour is on: with interference from the first on, clean
#: below the second.
DISTURBED, INNOCENT = 0.5, 0.05
#: Loss above which its error is relative, not in points.
LARGE = 10.0
_FEWEST_CALM = 8
#: Range of a probe's rates over its null runs, share of their median: beyond it rates of other runs
#: are no reference (the true seconds would be as uncertain as the goal for answers).
STEADY = 0.15


@dataclass(frozen=True)
class Slices:
    """Numbers of correctly and incorrectly classified slices."""

    hit: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float | None:
        """Of the slices that jostle named as disturbed, the share that was disturbed."""
        return self.hit / (self.hit + self.wrong) if self.hit + self.wrong else None

    @property
    def recall(self) -> float | None:
        """Of the disturbed slices, the share that jostle named."""
        return self.hit / (self.hit + self.missed) if self.hit + self.missed else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None if no slice has interference or is named."""
        every = 2 * self.hit + self.wrong + self.missed
        return 2 * self.hit / every if every else None


@dataclass(frozen=True)
class Seen:
    """An experiment and the identification of it.

    Attributes:
        job: The probe's job.
        name: Kind of the experiment.
        probe: Name of the probe.
        null: Whether no neighbour slowed the probe.
        slices: Numbers of correctly and incorrectly classified slices.
        named: Suspects, in jostle's order.
        right: Whether the first suspect is the neighbour that slowed the probe; None in a null run.
        run_s: Run time of the probe.
        lost_s: Seconds that harmful neighbours cost the probe, compared with runs of the probe
            alone.
        said_s, low_s, high_s: jostle's estimate of the loss, and the lower and upper end of its
            interval, in seconds.
        calm_s: Seconds that harmful neighbours cost the probe, compared with the calm slices of the
            same run (those without an active harmful neighbour), which contain the machine's own
            noise; None if there are too few calm slices.
        same_run: Whether `calm_s` is used as `lost_s`, as the probe's rate differs too much between
            null runs.
    """

    job: str
    name: str
    probe: str
    null: bool
    slices: Slices
    named: tuple[str, ...]
    right: bool | None
    run_s: float
    lost_s: float
    said_s: float
    low_s: float
    high_s: float
    calm_s: float | None = None
    same_run: bool = False

    @property
    def percent(self) -> float:
        """Loss in percent of the run."""
        return 100 * self.lost_s / self.run_s

    @property
    def points(self) -> float:
        """Error of the estimated loss, in percentage points of the run time."""
        return 100 * abs(self.said_s - self.lost_s) / self.run_s

    @property
    def relative(self) -> float | None:
        """Relative error of the estimated loss; None if the loss is small."""
        return abs(self.said_s - self.lost_s) / self.lost_s if self.percent > LARGE else None

    @property
    def relative_calm(self) -> float | None:
        """Relative error of the estimate against `calm_s`; None if the loss is small."""
        if self.calm_s is None or self.relative is None or self.calm_s <= 0:
            return None
        return abs(self.said_s - self.calm_s) / self.calm_s

    @property
    def held(self) -> bool:
        """Whether the estimate's interval contains `lost_s`."""
        return self.low_s <= self.lost_s <= self.high_s

    @property
    def held_calm(self) -> bool | None:
        """Whether the estimate's interval contains `calm_s`; None if `calm_s` is not known."""
        return None if self.calm_s is None else self.low_s <= self.calm_s <= self.high_s

    @property
    def apart(self) -> float | None:
        """Difference of `lost_s` and `calm_s`, as a share of `calm_s`; None if not known."""
        return abs(self.lost_s - self.calm_s) / self.calm_s if self.calm_s else None

    @property
    def half_width(self) -> float | None:
        """Half of the interval as a share of the estimate; None without an estimate."""
        return (self.high_s - self.low_s) / 2 / self.said_s if self.said_s > 0 else None

    def to_json(self) -> dict[str, Any]:
        """Return the probe as plain values."""
        return asdict(self) | {
            "f1": self.slices.f1,
            "points": self.points,
            "relative": self.relative,
        }


def alone(runs: Sequence[Played]) -> dict[str, float]:
    """Return the number of operations per slice of each probe when it runs alone.

    It is the mean of the middle half of the slices.
    """
    found: dict[str, list[int]] = {}
    for played in runs:
        if played.scene.name == "alone":
            found.setdefault(played.scene.probe, []).extend(played.work().values())
    return {probe: _middle(values) for probe, values in found.items() if values}


def _middle(values: Sequence[int]) -> float:
    kept = sorted(values)[len(values) // 4 : len(values) - len(values) // 4]
    return statistics.fmean(kept)


def unsteady(runs: Sequence[Played]) -> dict[str, float]:
    """Return the probes whose rate differs too much between null runs (without harmful jobs).

    Args:
        runs: All experiments.

    Returns:
        For each such probe, the range of its rates divided by their median, which is above STEADY.
    """
    rates: dict[str, list[float]] = {}
    for played in runs:
        if played.scene.null and (done := list(played.work().values())):
            rates.setdefault(played.scene.probe, []).append(_middle(done))
    wide = {
        probe: (max(found) - min(found)) / max(statistics.median(found), 1e-12)
        for probe, found in rates.items()
    }
    return {probe: share for probe, share in wide.items() if share > STEADY}


def see(
    played: Played,
    interference: JobInterference,
    usual: Mapping[str, float],
    differing: Collection[str] = (),
) -> Seen | None:
    """Compare an experiment with jostle's verdict on its probe.

    Args:
        played: The experiment.
        interference: The verdict.
        usual: Operations per slice of each probe when it runs alone.
        differing: Probes of `unsteady`, whose loss can only be known from calm slices of the run.

    Returns:
        The comparison, or None if the probe never ran alone.
    """
    if played.scene.probe not in usual:
        return None
    bad = [neighbour.name for neighbour in played.scene.neighbours if neighbour.harm]
    named = tuple(suspect.job for suspect in interference.suspects)
    shares = alongside(played, bad)
    calm_s = lost(played, bad, rate) if (rate := calm(played, shares)) else None
    same = calm_s is not None and played.scene.probe in differing
    alone_s = lost(played, bad, usual[played.scene.probe])
    return Seen(
        played.scene.job,
        played.scene.name,
        played.scene.probe,
        played.scene.null,
        slices(shares, interference),
        named,
        named[:1] == (played.job(bad[0]),) if bad else None,
        played.seconds,
        calm_s if same and calm_s is not None else alone_s,
        interference.seconds.value,
        interference.seconds.low,
        interference.seconds.high,
        calm_s,
        same,
    )


def alongside(played: Work, bad: Sequence[str]) -> dict[int, float]:
    """Return the share of each slice of work in which a harmful neighbour was active.

    Args:
        played: The experiment.
        bad: Names of the neighbours that did harm.
    """
    on = dict.fromkeys(played.work(), 0)
    for name in bad:
        for begin, end in played.bursts.get(name, []):
            for number in on.keys() & set(range(begin // SLICE_NS, end // SLICE_NS + 1)):
                edge = number * SLICE_NS
                on[number] += min(end, edge + SLICE_NS) - max(begin, edge)
    return {number: ns / SLICE_NS for number, ns in on.items()}


def lost(played: Work, bad: Sequence[str], usual: float) -> float:
    """Return the seconds that harmful neighbours cost a probe.

    Only slices in which they were active count: the time that the probe worked there, less the time
    that its finished work needs when undisturbed. Slices in which the probe began, paused, or
    finished no operation count as well, as a stalled probe finishes none.

    Args:
        played: The experiment.
        bad: Names of the neighbours that did harm.
        usual: Operations in a slice of undisturbed work.
    """
    done = {pair[0]: pair[1] for pair in played.active}
    first, last = played.begin_ns // SLICE_NS, played.end_ns // SLICE_NS
    # Older records do not have pauses: then slices next to those without work are left out.
    spans = played.rounds or [
        [number * SLICE_NS, (number + 1) * SLICE_NS] for number in played.work()
    ]
    at_work = covered(spans, first, last)
    on = covered([span for name in bad for span in played.bursts.get(name, [])], first, last)
    return (
        sum(
            at_work[k] - done.get(first + k, 0) / usual
            for k in range(last - first + 1)
            if on[k] >= INNOCENT and at_work[k] > 0
        )
        * SLICE_NS
        / 1e9
    )


def covered(spans: Sequence[Sequence[int]], first: int, last: int) -> list[float]:
    """Return the share of each slice that spans of time cover."""
    found = [0.0] * (last - first + 1)
    for begin, end in spans:
        for number in range(max(begin // SLICE_NS, first), min(end // SLICE_NS, last) + 1):
            edge = number * SLICE_NS
            found[number - first] += (min(end, edge + SLICE_NS) - max(begin, edge)) / SLICE_NS
    return found


def calm(played: Work, shares: Mapping[int, float]) -> float | None:
    """Return the mean number of operations in a calm slice: without active harmful neighbours.

    The machine's own noise acts in calm slices as in the others. Slices just after a burst of a
    harmful neighbour are left out.

    Returns:
        The mean; None if there are fewer than eight calm slices.
    """
    done = played.work()
    clear = [
        done[number]
        for number, share in shares.items()
        if share < INNOCENT and shares.get(number - 1, 0.0) < INNOCENT
    ]
    return statistics.fmean(clear) if len(clear) >= _FEWEST_CALM else None


def slices(shares: Mapping[int, float], interference: JobInterference) -> Slices:
    """Count the correctly and incorrectly classified slices.

    Args:
        shares: Share of each slice in which a harmful neighbour was active.
        interference: Result of `interference` for the experiment.
    """
    named = {
        number
        for disturbed in interference.disturbed
        for number in range(
            disturbed.start_ns // SLICE_NS, (disturbed.start_ns + disturbed.length_ns) // SLICE_NS
        )
    }
    truth = {number for number, share in shares.items() if share >= DISTURBED}
    clear = {number for number, share in shares.items() if share < INNOCENT}
    return Slices(len(truth & named), len(clear & named), len(truth - named))


@dataclass(frozen=True)
class LabScore:
    """Scores of identification over some experiments.

    Attributes:
        runs: Number of experiments.
        harmful: Number of experiments with a neighbour that slows the probe.
        slices: Classified slices of all harmful experiments together.
        first: Share of harmful experiments whose first suspect is correct.
        null: Number of null runs (without a harmful neighbour).
        alarms: Number of null runs in which a suspect was named.
        relative: Median relative error of large losses; None if no loss is large.
        points: Median error of the other losses, percentage points of the run time.
        relative_calm: Median relative error of large losses against `Seen.calm_s`.
        held: Share of harmful experiments whose interval contains `Seen.lost_s`.
        held_calm: Share of harmful experiments whose interval contains `Seen.calm_s`.
        apart: Median relative difference of `lost_s` and `calm_s`: the uncertainty of the truth.
        half_width: Median half-width of the intervals, relative to the estimate.
        unsteady: Probes whose loss is known only from calm slices of the same run; and the relative
            range of their rates in null runs.
    """

    runs: int
    harmful: int
    slices: Slices
    first: float | None
    null: int
    alarms: int
    relative: float | None
    points: float | None
    relative_calm: float | None = None
    held: float | None = None
    held_calm: float | None = None
    apart: float | None = None
    half_width: float | None = None
    unsteady: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the score as plain values."""
        return asdict(self) | {"f1": self.slices.f1}


def lab_score(seen: Sequence[Seen], differing: Mapping[str, float] | None = None) -> LabScore:
    """Return the scores over all experiments.

    Args:
        seen: The experiments.
        differing: Result of `unsteady`.
    """
    harmful = [one for one in seen if not one.null]
    null = [one for one in seen if one.null]
    small = [one.points for one in seen if one.relative is None]
    return LabScore(
        len(seen),
        len(harmful),
        Slices(
            sum(one.slices.hit for one in harmful),
            sum(one.slices.wrong for one in harmful),
            sum(one.slices.missed for one in harmful),
        ),
        sum(bool(one.right) for one in harmful) / len(harmful) if harmful else None,
        len(null),
        sum(bool(one.named) for one in null),
        _median([one.relative for one in seen]),
        _median(small),
        _median([one.relative_calm for one in seen]),
        sum(one.held for one in harmful) / len(harmful) if harmful else None,
        _mean([one.held_calm for one in harmful]),
        _median([one.apart for one in harmful if not one.same_run]),
        _median([one.half_width for one in harmful]),
        dict(differing or {}),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None
