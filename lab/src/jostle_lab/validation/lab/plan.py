"""Plans the lab experiments: a probe, and neighbours that do or do not harm it."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any, Literal

Placement = Literal["shared", "own"]
SLICE_NS = 250_000_000
#: The storage's link of each lab: a writer alone gets 24 MB/s of it.
RATE = "200mbit"
#: Seconds that a probe takes alone, and that neighbours are scheduled for.
ALONE_S, SCHEDULE_S = 18.0, 40.0


@dataclass(frozen=True)
class LabNeighbour:
    """A job beside the probe.

    Attributes:
        name: Its name.
        node: Where it runs.
        words: Pattern and options of the signal.
        place: Whether its files are on the shared file system, or on its node's own.
        bursts: When it is on: (begin, length) in seconds from the start.
        harm: It takes from what the probe needs.
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
    """An experiment.

    Attributes:
        number: Counted from 1.
        name: Its kind.
        probe: Name of the probe, a key of PROBES.
        neighbours: The jobs beside it.
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
        """No neighbour in it does harm."""
        return not any(lab_neighbour.harm for lab_neighbour in self.neighbours)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Probe:
    """A job whose loss is measured.

    Attributes:
        words: Pattern and options of the signal that it is made of.
        rounds: How often it runs that, one after the other.
        rest_s: Seconds that it does nothing between two of them.
        partner: The node of its second rank; "" when it is no MPI job.
        core: The core that it is bound to; -1: any.
        apart: It needs the machine for itself: no other lab at the same time.
        memory: Its files are in its node's memory, not on the shared file system.
    """

    words: tuple[str, ...]
    rounds: int = 1
    rest_s: float = 0.0
    partner: str = ""
    core: int = -1
    apart: bool = False
    memory: bool = False


#: A steady writer; one of small files; one with phases of its own, by its work and not by a clock;
#: one that needs its core all the time (empty files in its node's memory: what makes no calls at
#: all has no slices, and on the disk's file system an operation cost 15 us in one run and 2.5 ms in
#: another); two ranks that talk over the link between the switches.
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
#: On the probe's own file system, but hardly anything: some small files a second.
_LITTLE = ("open-write-close", "--chunk", "16KiB", "--iterations", "4")


def scenes(*, harmful: int, null: int, seed: int) -> list[LabScene]:
    """Plan experiments.

    The first of them are probes alone, which measure how long each takes undisturbed; then harmful
    ones and null ones in a shuffled order. Each harmful one has harmless neighbours, too.

    Args:
        harmful: Experiments with a neighbour that hurts.
        null: Experiments with harmless neighbours, or none.
        seed: Of all that is random.
    """
    dice = random.Random(seed)
    names = list(PROBES)
    kinds: list[tuple[str, str, tuple[LabNeighbour, ...]]] = []
    for number in range(harmful):
        probe = names[number % len(names)]
        kinds.append(("harmful", probe, _harmful(dice, probe, number // len(names))))
    # Alone it is a null run, too; so often, that there is a middle.
    alone = [name for turn in range(3) for name in names if turn < 2 or not PROBES[name].apart]
    kinds += [("alone", name, ()) for name in alone[:null]]
    for number in range(null - len(alone)):
        probe = names[number % len(names)]
        kinds.append(("harmless", probe, _harmless(dice, probe, number // len(names))))
    dice.shuffle(kinds)
    return [LabScene(number, *kind) for number, kind in enumerate(kinds, 1)]


def _harmful(dice: random.Random, probe: str, turn: int) -> tuple[LabNeighbour, ...]:
    """Return the neighbours of a probe, one of which hurts it."""
    period = dice.choice((4.0, 5.0, 7.0)) if probe != "talker" else 7.0
    length = period * dice.choice((0.25, 0.4, 0.5))
    phase = dice.random() * (period - length)
    on = rhythm(period, length, phase)
    # In the same rhythm, at other times.
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
    """Make a neighbour that shares the probe's file system all the time without harm."""
    return LabNeighbour("little", "node3", _LITTLE, "shared", rhythm(1.0, 0.25, phase), harm=False)


def _harmless(dice: random.Random, probe: str, turn: int) -> tuple[LabNeighbour, ...]:
    """Return neighbours of a probe that do it no harm: none needs what it needs."""
    period = dice.choice((2.75, 4.0, 6.0))  # 2.75 s: the rhythm of the probe with phases
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
    """Read what `LabScene.to_json` gave."""
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
