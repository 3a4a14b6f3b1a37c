#!/usr/bin/env python3
"""Scores whether jostle names the jobs that slow memory on a shared node, not cores or file cache.

    lab/bench/proofs/memory_mixes.py [--seed S] [--folder DIR] [--score-only]
                                     [--only GROUP-OR-NUMBER]... [--page [DIR]]

Twenty experiments are drawn from the seed. In each, a victim runs on this machine with one or two
other jobs: a memory hog, a CPU hog with as many processes as cores, a reader of a cached file, or
quiet jobs. The truth is in the logs of these signals: when the hog was active, and how many
operations the victim did in each slice. An experiment begins when the machine is quiet. It is
repeated if other programs used too much of the cores meanwhile. All take about a quarter of an hour
on a machine that does nothing else; finished experiments are not repeated by a later call. Exit
status 1 when an experiment failed, or fewer than nine tenths of those that count are right.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import platform
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "lab" / "src")]

from jostle.analysis import JobInterference, identify  # noqa: E402
from jostle.repository import Repository  # noqa: E402
from jostle_lab.signals import read_log  # noqa: E402
from jostle_lab.validation.lab.jobs import profiled_words, signal_words, stop  # noqa: E402
from jostle_lab.validation.lab.work import Work, merged, plain_work, work_of  # noqa: E402

SLICE_NS = 250_000_000
RUN_S, LEAD_S = 30.0, 1.5
MEMORY, CORES, CACHE, QUIET = "memory", "cores", "file cache", "quiet"
#: Number of experiments of each kind.
GROUPS = {MEMORY: 10, CORES: 4, CACHE: 3, QUIET: 3}
PAGE, DATA = "memory-of-a-node.md", "memory-of-a-node.csv"
#: Goal: nine tenths.
_RIGHT = 0.9
#: Least share of a slice in which a hog is on for the slice to count.
_ON, _OFF = 0.5, 0.05
_FEWEST = 4  # slices
#: Share of the machine's cores that others may use, before a run and on average during it.
_IDLE, _FOREIGN = 0.15, 0.15
#: A hog that slows the victim by less, in percent, has done no harm on memory.
HARM = 5.0
#: Victims that wait for memory, and one that does not.
_VICTIMS = ("memory", "memory --processes 1 --chunk 96MiB", "cache --chunk 128MiB")
_HOGS = ("memory", "memory --chunk 192MiB")
_READER = "read --chunk 64KiB --volume 1MiB"
_CALM = ("cpu", _READER)


@dataclass(frozen=True)
class Load:
    """A job that runs concurrently with the victim, active for a part of each period.

    Attributes:
        name: The load's name in the experiment.
        words: Pattern and options of the load's signal.
        period_s, duty, phase_s: Period, active part and shift of the load's activity.
        harm: Whether the load uses a resource that the victim needs.
    """

    name: str
    words: str
    period_s: float
    duty: float
    phase_s: float
    harm: bool = False


@dataclass(frozen=True)
class Experiment:
    """An experiment: a victim and its co-running jobs.

    Attributes:
        number: Number of the experiment, from 1.
        group: Kind of the experiment.
        victim: Pattern and options of the victim's signal.
        loads: Co-running jobs, at most one of which slows the victim.
    """

    number: int
    group: str
    victim: str
    loads: tuple[Load, ...]


@dataclass(frozen=True)
class Row:
    """The result of an experiment: the truth by the log, and jostle's suspects.

    Attributes:
        number, group, victim: As in the experiment.
        alongside: Co-running jobs; the harmful one is marked with a star.
        slowed: Decrease of the victim's work per second of CPU time in slices in which the hog was
            active, percent: by memory, caches or slower cores, not by waiting for cores.
        waited: Share of these slices in which the victim waited for a core, percent.
        on_memory, on_cores: Suspects on memory and on cores, by their names in the experiment.
        elsewhere: Suspects on other resources.
        seconds: jostle's estimate of the loss on memory, with its interval.
        load_source: The counters from which jostle knows the jobs' loads on memory.
        foreign: Share of the machine's cores that other programs used during the run, percent.
        right: Whether the harmful job is named on the right resource, and no other job.
        error: Reason why the experiment failed.
    """

    number: int
    group: str
    victim: str
    alongside: str
    slowed: float | None = None
    waited: float | None = None
    on_memory: str = ""
    on_cores: str = ""
    elsewhere: str = ""
    seconds: str = ""
    load_source: str = ""
    foreign: float = 0.0
    right: bool = False
    error: str = ""


def draw(seed: int) -> list[Experiment]:
    """Draw the experiments; those of one kind have two jobs and three in turn."""
    rng, found = random.Random(seed), list[Experiment]()

    def load(name: str, words: str, duty: float, *, harm: bool = False) -> Load:
        period = rng.uniform(3.5, 7.0)
        return Load(name, words, period, duty, rng.uniform(0, period), harm)

    for group, times in GROUPS.items():
        for k in range(times):
            loads = []
            if group == MEMORY:
                loads.append(load("hog", rng.choice(_HOGS), rng.uniform(0.35, 0.55), harm=True))
            if group == CORES:
                words = f"cpu --processes {os.cpu_count() or 2}"
                loads.append(load("hog", words, rng.uniform(0.35, 0.55), harm=True))
            if group == CACHE:
                loads.append(load("reader", _READER, rng.uniform(0.35, 0.55)))
            if k % 2 or group == QUIET:
                loads.append(load("calm", rng.choice(_CALM), rng.uniform(0.2, 0.4)))
            found.append(Experiment(len(found) + 1, group, rng.choice(_VICTIMS), tuple(loads)))
    return found


# ---- made ----


def make(experiment: Experiment, folder: Path) -> dict[str, Any]:
    """Run an experiment, ingest its profiles, and return the truth by its log."""
    here = folder / f"x{experiment.number:02d}"
    job = f"x{experiment.number:02d}-{time.time_ns() // 10**6 % 10**8}"
    spool, log, files = (here / name for name in ("spool", "log", "files"))
    for each in (spool, log, files):
        each.mkdir(parents=True, exist_ok=True)
    start_ns = (time.time_ns() + int(LEAD_S * 1e9)) // SLICE_NS * SLICE_NS

    environment = {name: value for name, value in os.environ.items() if "JOSTLE" not in name}

    def started(words: Sequence[str], name: str) -> Popen[bytes]:
        command = signal_words(
            words, job=name, folder=files, log=log, start_ns=start_ns, slice_ns=SLICE_NS
        )
        return Popen(
            profiled_words(command, job=name, spool=spool, slice_ns=SLICE_NS),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            env={**environment, "JOSTLE_MEMORY_PROBE": "on"},
        )

    loads = []
    for load in experiment.loads:
        rhythm = ["--rest", "--period", f"{load.period_s:g}", "--duty", f"{load.duty:.4f}"]
        phase = (start_ns / 1e9 + load.phase_s) % load.period_s
        words = [*load.words.split(), "--until-stopped", *rhythm, "--phase", f"{phase:.6f}"]
        loads.append(started(words, f"{job}-{load.name}"))
    victim = started([*experiment.victim.split(), "--time", f"{RUN_S:g}"], job)
    used: dict[int, list[int]] = {}
    before, own = busy(), Own()
    try:
        end = time.monotonic() + RUN_S + 60
        while victim.poll() is None and time.monotonic() < end:
            use(victim.pid, used)
            own.look([victim.pid, *(load.pid for load in loads)])
        now, status = busy(), victim.wait(1)
    finally:
        for process in (victim, *loads):
            if process.poll() is None:
                stop(process)
    if status:
        raise RuntimeError(f"the victim ended with status {status}")
    Repository(folder / "repository", create=True).ingest([spool], remove=True)
    names = {load.name: f"{job}-{load.name}" for load in experiment.loads}
    work = work_of(read_log([log]), job, names)
    if work is None:
        raise RuntimeError("the log of the victim is not complete")
    foreign = (now[0] - before[0] - own.ns) / max(now[1] - before[1], 1)
    return {"job": job, "work": asdict(work), "used": used, "foreign": max(foreign, 0.0)}


def busy() -> tuple[int, int]:
    """Return the time for which the machine's cores were busy, and all of their time, in ns."""
    values = list(map(int, Path("/proc/stat").read_text().partition("\n")[0].split()[1:9]))
    tick = 10**9 // os.sysconf("SC_CLK_TCK")
    return (sum(values) - values[3] - values[4]) * tick, sum(values) * tick


class Own:
    """CPU time of the experiment's own processes, and of those that they forked."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def look(self, pids: Sequence[int]) -> None:
        """Sum the CPU time of processes and their children."""
        for pid in pids:
            with contextlib.suppress(OSError, ValueError):
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
                for each in (pid, *map(int, children)):
                    self._seen[each] = int(Path(f"/proc/{each}/schedstat").read_text().split()[0])

    @property
    def ns(self) -> int:
        """Sum of the CPU time of the processes and of those that they forked."""
        return sum(self._seen.values())


def await_quiet(limit_s: float) -> None:
    """Wait until other programs have hardly used the cores for a second, or the time is over."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        before = busy()
        time.sleep(1.0)
        now = busy()
        if now[0] - before[0] <= _IDLE * (now[1] - before[1]):
            return


def use(pid: int, used: dict[int, list[int]]) -> None:
    """Wait for the next slice; record the victim's CPU time and waiting before it, in ns."""
    time.sleep((SLICE_NS - time.time_ns() % SLICE_NS) / 1e9)
    try:
        cpu, waited, _ = map(int, Path(f"/proc/{pid}/schedstat").read_text().split())
    except (OSError, ValueError):
        return
    used[time.time_ns() // SLICE_NS - 1] = [cpu, waited]


# ---- scored ----


def slowed(
    work: Work, used: dict[int, list[int]], spans: list[list[int]]
) -> tuple[float | None, float | None]:
    """Return how much a load slowed the victim, by the log; None: there are too few slices.

    Args:
        work: The victim's operations.
        used: CPU time and waiting of the victim up to the end of a slice, in ns.
        spans: When the load was on.

    Returns:
        Two values for the slices in which the load was active: by how many percent the victim did
        less work per second of CPU time than in the other slices; and the share of the time for
        which it waited for a core, percent.
    """
    sums = {True: [0, 0, 0, 0], False: [0, 0, 0, 0]}  # operations, CPU time, waiting, slices
    for number, done in work.work().items():
        if number not in used or number - 1 not in used:
            continue
        begin, end = number * SLICE_NS, (number + 1) * SLICE_NS
        inside = sum(max(min(e, end) - max(b, begin), 0) for b, e in spans) / SLICE_NS
        if inside >= _ON or inside < _OFF:
            cpu, waited = (
                now - old for now, old in zip(used[number], used[number - 1], strict=True)
            )
            part = sums[inside >= _ON]
            part[:] = [old + new for old, new in zip(part, (done, cpu, waited, 1), strict=True)]
    on, off = sums[True], sums[False]
    part_waited = 100 * on[2] / (on[3] * SLICE_NS) if on[3] else None
    if min(on[3], off[3]) < _FEWEST or min(on[1], off[1]) <= 0 or not off[0]:
        return None, part_waited
    return 100 * (1 - (on[0] / on[1]) / (off[0] / off[1])), part_waited


def score(experiment: Experiment, made: dict[str, Any], found: JobInterference) -> Row:
    """Compare what jostle named with what was injected."""
    job, work = made["job"], plain_work(made["work"])
    kinds = {one.resource: one.kind for one in found.resources}
    where: dict[str, list[str]] = {MEMORY: [], "node": [], "": []}
    for suspect in found.suspects:
        kind = kinds.get(suspect.resource, "")
        where[kind if kind in where else ""].append(suspect.job.removeprefix(f"{job}-"))
    bad = [load.name for load in experiment.loads if load.harm]
    spans = merged([span for name in bad for span in work.bursts.get(name, [])])
    loss = next((one for one in found.resources if one.kind == MEMORY), None)
    used = {int(number): pair for number, pair in made["used"].items()}
    less, waited = slowed(work, used, spans) if bad else (None, None)
    harmed = experiment.group == MEMORY and (less is None or less >= HARM)
    right = where[MEMORY] == (bad if harmed else []) and not where[""]
    if experiment.group == CORES:
        right = right and bad[0] in where["node"]
    return Row(
        **described(experiment),
        slowed=less,
        waited=waited,
        on_memory=" ".join(where[MEMORY]),
        on_cores=" ".join(where["node"]),
        elsewhere=" ".join(where[""]),
        seconds=""
        if loss is None or not loss.evident
        else f"{loss.seconds.value:.1f} ({loss.seconds.low:.1f} to {loss.seconds.high:.1f})",
        load_source=loss.load_source if loss else "",
        foreign=100 * made["foreign"],
        right=right,
    )


def described(experiment: Experiment) -> dict[str, Any]:
    """Return the fields of a row that describe what was injected."""
    alongside = "; ".join(f"{'*' if each.harm else ''}{each.words}" for each in experiment.loads)
    return {
        "number": experiment.number,
        "group": experiment.group,
        "victim": experiment.victim,
        "alongside": alongside,
    }


def printed(rows: Sequence[Row]) -> str:
    """Return the table for a terminal and for the page."""
    names = ["#", "kind", "victim", "co-running", "slowed by", "waited", "others had"]
    names += ["on memory", "on cores", "s", "right"]
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for row in rows:
        parts = (row.slowed, row.waited, row.foreign)
        ends = [f"{each:.0f} %" if each is not None else "" for each in parts]
        right = "failed" if row.error else "yes" if row.right else "**no**"
        words = (row.group, row.victim, row.alongside, *ends, row.on_memory, row.on_cores)
        lines.append(f"| {row.number} | {' | '.join(words)} | {row.seconds} | {right} |")
    return "\n".join(lines)


def harmless(row: Row) -> bool:
    """Return whether the hog caused no loss on memory, so that no job should be named for it."""
    return row.group == MEMORY and row.slowed is not None and row.slowed < HARM


def proves(row: Row) -> bool:
    """Return whether an experiment counts: the injected job did harm, and others did not."""
    return not row.error and not harmless(row) and row.foreign <= 100 * _FOREIGN


def summary(rows: Sequence[Row]) -> str:
    """Return a sentence with the number of correct experiments, by kind."""
    counted = [row for row in rows if proves(row)]
    idle = [row for row in rows if harmless(row)]
    said = []
    for group in GROUPS:
        own = [row for row in rows if row.group == group and row not in idle]
        if own:
            said.append(f"{group} {sum(row.right for row in own)} of {len(own)}")
    return (
        f"Right: {sum(row.right for row in counted)} of {len(counted)} that count. Of all that "
        f"were made: {', '.join(said)}; {len(idle)} more whose hog did no harm, nobody named in "
        f"{sum(row.right for row in idle)}. What does not count had others on more than "
        f"{_FOREIGN:.0%} of the cores, or a hog that did no harm."
    )


def page(rows: Sequence[Row], facts: str) -> str:
    """Return the page of the measurement."""
    return f"""# Memory of a shared node

Written by `lab/bench/proofs/memory_mixes.py --page`, with [its data]({DATA}); nothing here is
written by hand.

{facts}

A signal runs 30 s together with one or two others, in slices of 0.25 s. The harmful one has a star.
*Slowed*: how much less the victim did per second of a core, by its log and the kernel's account of
it, in slices in which the harmful one was on. *Waited*: part of these for which the victim waited
for a core. Right: the harmful one is named, on memory or on the cores as it was injected, and
nobody else on memory or on a file system. A memory hog that slowed the victim by less than
{HARM:.0f} % did no harm there: nobody is to be named.

{summary(rows)}

{printed(rows)}
"""


# ---- all ----


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of everything that is drawn")
    parser.add_argument(
        "--folder", type=Path, help="folder for the runs [.cache/memory-mixes/SEED]"
    )
    parser.add_argument(
        "--score-only", action="store_true", help="run nothing; score the stored runs"
    )
    parser.add_argument(
        "--wait",
        type=float,
        default=300.0,
        help="longest wait for a quiet machine before each experiment, s",
    )
    parser.add_argument(
        "--tries",
        type=int,
        default=3,
        help="repetitions while other programs used much of the cores",
    )
    parser.add_argument(
        "--only", action="append", metavar="WHAT", help="number or kind of the experiments to run"
    )
    parser.add_argument(
        "--page", type=Path, nargs="?", const=ROOT / "docs" / "measurements", metavar="DIR"
    )
    return parser.parse_args()


def quietest(experiment: Experiment, folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Repeat an experiment a few times until the machine was quiet; return the quietest."""
    tried = list[dict[str, Any]]()
    while len(tried) < asked.tries and all(one["foreign"] > _FOREIGN for one in tried):
        await_quiet(asked.wait)
        tried.append(make(experiment, folder))
    return min(tried, key=lambda one: float(one["foreign"]))


def row_of(experiment: Experiment, folder: Path, asked: argparse.Namespace) -> Row | None:
    """Run an experiment if it has no result yet, and score it; return None if it was not run."""
    record = folder / f"x{experiment.number:02d}.json"
    try:
        if not record.exists():
            if asked.score_only:
                return None
            record.write_text(json.dumps(quietest(experiment, folder, asked)))
        made = json.loads(record.read_text())
        found = identify(Repository(folder / "repository").alongside(made["job"]))
        return score(experiment, made, found)
    except Exception as error:  # one that failed must not end the others
        return Row(**described(experiment), error=f"{type(error).__name__}: {error}")


def main() -> int:
    """Run the missing experiments, score all, print and write; return the exit status."""
    asked = arguments()
    folder = asked.folder or ROOT / ".cache" / "memory-mixes" / str(asked.seed)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for experiment in draw(asked.seed):
        if asked.only and not {experiment.group, str(experiment.number)} & set(asked.only):
            continue
        print(f"{experiment.number}: {experiment.group}", file=sys.stderr, flush=True)
        row = row_of(experiment, folder, asked)
        if row is not None:
            rows.append(row)
    print(printed(rows))
    print(summary(rows))
    for row in rows:
        if row.error:
            print(f"{row.number}: {row.error}")
    if asked.page:
        asked.page.mkdir(parents=True, exist_ok=True)
        with (asked.page / DATA).open("w", newline="") as stream:
            table = csv.DictWriter(stream, [each.name for each in fields(Row)])
            table.writeheader()
            table.writerows(asdict(row) for row in rows)
        day = time.strftime("%Y-%m-%d")
        where = f"{day} on {os.cpu_count()} cores, Linux {platform.release()}"
        facts = f"Measured with seed {asked.seed}, {where}: {len(rows)} experiments."
        (asked.page / PAGE).write_text(page(rows, facts))
    counted = [row for row in rows if proves(row)]
    enough = bool(counted) and sum(row.right for row in counted) >= _RIGHT * len(counted)
    return int(not enough or any(row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
