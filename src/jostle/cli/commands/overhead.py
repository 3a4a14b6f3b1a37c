"""`jostle overhead`: what profiling costs a command, measured by alternating runs."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle._profile import MpiAdapter
from jostle.cli.launch.trial import ARMS, Trial, TrialRun
from jostle.cli.output import console, emit_json, next_steps, utf8
from jostle.cli.progress import Bar
from jostle.errors import JostleError, UsageError
from jostle.identity import program_of_command
from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.analysis.overhead import Overhead

_GPU_NOTE = "profiled runs also count what the GPU does (--gpu)"
_MPI, _WHOLE = "MPI_Init to MPI_Finalize", "whole command"


@click.command(
    "overhead", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("-n", "--runs", type=click.IntRange(3, 10_000), default=30, show_default=True,
              metavar="N", help="Runs of each kind.")  # fmt: skip
@click.option("--warmup", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Runs of each kind before those that count.")  # fmt: skip
@click.option("--plot", "folder", metavar="DIR", help="Write a figure into DIR too.")
@click.option("--seed", type=int, metavar="N",
              help="Draw the order within each round by chance [plain first].")  # fmt: skip
@click.option("--gpu", is_flag=True,
              help="Profiled runs also count what an NVIDIA GPU does for CMD.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same content as JSON.")
@click.argument("cmd", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def command(
    runs: int,
    warmup: int,
    folder: str | None,
    seed: int | None,
    gpu: bool,
    as_json: bool,
    cmd: tuple[str, ...],
) -> int:
    """Measure what profiling costs CMD: it runs with and without jostle, again and again.

    Timed from MPI_Init to MPI_Finalize where CMD is an MPI program, else as a whole. CMD's
    output is shown only when it fails. Ctrl-C ends the measurement and shows what it gave.
    """
    picture = _picture(folder, program_of_command(cmd))
    trial = Trial(cmd, gpu=gpu)
    try:
        done, interrupted = _measure(trial, runs, warmup, seed, gpu=gpu, quiet=as_json)
        notes = [_GPU_NOTE] if gpu else []
        notes += _notes(trial, done, runs, interrupted=interrupted)
    finally:
        trial.close()
    if not done:
        raise JostleError("Interrupted before a single round was over.", hint="Use fewer ranks or "
                          "less input, so that a run takes less time.", exit_code=130)  # fmt: skip
    timed, overhead = _compare(done)
    saved = _save(overhead, done, timed, cmd, picture)
    if as_json:
        emit_json(_content(cmd, timed, done, overhead, notes, saved))
    else:
        from jostle.cli.views.overhead import view

        _print(view(shlex.join(cmd), program_of_command(cmd), timed, overhead, notes), saved)
        next_steps(*_next(cmd, runs, overhead, folder, gpu=gpu))
    return 130 if interrupted else 0


def _picture(folder: str | None, program: str) -> Path | None:
    """Choose the figure's file, and refuse a folder that cannot take it before any work."""
    if folder is None:
        return None
    from jostle.plot.figures.files import check_suffix

    path = Path(folder)
    if path.suffix.lower() in (".png", ".svg", ".pdf") and not path.is_dir():
        file = path
    else:
        path.mkdir(parents=True, exist_ok=True)
        file = path / f"overhead-{program}.png"
    check_suffix(file)
    return file


def _measure(
    trial: Trial, runs: int, warmup: int, seed: int | None, *, gpu: bool, quiet: bool
) -> tuple[list[TrialRun], bool]:
    """Run both kinds in turn; return the runs of whole rounds, and whether Ctrl-C ended them."""
    order = random.Random(seed) if seed is not None else None
    done: list[TrialRun] = []
    total = 2 * (runs + warmup)
    with Bar("warming up", quiet=quiet) as bar:
        try:
            for number in range(warmup):
                for place, arm in enumerate(ARMS):
                    bar.advance(2 * number + place, total)
                    trial.run(arm)
                _check_recorded(trial)
                if gpu:
                    _check_gpu(trial)
            for number in range(runs):
                arms = order.sample(ARMS, 2) if order else ARMS
                done += [trial.run(arm) for arm in arms]
                bar.advance(2 * (warmup + number + 1), total, _estimate(done, runs))
        except KeyboardInterrupt:
            return done, True
    return done, False


def _check_recorded(trial: Trial) -> None:
    """Refuse a command that the runtime does not reach: the measurement would say 0 %."""
    if trial.recorded():
        return
    from jostle.cli.launch.elf import why_no_preload

    why = why_no_preload(trial.command[0])
    raise UsageError(
        f"Nothing of `{trial.command[0]}` was profiled: {why or 'the runtime left no profile'}.",
        hint="Measure a dynamically linked program." if why else "jostle doctor",
    )


def _check_gpu(trial: Trial) -> None:
    """Refuse a command of which no GPU was recorded: the measurement would say little."""
    recorded, notes = trial.gpus_recorded()
    if not recorded:
        raise UsageError(
            f"Nothing that a GPU does for `{trial.command[0]}` was recorded: "
            f"{'; '.join(notes) or 'it did not use one by CUDA'}.",
            hint="jostle doctor" if notes else "Leave out --gpu.",
        )


def _compare(done: Sequence[TrialRun]) -> tuple[str, Overhead]:
    """Compare the bare with the profiled runs, and return the result."""
    from jostle.analysis.overhead import overhead

    mpi = all(run.mpi_s is not None for run in done)
    times: dict[str, list[float]] = {arm: [] for arm in ARMS}
    for run in done:
        times[run.arm].append(run.mpi_s if mpi and run.mpi_s is not None else run.wall_s)
    return _MPI if mpi else _WHOLE, overhead(times["plain"], times["profiled"])


def _estimate(done: Sequence[TrialRun], runs: int) -> str:
    """Return the state after a number of rounds."""
    from jostle.cli.views.overhead import interval_text

    _, overhead = _compare(done)
    seconds = sum(run.wall_s for run in done) / len(done) * (2 * runs - len(done))
    times = (
        f"plain {duration(overhead.plain.mean * 1e9)}, profiled "
        f"{duration(overhead.profiled.mean * 1e9)}"
    )
    left = f", {duration(seconds * 1e9)} left" if seconds > 0 else ""
    return f"round {len(done) // 2} of {runs}: {times}, {interval_text(overhead)}{left}"


def _notes(trial: Trial, done: Sequence[TrialRun], runs: int, *, interrupted: bool) -> list[str]:
    """Return remarks that a reader of the figures needs."""
    notes = []
    if interrupted:
        notes.append(f"interrupted after {len(done) // 2} of {runs} rounds")
    some = sum(run.mpi_s is not None for run in done)
    if 0 < some < len(done):
        notes.append(
            f"only {some} of {len(done)} runs came from MPI_Init to MPI_Finalize, so the whole "
            "command is timed"
        )
    headers = trial.recorded() if done and done[-1].arm == "profiled" else []
    missing = {getattr(header, "mpi_library", "") for header in headers
               if getattr(header, "mpi_adapter", 0) == MpiAdapter.LACKING}  # fmt: skip
    for library in sorted(missing):
        notes.append(f"no adapter for this MPI ({library.strip()}): its calls were not counted")
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    if load > 1.5 * cores:
        notes.append(
            f"the machine was busy (load {load:.1f} on {cores} core{'s' if cores > 1 else ''})"
        )
    return notes


def _save(
    overhead: Overhead,
    done: Sequence[TrialRun],
    timed: str,
    cmd: Sequence[str],
    picture: Path | None,
) -> str | None:
    if picture is None:
        return None
    from jostle.cli.views.overhead import bars
    from jostle.plot.figures.bars import save_bars

    return str(save_bars(bars(program_of_command(cmd), timed, overhead, _places(done)), picture))


def _places(done: Sequence[TrialRun]) -> dict[str, list[int]]:
    """Return, for each kind, the places of its runs among all."""
    return {arm: [n for n, run in enumerate(done, 1) if run.arm == arm] for arm in ARMS}


def _print(parts: Any, saved: str | None) -> None:
    """Print the figures, the chart in the width of the terminal."""
    from rich.text import Text

    from jostle.cli.output import show
    from jostle.plot import Bars, draw_bars

    width = shutil.get_terminal_size((80, 24)).columns
    for part in parts:
        if isinstance(part, Bars):
            for line in draw_bars(part, width=width, unicode=utf8()):
                console().print(Text.assemble(*line), soft_wrap=True)
        else:
            show(part)
    if saved:
        show("", f"saved: {saved}")
    sys.stdout.flush()


def _content(
    cmd: Sequence[str],
    timed: str,
    done: Sequence[TrialRun],
    overhead: Overhead,
    notes: list[str],
    saved: str | None,
) -> dict[str, Any]:
    from jostle.cli.views.overhead import verdict

    return {
        "command": list(cmd),
        "timed": timed,
        "rounds": len(done) // 2,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "runs": [vars(run) for run in done],
        **overhead.to_json(),
        "says": verdict(overhead),
        "notes": notes,
        "plot": saved,
    }


def _next(
    cmd: Sequence[str], runs: int, overhead: Overhead, folder: str | None, *, gpu: bool
) -> list[str]:
    """Suggest more runs if they would help, else a figure or the profile itself."""
    words, flag = shlex.join(cmd), "--gpu " if gpu else ""
    steps = []
    if overhead.verdict == "noise" and overhead.runs_needed <= 1000:
        steps.append(f"jostle overhead {flag}-n {max(overhead.runs_needed, runs + 10)} -- {words}")
    if folder is None:
        steps.append(f"jostle overhead {flag}--plot . -- {words}")
    return [*steps, f"jostle run {flag}-- {words}"][:2]
