#!/usr/bin/env python3
"""Scores the interference that is found from Darshan logs only, compared with profiles.

    lab/bench/proofs/logs_alone.py [--seeds N] [--jobs N] [--json]

Jobs that slow each other by known amounts are simulated (jostle_lab.synthetic). The matrix of
programs is computed three times: from profiles of these jobs, from Darshan logs of the same jobs
with heat maps, and from Darshan logs with totals only. The pairs of programs for which a matrix has
evidence on a file system are compared with the truth. In a second round no job slows another: every
pair that is named there is a mistake.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "lab/src")]

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle_lab.synthetic import Injected

#: Percent of the run time of a program's runs that another one cost them: from the first on the
#: pair should be found; below the second it is a mistake to name it.
FOUND, MISTAKE = 2.0, 0.5
FIRST_SEED = 4000
SLICES_PER_JOB = 9
WAYS = ("profiles", "heat maps", "totals")
Pair = tuple[str, str]


@dataclass
class Score:
    """The interference that is found from one kind of records.

    Attributes:
        found: Number of pairs with interference that were named.
        missed: Number of pairs with interference that were not named.
        wrong: Number of named pairs without interference.
        between: Number of named pairs with little interference, which count as neither right nor
            wrong.
    """

    found: int = 0
    missed: int = 0
    wrong: int = 0
    between: int = 0

    @property
    def precision(self) -> float:
        """Share of the named pairs that have interference."""
        return self.found / max(self.found + self.wrong, 1)

    @property
    def recall(self) -> float:
        """Share of the pairs with interference that were named."""
        return self.found / max(self.found + self.missed, 1)


def named(store: Repository) -> set[Pair]:
    """Pairs (slowed program, slowing program) for which there is evidence on a file system."""
    from jostle.analysis import matrix

    return {
        (each.victim, each.aggressor)
        for each in matrix(store.programs_alongside()).encounters
        if each.resource_kind in ("file system", "object servers", "metadata server")
        and each.q is not None
        and each.q <= 0.05
        and each.slowdown is not None
        and each.slowdown.value > 0
    }


def true_harm(injected: Injected) -> dict[Pair, float]:
    """Run time that each program really lost to another one on file systems, percent, by pair."""
    return {
        (victim, aggressor): percent
        for (victim, aggressor, kind), percent in injected.programs.items()
        if kind == "file system"
    }


def assess(score: Score, found: set[Pair], truth: dict[Pair, float]) -> None:
    """Count right and wrong pairs."""
    true = {pair for pair, percent in truth.items() if percent >= FOUND}
    score.found += len(found & true)
    score.missed += len(true - found)
    for pair in found - true:
        if truth.get(pair, 0.0) < MISTAKE:
            score.wrong += 1
        else:
            score.between += 1


def one(folder: Path, jobs: int, seed: int, harm: float, scores: dict[str, Score]) -> None:
    """Make a repository, and score what each method of recording recovers."""
    from jostle.imports import DarshanImport
    from jostle.repository import Repository
    from jostle_lab.synthetic import Spec, plant
    from jostle_lab.synthetic.logs_of_jobs import write_logs

    spec = Spec(
        jobs=jobs, slices=jobs * SLICES_PER_JOB, length=120, processes=2, slice_s=1.0, harm=harm
    )
    injected = plant(folder / "profiles", spec, seed)
    truth = true_harm(injected)
    profiles = Repository(injected.path)
    assess(scores["profiles"], named(profiles), truth)
    for way in WAYS[1:]:
        write_logs(profiles, folder / way, bins=way == "heat maps")
        store = Repository(folder / f"{way} repository", create=True)
        DarshanImport(store, workers=2).run([folder / way])
        assess(scores[way], named(store), truth)


def main() -> int:
    """Make repositories, score the methods, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="repositories [3]")
    parser.add_argument(
        "--jobs", type=int, default=300, metavar="N", help="number of jobs in each repository [300]"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    asked = parser.parse_args()
    rounds: dict[str, dict[str, Score]] = {}
    for title, harm in (("with harm", 1.0), ("without harm", 0.0)):
        rounds[title] = defaultdict(Score)
        for number in range(asked.seeds):
            with tempfile.TemporaryDirectory() as folder:
                one(Path(folder), asked.jobs, FIRST_SEED + number, harm, rounds[title])
    if asked.json:
        plain = {
            title: {way: asdict(score) for way, score in scores.items()}
            for title, scores in rounds.items()
        }
        print(json.dumps(plain, indent=2))
        return 0
    for title, scores in rounds.items():
        print(f"{title}: {asked.seeds} x {asked.jobs} jobs")
        for way in WAYS:
            each = scores[way]
            print(
                f"  {way:10} found {each.found}, missed {each.missed}, wrong {each.wrong}, small "
                f"{each.between}: precision {each.precision:.2f}, recall {each.recall:.2f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
