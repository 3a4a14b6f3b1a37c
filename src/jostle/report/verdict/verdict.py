"""The verdict on a job: what interference cost it, by its own segments and by its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from jostle.plain_values import plain
from jostle.report.format.causes import cause_words
from jostle.report.verdict.blame import Blame, blame

if TYPE_CHECKING:
    from jostle.analysis.estimation.light import Light
    from jostle.analysis.estimation.model import CauseName, Estimate
    from jostle.analysis.identification.model import Interference, ResourceKind
    from jostle.analysis.interval import Interval
    from jostle.repository import Repository, RunTables

#: Loss in percent of the run time below which no cause and no suspect is named.
WORTH_A_WORD = 0.5
#: Less of a run than this is not worth a line.
NOTHING = 0.0005
#: Arguments of `jostle.analysis.estimate` that are the default.
USUAL: Mapping[str, Any] = {"method": "jostle", "bytes_rule": None, "seed": 0}
#: The steps of a verdict, in their order.
STEPS = (
    "looking for who ran beside it",
    "comparing its slices with what they did",
    "reading its segments",
    "comparing like segments with each other",
)
#: Called with the number of a step (from 0), how many there are, and what it does.
ReportProgress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class EvaluatedJob:
    """A job with its estimate and its suspects.

    Attributes:
        estimate: What interference cost the job.
        names: The path of each mount, for users.
        who: What its neighbours did; None where none were looked for.
    """

    estimate: Estimate
    names: dict[str, str]
    who: Interference | None


@dataclass(frozen=True)
class VerdictHead:
    """The one set of numbers that goes with the light.

    Attributes:
        light: green, yellow or red; None where it is undecided.
        percent: Share of the run time that was lost, percent.
        lost_s: The same in seconds.
        run_s: The run time that `percent` is of, s.
        intrinsic_s: The run time that it would have had without interference, s.
        cause: What cost most: file system, network, memory or cpu (of messages within a node), cpu
            or unknown; None where nothing was lost.
        what: The cause in words, with its kind: `CPU, slower cores`; "" where nothing was lost.
        resource: A mount or a node; "" without one.
        by: Source of the numbers: the run itself, or its neighbours (see `deciding`).
        advice: What the run may be used for.
        likely: The most probable light.
        sure: Its probability, 0 to 1.
        undecided: Why the light is undecided, part of a sentence; "" if it is decided.
        decided_by: What would decide it, part of a sentence; "" if it is decided.
    """

    light: Light | None
    percent: Interval
    lost_s: Interval
    run_s: float
    intrinsic_s: float
    cause: CauseName | None
    what: str
    resource: str
    by: Literal["run", "neighbours"]
    advice: str
    likely: Light
    sure: float
    undecided: str
    decided_by: str

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        found: dict[str, Any] = plain(self)
        return found


def evaluate_job(
    store: Repository,
    name: str,
    how: Mapping[str, Any],
    *,
    alone: bool = False,
    viewer: int | frozenset[int] | None = None,
    say: ReportProgress = lambda *_: None,
) -> EvaluatedJob:
    """Estimate a job of a repository, and identify suspects among its neighbours.

    Args:
        store: The repository.
        name: The job's full name.
        how: method, bytes_rule and seed of `jostle.analysis.estimate`.
        alone: Do not look for neighbours.
        viewer: User (uid) or users whose jobs may be named; None: everybody's.
        say: Called with the progress; some jobs need not all steps.
    """

    def at(step: int) -> None:
        say(step, len(STEPS), STEPS[step])

    with ThreadPoolExecutor(1) as side:  # segments are read while code is loaded and others sought
        run = side.submit(store.run_tables, name)
        from jostle.analysis import estimate

        interference = None if alone else _beside(store, name, how["seed"], viewer, at)
        at(2)
        tables = run.result()
    at(3)
    made = estimate(tables, **how)
    return EvaluatedJob(made, mount_paths(tables), interference)


def _beside(
    store: Repository, name: str, seed: int, viewer: int | frozenset[int] | None,
    at: Callable[[int], None],
) -> Interference | None:  # fmt: skip
    """Identify suspects, if other jobs ran beside the job."""
    at(0)
    if not store.has_company(name):
        return None
    beside = store.beside(name)
    if not beside.others:
        return None
    from jostle.analysis import identify

    at(1)
    return identify(beside, seed=seed, as_user=viewer)


def mount_paths(tables: RunTables) -> dict[str, str]:
    """Return, for each mount, the shortest path at which the job saw it."""
    names: dict[str, str] = {}
    for row in tables.mounts.select(["mount", "path"]).to_pylist():
        known, path = names.get(row["mount"]), row["path"]
        if path and (known is None or (len(path), path) < (len(known), known)):
            names[row["mount"]] = path
    return names


def deciding(estimate: Estimate, interference: Interference | None) -> Estimate:
    """Return the estimate whose light counts: the job's own, or that of its neighbours' load.

    If neighbours were active nearly all the time, the job has no undisturbed segments to compare
    with. Their load may then explain a larger loss than the segments show, and that loss counts,
    however small the coverage of the segments is.
    """
    if interference is not None and explains_more(estimate, interference):
        doubts: Any = ("neighbours", "neighbours")
        return replace(estimate, percent=interference.percent, coverage=1.0, doubts=doubts)
    return estimate


def explains_more(estimate: Estimate, interference: Interference | None) -> bool:
    """Return whether the neighbours explain more of the loss than the job's own segments show.

    That is so if the most likely loss to neighbours exceeds the upper bound of the job's own
    estimate. The lower bound of the former does not matter: it is near zero if neighbours were
    active all the time, though the job was evidently slowed.
    """
    if (
        interference is None or estimate.method == "thesis"
    ):  # which is as the thesis has it, and knows nobody
        return False
    return interference.evident and interference.seconds.value > estimate.lost_s.high


def head(estimate: Estimate, interference: Interference | None = None) -> VerdictHead:
    """Return the numbers that go with the light: those of the neighbours if these decide."""
    judge = deciding(estimate, interference)
    lit = judge.lit
    cause, what, where = None, "", ""
    if interference is not None and explains_more(estimate, interference):
        of_run, lost, run_s, by = (
            interference.percent,
            interference.seconds,
            interference.run_s,
            "neighbours",
        )
        worst = next(
            (
                resource_loss
                for resource_loss in interference.resources
                if resource_loss.seconds.value > 0
            ),
            None,
        )
        if worst and of_run.value >= WORTH_A_WORD:
            cause, where = _cause_of(worst.kind), worst.resource
            what = cause_words(cause)
    else:
        of_run, lost, run_s, by = estimate.percent, estimate.lost_s, estimate.run_s, "run"
        if estimate.causes and of_run.value >= WORTH_A_WORD:
            first = estimate.causes[0]
            cause, where = first.cause, first.resource
            what = cause_words(first.cause, first.kind)
    return VerdictHead(
        light=lit.light,
        percent=of_run,
        lost_s=lost,
        run_s=run_s,
        intrinsic_s=estimate.intrinsic_s if by == "run" else run_s - lost.value,
        cause=cause,
        what=what,
        resource=where,
        by="run" if by == "run" else "neighbours",
        advice=judge.advice,
        likely=lit.likely,
        sure=lit.sure,
        undecided=lit.undecided,
        decided_by=lit.decided_by,
    )


def blame_of(estimate: Estimate, interference: Interference | None) -> Blame:
    """Split the loss that goes with the light among the suspects."""
    return blame(head(estimate, interference).lost_s, interference, estimate.hits)


def _cause_of(kind: ResourceKind) -> CauseName:
    return "cpu" if kind == "node" else kind


def estimate_json(estimate: Estimate, interference: Interference | None = None) -> dict[str, Any]:
    """Return an estimate as plain values; `judged` says whether its light is decided."""
    judge = deciding(estimate, interference)
    told = judge.to_json()
    said = {
        name: told[name]
        for name in ("klass", "light", "likely", "sure", "undecided", "decided_by", "advice")
    }
    probability = judge.probability if judge.light else None
    return (
        estimate.to_json() | said | {"probability": probability, "judged": judge.light is not None}
    )


@dataclass(frozen=True)
class CauseRow:
    """A row of the table of causes.

    Attributes:
        what: The cause in words.
        place: The resource, a mount by the path at which the job sees it.
        seconds: Run time lost to it.
        share: The same, as a part of the run time.
        how: measured or inferred.
    """

    what: str
    place: str
    seconds: Interval
    share: float
    how: Literal["measured", "inferred"]


def cause_rows(estimate: Estimate, names: Mapping[str, str]) -> list[CauseRow]:
    """Return the table of causes, the largest first; causes of next to nothing are left out.

    Args:
        estimate: The estimate of a run.
        names: Path of each mount, for users.
    """
    return [
        CauseRow(
            cause_words(cause.cause, cause.kind),
            names.get(cause.resource, cause.resource),
            cause.seconds,
            cause.seconds.value / estimate.run_s if estimate.run_s > 0 else 0.0,
            cause.how,
        )
        for cause in estimate.causes
        if cause.seconds.value >= NOTHING * estimate.run_s
    ]


def verdict_json(evaluated_job: EvaluatedJob) -> dict[str, Any]:
    """Return the verdict on a job as plain values: what `estimate --json` prints."""
    content = estimate_json(evaluated_job.estimate, evaluated_job.who)
    content["head"] = head(evaluated_job.estimate, evaluated_job.who).to_json()
    content["blame"] = blame_of(evaluated_job.estimate, evaluated_job.who).to_json()
    content["interference"] = evaluated_job.who.to_json() if evaluated_job.who else None
    content["mounts"] = evaluated_job.names
    rows = cause_rows(evaluated_job.estimate, evaluated_job.names)
    content["cause_rows"] = [plain(row) for row in rows]
    return content
