"""Carries out a validation: makes the runs that its folder lacks, and evaluates all runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jostle_lab.validation.codes import choose
from jostle_lab.validation.plan import FEWEST_CLEAN, steps
from jostle_lab.validation.results import Results, Wanted
from jostle_lab.validation.runner import Store, make

#: done, total, the next run, seconds left (0: not known).
Progress = Callable[[float, float, str, float], None]
_LABS = 2


def run_validation(folder: Path, wanted: Wanted, progress: Progress) -> Results:
    """Make the runs that the folder lacks, and evaluate all runs.

    Args:
        folder: Folder of the runs and repositories.
        wanted: Requested parts and options.
        progress: Function that is called with the next run.

    Returns:
        The results of the parts that were requested.

    Raises:
        JostleError: A program or the lab is not available.
    """
    store = Store(folder)
    results = Results()
    if wanted.make and "estimation" in wanted.parts:
        _make(store, wanted, progress)
    if "identification" in wanted.parts:
        _identification(store.folder / "lab", wanted, results, progress)
    if "estimation" in wanted.parts:
        from jostle_lab.validation.evaluate import evaluate

        results.estimation = evaluate(
            store, progress=lambda done, total, job: progress(done, total, f"assessing {job}", 0)
        )
        results.limits += results.estimation.limits
    if "clustering" in wanted.parts:
        from jostle_lab.validation.clusterings import clusterings

        results.clustering = clusterings(store, seed=wanted.seed)
    if "synthetic" in wanted.parts:
        _synthetic(wanted, results, progress)
    return results


def _make(store: Store, wanted: Wanted, progress: Progress) -> None:
    codes = choose(wanted.programs, wanted.commands, quick=wanted.quick)
    plan = steps(
        codes,
        injected=wanted.runs,
        disturbed=2 if wanted.quick else 5,
        clean=2 if wanted.quick else FEWEST_CLEAN,
        seed=wanted.seed,
        raw=2 if wanted.quick else max(wanted.runs // 3 + 1, 2),
    )
    make(store, plan, codes, progress=progress)


def _synthetic(wanted: Wanted, results: Results, progress: Progress) -> None:
    from jostle_lab.validation.attribution_scores import score_seeds
    from jostle_lab.validation.synthetic import FIRST_SEED, traces

    results.synthetic = traces(
        1 if wanted.quick else 4,
        seed=wanted.seed,
        progress=lambda done, total, name: progress(done, total, f"trace {name}", 0),
    )
    results.limits += results.synthetic.limits
    first, number = FIRST_SEED + 1000 * wanted.seed, 3 if wanted.quick else 20
    progress(0, number, f"{number} synthetic repositories", 0)
    results.identified = score_seeds(range(first, first + number))


def _identification(folder: Path, wanted: Wanted, results: Results, progress: Progress) -> None:
    from jostle.analysis import identify
    from jostle.repository import Repository
    from jostle_lab.validation.errors import why
    from jostle_lab.validation.lab.plan import scenes
    from jostle_lab.validation.lab.runner import name_of, play, played
    from jostle_lab.validation.lab.score import alone, lab_score, see, unsteady

    if wanted.make:
        plan = scenes(
            harmful=3 if wanted.quick else wanted.runs,
            null=3 if wanted.quick else wanted.runs + 5,
            seed=wanted.seed,
        )
        play(folder, plan, labs=_LABS, name=name_of(folder), progress=progress)
    made = played(folder)
    usual, differing = alone(made), unsteady(made)
    for number, one in enumerate(made):
        progress(number, len(made), f"assessing {one.scene.job}", 0)
        try:
            interference = identify(
                Repository(one.repository).alongside(one.scene.job), seed=wanted.seed
            )
            seen = see(one, interference, usual, differing)
        except Exception as error:
            results.limits.append(f"{one.scene.job} cannot be assessed: {why(error)}")
            continue
        if seen is not None:
            results.seen.append(seen)
    results.lab = lab_score(results.seen, differing)
