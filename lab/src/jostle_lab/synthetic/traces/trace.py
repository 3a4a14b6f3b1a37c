"""Makes a synthetic run of an MPI program: its tables, and the time that it truly lost."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jostle.repository import RunTables
from jostle_lab.synthetic.traces.accounts import off_cpu, waits
from jostle_lab.synthetic.traces.cuts import cut
from jostle_lab.synthetic.traces.disturb import Disturbance, DrawnDisturbance, Effect
from jostle_lab.synthetic.traces.program import Floats, Ints, ReplayProgram, Script, write_script
from jostle_lab.synthetic.traces.rows import ReplayedRun
from jostle_lab.synthetic.traces.tables import run_tables
from jostle_lab.synthetic.traces.timeline import ReplayTimeline, replay

_START_NS = 1_700_000_000_000_000_000
_TRIES = 5  # to reach about the requested loss
_NEAR = 0.1  # of it
_SLOPES = (0.8, 1.3)  # of computation on the core-speed probe
_CLEAN = 0.12  # of the seeds disturb nothing


@dataclass(frozen=True)
class TraceSpec:
    """A family of synthetic runs.

    Attributes:
        name: The family's name.
        program: The program.
        disturbances: The family's disturbances.
        least: Least injected loss, percent of the disturbed run.
        most: Greatest injected loss.
        about: One-sentence description for tables.
        core_probe: Whether the core-speed probe is recorded, which is slowed like computation.
    """

    name: str
    program: ReplayProgram
    disturbances: tuple[Disturbance, ...] = ()
    least: float = 1.0
    most: float = 40.0
    about: str = ""
    core_probe: bool = False


@dataclass(frozen=True)
class KnownLoss:
    """The time that a synthetic run lost, compared with the same run without disturbances.

    Attributes:
        run_s: The run's run time.
        clean_s: The run's run time without disturbances.
        continuous_s: Seconds lost to disturbances that acted all the time.
        hidden_s: Part of `continuous_s` that was lost to constantly slow memory, which no single
            run can show.
        by_cause: Seconds lost by cause; their sum is lost_s.
        time_ns: Time at which the last rank ends each event in the disturbed run [K].
        clean_at_s: End of the same events in the undisturbed run, seconds since MPI_Init [K].
        init_ns: Time of MPI_Init, ns since the epoch.
        injected: Requested loss, percent.
        rate_hz: Number of collectives of all ranks per second.
    """

    run_s: float
    clean_s: float
    continuous_s: float
    hidden_s: float
    by_cause: dict[str, float]
    time_ns: Ints = field(repr=False)
    clean_at_s: Floats = field(repr=False)
    init_ns: int
    injected: float
    rate_hz: float

    @property
    def lost_s(self) -> float:
        """Total lost time, in seconds."""
        return self.run_s - self.clean_s

    @property
    def percent(self) -> float:
        """Total lost time, percent of the disturbed run."""
        return 100 * self.lost_s / self.run_s

    @property
    def instantaneous_percent(self) -> float:
        """Percent lost to disturbances that came and went."""
        return 100 * (self.lost_s - self.continuous_s) / self.run_s

    @property
    def visible_percent(self) -> float:
        """Percent lost to disturbances that this run alone can show."""
        return 100 * (self.lost_s - self.hidden_s) / self.run_s

    def between(self, start_ns: int, end_ns: int) -> float:
        """Return the seconds lost in a span of the disturbed run."""
        times = np.concatenate([[self.init_ns], self.time_ns])
        clean = np.concatenate([[0.0], self.clean_at_s])
        low, high = np.interp([start_ns, end_ns], times, clean)
        span = np.clip([start_ns, end_ns], times[0], times[-1])
        return float((span[1] - span[0]) / 1e9 - (high - low))

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        names = (
            "run_s",
            "clean_s",
            "lost_s",
            "percent",
            "instantaneous_percent",
            "visible_percent",
            "continuous_s",
            "hidden_s",
            "by_cause",
            "injected",
            "rate_hz",
        )
        return {name: getattr(self, name) for name in names}


def trace(spec: TraceSpec, seed: int) -> tuple[RunTables, KnownLoss]:
    """Make a synthetic run: its tables as the repository would return them, and its true loss.

    The program is replayed event by event on all ranks, once with the disturbances and once
    without. The rules by which the runtime records a run are applied to the disturbed replay. The
    loss is drawn, and the strength of the disturbances is set so that the run loses about as much.
    One seed in eight has no disturbance.

    Args:
        spec: Family of the run.
        seed: Seed of everything that is drawn. Estimators are tuned on seeds 0-99, and scored on
            seeds from 1000 on.
    """
    run, truth = replayed(spec, seed)
    return run_tables(run, f"{spec.name}-{seed}"), truth


def replayed(spec: TraceSpec, seed: int) -> tuple[ReplayedRun, KnownLoss]:
    """Make a synthetic run without its tables (arguments as for `trace`)."""
    random = np.random.default_rng([seed, zlib.crc32(spec.name.encode())])
    script = write_script(spec.program, random)
    wanted = float(random.uniform(spec.least, spec.most)) if random.random() > _CLEAN else 0.0
    clean = replay(script, Effect.none(len(script.call)))
    drawn = [
        DrawnDisturbance(disturbance, spec.program, script, int(random.integers(1 << 32)))
        for disturbance in spec.disturbances
    ]
    if not spec.disturbances:
        wanted = 0.0
    strengths = _strengths(script, clean, drawn, wanted) if wanted else [0.0] * len(drawn)
    effects = [
        drawn_disturbance.effect(strength)
        for drawn_disturbance, strength in zip(drawn, strengths, strict=True)
    ]
    together = sum(effects, Effect.none(len(script.call)))
    timeline = replay(script, together) if wanted else clean
    init = _START_NS + int(random.integers(10**9))
    run = ReplayedRun(
        spec.program,
        script,
        timeline,
        together,
        waits(script, timeline),
        [off_cpu(script, timeline, together, rank) for rank in range(spec.program.ranks)],
        cut(script, timeline.end_s[:, 0], raw=spec.program.raw),
        init,
        seed,
        _core_probe(spec, seed) if spec.core_probe else 0.0,
    )
    truth = _truth(script, clean, timeline, drawn, effects, init, wanted)
    return run, truth


def _core_probe(spec: TraceSpec, seed: int) -> float:
    """Draw the ratio of a program's slowdown to that of the core-speed probe."""
    random = np.random.default_rng([seed, zlib.crc32(spec.name.encode()), 1])
    return float(random.uniform(*_SLOPES))


def _strengths(
    script: Script, clean: ReplayTimeline, drawn: list[DrawnDisturbance], wanted: float
) -> list[float]:
    """Return the strength at which each disturbance alone would cause its part of the loss."""
    weights = np.array([drawn_disturbance.what.weight for drawn_disturbance in drawn])
    lost = clean.seconds * wanted / (100 - wanted) * weights / weights.sum()
    return [
        _strength(script, clean, drawn_disturbance, float(part))
        for drawn_disturbance, part in zip(drawn, lost, strict=True)
    ]


def _strength(
    script: Script, clean: ReplayTimeline, drawn_disturbance: DrawnDisturbance, lost: float
) -> float:
    guess = _first_guess(script, clean, drawn_disturbance, lost)
    low, high = 0.0, np.inf
    for _ in range(_TRIES):
        found = replay(script, drawn_disturbance.effect(guess)).seconds - clean.seconds
        if abs(found - lost) < _NEAR * lost:
            break
        low, high = (guess, high) if found < lost else (low, guess)
        better = guess * lost / max(found, lost / 20)
        guess = better if low < better < high else (low + min(high, 4 * guess)) / 2
    return guess


def _first_guess(
    script: Script, clean: ReplayTimeline, drawn_disturbance: DrawnDisturbance, lost: float
) -> float:
    """Guess the strength that causes a loss, as if all delays of all ranks added up."""
    disturbance = drawn_disturbance.what
    part = disturbance.share if disturbance.spans else 1.0
    is_file = script.sorts == "file"
    ranks: int = {"each": script.gap_s.shape[1], "one": 1, "node": 4}[disturbance.where]
    if disturbance.how == "file":
        return lost / max(float(script.cost_s[is_file].sum()) * part, 1e-9)
    if disturbance.how == "slow":
        return lost / max(float(script.gap_s.max(axis=1).sum()) * part, 1e-9)
    if disturbance.how == "steal":
        return (
            lost
            / disturbance.size_s
            / max(float(script.gap_s.mean(axis=1).sum()) * ranks * part, 1e-9)
        )
    calls: float = float(script.in_mpi.sum()) * part * (ranks if disturbance.how == "call" else 1)
    return lost / disturbance.size_s / max(calls, 1.0)


def _truth(
    script: Script,
    clean: ReplayTimeline,
    timeline: ReplayTimeline,
    drawn: list[DrawnDisturbance],
    effects: list[Effect],
    init: int,
    wanted: float,
) -> KnownLoss:
    """Return the time that a run lost, compared with its undisturbed replay.

    The loss is divided among causes in proportion to their losses in replays with one cause only.
    """
    lost = timeline.seconds - clean.seconds
    alone = {}
    kinds = [
        (drawn_disturbance.what.cause, drawn_disturbance.what.sustained)
        for drawn_disturbance in drawn
    ]
    for kind in dict.fromkeys(kinds):
        mine = [e for e, other in zip(effects, kinds, strict=True) if other == kind]
        if len(mine) == len(effects):
            alone[kind] = lost
        else:
            just = sum(mine, Effect.none(len(script.call)))
            alone[kind] = replay(script, just).seconds - clean.seconds
    scale = lost / sum(alone.values()) if sum(alone.values()) > 0 else 0.0
    by_cause: dict[str, float] = {}
    for (cause, _), seconds in alone.items():
        by_cause[cause] = by_cause.get(cause, 0.0) + seconds * scale
    return KnownLoss(
        run_s=timeline.seconds,
        clean_s=clean.seconds,
        continuous_s=sum(s for (_, always), s in alone.items() if always) * scale,
        hidden_s=alone.get(("memory", True), 0.0) * scale,
        by_cause=by_cause,
        time_ns=init + np.rint(timeline.end_s.max(axis=1) * 1e9).astype(np.int64),
        clean_at_s=clean.end_s.max(axis=1),
        init_ns=init,
        injected=wanted,
        rate_hz=float((script.sorts == "global").sum()) / timeline.seconds,
    )
