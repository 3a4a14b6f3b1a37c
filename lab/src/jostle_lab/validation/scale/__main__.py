"""`python -m jostle_lab.validation.scale`: simulates sites, and measures what they cost."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from jostle.errors import JostleError
from jostle_lab.validation.scale.day import DaySpec, simulate_day, table
from jostle_lab.validation.scale.growth import GrowthSpec, growth_json, growth_table, measure_growth
from jostle_lab.validation.scale.now import NowSpec, now_table, simulate_now
from jostle_lab.validation.scale.passes import PassCost, measure_passes, passes_table
from jostle_lab.validation.scale.sizing import UnitCosts, sizing_table
from jostle_lab.validation.scale.storm import StormSpec, simulate_storm, storm_table


def main() -> int:
    """Run the measurement that the first argument names."""
    parser = argparse.ArgumentParser(
        prog="python -m jostle_lab.validation.scale", description=__doc__
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help="working directory, not deleted afterwards [default: a temporary one, deleted]",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="file to which all results are written"
    )
    words = parser.add_subparsers(dest="what", required=True)
    day = words.add_parser("day", help="simulate a day of a site, with faults")
    day.add_argument("--nodes", type=int, default=100)
    day.add_argument("--processes", type=int, default=12, help="of each node")
    day.add_argument("--minutes", type=int, default=1440, help="simulated minutes")
    day.add_argument("--speed", type=float, default=100.0, help="simulated seconds per real second")
    day.add_argument("--viewers", type=int, default=4)
    day.add_argument("--seed", type=int, default=1)
    storm = words.add_parser("storm", help="simulate that all nodes return at once after an outage")
    storm.add_argument("--nodes", type=int, nargs="+", default=[100, 300, 1000])
    storm.add_argument("--processes", type=int, default=8, help="of each node")
    storm.add_argument(
        "--minutes", type=int, default=30, help="simulated minutes of data that each node has kept"
    )
    growth = words.add_parser("growth", help="measure repositories of several ages and sizes")
    growth.add_argument("--days", type=float, nargs="+", default=[1, 10, 30], help="ages")
    growth.add_argument("--sizes", type=int, nargs="+", default=[8, 16, 32], help="nodes")
    growth.add_argument(
        "--processes", type=int, default=2, help="processes of an MPI program on a node"
    )
    growth.add_argument(
        "--commit-s", type=float, default=3600.0, help="simulated seconds between two commits"
    )
    now = words.add_parser("now", help="measure how soon jostle answers about running jobs")
    now.add_argument("--jobs", type=int, default=1000, help="running jobs of one process each")
    now.add_argument("--nodes", type=int, default=100)
    now.add_argument("--slices", type=int, default=30, help="of each half; the second has faults")
    passes = words.add_parser("passes", help="measure the cost of a pass of an ingester")
    passes.add_argument("--profiles", type=int, nargs="+", default=[96, 480, 1920])
    passes.add_argument("--slices", type=int, nargs="+", default=[1, 5, 15, 75])
    _add_sizing(words)
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="jostle-scale-") as scratch:
            folder = options.folder or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            return {
                "day": _day,
                "storm": _storm,
                "growth": _growth,
                "now": _now,
                "passes": _passes,
                "sizing": _sizing,
            }[options.what](options, folder)
    except JostleError as error:
        print(f"{error} {error.hint}", file=sys.stderr)
        return error.exit_code


def _add_sizing(words: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    sizing = words.add_parser(
        "sizing", help="compute the machines that sites of 100, 1000 and 10 000 nodes need"
    )
    sizing.add_argument("passes", type=Path, help="JSON file that `passes` wrote")
    sizing.add_argument(
        "--posts-per-core",
        type=float,
        required=True,
        help="receive dense, of `lab/bench/run.py --only receive`",
    )
    sizing.add_argument(
        "--node-bytes",
        type=float,
        required=True,
        help="bytes per second that `lab/bench/run.py --only ship` measured",
    )
    sizing.add_argument(
        "--stored-bytes",
        type=float,
        required=True,
        help="bytes per process-slice that `growth` measured",
    )


def _day(options: argparse.Namespace, folder: Path) -> int:
    spec = DaySpec(
        options.nodes,
        options.processes,
        options.minutes,
        options.speed,
        options.viewers,
        options.seed,
    )
    print(
        f"{spec.nodes} nodes with {spec.processes} processes, {spec.minutes} minutes at "
        f"{spec.speed:g}:1: {spec.slices_per_s:,.0f} process-slices/s",
        flush=True,
    )
    result = simulate_day(spec, folder, lambda text: print(text, flush=True))
    print(*table(result), sep="\n")
    if options.json:
        options.json.write_text(result.to_json() + "\n")
    return 0 if result.truth.is_same else 1


def _storm(options: argparse.Namespace, folder: Path) -> int:
    results = []
    for nodes in options.nodes:
        place = folder / f"storm{nodes}"
        place.mkdir()
        results.append(simulate_storm(StormSpec(nodes, options.processes, options.minutes), place))
    print(*storm_table(results), sep="\n")
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in results], indent=1) + "\n")
    return 0 if all(each.truth.is_same for each in results) else 1


def _growth(options: argparse.Namespace, folder: Path) -> int:
    spec = GrowthSpec(
        tuple(options.days), tuple(options.sizes), options.processes, options.commit_s
    )
    measured = measure_growth(spec, folder, lambda text: print(text, flush=True))
    print(*growth_table(measured), sep="\n")
    if options.json:
        options.json.write_text(growth_json(measured) + "\n")
    return 0


def _now(options: argparse.Namespace, folder: Path) -> int:
    spec = NowSpec(options.jobs, options.nodes, options.slices)
    result = simulate_now(spec, folder, lambda text: print(text, flush=True))
    print(*now_table(result), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(asdict(result), indent=1) + "\n")
    return 0 if result.is_good else 1


def _passes(options: argparse.Namespace, folder: Path) -> int:
    costs = measure_passes(options.profiles, options.slices, folder)
    print(*passes_table(costs), sep="\n")
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in costs], indent=1) + "\n")
    return 0


def _sizing(options: argparse.Namespace, _folder: Path) -> int:
    costs = [PassCost(**cost) for cost in json.loads(options.passes.read_text())]
    unit = UnitCosts(options.posts_per_core, options.node_bytes, options.stored_bytes)
    print(*sizing_table(costs, unit), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
