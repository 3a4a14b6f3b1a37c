"""Checks the rules of injected delays, and writes them for the preloaded library."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from jostle.errors import JostleError, UsageError

#: Sets of calls that can be chosen, and their members (lab/inject/rules.c).
GROUPS: dict[str, str] = {
    "mpi": "p2p, collective, one-sided, and starts of persistent requests",
    "p2p": "send, receive, wait and blocking probes",
    "collective": "collectives of every shape, also non-blocking and neighbourhood ones",
    "all-to-all": "MPI_Allreduce, MPI_Alltoall, MPI_Allgather and similar calls",
    "barrier": "MPI_Barrier and MPI_Ibarrier",
    "send": "MPI_Send, MPI_Isend, MPI_Sendrecv and similar calls",
    "receive": "MPI_Recv, MPI_Irecv, MPI_Sendrecv and similar calls",
    "wait": "MPI_Wait, MPI_Waitall, MPI_Waitany, MPI_Waitsome",
    "one-sided": "MPI_Put, MPI_Get, MPI_Accumulate, and what synchronises windows",
    "mpi-io": "MPI_File_...",
    "io": "read, write, open, close, sync, meta and mpi-io",
    "read": "reads of files",
    "write": "writes to files, and copies between descriptors",
    "open": "open, fopen and similar calls",
    "close": "close, fclose",
    "sync": "fsync, fflush and similar calls",
    "meta": "stat, unlink, rename, mkdir, readdir and similar calls",
}
#: Longest delay that can be chosen, ns.
LONGEST_NS = 60_000_000_000
#: Default cap of a heavy tail, in units of the least delay.
CAP = 1000
_SCALE = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(ns|us|µs|ms|s|min)")
_MOST_RANGES = 64
_LIBRARY = "libjostle_inject.so"


def length_ns(text: str, what: str, example: str) -> int:
    """Return a span such as `5ms` in nanoseconds."""
    match = _LENGTH.fullmatch(text.strip())
    if not match or float(match[1]) * _SCALE[match[2]] > 8.64e15:
        raise UsageError(f"`{text}` is not a {what}.", hint=f"Write for example {example}")
    return round(float(match[1]) * _SCALE[match[2]])


@dataclass(frozen=True)
class Delay:
    """The distribution of the lengths of delays.

    Attributes:
        shape: fixed, gauss (normal, drawn again if negative) or pareto (heavy tail).
        size_ns: Length of a delay (fixed), mean length (gauss) or least length (pareto), in ns.
        spread_ns: Standard deviation of the lengths (gauss), in ns.
        exponent: Exponent of the tail (pareto): P(longer than x) = (size/x)^exponent.
        cap_ns: Greatest length (pareto), in ns.
    """

    shape: str
    size_ns: int
    spread_ns: int = 0
    exponent: float = 0.0
    cap_ns: int = 0

    @classmethod
    def parse(cls, text: str) -> Delay:
        """Parse `fixed:5ms`, `gauss:5ms,1ms` or `pareto:1ms,1.5[,100ms]`.

        Raises:
            UsageError: The text is none of these, or a number is out of range.
        """
        shape, _, rest = text.partition(":")
        words = [word.strip() for word in rest.split(",")]
        wanted = {"fixed": (1,), "gauss": (2,), "pareto": (2, 3)}
        if len(words) not in wanted.get(shape, ()) or not rest:
            raise UsageError(
                f"`{text}` is not a delay.",
                hint="Write fixed:5ms, gauss:5ms,1ms (mean, deviation) or pareto:1ms,1.5 (least, "
                "exponent; a third value caps it).",
            )
        size = _delay_length(words[0])
        if shape == "fixed":
            return cls(shape, size)
        if shape == "gauss":
            return cls(shape, size, spread_ns=length_ns(words[1], "deviation", "gauss:5ms,1ms"))
        try:
            exponent = float(words[1])
        except ValueError:
            exponent = 0.0
        if not 0.05 <= exponent <= 100:
            raise UsageError(
                f"`{words[1]}` is not an exponent of a heavy tail (0.05 to 100).",
                hint="Write for example pareto:1ms,1.5: the smaller, the heavier.",
            )
        cap = _delay_length(words[2]) if len(words) == 3 else min(CAP * size, LONGEST_NS)
        if cap < size:
            raise UsageError(
                f"`{text}`: the cap is below the least delay.",
                hint="Give the cap last: pareto:1ms,1.5,100ms",
            )
        return cls(shape, size, exponent=exponent, cap_ns=cap)

    def __str__(self) -> str:
        """Return the delay as the library reads it."""
        if self.shape == "fixed":
            return f"fixed:{self.size_ns}ns"
        if self.shape == "gauss":
            return f"gauss:{self.size_ns}ns,{self.spread_ns}ns"
        return f"pareto:{self.size_ns}ns,{self.exponent:.6f},{self.cap_ns}ns"


def _delay_length(text: str) -> int:
    ns = length_ns(text, "length of a delay", "fixed:5ms")
    if not 1 <= ns <= LONGEST_NS:
        raise UsageError(
            f"`{text}` cannot be a delay: a delay lasts 1 ns to 60 s.",
            hint="Write for example fixed:5ms",
        )
    return ns


@dataclass(frozen=True)
class Rules:
    """Which calls are delayed, how often, for how long, when and where.

    Attributes:
        calls: Names of groups of calls, from GROUPS.
        probability: Probability that one of these calls is delayed, 0 to 1.
        delay: Distribution of the lengths of delays.
        seed: Seed of the random numbers. The same seed delays the same calls of each class in each
            rank, by the same lengths.
        ranks: Ranges of ranks whose calls are delayed: pairs of first and last rank; empty: all
            processes.
        from_ns: Begin of the time with delays, ns since the end of MPI_Init; without MPI, since the
            start of the process.
        until_ns: End of the time with delays, counted like `from_ns`; None: no end.
        period_ns: Period of a schedule on the wall clock, ns; 0: no schedule.
        duty: Share of a period in which calls are delayed.
        phase_ns: Shift of the periods, in ns.
        random_place: Whether the part with delays is drawn from the seed for each period, among
            equal parts; else it is the first part of each period.
    """

    calls: tuple[str, ...]
    delay: Delay
    probability: float = 1.0
    seed: int = 0
    ranks: tuple[tuple[int, int], ...] = ()
    from_ns: int = 0
    until_ns: int | None = None
    period_ns: int = 0
    duty: float = 0.5
    phase_ns: int = 0
    random_place: bool = False

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            UsageError: A value is invalid; the message says why and gives valid values.
        """
        if not self.calls:
            raise UsageError(
                "No calls to delay.",
                hint="Name some calls, for example with --calls all-to-all,write",
            )
        for name in self.calls:
            if name not in GROUPS:
                close = difflib.get_close_matches(name, GROUPS, n=3, cutoff=0.5)
                raise UsageError(
                    f"There are no calls `{name}`.",
                    hint=f"Did you mean `{'` or `'.join(close)}`?"
                    if close
                    else f"There are {', '.join(GROUPS)}.",
                )
        if not 0 <= self.probability <= 1:
            raise UsageError(
                f"`{self.probability}` is not a probability (0 to 1).",
                hint="Give a number between 0 and 1, for example 0.01",
            )
        if not 0 <= self.seed < 1 << 63:
            raise UsageError(
                f"`{self.seed}` is not a seed.", hint="Give a whole number, 0 or greater."
            )
        if self.until_ns is not None and self.until_ns <= self.from_ns:
            raise UsageError(
                "The window ends before it begins.",
                hint="Choose an --until that is later than --from.",
            )
        if self.period_ns and not 0 <= self.duty <= 1:
            raise UsageError(
                f"`{self.duty}` is not a share of a period.", hint="Give a number between 0 and 1."
            )
        if self.random_place and not (self.period_ns and 0 < self.duty <= 0.5):
            raise UsageError(
                "A position in a period can be drawn only if the part with delays is at most "
                "half of the period.",
                hint="Give a period, and a duty of at most one half, for example --period 4s "
                "--duty 0.5",
            )
        if len(self.ranks) > _MOST_RANGES:
            raise UsageError(
                f"More than {_MOST_RANGES} ranges of ranks.",
                hint="Combine the ranks into ranges, for example 0-3,8-11",
            )

    def text(self, log: str | os.PathLike[str]) -> str:
        """Return the value of JOSTLE_INJECT, log folder included (lab/docs/reference/inject.md)."""
        words = [
            f"seed={self.seed}",
            f"calls={','.join(self.calls)}",
            f"probability={self.probability:.12f}",
            f"delay={self.delay}",
        ]
        if self.ranks:
            ranges = (f"{a}" if a == b else f"{a}-{b}" for a, b in self.ranks)
            words.append(f"ranks={','.join(ranges)}")
        if self.from_ns:
            words.append(f"from={self.from_ns}ns")
        if self.until_ns is not None:
            words.append(f"until={self.until_ns}ns")
        if self.period_ns:
            words.append(f"period={self.period_ns}ns")
            words.append(f"on={int(self.period_ns * self.duty)}ns")
            words.append(f"phase={self.phase_ns}ns")
            if self.random_place:
                words.append("place=random")
        return " ".join([*words, f"log={os.fspath(log)}"])


def parse_ranks(text: str) -> tuple[tuple[int, int], ...]:
    """Parse a list of ranks such as `0,2-3` into pairs of first and last rank.

    Raises:
        UsageError: The text is not a list of ranks.
    """
    ranges = []
    for word in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", word)
        if not match or int(match[2] or match[1]) < int(match[1]):
            raise UsageError(
                f"`{text}` is not a list of ranks.", hint="Write for example --ranks 0,2-3"
            )
        ranges.append((int(match[1]), int(match[2] or match[1])))
    return tuple(ranges)


def parse_calls(text: str) -> tuple[str, ...]:
    """Return the names of groups in a text that is separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def environment(
    calls: str,
    delay: str,
    log: str | os.PathLike[str],
    *,
    probability: float = 1.0,
    seed: int = 0,
    ranks: str = "",
) -> dict[str, str]:
    """Return the variables for a program that is delayed as long as it runs; see `variables`.

    Args:
        calls: Names of groups of calls, from GROUPS, separated by commas.
        delay: Distribution of the lengths: `fixed:5ms`, `gauss:5ms,1ms` or `pareto:1ms,1.5[,cap]`.
        log: Folder for the logs; created if it is missing.
        probability: Probability that one of these calls is delayed.
        seed: Seed of the random numbers, as in Rules.
        ranks: Ranks whose calls are delayed, for example `0,2-3`; empty: all ranks.

    Raises:
        UsageError: A value is invalid.
        NativeMissingError: The library is not installed.
    """
    rules = Rules(
        calls=parse_calls(calls),
        delay=Delay.parse(delay),
        probability=probability,
        seed=seed,
        ranks=parse_ranks(ranks) if ranks else (),
    )
    return variables(rules, Path(log))


def variables(rules: Rules, log: Path) -> dict[str, str]:
    """Return JOSTLE_INJECT and LD_PRELOAD for these rules, and create the folder of the logs.

    `jostle-run` and `jostle run` put the profiler's library in front of the injector's, as is
    needed.

    Raises:
        JostleError: The folder or the library's path cannot be used.
    """
    from jostle_lab.native import lab_native_path

    library = str(lab_native_path(_LIBRARY))
    if " " in library or ":" in library:
        raise JostleError(
            f"{library} cannot be preloaded: LD_PRELOAD splits at spaces and colons.",
            hint="Install jostle below a path without them.",
        )
    folder = log_folder(log)
    text = rules.text(folder)
    if len(os.fsencode(text)) > 1000 or len(os.fsencode(folder)) > 500:
        raise UsageError(
            "The rules are too long.",
            hint="Combine ranges of ranks, or choose a shorter path for --log.",
        )
    others = os.environ.get("LD_PRELOAD", "")
    return {"JOSTLE_INJECT": text, "LD_PRELOAD": f"{library}:{others}" if others else library}


def log_folder(path: Path) -> Path:
    """Create the folder of the logs; refuse a folder with logs of another run.

    Raises:
        UsageError: The folder cannot be created or written to, or is in use.
    """
    folder = path.expanduser().absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        used = any(name.startswith("inject-") for name in os.listdir(folder))
    except OSError as error:
        raise UsageError(
            f"No logs can be written in {folder}: {error.strerror}.", hint="Choose another --log."
        ) from None
    if used:
        raise UsageError(
            f"{folder} holds the logs of another run already.",
            hint="Use a new folder for each run, since the delays of two runs cannot be "
            "distinguished.",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(
            f"You have no permission to write to {folder}.", hint="Choose another --log."
        )
    return folder
