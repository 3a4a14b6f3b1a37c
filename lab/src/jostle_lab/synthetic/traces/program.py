"""Describes a synthetic program: its calls in order and the computation before each.

A program is written as phases that iterate over calls; `write_script` draws one run of it: the flat
list of its events with everything that belongs to the program itself (work, imbalance, how often an
inner solver iterates, natural jitter). Disturbances are added in disturb.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sort = Literal["global", "neighbours", "forth", "back", "send", "file", "none"]
_OUTSIDE_MPI = ("file", "none")


@dataclass(frozen=True)
class Call:
    """A call site of a program, and the computation before it.

    Attributes:
        function: Function that is called.
        sort: Kind of the call. `global`: a collective of all ranks; `neighbours`: an exchange with
            both neighbours in a ring; `forth`: a receive from the previous rank; `back`: a receive
            from the next rank; `send`: the send that the rank makes after such a receive; `file`: a
            file call; `none`: no call, only computation.
        gap_s: Computation before the call, seconds on a mean rank.
        cost_s: Time of the call itself if no rank is late.
        bytes: Bytes that the call transfers.
        every: Number of iterations in which the call occurs once.
        bytes_drift: Relative differences of `bytes` between ranks. They are drawn anew at each call
            whose `every` is more than 1, as in a particle code that rebuilds its lists.
    """

    function: str
    sort: Sort = "global"
    gap_s: float = 0.0
    cost_s: float = 20e-6
    bytes: int = 8
    every: int = 1
    bytes_drift: float = 0.0

    @property
    def in_mpi(self) -> bool:
        """Whether the call is a call of MPI."""
        return self.sort not in _OUTSIDE_MPI


@dataclass(frozen=True)
class ProgramLoop:
    """A loop of a program.

    Attributes:
        seconds: The loop's approximate length, undisturbed.
        calls: Calls of each iteration.
        inner: Calls of a loop within each iteration, after `calls`.
        inner_times: Least and greatest number of rounds of the inner loop, which varies slowly from
            iteration to iteration.
        content: Relative spread of the work between iterations with the same calls.
    """

    seconds: float
    calls: tuple[Call, ...]
    inner: tuple[Call, ...] = ()
    inner_times: tuple[int, int] = (1, 1)
    content: float = 0.0


@dataclass(frozen=True)
class ReplayProgram:
    """A parallel program.

    Attributes:
        phases: Phases, run one after the other; the first is usually the set-up.
        ranks: Number of processes.
        per_node: Number of processes on a node.
        imbalance: Constant spread of the work over ranks (relative).
        wandering: Spread of the work over ranks that changes slowly.
        jitter: Independent spread of each computation.
        counter: Hardware counters outside of calls: none, instructions, or also FLOP.
        raw: Whether each global collective ends a segment (JOSTLE_SEGMENTS=raw).
        slice_ns: Length of a slice, in ns.
    """

    phases: tuple[ProgramLoop, ...]
    ranks: int = 16
    per_node: int = 8
    imbalance: float = 0.01
    wandering: float = 0.0
    jitter: float = 0.005
    counter: Literal["", "instructions", "flops"] = ""
    raw: bool = False
    slice_ns: int = 1_000_000_000

    def sized(self, **changes: object) -> ReplayProgram:
        """Return the same program with other parameters."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Script:
    """One run of a program, undisturbed: K events on R ranks.

    Attributes:
        calls: Distinct calls of the program.
        call: Index into calls of each event [K].
        iteration: Iteration that each event belongs to, over all phases [K].
        bytes: Bytes of each event on a mean rank [K].
        bytes_of: Bytes of the ranks in each event, relative; None: all equal [K, R].
        cost_s: Own time of each event [K].
        work_s: Computation before each event, without jitter [K, R].
        gap_s: Computation before each event, with jitter [K, R].
        skew_s: Time by which each rank leaves a call after the first rank [K, R].
    """

    calls: tuple[Call, ...]
    call: Ints
    iteration: Ints
    bytes: Ints
    bytes_of: Floats | None
    cost_s: Floats
    work_s: Floats
    gap_s: Floats
    skew_s: Floats

    @property
    def sorts(self) -> NDArray[np.str_]:
        """The sort of each event."""
        return np.array([call.sort for call in self.calls])[self.call]

    @property
    def in_mpi(self) -> NDArray[np.bool_]:
        """Whether each event is a call of MPI."""
        return np.array([call.in_mpi for call in self.calls])[self.call]


_TICK_HZ, _TICK_S = 2.0, 30e-6  # of the operating system, on every rank
_WANDER_ITERATIONS = 40.0


def write_script(program: ReplayProgram, random: np.random.Generator) -> Script:
    """Draw one run of a program.

    Args:
        program: Program that is run.
        random: Source of the program's own random numbers.
    """
    calls = tuple(dict.fromkeys(c for p in program.phases for c in (*p.calls, *p.inner)))
    number = {call: i for i, call in enumerate(calls)}
    parts, factors, iterations = [], [], []
    first = 0
    for phase in program.phases:
        order, iteration = _events(phase, number, random)
        parts.append(order)
        rounds = int(iteration[-1]) + 1 if len(iteration) else 0
        content = np.exp(random.normal(0, phase.content, rounds)) if phase.content else None
        factors.append(np.ones(len(order)) if content is None else content[iteration])
        iterations.append(iteration + first)
        first += rounds
    call, iteration = np.concatenate(parts), np.concatenate(iterations)
    gap = np.array([c.gap_s for c in calls])[call] * np.concatenate(factors)
    work = gap[:, None] * _shares(program, iteration, random)
    return Script(
        calls,
        call,
        iteration,
        np.array([c.bytes for c in calls], dtype=np.int64)[call],
        _bytes_of(calls, call, program.ranks, random),
        np.array([c.cost_s for c in calls])[call],
        work,
        _jittered(work, program.jitter, random),
        random.exponential(0.5e-6, work.shape),
    )


def _events(
    phase: ProgramLoop, number: dict[Call, int], random: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return the calls of a phase in order, and the number of the iteration of each call."""
    inner = [number[call] for call in phase.inner]
    low, high = phase.inner_times
    mean = (low + high) / 2 if inner else 0.0
    length = sum(c.gap_s / c.every + c.cost_s / c.every for c in phase.calls)
    length += mean * sum(c.gap_s + c.cost_s for c in phase.inner)
    rounds = max(round(phase.seconds / length), 1)
    times = np.zeros(rounds, dtype=np.int64)
    if inner:
        walk = np.cumsum(random.normal(0, 0.25, rounds))
        times = np.rint(low + (high - low) * (0.5 + 0.5 * np.sin(walk))).astype(np.int64)
    made: dict[tuple[tuple[int, ...], int], Ints] = {}
    parts = []
    for i in range(rounds):
        head = tuple(number[c] for c in phase.calls if i % c.every == c.every - 1 or c.every == 1)
        key = (head, int(times[i]))
        if key not in made:
            made[key] = np.array(list(head) + inner * key[1], dtype=np.int64)
        parts.append(made[key])
    return np.concatenate(parts), np.repeat(np.arange(rounds), [len(p) for p in parts])


def _shares(program: ReplayProgram, iteration: Ints, random: np.random.Generator) -> Floats:
    """Return the work of each rank in each event, relative to the mean rank [K or 1, R]."""
    fixed = 1 + program.imbalance * random.normal(0, 1, program.ranks).clip(-2.5, 2.5)
    fixed /= fixed.mean()
    if not program.wandering:
        return np.asarray(fixed[None, :])
    rounds = int(iteration[-1]) + 1
    knots = max(int(rounds / _WANDER_ITERATIONS) + 2, 3)
    drawn = random.normal(0, program.wandering, (knots, program.ranks)).clip(-0.8, 0.8)
    place = np.linspace(0, knots - 1, rounds)
    low = np.minimum(place.astype(int), knots - 2)
    share = (place - low)[:, None]
    moved = (fixed + drawn[low] * (1 - share) + drawn[low + 1] * share).clip(0.05)
    # Work moves from rank to rank; its sum is constant.
    moved /= moved.mean(axis=1, keepdims=True)
    return np.asarray(moved[iteration])


def _jittered(work: Floats, jitter: float, random: np.random.Generator) -> Floats:
    """Add the noise that every machine has: random jitter of computations, and timer ticks."""
    drawn = random.standard_normal(work.shape, dtype=np.float32)
    # Machines are slower now and then, never faster: the spread is one-sided.
    gap = work * (1 + jitter * np.abs(drawn))
    hits = random.random(work.shape, dtype=np.float32) < _TICK_HZ * gap
    gap[hits] += random.exponential(_TICK_S, int(hits.sum()))
    return np.asarray(gap, dtype=np.float64)


def _bytes_of(
    calls: tuple[Call, ...], call: Ints, ranks: int, random: np.random.Generator
) -> Floats | None:
    drift = np.array([c.bytes_drift for c in calls])[call]
    if not drift.any():
        return None
    anew = np.cumsum(np.array([c.every > 1 for c in calls])[call])
    drawn = random.uniform(-1, 1, (int(anew[-1]) + 1, ranks))
    return np.asarray(1 + drift[:, None] * drawn[anew])
