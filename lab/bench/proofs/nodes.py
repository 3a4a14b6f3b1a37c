"""Counts false alarms of `jostle nodes`, and after how many days it finds faults.

    lab/bench/proofs/nodes.py false-alarms --nodes 100 --days 28 --seeds 10
    lab/bench/proofs/nodes.py power --nodes 100 --days 21 --seeds 3 --first-seed 2000
    lab/bench/proofs/nodes.py differences --nodes 10 --days 28 --seeds 300

The machines are synthetic (jostle_lab.synthetic): healthy ones differ permanently and from day to
day. `false-alarms` and `power` simulate the machines' slices. `differences` counts false alarms,
too, but draws the daily differences of healthy nodes directly, with more variation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.nodes import NodeDifferences, days_sql, persistent_differences
from jostle.analysis.nodes.persistence import evidence, significant
from jostle.schema.metrics import COMPONENT_IDS
from jostle.values.arrow_columns import ints
from jostle_lab.synthetic import Fault, MachineSpec, machine_slices

_DAY_S = 86_400
_SLICE_S = 480.0
_CORES = 16
_FROM_DAY = 7
#: Kind of fault -> sizes.
_SIZES = {
    "throttled node": (0.98, 0.95, 0.9, 0.7),
    "capped disk": (0.9, 0.8, 0.5),
    "lossy link": (1e-7, 1e-6, 1e-5),
}


def _days(spec: MachineSpec, seed: int) -> Iterator[pa.Table]:
    """Return the component slices day by day (UTC)."""
    parts: list[pa.Table] = []
    day = -1
    for rows in machine_slices(spec, seed):
        here = int(ints(rows, "slice")[0] * _SLICE_S) // _DAY_S
        if here != day and parts:
            yield pa.concat_tables(parts, promote_options="permissive")
            parts = []
        day = here
        parts.append(rows)
    yield pa.concat_tables(parts, promote_options="permissive")


def condensed(spec: MachineSpec, seed: int) -> pa.Table:
    """Return the slices of synthetic machines, summarised by day."""
    parts: list[pa.Table] = []
    connection = duckdb.connect()
    for rows in _days(spec, seed):
        known = set(rows.column_names)
        shown = [
            f"coalesce({name}, 0) AS {name}" if name in known else f"0::BIGINT AS {name}"
            for name in COMPONENT_IDS
        ]
        keys = "kind, host, name, source, mount, job, slice, slice_ns, span, '' AS unknown"
        connection.register("rows", rows)
        connection.execute(
            f"CREATE OR REPLACE VIEW component_slices AS SELECT {keys}, {', '.join(shown)} "
            "FROM rows"
        )
        parts.append(connection.sql(days_sql("true")).to_arrow_table())
    return pa.concat_tables(parts)


def assessed(table: pa.Table, nodes: int, before_day: int) -> NodeDifferences:
    """Return the persistent differences between nodes in all days before `before_day`."""
    hosts = [f"node{number:04d}" for number in range(nodes)]
    machines = pa.table({"host": hosts, "role": ["node"] * nodes, "cores": [_CORES] * nodes})
    return persistent_differences(table.filter(pc.less(table["day"], before_day)), machines)


def _false_alarms(task: tuple[int, int, int]) -> tuple[int, int, list[str]]:
    nodes, days, seed = task
    spec = MachineSpec(nodes=nodes, slices=round(days * _DAY_S / _SLICE_S), slice_s=_SLICE_S)
    table = condensed(spec, seed)
    seen = set()
    first = int(ints(table, "day").min())
    # Repeated every week, as an operator would: an alarm counts once.
    for before in range(first + 7, first + days + 2, 7):
        seen |= {
            (each.host, each.component, each.figure)
            for each in assessed(table, nodes, before).differences
        }
    return nodes * days, len(seen), sorted(" ".join(each) for each in seen)


def _power(task: tuple[int, int, int]) -> list[tuple[str, float, int | None]]:
    """Return kind and size of each injected fault, and the days until it was named."""
    nodes, days, seed = task
    every = [(kind, size) for kind, sizes in _SIZES.items() for size in sizes]
    if nodes < 3 * len(every):  # one kind and size at a time in small sites
        every = [every[seed % len(every)]]
    faults = tuple(
        Fault(kind, f"node{number:04d}", size, start_s=_FROM_DAY * _DAY_S)  # type: ignore[arg-type]
        for number, (kind, size) in enumerate(every)
    )
    spec = MachineSpec(
        nodes=nodes, slices=round(days * _DAY_S / _SLICE_S), slice_s=_SLICE_S, faults=faults
    )
    table = condensed(spec, seed)
    first = int(ints(table, "day").min())
    after: dict[str, int] = {}
    # Synthetic days begin within a day of the calendar: the first whole day of a fault is the next.
    for day in range(1, days - _FROM_DAY):
        for each in assessed(table, nodes, first + _FROM_DAY + 1 + day).differences:
            after.setdefault(each.host, day)
    return [
        (kind, size, after.get(fault.where))
        for (kind, size), fault in zip(every, faults, strict=True)
    ]


#: How healthy nodes may differ: permanently, from day to day (standard deviations of the
#: logarithm), how much of a day lasts until the next, degrees of freedom (few: occasional slow
#: days), and how unequal the changes of the nodes are.
_SPREADS = {
    "as injected": (0.02, 0.04, 0.5, 30, 0.0),
    "nodes with bad days": (0.02, 0.04, 0.5, 3, 0.0),
    "nodes of which some vary more": (0.02, 0.04, 0.5, 5, 0.5),
    "days that resemble those before": (0.02, 0.04, 0.9, 5, 0.3),
    "nodes that differ much permanently": (0.10, 0.04, 0.5, 5, 0.3),
    "very noisy nodes": (0.05, 0.30, 0.5, 3, 0.5),
    "very noisy nodes, days that resemble those before": (0.05, 0.30, 0.9, 5, 0.5),
}
_FIGURES = 5


def _differences(nodes: int, days: int, sites: int, seed: int) -> None:
    """Count false alarms of sites whose daily differences are drawn, without slices."""
    rng = np.random.default_rng(seed)
    for name, (lasting, daily, memory, freedom, uneven) in _SPREADS.items():
        alarms = 0
        for _ in range(sites):
            values: list[float] = []
            for _ in range(_FIGURES):
                change = rng.standard_t(freedom, (nodes, days)) / np.sqrt(freedom / (freedom - 2))
                for day in range(1, days):
                    fresh = np.sqrt(1 - memory**2) * change[:, day]
                    change[:, day] = memory * change[:, day - 1] + fresh
                change *= daily * np.exp(uneven * rng.standard_normal((nodes, 1)))
                level = lasting * rng.standard_normal((nodes, 1))
                values += [each.value for each in evidence(level + change, 0.10) if each]
            alarms += int(significant(np.array(values), len(values)).sum())
        watched = nodes * days * sites
        print(f"{name}: {watched} node-days, {1000 * alarms / watched:.3f} per 1000", flush=True)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("false-alarms", "power", "differences"))
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--days", type=int, default=14)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.what == "differences":
        _differences(options.nodes, options.days, options.seeds, options.first_seed)
        return
    tasks = [
        (options.nodes, options.days, options.first_seed + seed) for seed in range(options.seeds)
    ]
    with ProcessPoolExecutor(options.workers) as pool:
        if options.what == "false-alarms":
            node_days = alarms = 0
            for watched, number, names in pool.map(_false_alarms, tasks):
                node_days, alarms = node_days + watched, alarms + number
                print(f"{watched} node-days, {number} false alarms", *names, sep="\n  ", flush=True)
            print(
                f"{node_days} node-days, {alarms} false alarms: "
                f"{1000 * alarms / node_days:.2f} per 1000 node-days"
            )
            return
        found: dict[tuple[str, float], list[int | None]] = {}
        for rows in pool.map(_power, tasks):
            for kind, size, days in rows:
                found.setdefault((kind, size), []).append(days)
        for (kind, size), days_to in sorted(found.items(), key=lambda item: item[0]):
            named = sorted(days for days in days_to if days is not None)
            when = f"after {named[len(named) // 2]} days (median)" if named else ""
            print(f"{kind} {size:g}: named in {len(named)} of {len(days_to)} {when}")


if __name__ == "__main__":
    main()
