"""Measures signals and labs: accuracy of a signal's begin, cost of its log, the papers' laws.

A law is a property of studies, so its rows run shipped ones in a lab, into a repository of their
own, and quote `jostle study show`, with its interval.
"""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from measure import BARE, OURS, Bench, MissingError, Row, alternate, environment, half_width
from mpi import RANKS, ROOT, mpis

STUDIES = ("unequal-sizes", "periodic", "chunk-size")
#: One pair of writers, once: whether a study gives its laws at all.
SMALLEST = """
[study]
name = "smoke"
description = "two writers on one mount"
repetitions = 1
slice = "250ms"
[where]
placement = "shared"
[defaults]
nodes = 1
chunk = "1MiB"
volume = "32MiB"
[[program]]
name = "writer"
pattern = "aggregate-write"
flush = "end"
[axes]
processes = [[1, 1]]
[pairs]
list = [["writer", "writer"]]
[quick]
repetitions = 1
"""
LATE_MS = 5.0
LOG_SHARE = 1.01


def rows(bench: Bench, *, key: str) -> list[Row]:
    """The rows of one key: signal-start, signal-log or lab-laws."""
    kinds = {"signal-start": start_rows, "signal-log": log_rows, "lab-laws": law_rows}
    return kinds[key](bench)


def signal(bench: Bench, *words: str, folder: Path) -> None:
    """Run jostle-signal."""
    program = bench.preload.with_name("jostle-signal")
    subprocess.run([program, *words, "--quiet", "--dir", folder], check=True, env=environment({}))


def start_rows(bench: Bench) -> list[Row]:
    """Measure how late after slice boundaries bursts begin: a writer, a memory hog, messages."""
    words = ("--period", "0.2", "--time", str(bench.pick(40, 8, 1)), "--slice", "100ms")
    found = []
    for pattern in ("open-write-close", "memory"):
        log = bench.disk / f"log-{pattern}"
        signal(bench, pattern, *words, "--log", str(log), folder=bench.memory)
        found.append(start_row(log, pattern))
    for mpi in mpis():
        log = bench.disk / f"log-all-to-all-{mpi.name}"
        program = str(bench.preload.with_name(f"jostle-signal-{mpi.name}"))
        ranks = [program, "all-to-all", "--chunk", "4KiB", *words, "--quiet", "--log", str(log)]
        patient = len(os.sched_getaffinity(0)) < RANKS
        subprocess.run(mpi.command(RANKS, ranks, {}, patient), check=True, env=environment(ROOT))
        found.append(start_row(log, f"all-to-all of {RANKS} ranks, {mpi.title}"))
    return found


def start_row(log: Path, what: str) -> Row:
    """The row of one signal, from its log."""
    late = sorted(
        (line["begin_ns"] - line["due_ns"]) / 1e6
        for path in log.glob("*.jsonl")
        for line in map(json.loads, path.read_text().splitlines())
        if line["type"] == "burst"
    )
    p99 = late[math.ceil(0.99 * len(late)) - 1]
    return Row(
        "signal-start",
        f"a burst's first operation after its boundary, {what}",
        "ms",
        f"{LATE_MS:g}",
        late[-1] < LATE_MS,
        ours=late[-1],
        note=f"the latest of {len(late)}; 99 % within {p99:.2f} ms, "
        f"median {statistics.median(late):.3f} ms",
    )


def processor_s() -> float:
    """CPU time of all commands so far: a hundredth of wall-clock time cannot be resolved."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def log_rows(bench: Bench) -> list[Row]:
    """Measure a fixed volume with and without the log, in the smallest operations and in 1 MiB."""
    found = []
    share = bench.pick(1, 1, 64)
    for chunk, mib in (("2KiB", 2048 // share), ("1MiB", 8192 // share)):
        log = bench.disk / f"log-{chunk}"
        words = [
            "write-seek",
            "--flush",
            "none",
            "--chunk",
            chunk,
            "--volume",
            f"{mib}MiB",
            "--slice",
            "100ms",
        ]
        logs = {BARE: {"LOG": "none"}, OURS: {"LOG": str(log)}}

        def once(added: dict[str, str], words: list[str] = words) -> float:
            start, before = f"{time.time() + 0.3:.6f}", processor_s()
            signal(bench, *words, "--start", start, "--log", added["LOG"], folder=bench.memory)
            return processor_s() - before

        samples = alternate(logs, bench.rounds(25), once)  # type: ignore[arg-type]
        ratios = [b / a for a, b in zip(samples[BARE], samples[OURS], strict=True)]
        ratio = statistics.median(ratios)
        found.append(
            Row(
                "signal-log",
                f"a signal's log, operations of {chunk}",
                "s",
                f"{LOG_SHARE:g}",
                ratio <= LOG_SHARE,
                bare=statistics.median(samples[BARE]),
                ours=statistics.median(samples[OURS]),
                spread=half_width(ratios),
                ratio=ratio,
                note="processor time; bare: --log none, which books nothing; the spread is that of "
                "the ratio",
            )
        )
    return found


def law_rows(bench: Bench) -> list[Row]:
    """Check the papers' laws by the shipped studies in a lab."""
    if os.geteuid():
        raise MissingError("needs root")
    check_lab()
    place = {"JOSTLE_REPOSITORY": str(bench.disk / "studies")}
    found = []
    short = [] if bench.level == "full" else ["--quick"]
    smallest = bench.disk / "smoke.toml"
    smallest.write_text(SMALLEST)
    for name in bench.pick(STUDIES, STUDIES, (str(smallest),)):
        jostle("study", "run", name, "--name", "law", "--fresh", *short, **place)
        result = json.loads(jostle("study", "show", "law", "--json", **place))
        for law in result["laws"]:
            low, high = law["low"], law["high"]
            spread = None if low is None or high is None else 50 * (high - low)
            value = None if law["value"] is None else 100 * law["value"]
            what = f"{law['name']} ({Path(name).stem}, n = {law['n']})"
            found.append(
                Row(
                    "lab-laws",
                    what,
                    "%",
                    law["goal"],
                    law["holds"],
                    ours=value,
                    spread=spread,
                    note=f"{law['statement']} {law['explanation']}".strip(),
                )
            )
    return found


def check_lab() -> None:
    """Raise MissingError where no lab can come up."""
    from jostle.errors import JostleError
    from jostle_lab.cluster import LabSpec
    from jostle_lab.cluster.checks import check_machine

    try:
        check_machine(LabSpec())
    except JostleError as error:
        raise MissingError(str(error)) from error


def jostle(*words: str, **added: str) -> str:
    """Run the command and return its output."""
    command = [sys.executable, "-m", "jostle.cli", *words]
    return subprocess.run(
        command, env=environment(added), check=True, text=True, stdout=subprocess.PIPE
    ).stdout
