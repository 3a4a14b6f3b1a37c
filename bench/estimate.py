#!/usr/bin/env python3
"""What `estimate` takes for a long run: a million segments of 64 ranks.

    bench/estimate.py [--json] [--quick]

The segments are those of a synthetic trace, over and over, as the repository hands them out: merged
over the ranks, with waiting and time off the CPU in bins. Timed is each method alone, in a process
of its own, with its peak memory; what the tables took before is told beside it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from measure import Bench, Row, half_width

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]

TARGET_S = 5.0
RANKS, FAMILY, SEED = 64, "solver-calls", 1
#: Columns that are instants, and must go on where the last copy ended.
_INSTANTS = ("start_ns", "end_ns", "bins_from_ns")


def tables(segments: int) -> Any:
    """Makes the tables of a run: those of a trace, copy behind copy."""
    import numpy as np
    import pyarrow as pa

    from jostle.synthetic import SPECS, trace

    spec = SPECS[FAMILY]
    made, _ = trace(replace(spec, program=spec.program.sized(ranks=RANKS)), SEED)
    world = made.worlds[0]
    rows = world.segments.slice(0, world.segments.num_rows - 1)
    copies = -(-segments // rows.num_rows)
    shift = np.repeat(np.arange(copies) * _length(rows), rows.num_rows)[:segments]
    place = np.tile(np.arange(rows.num_rows), copies)[:segments]
    long = rows.take(pa.array(place))
    for name in _INSTANTS:
        at = long.column_names.index(name)
        moved = pa.array(long.column(name).to_numpy() + shift)
        long = long.set_column(at, name, moved)
    return replace(made, worlds=(replace(world, segments=long),))


def _length(rows: Any) -> int:
    return int(rows["end_ns"][-1].as_py() - rows["start_ns"][0].as_py())


def _timed(method: str, segments: int, rounds: int, send: Any) -> None:
    from jostle.analysis import estimate

    made = tables(segments)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = []
    for _ in range(rounds + 1):
        begin = time.perf_counter()
        found = estimate(made, method=method, seed=0)
        times.append(time.perf_counter() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    world = made.worlds[0]
    send.send({
        "seconds": statistics.median(times[1:]), "spread": half_width(times[1:]),
        "memory_mib": peak, "tables_mib": before,
        "note": f"{world.segments.num_rows:,} segments of {world.world_size} ranks, "
        f"{found.run_s / 3600:.1f} h; {len(found.clusters)} clusters",
    })  # fmt: skip


def measure(method: str, rounds: int, *, quick: bool) -> dict[str, Any]:
    """Times a method in a process of its own: peak memory only ever grows."""
    receive, send = multiprocessing.Pipe(duplex=False)
    number = 50_000 if quick else 1_000_000
    child = multiprocessing.get_context("spawn").Process(
        target=_timed, args=(method, number, rounds, send)
    )
    child.start()
    send.close()
    try:
        found: dict[str, Any] = receive.recv()
    except EOFError:
        raise SystemExit(f"estimate with method {method} failed") from None
    finally:
        child.join()
    return found


def rows(bench: Bench) -> list[Row]:
    """Measures both methods; the target is for the one that people use."""
    found = []
    for method in ("jostle", "thesis"):
        one = measure(method, bench.rounds(5), quick=bench.quick)
        aim = method == "jostle"
        found.append(Row(
            "estimate", f"estimate, method {method}", "s",
            f"<= {TARGET_S:.0f} s" if aim else "none",
            one["seconds"] <= TARGET_S if aim else None, ours=one["seconds"],
            spread=one["spread"], note=f"{one['note']}; peak memory {one['memory_mib']:.0f} MiB",
        ))  # fmt: skip
    return found


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="50 000 segments")
    options = parser.parse_args()
    found = {method: measure(method, 3, quick=options.quick) for method in ("jostle", "thesis")}
    if options.json:
        print(json.dumps(found))
        return
    for method, one in found.items():
        print(f"{method:8} {one['seconds']:.2f} s  {one['memory_mib']:.0f} MiB "
              f"(tables alone {one['tables_mib']:.0f})  {one['note']}")  # fmt: skip
    verdict = "reached" if found["jostle"]["seconds"] <= TARGET_S else "MISSED"
    print(f"target <= {TARGET_S:.0f} s  {verdict}")


if __name__ == "__main__":
    main()
