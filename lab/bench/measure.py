"""Measures variants of a program in turn, with medians and a stated uncertainty.

No figure here is a single absolute time. Each round runs every variant (the bare program,
the program with jostle, the program with Darshan) one after the other, in an order that
rotates; a figure is the median of the rounds' differences, so that a machine that drifts or is
shared shifts both sides alike.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

BARE, OURS, PEER = "bare", "jostle", "darshan"
PRIORITY = -15  # nice
PROGRAMS = Path(__file__).parent / "programs"
LEVELS = ("full", "quick", "smoke")

Samples = dict[str, list[float]]
T = TypeVar("T")


class MissingError(Exception):
    """This machine lacks a requirement of a row; the text names it."""


@dataclass(frozen=True)
class Row:
    """One line of the table of results.

    Attributes:
        key: Name for `--only`.
        what: What was measured, for the table.
        unit: Unit of `bare`, `ours`, `added`, `spread` and `peer`.
        target: The target, as text.
        reached: Whether the target was reached; None if the row has no verdict.
        bare: Value of the bare program.
        ours: Value with jostle, or the value itself if there is no comparison.
        added: Difference ours - bare.
        spread: Half-width of the 95 % interval of `added` (of `ratio` if that is the target).
        ratio: Quotient ours / bare.
        peer: Difference that the other profiler adds, the fastest one if there are several.
        peer_name: Name of that profiler.
        note: What a reader should also know.
        skipped: Whether this machine lacks a requirement of the row, which `note` names.
    """

    key: str
    what: str
    unit: str
    target: str
    reached: bool | None = None
    bare: float | None = None
    ours: float | None = None
    added: float | None = None
    spread: float | None = None
    ratio: float | None = None
    peer: float | None = None
    note: str = ""
    peer_name: str = "Darshan"
    skipped: bool = False

    @property
    def of_peer(self) -> float | None:
        """`added` as a multiple of `peer`."""
        if self.added is None or self.peer is None or self.peer <= 0:
            return None
        return self.added / self.peer

    @property
    def failed(self) -> bool:
        """Whether the row failed: it has no value, although it was not skipped."""
        return self.ours is None and not self.skipped


@dataclass
class Bench:
    """The folders of a run of the benchmarks, and the profilers that it compares.

    Attributes:
        preload: Path of libjostle.so.
        darshan: Path of Darshan's libdarshan.so; None if it is not installed.
        level: Effort: `full`; `quick`: fewer rounds, for a first look; `smoke`: only a check
            whether rows can measure, with values that cannot be used.
        memory: Scratch folder in memory (tmpfs), if there is a tmpfs.
        disk: Scratch folder in the default folder for temporary files.
        cpus: CPUs that this process may use.
    """

    preload: Path
    darshan: Path | None
    level: str
    memory: Path = field(init=False)
    disk: Path = field(init=False)
    cpus: list[int] = field(init=False)

    def __enter__(self) -> Bench:
        shm = Path("/dev/shm")
        in_memory = str(shm) if shm.is_dir() and os.access(shm, os.W_OK) else None
        self.memory = Path(tempfile.mkdtemp(prefix="jostle-bench-", dir=in_memory))
        self.disk = Path(tempfile.mkdtemp(prefix="jostle-bench-"))
        self.disk.chmod(0o755)
        self.cpus = sorted(os.sched_getaffinity(0))
        with contextlib.suppress(OSError):  # only root may; others have more noise
            os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
            Path("/proc/self/autogroup").write_text(str(PRIORITY))
        for name in ("spool", "darshan"):
            (self.disk / name).mkdir()
            (self.disk / name).chmod(0o1777)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.memory, ignore_errors=True)
        shutil.rmtree(self.disk, ignore_errors=True)

    def pick(self, full: T, quick: T, smoke: T) -> T:
        """Return the one of three values that belongs to this run's level of effort."""
        return pick(self.level, full, quick, smoke)

    def rounds(self, full: int) -> int:
        """Number of alternations; only the values of `full` may be quoted."""
        return self.pick(full, max(3, full // 5), max(1, full // 60))

    def variants(self, peer: bool = True) -> dict[str, dict[str, str]]:
        """Environment variables of each variant, which are added to those of this process."""
        found = {BARE: {}, OURS: self.jostle()}
        if peer and self.darshan is not None:
            found[PEER] = {
                "LD_PRELOAD": str(self.darshan),
                "DARSHAN_ENABLE_NONMPI": "1",
                "DARSHAN_EXCLUDE_DIRS": "none",  # it leaves /dev/shm out otherwise
                "DARSHAN_LOGPATH": str(self.disk / "darshan"),
            }
        return found

    def jostle(self, spool: Path | None = None, **settings: str) -> dict[str, str]:
        """The environment of a program under jostle; `settings` without their JOSTLE_."""
        named = {f"JOSTLE_{key}": value for key, value in settings.items()}
        spool = spool or self.disk / "spool"
        return {
            "LD_PRELOAD": str(self.preload),
            "JOSTLE_SPOOL": str(spool),
            "JOSTLE_JOB": "bench",
            "JOSTLE_CONFIG": os.devnull,
            **named,
        }

    def compile(self, name: str) -> str:
        """Compile lab/bench/programs/NAME.c once; return the program's path."""
        program = self.disk / name
        if not program.exists():
            flags = ["-std=gnu11", "-O2", "-pthread"]
            source = PROGRAMS / f"{name}.c"
            subprocess.run(["cc", *flags, str(source), "-o", str(program)], check=True)
        return str(program)

    def spool(self, name: str) -> Path:
        """A new, empty spool."""
        path = self.disk / f"spool-{name}"
        path.mkdir()
        path.chmod(0o1777)
        return path


def pick(level: str, full: T, quick: T, smoke: T) -> T:
    """Return the one of three values that belongs to a level of effort."""
    return (full, quick, smoke)[LEVELS.index(level)]


def apart(work: Callable[..., T], *arguments: object) -> T:
    """Call a function in a process of its own, since the peak memory of a child includes ours."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def environment(added: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without any profiler's settings, and with those in `added`."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("JOSTLE", "DARSHAN", "MPIP", "IPM_", "LD_PRELOAD"))
    }
    return {**clean, **added}


def output(command: Sequence[str], added: Mapping[str, str]) -> str:
    """Run a program and return its output."""
    done = subprocess.run(
        list(command), env=environment(added), check=True, text=True, capture_output=True
    )
    return done.stdout


def alternate(
    variants: Mapping[str, Mapping[str, str]],
    rounds: int,
    once: Callable[[Mapping[str, str]], float],
) -> Samples:
    """Run every variant once per round, in rotating order; return the samples by variant."""
    names = list(variants)
    samples: Samples = {name: [] for name in names}
    for number in range(rounds):
        for place in range(len(names)):
            name = names[(number + place) % len(names)]
            samples[name].append(once(variants[name]))
    return samples


def added(samples: Samples, name: str) -> tuple[float, float]:
    """What a variant adds to the bare program: median of the rounds' differences.

    Returns:
        The median, and the half-width of its 95 % interval (from the quartiles of the
        differences, so that a few disturbed rounds do not widen it).
    """
    differences = [a - b for a, b in zip(samples[name], samples[BARE], strict=True)]
    return statistics.median(differences), half_width(differences)


def half_width(values: Sequence[float]) -> float:
    """Half-width of the 95 % interval of a median: 1.96 * 1.253 * sigma / sqrt(n)."""
    if len(values) < 2:
        return math.inf
    low, _, high = statistics.quantiles(values, n=4)
    return 1.96 * 1.253 * (high - low) / 1.349 / math.sqrt(len(values))


def mean_ratio(samples: Samples, name: str, over: str = BARE) -> tuple[float, float]:
    """Mean ratio to the bare program (or another variant), with its 95 % half-width.

    The mean of the middle half of the rounds' ratios: a round in which another process used the
    machine would change a plain mean by more than the measured effect.
    """
    logs = sorted(math.log(a / b) for a, b in zip(samples[name], samples[over], strict=True))
    ratio = math.exp(statistics.fmean(logs[len(logs) // 4 : -(len(logs) // 4) or None]))
    return ratio, ratio * half_width(logs)


def compared(
    samples: Samples,
    key: str,
    what: str,
    unit: str,
    limit: float,
    share: float | None = None,
    note: str = "",
) -> Row:
    """A row whose target is a limit on what is added to the bare program.

    Args:
        samples: Samples of each variant, in `unit`.
        key: Name for `--only`.
        what: What was measured, for the table.
        unit: Unit of the samples.
        limit: Largest cost that jostle may add, in `unit`; the target if no other profiler ran.
        share: The target if another profiler (a peer) ran as well: the largest cost that jostle may
            add, as a share of the cost that the peer adds.
        note: What a reader should also know.
    """
    bare, ours = (statistics.median(samples[name]) for name in (BARE, OURS))
    more, spread = added(samples, OURS)
    peer = added(samples, PEER)[0] if PEER in samples else None
    target, over, unsure = f"<= {limit:g} {unit} added", more - limit, spread
    if share is not None and peer is not None:
        target, limit = f"<= {share:g} x Darshan's", share * peer
        differences = over_share(samples, share)
        over, unsure = statistics.median(differences), half_width(differences)
    reached: bool | None = over <= 0
    if abs(over) < unsure:
        reached = None if unsure > limit else reached
        doubt = "too noisy to decide" if reached is None else "the limit is within the spread"
        note = joined([doubt, note])
    return Row(key, what, unit, target, reached, bare, ours, more, spread, ours / bare, peer, note)


def over_share(samples: Samples, share: float) -> list[float]:
    """Return for each round jostle's added cost minus a share of the peer's added cost."""
    rounds = zip(samples[BARE], samples[OURS], samples[PEER], strict=True)
    return [ours - bare - share * (peer - bare) for bare, ours, peer in rounds]


def say(text: str) -> None:
    """Show the progress."""
    print(text, file=sys.stderr, flush=True)


def joined(parts: Iterable[str]) -> str:
    """Join the parts that are not empty into one note."""
    return "; ".join(part for part in parts if part)
