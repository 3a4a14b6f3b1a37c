"""Reduces a verdict to the part that a page draws: the verdict on a run of a day has megabytes."""

from __future__ import annotations

from typing import Any

_COLUMNS = 2000


def page_payload(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a verdict that pages draw.

    Args:
        verdict: A verdict as the API returns it; it is not changed.

    Returns:
        The verdict with these changes:

        - If there are slices with interference, hits that a screen cannot distinguish are joined.
        - Only the first resource, which cost most, has time series; series of loads are left out.
        - Numbers in these series and hits are rounded to the digits that a screen shows.
    """
    other = verdict["interference"]
    if other is None:
        return verdict
    payload = dict(verdict)
    if other["disturbed"]:
        payload["estimate"] = {**verdict["estimate"], "hits": _joined(verdict["estimate"])}
    resources = [
        {
            **loss,
            "own_load": [],
            "others_load": [],
            "steps_ns": [] if rank else loss["steps_ns"],
            "service": [] if rank else [_short(value, 4) for value in loss["service"]],
        }
        for rank, loss in enumerate(other["resources"])
    ]
    disturbed = [{**cut, "seconds": _short(cut["seconds"], 6)} for cut in other["disturbed"]]
    payload["interference"] = {**other, "resources": resources, "disturbed": disturbed}
    return payload


def _joined(estimate: dict[str, Any]) -> list[dict[str, Any]]:
    """Join hits on the same resource that no screen can distinguish; leave out their parts."""
    apart = (estimate["end_ns"] - estimate["start_ns"]) / _COLUMNS
    joined: list[dict[str, Any]] = []
    for hit in estimate["hits"]:
        last = joined[-1] if joined else None
        near = last is not None and hit["end_ns"] - last["start_ns"] <= apart
        if last and near and hit["resource"] == last["resource"]:
            last["end_ns"] = max(last["end_ns"], hit["end_ns"])
            last["seconds"] += hit["seconds"]
        else:
            joined.append({**hit, "parts": []})
    return [{**hit, "seconds": _short(hit["seconds"], 6)} for hit in joined]


def _short(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")
