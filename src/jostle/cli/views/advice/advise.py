"""Shows the advice on a job as text: what to change, lines to paste, saving, and cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import heading, pasted
from jostle.cli.views.interference import seconds_text
from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.analysis.advise import Recommendation, Recommendations


def advice_view(given: Recommendations) -> Iterator[Any]:
    """Yield the advice, the greatest saving first."""
    lost = seconds_text(given.lost) if given.lost.value > 0 else "nothing that can be shown"
    yield heading(given.job, f" ran for {duration(1e9 * given.run_s)} and lost {lost} to others.")
    if given.nothing:
        yield from ("", given.nothing)
    for number, each in enumerate(given.found, 1):
        yield from ("", heading(f"{number}. {each.lever[:1].upper()}{each.lever[1:]}"))
        yield f"   seen: {each.seen}"
        yield from (pasted(f"   {text}") for text in each.texts)
        yield f"   saves: {_saving(each, given.run_s)}"
        yield f"   who pays: {each.pays}"
        yield f"   not if: {each.unless}"


def _saving(advice: Recommendation, run_s: float) -> str:
    if advice.saving is None:
        return advice.saving_words
    part = 100 * advice.saving.value / run_s if run_s else 0.0
    return f"{seconds_text(advice.saving)}, {part:.0f} % of the run: {advice.saving_words}"
