"""Decides why ranks were late, by comparing their delays with other slices and other ranks.

Each kind of evidence is a time, for example the time in which a rank waited for a core. It counts
as far as it exceeds two references: the same time of the other ranks in the same slices, and that
of the late rank in its other slices. Sums over the late slices are compared, since single slices
scatter. The kinds of evidence are applied one after the other, the most certain first. Each
explains at most the part of the lateness that the kinds before it did not explain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.waits.grid import Grid
from jostle.analysis.waits.model import WaitCause
from jostle.values.arrow_columns import Floats, Ints

#: Share of the lateness that a cause must explain.
_MOST = 0.5
#: Fewest own slices for the usual value of a rank.
_ENOUGH = 10
#: Ratio of the core-speed probe: smaller ones are its own scatter.
_SLOWER = 1.07
_RUNS = 20  # fewest runs of the probe on either side of the comparison
#: Least share of the time outside communication that a rank which only computes is on a core.
_COMPUTING = 0.8
#: Least share of this time that a rank which waits for something else is off the core.
_BLOCKED = 0.4
PROBE = "the core-speed probe (JOSTLE_CORE_PROBE=20ms)"


@dataclass(frozen=True)
class Reason:
    """Why ranks were late; the fields have the same meaning as in Straggler."""

    cause: WaitCause
    explained_s: float
    resource: str
    why: str = ""
    decided_by: str = ""


@dataclass(frozen=True)
class _Late:
    """One or several late ranks of a node, with the slices in which they were late.

    Attributes:
        grid: Times of the ranks of their world.
        rank: Column in the grid of the latest of these ranks in each slice, (slices,).
        members: Columns of all late ranks.
        inside: Whether the ranks were late in each slice, (slices,).
        outside: Whether each slice serves for comparison, (slices,).
        seconds: By how much the ranks were late in each slice, s; 0 outside their span, (slices,).
    """

    grid: Grid
    rank: Ints
    members: Ints
    inside: np.ndarray
    outside: np.ndarray
    seconds: Floats

    def own(self, values: Floats) -> Floats:
        """Return the value of the late rank in each slice, (slices,).

        Args:
            values: Values of all ranks, (slices, ranks).
        """
        result: Floats = np.take_along_axis(values, self.rank[:, None], axis=1)[:, 0]
        return result

    def others(self, values: Floats) -> float:
        """Return the mean value in the late slices of the other ranks: the median over them."""
        apart = np.setdiff1d(np.arange(values.shape[1]), self.members)
        there = self.grid.there[self.inside][:, apart]
        sums = np.where(there, values[self.inside][:, apart], 0.0).sum(axis=0)
        times = there.sum(axis=0)
        return float(np.median((sums / times.clip(1))[times > 0])) if times.any() else 0.0

    def usual(self, values: Floats) -> float:
        """Return the mean value of the late rank in its other slices; 0 if these are too few."""
        if int(self.outside.sum()) < _ENOUGH:
            return 0.0
        return float(self.own(values)[self.outside].mean())

    def beyond(self, values: Floats) -> float:
        """Return by how much the values of the late rank exceed both references in sum.

        The references are those of `others` and of `usual`.
        """
        reference = max(self.others(values), self.usual(values))
        own = self.own(values)[self.inside]
        return max(float(own.sum()) - reference * len(own), 0.0)


def reason(
    grid: Grid, members: Ints, span: tuple[int, int], late: Floats, disturbed: np.ndarray
) -> Reason:
    """Return why ranks were late.

    Args:
        grid: Times of the ranks of their world.
        members: Columns in the grid of the late ranks, all on one node.
        span: First and last slice in which they were late.
        late: By how much they were late in each slice, s, (slices,).
        disturbed: Whether each slice belongs to another span in which these ranks were late, so
            that it does not serve for comparison, (slices,).
    """
    found = _late(grid, members, span, late, disturbed)
    whole = max(float(found.seconds.sum()), 1e-12)
    left, shares = whole, []
    host = grid.hosts[int(members[0])]
    for cause, resource, held in _evidence(found, host):
        taken = min(held, left)
        left -= taken
        shares.append((taken, cause, resource))
    explained, cause, resource = max(shares, key=lambda share: share[0])
    if explained >= _MOST * whole:
        return Reason(cause, explained, resource)
    if sum(share[0] for share in shares) >= _MOST * whole:
        named = [f"{name}, {part:.2g} s" for part, name, _ in sorted(shares, reverse=True)[:2]]
        return Reason(cause, explained, resource, f"part of it only: {'; '.join(named)}")
    return _without_evidence(found, explained, host)


def _late(
    grid: Grid, members: Ints, span: tuple[int, int], late: Floats, disturbed: np.ndarray
) -> _Late:
    slices = np.zeros(len(late), dtype=bool)
    slices[span[0] : span[1] + 1] = True
    seconds = np.where(slices, late, 0.0).clip(0)
    level = float((seconds**2).sum() / max(float(seconds.sum()), 1e-12))
    filled = np.where(np.isfinite(grid.waiting[:, members]), grid.waiting[:, members], np.inf)
    rank = members[filled.argmin(axis=1)]
    there = grid.there[:, members].any(axis=1)
    outside = ~slices & there & ~disturbed
    return _Late(grid, rank, members, seconds > level / 4, outside, seconds)


def _evidence(found: _Late, host: str) -> list[tuple[WaitCause, str, float]]:
    """Return the evidence for each cause as (cause, resource, seconds), the most certain first."""
    grid, length = found.grid, found.grid.length
    cpu = grid.values["os_user"] + grid.values["os_system"]
    capped = _throttled(grid, cpu)
    queue = grid.values["os_runqueue"]
    # If all threads of a rank wait for cores, it is late by the waiting of one.
    starved = queue / ((cpu + queue) / length).clip(1)
    # The kernel counts threads that a CPU limit stopped as waiting, too.
    starved = (starved - capped).clip(0)
    kinds: list[tuple[WaitCause, str, float]] = [
        ("capped", host, found.beyond(capped)),
        ("starved", host, found.beyond(starved)),
        *_slow_files(found),
        ("slow cores", host, _slow_cores(found)),
    ]
    return kinds


def _throttled(grid: Grid, cpu: Floats) -> Floats:
    """Return the time in which a CPU limit stopped each rank, s, (slices, ranks).

    The kernel adds this time up over all cores of a control group, which the ranks of a node may
    share. So it is divided by the number of cores that the ranks wanted.
    """
    stopped = grid.values["os_throttled"]
    wanted = np.zeros_like(stopped)
    for node in range(int(grid.node.max()) + 1):
        on = grid.node == node
        wanted[:, on] = cpu[:, on].sum(axis=1, keepdims=True) + stopped[:, on]
    result: Floats = np.minimum(stopped / (wanted / grid.length).clip(1), grid.length)
    return result


def _slow_files(found: _Late) -> list[tuple[WaitCause, str, float]]:
    """Return the delay by slower file calls, with the mount that caused most of it."""
    by_mount: dict[str, float] = {}
    for call in found.grid.files:
        slow = _slow_calls(found, call.ops, call.seconds)
        by_mount[call.mount] = by_mount.get(call.mount, 0.0) + slow
    if not by_mount:
        return []
    most = max(by_mount, key=lambda mount: by_mount[mount])
    return [("slow file system", most, sum(by_mount.values()))]


def _slow_calls(found: _Late, ops: Floats, seconds: Floats) -> float:
    """Return by how many seconds the late rank's calls of one class took longer than usual.

    Args:
        found: The late ranks.
        ops: Number of calls, (slices, ranks).
        seconds: Time of these calls, (slices, ranks).
    """
    own_ops, own_seconds = found.own(ops), found.own(seconds)
    outside = found.outside if int(found.outside.sum()) >= _ENOUGH else found.outside & False
    apart = np.setdiff1d(np.arange(ops.shape[1]), found.members)
    costs = [
        (float(spent[where].sum()), float(number[where].sum()))
        for spent, number, where in (
            (own_seconds, own_ops, outside),
            (seconds[:, apart].sum(axis=1), ops[:, apart].sum(axis=1), found.inside),
        )
    ]
    known = [spent / number for spent, number in costs if number >= 1]
    if not known:  # no other rank makes such calls: long ones may be its own
        return 0.0
    inside = found.inside
    return max(float(own_seconds[inside].sum() - max(known) * own_ops[inside].sum()), 0.0)


def _slow_cores(found: _Late) -> float:
    """Return the delay by slower cores or steal time, from the core-speed probe, in seconds."""
    grid = found.grid
    factor = _slowdown(found)
    busy = found.own(grid.length - grid.communication - grid.values["state_io"])[found.inside]
    slow = 1 - 1 / factor if factor is not None and factor > _SLOWER else 0.0
    return max(float(busy.clip(0).sum()) * slow, found.beyond(grid.values["core_probe_steal"]))


def _slowdown(found: _Late) -> float | None:
    """Return the core-speed probe's duration in the late slices divided by its usual duration.

    None where it is not known.
    """
    times, runs = found.grid.values["core_probe"], found.grid.values["core_probe_count"]
    apart = np.setdiff1d(np.arange(times.shape[1]), found.members)
    sides = (
        (found.own(times)[found.inside], found.own(runs)[found.inside]),
        (found.own(times)[found.outside], found.own(runs)[found.outside]),
        (times[:, apart][found.inside], runs[:, apart][found.inside]),
    )
    means = [float(t.sum() / r.sum()) if r.sum() >= _RUNS else 0.0 for t, r in sides]
    reference = max(means[1:])
    return means[0] / reference if means[0] > 0 and reference > 0 else None


def _without_evidence(found: _Late, explained: float, host: str) -> Reason:
    """Return the reason for lateness that no evidence explains: own work, or an unknown cause."""
    grid, inside = found.grid, found.inside
    cpu = found.own(grid.values["os_user"] + grid.values["os_system"])[inside]
    outside = (grid.length - found.own(grid.communication))[inside]
    files = found.own(grid.values["state_io"] + grid.values["state_mpiio"])[inside]
    queue = found.own(grid.values["os_runqueue"])[inside]
    free = max(float(outside.sum()), 1e-12)
    on_core = float(np.minimum(cpu, outside).sum()) / free
    blocked = float((outside - cpu - queue - files).clip(0).sum()) / free
    in_files = float(files.sum()) / free
    if in_files >= _MOST:
        return Reason(
            "own imbalance",
            explained,
            host,
            "it made more file calls than the others, and its calls were not slower",
        )
    if blocked >= _BLOCKED:
        return Reason(
            "unknown",
            explained,
            host,
            "it was neither on a core, nor waiting for one, nor in a file or communication call: "
            "it slept, was stopped, or waited for another program",
            "the program's own log of that time, or a trace of its system calls",
        )
    if on_core < _COMPUTING:
        return Reason(
            "unknown",
            explained,
            host,
            "no single resource explains half of it",
            "shorter slices (--slice 250ms), and an agent on its node",
        )
    return _computed_longer(found, explained, host)


def _computed_longer(found: _Late, explained: float, host: str) -> Reason:
    """Return the reason for a late rank that computed all the time: own work, or unknown."""
    factor = _slowdown(found)
    if factor is not None and factor <= _SLOWER:
        return Reason("own imbalance", explained, host, "its cores were as fast as the others'")
    node = found.grid.node
    shared = np.setdiff1d(np.flatnonzero(node == node[found.members[0]]), found.members)
    if len(shared):
        return Reason("own imbalance", explained, host, "other ranks of its node were not late")
    return Reason(
        "unknown",
        explained,
        host,
        "it computed longer than the others, because it had more work or slower cores",
        PROBE,
    )
