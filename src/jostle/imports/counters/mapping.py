"""Reads map files (TOML), which assign time series of other tools to metrics of components.

Some maps are shipped with jostle; operators write others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from jostle.errors import UsageError
from jostle.files.toml_settings import STRICT, read_toml
from jostle.schema.metrics import COMPONENTS_BY_ID
from jostle.schema.profile import COMPONENT_KINDS

SHIPPED = Path(__file__).with_name("maps")
_REFERENCE = "docs/reference/counter-maps.md lists the keys."
_PLACE = re.compile(r"\{(\w+)\}")
_MOST_TEXT = 255

#: How samples become amounts of slices. increase: of a counter; rate: of a value per second;
#: level: the last value; number: the number of series.
How = Literal["increase", "rate", "level", "number"]


class CounterMapError(UsageError):
    """A map file cannot be used."""


def _kind(value: str) -> str:
    if value not in COMPONENT_KINDS:
        raise ValueError(f"the value must be one of {', '.join(COMPONENT_KINDS)}")
    return value


def _metric(value: str) -> str:
    if value not in COMPONENTS_BY_ID:
        raise ValueError(f"{value} is not a metric of components (docs/reference/metrics.md)")
    return value


def _pattern(value: str) -> str:
    try:
        groups = re.compile(value).groups
    except re.error as error:
        raise ValueError(f"the pattern is not a regular expression ({error})") from None
    if groups != 1:
        raise ValueError("the pattern must have one group, the part that is used")
    return value


_Text = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True)
class SeriesMap:
    """A series, or a column, that makes up a metric; the fields are the keys of the file.

    Attributes:
        series: For Prometheus, a selector of series without a range; for LDMS, the name of a
            column.
        times: Factor of a value, such as 1e9 to convert seconds to ns.
        how: Conversion of samples, see `How`; None: increase if the metric is a counter, level if
            it is a gauge.
    """

    __pydantic_config__: ClassVar[Any] = STRICT

    series: _Text
    times: float = 1.0
    how: How | None = None


_Metrics = dict[
    Annotated[str, AfterValidator(_metric)], Annotated[tuple[SeriesMap, ...], Field(min_length=1)]
]


@dataclass(frozen=True)
class ComponentMap:
    """A kind of components, and the series from which its metrics come.

    Attributes:
        kind: Kind of component, as in table components.
        metrics: For each metric, the series that are added up.
        name: Name of the component; `{label}` is replaced by the value of a label.
        source: Device or file system that the component is a part of, written like `name`.
        job: Job whose requests the component counts, written like `name`; a number is a batch job.
        role: Role of the component's machine: node or server; "": `role` of the whole map.
        batch: Batch system to which a number in `job` belongs.
    """

    __pydantic_config__: ClassVar[Any] = STRICT

    kind: Annotated[str, AfterValidator(_kind)]
    metrics: _Metrics
    name: _Text
    source: str = ""
    job: str = ""
    role: Literal["", "node", "server"] = ""
    batch: str = "slurm"


@dataclass(frozen=True)
class Derived:
    """A new label, whose value is a part of the value of another label.

    Attributes:
        label: Name of the other label.
        pattern: Regular expression whose one group is the new value; without a match it is "".
        lower: Whether to convert the new value to lower case.
    """

    __pydantic_config__: ClassVar[Any] = STRICT

    label: _Text
    pattern: Annotated[str, AfterValidator(_pattern)]
    lower: bool = False


@dataclass(frozen=True)
class HostLookup:
    """A series that gives the host of other series.

    Attributes:
        series: Selector of this series.
        label: Label of this series with the name of the host.
        by: Label by which the other series are matched with this one: both have it.
    """

    __pydantic_config__: ClassVar[Any] = STRICT

    series: _Text
    label: _Text
    by: _Text


@dataclass(frozen=True)
class CounterMap:
    """The content of a whole map file.

    Attributes:
        component: Kinds of components.
        title: Name of the source for users.
        host: Label with the name of the machine; a port after the name is removed.
        role: Role of the machines: node or server.
        derive: New labels by name, each with the rule that makes it from another label.
        lookup: Series that gives the name of the machine, if the other series lack it.
    """

    __pydantic_config__: ClassVar[Any] = STRICT

    component: Annotated[tuple[ComponentMap, ...], Field(min_length=1)]
    title: _Text
    host: _Text = "instance"
    role: Literal["node", "server"] = "node"
    derive: dict[str, Derived] = field(default_factory=dict)
    lookup: HostLookup | None = None

    def labels(self, found: dict[str, str]) -> dict[str, str]:
        """Return the labels of a series with those that are derived from them."""
        labels = {name: text[:_MOST_TEXT] for name, text in found.items()}
        for name, derived in self.derive.items():
            match = re.search(derived.pattern, labels.get(derived.label, ""))
            part = (match[1] or "") if match else ""
            labels[name] = part.lower() if derived.lower else part
        return labels


def _in_full(content: dict[str, Any]) -> dict[str, Any]:
    """Convert each metric to a list of tables.

    In the file, a metric may also be a text, which is a series, or a single table.
    """
    components = content.get("component")
    for component in components if isinstance(components, list) else ():
        metrics = component.get("metrics") if isinstance(component, dict) else None
        if not isinstance(metrics, dict):
            continue
        for metric, value in metrics.items():
            several = value if isinstance(value, list) else [value]
            metrics[metric] = [
                {"series": each} if isinstance(each, str) else each for each in several
            ]
    return content


def shipped() -> list[str]:
    """Return the names of the maps that are shipped with jostle."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def read_map(name: str) -> CounterMap:
    """Read a map.

    Args:
        name: Name of a shipped map, or path of a file.

    Raises:
        CounterMapError: There is no such map, or it is not valid; the message names the key.
    """
    path = SHIPPED / f"{name}.toml" if name in shipped() else Path(name)
    try:
        return read_toml(path, CounterMap, _REFERENCE, CounterMapError, _in_full)
    except FileNotFoundError:
        raise CounterMapError(
            f"There is no map {name}.",
            hint=f"Name a file, or one of the shipped maps: {', '.join(shipped())}.",
        ) from None


def filled(template: str, labels: dict[str, str]) -> str:
    """Return a template with the values of labels in it; a missing label is ""."""
    return _PLACE.sub(lambda match: labels.get(match[1], ""), template)[:_MOST_TEXT]


def how_of(metric: str, series: SeriesMap) -> How:
    """Return how samples of a series become amounts of a metric."""
    if series.how is not None:
        return series.how
    return "level" if COMPONENTS_BY_ID[metric].kind == "gauge" else "increase"
