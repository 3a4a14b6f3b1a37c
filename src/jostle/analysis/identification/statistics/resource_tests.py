"""Tests which jobs' loads explain a slowdown on a shared resource, with false-discovery control."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from jostle.analysis.identification.resources.service_time import (
    DRAIN_NS,
    QUIET,
    Flags,
    ServiceTimes,
    quiet_slices,
    service,
)
from jostle.analysis.identification.resources.shared import Floats, SharedResource
from jostle.analysis.identification.statistics.evidence import (
    FEWEST,
    NOTHING,
    Moved,
    Test,
    own_phases,
)
from jostle.analysis.identification.statistics.seconds_lost import smallest_loss

#: Rate of false discoveries.
LEVEL = 0.05
#: Most jobs tested on one resource, the heaviest ones.
MOST = 60
#: A load below this part of all load there, own and others', cannot explain a visible loss.
_DOSE = 0.02
_LAGS = 4  # slices after a load in which its effect is searched
_AMPLE = 1.5  # times the slices that are needed: what a proposed run should have
_LENGTHS = (
    (100_000_000, "100ms"),
    (250_000_000, "250ms"),
    (500_000_000, "500ms"),
    (1_000_000_000, "1s"),
    (2_000_000_000, "2s"),
)
_AT_WORK = 0.2  # of its usual height: a suspect with more load is active
_RESOLUTION = 20  # levels that a load is rounded to: smaller changes are noise


@dataclass
class ResourceTest:
    """Tests of the loads on one resource.

    Attributes:
        resource: The resource.
        served: Service times of the job's operations on the resource.
        total: Test of the sum of all other jobs' loads.
        tests: For each job, the test of its load. If more than MOST jobs loaded the resource, only
            the jobs with the greatest load are tested.
        little: For each job whose load was too small to matter, its share of all load there.
        smallest_s: Smallest loss that could have been detected, seconds.
        lag: Number of slices after a load that may still be disturbed.
        p: p value of the resource, from the p values of all its tests (method of Simes).
        moved: The slowdown, prepared for tests with shifted loads.
        q: p of the resource, after control of the false-discovery rate over all resources.
        suspects: For each job with evidence, its q.
        jointly: Whether only the sum of the suspects' loads explains the slowdown, and no single
            load does.
    """

    resource: SharedResource
    served: ServiceTimes
    total: Test
    tests: dict[str, Test]
    little: dict[str, float]
    smallest_s: float
    lag: int
    p: float
    moved: Moved
    q: float = 1.0
    suspects: dict[str, float] = field(default_factory=dict)
    jointly: bool = False

    @property
    def slices(self) -> int:
        """Number of slices that could be evaluated."""
        return int(self.served.scored.sum())

    @property
    def own_s(self) -> float:
        """Time that the job spent in calls on the resource, mean per process, seconds."""
        return float(self.resource.mean_busy.sum())


def score(resource: SharedResource, clock_slices: int) -> ResourceTest:
    """Test the loads of other jobs on a resource.

    Args:
        resource: The resource.
        clock_slices: Number of slices by which the clocks of nodes may differ.
    """
    lag = int(np.clip(-(-DRAIN_NS // resource.axis[1]), 1, _LAGS))
    others = resource.others
    served = service(resource, quiet_slices(others, 1))
    moved = _ready(resource, served, (-clock_slices, lag + clock_slices))
    little, candidates = _doses(resource, served)
    total = moved.test(grained(others))
    tests = {
        job: total if len(resource.loads) == 1 else moved.test(grained(resource.loads[job]))
        for job in candidates
    }
    every = [test.p for test in tests.values()]
    if len(resource.loads) > 1:
        every.append(total.p)
    return ResourceTest(
        resource,
        served,
        total,
        tests,
        little,
        smallest_loss(resource, served, others, moved, total.critical),
        lag,
        _simes(every),
        moved,
    )


def _ready(resource: SharedResource, served: ServiceTimes, lags: tuple[int, int]) -> Moved:
    scored = served.scored
    begun = scored.copy()
    begun[1:] &= ~scored[:-1]
    own = [resource.own_load, np.round(resource.processes), begun.astype(float)]
    # Concurrent calls of the job's own processes wait for each other.
    base = own_phases(served.kind, scored, served.slow, own)
    return Moved(served.slow, scored, base, lags)


def grained(load: Floats) -> Floats:
    """Round a load to parts of its usual height, so that a steady load is constant."""
    if not (load > 0).any():
        return load
    usual = float(np.quantile(load[load > 0], 0.9))
    return np.asarray(np.ceil(np.minimum(load / usual, 4.0) * _RESOLUTION - 0.5))


def _doses(resource: SharedResource, served: ServiceTimes) -> tuple[dict[str, float], list[str]]:
    """Divide the jobs into those with too little load to matter, and those to test.

    If more than `MOST` jobs have enough load, those with less load than these `MOST` jobs are in
    neither group: it remains unknown whether they slowed the job.

    Returns:
        For each job with too little load, its share of all load; and the names of the jobs and
        servers to test.
    """
    little, enough = {}, {}
    scored = served.scored
    # Caches answer many of a job's own metadata calls: these are no load.
    own = 0.0 if resource.kind == "metadata server" else resource.own_load
    for job, load in resource.loads.items():
        if job in resource.servers:
            continue
        here = scored & (load > 0)
        whole = float((own + resource.others)[here].sum())
        dose = float(load[here].sum()) / whole if whole > 0 else 0.0
        if dose < _DOSE:
            little[job] = dose
        else:
            enough[job] = float(load[scored].sum())
    heavy = sorted(enough, key=lambda job: (-enough[job], job))
    return little, [*heavy[:MOST], *resource.servers]


def _simes(values: Sequence[float]) -> float:
    """Return one p value for several tests of one hypothesis (Simes)."""
    if not values:
        return 1.0
    order = np.sort(np.asarray(values))
    return float(min(np.min(order * len(order) / np.arange(1, len(order) + 1)), 1.0))


def adjusted(values: Sequence[float]) -> list[float]:
    """Return q values for p values (Benjamini and Hochberg, 1995)."""
    if not len(values):
        return []
    p = np.asarray(values, dtype=float)
    order = np.argsort(p)
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return [float(value) for value in q]


def among_their_kind(p: Mapping[str, float], servers: Collection[str]) -> dict[str, float]:
    """Return q of each suspect of one resource, computed separately for jobs and for servers.

    Otherwise, servers that are not slow would weaken the evidence on jobs.

    Args:
        p: For each suspect, its p value.
        servers: Names of the suspects that are servers.
    """
    kinds = [name for name in p if name not in servers], [name for name in p if name in servers]
    return {
        name: q
        for kind in kinds
        for name, q in zip(kind, adjusted([p[name] for name in kind]), strict=True)
    }


def choose_suspects(tests: Sequence[ResourceTest]) -> None:
    """Choose the suspects on each resource, with control of the rate of false discoveries.

    The rate is controlled over all resources, then over the suspects of each resource. On a
    resource with evidence, suspects are chosen one by one, the one with the strongest evidence
    first. The slowdown that its load explains is removed before the others are tested again. Slow
    servers are chosen after all jobs: a job's load may slow a server, and then the load is the
    cause.

    Args:
        tests: Tests of all resources. Their `q`, `suspects`, `jointly` and `tests` are changed.
    """
    # Resources with too few slices are not tested and do not count among the tests.
    testable = [each for each in tests if each.slices >= FEWEST]
    for resource_test, q in zip(testable, adjusted([each.p for each in testable]), strict=True):
        resource_test.q = q
        moved, left = resource_test.moved, dict(resource_test.tests)
        while q <= LEVEL and left:
            within = among_their_kind(
                {name: test.p for name, test in left.items()}, resource_test.resource.servers
            )
            fit = [
                name
                for name, part in within.items()
                if max(q, part) <= LEVEL and _answers(resource_test, name, left[name])
            ]
            best = min(
                fit,
                key=lambda name: (
                    name in resource_test.resource.servers,
                    left[name].p,
                    -left[name].correlation,
                    name,
                ),
                default=None,
            )
            if best is None:
                break
            resource_test.suspects[best] = max(q, within[best])
            resource_test.tests[best] = left.pop(best)
            moved = moved.alongside(
                delayed(grained(resource_test.resource.loads[best]), resource_test.tests[best].lag)
            )
            left = {name: moved.test(grained(resource_test.resource.loads[name])) for name in left}
        if q <= LEVEL and not resource_test.suspects and resource_test.total.p <= LEVEL:
            resource_test.suspects = dict.fromkeys(_jointly(resource_test), q)
            resource_test.jointly = bool(resource_test.suspects)


def _jointly(resource_test: ResourceTest) -> list[str]:
    """Find the jobs of which only the sum of their loads explains the slowdown, and none alone.

    If several jobs do harm, the harm of each is noise in the tests of the others. Jobs are tried in
    the order of their correlation. A job's load is added to the sum if the sum then fits better.
    The sum must pass the test as one load.
    """
    names = [
        name for name, test in resource_test.tests.items() if _answers(resource_test, name, test)
    ]
    names.sort(key=lambda name: (-resource_test.tests[name].correlation, name))
    best, chosen = NOTHING, []
    load = np.zeros(resource_test.resource.axis[2])
    for name in names:
        test = resource_test.moved.test(grained(load + resource_test.resource.loads[name]))
        if test.correlation > best.correlation:
            best, load = test, load + resource_test.resource.loads[name]
            chosen.append(name)
    return chosen if best.p <= LEVEL and len(chosen) > 1 else []


def _answers(resource_test: ResourceTest, job: str, test: Test) -> bool:
    """Return whether slices with much load of a job were slower than those with little or none."""
    if test.correlation <= 0:
        return False
    scored = resource_test.served.scored & _unexplained(resource_test)
    load = delayed(resource_test.resource.loads[job], test.lag)
    here = scored & (load > 0)
    if int(here.sum()) < 2 * QUIET:
        return True
    middle = float(np.median(load[here]))
    strong, weak = here & (load >= middle), scored & ~(here & (load >= middle))
    if not weak.any():
        return True
    return bool(
        np.mean(resource_test.served.slow[strong]) > np.mean(resource_test.served.slow[weak])
    )


def _unexplained(resource_test: ResourceTest) -> Flags:
    """Return the slices in which no suspect chosen so far was active.

    If these are too few for a test, all slices are returned.
    """
    free = np.ones(resource_test.resource.axis[2], dtype=bool)
    for name in resource_test.suspects:
        load = delayed(resource_test.resource.loads[name], resource_test.tests[name].lag)
        free &= load <= _AT_WORK * float(np.quantile(load[load > 0], 0.9)) if load.any() else True
    scored = resource_test.served.scored
    return free if int((free & scored).sum()) >= FEWEST else np.ones(len(free), dtype=bool)


def delayed(load: Floats, lag: int) -> Floats:
    """Shift a load by a lag, so that it lies in the slices that it slowed."""
    if not lag:
        return load
    moved = np.zeros(len(load))
    if lag > 0:
        moved[lag:] = load[:-lag]
    else:
        moved[:lag] = load[-lag:]
    return moved


def blind(resource_test: ResourceTest) -> str:
    """Return why the slices of a resource can show no effect of any load; "" where they can.

    The text also states which run would show an effect.
    """
    if resource_test.slices < FEWEST:
        # With so few slices no class is complete; in a longer run all of them may be evaluated.
        some = resource_test.slices or min(
            int((resource_test.resource.mean_busy > 0).sum()), FEWEST - 1
        )
        return (
            f"Too few slices: {resource_test.slices} could be evaluated, {FEWEST} are needed: "
            f"{_more_slices(resource_test.resource.axis[1], some)}."
        )
    if resource_test.total.alike or _steady(resource_test):
        return (
            "The others' load never changed while the job was active there, or changed with the "
            "job's own phases, so this job's slices do not show its effect; a comparison with a "
            "run without them does."
        )
    if resource_test.tests and min(test.smallest for test in resource_test.tests.values()) > LEVEL:
        return (
            f"Too few slices: no load could be distinguished from the same load at other times "
            f"among {resource_test.slices}: "
            f"{_more_slices(resource_test.resource.axis[1], min(resource_test.slices, FEWEST))}."
        )
    return ""


def shorter_slices(resource_test: ResourceTest) -> str:
    """Return how a run gets enough slices, with the command if shorter slices suffice."""
    some = resource_test.slices or min(
        int((resource_test.resource.mean_busy > 0).sum()), FEWEST - 1
    )
    more = _more_slices(resource_test.resource.axis[1], some)
    return more.replace("run with --slice ", "`jostle run --slice ").replace(", or", " -- CMD`, or")


def _more_slices(slice_ns: int, scored: int) -> str:
    """Return how a run gets enough slices: by shorter slices, or by a longer run."""
    wanted = slice_ns * scored / (_AMPLE * FEWEST)
    shorter = [(length, name) for length, name in _LENGTHS if length <= wanted]
    longer = f"{_AMPLE * FEWEST / scored:.2g} times as long" if scored else "longer"
    return f"run with --slice {shorter[-1][1]}, or {longer}" if shorter else f"run {longer}"


def why_not(resource_test: ResourceTest) -> str:
    """Return why there is no evidence on a resource, in one sentence."""
    if said := blind(resource_test):
        return said
    if not resource_test.tests:
        return f"The others' load was less than {_DOSE:.0%} of all load there."
    if resource_test.q <= LEVEL:
        return (
            "The job's calls took longer while others were active (p = "
            f"{min(resource_test.p, 1):.2g}), but no "
            "job's load, alone or together, accounts for a notable loss."
        )
    return (
        "The job's calls took no longer while others were active (p = "
        f"{min(resource_test.p, 1):.2g}, after all "
        f"tests {min(resource_test.q, 1):.2g})."
    )


def _steady(resource_test: ResourceTest) -> bool:
    level = grained(resource_test.resource.others)[resource_test.served.scored]
    return bool(len(level) and np.ptp(level) <= 0.1 * max(float(np.max(level)), 1.0))
