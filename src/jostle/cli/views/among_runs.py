"""A digest's figures among its program's other runs, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jostle.analysis.digest.among_runs import side
from jostle.cli.output import fit, heading, table
from jostle.report.format.values import byte_count, count, seconds

_TEXTS = {"bytes": byte_count, "ops": count, "s": seconds}


def figures_view(figures: Mapping[str, Any]) -> Iterator[Any]:
    """Yield lines and a table; nothing if the program has no other run.

    Args:
        figures: As `jostle.report.models.among_runs.figures_of` gives it.
    """
    runs, processes = figures["runs"], figures["processes"]
    if not runs:
        return
    rest = f" {count(runs)} other run{'s' if runs != 1 else ''} of {figures['program']}"
    if processes:
        rest += f" with {count(processes)} process{'es' if processes != 1 else ''}"
    yield from ("", heading("Among", rest))
    names = figures["others"] or ["least", "quarter", "median", "3 quarters", "most"]
    frame = table(["=", ">this run", *(f">{name}" for name in names), "=this run is"])
    for row in figures["figures"]:
        write, others = _TEXTS[row["unit"]], row["others"]
        values = others["values"] or [others[at] for at in ("min", "q1", "median", "q3", "max")]
        places = map(write, values)
        frame.add_row(row["name"], write(row["total"]), *places, side(row["total"], others))
    quarters = () if figures["others"] else ("quarter", "3 quarters")
    yield fit(frame, *quarters, "this run is")
