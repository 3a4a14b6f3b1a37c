"""Names the late ranks of a job, for which the others of their MPI world waited, with causes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.waits.cause import Reason, reason
from jostle.analysis.waits.grid import Grid, grid_of
from jostle.analysis.waits.late import (
    LateSpan,
    block_length,
    by_node,
    enough,
    exact_span,
    late_ranks,
    late_span,
    lateness,
    parts_of,
    places,
)
from jostle.analysis.waits.links import Peers, messages_held_up, slow_links, traffic_by_node
from jostle.analysis.waits.model import FALSE_ALARM, JobWaits, Straggler, WorldWaits
from jostle.repository.query.job.rank_slices import MOST_READ, RankTables
from jostle.values.arrow_columns import Floats, Ints

#: Most worlds that are evaluated, and most spans that are named in each.
_MOST_WORLDS, _MOST_SPANS = 8, 6
#: Least cost of a straggler: part of the run, part of its own span, and seconds.
_LEAST_RUN, _LEAST_SPAN, _LEAST_S = 0.02, 0.05, 0.3
#: Part of a node's lateness from which on one rank of it is named alone.
_ALONE = 0.7
#: Part of the run: a span that begins or ends so near to its edge reaches to the edge.
_EDGE = 0.05
#: Part of the run: a span so long may consist of usual lateness and further lateness.
_PERSISTENT = 0.8
_USUAL, _ON_TOP = 0.25, 1.5
#: Seconds of a pause that divides a span, because its parts may have different causes.
_PAUSE_S = 1.0
#: Part of the time: ranks that communicate less do not wait for each other.
_TOGETHER = 0.01
#: Part of a slice: if clocks differ by more, they do not show who was late in it.
_CLOCKS = 0.25


@dataclass(frozen=True)
class _Found:
    """A span in which one or several ranks were late.

    Attributes:
        members: Columns in the grid of the late ranks.
        first: First slice of the span.
        last: Last slice of the span.
        late: By how much they were late in each slice, s, (slices,).
        p: Probability of such a span if all ranks are equal.
    """

    members: Ints
    first: int
    last: int
    late: Floats
    p: float

    @property
    def inside(self) -> slice:
        return slice(self.first, self.last + 1)

    @property
    def seconds(self) -> float:
        """Seconds that the span cost the other ranks."""
        return float(self.late[self.inside].clip(0).sum())


def waits_of(tables: RankTables, peers: Peers | None = None, *, seed: int = 0) -> JobWaits:
    """Return for which ranks of a job the others waited, and why.

    Args:
        tables: Rows of the job's ranks, slice by slice.
        peers: Function that returns how many bytes ranks exchanged, as Repository.rank_peers. It is
            called only if all ranks waited and none was late. None: no slow link is named.
        seed: Seed of the random draws.

    Returns:
        One entry per world with two or more ranks; no entry for a job without ranks.
    """
    numbers = tables.ranks["number"].to_numpy()
    worlds = []
    for number in np.unique(numbers).tolist():
        rows = tables.ranks.filter(pc.equal(tables.ranks["number"], number))
        if pc.max(rows["world_size"]).as_py() >= 2:
            worlds.append((-_rank_seconds(rows), number, rows))
    worlds.sort(key=lambda world: world[:2])
    return JobWaits(
        tables.job,
        [
            _world(tables, rows, _WorldSearch(number, seed, peers))
            for _, number, rows in worlds[:_MOST_WORLDS]
        ],
    )


def _rank_seconds(rows: pa.Table) -> float:
    return float(pc.sum(pc.subtract(rows["end_ns"], rows["begin_ns"])).as_py()) / 1e9


def _world(tables: RankTables, rows: pa.Table, search: _WorldSearch) -> WorldWaits:
    """Return for which ranks of one world the others waited."""
    ranks, number = rows.num_rows, search.number

    def undecided(why: str, decided_by: str) -> WorldWaits:
        return WorldWaits(number, ranks, "undecided", why=why, decided_by=decided_by)

    if tables.left_out:
        return undecided(
            f"the job has {tables.left_out} process-slices, more than the {MOST_READ} that are "
            "read",
            "a run with longer slices (--slice)",
        )
    if ranks < 2:
        return undecided("only one of its ranks has a profile", "profiles of the other ranks")
    grid = grid_of(tables, number)
    if grid is None:
        return undecided("its ranks have no slices on one time axis", "a run with --slice 250ms")
    if len(set(grid.hosts)) > 1:
        apart = _clocks_apart(rows)
        if apart > _CLOCKS * grid.length:
            return undecided(
                f"the clocks of its nodes may be {apart:.2g} s apart, and a slice is "
                f"{grid.length:.2g} s long",
                "a run on nodes with synchronised clocks, or with longer slices (--slice)",
            )
    return _searched(rows, grid, search)


def _clocks_apart(rows: pa.Table) -> float:
    """Return how far the clocks of the nodes of a world may be apart, in seconds.

    All ranks leave MPI_Init at the same time, and reach MPI_Finalize at the same time. If the
    recorded times show this, the clocks agree, whatever is known about their synchronisation.
    Otherwise one clock may be ahead by its error bound, and another behind by its error bound.
    """
    spreads = [int(np.ptp(rows[name].to_numpy())) for name in ("begin_ns", "end_ns")]
    of_nodes = rows.group_by("host").aggregate([("clock_error_us", "max")])
    stated = float(np.sort(of_nodes["clock_error_us_max"].to_numpy())[-2:].sum()) / 1e6
    return min(stated, *(spread / 1e9 for spread in spreads))


@dataclass(frozen=True)
class _WorldSearch:
    """The settings of the search in one world.

    Attributes:
        number: Number of the world in its job.
        seed: Seed of the random draws.
        peers: Function that returns how many bytes ranks exchanged; None: no slow link is named.
    """

    number: int
    seed: int
    peers: Peers | None


def _searched(rows: pa.Table, grid: Grid, search: _WorldSearch) -> WorldWaits:
    together = grid.there.sum(axis=1) >= 2
    run = float(together.sum()) * grid.length
    least = max(_LEAST_RUN * run, _LEAST_S)
    known = WorldWaits(search.number, len(grid.ranks), "undecided", run_s=run, least_s=least)
    first = places(grid.waiting)
    if not enough(first, FALSE_ALARM):
        return replace(
            known,
            why=f"it has only {int(together.sum())} whole slices",
            decided_by="a longer run, or shorter slices (--slice 250ms)",
        )
    waited = max(float(each.gap.sum()) for each in (first, places(grid.waiting, grid.node)))
    time = float(grid.there.sum()) * grid.length
    if float(grid.communication[grid.there].sum()) < _TOGETHER * time:
        return replace(known, answer="cleared", why="its ranks hardly communicated")
    stragglers = _joined(_by_rank(grid, _late_spans(grid, search.seed, least), least))
    stragglers = stragglers or _by_link(rows, grid, search, least)
    stragglers.sort(key=lambda straggler: -straggler.seconds)
    known = replace(known, stragglers=stragglers, waited_s=waited)
    if stragglers:
        return replace(known, answer="named")
    missing = int(pc.max(rows["world_size"]).as_py()) - len(grid.ranks)
    if missing:
        return replace(
            known,
            why=f"{missing} of its ranks have no profile, and the others may have waited "
            "for one of these",
            decided_by="profiles of all ranks",
        )
    moving = waited >= least
    return replace(
        known,
        answer="cleared",
        why="the last rank changed from slice to slice"
        if moving
        else "no rank was later than the others",
    )


def _late_spans(grid: Grid, seed: int, least: float) -> list[_Found]:
    """Return the spans in which ranks were late.

    After each span that is found, its lateness is subtracted before the next one is searched for.

    Args:
        grid: Times of the ranks of the world.
        seed: Seed of the random draws.
        least: Least time that late ranks must cost the others, in seconds.
    """
    waiting, spans = grid.waiting, []
    for number in range(_MOST_SPANS):
        found = _late_ranks(grid, waiting, seed + number, least)
        if found is None:
            break
        found = _usual_part(grid, found)
        spans.append(found)
        waiting = waiting.copy()
        # As if they had arrived with the others: the rest is other lateness, of any rank.
        caught_up = np.where(np.arange(len(found.late)) >= found.first, found.late.clip(0), 0.0)
        caught_up[found.last + 1 :] = 0.0
        waiting[:, found.members] += caught_up[:, None]
    return spans


def _late_ranks(grid: Grid, waiting: Floats, seed: int, least: float) -> _Found | None:
    """Return the span in which a rank, or a node, cost most time; None if none is significant."""
    several = len(set(grid.hosts)) > 1 and len(set(grid.hosts)) < len(grid.hosts)
    alpha = FALSE_ALARM / (2 if several else 1)
    candidates = []
    for node in (None, grid.node) if several else (None,):
        found = places(waiting, node)
        span = late_span(found, seed, least) if enough(found, alpha) else None
        if span is not None and span.p <= alpha:
            members = _members(grid, waiting, span, of_nodes=node is not None)
            exact = _exact(waiting, members, span)
            if exact is not None and _notable(grid, exact, least):
                candidates.append(exact)
    return max(candidates, key=lambda each: each.late[each.inside].sum(), default=None)


def _members(grid: Grid, waiting: Floats, span: LateSpan, *, of_nodes: bool) -> Ints:
    """Return the columns of the ranks that were late in a span of blocks.

    Args:
        grid: Times of the ranks of the world.
        waiting: Time in communication, s, NaN where a rank was absent, (slices, ranks).
        span: The span, of a rank or of a node.
        of_nodes: Whether it is a span of a node.
    """
    if not of_nodes:
        return np.array([span.label])
    length = block_length(len(waiting))
    inside = slice(span.first * length, (span.last + 1) * length)
    late = late_ranks(grid, waiting, span.label, inside)
    nodes = by_node(waiting[inside], grid.node)
    whole = float(lateness(nodes, np.array([span.label])).clip(0).sum())
    alone = [float(lateness(waiting[inside], late[[at]]).clip(0).sum()) for at in range(len(late))]
    most = int(np.argmax(alone))
    return late[[most]] if alone[most] >= _ALONE * whole else late


def _exact(waiting: Floats, members: Ints, span: LateSpan) -> _Found | None:
    length = block_length(len(waiting))
    late = lateness(waiting, members)
    exact = exact_span(late, span.first * length, (span.last + 1) * length - 1)
    return None if exact is None else _Found(members, *exact, late, span.p)


def _notable(grid: Grid, found: _Found, least: float) -> bool:
    """Return whether the late ranks of a span cost the others enough time to be named."""
    return found.seconds >= max(least, _LEAST_SPAN * (found.last - found.first + 1) * grid.length)


def _usual_part(grid: Grid, found: _Found) -> _Found:
    """Return a span with its usual lateness alone, if it covers most of the run.

    The next search then finds the lateness beyond the usual one, which may have another cause.
    """
    inside = found.late[found.inside].clip(0)
    if len(inside) < _PERSISTENT * len(found.late):
        return found
    usual = float(np.quantile(inside, _USUAL))
    least = _LEAST_SPAN * grid.length
    most = _ON_TOP * usual
    if (
        usual < least
        or float((inside - most).clip(0).sum()) < _LEAST_RUN * len(inside) * grid.length
    ):
        return found
    return replace(found, late=np.minimum(found.late, most))


def _by_rank(grid: Grid, spans: list[_Found], least: float) -> list[Straggler]:
    """Return the late ranks of spans, each with its cause.

    A span is divided at its pauses if the causes of its parts differ.

    Args:
        grid: Times of the ranks of the world.
        spans: The spans.
        least: Least time that a part must cost the others, in seconds.
    """
    found = []
    for span in spans:
        all_parts = _parts(grid, span)
        others = [part for other in spans if other is not span for part in _parts(grid, other)]
        parts = [part for part in all_parts if part.seconds >= least]
        reasons = [_reason(grid, part, [*others, *all_parts]) for part in parts]
        if len({(why.cause, why.resource) for why in reasons}) < 2:
            parts, reasons = [span], [_reason(grid, span, others)]
        found += [_straggler(grid, *each) for each in zip(parts, reasons, strict=True)]
    return found


def _parts(grid: Grid, span: _Found) -> list[_Found]:
    """Return the parts of a span between its pauses."""
    window = max(round(_PAUSE_S / grid.length), 1)
    return [
        replace(span, first=first, last=last)
        for first, last in parts_of(span.late, (span.first, span.last), window)
    ]


def _reason(grid: Grid, part: _Found, others: list[_Found]) -> Reason:
    """Return why ranks were late, compared with slices in which they were not late.

    Args:
        grid: Times of the ranks of the world.
        part: A span, or a part of one.
        others: Parts of spans; in those that do not overlap with `part`, the same ranks may have
            been late for another cause.
    """
    disturbed = np.zeros(len(part.late), dtype=bool)
    for other in others:
        apart = other.last < part.first or part.last < other.first
        if apart and np.intersect1d(other.members, part.members).size:
            disturbed[other.inside] = True
    return reason(grid, part.members, (part.first, part.last), part.late, disturbed)


def _straggler(grid: Grid, found: _Found, why: Reason) -> Straggler:
    """Return a span and its cause as a Straggler."""
    there = np.flatnonzero(grid.there.sum(axis=1) >= 2)
    edge = max(_EDGE * len(there), 2)
    return Straggler(
        ranks=[grid.ranks[at] for at in found.members.tolist()],
        host=grid.hosts[int(found.members[0])],
        start_ns=int(grid.start[found.first]),
        end_ns=int(grid.start[found.last] + round(grid.length * 1e9)),
        seconds=found.seconds,
        cause=why.cause,
        explained_s=why.explained_s,
        resource=why.resource,
        from_start=bool(found.first - there[0] <= edge),
        to_end=bool(there[-1] - found.last <= edge),
        p=found.p,
        why=why.why,
        decided_by=why.decided_by,
    )


def _joined(stragglers: list[Straggler]) -> list[Straggler]:
    """Join spans of the same ranks with the same cause, which are bursts of one disturbance."""
    by_key: dict[tuple[object, ...], Straggler] = {}
    for each in sorted(stragglers, key=lambda straggler: straggler.start_ns):
        key = (tuple(each.ranks), each.cause, each.resource)
        before = by_key.get(key)
        if before is None:
            by_key[key] = each
            continue
        by_key[key] = replace(
            before,
            end_ns=max(before.end_ns, each.end_ns),
            seconds=before.seconds + each.seconds,
            explained_s=before.explained_s + each.explained_s,
            to_end=before.to_end or each.to_end,
            p=max(before.p, each.p),
        )
    return list(by_key.values())


def _by_link(rows: pa.Table, grid: Grid, search: _WorldSearch, least: float) -> list[Straggler]:
    """Return the ranks of nodes with a slow link, for a world in which no rank was late."""
    late = messages_held_up(grid)
    if search.peers is None or float(late.sum()) < least:
        return []
    crossing = traffic_by_node(grid, rows, search.peers())
    found = []
    for link in slow_links(grid, crossing, late, seed=search.seed, alpha=FALSE_ALARM):
        members = np.flatnonzero(grid.node == link.node)
        span = _Found(members, link.first, link.last, link.late, link.p)
        seconds = float(link.late[span.inside].sum())
        if seconds >= least:
            why = Reason("slow link", seconds, grid.hosts[int(members[0])])
            found.append(_straggler(grid, span, why))
    return _joined(found)
