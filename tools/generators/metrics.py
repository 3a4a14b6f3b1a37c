"""Generates docs/reference/metrics.md; generate.py runs it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from generators.common import made_by

if TYPE_CHECKING:
    from generate import Metric

METRICS_HEAD = """\
# Metrics

<!-- {made_by} -->

Every metric that a profile can hold, by module. `posix_read_bytes` is module `posix`, what is
counted (`read`), and the unit `bytes`.

| unit | value |
|---|---|
| `ops` | calls, operations, requests or events |
| `khz`, `uj`, `uw`, `mc` | kilohertz, microjoules, microwatts, thousandths of a degree Celsius |
| `ticks` | ticks of a device's clock |
| `size` | histogram: calls by their size in bytes. Bucket 0 of {buckets} counts size 0, bucket \
b sizes in [2^(b-1), 2^b), bucket {last} everything from 1 GiB |

If a row has several metrics, `_bytes` and `_ns` are the bytes and the summed time of what `_ops`
counts. The text above a table ends with the properties of its metrics; a row ends with the
properties in which its metric differs from them:

| property | values | if none is given |
|---|---|---|
| kind | counter, timer (wall-clock time), histogram: increase within the slice; gauge: level at \
its end | timer for names that end in `_ns`, except of scope component; else counter |
| unit | see above | last word of the name; `size`: ops |
| scope | mount: for each of {mounts} mounts and "other"; process: once per process; \
component: by [the agent](agent.md), for each disk, mount, link or the like of a machine | |
| merge | of several processes or components: max where values are the same in all \
(of a node, of a control group) or do not add up (frequencies) | sum |
| since | first version of jostle that recorded it | |
"""


#: Texts that say only that a metric is the bytes or the time of what another one counts.
PLAIN = {
    "bytes": re.compile(r"Bytes (read|written|sent|received|(copied|filled)[^,;]*)\.").fullmatch,
    "ns": re.compile(r"(Time|Summed time) (in|of) (?!which)(?!.* that )[^,;]*\.").fullmatch,
}
#: Modules whose metrics another page describes, by classes of calls.
OF_MPI = ("mpi", "mpiio")


def metrics_page(
    metrics: list[Metric], modules: dict[str, str], source: Path, slots: int, buckets: int
) -> str:
    """docs/reference/metrics.md."""
    parts = [
        METRICS_HEAD.format(
            made_by=made_by(source), mounts=slots - 1, buckets=buckets, last=buckets - 1
        )
    ]
    for module, doc in modules.items():
        parts += _module_section(module, doc, [m for m in metrics if m.module == module])
    return "".join(parts)


def _module_section(module: str, doc: str, metrics: list[Metric]) -> list[str]:
    """The section of a module: what most of its metrics share, and a table."""
    calls = module in OF_MPI
    properties = [_properties(m) for m in metrics]
    usual = {
        key: _usual([one[key] for one in properties], key in ("scope", "since"))
        for key in properties[0]
    }
    rows = []
    for metric, named in zip(metrics, properties, strict=True):
        if _counted_by(metric, metrics) or (calls and _call_class(metric, metrics)):
            continue
        shared = [m for m in metrics if _counted_by(m, metrics) == metric.id]
        names = ", ".join(f"`{m.id}`" for m in (metric, *shared))
        own = _sentence(value for key, value in named.items() if value != usual[key])
        text = metric.doc.removeprefix(f"{doc.rstrip('.').split(',')[0]}: ")
        rows.append(_row([names, f"{text}{own}"]))
    return [
        f"\n## {module}\n\n{doc}{_sentence(usual.values())}",
        _calls_of(metrics) if calls else "\n",
        *(["\n| id | meaning |\n|---|---|\n", *rows] if rows else []),
    ]


def _calls_of(metrics: list[Metric]) -> str:
    """A list of the classes of calls, by the metrics that each class has."""
    endings: dict[str, list[str]] = {}
    for metric in metrics:
        if name := _call_class(metric, metrics):
            endings.setdefault(name, []).append(f"`{metric.id.removeprefix(name)}`")
    classes: dict[str, list[str]] = {}
    for name, each in endings.items():
        classes.setdefault(", ".join(each), []).append(f"`{name}`")
    return (
        " [MPI calls](mpi-calls.md) describes the classes\nof calls, and their bytes. A metric has "
        "the name of a class and one of these endings:\n\n"
    ) + "".join(f"- {each}: {', '.join(names)}\n" for each, names in classes.items())


def _call_class(metric: Metric, of_module: list[Metric]) -> str:
    """The class of calls whose number, bytes or time a metric of MPI is; empty: none."""
    name, _, ending = metric.id.rpartition("_")
    counted = any(other.id == f"{name}_ops" for other in of_module)
    return name if counted and ending in ("ops", "bytes", "ns") else ""


def _usual(values: list[str], most: bool) -> str:
    """The value of all, or of most; empty: the values differ."""
    value, count = Counter(values).most_common(1)[0]
    return value if most or count == len(values) else ""


def _sentence(values: Iterable[str]) -> str:
    """A sentence that names properties, after another sentence."""
    text = ", ".join(filter(None, values))
    return f" {text[0].upper()}{text[1:]}." if text else ""


def _properties(metric: Metric) -> dict[str, str]:
    """The properties of a metric as the page names them; empty: what its name says."""
    return {
        "kind": "" if metric.kind == _usual_kind(metric) else metric.kind,
        "unit": "" if _unit_in_name(metric) else f"unit {metric.unit}",
        "scope": f"scope {metric.scope}",
        "merge": "" if metric.merge == "sum" else f"merge {metric.merge}",
        "since": f"since {metric.since}",
    }


def _usual_kind(metric: Metric) -> str:
    """The kind of most metrics with such a name."""
    timed = metric.id.endswith("_ns") and metric.scope != "component"
    return "timer" if timed else "counter"


def _row(cells: Iterable[str]) -> str:
    """A row of a Markdown table."""
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells) + "\n"


def _counted_by(metric: Metric, of_module: list[Metric]) -> str:
    """The metric whose calls this one gives bytes or time of, without a condition; empty: none."""
    stem, _, ending = metric.id.rpartition("_")
    counted = any(other.id == f"{stem}_ops" for other in of_module)
    return f"{stem}_ops" if counted and ending in PLAIN and PLAIN[ending](metric.doc) else ""


def _unit_in_name(metric: Metric) -> bool:
    """Whether the last word of a metric's name gives its unit."""
    return metric.id.endswith((f"_{metric.unit}", "_size"))
