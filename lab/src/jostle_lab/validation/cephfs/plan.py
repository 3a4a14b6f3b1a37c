"""Draws the experiments on CephFS: a victim, the cause of its loss, and harmless decoys.

Everything is drawn from a seed: which victim, which load, its period, which decoys. An experiment
is one of seven kinds (`GROUPS`), or quiet: nothing in it slows the victim.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

SLICE_NS = 250_000_000
OBJECTS, METADATA = "object servers", "metadata server"
#: Number of experiments of each kind.
GROUPS = {
    "data against data": 4,
    "metadata storm against data": 3,
    "metadata against metadata": 3,
    "lock against lock": 2,
    "slow object server": 3,
    "slow metadata server": 2,
    "unprofiled node": 3,
}
QUIET = "quiet"
QUIETS = 10
#: Hosts of the lab: the victim's, the aggressor's, and those of decoys; the servers.
VICTIM, AGGRESSOR, DECOYS = "node1", "node2", ("node3", "node4")
METADATA_SERVER, OBJECT_SERVERS = "storage", ("storage2", "storage3")

#: Where a load works: in a folder of its own on the shared file system, in one that it shares with
#: the victim, in the very folder of the victim's files, or on its node's own disk.
Folder = Literal["own", "meeting", "victim's", "elsewhere"]


@dataclass(frozen=True)
class Rhythm:
    """Times at which a load or a fault is active: in a part of each period, after a first instant.

    Attributes:
        period_s, on_s: Length of a period, and of its active part, in seconds.
        first_s: Time at which the load is active first, seconds from the start of the victim.
    """

    period_s: float
    on_s: float
    first_s: float

    def __str__(self) -> str:
        """Return a description of the load for users."""
        return f"{self.on_s:g} of {self.period_s:g} s"


@dataclass(frozen=True)
class Load:
    """A job that runs concurrently with the victim.

    Attributes:
        name: The load's name in the experiment.
        node: Host on which the load runs.
        words: Pattern and options of the load's signal.
        rhythm: Times at which the load is active.
        harm: Whether the load uses a resource that the victim needs.
        folder: Folder of the load's files.
        profiled: Whether the load has a profile.
    """

    name: str
    node: str
    words: str
    rhythm: Rhythm
    harm: bool = False
    folder: Folder = "own"
    profiled: bool = True


@dataclass(frozen=True)
class Fault:
    """A fault that makes a server slow in bursts.

    Attributes:
        server: Host of the server.
        how: Kind of fault. `stop`: in every tenth of a second, the server's process is stopped for
            the share `part` of that time; `link`: the server's link has only the share `part` of
            its data rate.
        part: This share, 0 to 1.
        rhythm: Times at which the fault is active.
    """

    server: str
    how: Literal["stop", "link"]
    part: float
    rhythm: Rhythm

    def __str__(self) -> str:
        """Return a description of the server for users."""
        if self.how == "link":
            return f"link of {self.server} at {self.part:.0%}"
        return f"{self.server} stopped {self.part:.0%} of the time"


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        number: Number of the experiment, from 1.
        group: Kind of the experiment, a key of GROUPS.
        victim: Pattern and options of the victim's signal.
        loads: Jobs that run concurrently with the victim.
        fault: Fault of a server; None if there is none.
        resource: Kind of the resource on which the victim loses time; "" in a quiet experiment.
        meeting: Whether the victim's files are in the folder that loads in `meeting` share with it.
    """

    number: int
    group: str
    victim: str
    loads: tuple[Load, ...] = ()
    fault: Fault | None = None
    resource: str = ""
    meeting: bool = False

    @property
    def quiet(self) -> bool:
        """Whether nothing in the experiment slows the victim."""
        return self.group == QUIET

    @property
    def harmful(self) -> tuple[Load, ...]:
        """The loads that slow the victim."""
        return tuple(load for load in self.loads if load.harm)

    @property
    def bad(self) -> Load | None:
        """The first load that slows the victim; None if there is none."""
        return next(iter(self.harmful), None)

    @property
    def cause(self) -> str:
        """Description of the cause of the victim's loss."""
        if self.fault:
            return str(self.fault)
        return "; ".join(load.words for load in self.harmful)

    def without(self) -> Experiment:
        """Return the same experiment without the cause of the victim's loss."""
        kept = tuple(load for load in self.loads if not load.harm)
        return Experiment(self.number, self.group, self.victim, kept, meeting=self.meeting)

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as plain values."""
        return asdict(self)


def from_json(plain: dict[str, Any]) -> Experiment:
    """Read an experiment from the output of `Experiment.to_json`."""
    loads = tuple(Load(**{**one, "rhythm": Rhythm(**one["rhythm"])}) for one in plain["loads"])
    fault = plain["fault"]
    fault = Fault(**{**fault, "rhythm": Rhythm(**fault["rhythm"])}) if fault else None
    return Experiment(**{**plain, "loads": loads, "fault": fault})


# ---- what is drawn ------------------------------------------------------------------------------
#: Victims that need the object servers: streams with a sync after each chunk or without, chunks
#: written over and over, private files and a shared one.
_DATA_VICTIMS = (
    "aggregate-write --chunk 1MiB",
    "aggregate-write --chunk 8MiB",
    "aggregate-write --chunk 256KiB --flush each",
    "aggregate-write --chunk 4MiB --flush each",
    "aggregate-write --chunk 1MiB --flush each --shared --processes 2",
    "write-seek --chunk 64KiB",
    "write-seek --chunk 256KiB --processes 2",
)
#: Victims of these that a single slow object server slows: cached writes hide it, and a file that
#: is overwritten repeatedly may be one object, on the other server.
_SYNCED_VICTIMS = tuple(one for one in _DATA_VICTIMS if "aggregate" in one and "each" in one)
_DATA_LOADS = (
    "aggregate-write --chunk 1MiB --max-disk 400MiB",
    "aggregate-write --chunk 8MiB --flush each --processes 2 --max-disk 400MiB",
    "aggregate-write --chunk 4MiB --flush each --processes 2 --shared --max-disk 400MiB",
    "aggregate-write --chunk 1MiB --flush each --processes 3 --max-disk 400MiB",
    "write-seek --chunk 256KiB --processes 4",
)
#: Victims that write small new files: data, and a request of metadata for each. They keep them to
#: the end: what a signal removes meanwhile is not in its profile, and would be load of no job.
_SMALL_FILES = (
    "open-write-close --chunk 16KiB",
    "open-write-close --chunk 64KiB",
    "open-write-close --chunk 4KiB --processes 2",
    "open-write-close --chunk 4KiB --flush none",
    "open-write-close --chunk 64KiB --flush none",
)
_METADATA_VICTIMS = ("metadata", "metadata --processes 2", "list-folder")
#: create-files keeps its files: to remove them takes longer than to make them. Not unlink-files,
#: which makes new files that are not in its profile.
_STORMS = (
    "metadata --processes 4",
    "create-files --processes 3 --keep",
    "list-folder --processes 4",
    "open-write-close --chunk 4KiB --flush none --processes 3",
    "metadata --processes 6",
)
_LOCKS = ("lock-file", "lock-file --processes 2")
#: Decoys have a limited rate, since all hosts of a lab share this machine's cores: a load without
#: limit slows everything. For a victim that needs the object servers: metadata; for one that needs
#: the metadata server: data, for which no request waits.
_LIGHT_METADATA = ("metadata --every 10ms", "lock-file --every 5ms")
_LIGHT_DATA = (
    "aggregate-write --chunk 256KiB --every 40ms --max-disk 100MiB",
    "aggregate-write --chunk 64KiB --every 10ms --max-disk 100MiB",
)
_ELSEWHERE = "write-seek --chunk 4KiB --every 5ms"


class _Dice(random.Random):
    """Random numbers, and draws from lists in which no item repeats before all were drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._left: dict[tuple[str, ...], list[str]] = {}

    def draw(self, words: tuple[str, ...]) -> str:
        """Draw one item of a list."""
        left = self._left.setdefault(words, [])
        if not left:
            left += self.sample(words, len(words))
        return left.pop()


def experiments(seed: int) -> list[Experiment]:
    """Draw the harmful experiments and the quiet ones, in a shuffled order."""
    dice = _Dice(seed)
    drawn = []
    for group, count in GROUPS.items():
        drawn += [_MAKERS[group](dice, turn) for turn in range(count)]
    drawn += [_quiet(dice, turn) for turn in range(QUIETS)]
    dice.shuffle(drawn)
    return [Experiment(**{**one.__dict__, "number": n}) for n, one in enumerate(drawn, 1)]


def _rhythm(dice: _Dice) -> Rhythm:
    """Draw short bursts with periods of 4 s to 8 s or, in one of four cases, bursts of 5 s."""
    if dice.random() < 0.25:
        return Rhythm(dice.choice((11.0, 13.0)), 5.0, dice.choice((2.0, 3.0, 4.0)))
    period = dice.choice((4.0, 5.0, 6.0, 8.0))
    return Rhythm(
        period, period * dice.choice((0.25, 0.375, 0.5)), 1.0 + dice.random() * period / 2
    )


def _decoys(dice: _Dice, bad: Rhythm, kind: str) -> tuple[Load, ...]:
    """Draw decoys: up to two jobs that do not slow the victim; in one of eight cases none.

    The first decoy uses a resource that the victim does not need. It has the period of the load
    that slows the victim, but is active at other times. The second uses the disk of its own node,
    at the same times as that load.
    """
    which = dice.randrange(8)
    if which == 0:
        return ()
    period = bad.period_s if bad.period_s < 10 else 6.0
    other = Rhythm(period, 0.25 * period, bad.first_s + 0.5 * period)
    words = dice.choice(_LIGHT_METADATA if kind == OBJECTS else _LIGHT_DATA)
    first = Load("decoy", DECOYS[0], words, other)
    if which < 4:
        return (first,)
    same = Rhythm(period, 0.25 * period, bad.first_s)
    return (first, Load("elsewhere", DECOYS[1], _ELSEWHERE, same, folder="elsewhere"))


def _bad(words: str, rhythm: Rhythm, folder: Folder = "own", *, profiled: bool = True) -> Load:
    return Load("bad", AGGRESSOR, words, rhythm, True, folder, profiled)


def _data(dice: _Dice, turn: int) -> Experiment:
    rhythm = _rhythm(dice)
    victim = dice.draw(_DATA_VICTIMS)
    loads = (_bad(dice.draw(_DATA_LOADS), rhythm), *_decoys(dice, rhythm, OBJECTS))
    return Experiment(0, "data against data", victim, loads, resource=OBJECTS)


def _storm(dice: _Dice, turn: int) -> Experiment:
    """Draw a load of metadata operations in its own or, every second time, the victim's folder."""
    rhythm = _rhythm(dice)
    folder: Folder = "victim's" if turn % 2 else "own"
    words = "metadata --processes 4" if turn % 2 else dice.draw(_STORMS)
    victim = dice.draw(_SMALL_FILES)
    loads = (_bad(words, rhythm, folder), *_decoys(dice, rhythm, METADATA))
    return Experiment(0, "metadata storm against data", victim, loads, resource=METADATA)


def _metadata(dice: _Dice, turn: int) -> Experiment:
    rhythm = _rhythm(dice)
    meeting = turn % 2 == 1
    victim = "metadata" if meeting else dice.draw(_METADATA_VICTIMS)
    words = "metadata --processes 4" if meeting else dice.draw(_STORMS)
    bad = _bad(words, rhythm, "meeting" if meeting else "own")
    loads = (bad, *_decoys(dice, rhythm, METADATA))
    group = "metadata against metadata"
    return Experiment(0, group, victim, loads, resource=METADATA, meeting=meeting)


def _locks(dice: _Dice, turn: int) -> Experiment:
    rhythm = _rhythm(dice)
    bad = _bad(dice.draw(_LOCKS), rhythm, "meeting")
    loads = (bad, *_decoys(dice, rhythm, METADATA))
    return Experiment(0, "lock against lock", "lock-file", loads, resource=METADATA, meeting=True)


def _slow_objects(dice: _Dice, turn: int) -> Experiment:
    """Draw a stopped object server, or every third time one with a slow link."""
    rhythm = _rhythm(dice)
    server = dice.choice(OBJECT_SERVERS)
    fault = Fault(server, "link", dice.choice((0.1, 0.15)), rhythm)
    if turn % 3 != 2:
        fault = Fault(server, "stop", dice.choice((0.6, 0.8)), rhythm)
    victim = dice.draw(_SYNCED_VICTIMS)
    loads = _decoys(dice, rhythm, OBJECTS)
    return Experiment(0, "slow object server", victim, loads, fault, OBJECTS)


def _slow_metadata(dice: _Dice, turn: int) -> Experiment:
    rhythm = _rhythm(dice)
    fault = Fault(METADATA_SERVER, "stop", dice.choice((0.5, 0.7)), rhythm)
    victim = dice.draw((*_METADATA_VICTIMS, *_SMALL_FILES))
    loads = _decoys(dice, rhythm, METADATA)
    return Experiment(0, "slow metadata server", victim, loads, fault, METADATA)


def _unprofiled(dice: _Dice, turn: int) -> Experiment:
    """Draw a load without a profile: in turn of data, of metadata, and of a random one of both."""
    rhythm = _rhythm(dice)
    kind = (OBJECTS, METADATA, dice.choice((OBJECTS, METADATA)))[turn % 3]
    data = kind == OBJECTS
    bad = _bad(dice.draw(_DATA_LOADS if data else _STORMS), rhythm, profiled=False)
    victim = dice.draw(_DATA_VICTIMS if data else _METADATA_VICTIMS)
    loads = (bad, *_decoys(dice, rhythm, kind))
    return Experiment(0, "unprofiled node", victim, loads, resource=kind)


def _quiet(dice: _Dice, turn: int) -> Experiment:
    """Draw a quiet experiment: every third time the victim alone, else with decoys."""
    kind = OBJECTS if turn % 2 else METADATA
    victims = _DATA_VICTIMS if kind == OBJECTS else (*_METADATA_VICTIMS, *_SMALL_FILES)
    victim = dice.draw(victims)
    loads: tuple[Load, ...] = ()
    while turn % 3 and not loads:
        loads = _decoys(dice, _rhythm(dice), kind)
    return Experiment(0, QUIET, victim, loads)


_MAKERS: dict[str, Callable[[_Dice, int], Experiment]] = {
    "data against data": _data,
    "metadata storm against data": _storm,
    "metadata against metadata": _metadata,
    "lock against lock": _locks,
    "slow object server": _slow_objects,
    "slow metadata server": _slow_metadata,
    "unprofiled node": _unprofiled,
}
