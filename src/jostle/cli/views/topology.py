"""Shows fabrics as text and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import heading, table
from jostle.report.format.values import count, local_time, significant

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.report.models.machines.fabrics import Fabric, Outside
    from jostle.topology.store import Saved
    from jostle.topology.summary import Links, Summary


def since(valid_from_ns: int) -> str:
    """Return the date from which a version is valid, as text."""
    return f"from {local_time(valid_from_ns)} on" if valid_from_ns else "always"


def fabric_view(fabric: Fabric) -> Iterator[Any]:
    """Yield a fabric: its kind, links, versions and notes."""
    newest = fabric.newest
    yield from summary_view(newest)
    if len(fabric.versions) > 1:
        yield ""
        yield f"  {len(fabric.versions)} versions:"
        for version in fabric.versions:
            when = since(version.valid_from_ns) if version.valid_from_ns else "from the beginning"
            first = f"{count(version.nodes)} nodes, {count(version.switches)} switches"
            yield f"    {when}: {' '.join(version.changes) or first}"


def summary_view(content: Summary) -> Iterator[Any]:
    """Yield the description of one version of a fabric."""
    yield heading(content.name, f"  {content.shape}, valid {since(content.valid_from_ns)}")
    more = f" with {count(content.adapters)} adapters" if content.adapters > content.nodes else ""
    planes = f" in {content.planes} planes" if content.planes > 1 else ""
    yield f"  {count(content.nodes)} nodes{more}{planes}; {_switches(content)}"
    yield f"  read from {content.origin}{_routes(content)}" if content.origin else ""
    yield ""
    yield _links(content.links)
    if content.notes:
        yield ""
    yield from (f"  note: {note}" for note in content.notes)


def saved_view(saved: Saved, changes: list[str]) -> Iterator[str]:
    """Yield the result of importing a fabric."""
    topology = saved.topology
    if saved.change == "unchanged":
        words = f"the version that is valid {since(topology.valid_from_ns)} has the same content"
        yield f"`{topology.name}` is unchanged: {words}. Nothing was written."
        return
    word = {"new": "is new", "version": "has a new version", "replaced": "was replaced"}
    yield f"`{topology.name}` {word[saved.change]}, valid {since(topology.valid_from_ns)}."
    for sentence in changes:
        yield f"  {sentence}"


def outside_words(outside: Outside) -> list[str]:
    """Return sentences on nodes of jobs that are in no fabric; none if all are in one."""
    if not outside.missing:
        return []
    names = ", ".join(outside.missing[:5])
    more = f" and {len(outside.missing) - 5} more" if len(outside.missing) > 5 else ""
    sentences = [
        f"{len(outside.missing)} of {outside.hosts} nodes that jobs ran on are in no "
        f"fabric: {names}{more}."
    ]
    for host, node in list(outside.alike.items())[:3]:
        sentences.append(
            f"`{host}` may be the node that a fabric calls `{node}`; say so with "
            "`jostle topology import --hosts FILE`."
        )
    return sentences


def _switches(content: Summary) -> str:
    total = sum(number for _, number in content.switches)
    if len(content.switches) == 1:
        return f"{count(total)} switch{'es' * (total != 1)}"
    parts = ", ".join(f"{count(number)} on {what}" for what, number in content.switches)
    return f"{count(total)} switches: {parts}"


def _routes(content: Summary) -> str:
    return f", with the forwarding tables of {count(content.routed)} switches" * (
        content.routed > 0
    )


def _links(links: tuple[Links, ...]) -> Table:
    frame = table(["  links", ">cables", ">rate of each"])
    for each in links:
        rates = " to ".join(
            dict.fromkeys((_rate(each.rates[0]), _rate(each.rates[-1])))
            if each.rates
            else ["unknown"]
        )
        frame.add_row(f"  {each.between}", count(each.cables), rates)
    return frame


def _rate(bits: float) -> str:
    for unit, scale in (("Tbit/s", 1e12), ("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits >= scale:
            return f"{significant(bits / scale)} {unit}"
    return f"{significant(bits)} bit/s"
