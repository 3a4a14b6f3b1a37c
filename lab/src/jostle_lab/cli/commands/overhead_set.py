"""`jostle overhead --set`: overhead of profilers on several programs (Shah, 2020, §2.5, §2.6)."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.analysis import ProgramOverhead
from jostle.cli.for_verbs import (
    ARMS,
    OtherProfiler,
    RoundPlan,
    Rounds,
    Trial,
    TrialDirectory,
    busy_notes,
    run_rounds,
)
from jostle.cli.options import plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import JostleError, UsageError
from jostle.plot.charts import OURS
from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.plot.figures import Saved
    from jostle_lab.validation.codes import Bench, Code


class _Progress:
    """The progress bar over all programs."""

    def __init__(self, bar: Bar, plan: RoundPlan, programs: int, kinds: int) -> None:
        self._bar = bar
        self._each = (plan.runs + plan.warmup) * kinds
        self._programs = programs
        self._begun = time.monotonic()
        self.begin(0, "")

    def begin(self, number: int, name: str) -> None:
        """Show that the measurement of a program begins."""
        self._number, self._name = number, name
        self._say(0, f"preparing {name}")

    def follow(self, rounds: Rounds) -> None:
        """Show how far the measurement of the program is."""
        self._say(rounds.ended, f"{self._name}, round {rounds.rounds} of {rounds.wanted}")

    def _say(self, ended: int, words: str) -> None:
        done, total = self._number * self._each + ended, self._programs * self._each
        seconds = (time.monotonic() - self._begun) / done * (total - done) if done else 0
        left = f", {duration(seconds * 1e9)} left" if seconds > 0 else ""
        self._bar.advance(done, total, f"{words} ({self._number + 1} of {self._programs}){left}")


def measure_set(
    names: str,
    plan: RoundPlan,
    alongside: Sequence[OtherProfiler],
    folder: str | None,
    endings: Sequence[str],
    *,
    as_json: bool,
) -> int:
    """Measure programs one after the other, and show them together.

    Args:
        names: Names of the programs, separated by commas; "all": all installed programs.
        plan: Number of rounds in which each program is run.
        alongside: Other profilers to measure as well.
        folder: Folder for the figures, from --plot.
        endings: Formats of the figures, from --format.
        as_json: Whether to print JSON.

    Returns:
        The exit status: 130 after Ctrl-C, 1 where a program failed.
    """
    codes = _choose(names)
    target = plot_folder(folder)
    programs, interrupted = _measure_all(codes, plan, alongside, quiet=as_json)
    if not programs:
        raise JostleError(
            "Interrupted before a single round was over.",
            hint="Name fewer programs.",
            exit_code=130,
        )
    notes = busy_notes()
    if interrupted and len(programs) < len(codes):
        notes.append(f"interrupted after {len(programs)} of {len(codes)} programs")
    saved: list[Saved] = []
    if target is not None:
        from jostle.plot.figures import save_set

        saved = save_set(programs, target, endings)
    if as_json:
        kinds = len(ARMS) + len(alongside)
        content: dict[str, Any] = {
            "set": [code.name for code in codes],
            "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "runs": sum(each.rounds * (1 + len(each.profilers)) for each in programs),
            "planned": len(codes) * kinds * plan.runs,
            "programs": [each.to_json() for each in programs],
            "notes": notes,
            "figures": saved_json(saved),
        }
        emit_json(content)
    else:
        from jostle.cli.for_verbs import set_view

        show(*set_view(programs, notes))
        if target is not None:
            show("", *saved_lines(saved, target, reason="no program has results"))
        next_steps(*([] if folder else [f"jostle overhead --set {names} --plot figures"]))
    if interrupted:
        return 130
    return 1 if any(each.error for each in programs) else 0


def _measure_all(
    codes: Sequence[Code], plan: RoundPlan, alongside: Sequence[OtherProfiler], *, quiet: bool
) -> tuple[list[ProgramOverhead], bool]:
    """Measure all programs; return those that have results or failed, and whether Ctrl-C came."""
    from jostle_lab.validation.codes import Bench

    programs: list[ProgramOverhead] = []
    with (
        tempfile.TemporaryDirectory(prefix="jostle-overhead-") as root,
        Bar("preparing", quiet=quiet) as bar,
    ):
        bench = Bench(Path(root))
        progress = _Progress(bar, plan, len(codes), len(ARMS) + len(alongside))
        for number, code in enumerate(codes):
            progress.begin(number, code.name)
            rounds, error = _measure(bench, code, plan, alongside, progress)
            if rounds.done or error:
                programs.append(_program(code, bench, rounds, error))
            if rounds.interrupted:
                return programs, True
    return programs, False


def _choose(names: str) -> list[Code]:
    from jostle_lab.validation.codes import choose, installed

    words = [word.strip() for word in names.split(",") if word.strip()]
    codes = installed() if words in ([], ["all"]) else choose(words)
    for code in codes:
        if code.over_nodes:
            raise UsageError(
                f"`{code.name}` runs on nodes of a lab, which --set does not build.",
                hint="Leave it out.",
            )
    return codes


def _measure(
    bench: Bench,
    code: Code,
    plan: RoundPlan,
    alongside: Sequence[OtherProfiler],
    progress: _Progress,
) -> tuple[Rounds, str]:
    """Run one program; return its results, and the reason of its failure or ""."""
    from jostle_lab.validation.codes import environment

    rounds = Rounds(plan.runs)
    try:
        folder = bench.folder(code)
        place = TrialDirectory(folder, environment(), code.limit_s)
        trial = Trial(_words(code, folder), alongside=alongside, place=place)
    except KeyboardInterrupt:
        rounds.interrupted = True
        return rounds, ""
    except JostleError as error:
        return rounds, str(error)
    try:
        return run_rounds(trial, plan, progress.follow), ""
    except JostleError as error:
        return rounds, str(error)
    finally:
        trial.close()


def _words(code: Code, folder: Path) -> list[str]:
    from jostle_lab.validation.codes import MPIRUN

    return [*MPIRUN, str(code.ranks), *code.argv(folder)]


def _program(code: Code, bench: Bench, rounds: Rounds, error: str) -> ProgramOverhead:
    costs = rounds.compare() if rounds.done else {}
    profilers = {OURS if name == ARMS[1] else name: cost for name, cost in costs.items()}
    return ProgramOverhead(
        code.name,
        code.about,
        _words(code, bench.root / code.name),
        rounds.timed,
        rounds.rounds,
        profilers,
        rounds.notes(),
        error,
    )
