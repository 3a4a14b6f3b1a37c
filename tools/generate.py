#!/usr/bin/env python3
"""Generates all files that are derived from schema/.

Usage:
    tools/generate.py            write every file that is stale
    tools/generate.py --check    write nothing; exit status 1 and a list when one is stale

The outputs are committed, so that neither the C build nor a reader of the sources needs this
script. Standard library only (Python 3.11): it runs before any virtual environment exists.
"""

from __future__ import annotations

import re
import sys
import tomllib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import generators.calls
import generators.metrics
import generators.profile
import generators.reader
import generators.settings
from generators.common import ROOT, SchemaError, made_by

METRICS_TOML = ROOT / "schema" / "metrics.toml"
MOUNT_SLOTS = 8
HIST_BUCKETS = 32
GROUP = 8  # cells that share one byte of a record's bitmap

KINDS = ("counter", "timer", "gauge", "histogram")
SCOPES = ("mount", "process", "component")
CELLS = ("mount", "process")  # scopes whose values processes count in their blocks
MERGES = ("sum", "max")
KEYS = ("id", "module", "kind", "unit", "scope", "merge", "since", "doc")


@dataclass(frozen=True)
class Metric:
    """One entry of metrics.toml."""

    id: str
    module: str
    kind: str
    unit: str
    scope: str
    merge: str
    since: str
    doc: str


@dataclass(frozen=True)
class Layout:
    """The position of every metric in a counter block, in cells of 8 bytes."""

    cells: dict[str, int]  # by metric id; from the start of the slot for scope mount
    stride: int
    total: int


def load_metrics(path: Path) -> list[Metric]:
    """Read and check the list of metrics."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("metric", [])
    metrics: list[Metric] = []
    seen: set[str] = set()
    for entry in entries:
        name = entry.get("id", "(no id)")
        if sorted(entry) != sorted(KEYS):
            raise SchemaError(f"{path.name}: {name}: keys must be {', '.join(KEYS)}")
        metric = Metric(**entry)
        check_metric(metric)
        if metric.id in seen:
            raise SchemaError(f"{path.name}: {name} is listed twice")
        seen.add(metric.id)
        metrics.append(metric)
    if not metrics:
        raise SchemaError(f"{path.name}: no [[metric]]")
    return metrics


def load_modules(path: Path, metrics: list[Metric]) -> dict[str, str]:
    """Read the sentence of each module, in the order of the metrics."""
    said: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8")).get("modules", {})
    names = list(dict.fromkeys(m.module for m in metrics))
    for name in sorted({*names, *said}):
        if name not in names or not said.get(name, "").endswith("."):
            raise SchemaError(f"{path.name}: modules: {name}: one sentence for each module")
    return {name: said[name] for name in names}


def check_metric(metric: Metric) -> None:
    """Raise SchemaError when a metric breaks a rule in the header of metrics.toml."""
    rules = (
        (re.fullmatch(r"[a-z][a-z0-9_]*", metric.id), "the id must be snake case"),
        (metric.id.startswith(metric.module + "_"), "the id must begin with its module"),
        (metric.kind in KINDS, f"kind must be one of {', '.join(KINDS)}"),
        (metric.scope in SCOPES, f"scope must be one of {', '.join(SCOPES)}"),
        (metric.merge in MERGES, f"merge must be one of {', '.join(MERGES)}"),
        (metric.kind != "timer" or metric.unit == "ns", "a timer's unit is ns"),
        (metric.kind != "histogram" or metric.scope == "process", "a histogram is per process"),
        (metric.kind != "gauge" or metric.scope != "mount", "a gauge is not per mount"),
        (metric.kind != "timer" or metric.scope != "component", "a component has no timer"),
        (metric.doc.endswith("."), "doc must be a sentence"),
    )
    for holds, message in rules:
        if not holds:
            raise SchemaError(f"metrics.toml: {metric.id}: {message}")


def round_up(number: int, step: int) -> int:
    """Smallest multiple of step that is not below number."""
    return -(-number // step) * step


def lay_out(metrics: list[Metric]) -> Layout:
    """Mount slots first, then histograms, then the other process metrics, in file order."""
    mount = [m for m in metrics if m.scope == "mount"]
    cells = {m.id: at for at, m in enumerate(mount)}
    stride = round_up(len(mount), GROUP)
    at = MOUNT_SLOTS * stride
    for metric in metrics:
        if metric.kind == "histogram":
            cells[metric.id] = at
            at += HIST_BUCKETS
    for metric in metrics:
        if metric.scope == "process" and metric.kind != "histogram":
            cells[metric.id] = at
            at += 1
    return Layout(cells, stride, round_up(at, GROUP))


# ---- C -------------------------------------------------------------------------------------


def of_components(metrics: list[Metric]) -> list[Metric]:
    """Metrics that the agent counts; the index in this list is the cell of a machine profile."""
    return [m for m in metrics if m.scope == "component"]


def component_table_text(metrics: list[Metric]) -> str:
    """The table of metrics in every profile of a machine, as text."""
    chosen = enumerate(of_components(metrics))
    return "".join(f"{m.id} {m.kind} {m.unit} {m.scope} {cell} 1\n" for cell, m in chosen)


def table_text(metrics: list[Metric], layout: Layout) -> str:
    """The table of metrics in every profile of a process (docs/reference/profile-format.md)."""
    lines = []
    for m in metrics:
        if m.scope not in CELLS:
            continue
        count = HIST_BUCKETS if m.kind == "histogram" else 1
        lines.append(f"{m.id} {m.kind} {m.unit} {m.scope} {layout.cells[m.id]} {count}\n")
    return "".join(lines)


def cell_codes(metrics: list[Metric], layout: Layout) -> list[int]:
    """How each cell of a block is coded in a record; the values are enum jst_code."""
    codes = [0] * layout.total
    for m in metrics:
        if m.scope not in CELLS:
            continue
        code = {"counter": 1, "gauge": 2, "timer": 3, "histogram": 5}[m.kind]
        if m.kind == "counter" and m.unit == "ns":
            code = 4
        first = layout.cells[m.id]
        if m.scope == "mount":
            places: Iterable[int] = (first + s * layout.stride for s in range(MOUNT_SLOTS))
        else:
            places = range(first, first + (HIST_BUCKETS if m.kind == "histogram" else 1))
        for place in places:
            codes[place] = code
    return codes


def c_header(metrics: list[Metric], layout: Layout) -> str:
    """runtime/include/jst_metrics.h."""
    width = max(len(m.id) for m in metrics)
    lines = [
        f"/* jst_metrics.h: the cells of a counter block.\n * {made_by(METRICS_TOML)} */",
        "/* clang-format off */",
        "#ifndef JST_METRICS_H",
        "#define JST_METRICS_H",
        "",
        "#include <stdint.h>",
        "",
        f"#define JST_MOUNT_SLOTS {MOUNT_SLOTS}u",
        f"#define JST_MOUNT_STRIDE {layout.stride}u",
        f"#define JST_HIST_BUCKETS {HIST_BUCKETS}u",
        f"#define JST_CELL_COUNT {layout.total}u",
        f"#define JST_METRIC_TABLE_BYTES {len(table_text(metrics, layout))}u",
        "",
        "enum jst_kind { JST_COUNTER, JST_TIMER, JST_GAUGE, JST_HISTOGRAM };",
        "",
        "/* How a record codes a cell. */",
        "enum jst_code {",
        "    JST_CODE_UNUSED = 0,",
        "    JST_CODE_COUNTER = 1,   /* varint increase */",
        "    JST_CODE_GAUGE = 2,     /* svarint change */",
        "    JST_CODE_TIMER = 3,     /* ticks in the cell, minifloat nanoseconds in the record */",
        "    JST_CODE_NS = 4,        /* nanoseconds in the cell, minifloat in the record */",
        "    JST_CODE_HISTOGRAM = 5, /* varint increase */",
        "};",
        "",
        "/* Scope mount: from the start of the slot (slot s begins at s * JST_MOUNT_STRIDE). */",
    ]
    lines += c_cells((m for m in metrics if m.scope == "mount"), layout, width)
    lines += ["", f"/* Histograms: the first of {HIST_BUCKETS} cells. */"]
    lines += c_cells((m for m in metrics if m.kind == "histogram"), layout, width)
    lines += ["", "/* Scope process. */"]
    others = (m for m in metrics if m.scope == "process" and m.kind != "histogram")
    lines += c_cells(others, layout, width)
    lines += [
        "",
        "#pragma GCC visibility push(hidden)",
        "extern const char jst_metric_table[]; /* the profile's metric table */",
        "extern const uint32_t jst_metric_table_bytes;",
        "extern const uint32_t jst_metric_table_crc; /* CRC-32 of the table: the fingerprint */",
        "extern const uint8_t jst_cell_kind[JST_CELL_COUNT]; /* enum jst_code */",
        "#pragma GCC visibility pop",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def components_header(metrics: list[Metric]) -> str:
    """runtime/include/jst_components.h."""
    chosen = of_components(metrics)
    text = component_table_text(metrics)
    width = max(len(m.id) for m in chosen)
    codes = {"counter": "COUNTER", "gauge": "GAUGE"}
    lines = [
        "/* jst_components.h: the metrics of a machine's components.",
        f" * {made_by(METRICS_TOML)} */",
        "/* clang-format off */",
        "#ifndef JST_COMPONENTS_H",
        "#define JST_COMPONENTS_H",
        "",
        "#include <stdint.h>",
        "",
        "/* Cells of an 'X' record. */",
        "enum jst_component_metric {",
        *(f"    JST_{m.id.upper():<{width}} = {cell}," for cell, m in enumerate(chosen)),
        f"    JST_{'COMPONENT_METRICS':<{width}} = {len(chosen)}",
        "};",
        "",
        "/* How a record codes a cell: 'C' varint increase, 'T' an increase of ns as a minifloat,",
        " * 'G' varint level. */",
        "static const char jst_component_code[JST_COMPONENT_METRICS] = {",
        *(
            f"    '{'T' if m.kind == 'counter' and m.unit == 'ns' else codes[m.kind][0]}',"
            for m in chosen
        ),
        "};",
        "",
        "static const char jst_component_table[] =",
        *(f'    "{line}\\n"' for line in text.splitlines()),
        "    ;",
        f"#define JST_COMPONENT_TABLE_BYTES {len(text)}u",
        f"#define JST_COMPONENT_TABLE_CRC 0x{zlib.crc32(text.encode()):08x}u",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def c_cells(metrics: Iterable[Metric], layout: Layout, width: int) -> list[str]:
    return [f"#define JST_CELL_{m.id.upper():<{width}} {layout.cells[m.id]}u" for m in metrics]


def c_source(metrics: list[Metric], layout: Layout) -> str:
    """runtime/src/jst_metrics.c."""
    text = table_text(metrics, layout)
    codes = cell_codes(metrics, layout)
    rows = [codes[at : at + layout.stride] for at in range(0, len(codes), layout.stride)]
    lines = [
        f"/* jst_metrics.c: the metric table of a profile.\n * {made_by(METRICS_TOML)} */",
        "/* clang-format off */",
        '#include "jst_metrics.h"',
        "",
        "const char jst_metric_table[] =",
        *(f'    "{line}\\n"' for line in text.splitlines()),
        "    ;",
        "",
        "const uint32_t jst_metric_table_bytes = JST_METRIC_TABLE_BYTES;",
        f"const uint32_t jst_metric_table_crc = 0x{zlib.crc32(text.encode()):08x}u;",
        "",
        "const uint8_t jst_cell_kind[JST_CELL_COUNT] = {",
        *("    " + ", ".join(map(str, row)) + "," for row in rows),
        "};",
        "",
        '_Static_assert(sizeof jst_metric_table == JST_METRIC_TABLE_BYTES + 1, "table length");',
    ]
    return "\n".join(lines) + "\n"


# ---- Python, SQL ---------------------------------------------------------------------------

PYTHON_HEAD = '''\
"""The metrics of jostle, as data.

{made_by}
"""
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        id: Name in snake case, module first; the column's name everywhere.
        module: Part of the runtime that counts it.
        kind: counter, timer, gauge or histogram.
        unit: Unit of the value (bytes, ops, ns, threads).
        scope: mount (one value per mount), process, or component (of a machine).
        merge: How values of several processes or slices become one: sum or max.
        since: Version that introduced it.
        doc: One sentence.
    """

    id: str
    module: str
    kind: str
    unit: str
    scope: str
    merge: str
    since: str
    doc: str


HIST_BUCKETS: Final = {buckets}
MOUNT_SLOTS: Final = {slots}

METRICS: Final[tuple[Metric, ...]] = (
'''

PYTHON_MIDDLE = """\
)

#: Metrics of the components of machines, in the order of their cells.
COMPONENT_METRICS: Final[tuple[Metric, ...]] = (
"""

PYTHON_TAIL = """\
)

BY_ID: Final[dict[str, Metric]] = {m.id: m for m in METRICS}
MOUNT_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.scope == "mount")
PROCESS_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.scope == "process")
HISTOGRAM_IDS: Final[tuple[str, ...]] = tuple(m.id for m in METRICS if m.kind == "histogram")
COMPONENTS_BY_ID: Final[dict[str, Metric]] = {m.id: m for m in COMPONENT_METRICS}
COMPONENT_IDS: Final[tuple[str, ...]] = tuple(COMPONENTS_BY_ID)
"""


def python_module(metrics: list[Metric]) -> str:
    """src/jostle/schema/metrics.py; PROCESS_IDS includes the histograms."""
    head = PYTHON_HEAD.format(
        made_by=made_by(METRICS_TOML), buckets=HIST_BUCKETS, slots=MOUNT_SLOTS
    )
    rows: dict[bool, list[str]] = {False: [], True: []}
    for m in metrics:
        values = ", ".join('"' + getattr(m, key).replace('"', '\\"') + '"' for key in KEYS)
        rows[m.scope == "component"].append(f"    Metric({values}),\n")
    return "".join([head, *rows[False], PYTHON_MIDDLE, *rows[True], PYTHON_TAIL])


def sql_schema(metrics: list[Metric]) -> str:
    """tests/repository/expected_tables.sql: the metric tables as DuckDB must have them."""
    key = ["job VARCHAR", "process BIGINT", "host VARCHAR"]
    when = ["slice BIGINT", "slice_ns BIGINT", "span INTEGER"]
    process = [m for m in metrics if m.scope == "process"]
    mount = [m for m in metrics if m.scope == "mount"]
    histogram = f"BIGINT[{HIST_BUCKETS}]"
    slices = [f"{m.id} {histogram if m.kind == 'histogram' else 'BIGINT'}" for m in process]
    rollup = [f"{m.id}_{of} BIGINT" for m in mount for of in ("sum", "min", "max")]
    tables = (
        ("slices", "one row per process and slice", key + when + slices),
        (
            "mount_slices",
            "one row per process, mount and slice in which something moved",
            [*key, "mount VARCHAR", *when, *(f"{m.id} BIGINT" for m in mount)],
        ),
        (
            "rollup",
            "one row per job, mount and slice: over its processes, and how many there were",
            ["job VARCHAR", "mount VARCHAR", *when[:2], "count BIGINT", *rollup],
        ),
    )
    parts = [
        f"-- The metric tables that a test expects of a repository.\n-- {made_by(METRICS_TOML)}\n"
    ]
    for name, doc, columns in tables:
        body = ",\n".join(f"    {column}" for column in columns)
        parts.append(f"\n-- {doc}\nCREATE TABLE {name} (\n{body}\n);\n")
    return "".join(parts)


# ---- command -------------------------------------------------------------------------------


def outputs() -> dict[str, str]:
    """Every generated file: path from the root -> content."""
    metrics = load_metrics(METRICS_TOML)
    layout = lay_out(metrics)
    return {
        "runtime/include/jst_metrics.h": c_header(metrics, layout),
        "runtime/include/jst_components.h": components_header(metrics),
        "runtime/src/jst_metrics.c": c_source(metrics, layout),
        "src/jostle/schema/metrics.py": python_module(metrics),
        "tests/repository/expected_tables.sql": sql_schema(metrics),
        "docs/reference/metrics.md": generators.metrics.metrics_page(
            metrics, load_modules(METRICS_TOML, metrics), METRICS_TOML, MOUNT_SLOTS, HIST_BUCKETS
        ),
        **generators.profile.outputs(MOUNT_SLOTS),
        **generators.reader.outputs(MOUNT_SLOTS),
        **generators.settings.outputs(),
        **generators.calls.outputs(),
    }


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        files = outputs()
    except (SchemaError, tomllib.TOMLDecodeError, OSError) as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    stale = []
    for name, content in files.items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            stale.append(name)
    if arguments == ["--check"]:
        for name in stale:
            print(f"{name} is stale: run tools/generate.py and commit it", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(files[name], encoding="utf-8")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
