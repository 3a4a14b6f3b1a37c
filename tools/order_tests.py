#!/usr/bin/env python3
"""order_tests.py: orders the folders of tests for tools/test.sh by their run times.

    tools/order_tests.py LOGS            write LOGS/parts, LOGS/waiting.left and LOGS/computing.left
    tools/order_tests.py LOGS --write    write tools/test_seconds.tsv from a run of all tests with
                                         its times in LOGS (build/tests)

A line of tools/test_seconds.tsv is a folder (`lab-X` is lab/tests/X), its seconds in a run of all
tests, and its kind: its tests mostly wait (for clocks, links and programs), or they compute. A
folder that is not in it counts as computing. The longest comes first. A folder that takes more than
half of the time of a stream is split by files into parts: the end of a run does not wait for it.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

SECONDS = Path("tools/test_seconds.tsv")
HEADER = "# folder\tseconds\tkind; written by tools/order_tests.py build/tests --write\n"
STREAMS = 3
#: Less CPU time than this, as a share of the elapsed time, is waiting.
WAITS = 0.5


class Took(NamedTuple):
    """The times of a folder in a run of all tests."""

    seconds: float
    kind: str


class Part(NamedTuple):
    """The tests of one call of pytest: a folder, or some of its files."""

    name: str
    seconds: float
    kind: str
    paths: list[str]


def folders() -> dict[str, list[str]]:
    """Return the test files of each folder, with those in folders of the folder."""
    found = defaultdict(list)
    for top, prefix in (("tests", ""), ("lab/tests", "lab-")):
        for path in sorted(Path(top).rglob("test_*.py")):
            found[prefix + path.relative_to(top).parts[0]].append(str(path))
    return found


def path_of(name: str) -> str:
    """Return the path of a folder by its name in tools/test_seconds.tsv."""
    return f"lab/tests/{name[4:]}" if name.startswith("lab-") else f"tests/{name}"


def read() -> dict[str, Took]:
    """Return the committed times."""
    text = SECONDS.read_text() if SECONDS.exists() else ""
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {name: Took(float(seconds), kind) for name, seconds, kind in rows}


def parts(files: dict[str, list[str]], took: dict[str, Took]) -> list[Part]:
    """Return the parts to run, the longest first; every file is in one part."""
    known = {name: took.get(name, Took(0, "computing")) for name in files}
    most = sum(each.seconds for each in known.values()) / STREAMS / 2
    found = []
    for name, (seconds, kind) in known.items():
        pieces = min(math.ceil(seconds / most), len(files[name])) if most else 1
        if pieces < 2:
            found.append(Part(name, seconds, kind, [path_of(name)]))
        else:
            found += [
                Part(f"{name}.{first + 1}", seconds / pieces, kind, files[name][first::pieces])
                for first in range(pieces)
            ]
    return sorted(found, key=lambda part: (-part.seconds, part.name))


def measured(logs: Path) -> dict[str, Took]:
    """Return how long each folder, with all of its parts, took in the run of these logs."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0])
    for path in logs.glob("*.seconds"):
        if not path.stem.endswith(".again"):
            real, user, system = map(float, path.read_text().split())
            total = sums[path.stem.partition(".")[0]]
            total[0] += real
            total[1] += user + system
    return {
        name: Took(round(real), "waiting" if cpu < WAITS * real else "computing")
        for name, (real, cpu) in sums.items()
    }


def write(took: dict[str, Took]) -> None:
    """Write the committed file, the longest folder first."""
    rows = sorted(took.items(), key=lambda row: (-row[1].seconds, row[0]))
    lines = [f"{name}\t{seconds:.0f}\t{kind}\n" for name, (seconds, kind) in rows]
    SECONDS.write_text(HEADER + "".join(lines))


def main() -> None:
    """Write the order of the folders, or how long they took."""
    logs = Path(sys.argv[1])
    files, took = folders(), read()
    if sys.argv[2:] == ["--write"]:
        write({name: each for name, each in (took | measured(logs)).items() if name in files})
        return
    order = parts(files, took)
    lines = [f"{part.name} {' '.join(part.paths)}\n" for part in order]
    (logs / "parts").write_text("".join(lines))
    for kind in ("waiting", "computing"):
        names = [f"{part.name}\n" for part in order if part.kind == kind]
        (logs / f"{kind}.left").write_text("".join(names))


if __name__ == "__main__":
    main()
