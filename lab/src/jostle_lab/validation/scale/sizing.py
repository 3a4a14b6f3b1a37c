"""Computes the machines that a site needs, from the costs of passes, HTTP requests and storage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jostle_lab.validation.scale.passes import PassCost, model_of
from jostle_lab.validation.scale.spools import SLICE_NS

PROCESSES = 48
SITES = (100, 1000, 10_000)
#: How often a shipper posts, s, unless the receiver asks for fewer posts: 500 posts/s in all.
_POST_S, _MOST_POSTS = 4.0, 500.0
#: Bytes of a process-slice in a profile (`jostle simulate site --as spools`), and how long it is in
#: the mirror: the length of jobs, h.
_PROFILE_BYTES, _JOB_HOURS = 200.0, 4.0
#: How often compaction writes a row at most: once for each tier.
_TIERS = 3
#: Greatest utilisation of a core that allows it to catch up after an outage.
_USED = 0.5


@dataclass(frozen=True)
class UnitCosts:
    """The measured costs of one unit of work.

    Attributes:
        posts_per_core: Number of HTTP POST requests, with data of 48 files each, that a receiver
            serves per second and core.
        node_bytes: Compressed bytes that a node sends per second, in a POST request every 4 s.
        stored_bytes: Bytes that one slice of one process takes in the repository.
    """

    posts_per_core: float
    node_bytes: float
    stored_bytes: float


def sizing_table(costs: Sequence[PassCost], unit: UnitCosts) -> list[str]:
    """Return a table, line by line, of what sites of 100, 1000 and 10 000 nodes need."""
    model = model_of(costs)
    compact_us = _TIERS * max(costs, key=lambda cost: cost.profiles * cost.slices).compact_us
    rows: dict[str, list[str]] = {}
    for nodes in SITES:
        every = max(_POST_S, nodes / _MOST_POSTS)
        slices = nodes * PROCESSES * 1e9 / SLICE_NS
        receive = nodes / every / unit.posts_per_core
        ingest = model.cores(nodes, PROCESSES, every)
        compact = slices * compact_us / 1e6
        mirror = slices * _PROFILE_BYTES * _JOB_HOURS * 3600
        cells = {
            "process-slices per second": f"{slices:,.0f}",
            "a node posts every": f"{every:g} s",
            "posts per second": f"{nodes / every:,.0f}",
            "network of a node, kB/s, at most": f"{unit.node_bytes / 1e3:.1f}",
            "network of all nodes, MB/s, at most": f"{nodes * unit.node_bytes / 1e6:.1f}",
            "receiver, cores used": f"{receive:.2f}",
            "ingest, cores used": f"{ingest:.2f}",
            "compaction, cores used": f"{compact:.2f}",
            "cores, half of them used": f"{max(2, -(-(receive + ingest + compact) // _USED)):.0f}",
            f"mirror, GB, with jobs of {_JOB_HOURS:g} h": f"{mirror / 1e9:,.0f}",
            "repository, GB a day": f"{slices * unit.stored_bytes * 86_400 / 1e9:,.1f}",
            "repository, TB a month": f"{slices * unit.stored_bytes * 86_400 * 30 / 1e12:,.2f}",
        }
        for name, cell in cells.items():
            rows.setdefault(name, []).append(cell)
    head = f"| {PROCESSES} processes a node | " + " | ".join(f"{n:,} nodes" for n in SITES) + " |"
    return [head, "|---" * (len(SITES) + 1) + "|"] + [
        f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows.items()
    ]
