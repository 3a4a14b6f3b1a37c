"""Reads files that describe fabrics, after recognising their formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jostle.files.regular_files import read_regular
from jostle.topology.errors import TopologyError, fault
from jostle.topology.formats import (
    blue_gene,
    cray,
    csv_links,
    infiniband,
    latencies,
    slurm,
    slurm_yaml,
    tables,
)
from jostle.topology.formats.source import Source
from jostle.topology.layout import some
from jostle.topology.model import Topology
from jostle.values.plain_values import one_line

#: Largest file; forwarding tables of a large fabric have some hundred megabytes.
MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class Format:
    """A format of files that describe fabrics.

    Attributes:
        name: Name of the format, for users.
        recognises: Function that returns whether a file has this format.
        read: Function that returns the fabrics that files of this format describe together.
    """

    name: str
    recognises: Callable[[Source], bool]
    read: Callable[[Sequence[Source], str], list[Topology]]


#: The first that recognises a file reads it.
FORMATS = (
    Format("a discovery of InfiniBand", infiniband.recognises, infiniband.read),
    Format("an interconnect of Cray", cray.recognises, cray.read),
    Format("Boxfish's tables", tables.recognises_boxfish, tables.read_boxfish),
    Format("DragonView's tables", tables.recognises_dragonview, tables.read_dragonview),
    Format("coordinates of Blue Gene", blue_gene.recognises, blue_gene.read),
    Format("Slurm's topology.yaml", slurm_yaml.recognises, slurm_yaml.read),
    Format("Slurm's topology.conf", slurm.recognises, slurm.read),
    Format("latencies between nodes", latencies.recognises, latencies.read),
    Format("a CSV of links", csv_links.recognises, csv_links.read),
)


def read_files(
    paths: Sequence[Path], name: str = "fabric", hosts: Path | None = None
) -> list[Topology]:
    """Read the fabrics that files describe together.

    Args:
        paths: Paths of files of one format, several if the format needs them.
        name: Name of the fabric; further ones get a number after it, or the name in the file.
        hosts: File with lines `NAME,HOST`: the host names of nodes with different names in the
            files; `*,*.site` applies to all others, here with a domain after them.

    Raises:
        TopologyError: A file cannot be read, or is malformed, or of no known kind.
    """
    fabrics = read_sources([source_of(path) for path in paths], name)
    return fabrics if hosts is None else _renamed(fabrics, source_of(hosts))


def read_sources(sources: Sequence[Source], name: str) -> list[Topology]:
    """Read the fabrics that texts describe together.

    Raises:
        TopologyError: A text is malformed, or of no known kind.
    """
    kinds = [_format_of(source) for source in sources]
    if other := next((k for k, kind in enumerate(kinds) if kind != kinds[0]), 0):
        raise fault(
            sources[other].name,
            0,
            f"it is {kinds[other].name}, and {sources[0].name} is {kinds[0].name}",
            "Import the fabrics one by one.",
        )
    try:
        fabrics = kinds[0].read(sources, name)
    except ValueError as error:
        raise fault(sources[0].name, 0, str(error), "Correct the names in the file.") from None
    if not fabrics:
        raise fault(
            sources[0].name,
            0,
            "no node in it is linked to anything",
            "Say which vertices are nodes; the reference page `topology` shows how.",
        )
    return fabrics


def source_of(path: Path) -> Source:
    """Read a file.

    Raises:
        TopologyError: The file cannot be read.
    """
    name = one_line(str(path))
    try:
        text = read_regular(path, MOST_BYTES).decode(errors="replace")
    except OSError as error:
        reason = error.strerror or str(error)
        raise fault(name, 0, f"it cannot be read: {reason}", "Name a file you can read.") from None
    if not text.strip():
        raise fault(name, 0, "it is empty", "Write the description of the fabric into it.")
    return Source(name, text)


def _format_of(source: Source) -> Format:
    for each in FORMATS:
        if each.recognises(source):
            return each
    raise fault(
        source.name,
        0,
        "jostle does not know its format",
        "`jostle topology import --help` lists the known formats.",
    )


def _renamed(fabrics: list[Topology], source: Source) -> list[Topology]:
    """Return fabrics with the host names that a file gives."""
    given: dict[str, str] = {}
    for line, text in source.numbered():
        name, comma, host = (part.strip() for part in text.partition(","))
        if text.lstrip().startswith("#") or (name, host) == ("name", "host"):
            continue
        if not comma or not name or not host or name in given:
            raise source.fault(
                line,
                f"`{text[:80]}` is not `NAME,HOST`, or the name is a duplicate",
                "Write a line `NAME,HOST` for each node.",
            )
        given[name] = host
    known = {host for fabric in fabrics for host in fabric.hosts} | {
        name for fabric in fabrics for name in fabric.vertices
    }
    missing = sorted(set(given) - known - {"*"})
    note = (
        (
            f"{source.name} names {len(missing)} nodes that the fabric does not have: "
            f"{some(missing)}.",
        )
        if missing
        else ()
    )
    return [replace(_with_hosts(fabric, given), notes=(*fabric.notes, *note)) for fabric in fabrics]


def _with_hosts(fabric: Topology, given: dict[str, str]) -> Topology:
    """Return a fabric with other host names; its vertices keep what distinguishes adapters."""
    hosts, names = [], []
    for vertex, host, adapter in zip(fabric.vertices, fabric.hosts, fabric.adapters, strict=True):
        others = given.get("*", "*").replace("*", host)
        other = given.get(vertex, given.get(host, others)) if host else ""
        end = vertex.removeprefix(host) if host and vertex.startswith(host) else f"/{adapter}"
        hosts.append(other)
        names.append(f"{other}{end}".rstrip("/") if other != host else vertex)
    if len(set(names)) < len(names):
        doubled = sorted({name for name in names if names.count(name) > 1})
        raise TopologyError(
            f"Two adapters would have the name {some(doubled)}.",
            hint="Give each node its own host name.",
        )
    return replace(fabric, hosts=tuple(hosts), vertices=tuple(names))
