"""What may be told of others' load: sums of a crowd, and nothing that tells of a few.

The rule holds for an hour of a resource, whatever was asked: neither two answers of different spans
nor two of different metrics have one neighbour's load as their difference.

- A sum that fewer than three others put load into is hidden, unless none did.
- Of a line of a view (`written` is what posix_write_bytes and stdio_write_bytes are together) the
  parts are told only where the line is and none of them would be hidden alone: else the line less
  the parts that are told would be the part that is not.
- A sum over lines or mounts is made of what may be told of each, so that it adds nothing.
- A node of one's own has others only by exception: they are hidden there, and told in the sum of
  all nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from jostle.repository.layout import HOUR_NS, Rollup
from jostle.server.access import Viewer
from jostle.server.tiles import Tiles
from jostle.told.metrics import VIEWS

#: A sum of fewer others than these is told to nobody who may not see each of them.
LEAST_OTHERS = 3

#: By user (None: a job of several users), the metrics in which he had load.
Crowd = Mapping[int | None, AbstractSet[str]]
Line = Sequence[str]

#: Metrics that some view shows as one line: two of them are disjoint, or one holds the other.
LINES = frozenset(frozenset(line.metrics) for one in VIEWS for line in one.lines)


def may_be_told(line: AbstractSet[str], crowd: Crowd) -> bool:
    """Tells whether the sum of some metrics over others may be known.

    Args:
        line: The metrics: one, or a line of a view.
        crowd: All who had load in them or in what shares a line with them, on one resource in one
            hour, less those whom the viewer may see.
    """
    if _are_few(line, crowd):
        return False
    whole = _whole(line)
    return whole is None or (
        may_be_told(whole, crowd) and not any(_are_few(part, crowd) for part in _parts(whole))
    )


def hidden_hours(
    viewer: Viewer,
    tiles: Tiles,
    user: Callable[[str], int | None],
    table: Rollup,
    lines: Sequence[Line],
    span: tuple[int, int],
    *,
    all_nodes: bool = False,
) -> dict[str, frozenset[int]]:
    """Gives what a viewer may not know of others' load.

    Args:
        viewer: Who asks.
        tiles: Loads of all jobs.
        user: Gives the user of a job; None: several.
        table: rollup (by mount) or node_rollup (by node).
        lines: What is asked for; hidden is where any of them is.
        span: Start and end, ns since the epoch: of all hours that it reaches into.
        all_nodes: The nodes are one resource, "".

    Returns:
        By resource, hours (since the epoch). Resources without others are left out.
    """
    if viewer.sees_all:
        return {}
    found = {}
    for resource, hours in _crowds(viewer, tiles, user, table, lines, span, all_nodes).items():
        a_node = table == "node_rollup" and not all_nodes
        found[resource] = frozenset(
            hour for hour, crowd in hours.items()
            if a_node or not all(may_be_told(frozenset(line), crowd) for line in lines)
        )  # fmt: skip
    return found


def suppress(
    values: NDArray[np.float64], start_ns: int, step_ns: int, hidden: Iterable[int]
) -> NDArray[np.float64]:
    """Takes what is hidden out of a series.

    Args:
        values: (..., n): one value per step.
        start_ns: Start of the first step, ns since the epoch.
        step_ns: Length of a step; one that reaches into a hidden hour is hidden.
        hidden: Hours, from hidden_hours.

    Returns:
        The same with NaN where it is hidden.
    """
    covered = np.zeros(values.shape[-1], dtype=bool)
    for hour in hidden:
        first = (hour * HOUR_NS - start_ns) // step_ns
        last = -(-((hour + 1) * HOUR_NS - start_ns) // step_ns)
        covered[max(first, 0) : max(last, 0)] = True
    return np.where(covered, np.nan, values)


def _are_few(line: AbstractSet[str], crowd: Crowd) -> bool:
    return 0 < sum(not line.isdisjoint(had) for had in crowd.values()) < LEAST_OTHERS


def _whole(part: AbstractSet[str]) -> frozenset[str] | None:
    """Gives the smallest line of which some metrics are a part."""
    return min((line for line in LINES if line > part), key=len, default=None)


def _parts(line: frozenset[str]) -> list[frozenset[str]]:
    """Gives the largest parts of a line that can be asked for: lines in it, and single metrics."""
    within = [one for one in LINES if one < line and _whole(one) == line]
    return [*within, *(frozenset({name}) for name in line.difference(*within))]


def _family(lines: Iterable[Line]) -> list[str]:
    """Gives the metrics that decide whether lines may be told."""
    names = {name for line in lines for name in line}
    return sorted(names.union(*(line for line in LINES if not names.isdisjoint(line))))


def _crowds(
    viewer: Viewer, tiles: Tiles, user: Callable[[str], int | None], table: Rollup,
    lines: Sequence[Line], span: tuple[int, int], all_nodes: bool,
) -> dict[str, dict[int, dict[int | None, set[str]]]]:  # fmt: skip
    """Gives, by resource and hour, who else had load in what."""
    names = _family(lines)
    rows = tiles.minutes(table, [[name] for name in names], span)
    hour = pc.divide(rows["start_ns"], HOUR_NS)
    hours = rows.append_column("hour", hour).unify_dictionaries()
    most = [f"v{at}" for at in range(len(names))]
    by = hours.group_by(["job", "resource", "hour"]).aggregate([(name, "max") for name in most])
    values = np.column_stack([by[f"{name}_max"].to_numpy() for name in most])
    found: dict[str, dict[int, dict[int | None, set[str]]]] = {}
    for job, resource, at, loads in zip(*(_plain(by[name]) for name in ("job", "resource", "hour")),
                                        values > 0, strict=True):  # fmt: skip
        uid = user(job)
        if loads.any() and not viewer.sees(uid):  # who was there without a load hides nobody's
            crowd = found.setdefault("" if all_nodes else resource, {}).setdefault(at, {})
            crowd.setdefault(uid, set()).update(np.array(names)[loads].tolist())
    return found


def _plain(column: pa.ChunkedArray) -> list[object]:
    plain: list[object] = column.to_pylist()
    return plain
