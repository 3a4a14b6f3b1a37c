"""Reads the output of `jostle topology probe`: the latency between each two nodes."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np

from jostle.topology.formats.source import Source
from jostle.topology.guess import guess
from jostle.topology.model import Topology

_HEADER = ["a", "b", "latency_ns"]
#: Most nodes of which all pairs fit into the memory.
_MOST_NODES = 5000


def recognises(source: Source) -> bool:
    """Return whether a file is a CSV of latencies."""
    first = next((line for _, line in source.numbered()), "")
    return [name.strip() for name in first[:100].split(",")] == _HEADER


def read(sources: Sequence[Source], name: str) -> list[Topology]:
    """Return a fabric with the groups of nodes that the latencies suggest.

    Raises:
        TopologyError: A row is malformed, or a pair is missing.
    """
    if len(sources) != 1:
        raise sources[1].fault(0, "there are two files of latencies", "Import one of them.")
    source = sources[0]
    pairs: dict[tuple[str, str], float] = {}
    reader = csv.reader(source.lines)
    try:
        for row in reader:
            if not row or row == _HEADER:
                continue
            a, b, latency = (cell.strip() for cell in row) if len(row) == 3 else ("", "", "")
            if not a or not b or a == b:
                raise source.fault(
                    reader.line_num,
                    "a row needs two nodes and a latency",
                    "Measure again with `jostle topology probe`.",
                )
            pairs[a, b] = pairs[b, a] = float(
                source.whole(reader.line_num, latency, "latency", 1, 10**12)
            )
    except csv.Error as error:
        raise source.fault(reader.line_num, f"it is not CSV: {error}", "Measure again.") from None
    hosts = sorted({a for a, _ in pairs})
    if not 2 <= len(hosts) <= _MOST_NODES:
        raise source.fault(0, f"it has {len(hosts)} nodes", "Measure 2 to 5000 nodes.")
    latencies = np.ones((len(hosts), len(hosts)))
    for i, a in enumerate(hosts):
        for j, b in enumerate(hosts):
            if i != j and (a, b) not in pairs:
                raise source.fault(
                    0,
                    f"the latency between `{a}` and `{b}` is missing",
                    "Measure again with `jostle topology probe`.",
                )
            latencies[i, j] = pairs.get((a, b), 1.0)
    return [guess(hosts, latencies, name)]
