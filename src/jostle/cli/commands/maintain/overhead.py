"""`jostle overhead`: measures the overhead of profiling a command by alternating runs."""

from __future__ import annotations

import random
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.launch.other_profilers import other_profilers
from jostle.cli.launch.rounds import RoundPlan, Rounds, busy_notes, run_rounds
from jostle.cli.launch.trial import Trial
from jostle.cli.options.figures import format_option
from jostle.cli.output import console, emit_json, next_steps, utf8
from jostle.cli.progress import Bar
from jostle.errors import JostleError, UsageError
from jostle.extensions import named
from jostle.names.identity import program_of_command
from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.analysis.overhead import Overhead

_GPU_NOTE = "profiled runs also count what the GPU does (--gpu)"


@click.command(
    "overhead", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option(
    "-n",
    "--runs",
    type=click.IntRange(3, 10_000),
    default=30,
    show_default=True,
    metavar="N",
    help="Number of runs of each kind.",
)
@click.option(
    "--warmup",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of warm-up runs of each kind, which do not count.",
)
@click.option(
    "--set",
    "names",
    metavar="NAMES",
    help="Programs of `jostle validate` to measure instead of CMD, separated by commas; `all`: "
    "all of them that are installed.",
)
@click.option(
    "--alongside",
    "libraries",
    metavar="LIBRARY",
    multiple=True,
    help="Library of another profiler: CMD is also run with this profiler; may be given more "
    "than once.",
)
@click.option("--plot", "folder", metavar="DIR", help="Write a figure into DIR as well.")
@format_option
@click.option(
    "--seed", type=int, metavar="N", help="Randomize the order within each round [plain first]."
)
@click.option(
    "--gpu", is_flag=True, help="Count also the use of NVIDIA GPUs by CMD in profiled runs."
)
@click.option("--json", "as_json", is_flag=True, help="Print the same content as JSON.")
@click.argument("cmd", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def command(
    runs: int,
    warmup: int,
    names: str | None,
    libraries: tuple[str, ...],
    folder: str | None,
    endings: tuple[str, ...],
    seed: int | None,
    gpu: bool,
    as_json: bool,
    cmd: tuple[str, ...],
) -> int:
    """Measure the overhead of profiling CMD, which runs alternately with and without jostle.

    The time is measured from MPI_Init to MPI_Finalize if CMD is an MPI program, else for the whole
    command. CMD's output is shown only when it fails. Ctrl-C ends the measurement and shows the
    results so far.
    """
    _check_words(cmd, names, endings, gpu=gpu)
    alongside = other_profilers(libraries)
    order = random.Random(seed) if seed is not None else None
    plan = RoundPlan(runs, warmup, order, gpu)
    if names is not None:
        return _measure_set()(names, plan, alongside, folder, endings, as_json=as_json)
    picture = _picture(folder, program_of_command(cmd))
    trial = Trial(cmd, gpu=gpu, alongside=alongside)
    try:
        rounds = _measure(trial, plan, quiet=as_json)
    finally:
        trial.close()
    if not rounds.done:
        raise JostleError(
            "Interrupted before the first round ended.",
            hint="Use fewer ranks or less input, so that a run takes less time.",
            exit_code=130,
        )
    notes = [*([_GPU_NOTE] if gpu else []), *rounds.notes(), *busy_notes()]
    overhead, *others = rounds.compare().values()
    saved = _save(overhead, others, rounds, cmd, picture)
    if as_json:
        emit_json(_content(cmd, rounds, overhead, others, notes, saved))
    else:
        from jostle.cli.views.overhead import view

        program = program_of_command(cmd)
        _print(view(shlex.join(cmd), program, rounds.timed, overhead, notes, others), saved)
        next_steps(*_next(cmd, runs, overhead, folder, gpu=gpu))
    return 130 if rounds.interrupted else 0


def _check_words(
    cmd: Sequence[str], names: str | None, endings: Sequence[str], *, gpu: bool
) -> None:
    """Refuse arguments that are not valid."""
    if names is None and not cmd:
        raise UsageError(
            "No command was given.", hint="jostle overhead -- CMD, or: jostle overhead --set all"
        )
    if names is not None and cmd:
        raise UsageError(
            "--set runs its own programs, so CMD must not be given.", hint="Leave out one of them."
        )
    if names is not None and gpu:
        raise UsageError("No program of --set uses a GPU.", hint="Leave out --gpu.")
    if names is None and tuple(endings) != ("png",):
        raise UsageError(
            "--format applies to --set only; for CMD, the name of the figure's file gives the "
            "format.",
            hint="--plot overhead.svg",
        )


def _picture(folder: str | None, program: str) -> Path | None:
    """Choose the figure's file; refuse an unusable folder before any work is done."""
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


def _measure_set() -> Callable[..., int]:
    """Return the function that measures a set of programs, which is a part of the lab."""
    for measure_set in named("overhead_set"):
        return measure_set  # type: ignore[no-any-return]
    raise UsageError("`--set` needs jostle-lab.", hint="pip install jostle-lab")


def _measure(trial: Trial, plan: RoundPlan, *, quiet: bool) -> Rounds:
    """Run all kinds in turn, with a progress bar."""
    total = len(trial.arms) * (plan.runs + plan.warmup)
    with Bar("warming up", quiet=quiet) as bar:

        def follow(rounds: Rounds) -> None:
            left = total - rounds.ended
            bar.advance(rounds.ended, total, _estimate(rounds, left) if rounds.done else None)

        return run_rounds(trial, plan, follow)


def _estimate(rounds: Rounds, left: int) -> str:
    """Return the overhead so far and the remaining time, as text; `left`: runs still to do."""
    from jostle.cli.views.overhead import interval_text

    overhead = next(iter(rounds.compare().values()))
    seconds = sum(run.wall_s for run in rounds.done) / len(rounds.done) * left
    times = (
        f"plain {duration(overhead.plain.mean * 1e9)}, profiled "
        f"{duration(overhead.profiled.mean * 1e9)}"
    )
    more = f", {duration(seconds * 1e9)} left" if seconds > 0 else ""
    return f"round {rounds.rounds} of {rounds.wanted}: {times}, {interval_text(overhead)}{more}"


def _save(
    overhead: Overhead,
    others: Sequence[Overhead],
    rounds: Rounds,
    cmd: Sequence[str],
    picture: Path | None,
) -> str | None:
    if picture is None:
        return None
    from jostle.cli.views.overhead import bars
    from jostle.plot.figures.bars import save_bars

    places: dict[str, list[int]] = {}
    for number, run in enumerate(rounds.done, 1):
        places.setdefault(run.arm, []).append(number)
    chart = bars(program_of_command(cmd), rounds.timed, overhead, places, others)
    return str(save_bars(chart, picture))


def _print(parts: Any, saved: str | None) -> None:
    """Print the numbers, and the chart in the width of the terminal."""
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
    rounds: Rounds,
    overhead: Overhead,
    others: Sequence[Overhead],
    notes: list[str],
    saved: str | None,
) -> dict[str, Any]:
    from jostle.cli.views.overhead import verdict

    return {
        "command": list(cmd),
        "timed": rounds.timed,
        "rounds": rounds.rounds,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "runs": [vars(run) for run in rounds.done],
        **overhead.to_json(),
        "says": verdict(overhead),
        "alongside": [{**other.to_json(), "says": verdict(other)} for other in others],
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
