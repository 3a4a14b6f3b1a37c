"""Shows persistent differences between nodes as text and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, table
from jostle.report.format.nodes import answer, not_assessed, size_of, watched, what_of

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.analysis.nodes import NodeDifferences


def view(content: NodeDifferences) -> Iterator[Any]:
    """Yield the answer, worse components, and those that could not be assessed."""
    yield heading(answer(content))
    if content.comparisons:
        yield f"  {watched(content)}"
    if content.differences:
        yield from ("", _differences(content))
    if content.unassessed:
        yield ""
        yield from map(not_assessed, content.unassessed)


def _differences(content: NodeDifferences) -> Table:
    from jostle.analysis.nodes import date_of

    frame = table(["=node", "what is worse", "how much", "=since", ">days", ">peers"])
    for each in content.differences:
        frame.add_row(
            each.host,
            what_of(each),
            size_of(each),
            date_of(each.since_day),
            f"{each.worse_days} of {each.days}",
            str(each.peers),
        )
    return fit(frame, "peers")
