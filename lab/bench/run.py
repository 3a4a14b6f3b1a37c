#!/usr/bin/env python3
"""Measures the overhead of jostle, compared with bare programs and Darshan: `make bench`.

    lab/bench/run.py [PART]... [--only ROW]... [--quick|--smoke] [--turn DAY] [--json]
                     [--preload LIBJOSTLE]

The parts are `mpi` (all rows whose names begin with `mpi`), `lab` (signals, labs and studies),
`interference`, `web` (server and pages) and `serial` (all other rows); all, if none is named.
Darshan is taken from DARSHAN_PRELOAD, or found where it is usually installed; other profilers of
MPI programs from MPIP_PRELOAD, IPM_PRELOAD and DARSHAN_MPI_PRELOAD. Exit status 1 when a row could
not be measured; whether targets are reached does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

from jostle.files.loadable import find_library, is_loadable
from measure import Bench, MissingError, Row, say
from mpi import MPICH, OPENMPI, peers
from rows.lab import access, inject, lab
from rows.mpi import mpi_calls, mpi_peers, mpi_segments, mpi_whole
from rows.recording import agent, calls, gpu_records, nccl_calls, process, ship, size, whole
from rows.repository import (
    background,
    estimate,
    ingest,
    interference,
    links,
    month,
    open_log,
    passes,
    receive,
    spark,
)
from rows.web import web_api, web_browser

ROWS: dict[str, Callable[[Bench], list[Row]]] = {
    **{key: lambda bench, key=key: [calls.call_row(bench, key)] for key in calls.CALLS},  # type: ignore[misc]
    "threads": lambda bench: [calls.threads_row(bench)],
    "nccl-calls": nccl_calls.rows,
    "gpu-records": gpu_records.rows,
    "spawn": lambda bench: [calls.spawn_row(bench)],
    "heartbeat": lambda bench: [process.heartbeat_row(bench), process.core_probe_row(bench)],
    "whole": whole.whole_rows,
    "memory": process.memory_rows,
    "size": size.size_rows,
    "access": access.rows,
    "agent": agent.rows,
    "ship": ship.rows,
    "ingest": ingest.rows,
    "passes": passes.rows,
    "receive": receive.rows,
    "background": background.rows,
    "open": open_log.rows,
    "interference": interference.rows,
    "month": month.rows,
    "spark": spark.rows,
    "estimate": estimate.rows,
    "links": links.rows,
    "inject": inject.rows,
    "web-api": web_api.rows,
    **{f"mpi-calls-{each.name}": partial(mpi_calls.rows, mpi=each) for each in (OPENMPI, MPICH)},
    **{f"mpi-{each.key}": partial(mpi_whole.rows, case=each) for each in mpi_whole.CASES},
    "mpi-peers": mpi_peers.rows,
    "mpi-segments": mpi_segments.rows,
    "web-browser": web_browser.rows,
    **{key: partial(lab.rows, key=key) for key in ("signal-start", "signal-log", "lab-laws")},
}
PARTS = {
    "mpi": [key for key in ROWS if key.startswith("mpi")],
    "serial": [
        key
        for key in ROWS
        if not key.startswith(("mpi", "signal", "lab", "interference", "month", "web"))
    ],
    "lab": [key for key in ROWS if key.startswith(("signal", "lab"))],
    "interference": ["interference", "month"],
    "web": [key for key in ROWS if key.startswith("web")],
}
TURNS = 7
DARSHAN_FOLDERS = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/darshan/lib"]


def find_preload(named: Path | None) -> Path:
    """The library to measure: the named one, else that of this installation."""
    if named is not None:
        return named.resolve(strict=True)
    import jostle

    return jostle.native_path("libjostle.so")


def find_darshan() -> Path | None:
    """Darshan's library, if it is installed."""
    named = os.environ.get("DARSHAN_PRELOAD")
    if named:
        return Path(named).resolve(strict=True)
    name = "libdarshan.so"
    paths = [f"{folder}/{name}" for folder in DARSHAN_FOLDERS if is_loadable(f"{folder}/{name}")]
    found = find_library(name) or next(iter(paths), "")
    return Path(found) if found else None


def number(value: float | None) -> str:
    """A figure with about three significant digits."""
    if value is None:
        return "-"
    size = abs(value)
    if size >= 10_000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.{0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3}f}"


def cells(row: Row) -> list[str]:
    """A row of the table as text."""
    reached = "-" if row.reached is None else "yes" if row.reached else "NO"
    spread = "-" if row.spread is None else f"± {number(row.spread)}"
    ratio = "-" if row.ratio is None else f"{row.ratio:.3f}"
    peer = "no peer" if row.peer is None else f"{number(row.peer)} ({row.peer_name})"
    figures = [number(row.bare), number(row.ours), number(row.added), spread, ratio]
    assessed = [row.target, reached, peer, number(row.of_peer)]
    return [row.what, row.unit, *figures, *assessed, row.note]


def table(rows: list[Row]) -> str:
    """Format all rows, in columns as wide as they need; notes below the row they belong to."""
    head = ["what", "unit", "bare", "jostle", "added", "spread", "ratio", "target", "reached"]
    head += ["peer adds", "ours/peer's"]
    lines = [[*head, ""], *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = []
    for line in lines:
        shown = [
            cell.ljust(width) if i in (0, 1, 7, 8) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=False))
        ]
        text.append("  ".join(shown).rstrip())
        if line[-1]:
            text.append(f"    ({line[-1]})")
    return "\n".join(text)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--only", action="append", choices=list(ROWS), help="measure this row only")
    level = parser.add_mutually_exclusive_group()
    level.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    level.add_argument(
        "--smoke", action="store_true", help="check only whether every row can measure"
    )
    parser.add_argument(
        "--turn", type=int, metavar="DAY", help=f"every {TURNS}th row, from row DAY on"
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--preload", type=Path, help="library to measure")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


def chosen(options: argparse.Namespace) -> list[str]:
    """The rows to measure, in their own order."""
    named = {key for part in options.parts for key in PARTS[part]} | set(options.only or [])
    keys = [key for key in ROWS if not named or key in named]
    return keys if options.turn is None else keys[options.turn % TURNS :: TURNS]


def measure(bench: Bench, keys: list[str]) -> list[Row]:
    """Measure the rows one after the other; one that fails does not end the others."""
    rows: list[Row] = []
    for key in keys:
        say(f"{key} ...")
        began = time.monotonic()
        try:
            found = ROWS[key](bench)
            if not found:
                raise RuntimeError("it returned no row")
            rows += found
        except MissingError as why:
            rows.append(Row(key, key, "", "", note=f"skipped: {why}", skipped=True))
        except Exception as error:  # a broken row is a result too
            rows.append(Row(key, key, "", "", note=f"failed: {type(error).__name__}: {error}"))
        say(f"{key}: {time.monotonic() - began:.0f} s")
    return rows


def main() -> int:
    """Measure and print; return the exit status."""
    options = arguments()
    preload, darshan = find_preload(options.preload), find_darshan()
    level = "smoke" if options.smoke else "quick" if options.quick else "full"
    with Bench(preload, darshan, level) as bench:
        rows = measure(bench, chosen(options))
        profilers = ", ".join(peers(bench))
    load = os.getloadavg()[0]
    machine = f"{len(bench.cpus)} CPUs, Linux {platform.release()}, load {load:.1f}"
    failed = [row for row in rows if row.failed]
    if options.json:
        facts = {"machine": machine, "darshan": str(darshan) if darshan else None}
        found = [{**asdict(row), "of_peer": row.of_peer} for row in rows]
        print(json.dumps({**facts, "rows": found}, indent=1))
        return bool(failed)
    print(table(rows))
    assessed = [row.reached for row in rows if row.reached is not None]
    print(f"\n{sum(assessed)} of {len(assessed)} targets reached; {machine}.")
    print(f"Other profilers of MPI programs: {profilers or 'none is named'}.")
    print("Darshan: " + (str(darshan) if darshan else "skipped (not installed)") + ".")
    if level == "smoke":
        print(
            "With --smoke the values are meaningless; the run only checks whether each row has one."
        )
    for row in failed:
        print(f"Could not be measured: {row.what}: {row.note}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
