#!/usr/bin/env python3
"""Scores predictions of the losses of pairs of programs that never ran concurrently.

    lab/bench/proofs/pair_model.py [REPOSITORY] [--page FILE]

REPOSITORY holds the studies of lab/bench/papers/reproduce.py on CephFS [build/papers/repository].
The kind of load of a program comes from its standalone runs, and the losses come from the studies'
cells. Profiles of the studies on SSHFS are not kept: their cells are read from
docs/measurements/papers/runs.csv, and the kinds of load come from the cells' settings. Each program
is left out in turn, with all pairs of it, and its losses are predicted from the other cells.

The predictors are no interference, two laws of fair share, the matrix by name, gradient boosting,
and the model of `jostle predict`. That model is scored twice: once it learns from the cells, once
from the co-running jobs that it finds by itself in the repository.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from jostle.analysis.kinds import (
    LoadKind,
    PairModel,
    PairSample,
    by_process,
    by_request,
    kinds_of,
    loss_of,
    pairs_met,
    parse_kind,
    positions,
)
from jostle.repository import Repository
from jostle_lab.study.result import result
from papers.cells import RUNS
from proofs.experiments import ROOT, machine, say

COVERAGE = 0.9
#: Programs of studies on SSHFS -> their patterns; codes whose kinds are in no profile are left out.
SIGNALS = {
    "aggregate-write": "aggregate-write",
    "open-write-close": "open-write-close",
    "write-seek": "write-seek",
    "read": "sequential",
    "write-seek-read": "mixed",
}
QUESTION = """\
**Question.** How well can losses be predicted for two programs that never ran at the same time
([decision 0086](../adr/0086-predictions-by-kind.md))? Errors are points of the run time.
"""
NOTES = """\
A cell is a victim and a neighbour in one setting of a study. The loss of a cell is the median over
its runs, or 0 if that is negative. Each program is left out in turn, and its cells are predicted
from the others. So a cell of two different programs is predicted twice. The last column ranks
neighbours by their mean cost (in brackets: their number). *From co-running jobs*: learned not from
cells, but from the repository's jobs that ran at the same time, as at a site.

**Limits.**

- The law by request has two constants (128 KiB per request, three more for a new file), chosen
  after losses on SSHFS were known. Rules for intervals were chosen after all losses were known.
  Shared files and Kuo's program on CephFS were measured after laws and model were ready.
- Kinds of load on SSHFS come from the studies' settings, those on CephFS from profiles alone.
- Application codes are left out: no profiles on SSHFS, not measured on CephFS.
- All programs ran on one machine, with one to four processes each.
"""


@dataclass(frozen=True)
class Cell:
    """The measured loss of a program alongside another one in one setting, to be predicted.

    Attributes:
        file_system: Name of the file system.
        names: Names of victim and neighbour.
        kinds: Kinds of their loads, from standalone runs or from their settings.
        mount: The mount's name in the repository.
        losses: Loss of each run, percent of its run time.
    """

    file_system: str
    names: tuple[str, str]
    kinds: tuple[LoadKind, LoadKind]
    mount: str
    losses: tuple[float, ...]

    @property
    def loss(self) -> float:
        """Median loss over the runs."""
        return float(np.median(self.losses))

    def sample(self) -> PairSample:
        """The cell as a sample for the model."""
        return PairSample(*self.kinds, self.mount, self.loss, len(self.losses), self.names)


#: Predictions for some cells: values and interval ends, shape (3, cells); NaN: no interval.
Predicted = np.ndarray[Any, np.dtype[np.float64]]
#: Function that learns from cells without some names, and predicts others.
Predictor = Callable[[Sequence[Cell], Sequence[Cell], str], Predicted]


def cells_of(repository: Repository, kinds: dict[str, LoadKind]) -> list[Cell]:
    """Return the cells of the studies in a repository whose programs use a shared mount."""
    found = []
    for name in repository.studies():
        records = repository.study(name).read_runs()
        alone: dict[str, str] = {}
        programs = {p["job"]: (r, p) for r in records for p in r["programs"]}
        for record, program in programs.values():
            if record["kind"] == "alone":
                alone.setdefault(program["config"], program["job"])
        for cell in result(repository, name).cells:
            kept = [one for one in cell.repetitions if one.verdict == "kept"]
            found_losses = [one.probe.degradation for one in kept if one.probe]
            losses = tuple(100 * loss for loss in found_losses if loss is not None)
            if not losses or cell.setting.periodic:
                continue
            sides = [programs[side.job] for side in (kept[0].probe, kept[0].signal) if side]
            jobs = [alone.get(program["baseline"], "") for _, program in sides]
            if len(jobs) < 2 or not all(job in kinds and kinds[job].uses_files for job in jobs):
                continue
            found.append(
                Cell(
                    "CephFS",
                    (cell.probe, cell.signal),
                    (kinds[jobs[0]], kinds[jobs[1]]),
                    str(sides[0][0]["resource"]),
                    losses,
                )
            )
    return found


def stored_cells() -> list[Cell]:
    """Return the cells on SSHFS whose programs are signals of a known pattern."""
    runs: dict[tuple[str, ...], list[float]] = {}
    with RUNS.open(newline="") as file:
        for row in csv.DictReader(file):
            names = (row["victim"], row["neighbour"])
            if row["file_system"] != "sshfs" or not SIGNALS.keys() >= set(names):
                continue
            if row["loss_percent"]:
                size = row["chunk"].replace(" ", "")
                shared = ":one-file" if row["layout"] == "shared" else ""
                key = (*names, size, row["victim_processes"], row["neighbour_processes"], shared)
                runs.setdefault((*key, row["more"]), []).append(float(row["loss_percent"]))
    return [
        Cell(
            "SSHFS",
            (victim, neighbour),
            (
                parse_kind(f"{SIGNALS[victim]}:{size}:x{own}{shared}"),
                parse_kind(f"{SIGNALS[neighbour]}:{size}:x{other}{shared}"),
            ),
            f"sshfs {more}".strip(),
            tuple(losses),
        )
        for (victim, neighbour, size, own, other, shared, more), losses in runs.items()
    ]


# ---- predictors ----


def _bare(values: Sequence[float]) -> Predicted:
    none = np.full(len(values), np.nan)
    return np.array([values, none, none])


def nothing(_: Sequence[Cell], asked: Sequence[Cell], __: str) -> Predicted:
    """Predict that no program slows another."""
    return _bare([0.0] * len(asked))


def fair_share(_: Sequence[Cell], asked: Sequence[Cell], __: str) -> Predicted:
    """Predict that processes share the file system evenly (Kuo)."""
    return _bare([loss_of(by_process(*cell.kinds)) for cell in asked])


def one_queue(_: Sequence[Cell], asked: Sequence[Cell], __: str) -> Predicted:
    """Predict that requests of all processes wait in one queue."""
    return _bare([loss_of(by_request(*cell.kinds)) for cell in asked])


def by_name(known: Sequence[Cell], asked: Sequence[Cell], _: str) -> Predicted:
    """Predict the median loss of known cells of the same two executables, else that of all cells.

    All signals have one executable, `jostle-signal`.
    """
    losses: dict[tuple[str, str], list[float]] = {}
    for cell in known:
        losses.setdefault(_binaries(cell), []).append(cell.loss)
    all_of_them = float(np.median([cell.loss for cell in known]))
    return _bare(
        [
            float(np.median(losses[_binaries(cell)])) if _binaries(cell) in losses else all_of_them
            for cell in asked
        ]
    )


def _binaries(cell: Cell) -> tuple[str, str]:
    one, other = ("jostle-signal" if not code(name) else name for name in cell.names)
    return one, other


def code(name: str) -> bool:
    """Return whether a program of a study is not a pattern of `jostle signal`."""
    from jostle_lab.signals import PATTERNS

    return name not in PATTERNS and name not in SIGNALS


def model(known: Sequence[Cell], asked: Sequence[Cell], _: str) -> Predicted:
    """Predict by the model of `jostle predict`, learned from the cells."""
    return _asked(PairModel([cell.sample() for cell in known]), asked)


def _asked(learned: PairModel, asked: Sequence[Cell]) -> Predicted:
    found = [learned.predict(*cell.kinds, cell.mount) for cell in asked]
    return np.array([[each.value, each.low, each.high] for each in found]).T


def boosting(known: Sequence[Cell], asked: Sequence[Cell], _: str) -> Predicted:
    """Predict fair share's error by gradient boosting; intervals by split conformal prediction."""
    scores: list[float] = []
    for name in sorted({name for cell in known for name in cell.names}):
        left_out = [cell for cell in known if name in cell.names]
        rest = [cell for cell in known if name not in cell.names]
        if len(rest) >= 10:
            errors = _boosted(rest, left_out) - [cell.loss for cell in left_out]
            scores += np.abs(errors).tolist()
    value = _boosted(known, asked)
    reach = float(np.quantile(scores, min(COVERAGE * (1 + 1 / len(scores)), 1.0)))
    return np.clip([value, value - reach, value + reach], 0, 100)


def _boosted(known: Sequence[Cell], asked: Sequence[Cell]) -> np.ndarray[Any, Any]:
    from sklearn.ensemble import GradientBoostingRegressor

    trees = GradientBoostingRegressor(
        n_estimators=150, max_depth=3, learning_rate=0.05, subsample=0.7, random_state=1
    )
    fair = fair_share(known, known, "")[0]
    losses = np.array([cell.loss for cell in known])
    trees.fit(_features(known), losses - fair, sample_weight=[len(cell.losses) for cell in known])
    return trees.predict(_features(asked)) + fair_share(known, asked, "")[0]


def _features(cells: Sequence[Cell]) -> np.ndarray[Any, Any]:
    victims, neighbours = (positions([cell.kinds[k] for cell in cells]) for k in (0, 1))
    laws = [law([], cells, "")[0] for law in (fair_share, one_queue)]
    mounts = np.array([cell.file_system == "CephFS" for cell in cells])
    return np.column_stack([victims, neighbours, *laws, mounts])


def of_repository(repository: Repository, kinds: dict[str, LoadKind]) -> Predictor:
    """Predict by a site's model: learned from the co-running jobs in the repository."""
    tables = repository.programs_alongside()
    ran = {
        program["job"]: program["name"]
        for name in repository.studies()
        for record in repository.study(name).read_runs()
        for program in record["programs"]
    }

    def predict(_: Sequence[Cell], asked: Sequence[Cell], left_out: str) -> Predicted:
        some = {job: kind for job, kind in kinds.items() if ran.get(job) != left_out}
        return _asked(PairModel(pairs_met(tables, some)), asked)

    return predict


# ---- scores ----


@dataclass(frozen=True)
class Score:
    """The scores of a predictor on a file system.

    Attributes:
        cells: Number of predictions: a cell of two different programs is predicted twice.
        error: Median absolute error, percentage points.
        coverage: Share of the losses within the intervals, percent; NaN without intervals.
        width: Median width of the intervals, percentage points.
        order: Rank correlation of predicted and measured order of the neighbours, which are ranked
            by the mean loss that they cause.
        neighbours: Number of neighbours in that order.
    """

    cells: int
    error: float
    coverage: float
    width: float
    order: float
    neighbours: int


def predictions(
    cells: Sequence[Cell], predict: Predictor
) -> Iterator[tuple[Cell, np.ndarray[Any, Any]]]:
    """Yield each cell with its prediction by a predictor that never saw one of its programs."""
    for name in sorted({name for cell in cells for name in cell.names}):
        asked = [cell for cell in cells if name in cell.names]
        known = [cell for cell in cells if name not in cell.names]
        if known:
            yield from zip(asked, predict(known, asked, name).T, strict=True)


def scored(pairs: Sequence[tuple[Cell, np.ndarray[Any, Any]]]) -> Score:
    """Score predictions; a loss below 0 counts as none."""
    truth = np.array([max(cell.loss, 0.0) for cell, _ in pairs])
    value, low, high = np.array([found for _, found in pairs]).T
    gives = bool(np.isfinite(low).all())
    within = (truth >= low) & (truth <= high)
    costs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for (cell, _), guess, loss in zip(pairs, value, truth, strict=True):
        costs.setdefault((cell.names[1], cell.kinds[1].label), []).append((guess, loss))
    means = np.array([np.mean(each, axis=0) for each in costs.values()])
    varied = len(means) > 2 and float(np.ptp(means[:, 0])) > 0
    return Score(
        len(pairs),
        float(np.median(np.abs(value - truth))),
        100 * float(within.mean()) if gives else np.nan,
        float(np.median(high - low)) if gives else np.nan,
        float(spearmanr(means[:, 0], means[:, 1]).statistic) if varied else np.nan,
        len(means),
    )


def scatter(cells: Sequence[Cell]) -> float:
    """Return the median difference of a run's loss from its cell's, in percentage points."""
    apart = [
        abs(loss - cell.loss) for cell in cells if len(cell.losses) > 2 for loss in cell.losses
    ]
    return float(np.median([each for each in apart if each > 0]))


def table(scores: dict[tuple[str, str], Score]) -> list[str]:
    """Return the lines of the table."""

    def number(value: float, digits: int) -> str:
        return "-" if np.isnan(value) else f"{value:.{digits}f}"

    lines = [
        "| file system | predicted by | predictions | median absolute error, points | "
        "losses within 90 % interval, % | median width, points | rank correlation of neighbours |",
        "|---|---|---|---|---|---|---|",
    ]
    for (file_system, name), each in scores.items():
        cells = [
            file_system,
            name,
            str(each.cells),
            number(each.error, 1),
            number(each.coverage, 0),
            number(each.width, 0),
            f"{number(each.order, 2)} ({each.neighbours})",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> int:
    """Predict, score and print; return the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    default = ROOT / "build" / "papers" / "repository"
    parser.add_argument("repository", type=Path, nargs="?", default=default)
    parser.add_argument("--page", type=Path, help="file for the record of the measurement")
    asked = parser.parse_args()
    repository = Repository(asked.repository)
    say("reading kinds and cells ...")
    kinds = kinds_of(repository.load_tables(repository.jobs()["job"].to_pylist()))
    cells = [*cells_of(repository, kinds), *stored_cells()]
    predictors = {
        "no interference": nothing,
        "fair share by process": fair_share,
        "fair share by request": one_queue,
        "matrix by name": by_name,
        "gradient boosting": boosting,
        "Gaussian process": model,
    }
    scores: dict[tuple[str, str], Score] = {}
    for name, predict in predictors.items():
        say(f"{name} ...")
        pairs = list(predictions(cells, predict))
        for file_system in ("CephFS", "SSHFS"):
            mine = [pair for pair in pairs if pair[0].file_system == file_system]
            scores[file_system, name] = scored(mine)
    say("learned from the repository alone ...")
    there = [cell for cell in cells if cell.file_system == "CephFS"]
    found = list(predictions(there, of_repository(repository, kinds)))
    scores["CephFS", "Gaussian process, from co-running jobs"] = scored(found)
    scores = dict(sorted(scores.items(), key=lambda item: item[0][0]))
    print("\n".join(table(scores)))
    if asked.page:
        programs = {name for cell in cells for name in cell.names}
        facts = (
            f"{len(there)} cells of {len({n for c in there for n in c.names})} programs on CephFS, "
            f"{len(cells) - len(there)} on SSHFS; {len(programs)} programs in all. The loss of a "
            f"run on CephFS differs from the median of its cell by {scatter(there):.1f} points."
        )
        asked.page.write_text("\n".join(record(table(scores), facts)))
    return 0


def record(lines: list[str], facts: str) -> list[str]:
    """Return the lines of a record with the table."""
    return [
        "# Losses of pairs that never ran together",
        "",
        *QUESTION.splitlines(),
        "",
        f"**Method.** `lab/bench/proofs/pair_model.py`, {machine()}. {facts}",
        "",
        *lines,
        "",
        *NOTES.splitlines(),
    ]


if __name__ == "__main__":
    sys.exit(main())
