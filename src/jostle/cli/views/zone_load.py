"""Shows the load of others on the links of a zone: charts, table of links, and sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import table
from jostle.cli.views.charts import panel
from jostle.report.format.values import byte_count, count, percent
from jostle.report.models.metrics import View, ViewLine
from jostle.report.models.steps import Steps

if TYPE_CHECKING:
    from jostle.plot import Panel
    from jostle.report.models.machines.zone_load import Floats, ZoneLink, ZoneLoad

#: Most links of the table; `--json` has all.
_MOST_LINKS = 12
#: Least part that is reported in a sentence.
_FEW = 0.005


def zone_panels(load: ZoneLoad, job: str, about: str, zone: str, lasted_s: float) -> list[Panel]:
    """Return the panels of a zone: the job, the others, and the counters of ports.

    Args:
        load: Load of the zone.
        job: Name of the job.
        about: Short description of the job.
        zone: Name of the zone from the user.
        lasted_s: Run time of the job, in seconds.
    """

    def one(title: str, note: str, lines: dict[str, Floats]) -> Panel:
        view = View("bytes", title, "bytes", False, tuple(ViewLine(label, ()) for label in lines))
        drawn = [Steps(load.first, load.step_ns, values, lasted_s) for values in lines.values()]
        return panel(title, note, view, drawn)

    others = {"minimal routes" if load.others_high is not None else "routed": load.others}
    if load.others_high is not None:
        others["Valiant routes"] = load.others_high
    panels = [
        one(f"{job} on {zone}", about, {"routed": load.own}),
        one(f"others on {zone}", f"network {load.fabric}", others),
    ]
    if load.measured is not None:
        note = f"{count(load.counted)} of {count(load.count)}"
        panels.append(
            one(
                "all on links with counters",
                note,
                {"measured": load.measured, "routed": load.routed_there},
            )
        )
    return panels


def zone_view(load: ZoneLoad, zone: str) -> Iterator[Any]:
    """Yield the links of a zone, and the sources of their loads."""
    if not load.links:
        yield f"Nothing crossed the {count(load.count)} links of {zone} meanwhile."
    else:
        yield _links(load)
        if len(load.links) > _MOST_LINKS:
            yield f"{count(len(load.links) - _MOST_LINKS)} more links; --json has them all."
    yield from notes(load)


def notes(load: ZoneLoad) -> Iterator[str]:
    """Yield sentences on the sources of the load of others."""
    if load.others_high is not None:
        yield (
            "Routing is adaptive here, so the true load lies between that with minimal and that "
            "with Valiant routes."
        )
    if load.modelled >= _FEW:
        yield (
            f"{percent(load.modelled)} of others' load is modelled: collectives, expanded by "
            "stated algorithms."
        )
    if load.spread >= _FEW:
        yield (
            f"{percent(load.spread)} of others' load has no known partners, so it is spread evenly "
            "over the nodes of its job."
        )
    if load.lost > 0:
        yield f"{byte_count(load.lost)} of others have an end that is not in this fabric."


def _links(load: ZoneLoad) -> Any:
    measured = any(link.measured is not None for link in load.links)
    columns = ["=link", ">own", ">others", *([">measured"] if measured else []), "most by"]
    rows = table(columns)
    for link in load.links[:_MOST_LINKS]:
        counted = (
            [] if not measured else ["" if link.measured is None else byte_count(link.measured)]
        )
        most = link.jobs[0].job if link.jobs else ""
        rows.add_row(link.name, byte_count(link.own), _others(link), *counted, most)
    return rows


def _others(link: ZoneLink) -> str:
    low, high = sorted((link.others, link.others_high))
    if high - low <= 0.01 * high:
        return byte_count(high)
    return f"{byte_count(low)} to {byte_count(high)}"
