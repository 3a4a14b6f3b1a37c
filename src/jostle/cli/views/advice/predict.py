"""Shows predictions as text and tables: losses of concurrent loads, and how many fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, table
from jostle.report.format.values import count

if TYPE_CHECKING:
    from jostle.analysis.kinds import Capacity, Prediction
    from jostle.analysis.kinds.predict import CapacityPoint, PredictedLoss

_BAR = 30  # characters of a loss of 100 %


def prediction_view(found: Prediction) -> Iterator[Any]:
    """Yield the predicted loss of each load."""
    worst = max(found.losses, key=lambda each: each.percent)
    yield heading(
        f"{worst.name} will lose {worst.percent:.0f} % of its run time",
        f"  ({worst.low:.0f} to {worst.high:.0f} %)"
        + (f" on {found.mount}" if found.mount else ""),
    )
    yield ""
    frame = table(["=load", "=kind", ">loses", ">90 % interval", ">fair share", "=based on"])
    for each in found.losses:
        frame.add_row(
            each.name,
            each.kind,
            f"{each.percent:.0f} %",
            f"{each.low:.0f} to {each.high:.0f} %",
            f"{each.fair_percent:.0f} %",
            _rests_on(each),
        )
    yield fit(frame, "kind", "fair share")
    yield from _notes(found)


def _rests_on(each: PredictedLoss) -> str:
    if each.outside:
        return "fair share: no similar pair is known"
    pairs = f"{count(each.pairs)} similar pair{'' if each.pairs == 1 else 's'}"
    return pairs if each.pairs else "pairs of other kinds"


def capacity_view(found: Capacity) -> Iterator[Any]:
    """Yield the number that may run at once, and the curve."""
    more = " or more" if found.open_ended else ""
    where = f" on {found.mount}" if found.mount else ""
    yield heading(
        f"{count(found.at_once)}{more} of {found.name} may run at once{where}",
        f"  each loses up to {found.limit_percent:.0f} %; with certainty {count(found.surely)}",
    )
    yield f"  kind: {found.kind}"
    yield ""
    frame = table([">at once", ">each loses", ">90 % interval", "="])
    for point in found.curve:
        frame.add_row(
            count(point.jobs),
            f"{point.percent:.0f} %",
            f"{point.low:.0f} to {point.high:.0f} %",
            _bar(point),
        )
    yield frame
    yield from _notes(found)


def _bar(point: CapacityPoint) -> str:
    return "#" * round(_BAR * point.percent / 100)


def _notes(found: Prediction | Capacity) -> Iterator[str]:
    yield ""
    yield f"learned from {count(found.learned)} pairs of kinds that ran together"
    yield from (f"note: {limit}" for limit in found.limits)
