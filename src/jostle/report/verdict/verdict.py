"""Makes the verdict on a job: its loss to interference, from its segments and neighbours' load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.analysis.estimation.light import Light
from jostle.analysis.estimation.model import Cause, CauseName, HowKnown, RunEstimate
from jostle.analysis.interval import Interval
from jostle.report.format.causes import cause_words
from jostle.report.format.waits import waits_json
from jostle.report.models.job.evidence import require_of
from jostle.report.verdict.attribution import Attribution, attribute
from jostle.report.verdict.combine import combine
from jostle.values.plain_values import plain
from jostle.values.storage_servers import with_parts

if TYPE_CHECKING:
    from jostle.analysis.identification.model import JobInterference
    from jostle.analysis.waits import JobWaits
    from jostle.repository import Repository, RunTables

#: Loss in percent of the run time below which no cause and no suspect is named.
WORTH_A_WORD = 0.5
#: Least part of the loss of a cause that is named in addition to the largest.
_MAIN = 0.25
#: Least part of a run that is reported in a line of its own.
NOTHING = 0.0005
#: Arguments of `jostle.analysis.estimate` that are the default.
USUAL: Mapping[str, Any] = {"method": "jostle", "bytes_rule": None, "seed": 0}
#: The steps of a verdict, in their order.
STEPS = (
    "searching jobs that ran alongside it",
    "comparing its slices with what they did",
    "reading its segments",
    "comparing similar segments",
)
#: Called with the number of a step (from 0), the number of steps, and what the step does.
ReportProgress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class EvaluatedJob:
    """A job with its estimate and its suspects, which agree (see `combine`).

    Attributes:
        estimate: Estimated loss of the job.
        who: The interference by the job's neighbours; None if no suspects were identified.
        names: Path of each mount, for users.
        waits: Late ranks for which other ranks of the job waited; None if the job has no ranks, or
            if the method does not search for late ranks.
    """

    estimate: RunEstimate
    who: JobInterference | None
    names: dict[str, str]
    waits: JobWaits | None = None


@dataclass(frozen=True)
class VerdictHead:
    """The main numbers of a verdict: the traffic light, the loss and its main cause.

    Attributes:
        light: green, yellow or red; None where it is undecided.
        percent: Share of the run time that was lost, percent.
        lost_s: Loss in seconds.
        run_s: Run time that `percent` refers to, in seconds.
        intrinsic_s: Run time that the job would have had without interference, in seconds.
        cause: Cause of the largest loss; None where nothing was lost. One of: file system; network;
            memory or cpu, for messages within a node; memory; cpu; gpu; bus; unknown.
        what: Causes of the largest losses, in words: `CPU, slower cores`, `file system and CPU`; ""
            where nothing was lost.
        resource: Resource with the largest loss, such as a mount or a node; "" where nothing was
            lost.
        advice: What the times of the run may be used for, in words.
        likely: The most probable light.
        sure: Probability of `likely`, 0 to 1.
        undecided: Reason why the light is undecided, part of a sentence; "" if it is decided.
        decided_by: Action that would decide it, part of a sentence; "" if it is decided.
    """

    light: Light | None
    percent: Interval
    lost_s: Interval
    run_s: float
    intrinsic_s: float
    cause: CauseName | None
    what: str
    resource: str
    advice: str
    likely: Light
    sure: float
    undecided: str
    decided_by: str

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON-compatible values."""
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
        alone: Whether to leave out the identification of neighbours.
        viewer: User (uid) or users whose jobs may be named; None: everybody's.
        say: Function that is called with the progress; some jobs do not need all steps.

    Raises:
        DamagedError: A file from the time of the job is damaged. Without the lost evidence the run
            could look as if it had no loss.
        NoBasisError: The job was imported from a source that does not allow a verdict.
    """

    def at(step: int) -> None:
        say(step, len(STEPS), STEPS[step])

    with ThreadPoolExecutor(1) as side:  # segments are read while suspects are identified
        run = side.submit(store.run_tables, name)
        from jostle.analysis import estimate

        interference = None if alone else _alongside(store, name, how["seed"], viewer, at)
        at(2)
        tables = run.result()
    require_of(name, tables.processes, "verdict")
    at(3)
    names = with_parts(mount_paths(tables))
    own = estimate(tables, **how)
    waits = None if how["method"] == "thesis" else _waits(store, name, tables, how["seed"])
    store.require_whole(name)
    return EvaluatedJob(*combine(own, interference, names), names, waits)


def _waits(store: Repository, name: str, tables: RunTables, seed: int) -> JobWaits | None:
    """Return the late ranks for which a job's ranks waited; None if no world has two ranks."""
    if all(world.world_size < 2 for world in tables.worlds):
        return None
    from jostle.analysis.waits import waits_of

    return waits_of(store.rank_tables(name), lambda: store.rank_peers(name), seed=seed)


def evaluate_company(
    store: Repository,
    name: str,
    seed: int,
    viewer: int | None = None,
    say: ReportProgress = lambda *_: None,
) -> tuple[RunEstimate, JobInterference]:
    """Evaluate the influence of neighbours on a job; without neighbours the result is empty.

    Args:
        store: The repository.
        name: The job's full name.
        seed: Seed of the random steps.
        viewer: User (uid) whose jobs may be named; None: everybody's.
        say: Function that is called with the progress.
    """
    evaluated = evaluate_job(store, name, {**USUAL, "seed": seed}, viewer=viewer, say=say)
    if evaluated.who is not None:
        return evaluated.estimate, evaluated.who
    from jostle.analysis import identify

    return evaluated.estimate, identify(store.alongside(name), seed=seed, as_user=viewer)


def _alongside(
    store: Repository,
    name: str,
    seed: int,
    viewer: int | frozenset[int] | None,
    at: Callable[[int], None],
) -> JobInterference | None:
    """Identify suspects, if other jobs or programs without a profile ran at the same time."""
    at(0)
    if not store.has_company(name):
        return None
    alongside = store.alongside(name)
    if not alongside.others and not alongside.sees_unprofiled:
        return None
    from jostle.analysis import identify

    at(1)
    return identify(alongside, seed=seed, as_user=viewer)


def mount_paths(tables: RunTables) -> dict[str, str]:
    """Return, for each mount, the shortest path under which the job used it."""
    names: dict[str, str] = {}
    for row in tables.mounts.select(["mount", "path"]).to_pylist():
        known, path = names.get(row["mount"]), row["path"]
        if path and (known is None or (len(path), path) < (len(known), known)):
            names[row["mount"]] = path
    return names


def head(estimate: RunEstimate) -> VerdictHead:
    """Return the main numbers of a verdict: traffic light, loss and main cause."""
    lit = estimate.lit
    causes = _main_causes(estimate) if estimate.percent.value >= WORTH_A_WORD else []
    return VerdictHead(
        light=lit.light,
        percent=estimate.percent,
        lost_s=estimate.lost_s,
        run_s=estimate.run_s,
        intrinsic_s=estimate.intrinsic_s,
        cause=causes[0].cause if causes else None,
        what=_words(causes),
        resource=causes[0].resource if causes else "",
        advice=estimate.advice,
        likely=lit.likely,
        sure=lit.sure,
        undecided=lit.undecided,
        decided_by=lit.decided_by,
    )


def _main_causes(estimate: RunEstimate) -> list[Cause]:
    """Return the causes of at least a quarter of the loss each, the largest first."""
    sums: dict[CauseName, float] = {}
    for cause in estimate.causes:
        sums[cause.cause] = sums.get(cause.cause, 0.0) + cause.seconds.value
    main = [name for name, lost in sums.items() if lost >= _MAIN * estimate.lost_s.value]
    main = sorted(main or sums, key=lambda name: -sums[name])[: len(main) or 1]
    return [next(cause for cause in estimate.causes if cause.cause == name) for name in main]


def _words(causes: list[Cause]) -> str:
    """Return the names of causes: `CPU, slower cores`, or `file system and CPU` for several."""
    if len(causes) == 1:
        return cause_words(causes[0].cause, causes[0].kind, causes[0].level)
    return " and ".join(cause_words(cause.cause) for cause in causes)


def attribution_of(estimate: RunEstimate, interference: JobInterference | None) -> Attribution:
    """Split the loss of a verdict among the suspects."""
    return attribute(estimate.lost_s, interference, estimate.hits)


def estimate_json(estimate: RunEstimate) -> dict[str, Any]:
    """Return an estimate as JSON-compatible values; `assessed`: whether its light is decided."""
    probability = estimate.probability if estimate.light else None
    return estimate.to_json() | {"probability": probability, "assessed": estimate.light is not None}


@dataclass(frozen=True)
class CauseRow:
    """A row of the table of causes.

    Attributes:
        what: The cause in words.
        place: The resource; for a mount, the path at which the job sees it.
        seconds: Run time lost to this cause on this resource, in seconds.
        share: Loss as a part of the run time.
        how: Method: measured, inferred or neighbours (see `Cause`).
    """

    what: str
    place: str
    seconds: Interval
    share: float
    how: HowKnown


def cause_rows(estimate: RunEstimate, names: Mapping[str, str]) -> list[CauseRow]:
    """Return the table of causes, the largest first; causes of a negligible loss are left out.

    Args:
        estimate: The estimate of a run.
        names: Path of each mount, for users.
    """
    return [
        CauseRow(
            cause_words(cause.cause, cause.kind, cause.level),
            names.get(cause.resource, cause.resource),
            cause.seconds,
            cause.seconds.value / estimate.run_s if estimate.run_s > 0 else 0.0,
            cause.how,
        )
        for cause in estimate.causes
        if cause.seconds.value >= NOTHING * estimate.run_s
    ]


def interference_json(estimate: RunEstimate, interference: JobInterference) -> dict[str, Any]:
    """Return the content of `interference --json`: neighbours, and the loss that they caused."""
    return interference.to_json() | {
        "head": head(estimate).to_json(),
        "attribution": attribution_of(estimate, interference).to_json(),
    }


def verdict_json(evaluated_job: EvaluatedJob) -> dict[str, Any]:
    """Return the verdict on a job as JSON-compatible values, as `estimate --json` prints it."""
    content = estimate_json(evaluated_job.estimate)
    content["head"] = head(evaluated_job.estimate).to_json()
    content["attribution"] = attribution_of(evaluated_job.estimate, evaluated_job.who).to_json()
    content["interference"] = evaluated_job.who.to_json() if evaluated_job.who else None
    content["mounts"] = evaluated_job.names
    content["waits"] = waits_json(evaluated_job.waits, evaluated_job.names)
    rows = cause_rows(evaluated_job.estimate, evaluated_job.names)
    content["cause_rows"] = [plain(row) for row in rows]
    return content
