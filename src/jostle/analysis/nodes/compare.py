"""Finds the components of machines (disks, mounts, links, ...) that are worse than their peers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.interval import Interval
from jostle.analysis.nodes.deviations import Floats, Ints, Rows, daily
from jostle.analysis.nodes.figures import EVERY, Figure
from jostle.analysis.nodes.model import DayOfPeers, Difference, NodeDifferences, Unassessed
from jostle.analysis.nodes.persistence import (
    FDR,
    LEAST_DAYS,
    LEAST_PEERS,
    Evidence,
    evidence,
    significant,
)
from jostle.values.arrow_columns import ints

#: Host, kind and name of a component.
_Key = tuple[str, str, str]
_MOUNTS = ("nfs_mount", "lustre_mount", "gpfs_mount", "ceph_mount", "job_mount")


@dataclass(frozen=True)
class _Group:
    """A group of peers: components of one kind on similar machines, compared by one figure.

    Attributes:
        figure: The figure (measure) by which they are compared.
        role: Role of the machines: node or server.
        kind: Kind of the components.
        keys: Host, kind and name of each component.
        first_day: Day of column 0, days since the epoch.
        differences: By how much each component is worse than its peers on each day, on the
            figure's logarithmic scale, (components, days); NaN: not compared.
        values: Value of the figure on each day, mean over all loads, (components, days).
        assessed: Result of the test of each component; None: not tested.
    """

    figure: Figure
    role: str
    kind: str
    keys: list[_Key]
    first_day: int
    differences: Floats
    values: Floats
    assessed: list[Evidence | None]


def persistent_differences(condensed: pa.Table, machines: pa.Table) -> NodeDifferences:
    """Find components that are persistently worse than their peers.

    Peers are components of one kind on machines of the same role with the same number of cores.
    Disks and links must also have the same name; on servers, names may differ in numbers. Mounts
    must be of the same file system.

    Args:
        condensed: Values per component and day, from `days_sql` and `job_days_sql`: figure (index
            in EVERY), kind, host, name, source, mount, day, load, slices, value.
        machines: The machines: host, role, cores. Hosts without a row are compared only with each
            other.

    Returns:
        The differences, and what could not be evaluated.
    """
    hardware = {
        row["host"]: (str(row["role"]), int(row["cores"] or 0)) for row in machines.to_pylist()
    }
    place = ints(condensed, "figure")
    groups = [
        group
        for number in np.unique(place).tolist()
        for group in _groups(EVERY[number], condensed.filter(pa.array(place == number)), hardware)
    ]
    assessed = [
        (group, row, each)
        for group in groups
        for row, each in enumerate(group.assessed)
        if each is not None
    ]
    values = np.array([each.value for _, _, each in assessed])
    chosen = significant(values, len(values))
    differences = [_difference(*assessed[number]) for number in np.flatnonzero(chosen).tolist()]
    differences.sort(key=lambda each: (-each.evidence, each.host, each.figure))
    days = set(ints(condensed, "day").tolist())
    components = {group.keys[row] for group, row, _ in assessed}
    return NodeDifferences(
        differences,
        min(days, default=0),
        len(days),
        len({key[0] for key in components}),
        len(components),
        len(assessed),
        _unassessed(groups),
        FDR,
    )


def _groups(
    figure: Figure, table: pa.Table, hardware: Mapping[str, tuple[str, int]]
) -> list[_Group]:
    """Divide the components with values of a figure into groups of peers.

    Args:
        figure: The figure.
        table: Values of the figure per component and day.
        hardware: Role and number of cores of each host.
    """
    columns = {
        name: table[name].to_pylist() for name in ("kind", "host", "name", "source", "mount")
    }
    every = list(zip(*columns.values(), strict=True))
    distinct = sorted(set(every))
    number = {each: place for place, each in enumerate(distinct)}
    component = np.array([number[each] for each in every])
    by_group: dict[tuple[str | int, ...], list[int]] = {}
    for place, (kind, host, name, source, mount) in enumerate(distinct):
        role, cores = hardware.get(host, ("node", 0))
        alike = _alike(role, kind, name, source, mount)
        by_group.setdefault((role, cores, kind, *alike), []).append(place)
    numbers = {name: ints(table, name) for name in ("day", "load", "slices")}
    value = np.asarray(table["value"].to_numpy(), dtype=float)
    groups = []
    for key, members in by_group.items():
        here = np.isin(component, members)
        keys = [(host, kind, name) for kind, host, name, _, _ in (distinct[k] for k in members)]
        within = np.searchsorted(members, component[here])
        part = {name: values[here] for name, values in numbers.items()}
        what = (str(key[0]), str(key[2]))
        groups.append(_group(figure, what, keys, within, part, value[here]))
    return groups


def _alike(role: str, kind: str, name: str, source: str, mount: str) -> tuple[str, str]:
    """Return the properties of a component that must be equal for its peers."""
    if kind in ("machine", "job_cores", "job_memory", "gpu", "job_gpu"):
        return "", ""
    if kind in _MOUNTS:
        return mount or source, ""
    if role == "server":
        disk = re.sub(r"^(sd|vd|xvd)[a-z]+$", r"\1", name)
        return re.sub(r"\d+|(?<=OST)[0-9a-f]{4}|(?<=MDT)[0-9a-f]{4}", "", disk), source
    return name, source


def _group(
    figure: Figure,
    what: tuple[str, str],
    keys: list[_Key],
    component: Ints,
    numbers: Mapping[str, Ints],
    value: Floats,
) -> _Group:
    first = int(numbers["day"].min())
    days = int(numbers["day"].max()) - first + 1
    rows = Rows(
        component, numbers["day"] - first, numbers["load"], numbers["slices"], figure.sign * value
    )
    differences = daily(rows, len(keys), days)
    where = component * days + rows.day
    weight = np.bincount(where, rows.slices, len(keys) * days)
    sums = np.bincount(where, rows.slices * value, len(keys) * days)
    means = np.divide(sums, weight, out=np.full(len(weight), np.nan), where=weight > 0)
    return _Group(
        figure,
        *what,
        keys,
        first,
        differences,
        means.reshape(differences.shape),
        evidence(differences, figure.least),
    )


def _difference(group: _Group, row: int, each: Evidence) -> Difference:
    figure, since = group.figure, each.since
    mine = group.differences[row]
    known = np.flatnonzero(~np.isnan(mine))
    lately = known[known >= since]
    host, kind, name = group.keys[row]
    own = peers = None
    shown = 100 * np.expm1(figure.sign * group.differences)
    if figure.per:
        shown = np.maximum(np.exp(group.values) - figure.lower_bound, 0.0)
        alongside = np.delete(shown[:, since:], row, axis=0)
        own, peers = float(np.nanmedian(shown[row, since:])), float(np.nanmedian(alongside))
    course = []
    for day in known.tolist():
        alongside = np.delete(shown[:, day], row)
        low, high = np.quantile(alongside[~np.isnan(alongside)], [0.05, 0.95])
        course.append(
            DayOfPeers(
                group.first_day + day,
                float(shown[row, day]),
                float(low),
                float(high),
                bool(each.worse[day]),
            )
        )
    return Difference(
        host,
        group.role,
        kind,
        name,
        figure.name,
        figure.worse,
        figure.unit,
        _interval(figure, mine[lately]),
        own,
        peers,
        group.first_day + since,
        group.first_day + int(known[-1]),
        int(each.worse[lately].sum()),
        len(lately),
        each.peers,
        each.value,
        course,
    )


def _percent(figure: Figure, difference: float) -> float:
    return float(100 * np.expm1(figure.sign * difference))


def _interval(figure: Figure, values: Floats) -> Interval:
    """Return the mean of daily differences with its 95 % interval (Student's t), in percent."""
    from scipy.stats import t

    mean = float(values.mean())
    half = 0.0
    if len(values) > 1:
        half = float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    ends = sorted([_percent(figure, mean - half), _percent(figure, mean + half)])
    if len(values) == 1:
        ends = [-100.0, float("inf")]
    return Interval(_percent(figure, mean), *ends)


def _unassessed(groups: Sequence[_Group]) -> list[Unassessed]:
    """Return the components that could not be evaluated by any figure, by reason."""
    assessed = {
        key
        for group in groups
        for key, each in zip(group.keys, group.assessed, strict=True)
        if each
    }
    missing: dict[tuple[str, str], dict[_Key, int]] = {}
    for group in groups:
        days = (~np.isnan(group.values)).sum(axis=1)
        enough = int((days >= LEAST_DAYS).sum())
        for key, number in zip(group.keys, days.tolist(), strict=True):
            if key in assessed:
                continue
            why = "too few days" if number < LEAST_DAYS else "too few peers"
            had = number if why == "too few days" else enough - 1
            seen = missing.setdefault((why, group.kind), {})
            seen[key] = max(seen.get(key, 0), had)
    return [
        Unassessed(
            why,
            kind,
            len(seen),
            sorted({key[0] for key in seen})[:3],
            max(seen.values()),
            LEAST_DAYS if why == "too few days" else LEAST_PEERS,
        )
        for (why, kind), seen in sorted(missing.items())
    ]
