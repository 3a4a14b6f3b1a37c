"""Finds the shared resources and the jobs that slowed a job, and the run time that each cost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from jostle.analysis.identification.caveats import clock_slices, limits
from jostle.analysis.identification.core_account import Accounted, core_accounts
from jostle.analysis.identification.core_suspects import core_losses, joined, with_worse
from jostle.analysis.identification.model import (
    OTHERS,
    DisturbedSlice,
    JobInterference,
    ResourceLoss,
    Suspect,
    Untested,
)
from jostle.analysis.identification.pattern import pattern
from jostle.analysis.identification.resources.gpus import gpu_resources
from jostle.analysis.identification.resources.links import with_links
from jostle.analysis.identification.resources.memory import with_memory
from jostle.analysis.identification.resources.servers import times_as_slow, with_servers
from jostle.analysis.identification.resources.service_time import ServiceTimes
from jostle.analysis.identification.resources.shared import (
    Floats,
    SharedResource,
    job_axis,
    shared_resources,
)
from jostle.analysis.identification.resources.unprofiled import with_unprofiled
from jostle.analysis.identification.statistics.evaluation import Evaluation
from jostle.analysis.identification.statistics.resource_tests import (
    ResourceTest,
    blind,
    choose_suspects,
    delayed,
    score,
    why_not,
)
from jostle.analysis.identification.statistics.ruled_out import ruled_out
from jostle.analysis.identification.statistics.seconds_lost import (
    LEAST_SHARE,
    SuspectLoss,
    suspect_loss,
    within_bound,
)
from jostle.analysis.interval import Interval
from jostle.repository.query.resources.co_running import CoRunning, hide

_NS = 1e9
#: Part of the run: for a smaller loss no suspect is named, whatever the tests say.
_LEAST = 0.01
#: Buses that messages take: one that is late because of such a bus is late on the network, too.
_MESSAGES = "bus of messages"
#: Kinds of resources of which a job uses several at the same time, each by other processes.
_AT_ONCE = ("memory", "gpu", "bus", _MESSAGES, "network")


def identify(
    alongside: CoRunning, *, seed: int = 0, as_user: int | Collection[int] | None = None
) -> JobInterference:
    """Find which jobs slowed a job, on which shared resources, when, and by how many seconds.

    On each resource, the service time of the job's operations (by kind and size) is correlated with
    the load of every other job, over the slices in which the job used the resource. The test is a
    partial rank correlation with circular shifts of the load, and a search over lags. The false
    discovery rate is controlled over resources and suspects. Shares of suspects come from a
    non-negative regression, intervals from a block bootstrap. Waiting for cores is attributed by
    accounting instead (core_account.py), which needs no test.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        seed: Seed of the bootstrap.
        as_user: Uid of the viewer, or all uids whose jobs the viewer may see. Jobs of other users
            are merged into one before anything is computed. None: all jobs may be seen.

    Returns:
        The interference. If there is no evidence, the loss is between 0 and the smallest loss that
        could have been detected.
    """
    found = with_unprofiled(alongside)
    if as_user is not None:
        found = hide(found, (as_user,) if isinstance(as_user, int) else as_user, OTHERS)
    run_s = max(found.job.last_ns - found.job.start_ns, 0) / _NS
    found, resources, apart = _resources(found)
    scored = _tested(resources, found, run_s)
    evaluations = [
        _evaluation(resource_test, run_s, np.random.default_rng([seed, k]))
        for k, resource_test in enumerate(scored)
    ]
    accounts = core_accounts(found, job_axis(found))
    tested = [each for each in evaluations if not _accounted(each, accounts)]
    by_account = core_losses(found, accounts, evaluations, _LEAST * run_s)
    seconds, disturbed = _together(tested, run_s)
    seconds = joined(seconds, by_account.seconds, run_s)
    suspects = _ranked([*_suspects(found, tested), *by_account.suspects])
    part = 100 / run_s if run_s else 0.0
    losses = [loss for evaluation in tested for loss in _losses(evaluation)] + by_account.losses
    rest = ruled_out(
        evaluations,
        [each.account for each in accounts],
        {suspect.job for suspect in suspects},
        apart,
        run_s,
    )
    active = {
        job for resource in resources for job in resource.loads if found.others[job].kind == "job"
    } | set(apart)
    active |= {part.name for each in accounts for part in each.account.parts if part.kind == "job"}
    unseen = [resource_loss.smallest_s for resource_loss in losses]
    return JobInterference(
        job=found.job.job,
        start_ns=found.job.start_ns,
        run_s=run_s,
        seconds=seconds,
        percent=Interval(seconds.value * part, seconds.low * part, seconds.high * part),
        resources=sorted(losses, key=lambda r: (-r.seconds.value, -r.own_s, r.resource)),
        suspects=suspects,
        ruled_out=rest.ruled_out,
        disturbed=with_worse(disturbed, by_account.disturbed),
        neighbours=len(active),
        smallest_s=max(unseen, default=0.0),
        limits=limits(
            found,
            [each.test for each in tested],
            [each.loss for each in tested],
            run_s,
            {each.account.host for each in accounts},
        ),
        seed=seed,
        unnamed=OTHERS in active,
        untested=rest.untested,
        accounts=[each.account for each in accounts],
    )


def _resources(
    found: CoRunning,
) -> tuple[CoRunning, list[SharedResource], dict[str, str | Untested]]:
    """Return the neighbours, the resources to test, and the neighbours that were tested on no link.

    For each neighbour of the last group, the result holds the reason.
    """
    watched = {*found.machines.places, *found.traffic.of(found.job.job).mounts}
    shared, apart = with_links(found, shared_resources(found, watched))
    found, resources = with_servers(found, shared)
    axis = job_axis(found)
    found, memory = with_memory(found, axis)
    return found, [*resources, *memory, *gpu_resources(found, axis)], apart


def _tested(resources: list[SharedResource], found: CoRunning, run_s: float) -> list[ResourceTest]:
    """Test each resource, then choose the suspects on each of them from all tests together."""
    scored = [score(resource, clock_slices(found)) for resource in resources]
    choose_suspects(scored)
    for resource_test in scored:
        # A loss below the reporting limit is never attributed, so it counts as undetectable.
        resource_test.smallest_s = min(max(resource_test.smallest_s, _LEAST * run_s), run_s)
    return scored


def _accounted(evaluation: Evaluation, accounts: Sequence[Accounted]) -> bool:
    """Return whether a resource is a node whose cores were accounted for, which replaces a test."""
    resource = evaluation.test.resource
    hosts = {each.account.host for each in accounts}
    return resource.kind == "node" and resource.name in hosts


def _ranked(suspects: Sequence[Suspect]) -> list[Suspect]:
    return sorted(suspects, key=lambda suspect: (-suspect.seconds.value, suspect.job))


def _evaluation(resource_test: ResourceTest, run_s: float, rng: np.random.Generator) -> Evaluation:
    """Compute the loss that the suspects caused on a resource, and drop suspects without a share.

    A suspect is dropped if its share of the loss is small or may be 0: it only ran while another
    job did harm.
    """
    names = sorted(resource_test.suspects)
    together: dict[str, str] = {}
    result: SuspectLoss | None = None
    while names:
        loads = {
            name: delayed(resource_test.resource.loads[name], resource_test.tests[name].lag)
            for name in names
        }
        result = suspect_loss(resource_test.resource, loads, resource_test.lag, rng)
        part = {name: result.shares[name].value for name in names}
        worst = max(names, key=lambda name: part[name])
        weak = {
            name: part[name]
            for name in names
            if name != worst and (part[name] < LEAST_SHARE or result.shares[name].low <= 0)
        }
        if not weak:
            break
        drop = min(weak, key=lambda name: weak[name])
        together[drop] = worst
        names.remove(drop)
    if result is not None and not _visible(result, run_s):
        result = None
    elif result is not None:
        result = within_bound(result, resource_test.resource, run_s)
    resource_test.suspects = {
        name: resource_test.suspects[name] for name in names if result is not None
    }
    return Evaluation(resource_test, result, together)


def _visible(loss: SuspectLoss, run_s: float) -> bool:
    """Return whether the loss is certainly above 0 and large enough to be reported."""
    return loss.evident.low > 0 and loss.evident.value >= _LEAST * run_s


def _together(
    evaluations: Sequence[Evaluation], run_s: float
) -> tuple[Interval, list[DisturbedSlice]]:
    """Sum the losses on all resources so that no instant counts twice.

    A process is in one call at a time, so the losses in calls on several mounts and in messages
    add. The following losses may overlap in time, so not all of them count:

    - The memory of several nodes, several GPUs, and several buses slow different processes at the
      same time. Of each of these kinds, only the resource with the greatest loss counts.
    - Messages are tested on the network and also on the buses to the network adapters. Either the
      loss of messages on buses counts, or the loss on the network and of copies on buses,
      whichever is greater.
    - Waiting for a core may lie inside calls. Only the part outside of calls counts, and of several
      nodes only the one with the greatest loss.

    The loss in a slice is at most the length of the slice. The sum is at least the loss on each
    single resource.
    """
    with_loss = [
        (evaluation, evaluation.loss) for evaluation in evaluations if evaluation.loss is not None
    ]
    if not with_loss:
        return _unseen(
            max((evaluation.test.smallest_s for evaluation in evaluations), default=0.0)
        ), []
    _, length, steps = with_loss[0][0].test.resource.axis
    calls, cores, busy, work = np.zeros((4, steps))
    at_once = {kind: np.zeros((2, steps)) for kind in _AT_ONCE}  # time lost, and time spent
    for evaluation in evaluations:
        resource, kind = evaluation.test.resource, _kind(evaluation)
        if kind in at_once:
            at_once[kind][1] = np.maximum(at_once[kind][1], resource.busy)
        elif kind != "node":
            busy += resource.busy
    # A process that waits for memory computes: it is in no call.
    busy += at_once["gpu"][1]
    busy += np.maximum(at_once["network"][1] + at_once["bus"][1], at_once[_MESSAGES][1])
    for evaluation, loss in with_loss:
        kind = _kind(evaluation)
        if kind == "node":
            work = np.where(np.abs(loss.lost) > np.abs(cores), evaluation.test.resource.busy, work)
            cores = _greater(cores, loss.lost)
        elif kind in at_once:
            at_once[kind][0] = _greater(at_once[kind][0], loss.lost)
        else:
            calls = calls + loss.lost
    calls = calls + at_once["memory"][0] + at_once["gpu"][0]
    calls += _greater(at_once["network"][0] + at_once["bus"][0], at_once[_MESSAGES][0])
    slice_s = length / _NS
    outside = np.clip((slice_s - busy) / np.maximum(work, 1e-12), 0, 1)
    whole = float(np.minimum(calls + cores * outside, slice_s).sum())
    value = max(whole, *(loss.seconds.value for _, loss in with_loss), 0.0)
    alone = sum(loss.seconds.value for _, loss in with_loss)
    scale = value / alone if alone > 0 else 0.0
    down = sum((loss.seconds.value - loss.seconds.low) ** 2 for _, loss in with_loss) ** 0.5
    # Resources without evidence may still have caused a loss too small to be detected.
    small = [
        evaluation.test.smallest_s
        for evaluation in evaluations
        if evaluation.loss is None and evaluation.test.total.critical < 1
    ]
    above = [loss.seconds.high - loss.seconds.value for _, loss in with_loss]
    up = sum(part**2 for part in [*above, *small]) ** 0.5
    low = max(value - down * scale, *(loss.seconds.low for _, loss in with_loss), 0.0)
    high = max(value + up * scale, *(loss.seconds.high for _, loss in with_loss))
    low, high = min(low, value), min(high, max(run_s, value))
    return Interval(value, low, high), _disturbed(with_loss)


def _kind(evaluation: Evaluation) -> str:
    resource = evaluation.test.resource
    return _MESSAGES if resource.of_messages else resource.kind


def _unseen(smallest_s: float) -> Interval:
    """Return the interval of a loss without evidence: from 0 to the smallest detectable loss."""
    return Interval(0.0, 0.0, smallest_s)


def _greater(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.where(np.abs(a) >= np.abs(b), a, b))


def _disturbed(with_loss: Sequence[tuple[Evaluation, SuspectLoss]]) -> list[DisturbedSlice]:
    disturbed_slices: dict[int, DisturbedSlice] = {}
    for evaluation, loss in with_loss:
        resource = evaluation.test.resource
        loads = {
            name: delayed(resource.loads[name], evaluation.test.tests[name].lag)
            * _weight(loss, name)
            for name in evaluation.test.suspects
        }
        for k in np.flatnonzero(loss.disturbed).tolist():
            seconds = max(float(loss.lost[k]), 0.0)
            if k in disturbed_slices and disturbed_slices[k].seconds >= seconds:
                continue
            worst = max(loads, key=lambda name: (loads[name][k], name))
            disturbed_slices[k] = DisturbedSlice(
                resource.axis[0] + k * resource.axis[1],
                resource.axis[1],
                resource.place(worst),
                seconds,
                worst,
            )
    return [disturbed_slices[k] for k in sorted(disturbed_slices)]


def _weight(loss: SuspectLoss, name: str) -> float:
    return max(loss.shares[name].value, 1e-9)


def _suspects(alongside: CoRunning, evaluations: Sequence[Evaluation]) -> list[Suspect]:
    listed = []
    for evaluation in evaluations:
        resource_test, loss = evaluation.test, evaluation.loss
        if loss is None:
            continue
        for name, q in resource_test.suspects.items():
            fact, test, share = alongside.others[name], resource_test.tests[name], loss.shares[name]
            low, high = loss.seconds.low * share.low, loss.seconds.high * share.high
            value = loss.seconds.value * share.value
            load = delayed(resource_test.resource.loads[name], test.lag)
            listed.append(
                Suspect(
                    job=name,
                    program=fact.program,
                    user=fact.user,
                    resource=resource_test.resource.place(name),
                    share=share.value,
                    seconds=Interval(value, min(max(low, 0.0), value), max(high, value)),
                    slices=int((resource_test.served.scored & (load > 0)).sum()),
                    correlation=test.correlation,
                    p=test.p,
                    q=q,
                    lag_s=test.lag * resource_test.resource.axis[1] / _NS,
                    pattern=_pattern(alongside, name, resource_test),
                    kind=fact.kind,
                )
            )
    return listed


def _pattern(alongside: CoRunning, name: str, resource_test: ResourceTest) -> str:
    """Return in a few words what a suspect did on a resource; "" for other users' jobs."""
    if name == OTHERS:
        return ""
    if name in resource_test.resource.servers:
        times = times_as_slow(resource_test.resource.loads[name])
        work = "request" if resource_test.resource.kind == "metadata server" else "byte"
        return f"{times:.1f} times its usual time per {work}"
    return pattern(alongside, name, resource_test.resource)


def _losses(evaluation: Evaluation) -> Iterator[ResourceLoss]:
    """Yield the loss on a resource; if suspects share links with the job, the loss on each link."""
    whole, loss = _resource(evaluation), evaluation.loss
    resource = evaluation.test.resource
    where: dict[str, list[str]] = {}
    for job in evaluation.test.suspects:
        where.setdefault(resource.place(job), []).append(job)
    met = {resource.place(job) for job in resource.loads}
    if loss is None and len(met) == 1 and resource.places:
        yield replace(whole, resource=met.pop(), kind="network")
        return
    if loss is None or list(where) in ([], [resource.name]):
        yield whole
        return
    for name, jobs in where.items():
        part, low, high = (
            sum(getattr(loss.shares[job], end) for job in jobs) for end in ("value", "low", "high")
        )
        value = part * whole.seconds.value
        seconds = Interval(
            value,
            min(low * whole.seconds.low, value),
            max(min(high, 1.0) * whole.seconds.high, value),
        )
        place = resource.places.get(jobs[0])
        yield replace(
            whole,
            resource=name,
            kind="network" if place else whole.kind,
            seconds=seconds,
            own_load=place.own_load.tolist() if place else whole.own_load,
            others_load=place.others_load.tolist() if place else whole.others_load,
            lost=[part * lost for lost in whole.lost],
        )


def _resource(evaluation: Evaluation) -> ResourceLoss:
    resource_test, loss = evaluation.test, evaluation.loss
    resource = resource_test.resource
    served: ServiceTimes = loss.service if loss else resource_test.served
    service = np.full(resource.axis[2], np.nan)
    service[served.scored] = np.exp(served.slow[served.scored])
    seconds = loss.seconds if loss else _unseen(resource_test.smallest_s)
    return ResourceLoss(
        resource=resource.name,
        kind=resource.kind,
        seconds=replace(seconds, low=max(seconds.low, 0.0)),
        slices=resource_test.slices,
        own_s=resource_test.own_s,
        slowdown=loss.slowdown if loss else None,
        evident=loss is not None,
        smallest_s=resource_test.smallest_s,
        why_not="" if loss else why_not(resource_test),
        steps_ns=[resource.axis[0] + k * resource.axis[1] for k in range(resource.axis[2])],
        slice_ns=resource.axis[1],
        service=service.tolist(),
        own_load=resource.own_load.tolist(),
        others_load=resource.others.tolist(),
        unit=resource.unit,
        blind="" if loss else blind(resource_test),
        calls_of="messages" if resource.kind == "network" else resource.mount or resource.name,
        lost=loss.lost.tolist() if loss else [],
        mount=resource.mount,
        load_source=resource.load_source,
    )
