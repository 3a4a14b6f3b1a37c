"""Finds from agents' counters why cores were slower, and the energy used in the lost time.

The estimate shows when time was lost. Agents record when the cores of a node were in one of these
states: capped in frequency, hot, limited in power, taken by the hypervisor, or stopped by a CPU
limit. A part of the loss is attributed to a state only if loss and state coincide in time better
than they do after nearly all shifts in time. This part is at most what the state can have cost. A
state that lasted for the whole run cannot be tested and is only reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.estimation.attribute import spread_over
from jostle.analysis.estimation.columns import Floats, Ints
from jostle.analysis.estimation.model import Cause, CauseKind, CauseName, Hit, HitPart, RunEstimate
from jostle.analysis.interval import Interval

_FEWEST = 20  # slices: with fewer, no shift is rare enough
_SEVERAL = 3  # slices with the state, without it, and with a loss under it
_RARE = 0.05  # share of shifts that may agree as well
_NOTABLE = 0.01  # of a slice: a smaller state or loss does not count
_ALWAYS = 0.9  # of the slices: a state that was there throughout
_COVERED = 0.8  # of the run, from which on a mean power is that of the run
#: Losses that these states may explain. Waiting for a core that others had is not among them.
_OPEN: frozenset[tuple[CauseName, CauseKind]] = frozenset(
    {("unknown", ""), ("memory or cpu", ""), ("cpu", "core speed")}
)
_OPEN_TO_WAITS = _OPEN | {("cpu", "")}
_WAITS: frozenset[CauseKind] = frozenset({"steal", "quota"})

_Key = tuple[CauseName, str, CauseKind]
_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _State:
    """A state of a node's cores that may have slowed them, slice by slice.

    Attributes:
        host: Name of the node.
        kind: Which state it is, as in `Cause.kind`.
        most: Largest share of each slice that the state can have cost; 0 where the cores were not
            in this state, [slices].
        watched: Whether the agent recorded each slice, [slices].
        level: Typical frequency, temperature or power limit in this state, as in `Cause.level`.
    """

    host: str
    kind: CauseKind
    most: Floats
    watched: _Flags
    level: float

    @property
    def there(self) -> _Flags:
        """Whether the cores were notably in this state in each slice, [slices]."""
        return self.watched & (self.most > _NOTABLE)


@dataclass(frozen=True)
class _Grid:
    """The slices of a run.

    Attributes:
        start: Start of each slice, ns, [slices].
        length: Length of a slice, in ns.
    """

    start: Ints
    length: int

    def amounts(self, rows: pa.Table, column: str) -> Floats:
        """Return a counter's amount in each slice; unknown values count as 0, [slices]."""
        begin, until = _times(rows)
        order = np.argsort(begin, kind="stable")
        values = _values(rows, column, 0.0)[order]
        return spread_over(begin[order], until[order], values, self.start, self.start + self.length)

    def levels(self, rows: pa.Table, column: str) -> Floats:
        """Return a gauge's level in the middle of each slice; NaN where it is unknown, [slices]."""
        begin, until = _times(rows)
        order = np.argsort(begin, kind="stable")
        begin, until = begin[order], until[order]
        middle = self.start + self.length // 2
        at = (np.searchsorted(begin, middle, side="right") - 1).clip(0)
        values = _values(rows, column, np.nan)[order][at]
        inside = (begin[at] <= middle) & (middle < until[at])
        result: Floats = np.where(inside, values, np.nan)
        return result


def explained_by_cores(estimate: RunEstimate, states: pa.Table) -> RunEstimate:
    """Return an estimate in which states of the nodes' cores are among the causes of the loss.

    Args:
        estimate: The estimate of a run. Its loss is not changed, only the causes of the loss.
        states: What agents recorded of the cores, as in RunTables.core_states. Without rows the
            estimate is returned as it is.
    """
    if not states.num_rows:
        return estimate
    length = int(pc.max(states["slice_ns"]).as_py())
    first, last = estimate.start_ns // length, (estimate.end_ns - 1) // length
    grid = _Grid(np.arange(first, last + 1, dtype=np.int64) * length, length)
    present = list(_states(states, grid))
    limits = [*estimate.limits, *_always(present, states, grid)]
    estimate = replace(estimate, limits=limits, node_watts=_watts(states, estimate))
    for state in _agreeing(present, estimate, grid):
        estimate = _moved(estimate, state, grid)
    return estimate


def _states(rows: pa.Table, grid: _Grid) -> Iterator[_State]:
    """Yield the states of cores that occurred, node by node."""
    for host, of in _by(rows, "host"):
        for state in _of_node(host, of, grid):
            if state.there.any():
                yield state


def _of_node(host: str, rows: pa.Table, grid: _Grid) -> Iterator[_State]:
    kinds = dict(_by(rows, "kind"))
    machine, power = (kinds.get(kind, rows[:0]) for kind in ("machine", "power"))
    groups = kinds.get("batch_job", rows[:0])
    if not machine.num_rows:
        return
    watched = ~np.isnan(grid.levels(machine, "slice"))
    frequency = grid.levels(machine, "cpu_frequency_khz")
    limit = grid.levels(machine, "cpu_frequency_limit_khz") / 1e6
    hot = np.minimum(grid.amounts(machine, "cpu_throttle_ns") / grid.length, 1.0)
    # Older kernels count that cores were throttled, but not for how long.
    hot = np.where((hot == 0) & (grid.amounts(machine, "cpu_throttle_ops") > 0), 1.0, hot)
    heat = np.zeros(len(grid.start))
    for _, domain in _by(power, "name"):
        heat = np.fmax(heat, grid.levels(domain, "power_temperature_mc") / 1e3)
    allowed, usual = _least_power(power, grid)
    for kind, share, level in (
        ("capped", np.where(limit > 0, 1.0, 0.0), limit),
        ("heat", hot, heat),
        ("power limit", np.where(allowed < 0.98 * usual, 1.0, 0.0), allowed),
    ):
        there = watched & (share > _NOTABLE)
        most = share * _slower(frequency, there)
        yield _State(host, kind, np.where(there, most, 0.0), watched, _typical(level, there))  # type: ignore[arg-type]
    for kind, of, column in (("steal", machine, "cpu_steal_ns"), ("quota", groups, "cpu_quota_ns")):
        if of.num_rows:
            taken = np.minimum(grid.amounts(of, column) / grid.length, 1.0)
            yield _State(host, kind, taken, watched, 0.0)  # type: ignore[arg-type]


def _slower(frequency: Floats, there: _Flags) -> Floats:
    """Return the share of each slice that a lower frequency can have cost; 1 if it is not known.

    Args:
        frequency: Frequency of the cores in each slice, [slices].
        there: Whether the cores were in the state that may have lowered it, [slices].
    """
    without = frequency[~there & (frequency > 0)]
    if not len(without) or not (frequency[there] > 0).any():
        return np.ones(len(frequency))
    slower: Floats = np.where(frequency > 0, 1 - frequency / np.median(without), 1.0)
    return slower.clip(0, 1)


def _least_power(power: pa.Table, grid: _Grid) -> tuple[Floats, float]:
    """Return the power limit of the CPU package that was limited most, W.

    Returns:
        The limit of this package in each slice, [slices], and the largest of these limits.
    """
    lowest, highest, least = np.full(len(grid.start), np.nan), 0.0, 0.98
    for _, domain in _by(power, "name"):
        limit = grid.levels(domain, "power_limit_uw") / 1e6
        limit = np.where(limit > 0, limit, np.nan)
        if np.isnan(limit).all():
            continue
        most = float(np.nanmax(limit))
        share = float(np.nanmin(limit)) / most
        if share < least:
            lowest, highest, least = limit, most, share
    return lowest, highest


def _typical(level: Floats, there: _Flags) -> float:
    known = level[there & (level > 0)]
    return float(np.median(known)) if len(known) else 0.0


def _agreeing(states: Sequence[_State], estimate: RunEstimate, grid: _Grid) -> list[_State]:
    """Return the states that coincide in time with the loss, the best correlation first.

    All states together are shifted against the loss, by each possible number of slices. A state
    must correlate with the loss better than the best state does after nearly all shifts. So a large
    number of nodes does not cause false alarms.
    """
    fits: list[tuple[Floats, _State]] = []
    for state in states:
        if _enough(state) and (fit := _fit(state, _lost(estimate, state, grid))) is not None:
            fits.append((fit, state))
    if not fits:
        return []
    best = np.max([fit for fit, _ in fits], axis=0)[1:]
    agreeing = [
        (float(fit[0]), state)
        for fit, state in fits
        if fit[0] > 0 and (1 + int((best >= fit[0]).sum())) / (1 + len(best)) <= _RARE
    ]
    return [state for _, state in sorted(agreeing, key=lambda each: -each[0])]


def _enough(state: _State) -> bool:
    there, watched = int(state.there.sum()), int(state.watched.sum())
    return watched >= _FEWEST and there >= _SEVERAL and watched - there >= _SEVERAL


def _fit(state: _State, lost: Floats) -> Floats | None:
    """Return the correlation of loss and state after each shift in time, [slices].

    The first value is that without a shift. None if the state coincides with too few losses.
    """
    watched, there = state.watched, state.there
    if int((there & (lost > _NOTABLE)).sum()) < _SEVERAL:
        return None
    x = np.where(watched, there - there[watched].mean(), 0.0)
    y = np.where(watched, lost - lost[watched].mean(), 0.0)
    size = float(np.sqrt((x @ x) * (y @ y)))
    if size <= 0:
        return None
    fit: Floats = np.fft.irfft(np.fft.rfft(y) * np.conj(np.fft.rfft(x)), len(x)) / size
    return fit.round(9)


def _lost(estimate: RunEstimate, state: _State, grid: _Grid) -> Floats:
    """Return the share of each slice that was lost to what a state may explain, [slices]."""
    parts = [
        (hit.start_ns, hit.end_ns, part.seconds)
        for hit in estimate.hits
        for part in hit.by_cause
        if _may(part, state)
    ]
    if not parts:
        return np.zeros(len(grid.start))
    start, end, seconds = (np.array(column) for column in zip(*parts, strict=True))
    order = np.argsort(start, kind="stable")
    spread = spread_over(
        start[order],
        end[order],
        seconds[order].astype(np.float64),
        grid.start,
        grid.start + grid.length,
    )
    return np.minimum(spread / (grid.length / 1e9), 1.0)


def _may(part: HitPart, state: _State) -> bool:
    """Return whether a state may explain a part of a loss."""
    names = _OPEN_TO_WAITS if state.kind in _WAITS else _OPEN
    return (part.cause, part.kind) in names and part.resource in ("", state.host)


def _moved(estimate: RunEstimate, state: _State, grid: _Grid) -> RunEstimate:
    """Return the estimate with the loss that a state explains as a cause of its own."""
    lost = _lost(estimate, state, grid)
    there = state.there
    usual = float(lost[state.watched & ~there].mean())
    explained = np.where(there, np.minimum((lost - usual).clip(0), state.most), 0.0)
    of_slice = np.divide(explained, lost, out=np.zeros(len(lost)), where=lost > _NOTABLE)
    hits, taken = [], dict[_Key, float]()
    for hit, share in zip(estimate.hits, _shares(estimate.hits, of_slice, grid), strict=True):
        hits.append(_split(hit, share, state, taken) if share > 0 else hit)
    causes = list[Cause]()
    moved = Interval(0.0, 0.0, 0.0)
    for cause in estimate.causes:
        key = (cause.cause, cause.resource, cause.kind)
        value = cause.seconds.value
        part = min(taken.get(key, 0.0) / value, 1.0) if value > 0 else 0.0
        taken[key] = max(taken.get(key, 0.0) - value, 0.0)  # measured and inferred are two rows
        moved = _plus(moved, _scaled(cause.seconds, part))
        if part < 1:
            causes.append(replace(cause, seconds=_scaled(cause.seconds, 1 - part)))
    if moved.value <= 0:
        return estimate
    causes.append(Cause("cpu", state.host, moved, "inferred", state.kind, state.level))
    causes.sort(key=lambda cause: (-cause.seconds.value, cause.cause, cause.resource))
    return replace(estimate, causes=causes, hits=hits)


def _shares(hits: Sequence[Hit], of_slice: Floats, grid: _Grid) -> list[float]:
    """Return the share of each hit's loss that a state explains, 0 to 1.

    Args:
        hits: The parts of the run in which time was lost.
        of_slice: Share of each slice's loss that the state explains, [slices].
        grid: The slices.
    """
    edges = np.append(grid.start, grid.start[-1] + grid.length)
    sums = np.concatenate([[0.0], np.cumsum(of_slice * grid.length)])
    start = np.array([hit.start_ns for hit in hits]) - edges[0]
    end = np.array([hit.end_ns for hit in hits]) - edges[0]
    inside = np.interp(end, edges - edges[0], sums) - np.interp(start, edges - edges[0], sums)
    shares: list[float] = (inside / (end - start).clip(1)).clip(0, 1).tolist()
    return shares


def _split(hit: Hit, share: float, state: _State, taken: dict[_Key, float]) -> Hit:
    """Return a hit in which a share of the loss is attributed to a state.

    Args:
        hit: The hit: a part of the run in which time was lost.
        share: Share of the loss that the state explains, 0 to 1.
        state: The state.
        taken: Seconds that were taken from each cause so far; the function adds to them.
    """
    parts, seconds = list[HitPart](), 0.0
    for part in hit.by_cause:
        if not _may(part, state):
            parts.append(part)
            continue
        key = (part.cause, part.resource, part.kind)
        taken[key] = taken.get(key, 0.0) + share * part.seconds
        seconds += share * part.seconds
        if share < 1:
            parts.append(replace(part, seconds=(1 - share) * part.seconds))
    if seconds <= 0:
        return hit
    parts.append(HitPart("cpu", state.host, seconds, state.kind))
    parts.sort(key=lambda part: -part.seconds)
    return replace(hit, cause=parts[0].cause, resource=parts[0].resource, parts=parts)


def _always(states: Sequence[_State], rows: pa.Table, grid: _Grid) -> Iterator[str]:
    """Yield a sentence about the nodes whose cores were capped, or hot, during the whole run."""
    steady = [
        state
        for state in states
        if state.kind in ("capped", "heat")
        and state.there.sum() >= max(_ALWAYS * state.watched.sum(), _SEVERAL)
    ]
    slow = {state.host for state in steady}
    others = rows.filter(
        pc.and_(
            pc.equal(rows["kind"], "machine"),
            pc.invert(pc.is_in(rows["host"], pa.array(sorted(slow), pa.string()))),
        )
    )
    peers = _values(others, "cpu_frequency_khz", 0.0)
    usual = f" The other nodes: {np.median(peers[peers > 0]) / 1e6:.1f} GHz." if any(peers) else ""
    for kind in ("capped", "heat"):
        here = [state for state in steady if state.kind == kind]
        if not here:
            continue
        names = ", ".join(state.host for state in here[:3])
        names += f" and {len(here) - 3} more" if len(here) > 3 else ""
        level = f" at {here[0].level:.1f} GHz" if kind == "capped" and here[0].level else ""
        what = "ran capped" if kind == "capped" else "ran throttled by heat"
        yield (
            f"{names} {what}{level} all the time, so its cost cannot be seen in this run.{usual}"
        )


def _watts(rows: pa.Table, estimate: RunEstimate) -> float | None:
    """Return the mean power of all nodes of a run together, W; None if a node was not measured."""
    whole = 0.0
    for _, of in _by(rows, "host"):
        domains = dict(_by(dict(_by(of, "kind")).get("power", of[:0]), "name"))
        # The energy of a part is included in that of its package, and this in that of the node.
        packages = [name for name in domains if name.startswith("package-") and "/" not in name]
        names = ["node"] if "node" in domains else packages
        watts = [_power(domains[name], estimate) for name in names]
        if not watts or min(watts) <= 0:
            return None
        whole += sum(watts)
    return whole or None


def _power(rows: pa.Table, estimate: RunEstimate) -> float:
    """Return the mean power of a node or CPU package, W; 0 if too little was measured."""
    rows = rows.filter(pc.is_valid(rows["power_energy_uj"]))
    begin, until = _times(rows)
    inside = (until > estimate.start_ns) & (begin < estimate.end_ns)
    seconds = float((until - begin)[inside].sum()) / 1e9
    if seconds < _COVERED * estimate.run_s:
        return 0.0
    return float(_values(rows, "power_energy_uj", 0.0)[inside].sum()) / 1e6 / seconds


def _by(rows: pa.Table, column: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield each value of a column with the rows that have it; these must be adjacent."""
    if not rows.num_rows:
        return
    ends = pc.run_end_encode(rows[column].combine_chunks())
    begin = 0
    for name, end in zip(ends.values.to_pylist(), ends.run_ends.to_pylist(), strict=True):
        yield name, rows.slice(begin, end - begin)
        begin = end


def _times(rows: pa.Table) -> tuple[Ints, Ints]:
    """Return the start and the end of the time that each row covers, ns, [n]."""
    length = rows["slice_ns"].to_numpy()
    begin = rows["slice"].to_numpy() * length
    return begin, begin + rows["span"].to_numpy() * length


def _values(rows: pa.Table, column: str, unknown: float) -> Floats:
    values = pc.fill_null(pc.cast(rows[column], pa.float64()), unknown)
    result: Floats = values.to_numpy().astype(np.float64)
    return result


def _scaled(interval: Interval, factor: float) -> Interval:
    return Interval(factor * interval.value, factor * interval.low, factor * interval.high)


def _plus(a: Interval, b: Interval) -> Interval:
    return Interval(a.value + b.value, a.low + b.low, a.high + b.high)
