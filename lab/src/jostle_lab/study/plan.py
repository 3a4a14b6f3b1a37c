"""Plans the runs of a study, standalone and in pairs, and estimates the time that they take."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jostle_lab.study.errors import ConfigError
from jostle_lab.study.model import AXES, METADATA, PATTERNS, Program, Study, compact
from jostle_lab.study.units import rate, size_text

MOST_RUNS = 100_000
#: The default length of jostle-signal, where no end is given.
DEFAULT_TIME_S = 10.0
#: Seconds around the programs of a run: start, ingest, pause.
_AROUND_S = 1.5
_RATES = {"local": 200e6, "slurm": 20e9}
#: Seconds likewise, for each node of a cluster.
_NODE_RATE = 1e9
#: What a process of `read` writes at most before its start.
_READ_FILE = 32 << 20


@dataclass(frozen=True)
class Member:
    """A program in a run.

    Attributes:
        program: The program, with the values of every axis filled in.
        role: Role in the run: "alone" (the only program), "probe" (its loss is measured), "signal"
            (it disturbs the probe) or "both" (in race mode, each program is probe and signal).
        stop: How the program ends: "own" (by itself) or "partner" (it is stopped when its probe
            ends).
    """

    program: Program
    role: str
    stop: str = "own"

    def to_json(self) -> dict[str, Any]:
        """Return what plan.json keeps."""
        return {
            "program": compact(self.program),
            "role": self.role,
            "stop": self.stop,
            "config": self.program.baseline(),
        }


@dataclass(frozen=True)
class PlannedRun:
    """One run of the plan.

    Attributes:
        id: Key of the run in runs.jsonl, which does not change when the study is resumed.
        kind: Kind of the run: "alone" or "pair".
        repetition: Number of the repetition, from 1.
        index: Number of the run's cell among the cells of its kind, from 1.
        mode: Mode of a pair, "race" or "probe"; None for a standalone run.
        cell: Value of each axis; processes and nodes are lists with one number per program.
        cell_key: Key of the run's cell: equal in all repetitions, different for every other cell.
        members: The one or two programs of the run.
    """

    id: str
    kind: str
    repetition: int
    index: int
    mode: str | None
    cell: Mapping[str, Any]
    cell_key: str
    members: tuple[Member, ...]

    @property
    def label(self) -> str:
        """The label of the run, such as `open-write-close × write-seek, 1MiB`."""
        names = " × ".join(member.program.name for member in self.members)
        words = [names]
        chunk = self.cell["chunk"]
        if chunk is not None:
            sizes = chunk if isinstance(chunk, list) else [chunk]
            words.append("/".join("-" if one is None else size_text(one) for one in sizes))
        words.append("/".join(str(count) for count in self.cell["processes"]) + " proc")
        if self.cell["shared"]:
            words.append("shared")
        if store := self.cell["store"]:
            words.append(store if isinstance(store, str) else "/".join(map(str, store)))
        return ", ".join(words)

    def to_json(self) -> dict[str, Any]:
        """Return what plan.json keeps."""
        content = {
            field: getattr(self, field)
            for field in ("id", "kind", "repetition", "index", "mode", "cell", "cell_key")
        }
        return content | {"members": [member.to_json() for member in self.members]}


@dataclass(frozen=True)
class _Cell:
    """What all repetitions of a run have in common: the programs, and the values of the axes."""

    kind: str
    mode: str | None
    members: tuple[Member, ...]

    @property
    def key(self) -> str:
        return "+".join(f"{m.role}:{m.program.baseline()}" for m in self.members)


def plan(study: Study) -> tuple[PlannedRun, ...]:
    """List all runs of a study in the order in which they are executed.

    Each repetition has first all standalone runs, then all pairs. The order within each of these
    two groups is drawn from the study's seed, so that a drift of the machine affects all cells.

    Raises:
        ConfigError: A program lacks a value that it needs in some cell, or there are too many runs.
    """
    combinations = math.prod(len(values) for _, values in study.axes)
    _not_too_many(study, study.repetitions * combinations)  # before the runs are made
    pairs = list(_pair_cells(study))
    alone = list(_alone_cells(study, pairs))
    total = study.repetitions * (len(pairs) + len(alone))
    if not total:
        raise ConfigError(
            f"{study.file}: nothing is left to run.",
            hint=_missing(study) or "Add pairs, or programs that are run alone.",
        )
    _not_too_many(study, total)
    runs: list[PlannedRun] = []
    for repetition in range(1, study.repetitions + 1):
        for letter, cells in (("a", alone), ("p", pairs)):
            order = list(enumerate(cells, 1))
            random.Random(f"{study.seed}-{repetition}-{letter}").shuffle(order)
            runs += [_run(repetition, letter, index, cell) for index, cell in order]
    return tuple(runs)


def _not_too_many(study: Study, total: int) -> None:
    if total > MOST_RUNS:
        raise ConfigError(
            f"{study.file}: the study has {total} runs or more; {MOST_RUNS} is the limit.",
            hint="Shorten an axis, or split the study into several studies.",
        )


def _missing(study: Study) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in study.left_out)


def _run(repetition: int, letter: str, index: int, cell: _Cell) -> PlannedRun:
    return PlannedRun(
        id=f"r{repetition:02d}-{letter}{index:03d}",
        kind=cell.kind,
        repetition=repetition,
        index=index,
        mode=cell.mode,
        cell=_describe(cell),
        cell_key=cell.key,
        members=cell.members,
    )


def _describe(cell: _Cell) -> dict[str, Any]:
    programs = [member.program for member in cell.members]

    def one(key: str) -> Any:
        values = [getattr(program, key) for program in programs]
        known = [value for value in values if value is not None]
        if not known:
            return None
        # A command has no chunk of its own: the cell has the pattern's.
        return known[0] if len(set(known)) == 1 else values

    return {
        "chunk": one("chunk"),
        "processes": [program.processes for program in programs],
        "nodes": [program.nodes for program in programs],
        "shared": any(program.shared for program in programs),
        "periodic": any(program.period_s for program in programs),
        "api": one("api"),
        "store": one("store"),
    }


def _pair_cells(study: Study) -> Iterator[_Cell]:
    seen: set[str] = set()
    for values in _combinations(study):
        for pair in study.pairs:
            names = (pair.first, pair.second)
            programs = [
                filled(study, study.program(name), values, slot) for slot, name in enumerate(names)
            ]
            roles = ("both", "both") if study.mode == "race" else ("probe", "signal")
            stops = ("own", "own" if study.mode == "race" else "partner")
            members = tuple(map(Member, programs, roles, stops))
            cell = _Cell("pair", study.mode, members)
            if cell.key not in seen:
                seen.add(cell.key)
                yield cell


def _alone_cells(study: Study, pairs: Sequence[_Cell]) -> Iterator[_Cell]:
    programs = [member.program for cell in pairs for member in cell.members]
    programs += [
        filled(study, program, values, 0)
        for values in _combinations(study)
        for program in study.programs
        if not pairs or program.role == "alone"
    ]
    seen: set[str] = set()
    for program in programs:
        if program.alone is False or program.baseline() in seen:
            continue
        seen.add(program.baseline())
        yield _Cell("alone", None, (Member(program, "alone"),))


def _combinations(study: Study) -> Iterator[dict[str, Any]]:
    keys = [key for key, _ in study.axes]
    for values in itertools.product(*(values for _, values in study.axes)):
        yield dict(zip(keys, values, strict=True))


def filled(study: Study, program: Program, values: Mapping[str, Any], slot: int) -> Program:
    """Return a program with the axes' values and all defaults in place.

    Args:
        study: The study, for messages.
        program: The program.
        values: Value of each axis; a tuple has one value for each program of a pair.
        slot: Position of the program in a pair: 0 for the first, 1 for the second.

    Raises:
        ConfigError: The program's volume is given per chunk size, but not for this size.
    """
    change: dict[str, Any] = {"weak": ()}
    for key in AXES:
        if key not in values or not program.uses(key):
            continue
        value = values[key][slot] if isinstance(values[key], tuple) else values[key]
        if getattr(program, key) is None or key in program.weak:
            change[key] = value
    if not program.uses("chunk"):
        change["chunk"] = None  # cpu has none, nor has a command that does not mention it
    program = dataclasses.replace(program, **change)
    if program.piece and program.chunk and program.piece > program.chunk:
        program = dataclasses.replace(program, piece=None)  # the axis also has smaller chunks
    if program.volumes:
        known = dict(program.volumes)
        chunk = program.chunk or 1 << 20
        if chunk not in known:
            raise ConfigError(
                f"{study.file}: `{program.name}` has no volume for a chunk of {size_text(chunk)}.",
                hint=f'Add "{size_text(chunk)}" = "..." to its table `volume`.',
            )
        program = dataclasses.replace(program, volume=known[chunk], volumes=())
    processes = program.processes or len(program.at) or 1
    nodes = program.nodes or -(-processes // (program.per_node or processes))
    default: dict[str, Any] = {
        "processes": processes,
        "nodes": min(nodes, processes),
        "per_node": None,  # replaced by nodes from here on
        "mpi": program.mpi or "none",
        "progress": program.progress or _progress(program.pattern),
        "limit_s": program.limit_s or 600.0,
    }
    if program.pattern is not None:
        # A working set depends on the machine, its caches and GPUs: jostle-signal knows it.
        kind = PATTERNS[program.pattern]
        own_default = not program.uses("chunk") or kind in ("memory", "gpu")
        default |= {
            "chunk": program.chunk or (None if own_default else 1 << 20),
            "api": program.api or "posix",
            "shared": bool(program.shared),
        }
        if program.period_s:
            default["duty"] = 0.5 if program.duty is None else program.duty
    return dataclasses.replace(program, **default)


def _progress(pattern: str | None) -> str:
    """Return the metric in which a program's progress is counted.

    Progress of patterns that load memory, cores or GPUs is counted in operations, since profiles
    do not count bytes there.
    """
    if pattern == "read":
        return "read_bytes"
    moves = pattern is None or (PATTERNS[pattern] == "files" and pattern not in METADATA)
    return "bytes" if moves else "operations"


# How long


def expected_seconds(study: Study, run: PlannedRun) -> float:
    """Guess the time that a run takes, in seconds, before any run of its kind has ended."""
    around = _AROUND_S + study.where.settle_s + (study.where.lead_s or 0.5)
    around += 1.5 * any(member.program.mpi != "none" for member in run.members)
    around += preparing_seconds(study, [member.program for member in run.members])
    times = [_alone_seconds(study, member.program) for member in run.members]
    if run.mode == "probe":
        return around + 2 * times[0]
    timed = [
        member.program.time_s is not None or member.program.pattern is None
        for member in run.members
    ]
    return around + (max(times) if all(timed) else sum(times))


def preparing_seconds(study: Study, programs: Sequence[Program]) -> float:
    """Return the time in which patterns that read write their files first, with a margin."""
    needed = 0.0
    for program in programs:
        if program.pattern == "read":
            each = min(_READ_FILE, (program.volume or 1 << 62) // (program.processes or 1))
            needed += each * (program.processes or 1) / _storage_speed(study, program)
    return 2 * needed


def _storage_speed(study: Study, program: Program) -> float:
    links = sum(rate(each) or 0 for each in study.lab.storage_rate.split(","))
    speed = _RATES.get(study.where.place) or links or 50e6
    if study.where.place == "slurm":
        speed = min(speed, _NODE_RATE * (program.nodes or 1))
    return speed


def _alone_seconds(study: Study, program: Program) -> float:
    if program.expect_s is not None:
        return program.expect_s
    bounds = []
    speed = _storage_speed(study, program)
    if PATTERNS.get(program.pattern or "") == "network":
        speed = rate(study.lab.uplink_rate) or 12e6
    active = max(0.05, 0.5 if program.duty is None else program.duty) if program.period_s else 1.0
    if program.split:
        active = 1.0  # its probe never pauses
    amount = program.volume
    if program.iterations is not None:
        one = (program.processes or 1) * (program.chunk or 1 << 20)
        amount = min(amount or 1 << 62, program.iterations * one)
    if amount is not None:
        bounds.append(amount / speed / active)
    if program.time_s is not None:
        bounds.append(program.time_s)
    return min(bounds) if bounds else DEFAULT_TIME_S


class PlannedTime:
    """The estimated time left, based on the runs that are done."""

    def __init__(self, study: Study, runs: Sequence[PlannedRun]) -> None:
        """Start from guesses.

        Args:
            study: The study.
            runs: All runs of the study.
        """
        self._guess = {run.id: expected_seconds(study, run) for run in runs}
        self._cell = {run.id: run.cell_key for run in runs}
        self._kind = {run.id: run.kind for run in runs}
        self._seen: dict[str, list[float]] = {}
        self._ratio: dict[str, list[float]] = {}

    def learn(self, run: str, seconds: float) -> None:
        """Record the time that a run took."""
        if run in self._cell:
            self._seen.setdefault(self._cell[run], []).append(seconds)
            self._ratio.setdefault(self._kind[run], []).append(seconds / self._guess[run])

    def left(self, runs: Iterable[str]) -> float:
        """Return the expected time of some runs, in seconds."""
        return sum(self._one(run) for run in runs)

    def _one(self, run: str) -> float:
        if seen := self._seen.get(self._cell[run]):
            return sum(seen) / len(seen)
        ratios = self._ratio.get(self._kind[run]) or [
            ratio for known in self._ratio.values() for ratio in known
        ]
        return self._guess[run] * (sum(ratios) / len(ratios) if ratios else 1.0)
