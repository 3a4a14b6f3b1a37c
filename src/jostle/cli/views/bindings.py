"""Shows the advice on bindings as text: what to change, text to paste, and who bears the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import heading, pasted
from jostle.report.format.values import byte_count, duration

if TYPE_CHECKING:
    from jostle.analysis.binding.model import BindingAdvice


def binding_view(advice: Sequence[BindingAdvice]) -> Iterator[Any]:
    """Yield the problems that a different binding would fix; none if there are none."""
    if not advice:
        return
    yield from ("", heading("Problems that a different binding would fix"))
    for number, each in enumerate(advice, 1):
        yield heading(f"{number}. {each.lever}", f": {each.seen}.")
        yield from (pasted(f"   {text}") for text in each.texts)
        yield f"   concerned: {concerned(each)}"
        yield f"   saving: {saving(each)}"
        yield f"   who pays: {each.pays}"
        yield f"   not if: {each.unless}"


def concerned(advice: BindingAdvice) -> str:
    """Return how many bytes or seconds the advice is about, as text."""
    time = duration(advice.seconds * 1e9)
    if advice.rule == "far adapter":
        return f"{byte_count(advice.bytes)} that adapters carried, of all jobs"
    if advice.rule == "same cores":
        return f"{time} of waiting for a core, summed over threads"
    return f"{byte_count(advice.bytes)} of copies in {time}, summed over processes"


def saving(advice: BindingAdvice) -> str:
    """Return the predicted saving, or why there is none."""
    if advice.saving_s is None:
        return advice.saving
    low, middle, high = (duration(s * 1e9) for s in advice.saving_s)
    between = "" if low == high else f" ({low} to {high}: the slowest and the fastest of these)"
    return f"{middle} of copies, {advice.saving}{between}"
