"""Divides the loss from waiting for cores among the users of the cores, by account.

The estimate shows how much time was lost, and when. The account of a node shows who used its cores
in each slice, as the kernel measured it. The loss of each slice is divided among these users, so
that the parts add up to the loss of the estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jostle.analysis.interval import Interval

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Hit, RunEstimate
    from jostle.analysis.identification.model import CoreAccount, JobInterference

#: Least loss, as a part of the run, for which suspects are named.
_LEAST = 0.01


@dataclass(frozen=True)
class _Shares:
    """How a run's loss on the cores of a node is divided among the users of the cores.

    Attributes:
        lost_s: Loss on these cores, in seconds.
        of: By name, the share of each job, and of load without a profile, 0 to 1.
        stolen: Share of the hypervisor (steal time), 0 to 1.
    """

    lost_s: float
    of: dict[str, float]
    stolen: float


def with_core_shares(
    estimate: RunEstimate, interference: JobInterference
) -> tuple[RunEstimate, JobInterference]:
    """Return both results with the loss on cores divided among suspects that used the cores.

    Args:
        estimate: Loss of the run; of its causes only waiting for cores and steal time change.
        interference: The accounts of cores; if there is none, nothing changes.
    """
    for account in interference.accounts:
        shares = _shares(estimate, account)
        estimate = _with_steal(estimate, account.host, shares)
        interference = _with_shares(interference, account, shares, estimate.run_s)
    return estimate, interference


def _shares(estimate: RunEstimate, account: CoreAccount) -> _Shares:
    on_cores = [
        cause
        for cause in estimate.causes
        if cause.cause == "cpu" and cause.resource == account.host
    ]
    lost_s = sum(cause.seconds.value for cause in on_cores if not cause.kind)
    known = any(cause.kind == "steal" for cause in on_cores)
    kinds = {"job", "unprofiled", "unknown"} | (set() if known else {"steal"})
    parts = [part for part in account.parts if part.kind in kinds]
    series = np.array([account.series[part.name] for part in parts])
    if not len(parts) or series.sum() <= 0:
        return _Shares(lost_s, {}, 0.0)
    whole = series.sum(axis=0)
    # Slices without known waiting get the shares of all others.
    usual = series.sum(axis=1) / series.sum()
    share = np.where(whole > 0, series / np.where(whole > 0, whole, 1.0), usual[:, None])
    lost = _by_slice(estimate.hits, account)
    weights = share @ lost / lost.sum() if lost.sum() > 0 else usual
    of = {
        part.name: float(weight)
        for part, weight in zip(parts, weights, strict=True)
        if part.kind in ("job", "unprofiled")
    }
    stolen = sum(
        float(weight) for part, weight in zip(parts, weights, strict=True) if part.kind == "steal"
    )
    return _Shares(lost_s, of, stolen)


def _by_slice(hits: Sequence[Hit], account: CoreAccount) -> npt.NDArray[np.float64]:
    """Return the loss on the cores of a node in each slice of the node's account, in seconds."""
    edges = np.append(account.steps_ns, account.steps_ns[-1] + account.slice_ns)
    zero = int(edges[0])
    parts = [
        (hit.start_ns - zero, hit.end_ns - zero, part.seconds)
        for hit in hits
        for part in hit.by_cause
        if (part.cause, part.resource, part.kind) == ("cpu", account.host, "")
    ]
    lost = np.zeros(len(account.steps_ns))
    for start, end, seconds in parts:
        first = max(int(np.searchsorted(edges - zero, start, side="right")) - 1, 0)
        last = min(int(np.searchsorted(edges - zero, end, side="left")), len(lost))
        for k in range(first, max(last, first + 1)):
            if k < len(lost):
                inside = min(end, int(edges[k + 1]) - zero) - max(start, int(edges[k]) - zero)
                lost[k] += seconds * max(inside, 0) / max(end - start, 1)
    return lost


def _with_steal(estimate: RunEstimate, host: str, shares: _Shares) -> RunEstimate:
    """Return the estimate with the hypervisor's share of a node's loss as cause steal time."""
    from jostle.analysis.estimation.model import Cause, Hit, HitPart

    if shares.stolen * shares.lost_s < _LEAST * estimate.run_s:
        return estimate
    key, causes, hits = ("cpu", host, ""), list[Cause](), list[Hit]()
    kept, stolen = 1 - shares.stolen, shares.stolen
    for cause in estimate.causes:
        if (cause.cause, cause.resource, cause.kind) == key:
            causes.append(replace(cause, seconds=_times(cause.seconds, kept)))
            cause = replace(cause, seconds=_times(cause.seconds, stolen), kind="steal")
        causes.append(cause)
    for hit in estimate.hits:
        parts = list[HitPart]()
        for part in hit.by_cause:
            if (part.cause, part.resource, part.kind) == key:
                parts.append(replace(part, seconds=kept * part.seconds))
                part = replace(part, seconds=stolen * part.seconds, kind="steal")
            parts.append(part)
        hits.append(replace(hit, parts=parts))
    causes.sort(key=lambda cause: (-cause.seconds.value, cause.cause, cause.resource))
    return replace(estimate, causes=causes, hits=hits)


def _with_shares(
    interference: JobInterference, account: CoreAccount, shares: _Shares, run_s: float
) -> JobInterference:
    """Return the interference in which users of a node's cores have their parts of the loss."""
    outside = [part for part in account.parts if part.kind in ("job", "unprofiled")]
    whole = sum(part.seconds.value for part in outside)
    taken = shares.lost_s * sum(shares.of.values())
    evident = taken >= _LEAST * run_s
    suspects, cleared = [], dict(interference.ruled_out)
    by_name = {part.name: part for part in outside}
    for suspect in interference.suspects:
        if suspect.how != "account" or suspect.resource != account.host:
            suspects.append(suspect)
        elif evident:
            part, value = by_name[suspect.job], shares.lost_s * shares.of.get(suspect.job, 0.0)
            ends = [
                shares.lost_s * end / max(whole, 1e-12)
                for end in (part.seconds.low, part.seconds.high)
            ]
            suspects.append(
                replace(
                    suspect,
                    share=value / taken if taken else 0.0,
                    seconds=Interval(
                        value, min(ends[0], value), max(min(ends[1], shares.lost_s), value)
                    ),
                )
            )
        elif suspect.kind == "job":
            cleared.setdefault(
                suspect.job,
                f"The run lost almost no time to waiting for the cores of {account.host}.",
            )
    named = {suspect.job for suspect in suspects}
    losses = []
    for loss in interference.resources:
        if loss.how != "account" or loss.resource != account.host:
            losses.append(loss)
            continue
        before = sum(loss.lost)
        scale = taken / before if before > 0 else 0.0
        seconds = Interval(taken, taken, taken) if evident else Interval(0.0, 0.0, _LEAST * run_s)
        losses.append(
            replace(
                loss,
                seconds=seconds,
                evident=evident and loss.evident,
                slowdown=loss.slowdown if evident else None,
                lost=[scale * each for each in loss.lost] if evident else [],
            )
        )
    disturbed = [
        each for each in interference.disturbed if evident or each.resource != account.host
    ]
    return replace(
        interference,
        resources=losses,
        suspects=sorted(suspects, key=lambda each: (-each.seconds.value, each.job)),
        ruled_out={
            job: why
            for job, why in sorted(cleared.items())
            if job not in named and job not in interference.untested
        },
        disturbed=disturbed,
    )


def accounted_s(interference: JobInterference) -> float:
    """Return the seconds of loss that are divided by account, summed over all nodes."""
    return sum(
        loss.seconds.value
        for loss in interference.resources
        if loss.how == "account" and loss.evident
    )


def tested_s(interference: JobInterference) -> Interval:
    """Return the loss that the statistical test attributes to neighbours, in seconds.

    It must be called before `with_core_shares` changes the losses that are divided by account.
    """
    series = [
        loss.lost for loss in interference.resources if loss.how == "account" and loss.evident
    ]
    accounted = float(np.max(np.array(series), axis=0).sum()) if series else 0.0
    seconds = interference.seconds
    return Interval(
        *(max(end - accounted, 0.0) for end in (seconds.value, seconds.low, seconds.high))
    )


def _times(interval: Interval, factor: float) -> Interval:
    return Interval(factor * interval.value, factor * interval.low, factor * interval.high)
