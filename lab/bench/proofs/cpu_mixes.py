#!/usr/bin/env python3
"""Scores jostle's attribution of lost CPU time against known mixes of real programs.

    lab/bench/proofs/cpu_mixes.py [--mixes N] [--seed S] [--seconds T] [--slice LENGTH] [--json]

Each mix is drawn from its seed: a job and three to five other users of the same cores, steady or in
bursts, all the time or a part of it, on all cores or on one. One of them is the same user's second
job, and some have no profile. The truth is a log without profiles: every 20 ms, for how long the
job waited for a core (/proc/PID/schedstat), which processes ran meanwhile, and on which core
(/proc/PID/stat). Every mix is evaluated twice: with an agent's counters of the machine, and by
profiles alone. A cell is one user of the cores in one mix; all load without a profile is one cell.
Other programs that happen to run on this machine belong to that cell: the log has their sum.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "src")]

NATIVE = Path(os.environ.get("JOSTLE_NATIVE", ROOT / "build" / "native"))
WITHIN = 10.0  # points
ENOUGH = 0.95  # of the cells
VICTIM, UNPROFILED = "victim", "unprofiled"
_TICK_S = 0.02
_WINDOW = 25  # ticks over which the load of the rest of the machine is averaged

#: A user of cores: works for a part of each period, from one instant to another.
_PROGRAM = """
import sys, time
begin, end, period, duty = map(float, sys.argv[1:5])
start = time.time()
time.sleep(begin)
number = 0
while (now := time.time() - start) < end:
    if now % period < duty * period:
        for _ in range(20000): number += 1
    else:
        time.sleep(min(period - now % period, end - now))
"""


@dataclass(frozen=True)
class User:
    """A program of a mix that uses cores: the job that is evaluated, or one that disturbs it.

    Attributes:
        name: Name of the job.
        profiled: Whether the user has a profile.
        begin, end: Start and end of the user's work, in seconds.
        period: Period of the user's bursts, in seconds.
        duty: Part of each period in which the user works.
        cores: Cores on which the user may run.
    """

    name: str
    profiled: bool
    begin: float
    end: float
    period: float
    duty: float
    cores: tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """The share of one user in the time that the job lost.

    Attributes:
        mix: Seed of the mix.
        machine: Whether an agent recorded the machine's counters.
        bound: Whether the job is bound to some of the cores of the others.
        user: Name of the user.
        truth: True share by the log, percent.
        found: Share by jostle, percent; low, high: its interval.
    """

    mix: int
    machine: bool
    bound: bool
    user: str
    truth: float
    found: float
    low: float
    high: float

    @property
    def off(self) -> float:
        """Difference of the two shares, percentage points."""
        return abs(self.found - self.truth)


def draw(seed: int, seconds: float, cores: Sequence[int]) -> list[User]:
    """Draw a mix; the job that is evaluated comes first."""
    rng = random.Random(seed)

    def user(name: str, profiled: bool) -> User:
        steady = rng.random() < 0.5
        begin = 0.0 if rng.random() < 0.6 else rng.uniform(0, 0.5) * seconds
        end = seconds if rng.random() < 0.6 else rng.uniform(0.6, 1.0) * seconds
        on = tuple(cores) if rng.random() < 0.7 else (rng.choice(cores),)
        return User(
            name,
            profiled,
            begin,
            end,
            rng.uniform(0.3, 6.0),
            1.0 if steady else rng.uniform(0.3, 0.8),
            on,
        )

    number = rng.randint(2, 4)
    others = [user(f"job{k}", rng.random() < 0.75) for k in range(number)]
    on = tuple(cores) if rng.random() < 0.7 else (rng.choice(cores),)
    duty = rng.choice([1.0, 1.0, 0.8])
    return [User(VICTIM, True, 0.0, seconds, 2.0, duty, on), user("second", True), *others]


def start(user: User, spool: Path, length: str) -> subprocess.Popen[bytes]:
    """Start a user of cores, with or without a profile."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("JOSTLE")
    }
    if user.profiled:
        environment |= {
            "LD_PRELOAD": str(NATIVE / "libjostle.so"),
            "JOSTLE_SPOOL": str(spool),
            "JOSTLE_JOB": user.name,
            "JOSTLE_SLICE": length,
        }
    words = [str(each) for each in (user.begin, user.end, user.period, user.duty)]
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words],
        env=environment,
        preexec_fn=lambda: os.sched_setaffinity(0, user.cores),
    )


@dataclass
class Log:
    """Samples of the programs, tick by tick.

    Attributes:
        waited: Time that the job waited for a core, in ns.
        ran: CPU time by user and core, in ns.
        busy: CPU time of everything per core, in ns.
    """

    waited: list[int]
    ran: list[dict[tuple[str, int], int]]
    busy: list[dict[int, int]]


def watch(programs: dict[str, subprocess.Popen[bytes]], cores: Sequence[int]) -> Log:
    """Log the programs until the job that is evaluated has ended."""
    log = Log([], [], [])
    before: dict[str, tuple[int, int]] = {}
    was_busy = _busy(cores)
    while programs[VICTIM].poll() is None:
        time.sleep(_TICK_S)
        ran: dict[tuple[str, int], int] = {}
        waited = 0
        for name, program in programs.items():
            try:
                cpu, delay = _schedstat(program.pid)
                core = _last_core(program.pid)
            except (OSError, IndexError, ValueError):
                continue
            old = before.get(name, (cpu, delay))
            before[name] = cpu, delay
            ran[name, core] = cpu - old[0]
            waited += delay - old[1] if name == VICTIM else 0
        busy = _busy(cores)
        log.busy.append({core: busy[core] - was_busy[core] for core in cores})
        was_busy = busy
        log.ran.append(ran)
        log.waited.append(waited)
    return log


def _schedstat(pid: int) -> tuple[int, int]:
    cpu, delay, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    return int(cpu), int(delay)


def _last_core(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[36])


def _busy(cores: Sequence[int]) -> dict[int, int]:
    """Return the time for which cores were busy, ns, in steps of a tick of the kernel."""
    found = {}
    for line in Path("/proc/stat").read_text().splitlines():
        words = line.split()
        if words[0][:3] == "cpu" and words[0] != "cpu" and int(words[0][3:]) in cores:
            user, nice, system, _, _, irq, soft = map(int, words[1:8])
            spent = user + nice + system + irq + soft
            found[int(words[0][3:])] = spent * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    return found


def truth(log: Log, users: Sequence[User]) -> dict[str, float]:
    """Divide the time that the job waited among the users of the cores, by the log.

    All users without a profile get one share together.
    """
    mine = next(user for user in users if user.name == VICTIM).cores
    profiled = {user.name for user in users if user.profiled}
    known = {user.name for user in users}
    # Ticks of the kernel are coarse: load that was not injected is averaged over a window.
    rest = []
    for ran, busy in zip(log.ran, log.busy, strict=True):
        on_mine = sum(ns for (_, core), ns in ran.items() if core in mine)
        rest.append(sum(busy[core] for core in mine) - on_mine)
    smooth = [max(sum(part) / len(part), 0.0) for part in _windows(rest)]
    shares = dict.fromkeys([*sorted(profiled - {VICTIM}), UNPROFILED], 0.0)
    for waited, ran, other in zip(log.waited, log.ran, smooth, strict=True):
        here = {
            name: ns
            for (name, core), ns in ran.items()
            if core in mine and name != VICTIM and name in known
        }
        whole = sum(here.values()) + other
        if whole <= 0 or waited <= 0:
            continue
        for name, ns in (*here.items(), (UNPROFILED, other)):
            shares[name if name in profiled else UNPROFILED] += waited * ns / whole
    whole = max(sum(shares.values()), 1e-9)
    return {name: 100 * value / whole for name, value in shares.items()}


def _windows(values: Sequence[float]) -> Iterator[Sequence[float]]:
    for at in range(len(values)):
        yield values[max(at - _WINDOW // 2, 0) : at + _WINDOW // 2 + 1]


def evaluate(
    seed: int, spools: Sequence[Path], known: dict[str, float], *, bound: bool = False
) -> list[Cell]:
    """Compare the verdict on the job with the truth.

    Args:
        seed: Seed of the mix.
        spools: Spools of the programs, and of the machine where an agent counted it.
        known: True shares.
        bound: Whether the job is bound to some of the cores of the others.
    """
    from jostle.analysis.interval import Interval
    from jostle.report.verdict.verdict import USUAL, attribution_of, evaluate_job
    from jostle.repository import Repository

    with Repository.of_spool(list(spools)) as store:
        evaluated = evaluate_job(store, VICTIM, USUAL)
    attribution = attribution_of(evaluated.estimate, evaluated.who)
    lost = max(attribution.lost_s.value, 1e-9)
    assert (
        abs(sum(each.share for each in attribution.suspects) + attribution.unexplained_share - 1)
        < 1e-6
    )
    parts = {each.job: each.seconds for each in attribution.suspects if each.kind == "job"}
    cells = []
    for name in known:
        if name == UNPROFILED:
            rows = [each.seconds for each in attribution.suspects if each.kind == "unprofiled"]
            left = attribution.unexplained_s.value  # its interval is that of the whole loss
            rows.append(Interval(left, left, left))
        else:
            rows = [parts[name]] if name in parts else []
        value, low, high = (
            100 * sum(getattr(row, end) for row in rows) / lost for end in ("value", "low", "high")
        )
        cells.append(
            Cell(seed, len(spools) > 1, bound, name, known[name], value, low, min(high, 100.0))
        )
    return cells


def run_mix(seed: int, seconds: float, length: str) -> tuple[list[Cell], list[User]]:
    """Inject a mix, and evaluate it with and without an agent on the machine."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    users = draw(seed, seconds, cores)
    with tempfile.TemporaryDirectory(prefix="jostle-mix-") as folder:
        spool, machine = Path(folder) / "jobs", Path(folder) / "machine"
        spool.mkdir()
        machine.mkdir()
        agent = subprocess.Popen(
            [NATIVE / "jostle-agent", "sample"],
            stderr=subprocess.DEVNULL,
            env=os.environ | {"JOSTLE_SPOOL": str(machine), "JOSTLE_SLICE": length},
        )
        programs = {user.name: start(user, spool, length) for user in users}
        try:
            log = watch(programs, cores)
        finally:
            for program in programs.values():
                program.terminate()
                program.wait()
            agent.terminate()
            agent.wait()
        known = truth(log, users)
        bound = len(users[0].cores) < len(cores)
        both = [
            evaluate(seed, spools, known, bound=bound) for spools in ([spool, machine], [spool])
        ]
    return [cell for cells in both for cell in cells], users


def main() -> int:
    """Run the mixes; the exit status is 1 if too few cells are right."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--mixes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="seed of the first mix")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of a mix, s")
    parser.add_argument("--slice", default="4s", dest="length")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    cells: list[Cell] = []
    for seed in range(asked.seed, asked.seed + asked.mixes):
        found, users = run_mix(seed, asked.seconds, asked.length)
        cells += found
        if not asked.json:
            print(
                f"mix {seed}: "
                + ", ".join(
                    f"{user.name}{'' if user.profiled else ' (no profile)'} {user.duty:.0%} of "
                    f"{user.period:.1f} s on {','.join(map(str, user.cores))}"
                    for user in users
                )
            )
            for cell in found:
                wide = f"({cell.low:.0f} to {cell.high:.0f})"
                how = "with agent" if cell.machine else "alone     "
                print(
                    f"  {how} {cell.user:12} true {cell.truth:5.1f} %  found {cell.found:5.1f} % "
                    f"{wide:13} off {cell.off:4.1f}",
                    flush=True,
                )
    if asked.json:
        print(json.dumps([asdict(cell) for cell in cells]))
    return 0 if summary(cells) else 1


def summary(cells: Sequence[Cell]) -> bool:
    """Print how many cells are right; return whether they are enough.

    For a job that is bound to some of the cores of its neighbours only an agent records which
    processes ran on these: without one its shares are less exact, and their intervals wide.
    """
    ok = True
    for bound in (False, True):
        for machine in (True, False):
            mine = [cell for cell in cells if (cell.machine, cell.bound) == (machine, bound)]
            if not mine:
                continue
            right = sum(cell.off <= WITHIN for cell in mine)
            held = sum(cell.low - 0.5 <= cell.truth <= cell.high + 0.5 for cell in mine)
            wide = sorted((cell.high - cell.low) / 2 for cell in mine)[len(mine) // 2]
            mean = sum(cell.off for cell in mine) / len(mine)
            print(
                f"job {'bound to one of the cores' if bound else 'on all cores'}, "
                f"{'with an agent' if machine else 'profiles alone'}: within {WITHIN:g} points "
                f"{right} of {len(mine)} cells ({right / len(mine):.1%}), mean {mean:.1f} points "
                f"off; interval holds the truth in {held} ({held / len(mine):.1%}), median "
                f"half-width {wide:.1f} points",
                file=sys.stderr,
            )
            blind = bound and not machine
            ok = ok and (blind or right >= ENOUGH * len(mine)) and held >= 0.9 * len(mine)
    return ok


if __name__ == "__main__":
    sys.exit(main())
