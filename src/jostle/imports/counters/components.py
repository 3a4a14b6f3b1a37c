"""Groups time series into components of machines, and converts them to slices."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from jostle.imports.counters.mapping import ComponentMap, CounterMap, SeriesMap, filled, how_of
from jostle.imports.counters.slices import (
    Amounts,
    Flags,
    Floats,
    Grid,
    Ints,
    added,
    clean,
    increase,
    level,
    rate,
)
from jostle.schema.metrics import COMPONENT_IDS
from jostle.values.plain_values import one_line

#: The name of a machine with a port, and the brackets of an IPv6 address.
_PORT = re.compile(r"^\[?(.*?)\]?(?::\d{1,5})?$")
_SPREAD = {"increase": increase, "rate": rate, "level": level, "number": level}


@dataclass(frozen=True)
class Series:
    """A time series of samples.

    Attributes:
        labels: Labels of the series.
        times: Times of the samples, ns since the epoch.
        values: Values of the samples.
    """

    labels: dict[str, str]
    times: Ints
    values: Floats


@dataclass(frozen=True)
class Wanted:
    """A series that a map requests as a part of one metric, for one kind of components."""

    component: ComponentMap
    metric: str
    series: SeriesMap


@dataclass(frozen=True)
class ComponentSlices:
    """A component and the amounts of its metrics in some slices.

    Attributes:
        host: Name of the component's machine.
        role: Role of the machine: node or server.
        kind: Kind of component, as in column `kind` of table components.
        name: Name, as in column `name`.
        source: Source, as in column `source`.
        job: Job, as in column `job`.
        amounts: Amounts per slice, by metric.
    """

    host: str
    role: str
    kind: str
    name: str
    source: str
    job: str
    amounts: dict[str, Amounts]

    @property
    def unknown(self) -> tuple[Flags, list[str]]:
        """Return what is not known.

        Returns:
            Whether each slice lacks the amount of at least one metric in `amounts`; and the metrics
            of the same families (`storage_...`) that are not in `amounts`.
        """
        families = {metric.partition("_")[0] for metric in self.amounts}
        never = [
            metric
            for metric in COMPONENT_IDS
            if metric.partition("_")[0] in families and metric not in self.amounts
        ]
        lacking: Flags = ~np.all([each.known for each in self.amounts.values()], axis=0)
        return lacking, never


def wanted(counters: CounterMap) -> list[Wanted]:
    """Return all series that a map requests."""
    return [
        Wanted(component, metric, series)
        for component in counters.component
        for metric, several in component.metrics.items()
        for series in several
    ]


def host_of(text: str) -> str:
    """Return the name of a machine without a port."""
    match = _PORT.match(one_line(text)[:255])
    return match[1].strip() if match else ""


def components_of(
    counters: CounterMap,
    found: Iterable[tuple[Wanted, list[Series]]],
    hosts: dict[str, str],
    grid: Grid,
    usual_ns: int,
) -> list[ComponentSlices]:
    """Return the components that series describe, in a fixed order.

    Series whose machine or component has no name are left out.

    Args:
        counters: The map from series to metrics.
        found: The requested series, each with the series that were found for it.
        hosts: If the map has a lookup, the host for each value of the label `lookup.by`.
        grid: Grid of the slices.
        usual_ns: The usual time between two samples.
    """
    parts: dict[tuple[str, ...], dict[str, list[Amounts]]] = defaultdict(lambda: defaultdict(list))
    numbers: set[str] = set()
    for want, several in found:
        component, how = want.component, how_of(want.metric, want.series)
        if how == "number":
            numbers.add(want.metric)
        for each in several:
            labels = counters.labels(each.labels)
            if counters.lookup is not None:
                host = hosts.get(labels.get(counters.lookup.by, ""), "")
            else:
                host = host_of(labels.get(counters.host, ""))
            names = [
                one_line(filled(text, labels)).strip()
                for text in (component.name, component.source, component.job)
            ]
            if not host or not names[0] or (component.job and not names[2]):
                continue
            if names[2].isdecimal():
                names[2] = f"{component.batch}-{names[2]}"
            times, values = clean(each.times, each.values)
            if not len(times):
                continue
            amounts = _SPREAD[how](times, values, want.series.times, grid, usual_ns)
            key = (host, component.role or counters.role, component.kind, *names)
            parts[key][want.metric].append(amounts)
    made = []
    for key in sorted(parts):
        sums = {
            metric: added(several, number=metric in numbers)
            for metric, several in sorted(parts[key].items())
        }
        host, role, kind, name, source, job = key
        made.append(ComponentSlices(host, role, kind, name, source, job, sums))
    return made
