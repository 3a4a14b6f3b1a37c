"""Draws the disturbances of a synthetic run, and computes the time that they add to its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jostle_lab.synthetic.traces.program import Floats, Ints, ReplayProgram, Script

CauseName = Literal["network", "cpu", "file system", "memory"]


@dataclass(frozen=True)
class Disturbance:
    """One source of disturbance.

    Attributes:
        cause: Resource that the disturbance uses.
        how: Effect of the disturbance. `call`: some calls of a rank are delayed; `all`: some calls
            take longer for all ranks; `steal`: ranks lose their CPU while they compute; `slow`:
            computation takes longer; `file`: file calls take longer.
        size_s: Mean length of a delay (call, all, steal).
        shape: Distribution of delays: constant, Gaussian with a fifth of the mean, exponential, or
            Pareto with exponent 1.5.
        where: Ranks that are hit: each of them, one, or those of one node.
        spans: Number of spans of the run that are hit; 0: the whole run.
        share: Share of the run that the spans take together.
        sustained: Whether the disturbance acts all the time and hits nearly all calls: continuous
            interference.
        weight: Share of this disturbance in the lost time if there are several.
    """

    cause: CauseName
    how: Literal["call", "all", "steal", "slow", "file"]
    size_s: float = 5e-3
    shape: Literal["fixed", "gauss", "exponential", "pareto"] = "gauss"
    where: Literal["each", "one", "node"] = "each"
    spans: int = 0
    share: float = 0.2
    sustained: bool = False
    weight: float = 1.0


@dataclass
class Effect:
    """The seconds that a disturbance adds to each event of a run, on each rank or on all alike.

    Arrays have the shape [K, R] for K events and R ranks, or [K, 1] if the time is the same on all
    ranks.

    Attributes:
        stolen_s: Time off the CPU in the computation before the event.
        slowed_s: Additional time of computation.
        call_s: Delay in the call, before other ranks can know that this rank has reached it.
        all_s: Delay of the call for all ranks.
        file_s: Delay in file calls.
    """

    stolen_s: Floats
    slowed_s: Floats
    call_s: Floats
    all_s: Floats
    file_s: Floats

    @staticmethod
    def none(events: int) -> Effect:
        """Return an effect that adds no time."""
        return Effect(*(np.zeros((events, 1)) for _ in range(5)))

    def __add__(self, other: Effect) -> Effect:
        return Effect(
            self.stolen_s + other.stolen_s,
            self.slowed_s + other.slowed_s,
            self.call_s + other.call_s,
            self.all_s + other.all_s,
            self.file_s + other.file_s,
        )


class DrawnDisturbance:
    """A disturbance with fixed random numbers, so that a greater strength only adds hits."""

    def __init__(
        self, disturbance: Disturbance, program: ReplayProgram, script: Script, seed: int
    ) -> None:
        self.what = disturbance
        self._program, self._script, self._seed = program, script, seed
        random = np.random.default_rng(seed)
        self._ranks = _ranks(disturbance, program, random)
        self._open = _open(disturbance, script, random)

    def effect(self, strength: float) -> Effect:
        """Return the time that the disturbance adds.

        Args:
            strength: Its meaning depends on `how`. `call`, `all`: probability that a call is hit (a
                sustained disturbance may have more than 1, which makes delays longer); `steal`:
                hits per second of computation; `slow`, `file`: additional time, relative.
        """
        script, disturbance = self._script, self.what
        result = Effect.none(len(script.call))
        random = np.random.default_rng(self._seed + 1)
        sorts = script.sorts
        ranks = self._ranks
        if disturbance.how == "slow":
            result.slowed_s = strength * script.gap_s * ranks * self._open[:, None]
        elif disturbance.how == "file":
            cost = script.cost_s * (sorts == "file") * self._open
            result.file_s = (strength * cost)[:, None]
        elif disturbance.how == "all":
            dice = random.random(len(sorts))
            hit = (dice < strength) & script.in_mpi & self._open
            sizes = self._sizes(random, len(sorts)) * self._scale(strength)
            result.all_s = np.where(hit, sizes, 0.0)[:, None]
        elif disturbance.how == "call":
            each = random.random(script.gap_s.shape, dtype=np.float32)
            hit = (each < strength) & (script.in_mpi & self._open)[:, None] & ranks
            result.call_s = self._scattered(hit, hit.astype(np.int64)) * self._scale(strength)
        else:
            mean = strength * script.gap_s * ranks * self._open[:, None]
            times = np.random.default_rng(self._seed + 2).poisson(mean)
            result.stolen_s = self._scattered(times > 0, times)
        return result

    def _scale(self, strength: float) -> float:
        """Return the factor for the length of delays: above 1 if all calls are hit already."""
        return max(strength, 1.0) if self.what.sustained else 1.0

    def _scattered(self, hit: NDArray[np.bool_], times: Ints) -> Floats:
        """Draw a length for each hit, and return the sum of these lengths for each event."""
        found = np.zeros(hit.shape)
        counts = times[hit]
        sizes = self._sizes(np.random.default_rng(self._seed + 3), int(counts.sum()))
        edges = np.concatenate([[0], np.cumsum(counts)[:-1]])
        found[hit] = np.add.reduceat(sizes, edges) if len(counts) else 0.0
        return found

    def _sizes(self, random: np.random.Generator, number: int) -> Floats:
        mean, shape = self.what.size_s, self.what.shape
        if shape == "fixed":
            return np.full(number, mean)
        if shape == "gauss":
            return np.asarray(random.normal(mean, mean / 5, number).clip(mean / 20))
        if shape == "exponential":
            return np.asarray(random.exponential(mean, number))
        return np.asarray((random.pareto(1.5, number) + 1) * mean / 3).clip(None, 400 * mean)


def _ranks(
    disturbance: Disturbance, program: ReplayProgram, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Return whether each rank is hit [1, R]."""
    ranks = np.arange(program.ranks)
    if disturbance.where == "each":
        return np.ones((1, program.ranks), dtype=bool)
    if disturbance.where == "one":
        return np.asarray(ranks == random.integers(program.ranks))[None]
    nodes = -(-program.ranks // program.per_node)
    return np.asarray(ranks // program.per_node == random.integers(nodes))[None]


def _open(
    disturbance: Disturbance, script: Script, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Return whether each event lies in a span that is hit [K]."""
    events = len(script.call)
    if not disturbance.spans:
        return np.ones(events, dtype=bool)
    when = np.cumsum(script.gap_s.mean(axis=1) + script.cost_s)
    when /= when[-1]
    length = disturbance.share / disturbance.spans
    begins = (
        np.arange(disturbance.spans) + random.random(disturbance.spans) * (1 - disturbance.share)
    ) / disturbance.spans
    inside = np.zeros(events, dtype=bool)
    for begin in begins:
        inside |= (when >= begin) & (when < begin + length)
    return inside
