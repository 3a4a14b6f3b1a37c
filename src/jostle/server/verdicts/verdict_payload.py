"""The part of a verdict that a page draws: the whole verdict on a day's run takes megabytes."""

from __future__ import annotations

from typing import Any

_COLUMNS = 2000


def page_payload(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict without what no page draws.

    Args:
        verdict: A verdict as the API returns it; it is not changed.

    Returns:
        The same, except: where there are guilty slices, hits are joined to as many spans as a
        screen can show; only the resource that cost most has steps, without loads; and these
        numbers are rounded to what a screen shows.
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
    """Join hits on one resource that no screen can show apart."""
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
