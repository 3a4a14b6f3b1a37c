"""A verdict as a page draws it: of a day, the whole of it is megabytes that nobody looks at."""

from __future__ import annotations

from typing import Any

_COLUMNS = 2000


def drawn(verdict: dict[str, Any]) -> dict[str, Any]:
    """Leave out what no page draws.

    Args:
        verdict: A verdict as the API gives it; it is not changed.

    Returns:
        The same, but: beside guilty slices hits as few spans as a screen can show, steps only of
        the resource that cost most and without loads, and these numbers as exactly as a screen
        shows them.
    """
    other = verdict["interference"]
    if other is None:
        return verdict
    found = dict(verdict)
    if other["guilty"]:
        found["estimate"] = {**verdict["estimate"], "hits": _joined(verdict["estimate"])}
    resources = [
        {**one, "own_load": [], "others_load": [],
         "steps_ns": [] if at else one["steps_ns"],
         "service": [] if at else [_short(value, 4) for value in one["service"]]}
        for at, one in enumerate(other["resources"])
    ]  # fmt: skip
    guilty = [{**one, "seconds": _short(one["seconds"], 6)} for one in other["guilty"]]
    found["interference"] = {**other, "resources": resources, "guilty": guilty}
    return found


def _joined(estimate: dict[str, Any]) -> list[dict[str, Any]]:
    """Join hits of one resource that no screen can show apart."""
    apart = (estimate["end_ns"] - estimate["start_ns"]) / _COLUMNS
    found: list[dict[str, Any]] = []
    for hit in estimate["hits"]:
        last = found[-1] if found else None
        near = last is not None and hit["end_ns"] - last["start_ns"] <= apart
        if last and near and hit["resource"] == last["resource"]:
            last["end_ns"] = max(last["end_ns"], hit["end_ns"])
            last["seconds"] += hit["seconds"]
        else:
            found.append(dict(hit))
    return [{**one, "seconds": _short(one["seconds"], 6)} for one in found]


def _short(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")
