"""The background of a job as a table, and its display."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from jostle.api import html
from jostle.api.rows import Step, columns_of, row_of
from jostle.api.table import Table, instants
from jostle.report.format.values import percent, quantity, rate
from jostle.report.models.job.background import JobBackground

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jostle.report.models.metrics import View
    from jostle.report.models.steps import Steps

_MOST = 10  # resources in a display


class Background(JobBackground):
    """The load of all other jobs on a job's resources; attributes as in `JobBackground`."""

    @property
    def job(self) -> str:
        """The name of the job."""
        return str(self.row["job"])

    def table(self) -> Table[Step]:
        """Return the values of the job and of the other jobs per slice, resource by resource."""
        lines = [(None, self.own), *((load.resource, load.lines) for load in self.resources)]
        return step_table(self.view, lines)

    def __repr__(self) -> str:
        number = len(self.resources)
        return (
            f"<Background {self.job}: {self.view.name} of {len(self.jobs)} jobs on {number} "
            f"resource{'s' if number != 1 else ''}>"
        )

    def _repr_html_(self) -> str:
        columns: list[tuple[str, html.Align]] = [
            ("", "left"),
            ("", "left"),
            ("in all", "right"),
            ("peak", "right"),
            ("", "left"),
        ]
        rows = []
        whole = [(self.job, "", self.own, html.OWN)]
        whole += [
            (
                f"others on {load.resource}",
                "" if load.share is None else f"{percent(load.share)} of the load there",
                load.lines,
                html.OTHERS,
            )
            for load in self.resources[:_MOST]
        ]
        for name, note, lines, colour in whole:
            for place, (line, steps) in enumerate(zip(self.view.lines, lines, strict=True)):
                first = f"{html.name(name)}<br>{html.note(note)}" if note else html.name(name)
                rows.append(
                    [
                        first if place == 0 else "",
                        html.text(line.label),
                        "-"
                        if self.view.level
                        else html.text(quantity(float(steps.values.sum()), self.view.unit)),
                        html.text(self._peak(steps)),
                        html.spark(steps.values, f"{line.label} of {name} over time", colour),
                    ]
                )
        return html.box(html.head(self.job, self.view.title.lower()), html.table(columns, rows))

    def _peak(self, steps: Steps) -> str:
        peak = float(steps.values.max(initial=0.0))
        if self.view.level:
            return quantity(peak, self.view.unit)
        return rate(peak / (steps.slice_ns / 1e9), self.view.unit)


def step_table(view: View, groups: Sequence[tuple[str | None, Sequence[Steps]]]) -> Table[Step]:
    """Return the values of all lines of a view as one table, with a row per line and slice.

    Args:
        view: The view that names the lines and their metrics.
        groups: Pairs of a resource and the time series of the view's lines on it. The resource is
            None for the values of the job itself.
    """
    schema = pa.schema(
        [
            ("resource", pa.string()),
            ("line", pa.string()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("value", pa.float64()),
        ]
    )
    parts = [
        pa.table(
            {
                "resource": pa.array([resource] * len(steps.values), pa.string()),
                "line": [line.label] * len(steps.values),
                "start": steps.edges[:-1],
                "end": steps.edges[1:],
                "value": steps.values,
            },
            schema=schema,
        )
        for resource, lines in groups
        for line, steps in zip(view.lines, lines, strict=True)
    ]
    whole = pa.concat_tables(parts)
    for name in ("start", "end"):
        index = whole.column_names.index(name)
        whole = whole.set_column(index, name, instants(whole.column(name)))
    return Table(whole, row_of(Step), f"steps ({view.unit})", shown=columns_of(Step), fine=True)
