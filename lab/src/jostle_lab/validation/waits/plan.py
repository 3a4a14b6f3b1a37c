"""Plans the experiments on waits between ranks, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

CAPPED, STARVED, DISK, LINK, OWN = (
    "capped",
    "starved",
    "slow file system",
    "slow link",
    "own imbalance",
)
#: Kinds of experiments, and how many of each.
KINDS = {"cores and disks": 20, "links": 10, "own work": 20, "quiet": 50}
QUIET = "quiet"
#: Length of an injection and of the time before it, s.
_ON_S, _OFF_S = (7.0, 9.0), (4.0, 5.5)
_TAIL_S, _QUIET_S = 2.0, 16.0
#: Cores of the machine that ranks are bound to, one each.
CORES = 2


@dataclass(frozen=True)
class Injection:
    """A disturbance that makes one node slow.

    Attributes:
        cause: Kind of the disturbance.
        node: Number of the node, from 0, which is also the number of its rank.
        begin_s: Time at which the disturbance begins, s from the first step.
        length_s: Length of the disturbance, s; 0: until the end.
        strength: Its meaning depends on the cause. `capped`: cores that the rank may still use;
            `starved`: number of processes on the rank's core; slow file system and slow link: bytes
            per second that remain; own imbalance: the rank's work, as a multiple of that of others.
    """

    cause: str
    node: int
    begin_s: float
    length_s: float
    strength: float


@dataclass(frozen=True)
class Program:
    """The work of a rank in a step.

    Attributes:
        nodes: Number of ranks, one on each node.
        work_us: Time of computation, µs.
        sleep_us: Time of sleep, µs.
        message: Bytes sent to each of both neighbours.
        write: Bytes written to a file; 0: no file.
        turn_s: Time for which each rank in turn has more work, s; 0: no rank has.
        factor: Factor of the additional work.
    """

    nodes: int
    work_us: float
    sleep_us: float
    message: int
    write: int = 0
    turn_s: float = 0.0
    factor: float = 1.0


@dataclass(frozen=True)
class Experiment:
    """The plan of a run.

    Attributes:
        number: Number of the experiment, from 1.
        kind: Kind of the experiment, one of KINDS.
        program: The experiment's program.
        seconds: Length of the run, in seconds.
        injections: Injections in order of time; empty for a quiet run.
        everybody: Number of processes that use the core of each rank all the time, so that no rank
            is later than others.
    """

    number: int
    kind: str
    program: Program
    seconds: float
    injections: tuple[Injection, ...]
    everybody: int = 0

    @property
    def own(self) -> Injection | None:
        """The rank that has more work; None if no rank has."""
        return next((each for each in self.injections if each.cause == OWN), None)

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as plain values."""
        return asdict(self)


def from_json(plain: Mapping[str, Any]) -> Experiment:
    """Return an experiment from plain values.

    Raises:
        KeyError, TypeError: The values are no experiment.
    """
    injections = tuple(Injection(**each) for each in plain["injections"])
    program = Program(**plain["program"])
    return Experiment(**{**plain, "program": program, "injections": injections})


def experiments(seed: int) -> list[Experiment]:
    """Draw all experiments in random order, so that the first ones are a sample of all."""
    kinds = [kind for kind, number in KINDS.items() for _ in range(number)]
    random.Random(f"{seed}/order").shuffle(kinds)
    turns = dict.fromkeys(KINDS, 0)
    found = []
    for number, kind in enumerate(kinds, 1):
        dice = random.Random(f"{seed}/{kind}/{turns[kind]}")
        found.append(_MAKERS[kind](dice, number, turns[kind]))
        turns[kind] += 1
    return found


def _program(dice: random.Random, *, write: bool = False) -> Program:
    """Draw a program that computes most of the time, with one rank on each core."""
    return Program(
        CORES,
        work_us=dice.uniform(3000, 9000),
        sleep_us=0.0,
        message=dice.choice([1 << 10, 8 << 10, 32 << 10]),
        write=dice.choice([16 << 10, 64 << 10]) if write else 0,
    )


def _ring(dice: random.Random) -> Program:
    """Draw a program whose ranks sleep and exchange messages, so that they need few cores."""
    return Program(
        dice.choice([4, 5]),
        work_us=200.0,
        sleep_us=dice.uniform(5000, 9000),
        message=dice.choice([32 << 10, 64 << 10]),
    )


def _times(dice: random.Random, count: int) -> tuple[list[tuple[float, float]], float]:
    """Draw begins and lengths of injections; return them and the length of the run."""
    spans, at = [], 0.0
    for _ in range(count):
        at += dice.uniform(*_OFF_S)
        length = dice.uniform(*_ON_S)
        spans.append((at, length))
        at += length
    return spans, at + _OFF_S[0] + _TAIL_S


def _cores(dice: random.Random, number: int, turn: int) -> Experiment:
    program = _program(dice, write=True)
    causes = [CAPPED, STARVED, DISK]
    dice.shuffle(causes)
    spans, seconds = _times(dice, len(causes))
    injections = []
    for cause, (begin, length) in zip(causes, spans, strict=True):
        strength = {
            CAPPED: dice.uniform(0.3, 0.6),
            STARVED: float(dice.choice([1, 2])),
            # A limit applies to the mean rate: a step then takes at least so many times its work.
            DISK: program.write / (1e-6 * program.work_us * dice.uniform(1.8, 3.5)),
        }[cause]
        injections.append(Injection(cause, dice.randrange(CORES), begin, length, strength))
    return Experiment(number, "cores and disks", program, seconds, tuple(injections))


def _links(dice: random.Random, number: int, turn: int) -> Experiment:
    program = _ring(dice)
    spans, seconds = _times(dice, 2)
    nodes = dice.sample(range(program.nodes), 2)
    injections = tuple(
        Injection(
            LINK,
            node,
            begin,
            length,
            2 * program.message / (1e-6 * program.sleep_us * dice.uniform(1.0, 2.5)),
        )
        for node, (begin, length) in zip(nodes, spans, strict=True)
    )
    return Experiment(number, "links", program, seconds, injections)


def _own(dice: random.Random, number: int, turn: int) -> Experiment:
    program = _program(dice)
    more = Injection(OWN, dice.randrange(CORES), 0.0, 0.0, dice.uniform(1.25, 2.0))
    return Experiment(number, "own work", program, _QUIET_S, (more,))


def _quiet(dice: random.Random, number: int, turn: int) -> Experiment:
    """Draw a quiet run: without disturbance, or with ranks that are late in turn or all alike."""
    program = _ring(dice) if turn % 5 == 4 else _program(dice, write=turn % 5 == 3)
    if turn % 5 == 1:
        more = {"turn_s": dice.uniform(0.5, 1.5), "factor": dice.uniform(1.3, 1.8)}
        program = Program(**{**asdict(program), **more})
    everybody = 1 if turn % 5 == 2 else 0
    return Experiment(number, QUIET, program, _QUIET_S, (), everybody)


_MAKERS = {"cores and disks": _cores, "links": _links, "own work": _own, QUIET: _quiet}
