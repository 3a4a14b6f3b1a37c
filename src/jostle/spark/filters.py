"""Converts filters of Spark into SQL for DuckDB, and into spans of time that select files."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import Any

from pyspark.sql import datasource as spark

from jostle.repository.query.engine import ALWAYS

_COMPARED = {
    spark.EqualTo: "=",
    spark.EqualNullSafe: "IS NOT DISTINCT FROM",
    spark.GreaterThan: ">",
    spark.GreaterThanOrEqual: ">=",
    spark.LessThan: "<",
    spark.LessThanOrEqual: "<=",
}
_TEXTS = {
    spark.StringStartsWith: "starts_with",
    spark.StringEndsWith: "ends_with",
    spark.StringContains: "contains",
}


def sql_of(each: spark.Filter, known: Collection[str]) -> str | None:
    """Return a filter as SQL; None if Spark must apply it.

    Args:
        each: The filter.
        known: Columns of the table.
    """
    if isinstance(each, spark.Not):
        inner = sql_of(each.child, known)
        return None if inner is None else f"(NOT {inner})"
    path = each.attribute
    if len(path) != 1 or path[0] not in known:
        return None
    name = path[0]
    if isinstance(each, spark.IsNull | spark.IsNotNull):
        return f"({name} IS {'NOT ' if isinstance(each, spark.IsNotNull) else ''}NULL)"
    kind, value = type(each), each.value
    if isinstance(each, spark.In):
        texts = [_literal(one) for one in value]
        return None if None in texts or not texts else f"({name} IN ({', '.join(map(str, texts))}))"
    text = _literal(value)
    if text is None:
        return None
    if kind in _TEXTS:
        return f"{_TEXTS[kind]}({name}, {text})"
    return f"({name} {_COMPARED[kind]} {text})" if kind in _COMPARED else None


def span_of(filters: Iterable[spark.Filter]) -> tuple[int, int]:
    """Return the span of time outside which filters leave no rows, ns since the epoch.

    Two kinds of filters limit the time: bounds of `slice` together with one value of `slice_ns`,
    and bounds of `start_ns` and `end_ns`. Without them the span is all time.
    """
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    for each in filters:
        path: tuple[str, ...] = getattr(each, "attribute", ())
        value = getattr(each, "value", None)
        if len(path) != 1 or isinstance(value, bool) or not isinstance(value, int):
            continue
        name = path[0]
        if isinstance(each, spark.EqualTo | spark.GreaterThan | spark.GreaterThanOrEqual):
            least[name] = max(value, least.get(name, value))
        if isinstance(each, spark.EqualTo | spark.LessThan | spark.LessThanOrEqual):
            most[name] = min(value, most.get(name, value))
    lo, hi = least.get("end_ns", ALWAYS[0]), most.get("start_ns", ALWAYS[1] - 1) + 1
    length = least.get("slice_ns")
    if length is not None and length == most.get("slice_ns"):
        lo = max(lo, least.get("slice", 0) * length)
        hi = min(hi, (most["slice"] + 1) * length if "slice" in most else hi)
    return max(lo - 1, ALWAYS[0]), min(hi, ALWAYS[1])


def _literal(value: Any) -> str | None:
    """Return a value as SQL; None if its type is not supported."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, str) and "\0" not in value:
        return "'" + value.replace("'", "''") + "'"
    return None
