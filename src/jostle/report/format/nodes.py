"""Texts on persistent differences between nodes, for web pages, plots and the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.report.format.values import count, percent, points, significant

if TYPE_CHECKING:
    from jostle.analysis.nodes import Difference, NodeDifferences, Unassessed
    from jostle.report.models.machines.node_gpus import Slowed

_KINDS = {
    "machine": ("machine", "machines"),
    "nfs_mount": ("NFS mount", "NFS mounts"),
    "lustre_mount": ("Lustre mount", "Lustre mounts"),
    "gpfs_mount": ("GPFS mount", "GPFS mounts"),
    "ceph_mount": ("CephFS mount", "CephFS mounts"),
    "ceph_osd": ("object server", "object servers"),
    "ceph_mds": ("metadata server", "metadata servers"),
    "ceph_request": ("requests", "requests"),
    "ceph_client": ("client", "clients"),
    "lustre_ost": ("OST", "OSTs"),
    "lustre_mdt": ("MDT", "MDTs"),
    "lustre_job": ("requests to", "requests"),
    "nfs_server": ("NFS server", "NFS servers"),
    "gpfs_disk": ("GPFS disk", "GPFS disks"),
    "port": ("fabric port", "fabric ports"),
    "interface": ("network interface", "network interfaces"),
    "gpu": ("GPU", "GPUs"),
    "job_gpu": ("GPU", "GPUs"),
    "job_mount": ("mount", "mounts"),
    "job_cores": ("node", "nodes"),
    "job_memory": ("memory of a node", "memories of nodes"),
}


def kind_of(kind: str, *, many: bool = False) -> str:
    """Return the name of a kind of component for users."""
    return _KINDS.get(kind, (kind, f"{kind}s"))[many]


def what_of(each: Difference) -> str:
    """Return the component, and which of its numbers is worse: `disk sda: throughput when busy`."""
    return f"{part_of(each)}: {each.figure}"


def part_of(each: Difference) -> str:
    """Return the part of a machine that is worse: `disk sda`, `cores`."""
    if each.kind in ("machine", "job_cores"):
        return "memory" if each.figure == "memory" else "cores"
    if each.kind == "job_memory":
        return "memory"
    return f"{kind_of(each.kind)} {each.component}"


def size_of(each: Difference) -> str:
    """Format a difference from the peers: `25 % more (20 to 30)`, `12 % of CPU time; peers 3 %`."""
    if each.own is not None and each.peers_rate is not None:
        if each.unit.startswith("s of "):
            return f"{percent(each.own)} of {each.unit[5:]}; peers {percent(each.peers_rate)}"
        peers = _rate(each.peers_rate) if each.peers_rate > 0 else "none"
        return f"{_rate(each.own)} per {each.unit}; peers {peers}"
    ends = sorted((abs(each.percent.low), abs(each.percent.high)))
    value = points(abs(each.percent.value))
    within = " to ".join(points(end, like=each.percent.value) for end in ends)
    same = points(ends[0], like=each.percent.value) == points(ends[1], like=each.percent.value)
    return f"{value} % {each.worse}" + ("" if same else f" ({within})")


def slowed_words(each: Slowed) -> str:
    """Return a GPU's slowdown: `power or heat lowered its clock 30 % of the time: 694 W of 700`."""
    alongside = []
    if each.watts > 0:
        limit = f" of {each.limit_watts:.0f}" if each.limit_watts else ""
        alongside.append(f"{each.watts:.0f} W{limit}")
    if each.celsius:
        alongside.append(f"up to {each.celsius:.0f} °C")
    words = f"power or heat lowered its clock {percent(each.share)} of the time"
    return f"{words}: {', '.join(alongside)}" if alongside else words


def _rate(value: float) -> str:
    return significant(value) if value >= 0.01 else f"{value:.1g}"


def answer(content: NodeDifferences) -> str:
    """Return a sentence on the machines that are persistently worse than their peers."""
    if not content.comparisons:
        return "Nothing could be compared."
    hosts = list(dict.fromkeys(each.host for each in content.differences))
    if not hosts:
        return "No machine is persistently worse than its peers."
    if len(hosts) == 1:
        return f"{hosts[0]} is persistently worse than its peers."
    named = f"{', '.join(hosts[:3])}{f' and {len(hosts) - 3} more' if len(hosts) > 3 else ''}"
    return f"{count(len(hosts))} machines are persistently worse than their peers: {named}."


def watched(content: NodeDifferences) -> str:
    """Return sentences on how many components were compared, and on the rate of false findings."""
    return (
        f"{_many(content.components, 'component')} of {_many(content.machines, 'machine')}, "
        f"{_many(content.days, 'day')}. Of these findings, {100 * content.fdr:.0f} % or less are "
        "expected to be chance."
    )


def _many(number: int, noun: str) -> str:
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def not_assessed(each: Unassessed) -> str:
    """Return which components could not be assessed, and why."""
    what = f"{count(each.components)} {kind_of(each.kind, many=each.components != 1)}"
    hosts = ", ".join(each.hosts) + (" ..." if each.components > len(each.hosts) else "")
    if each.why == "too few days":
        need = f"busy on {_many(each.most, 'day')} at most"
    elif each.most == 0:
        need = "no peer of similar hardware"
    else:
        need = f"{_many(each.most, 'peer')} of similar hardware at most"
    noun = "days" if each.why == "too few days" else "peers"
    return f"Not assessed: {what} ({hosts}): {need}; {each.least} {noun} are needed."
