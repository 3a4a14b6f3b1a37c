"""A verdict as a page draws it: of a day, the whole of it is megabytes that nobody looks at."""

from __future__ import annotations

from typing import Any


def drawn(verdict: dict[str, Any]) -> dict[str, Any]:
    """Leaves out what no page draws.

    Args:
        verdict: A verdict as the API gives it; it is not changed.

    Returns:
        The same, but: hits only where no slice is known to be guilty, steps only of the resource
        that cost most and without loads, and these numbers as exactly as a screen shows them.
    """
    other = verdict["interference"]
    if other is None:
        return verdict
    found = dict(verdict)
    if other["guilty"]:
        found["estimate"] = {**verdict["estimate"], "hits": []}
    resources = [
        {**one, "own_load": [], "others_load": [],
         "steps_ns": [] if at else one["steps_ns"],
         "service": [] if at else [_short(value, 4) for value in one["service"]]}
        for at, one in enumerate(other["resources"])
    ]  # fmt: skip
    guilty = [{**one, "seconds": _short(one["seconds"], 6)} for one in other["guilty"]]
    found["interference"] = {**other, "resources": resources, "guilty": guilty}
    return found


def _short(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")
