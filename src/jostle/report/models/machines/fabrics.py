"""The fabrics of a repository: sizes of their versions, and nodes of jobs that are in no fabric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.repository.store.fabrics import fabrics_folder
from jostle.topology.store import load_all
from jostle.topology.summary import Summary, changes, summary
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle.topology import Topology, TopologyError


@dataclass(frozen=True)
class Outside:
    """Nodes of jobs that are in no fabric.

    Attributes:
        hosts: Number of the nodes that jobs ran on.
        missing: Names of those nodes that are in no version of any fabric.
        alike: For a missing node, the only node of a fabric whose name is the same up to the first
            dot.
    """

    hosts: int
    missing: tuple[str, ...]
    alike: dict[str, str]


@dataclass(frozen=True)
class Version:
    """A version of a fabric.

    Attributes:
        valid_from_ns: Date from which it is valid, ns since the epoch; 0: always.
        nodes: Number of nodes.
        switches: Number of switches.
        changes: Differences from the previous version, as sentences.
    """

    valid_from_ns: int
    nodes: int
    switches: int
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Fabric:
    """A fabric: the size of its newest version, and all its versions, the oldest first."""

    newest: Summary
    versions: tuple[Version, ...]


@dataclass(frozen=True)
class Fabrics:
    """The fabrics of a repository.

    Attributes:
        fabrics: The fabrics by name.
        outside: Nodes of jobs that are in no fabric.
        damaged: Sentences on files that cannot be read, with the remedy.
    """

    fabrics: tuple[Fabric, ...]
    outside: Outside
    damaged: tuple[str, ...]


def fabrics(store: Repository, name: str | None = None) -> Fabrics:
    """Return the fabrics of a repository, or only the fabric with a name."""
    errors: list[TopologyError] = []
    known = load_all(fabrics_folder(store.path), errors)
    by_name: dict[str, list[Topology]] = {}
    for each in known:
        by_name.setdefault(each.name, []).append(each)
    chosen = [_fabric(versions) for own, versions in by_name.items() if name in (None, own)]
    damaged = tuple(f"{error} {error.hint}" for error in errors)
    return Fabrics(tuple(chosen), outside(known, hosts_of_jobs(store)), damaged)


def hosts_of_jobs(store: Repository) -> list[str]:
    """Return the nodes on which the jobs of a repository ran."""
    rows = store.query("SELECT DISTINCT host FROM processes WHERE host IS NOT NULL ORDER BY host")
    return [host for host in rows.column("host").to_pylist() if host]


def outside(topologies: Iterable[Topology], hosts: Sequence[str]) -> Outside:
    """Return which nodes are in no version of any fabric."""
    known = {host for topology in topologies for host in topology.adapters_of}
    missing = tuple(host for host in hosts if host not in known)
    short: dict[str, list[str]] = {}
    for host in known:
        short.setdefault(host.partition(".")[0], []).append(host)
    alike = {
        host: others[0]
        for host in missing
        if len(others := short.get(host.partition(".")[0], [])) == 1
    }
    return Outside(len(hosts), missing, alike)


def fabrics_json(content: Fabrics) -> dict[str, Any]:
    """Return the fabrics as JSON."""
    return {
        "fabrics": [
            plain(each.newest) | {"versions": plain(each.versions)} for each in content.fabrics
        ],
        "outside": plain(content.outside),
        "damaged": list(content.damaged),
    }


def _fabric(versions: Sequence[Topology]) -> Fabric:
    rows = []
    before: Topology | None = None
    for each in versions:
        differences = changes(before, each) if before is not None else []
        switches = int(each.is_switch.sum())
        rows.append(
            Version(each.valid_from_ns, len(each.adapters_of), switches, tuple(differences))
        )
        before = each
    return Fabric(summary(versions[-1]), tuple(rows))
