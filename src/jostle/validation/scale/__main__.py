"""`python -m jostle.validation.scale`: a simulated day, and what grows with age."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from jostle.errors import JostleError
from jostle.validation.scale.day import DaySpec, simulate_day, table


def main() -> int:
    """Run what the first word names."""
    parser = argparse.ArgumentParser(prog="python -m jostle.validation.scale", description=__doc__)
    parser.add_argument("--folder", type=Path, help="an empty folder to work in, which is kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    words = parser.add_subparsers(dest="what", required=True)
    day = words.add_parser("day", help="a day of a site, with faults")
    day.add_argument("--nodes", type=int, default=100)
    day.add_argument("--processes", type=int, default=12, help="of each node")
    day.add_argument("--minutes", type=int, default=1440, help="simulated minutes")
    day.add_argument("--speed", type=float, default=100.0, help="simulated seconds per second")
    day.add_argument("--viewers", type=int, default=4)
    day.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="jostle-scale-") as scratch:
            folder = options.folder or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            return _day(options, folder)
    except JostleError as error:
        print(f"{error} {error.hint}", file=sys.stderr)
        return error.exit_code


def _day(options: argparse.Namespace, folder: Path) -> int:
    spec = DaySpec(options.nodes, options.processes, options.minutes, options.speed,
                   options.viewers, options.seed)  # fmt: skip
    print(f"{spec.nodes} nodes with {spec.processes} processes, {spec.minutes} minutes at "
          f"{spec.speed:g}:1: {spec.slices_per_s:,.0f} process-slices/s", flush=True)  # fmt: skip
    result = simulate_day(spec, folder, lambda text: print(text, flush=True))
    print(*table(result), sep="\n")
    if options.json:
        options.json.write_text(result.to_json() + "\n")
    return 0 if result.truth.is_same else 1


if __name__ == "__main__":
    sys.exit(main())
