"""Checks Grafana dashboards against Grafana's schema and the metrics that they draw.

The schema has what our dashboards use of the kind `Dashboard` of Grafana (kinds/dashboard/
dashboard_kind.cue there, schema numbers 36 to 39): the names that there are, which must be there,
and their types. What panels of one type have of their own, the kind leaves open, and so do we.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import jsonschema_rs


def closed(required: str = "", **properties: Any) -> dict[str, Any]:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def listed(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


OPEN = {"type": "object"}
TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
SOURCE = closed(type=TEXT, uid=TEXT)


def whole(low: int, high: int = 2**32) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


RESULT = closed(text=TEXT, color=TEXT, icon=TEXT, index=whole(0))
FIELD = closed(
    unit=TEXT,
    displayName=TEXT,
    description=TEXT,
    decimals=NUMBER,
    min=NUMBER,
    max=NUMBER,
    noValue=TEXT,
    custom=OPEN,
    links=listed(OPEN),
    color=closed("mode", mode=TEXT, fixedColor=TEXT, seriesBy={"enum": ["min", "max", "last"]}),
    mappings=listed(
        closed(
            "type options",
            type={"const": "value"},
            options={"type": "object", "additionalProperties": RESULT},
        )
    ),
    thresholds=closed(
        "mode steps",
        mode={"enum": ["absolute", "percentage"]},
        steps=listed(closed("color", value={"type": ["number", "null"]}, color=TEXT)),
    ),
)
NAMED = closed("id", id=TEXT, options={}, value={})
PANEL = closed(
    "type fieldConfig gridPos title targets",
    id=whole(1),
    type={"enum": ["stat", "timeseries", "table", "state-timeline", "bargauge", "barchart"]},
    title=TEXT,
    description=TEXT,
    datasource=SOURCE,
    gridPos=closed("h w x y", h=whole(1), w=whole(1, 24), x=whole(0, 23), y=whole(0)),
    targets=listed(
        closed(
            "refId expr",
            refId=TEXT,
            datasource=SOURCE,
            expr=TEXT,
            legendFormat=TEXT,
            instant=FLAG,
            range=FLAG,
            format={"enum": ["time_series", "table", "heatmap"]},
        )
    ),
    transformations=listed(closed("id options", id=TEXT, options=OPEN)),
    options=OPEN,
    fieldConfig=closed(
        "defaults overrides",
        defaults=FIELD,
        overrides=listed(closed("matcher properties", matcher=NAMED, properties=listed(NAMED))),
    ),
)
VARIABLE = closed(
    "type name",
    type={"enum": ["query", "datasource", "interval", "textbox", "custom", "constant"]},
    name=TEXT,
    label=TEXT,
    description=TEXT,
    query={"type": ["string", "object"]},
    datasource=SOURCE,
    hide={"enum": [0, 1, 2]},
    refresh={"enum": [0, 1, 2]},
    includeAll=FLAG,
    multi=FLAG,
    allValue=TEXT,
    current=OPEN,
)
DASHBOARD = closed(
    "title uid schemaVersion panels editable",
    title=TEXT,
    uid={"type": "string", "pattern": "^[a-z-]{8,40}$"},
    description=TEXT,
    tags=listed(TEXT),
    timezone=TEXT,
    editable=FLAG,
    graphTooltip={"enum": [0, 1, 2]},
    schemaVersion=whole(36, 39),
    version=whole(0),
    refresh=TEXT,
    time=closed("from to", **{"from": TEXT, "to": TEXT}),
    templating=closed("list", list=listed(VARIABLE)),
    panels={"type": "array", "items": PANEL, "minItems": 1},
)


def check(path: Path, families: Collection[str], suffixes: Collection[str]) -> None:
    """Checks a dashboard against the schema and the metrics.

    Args:
        path: The dashboard.
        families: Names of the families of metrics, each of which some panel must draw.
        suffixes: What names of samples may have behind those of their families.
    """
    board = json.loads(path.read_text())
    found = list(jsonschema_rs.validator_for(DASHBOARD).iter_errors(board))
    assert not found, [(error.instance_path, error.message) for error in found]
    known = {name + suffix for name in families for suffix in ("", *suffixes)}
    used: set[str] = set()
    for panel in board["panels"]:
        for target in panel["targets"]:
            # The label of jobs is called like a metric.
            names = set(re.findall(r"jostle_[a-z_]+", target["expr"])) - {"jostle_job"}
            assert names, panel["title"]
            used |= names
            for left, right in ("()", "{}", "[]"):
                assert target["expr"].count(left) == target["expr"].count(right)
    assert used <= known, used - known
    drawn = {name for name in families if any(each.startswith(name) for each in used)}
    assert drawn == set(families)
    for one, other in itertools.combinations([panel["gridPos"] for panel in board["panels"]], 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart, (one, other)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in board["panels"])
    numbers = [panel["id"] for panel in board["panels"]]
    assert len(set(numbers)) == len(numbers)
