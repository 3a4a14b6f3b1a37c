"""Measures whole programs, bare and under jostle: tar, Python's sqlite3, a script, make -j2."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from measure import BARE, OURS, PEER, Bench, Row, Samples, alternate, environment, mean_ratio, say

LIMIT = 1.015
# Most files are small and most bytes are in large ones: from 512 B to 1 MiB, as many of each
# doubling (mean 175 KB; studies of file systems found means of 100 to 190 KB).
ORDINARY = [512 << n for n in range(12)]
SOURCES = [1024 * n for n in range(1, 49)]  # a source tree: nothing but small files
SECONDS = 15.0  # for each program, but never fewer than 15 alternations
LINES = 240_000  # for the Python script
MODULES = 8  # for make

SQLITE = """
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("create table t (a integer primary key, b text, c real)")
for batch in range(150):
    with base:
        rows = ((f"name {i}", i / 7) for i in range(2000))
        base.executemany("insert into t (b, c) values (?, ?)", rows)
base.execute("create index i on t (b)")
print(base.execute("select sum(c), count(distinct b) from t").fetchone())
"""

SCRIPT = """
import csv, json, sys
from collections import Counter
words = Counter()
with open(sys.argv[1], newline="") as source:
    for row in csv.DictReader(source):
        words.update(row["text"].split())
with open(sys.argv[2], "w") as out:
    for word, count in words.most_common():
        out.write(json.dumps({"word": word, "count": count}) + "\\n")
"""

FUNCTION = """
double f{n}_{k}(const double *x, int n) {{
    double s = {k};
    for (int i = 0; i < n; i++) s += x[i] * x[(i + {k}) % n] - s / (i + {n} + 1);
    return s;
}}
"""


def write_tree(root: Path, files: int, sizes: Sequence[int]) -> None:
    """Write a tree of files for tar, with these sizes in turn, in bytes."""
    text = b"".join(b"%d lines of a file\n" % n for n in range(60_000))
    for n in range(files):
        folder = root / f"d{n % 50}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{n}").write_bytes(text[: sizes[n % len(sizes)]])


def write_table(path: Path, number: int) -> None:
    """Write a CSV file of so many lines, for the Python script."""
    lines = (f"{n},word{n % 997} is word{n % 89} of {n % 7}\n" for n in range(number))
    path.write_text("number,text\n" + "".join(lines))


def write_project(root: Path) -> None:
    """Write a C project of some files with a makefile."""
    root.mkdir()
    for n in range(MODULES):
        body = "".join(FUNCTION.format(n=n, k=k) for k in range(36))
        (root / f"m{n}.c").write_text("#include <stdio.h>\n#include <stdlib.h>\n" + body)
    (root / "main.c").write_text("int main(void) { return 0; }\n")
    objects = " ".join(f"m{n}.o" for n in range(MODULES))
    (root / "Makefile").write_text(
        f"CFLAGS = -O2\nall: program\nprogram: main.o {objects}\n\t$(CC) -o $@ $^\n"
    )


def timed(command: Sequence[str], folder: Path, variant: Mapping[str, str]) -> float:
    """Wall-clock seconds of a program and its children."""
    with open(os.devnull, "w") as null:
        before = time.monotonic()
        subprocess.run(list(command), cwd=folder, env=environment(variant), stdout=null, check=True)
        return time.monotonic() - before


def children_s() -> float:
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ratio_row(bench: Bench, name: str, once: Callable[[Mapping[str, str]], float]) -> Row:
    """Alternate a whole program at least 15 times; the target is on the mean ratio.

    Compared with Darshan jostle must not cost more either, within the uncertainty.
    """
    cpu: Samples = {BARE: [], OURS: [], PEER: []}
    name_of = {v.get("LD_PRELOAD"): name for name, v in bench.variants().items()}

    def both(variant: Mapping[str, str]) -> float:
        before = children_s()
        wall = once(variant)
        cpu[name_of[variant.get("LD_PRELOAD")]].append(children_s() - before)
        return wall

    once({})  # caches warm
    rounds = int(SECONDS / once({}) / len(bench.variants()))
    samples = alternate(bench.variants(), bench.rounds(max(15, min(rounds, 60))), both)
    ratio, spread = mean_ratio(samples, OURS)
    bare, ours = (statistics.median(samples[key]) * 1e3 for key in (BARE, OURS))
    peer, target = None, f"<= {100 * (LIMIT - 1):g} %"
    reached: bool | None = ratio <= LIMIT
    note = f"middle mean of {len(samples[BARE])} alternations; spread is of the ratio"
    note += "; CPU time {:.3f} ± {:.3f} x".format(*mean_ratio(cpu, OURS))
    noisy = abs(ratio - LIMIT) < spread
    if noisy:
        note += "; the limit lies within the spread"
    if PEER in samples:
        over, unsure = mean_ratio(samples, OURS, PEER)
        note += f"; Darshan {mean_ratio(samples, PEER)[0]:.3f} x, jostle over it {over:.3f}"
        note += f" ± {unsure:.3f}"
        target, reached = f"{target}, <= Darshan's", reached and over <= 1 + unsure
        peer = (statistics.median(samples[PEER]) - statistics.median(samples[BARE])) * 1e3
    if noisy and spread > LIMIT - 1:
        note, reached = f"too noisy to decide; {note}", None
    return Row(
        "whole", name, "ms", target, reached, bare, ours, ours - bare, spread, ratio, peer, note
    )


def whole_rows(bench: Bench) -> list[Row]:
    """Measure all programs, on files in memory (where the bare program is fastest)."""
    root = bench.memory / "whole"
    root.mkdir()
    write_tree(root / "files", bench.pick(3000, 3000, 120), ORDINARY)
    write_tree(root / "sources", bench.pick(8000, 8000, 400), SOURCES)
    write_table(root / "table.csv", bench.pick(LINES, LINES, LINES // 20))
    write_project(root / "project")
    python = shutil.which("python3", path="/usr/bin:/bin") or sys.executable

    def sqlite(variant: Mapping[str, str]) -> float:
        (root / "base.db").unlink(missing_ok=True)
        return timed([python, "-c", SQLITE, "base.db"], root, variant)

    def make(variant: Mapping[str, str]) -> float:
        for made in [*root.glob("project/*.o"), root / "project/program"]:
            made.unlink(missing_ok=True)
        return timed(["make", "-s", "-j2"], root / "project", variant)

    programs: dict[str, Callable[[Mapping[str, str]], float]] = {
        "tar": lambda v: timed(["tar", "cf", "out.tar", "files"], root, v),
        "tar, small files only": lambda v: timed(["tar", "cf", "out.tar", "sources"], root, v),
        "python sqlite3": sqlite,
        "Python script": lambda v: timed([python, "-c", SCRIPT, "table.csv", "out.json"], root, v),
        "make -j2": make,
    }
    rows = []
    for name, once in programs.items():
        say(f"  {name}")
        rows.append(ratio_row(bench, f"whole program: {name}", once))
    return rows
