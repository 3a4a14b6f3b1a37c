"""Makes the runs of a validation one after the other and records them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle import native_path
from jostle.repository import Repository
from jostle_lab.native import lab_native_path
from jostle_lab.validation.codes import MPIRUN, Bench, Code, environment
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.machine import look, noise
from jostle_lab.validation.placement import APART, Ruler, together
from jostle_lab.validation.plan import MEAN_MS, MOST_STRUCK, ValidationStep, longer

if TYPE_CHECKING:
    from jostle_lab.validation.lab.nodes import Nodes

SLICE = "250ms"
CORE_PROBE = "20ms"
_TRIES = 2
_TRIES_APART = 4  # of a run whose cores are found distant at its end


@dataclass(frozen=True)
class ValidationRun:
    """The record of a run that was made.

    Attributes:
        step: Plan of the run.
        job: The run's job in the repository.
        start_ns, end_ns: Start and end of mpirun.
        status: The run's exit status.
        noise: Load of other programs on the machine (see machine.noise), and the distance between
            its cores (see placement.py).
        disturbed: Begin and end, in ns, of each span in which the disturber was active.
        inject: Folder of the injector's logs; "" without injected delays.
        error: Reason why the run cannot be used; "" when it can.
    """

    step: ValidationStep
    job: str
    start_ns: int
    end_ns: int
    status: int
    noise: dict[str, float]
    disturbed: tuple[tuple[int, int], ...]
    inject: str
    error: str

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain values."""
        return {**self.__dict__, "step": self.step.to_json()}

    @staticmethod
    def from_json(plain: dict[str, Any]) -> ValidationRun:
        """Read a run from the output of `to_json`."""
        step = dict(plain["step"])
        step["windows"] = tuple(tuple(window) for window in step["windows"])
        pairs = tuple(tuple(pair) for pair in plain["disturbed"])
        return ValidationRun(**{**plain, "step": ValidationStep(**step), "disturbed": pairs})


class Store:
    """A validation's folder: the runs made so far, their profiles, logs and programs."""

    def __init__(self, folder: Path) -> None:
        """Open a folder, or make it.

        Raises:
            ValidationError: The folder cannot be created, or not be written to.
        """
        self.folder = folder.absolute()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise ValidationError(
                f"`{folder}` is not a folder.", hint="Name another with --dir.", exit_code=2
            ) from error
        except OSError as error:
            problem = f"`{folder}` cannot be created: {error.strerror}."
            raise ValidationError(problem, hint="Name another with --dir.", exit_code=2) from error
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise ValidationError(
                f"Nothing can be written in `{folder}`.",
                hint="Name another with --dir.",
                exit_code=2,
            )
        self.bench = Bench(self.folder / "programs")

    def repository(self, code: str) -> Repository:
        """Return the repository of one program's runs."""
        return Repository(self.folder / code, create=True)

    def runs(self, *, failed: bool = False) -> list[ValidationRun]:
        """Return the runs made so far.

        Args:
            failed: Whether to include unusable runs: those that failed, and those in which data
                took long from core to core (placement.py).
        """
        validation_runs = self._recorded()
        if failed:
            return validation_runs
        validation_runs = [run for run in validation_runs if not run.error]
        good = together([run.noise for run in validation_runs])
        return [run for run, fine in zip(validation_runs, good, strict=True) if fine]

    def _recorded(self) -> list[ValidationRun]:
        """Read the records of all runs, except for a last line that a crash cut off."""
        try:
            lines = (self.folder / "runs.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return []
        validation_runs = []
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                validation_runs.append(ValidationRun.from_json(json.loads(line)))
        return validation_runs

    def add(self, run: ValidationRun) -> None:
        """Record a run."""
        with (self.folder / "runs.jsonl").open("a") as stream:
            # A line of its own, after one that a crash may have cut off.
            stream.write("\n" + json.dumps(run.to_json()) + "\n")
            stream.flush()
            os.fsync(stream.fileno())


@dataclass(frozen=True)
class UndisturbedRun:
    """Run time and number of calls of a program that nothing disturbs, from its first run.

    Attributes:
        seconds: Time from the start of mpirun to its end, in seconds.
        calls: Mean number of calls of a rank that the injector can delay.
    """

    seconds: float
    calls: float


def make(
    store: Store,
    plan: Sequence[ValidationStep],
    codes: Sequence[Code],
    *,
    progress: Callable[[int, int, str, float], None],
) -> None:
    """Make the runs of a plan that are not yet made.

    Args:
        store: Folder for the runs.
        plan: Runs in the order in which they are made.
        codes: Programs of the runs.
        progress: Called before each run: runs done, runs in all, the next run, and
            seconds left.

    Raises:
        ValidationError: A program cannot be prepared, or its name meant another command.
    """
    for code in codes:
        if code.where is not None:
            store.bench.folder(code)  # refuses it, if its runs were of another command
    by_name = {code.name: code for code in codes}
    with contextlib.ExitStack() as stack:
        nodes = None
        if any(by_name[step.code].over_nodes for step in _left(store, plan)):
            from jostle_lab.validation.lab.nodes import running

            nodes = stack.enter_context(running())
        _make(store, plan, by_name, nodes, progress)


def _make(
    store: Store,
    plan: Sequence[ValidationStep],
    by_name: Mapping[str, Code],
    nodes: Nodes | None,
    progress: Callable[[int, int, str, float], None],
) -> None:
    spent: list[float] = []
    made: Counter[str] = Counter()
    # Twice: whether the first runs can be used is known when there are others to compare cores
    # with.
    for _ in range(2):
        left = [step for step in _left(store, plan) if made[step.job] < _TRIES_APART]
        for number, step in enumerate(left):
            mean = sum(spent) / len(spent) if spent else 9.0
            progress(
                len(plan) - len(left) + number, len(plan), step.job, mean * (len(left) - number)
            )
            begun = time.monotonic()
            while made[step.job] < _TRIES_APART:
                run = one(store, step, by_name[step.code], nodes)
                store.add(run)
                made[step.job] += _TRIES_APART if run.error else 1
                if run.error or any(run.job == good.job for good in store.runs()):
                    break
            spent.append(time.monotonic() - begun)


def _left(store: Store, plan: Sequence[ValidationStep]) -> list[ValidationStep]:
    """Return the steps still to run: those without a usable run, unless they failed too often."""
    failed = [run.step for run in store.runs(failed=True) if run.error]
    done = {run.step.job for run in store.runs()}
    return [step for step in plan if step.job not in done and failed.count(step) < _TRIES]


def one(
    store: Store, step: ValidationStep, code: Code, nodes: Nodes | None = None
) -> ValidationRun:
    """Make one run and ingest its profiles.

    Args:
        store: Folder for the run.
        step: Plan of the run.
        code: Program of the run.
        nodes: Nodes of the lab, for programs that run over nodes.
    """
    nodes = nodes if code.over_nodes else None
    usual = None if step.kind == "clean" else _usual(store, code, step.calls)
    folder = store.bench.folder(code)
    again = sum(run.step.job == step.job for run in store.runs(failed=True))
    job = step.job + (f".a{again + 1}" if again else "")
    logs = store.folder / "logs" / job
    spool = logs / "spool"
    shutil.rmtree(logs, ignore_errors=True)
    spool.mkdir(parents=True)
    words = _words(code, step, folder, job, logs, usual, nodes)
    ruler = Ruler(store.bench.root)
    apart = [ruler.wait([run.noise for run in store.runs()])]
    before, start = look(), time.time_ns()
    with _disturbers(step, usual, logs, nodes) as disturbed, (logs / "output").open("wb") as output:
        status = _wait(words, folder, output, code.limit_s)
        end = time.time_ns()
    after = look()
    apart.append(ruler.measure())
    error = "" if status == 0 else f"ended with status {status}"
    report = store.repository(code.name).ingest([spool], remove=True)
    if not report.processes and not error:
        error = "left no profile"
    taken = noise(before, after, (end - start) / 1e9)
    if known := [ns for ns in apart if ns is not None]:
        taken[APART] = max(known)
    return ValidationRun(
        step,
        job,
        start,
        end,
        status,
        taken,
        tuple(disturbed),
        str(logs) if step.kind == "inject" else "",
        error,
    )


def _words(
    code: Code,
    step: ValidationStep,
    folder: Path,
    job: str,
    logs: Path,
    usual: UndisturbedRun | None,
    nodes: Nodes | None,
) -> list[str]:
    own = [
        str(native_path("jostle-run")),
        "--job",
        job,
        "--spool",
        str(logs / "spool"),
        "--slice",
        SLICE,
        "--",
        *code.argv(folder),
    ]
    variables = [f"JOSTLE_CORE_PROBE={CORE_PROBE}", *(["JOSTLE_SEGMENTS=raw"] if step.raw else [])]
    if step.kind == "inject":
        assert usual is not None
        variables += _injection(code, step, logs, usual)
    elif step.calls:
        variables += _counting(step, logs)
    if nodes is not None:
        return nodes.words(code.ranks, {"JOSTLE": "on"}, ["env", *variables, *own], folder)
    return [*MPIRUN, str(code.ranks), "env", *variables, *own]


def _injection(code: Code, step: ValidationStep, logs: Path, usual: UndisturbedRun) -> list[str]:
    """Return environment variables with which the injector causes the intended loss."""
    from jostle_lab.inject import Rules
    from jostle_lab.inject.rules import Delay, parse_calls, parse_ranks, variables

    lost_ms = usual.seconds * 1e3 * step.strength / (1 - step.strength)
    hit = 1 if step.ranks else code.ranks
    needed_ms = lost_ms / hit / max(usual.calls, 1)  # for each call
    most = MOST_STRUCK
    if step.window_ms:  # where calls are few, most are delayed rather than a few for very long
        most = min(max(most, needed_ms / (_LONGEST * step.window_ms)), 1.0)
    probability = needed_ms / MEAN_MS[step.shape]
    rules = Rules(
        calls=parse_calls(step.calls or _STRUCK),
        delay=Delay.parse(longer(step.shape, max(probability / most, 1.0))),
        probability=min(probability, most),
        seed=step.seed,
        ranks=parse_ranks(step.ranks) if step.ranks else (),
        period_ns=step.period_ms * 1_000_000,
        duty=step.window_ms / step.period_ms if step.period_ms else 0.5,
        random_place=step.period_ms > 0,
    )
    return [f"{name}={value}" for name, value in variables(rules, logs).items()]


def _counting(step: ValidationStep, logs: Path) -> list[str]:
    """Return environment variables with which the injector counts calls, and delays none."""
    from jostle_lab.inject import environment as injector

    found = injector(step.calls, "fixed:1ms", logs, probability=0.0)
    return [f"{name}={value}" for name, value in found.items()]


def _counted(store: Store, run: ValidationRun, ranks: int) -> float:
    """Return the mean number of calls of a rank that the injector counted in a run."""
    from jostle_lab.inject import read

    return float(sum(read(store.folder / "logs" / run.job).totals["calls"].to_pylist())) / ranks


def _usual(store: Store, code: Code, calls: str = "") -> UndisturbedRun:
    """Return a program's run time and number of calls, from its first undisturbed run.

    Raises:
        ValidationError: The program has no undisturbed run that succeeded and counted these calls.
    """
    ended = [run for run in store.runs(failed=True) if not run.error]  # also with distant cores
    clean = [
        run
        for run in ended
        if (run.step.code, run.step.kind, run.step.calls) == (code.name, "clean", calls)
    ]
    if not clean:
        raise ValidationError(
            f"`{code.name}` has no undisturbed run that succeeded.",
            hint=f"See {store.folder / 'logs'} for its output.",
        )
    run = clean[0]
    seconds = (run.end_ns - run.start_ns) / 1e9
    if calls:
        return UndisturbedRun(seconds, _counted(store, run, code.ranks))
    rows = store.repository(code.name).process_segments(run.job)
    names = [name for name in rows.column_names if name in _DELAYED]
    many = sum(sum(rows[name].to_pylist()) for name in names) / code.ranks
    return UndisturbedRun(seconds, many)


#: A delay should take no larger share of a window.
_LONGEST = 0.05
#: Calls that are delayed, and the columns that count them.
_STRUCK = "collective,send,receive"
_DELAYED = (
    "sends",
    "recvs",
    "isends",
    "irecvs",
    "sendrecvs",
    "one_to_all",
    "all_to_one",
    "all_to_all",
    "barriers",
)


def _wait(words: Sequence[str], folder: Path, output: Any, limit_s: float) -> int:
    """Run a command; return its exit status, or 124 if it was ended at its time limit."""
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return 124
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def _disturbers(
    step: ValidationStep, usual: UndisturbedRun | None, logs: Path, nodes: Nodes | None
) -> Iterator[list[tuple[int, int]]]:
    """Start and stop the disturber of a run during the block; yield the times of its activity.

    The list is complete after the block.
    """
    spans: list[tuple[int, int]] = []
    over = threading.Event()
    begun = time.monotonic()
    threads = []
    for start, length in step.windows:
        assert usual is not None
        at, long = begun + start * usual.seconds, length * usual.seconds
        threads.append(
            threading.Thread(target=_disturb, args=(step, at, long, logs, over, spans, nodes))
        )
    for thread in threads:
        thread.start()
    try:
        yield spans
    finally:
        over.set()
        for thread in threads:
            thread.join()
        spans.sort()


def _disturb(
    step: ValidationStep,
    at: float,
    long: float,
    logs: Path,
    over: threading.Event,
    spans: list[tuple[int, int]],
    nodes: Nodes | None,
) -> None:
    if nodes is not None:
        span = nodes.disturb(step.kind, at, long, logs, over)
        spans += [span] if span else []
        return
    if over.wait(max(at - time.monotonic(), 0)):
        return
    argv = [
        str(lab_native_path("jostle-signal")),
        step.kind,
        "--processes",
        str(step.processes),
        "--time",
        f"{long:.3f}",
        "--start",
        f"{time.time() + 0.02:.6f}",
        "--log",
        str(logs),
        "--dir",
        str(logs),
        "--job",
        f"{step.kind}-hog",
        "--quiet",
    ]
    begin = time.time_ns() + 20_000_000
    process = subprocess.Popen(
        argv,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None:
        if over.wait(0.01):
            process.terminate()
            process.wait()
    spans.append((begin, time.time_ns()))
