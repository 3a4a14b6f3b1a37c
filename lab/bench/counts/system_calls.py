"""Counts system calls that jostle adds to I/O calls, opened files, processes and each slice."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import dense
from counts.figure import (
    NATIVE,
    Figure,
    Figures,
    UncountedError,
    compiled,
    fill,
    need,
    run,
    variables,
    work_folder,
)

CALLS = 1000
#: Threads of the agent wait for each other, and share one allocator: how often is random.
_CHANCE = {"futex", "sched_yield", "brk", "mmap", "munmap"}
_LINE = re.compile(r"(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed>)(.*)")
#: The call that ends a wait for the next slice: of the heartbeat, and of the agent.
_HEARTBEAT, _AGENT = "futex", "rt_sigtimedwait"


def measure() -> Figures:
    """Count the system calls; return the counts by name."""
    need("strace")
    with work_folder("system-calls") as folder:
        program = compiled(folder, "counted")
        found = _between_marks(folder, program)
        found["start and end of a process"] = _start(folder, [program, "none"])
        found |= _with_profile(folder, program)
        found["slice of the heartbeat"] = _heartbeat(folder, program)
        found["slice of the agent, a dense node"] = _agent(folder)
    return found


def _trace(words: list[str], folder: Path, environment: dict[str, str], *options: str) -> list[str]:
    out = folder / "trace"
    setting = [word for key, value in environment.items() for word in ("-E", f"{key}={value}")]
    run(
        ["strace", *options, "-a", "0", "-s", "60", "-o", str(out), *setting, *words],
        folder,
        variables(folder, is_bare=True),
    )
    return out.read_text(errors="replace").splitlines()


def _added(ours: Counter[str], bare: Counter[str]) -> Figure:
    ours.subtract(bare)
    return made_of({name: count for name, count in ours.items() if count})


def made_of(counts: dict[str, int]) -> Figure:
    """Return the sum of some counts, with the counts as text, the largest first."""
    parts = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Figure(sum(counts.values()), ", ".join(f"{name} {count}" for name, count in parts))


def _between_marks(folder: Path, program: str) -> Figures:
    """Count what jostle adds to calls and files of programs/counted.c, in the main thread only."""
    sections = []
    for is_bare in (True, False):
        fill(folder)
        within_a_minute()
        words, environment = [program, str(folder), str(CALLS)], variables(folder, is_bare=is_bare)
        sections.append(dict(_sections(_trace(words, folder, environment))))
    bare, ours = sections
    return {
        f"{'512 files' if ' ' in name else '1000 calls'}: {name}": _added(ours[name], bare[name])
        for name in bare
    }


def _sections(lines: Iterable[str]) -> Iterator[tuple[str, Counter[str]]]:
    seen: Counter[str] = Counter()
    for line in lines:
        if line.startswith('write(-1, "begin"'):
            seen = Counter()
        elif line.startswith('write(-1, "mark '):
            yield line.split('"')[1].removeprefix("mark "), seen
        elif named := re.match(r"(\w+)\(", line):
            seen[named[1]] += 1


def _names(lines: Iterable[str]) -> Counter[str]:
    return Counter(name for _, name in begun(lines))


def begun(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield thread and name of each system call of `strace -f`, as they begin."""
    for line in lines:
        found = _LINE.match(line)
        if found and found[3] == "(":
            yield found[1], found[2]


def _start(folder: Path, words: list[str]) -> Figure:
    """Count what jostle adds to a process that ends at once.

    The least of some runs is returned, since the library may have to read its clocks again.
    """
    bare = _names(_trace(words, folder, variables(folder, is_bare=True), "-f"))
    runs = [_names(_trace(words, folder, variables(folder), "-f")) for _ in range(3)]
    return _added(min(runs, key=lambda names: names.total()), bare)


def _with_profile(folder: Path, program: str) -> Figures:
    """Count what jostle adds to a process that gets a profile but ends within its first slice.

    The heartbeat's system calls (jostle's own thread) are counted separately.
    """
    words = [program, "hold", "30"]
    bare = _names(_trace(words, folder, variables(folder, is_bare=True), "-f"))
    within_a_minute()
    lines = _trace(words, folder, variables(folder), "-f")
    main = lines[0].split()[0]
    own = Counter(name for thread, name in begun(lines) if thread == main)
    heartbeat = [name for thread, name in begun(lines) if thread != main]
    return {
        "start and end of a process with a profile": _added(own, bare),
        "start of the heartbeat": made_of(Counter(split(heartbeat, _HEARTBEAT)[0])),
    }


def within_a_minute() -> None:
    """Wait until no slice of a minute ends in the next seconds."""
    if (left := 60 - time.time() % 60) < 8:
        time.sleep(left)


def _heartbeat(folder: Path, program: str) -> Figure:
    """Count the heartbeat's system calls in one slice of a process that writes.

    The slice with the fewest is taken, since the heartbeat may have to read its clocks again.
    """
    lines = _trace([program, "hold", "250"], folder, variables(folder, "100ms"), "-f")
    main = lines[0].split()[0]
    pieces = split((name for thread, name in begun(lines) if thread != main), _HEARTBEAT)
    steady = [Counter(piece) for piece in pieces[10:-1] if "pwrite64" in piece]
    if len(steady) < 5:
        raise RuntimeError("the heartbeat wrote too few slices")
    return made_of(min(steady, key=Counter.total))


def split(names: Iterable[str], at: str) -> list[list[str]]:
    """Divide system calls into pieces at each call `at`, in which a thread waits."""
    pieces: list[list[str]] = [[]]
    for name in names:
        if name == at:
            pieces.append([])
        else:
            pieces[-1].append(name)
    return pieces


def _agent(folder: Path) -> Figure:
    """Count the agent's system calls in one slice; the most frequent count of the slices is taken.

    Counts differ between slices, since the agent's threads run in any order.
    """
    agent = NATIVE / "jostle-agent"
    if not agent.exists():
        raise UncountedError("jostle-agent was not built")
    root, out = folder / "root", folder / "trace"
    dense.build(root)
    settings = ["-E", f"JOSTLE_SPOOL={folder / 'spool'}", "-E", "JOSTLE_SLICE=1s"]
    sampler = ["timeout", "5.5", str(agent), "sample", "--root", str(root)]
    subprocess.run(  # strace itself cannot be asked to end
        ["strace", "-f", "-a", "0", "-o", str(out), *settings, *sampler],
        env=variables(folder, is_bare=True),
        stderr=subprocess.DEVNULL,
        check=False,
    )
    names = [name for _, name in begun(out.read_text(errors="replace").splitlines())]
    whole = [
        tuple(sorted(Counter(name for name in piece if name not in _CHANCE).items()))
        for piece in split(names, _AGENT)[2:-1]
    ]
    if not whole:
        raise UncountedError("the agent recorded no whole slice")
    [(counts, _)] = Counter(whole).most_common(1)
    return made_of(dict(counts))
