"""Estimates the loss of every run of a validation, and compares it with the true loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from jostle.analysis import Method, RunEstimate, compare, estimate, measured_percent, spread_over
from jostle_lab.validation.errors import why
from jostle_lab.validation.marks import marks
from jostle_lab.validation.oracle import (
    Band,
    Floats,
    Ints,
    Marks,
    Resolution,
    Truth,
    band,
    displacement,
    resolution,
    truths,
)
from jostle_lab.validation.placement import APART
from jostle_lab.validation.runner import Store, ValidationRun
from jostle_lab.validation.score import Assessed, Row, Score, score

if TYPE_CHECKING:
    from jostle.repository import CoreReference, Repository

METHODS: tuple[Method, ...] = ("jostle", "thesis")
#: Greatest uncertainty, in points, of the loss of a program's runs that are scored.
MOST_UNKNOWN = 2.0
#: Method thesis on segments that are not coalesced, as in the thesis.
RAW = "thesis, raw"
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Evaluation:
    """The scores of a validation.

    Attributes:
        rows: All runs with a known truth and an estimate by every method.
        scores: Scores of each method: for each program, then for all runs together, then for the
            quiet runs (those during which other programs used little of the machine).
        calls: Global collectives per second and rank, for each program.
        limits: Notes for the user, one sentence each.
        resolutions: Uncertainty of the true loss, for each program with enough runs.
        unknown: Programs whose true loss is not known accurately enough, with the reason as part of
            a sentence. Their runs are in `rows`, but in no score.
    """

    rows: list[Row]
    scores: list[Score]
    calls: dict[str, float]
    limits: list[str]
    resolutions: dict[str, Resolution] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)

    @property
    def scored(self) -> list[Row]:
        """The runs whose truth is known well enough to score estimates."""
        return [row for row in self.rows if row.code not in self.unknown]

    def to_json(self) -> dict[str, Any]:
        """Return the evaluation as plain values."""
        from dataclasses import asdict

        return {
            "rows": [row.to_json() for row in self.rows],
            "scores": [asdict(one) for one in self.scores],
            "calls": self.calls,
            "limits": self.limits,
            "resolutions": {code: asdict(one) for code, one in self.resolutions.items()},
            "unknown": self.unknown,
        }


def evaluate(store: Store, *, seed: int = 0, progress: Progress = lambda *_: None) -> Evaluation:
    """Evaluate all runs of a folder.

    Args:
        store: Folder of the validation.
        seed: Seed of the random steps of the methods.
        progress: Called before each run: runs evaluated, runs in all, the next run.

    Returns:
        The scores. Programs with too few runs to compute a true loss are named in `limits`.
    """
    runs = store.runs()
    rows: list[Row] = []
    calls: dict[str, float] = {}
    resolutions: dict[str, Resolution] = {}
    unknown: dict[str, str] = {}
    limits = _apart(store)
    done = 0
    references = references_of(store, runs)
    for code in dict.fromkeys(run.step.code for run in runs):
        own = [run for run in runs if run.step.code == code]

        def report(number: int, job: str, begun: int = done) -> None:
            progress(begun + number, len(runs), job)

        found, rate, fine = _of_code(
            store.repository(code), code, own, references.get(code, {}), seed, report, limits
        )
        rows += found
        calls[code] = rate
        if fine is not None:
            resolutions[code] = fine
        if reason := why_unknown([row.truth for row in found], fine):
            unknown[code] = reason
            limits.append(f"{code} is not scored: {reason}.")
        done += len(own)
    scored = [row for row in rows if row.code not in unknown]
    if rows and not scored:
        limits.append(
            "Nothing could be scored: the true loss is not known well enough for any program."
        )
    return Evaluation(rows, _scores(scored), calls, limits, resolutions, unknown)


def why_unknown(known: Sequence[Truth], fine: Resolution | None) -> str:
    """Return why a program's true loss is unknown, as part of a sentence; "" if it is known.

    Args:
        known: Loss of each run by the oracle.
        fine: Resolution (uncertainty) of the oracle; None if there are too few runs.
    """
    if fine is not None and fine.total > MOST_UNKNOWN:
        return (
            f"its truth is not known: two halves of its runs differ by {fine.total:.1f} points, "
            f"where {MOST_UNKNOWN:g} are allowed"
        )
    least = min((truth.total for truth in known), default=0.0)
    if least < -MOST_UNKNOWN:
        return (
            f"its truth is not known: a run would have lost {least:.1f} %, so the other runs are "
            f"not comparable"
        )
    return ""


def _apart(store: Store) -> list[str]:
    """Return a note on runs that were left out since the machine's cores were far apart."""
    good = {run.job for run in store.runs()}
    apart = [run for run in store.runs(failed=True) if not run.error and run.job not in good]
    if not apart:
        return []
    most = max(run.noise[APART] for run in apart)
    least = min((run.noise.get(APART, most) for run in store.runs()), default=most)
    many = "1 run is" if len(apart) == 1 else f"{len(apart)} runs are"
    return [
        f"{many} left out and repeated: the machine's cores were far apart (a round trip took up "
        f"to {most:.0f} ns, {least:.0f} at best)."
    ]


def _scores(rows: Sequence[Row]) -> list[Score]:
    """Score every method per program, then on all runs, then on the quiet ones."""
    groups = {
        code: [row for row in rows if row.code == code]
        for code in dict.fromkeys(row.code for row in rows)
    }
    groups |= {"all": list(rows), "quiet": [row for row in rows if row.quiet]}
    return [
        score(name, method, own)
        for name, own in groups.items()
        for method in (*METHODS, RAW)
        if any(method in row.said for row in own)
    ]


def _of_code(
    repository: Repository,
    code: str,
    runs: Sequence[ValidationRun],
    references: Mapping[str, CoreReference],
    seed: int,
    report: Callable[[int, str], None],
    limits: list[str],
) -> tuple[list[Row], float, Resolution | None]:
    """Return a program's evaluated runs, its rate of collectives, and its truth's uncertainty."""
    marks_by_run: dict[str, Marks] = {}
    said: dict[str, dict[str, RunEstimate]] = {}
    delays: dict[str, _Delays] = {}
    for number, run in enumerate(runs):
        report(number, run.job)
        # A run that cannot be read or assessed, for whatever reason, is reported and ends nothing.
        try:
            found = marks(repository, run.job)
            if found is None:
                limits.append(f"{run.job} has no segments.")
                continue
            if run.inject:
                delays[run.job] = _delays(run)
            marks_by_run[run.job] = found
            said[run.job] = _said(repository, run, references, seed)
        except Exception as error:
            limits.append(f"{run.job} cannot be assessed: {why(error)}")
    spans = {run.job: run.disturbed for run in runs}
    injected = spans | {job: log.spans() for job, log in delays.items()}
    known = truths(marks_by_run, injected, spans)
    if not known:
        limits.append(
            f"{code} has too few runs of the same work for an oracle ({len(marks_by_run)})."
        )
        return [], 0.0, None
    if other := len(marks_by_run) - len(known):
        limits.append(f"{other} of {len(marks_by_run)} runs of {code} did other work.")
    runs = [run for run in runs if run.job in known and run.job in said]
    if not runs:
        return [], 0.0, None
    measured = _by_thesis(runs, said, known, limits)
    rows = [
        Row(
            run.job,
            code,
            run.step.kind,
            run.step.strength,
            known[run.job],
            _band(delays.get(run.job), marks_by_run[run.job], known[run.job]),
            measured[run.job],
            run.noise,
            {name: assessed(one, known[run.job].edges_ns) for name, one in said[run.job].items()},
        )
        for run in runs
    ]
    return (
        rows,
        _rate(repository, runs[0].job, known[runs[0].job]),
        resolution(marks_by_run, injected),
    )


def references_of(
    store: Store, runs: Sequence[ValidationRun]
) -> dict[str, dict[str, CoreReference]]:
    """Return the usual times of the core-speed probe, from the runs of all programs.

    Each program has a repository of its own, but all programs run on the same nodes. So the usual
    time in a program comes from its own repository, and the usual time on a node from all of them.

    Returns:
        Program -> node -> usual time.
    """
    from jostle.repository import CoreReference

    core_references: dict[str, CoreReference] = {}
    owns: dict[str, dict[str, CoreReference]] = {}
    for code in dict.fromkeys(run.step.code for run in runs):
        job = next(run.job for run in runs if run.step.code == code)
        try:
            own = store.repository(code).run_tables(job).references
        except Exception:  # reported where the run itself is assessed
            continue
        owns[code] = dict(own)
        for host, reference in own.items():
            known, jobs = core_references.get(host, CoreReference(0.0, 0)), reference.jobs + 1
            mean = (known.ns * known.jobs + reference.ns * jobs) / (known.jobs + jobs)
            core_references[host] = CoreReference(mean, known.jobs + jobs)
    return {
        code: {
            host: CoreReference(
                core_references[host].ns,
                core_references[host].jobs - 1,
                reference.ns,
                reference.jobs,
            )
            for host, reference in own.items()
        }
        for code, own in owns.items()
    }


def _said(
    repository: Repository, run: ValidationRun, references: Mapping[str, CoreReference], seed: int
) -> dict[str, RunEstimate]:
    """Estimate a run by all methods, or, if its segments are raw, only by that of Shah, 2020."""
    tables = repository.run_tables(run.job)
    if tables.references:
        tables = replace(tables, references=references)
    if run.step.raw:
        return {RAW: estimate(tables, method="thesis", seed=seed)}
    return {method: estimate(tables, method=method, seed=seed) for method in METHODS}


def _by_thesis(
    runs: Sequence[ValidationRun],
    said: dict[str, dict[str, RunEstimate]],
    known: dict[str, Truth],
    limits: list[str],
) -> dict[str, float]:
    """Measure the loss as in Shah, 2020, §5.2.3: against the fastest run with the same segments."""
    found: dict[str, float] = {}
    for method in ("thesis", RAW):
        own = [run for run in runs if method in said[run.job]]
        if not own:
            continue
        try:
            moved = compare([said[run.job][method] for run in own]).displaced_s
        except Exception as error:
            limits.append(f"{own[0].step.code} cannot be compared: {why(error)}")
            moved = [0.0] * len(own)
        fastest = min(known[run.job].run_s for run in own)
        for run, shift in zip(own, moved, strict=True):
            percent = measured_percent(known[run.job].run_s, fastest, shift)
            found[run.job] = max(percent, 0.0)
    return found


def _rate(repository: Repository, job: str, truth: Truth) -> float:
    worlds = repository.segments(job).worlds
    count = sum(int(world.segments["globals"].to_numpy().sum()) for world in worlds[:1])
    return count / truth.run_s


@dataclass(frozen=True)
class _Delays:
    """Delays of an injector's log: begin, length and rank of each."""

    start_ns: Ints
    delay_ns: Ints
    rank: Ints

    def spans(self) -> list[tuple[int, int]]:
        end_ns = self.start_ns + self.delay_ns
        return list(zip(self.start_ns.tolist(), end_ns.tolist(), strict=True))


def _delays(run: ValidationRun) -> _Delays:
    from jostle_lab.inject import read_log

    log = read_log(Path(run.inject))
    start, delay = (log[name].to_numpy().astype(np.int64) for name in ("start_ns", "delay_ns"))
    return _Delays(start, delay, log["rank"].fill_null(-1).to_numpy().astype(np.int64))


def _band(delays: _Delays | None, seen: Marks, truth: Truth) -> Band | None:
    """Return a run's injected loss: from the injector's log, or from the disturber's spans."""
    if delays is None:
        return truth.alongside
    return band(delays.start_ns, delays.delay_ns, delays.rank, seen.at_ns)


def assessed(found: RunEstimate, edges_ns: Sequence[int] = ()) -> Assessed:
    """Extract the scored values from an estimate.

    Args:
        found: The estimate.
        edges_ns: Edges of the windows from which the truth's continuous loss was computed. If
            empty, it was computed from the segments.
    """
    percent, speed = found.percent, found.core_speed
    moved = 0.0
    if found.segments.num_rows:
        start, end = (found.segments[name].to_numpy() for name in ("start_ns", "end_ns"))
        row, lost = found.segments["duration_ns"].to_numpy() / 1e9, _lost(found.segments)
        if edges_ns:
            edges = np.array(edges_ns, dtype=np.int64)
            row = np.diff(edges) / 1e9
            # The loss of a segment in several windows is divided by time; cores may have gained
            # some.
            more, less = (
                spread_over(start, end, part.clip(0), edges[:-1], edges[1:])
                for part in (lost, -lost)
            )
            lost = more - less
        moved = displacement(row, row - lost)
    return Assessed(
        percent.value,
        percent.low,
        percent.high,
        found.continuous.percent.value if found.continuous else 0.0,
        100 * moved / found.run_s,
        found.coverage,
        found.inferred_coverage,
        100 * speed.seconds.value / found.run_s if speed else 0.0,
        speed.core_probe if speed else None,
        found.light,
    )


def _lost(segments: pa.Table) -> Floats:
    """Return the seconds that each segment of an estimate lost."""
    lost: Floats = segments["excess_ns"].fill_null(0).to_numpy() / 1e9
    if "slow_ns" in segments.column_names:
        lost = lost + segments["slow_ns"].to_numpy() / 1e9
    return lost
