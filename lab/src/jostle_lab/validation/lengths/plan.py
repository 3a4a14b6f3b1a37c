"""Draws the experiments on slice lengths: a victim that runs 10 or 2 minutes, and its neighbours.

Everything is drawn from a seed. Neighbours are active in bursts of 10 s to 5 min, or all the time.
Some have no profile, some begin at the same time as the victim. In some experiments three
neighbours slow the victim, or it is slowed on two resources.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jostle_lab.validation.cephfs.plan import QUIET, Experiment, Load, Rhythm
from jostle_lab.validation.cephfs.plan import from_json as experiment_of

LONG_S, SHORT_S = 600.0, 120.0
#: Number of experiments of each kind, of ten minutes and of two.
LONG = {
    "bursts of 30 s": 8,
    "bursts of 30 s, no profile": 3,
    "bursts of 10 s": 3,
    "bursts of 5 min": 2,
    "three neighbours": 2,
    "two resources": 1,
    "steady": 1,
    "begins with the victim": 1,
    QUIET: 8,
}
SHORT = {"bursts of 10 s": 5, "bursts of 30 s": 5, QUIET: 4}
#: Kinds in which the run alone cannot identify the cause: there is no time without the neighbour.
UNDECIDABLE = ("steady", "begins with the victim")
#: The kind that keeps the cores of the machine busy, and with them every other lab.
_APART = "two resources"
_VICTIM, _AGGRESSORS, _DECOY = "node1", ("node2", "node3", "node4"), "node4"


@dataclass(frozen=True)
class Trial:
    """An experiment, and the run time of its victim.

    Attributes:
        experiment: Victim and loads; the group is the kind of the trial.
        seconds: Run time of the victim, in seconds.
    """

    experiment: Experiment
    seconds: float

    @property
    def decidable(self) -> bool:
        """Whether the run alone can identify the cause."""
        return self.experiment.group not in UNDECIDABLE

    @property
    def apart(self) -> bool:
        """Whether no other lab may run at the same time."""
        return self.experiment.group == _APART

    def to_json(self) -> dict[str, Any]:
        """Return the trial as plain values."""
        return {"experiment": self.experiment.to_json(), "seconds": self.seconds}


def from_json(plain: dict[str, Any]) -> Trial:
    """Read a trial from the output of `Trial.to_json`."""
    return Trial(experiment_of(plain["experiment"]), plain["seconds"])


#: Victims: one that writes all the time with syncs, one without, small files, and codes that
#: compute and write a checkpoint now and then. Their files are overwritten, so that their size is
#: bounded: a run of ten minutes writes gigabytes.
_VICTIMS = (
    "aggregate-write --chunk 256KiB --flush each --max-disk 100MiB",
    "aggregate-write --chunk 512KiB --max-disk 100MiB",
    "write-seek --chunk 256KiB",
    "open-write-close --chunk 128KiB --max-disk 100MiB",
    "aggregate-write --chunk 512KiB --flush each --max-disk 100MiB --rest --period 12 --duty 0.5",
    "open-write-close --chunk 256KiB --max-disk 100MiB --rest --period 20 --duty 0.4",
)
_LOADS = (
    "aggregate-write --chunk 512KiB --flush each --processes 2 --max-disk 100MiB",
    "aggregate-write --chunk 1MiB --max-disk 100MiB",
    "write-seek --chunk 256KiB --processes 3",
    "open-write-close --chunk 256KiB --processes 2 --max-disk 100MiB",
)
_DECOYS = (
    "metadata --every 200ms",
    "write-seek --chunk 4KiB --every 250ms",
    "open-write-close --chunk 4KiB --every 500ms",
)
_ELSEWHERE = "write-seek --chunk 4KiB --every 5ms"


def trials(seed: int) -> list[Trial]:
    """Draw the experiments: those of ten minutes in random order, then those of two minutes."""
    dice = random.Random(seed)
    drawn: list[tuple[str, float]] = []
    for kinds, seconds in ((LONG, LONG_S), (SHORT, SHORT_S)):
        part = [(kind, seconds) for kind, count in kinds.items() for _ in range(count)]
        dice.shuffle(part)
        drawn += part
    return [
        Trial(_experiment(dice, number, kind, seconds), seconds)
        for number, (kind, seconds) in enumerate(drawn, 1)
    ]


def _experiment(dice: random.Random, number: int, kind: str, seconds: float) -> Experiment:
    loads = _MAKERS[kind](dice, seconds)
    return Experiment(number, kind, dice.choice(_VICTIMS), (*loads, *_decoys(dice, kind)))


def _bad(dice: random.Random, rhythm: Rhythm, turn: int = 0, *, profiled: bool = True) -> Load:
    name = "bad" if not turn else f"bad{turn + 1}"
    node = _AGGRESSORS[turn]
    return Load(name, node, dice.choice(_LOADS), rhythm, harm=True, profiled=profiled)


def _bursts(dice: random.Random, seconds: float, on_s: float) -> Rhythm:
    """Draw two to five bursts of a given length, or fewer if the run is too short for them."""
    most = max(int(seconds / (2 * on_s)), 1)
    count = dice.randint(min(2, most), min(5, most))
    period = seconds / count
    return Rhythm(period, on_s, dice.uniform(0.1, 0.9) * (period - on_s))


def _thirty(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return (_bad(dice, _bursts(dice, seconds, 30.0)),)


def _unprofiled(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return (_bad(dice, _bursts(dice, seconds, 30.0), profiled=False),)


def _ten(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return (_bad(dice, _bursts(dice, seconds, 10.0)),)


def _five_minutes(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return (_bad(dice, Rhythm(2 * seconds, seconds / 2, dice.uniform(0.1, 0.4) * seconds)),)


def _three(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return tuple(_bad(dice, _bursts(dice, seconds, 30.0), turn) for turn in range(3))


def _two_resources(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    """Draw a load on the file system, and one on the cores of the victim's node."""
    on = _bursts(dice, seconds, 30.0)
    cores = Load(
        "bad2",
        _VICTIM,
        "cpu --processes 3",
        _bursts(dice, seconds, 30.0),
        harm=True,
        folder="elsewhere",
    )
    return (_bad(dice, on), cores)


def _steady(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return (_bad(dice, Rhythm(4 * seconds, 3 * seconds, -seconds / 10)),)


def _with_victim(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return (_bad(dice, Rhythm(4 * seconds, 3 * seconds, 0.0)),)


def _quiet(dice: random.Random, seconds: float) -> tuple[Load, ...]:
    return ()


def _decoys(dice: random.Random, kind: str) -> tuple[Load, ...]:
    """Draw jobs that do not slow the victim: a small load on its file system, and one elsewhere."""
    if dice.random() < 0.25:
        return ()
    period = dice.choice((40.0, 60.0, 90.0))
    on = Rhythm(period, period * dice.choice((0.25, 0.5)), dice.random() * period / 2)
    little = Load("little", _DECOY, dice.choice(_DECOYS), on)
    if dice.random() < 0.5:
        return (little,)
    other = Rhythm(period, period / 3, dice.random() * period / 2)
    return (little, Load("elsewhere", _DECOY, _ELSEWHERE, other, folder="elsewhere"))


_MAKERS: dict[str, Callable[[random.Random, float], tuple[Load, ...]]] = {
    "bursts of 30 s": _thirty,
    "bursts of 30 s, no profile": _unprofiled,
    "bursts of 10 s": _ten,
    "bursts of 5 min": _five_minutes,
    "three neighbours": _three,
    "two resources": _two_resources,
    "steady": _steady,
    "begins with the victim": _with_victim,
    QUIET: _quiet,
}
