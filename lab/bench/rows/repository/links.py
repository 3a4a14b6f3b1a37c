#!/usr/bin/env python3
"""Measures the computation of all links' loads of a large fabric over an hour, from messages.

    lab/bench/rows/repository/links.py [--json] [--quick]

5000 nodes on 15 000 links, 900 slices of 4 s, eight concurrent jobs; each node has 26 partners near
it in its job, and sends to each in one slice of ten: 11.7 million rows. The first call (with the
routes) and a later one (routes are cached) are measured, in a process of its own: seconds of CPU,
as the machine is never quiet, and seconds. The table is in memory already; reading it from a
repository is not included.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart, half_width, pick

if TYPE_CHECKING:
    from jostle.topology import Topology
    from jostle.values.traffic import Traffic

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]

TARGET_S = 3.0
SLICE_NS, SLICES = 4_000_000_000, 900
JOBS, PARTNERS, NEAR, ACTIVE, SEED = 8, 26, 40, 0.1, 1
KINDS = ("fat tree", "torus", "dragonfly")


def fabric(kind: str, level: str) -> Topology:
    """Make a fabric of 5000 nodes or a smaller one; a dragonfly is routed both ways."""
    from jostle.topology import dragonfly, fat_tree, torus

    if kind == "fat tree":
        return fat_tree(pick(level, 140, 20, 2), pick(level, 36, 36, 4), pick(level, 18, 18, 2))
    if kind == "torus":
        size = pick(level, 17, 9, 3)
        return torus([size] * 3)
    return dragonfly(pick(level, 21, 5, 3), pick(level, 15, 15, 2), pick(level, 16, 16, 2))


def traffic(hosts: list[str]) -> Traffic:
    """Make the messages of jobs on adjacent nodes."""
    from jostle.values.traffic import PAIRS, Traffic

    rng = np.random.default_rng(SEED)
    source = np.repeat(np.arange(len(hosts)), PARTNERS)
    size = -(-len(hosts) // JOBS)
    job = source // size
    last = np.minimum((job + 1) * size, len(hosts)) - 1
    target = source + rng.integers(1, NEAR + 1, len(source)) * rng.choice([-1, 1], len(source))
    target = np.clip(target, job * size, last)
    times = rng.binomial(SLICES, ACTIVE, len(source))
    pair = np.repeat(np.arange(len(source)), times)
    at = rng.integers(0, SLICES, len(pair))
    order = np.argsort(at, kind="stable")
    pair, at = pair[order], at[order]
    count = len(pair)

    def named(codes: Any, names: list[str]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(names))

    columns = {
        "job": named(job[pair], [f"job{number}" for number in range(JOBS)]),
        "slice": at,
        "slice_ns": np.full(count, SLICE_NS),
        "span": np.ones(count, np.int32),
        "source": named(source[pair], hosts),
        "target": named(target[pair], hosts),
        "bytes": rng.integers(1, 1 << 26, count),
        "ops": np.ones(count, np.int64),
        "mount": named(np.zeros(count), [""]),
    }
    return Traffic(pa.table(columns).select(PAIRS.names).cast(PAIRS))


def loaded(kind: str, level: str, rounds: int) -> dict[str, Any]:
    """Compute the loads of a fabric several times; return the times."""
    from jostle.network import link_loads

    topology = fabric(kind, level)
    moved = traffic(sorted(topology.adapters_of)[: pick(level, 5000, 700, 10)])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu, wall = [], []
    for _ in range(rounds + 1):
        begin, spent = time.perf_counter(), time.process_time()
        loads = link_loads(topology, moved, (0, SLICE_NS, SLICES))
        cpu.append(time.process_time() - spent)
        wall.append(time.perf_counter() - begin)
        del loads
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "first_s": cpu[0],
        "seconds": statistics.median(cpu[1:]),
        "spread": half_width(cpu[1:]),
        "wall_s": statistics.median(wall[1:]),
        "memory_mib": grown / 1024,
        "nodes": len(topology.adapters_of),
        "links": len(topology.sources),
        "rows": moved.pairs.num_rows,
    }


def rows(bench: Bench) -> list[Row]:
    """Measure each kind of fabric."""
    result = []
    for kind in KINDS:
        one = apart(loaded, kind, bench.level, bench.rounds(5))
        result.append(
            Row(
                "links",
                f"loads of links, {kind}",
                "s of CPU",
                f"<= {TARGET_S:.0f} s",
                one["seconds"] <= TARGET_S,
                ours=one["seconds"],
                spread=one["spread"],
                note=f"{one['nodes']} nodes, {one['links']} links, {SLICES} slices, "
                f"{one['rows']:,} rows; {one['first_s']:.2f} s with the routes; "
                f"{one['wall_s']:.2f} s of wall time; "
                f"{one['memory_mib']:.0f} MiB in addition to the rows",
            )
        )
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="some 700 nodes")
    options = parser.parse_args()
    level = "quick" if options.quick else "full"
    measured = {kind: apart(loaded, kind, level, 3) for kind in KINDS}
    if options.json:
        print(json.dumps(measured))
        return
    for kind, one in measured.items():
        verdict = "reached" if one["seconds"] <= TARGET_S else "MISSED"
        print(
            f"{kind:10} {one['seconds']:.2f} s of CPU ({one['first_s']:.2f} s with the routes, "
            f"{one['wall_s']:.2f} s of wall time, {one['memory_mib']:.0f} MiB)  {verdict}"
        )


if __name__ == "__main__":
    main()
