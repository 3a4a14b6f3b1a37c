"""Plans the lab experiments: a job whose loss is measured (probe), and jobs that may slow it."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any, Literal

Placement = Literal["shared", "own"]
SLICE_NS = 250_000_000
#: The storage's link of each lab: a writer alone gets 24 MB/s of it.
RATE = "200mbit"
#: Seconds that a probe takes alone, and for which neighbours are scheduled.
ALONE_S, SCHEDULE_S = 18.0, 40.0


@dataclass(frozen=True)
class LabNeighbour:
    """A job that runs concurrently with the probe.

    Attributes:
        name: The neighbour's name.
        node: Host on which the neighbour runs.
        words: Pattern and options of the signal.
        place: File system of the neighbour's files: the shared one, or its node's own.
        bursts: Begin and length of each burst, in seconds from the start.
        harm: Whether the neighbour uses a resource that the probe needs.
        partner: The node of its second rank; "" when it is no MPI job.
        core: The core that it is bound to; -1: any.
    """

    name: str
    node: str
    words: tuple[str, ...]
    place: Placement
    bursts: tuple[tuple[float, float], ...]
    harm: bool
    partner: str = ""
    core: int = -1


@dataclass(frozen=True)
class LabScene:
    """An experiment: a probe and its neighbours.

    Attributes:
        number: Number of the experiment, from 1.
        name: Kind of the experiment.
        probe: Name of the probe, a key of PROBES.
        neighbours: Jobs that run concurrently with the probe.
    """

    number: int
    name: str
    probe: str
    neighbours: tuple[LabNeighbour, ...]

    @property
    def job(self) -> str:
        """Name of the probe's job."""
        return f"s{self.number:03d}-{self.probe}"

    @property
    def null(self) -> bool:
        """Whether no neighbour in the experiment slows the probe."""
        return not any(lab_neighbour.harm for lab_neighbour in self.neighbours)

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Probe:
    """A job whose loss is measured.

    Attributes:
        words: Pattern and options of the probe's signal.
        rounds: Number of times that the probe runs the signal, one after the other.
        rest_s: Pause between two rounds, in seconds.
        partner: The node of its second rank; "" when it is no MPI job.
        core: The core that it is bound to; -1: any.
        apart: Whether the probe needs the whole machine: no other lab at the same time.
        memory: Whether the probe's files are in its node's memory, not on the shared file system.
    """

    words: tuple[str, ...]
    rounds: int = 1
    rest_s: float = 0.0
    partner: str = ""
    core: int = -1
    apart: bool = False
    memory: bool = False


#: A steady writer; a writer of small files; one with phases that depend on its work and not on a
#: clock; one that needs its core all the time (empty files in its node's memory: a program without
#: calls has no slices, and on the disk's file system an operation took 15 us in one run and 2.5 ms
#: in another); two ranks that exchange messages over the link between the switches.
PROBES: dict[str, Probe] = {
    "writer": Probe(("open-write-close", "--chunk", "1MiB", "--volume", "410MiB")),
    "files": Probe(("open-write-close", "--chunk", "256KiB", "--volume", "340MiB")),
    "phases": Probe(("open-write-close", "--chunk", "1MiB", "--volume", "36MiB"), 7, 1.1),
    "computer": Probe(("metadata", "--iterations", "1000000"), core=0, apart=True, memory=True),
    "talker": Probe(
        ("ping", "--chunk", "64KiB", "--iterations", "1400"), partner="node3", apart=True
    ),
}
_HURTS = (
    ("open-write-close", "--chunk", "1MiB"),
    ("aggregate-write", "--chunk", "1MiB", "--flush", "end"),
)
_COMPUTES = ("cpu",)
_TALKS = ("ping", "--chunk", "256KiB")
_ELSEWHERE = ("open-write-close", "--chunk", "64KiB")
#: A small load on the probe's own file system: some small files a second.
_LITTLE = ("open-write-close", "--chunk", "16KiB", "--iterations", "4")


def scenes(*, harmful: int, null: int, seed: int) -> list[LabScene]:
    """Plan experiments.

    In the first experiments each probe runs alone, to measure its undisturbed rate. The others
    follow in random order. Those with a harmful neighbour have harmless neighbours, too.

    Args:
        harmful: Number of experiments with a neighbour that slows the probe.
        null: Number of experiments with harmless neighbours, or none.
        seed: Seed of all random choices.
    """
    dice = random.Random(seed)
    names = list(PROBES)
    kinds: list[tuple[str, str, tuple[LabNeighbour, ...]]] = []
    for number in range(harmful):
        probe = names[number % len(names)]
        kinds.append(("harmful", probe, _harmful(dice, probe, number // len(names))))
    # A probe alone is a null run, too; so many that there is a middle half.
    alone = [name for turn in range(3) for name in names if turn < 2 or not PROBES[name].apart]
    kinds += [("alone", name, ()) for name in alone[:null]]
    for number in range(null - len(alone)):
        probe = names[number % len(names)]
        kinds.append(("harmless", probe, _harmless(dice, probe, number // len(names))))
    dice.shuffle(kinds)
    return [LabScene(number, *kind) for number, kind in enumerate(kinds, 1)]


def _harmful(dice: random.Random, probe: str, turn: int) -> tuple[LabNeighbour, ...]:
    """Return the neighbours of a probe, one of which slows it."""
    period = dice.choice((4.0, 5.0, 7.0)) if probe != "talker" else 7.0
    length = period * dice.choice((0.25, 0.4, 0.5))
    phase = dice.random() * (period - length)
    on = rhythm(period, length, phase)
    # With the same period, at other times.
    other = rhythm(period, length, (phase + period / 2) % period)
    if probe == "computer":
        return (
            LabNeighbour("bad", "node1", _COMPUTES, "own", on, harm=True, core=0),
            LabNeighbour("computes", "node1", _COMPUTES, "own", other, harm=False, core=1),
        )
    if probe == "talker":
        return (
            LabNeighbour("bad", "node2", _TALKS, "own", on, harm=True, partner="node4"),
            LabNeighbour("elsewhere", "node4", _ELSEWHERE, "own", other, harm=False),
        )
    third = (
        _little(phase),
        LabNeighbour("computes", "node3", _COMPUTES, "own", on, harm=False),  # at the same times
        _little(phase),
    )
    return (
        LabNeighbour("bad", "node2", _HURTS[turn % len(_HURTS)], "shared", on, harm=True),
        LabNeighbour("elsewhere", "node3", _ELSEWHERE, "own", other, harm=False),
        third[turn % len(third)],
    )


def _little(phase: float) -> LabNeighbour:
    """Make a neighbour that uses the probe's file system all the time, too little to slow it."""
    return LabNeighbour("little", "node3", _LITTLE, "shared", rhythm(1.0, 0.25, phase), harm=False)


def _harmless(dice: random.Random, probe: str, turn: int) -> tuple[LabNeighbour, ...]:
    """Return neighbours that do not slow a probe, as they hardly use what the probe needs."""
    period = dice.choice((2.75, 4.0, 6.0))  # 2.75 s: the period of the probe with phases
    phase = dice.random() * period / 2
    on = rhythm(period, period / 2, phase)
    elsewhere = LabNeighbour("elsewhere", "node3", _ELSEWHERE, "own", on, harm=False)
    if probe == "talker":
        return (elsewhere,)
    if probe == "computer":
        return (LabNeighbour("computes", "node1", _COMPUTES, "own", on, harm=False, core=1),)
    brief = rhythm(period, period / 3, phase)
    computes = LabNeighbour("computes", "node2", _COMPUTES, "own", brief, harm=False)
    return (_little(phase), computes if turn % 2 else elsewhere)


def rhythm(period: float, length: float, phase: float) -> tuple[tuple[float, float], ...]:
    """Return the bursts of a periodic neighbour over the time of an experiment."""
    step = SLICE_NS / 1e9
    found: list[tuple[float, float]] = []
    at = 1.0 + phase
    while at < SCHEDULE_S:
        found.append((round(at / step) * step, max(round(length / step), 1) * step))
        at += period
    return tuple(found)


def from_json(plain: dict[str, Any]) -> LabScene:
    """Read an experiment from the output of `LabScene.to_json`."""
    own = [
        LabNeighbour(
            **{
                **one,
                "words": tuple(one["words"]),
                "bursts": tuple(tuple(pair) for pair in one["bursts"]),
            }
        )
        for one in plain["neighbours"]
    ]
    return LabScene(plain["number"], plain["name"], plain["probe"], tuple(own))
