"""Rounds of `jostle overhead`: all kinds of runs of a command in turn, and their results."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jostle.cli.launch.trial import ARMS, Trial, TrialError, TrialRun
from jostle.errors import UsageError
from jostle.schema.profile import MpiAdapter

if TYPE_CHECKING:
    from jostle.analysis.overhead import Overhead

_MPI, _WHOLE = "MPI_Init to MPI_Finalize", "whole command"


@dataclass(frozen=True)
class RoundPlan:
    """The plan of a measurement.

    Attributes:
        runs: Number of rounds that count.
        warmup: Number of rounds before them.
        order: Random generator for the order within each round; None: always the same order.
        gpu: Whether to refuse a command without recorded use of a GPU.
    """

    runs: int
    warmup: int
    order: random.Random | None = None
    gpu: bool = False


@dataclass
class Rounds:
    """The runs of a measurement.

    Attributes:
        wanted: Number of requested rounds.
        done: The runs of complete rounds.
        ended: Number of runs of all kinds, including those that do not count.
        lost: For each other profiler that failed, the reason why its runs do not count.
        unlogged: Other profilers that left no log.
        lacking: MPI libraries without an adapter.
        interrupted: Whether Ctrl-C ended them.
    """

    wanted: int
    done: list[TrialRun] = field(default_factory=list)
    ended: int = 0
    lost: dict[str, str] = field(default_factory=dict)
    unlogged: set[str] = field(default_factory=set)
    lacking: set[str] = field(default_factory=set)
    interrupted: bool = False

    @property
    def rounds(self) -> int:
        """The number of complete rounds that count."""
        return sum(run.arm == ARMS[0] for run in self.done)

    @property
    def timed(self) -> str:
        """The part of a run that is timed."""
        return _MPI if all(run.mpi_s is not None for run in self.done) else _WHOLE

    def compare(self) -> dict[str, Overhead]:
        """Compare each kind of runs with the bare runs; jostle's is the first."""
        from jostle.analysis.overhead import overhead

        times: dict[str, list[float]] = {arm: [] for arm in ARMS}
        mpi = self.timed == _MPI
        for run in self.done:
            seconds = run.mpi_s if mpi and run.mpi_s is not None else run.wall_s
            times.setdefault(run.arm, []).append(seconds)
        plain = times.pop(ARMS[0])
        return {
            arm: overhead(plain, some, arm) for arm, some in times.items() if arm not in self.lost
        }

    def notes(self) -> list[str]:
        """Return notes on the numbers."""
        notes = []
        if self.interrupted:
            notes.append(f"interrupted after {self.rounds} of {self.wanted} rounds")
        some = sum(run.mpi_s is not None for run in self.done)
        if 0 < some < len(self.done):
            notes.append(
                f"only {some} of {len(self.done)} runs came from MPI_Init to MPI_Finalize, so the "
                "whole command is timed"
            )
        notes += [
            f"no adapter for this MPI ({library}): its calls were not counted"
            for library in sorted(self.lacking)
        ]
        notes += [f"{name} is left out: {why}" for name, why in self.lost.items()]
        notes += [
            f"{name} left no log where expected, so perhaps it recorded nothing"
            for name in sorted(self.unlogged - self.lost.keys())
        ]
        return notes


def busy_notes() -> list[str]:
    """Return a remark if the machine is overloaded."""
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    if load <= 1.5 * cores:
        return []
    plural = "s" if cores > 1 else ""
    return [f"the machine was busy (load {load:.1f} on {cores} core{plural})"]


def run_rounds(trial: Trial, plan: RoundPlan, follow: Callable[[Rounds], None]) -> Rounds:
    """Run all kinds in turn; Ctrl-C ends it early, and the complete rounds count.

    Args:
        trial: The command.
        plan: The plan.
        follow: Function that is called with the state after each run, and after each round.

    Raises:
        TrialError: A bare or a profiled run failed; another profiler that fails is left out.
        UsageError: No data of the command is recorded.
    """
    rounds = Rounds(plan.runs)
    try:
        for number in range(-plan.warmup, plan.runs):
            arms = [arm for arm in trial.arms if arm not in rounds.lost]
            if plan.order and number >= 0:
                arms = plan.order.sample(arms, len(arms))
            this_round = []
            for arm in arms:
                this_round += _run(trial, arm, rounds)
                if number < 0 and arm == "profiled":
                    _check_recorded(trial, rounds)
                    if plan.gpu:
                        _check_gpu(trial)
                follow(rounds)
            if number >= 0:
                rounds.done += this_round
                follow(rounds)
    except KeyboardInterrupt:
        rounds.interrupted = True
    return rounds


def _run(trial: Trial, arm: str, rounds: Rounds) -> list[TrialRun]:
    """Do a run of one kind; return no run if it failed under another profiler, which is noted."""
    rounds.ended += 1
    try:
        run = trial.run(arm)
    except TrialError as error:
        if arm in ARMS:
            raise
        rounds.lost[arm] = str(error).partition("; its last words")[0]
        return []
    if arm not in ARMS and trial.log_missing(arm):
        rounds.unlogged.add(arm)
    return [run]


def _check_recorded(trial: Trial, rounds: Rounds) -> None:
    """Refuse a command that the runtime does not reach: the measurement would yield 0 %."""
    headers = trial.recorded()
    if headers:
        rounds.lacking = {
            header.mpi_library.strip()
            for header in headers
            if getattr(header, "mpi_adapter", 0) == MpiAdapter.LACKING
        }
        return
    from jostle.cli.launch.elf import why_no_preload

    why = why_no_preload(trial.command[0])
    raise UsageError(
        f"Nothing of `{trial.command[0]}` was profiled: {why or 'the runtime left no profile'}.",
        hint="Measure a dynamically linked program." if why else "jostle doctor",
    )


def _check_gpu(trial: Trial) -> None:
    """Refuse a command of which no GPU was recorded: the measurement would be of little value."""
    recorded, notes = trial.gpus_recorded()
    if not recorded:
        raise UsageError(
            f"Nothing that a GPU does for `{trial.command[0]}` was recorded: "
            f"{'; '.join(notes) or 'it did not use one by CUDA'}.",
            hint="jostle doctor" if notes else "Leave out --gpu.",
        )
