"""The jobs of the demo of a network, and the fabric that they run on."""

from __future__ import annotations

from jostle_lab.validation.lab.messages import MessageJob

#: Four leaf switches with two nodes each, below one spine.
TOPOLOGY = "tree:4x2"
RATE = "20mbit"
SLICE_NS = 250_000_000
#: What the watched job needs alone is about 54 s.
_CHUNK, _ITERATIONS = "128KiB", 1000
#: Both are on at much the same times: time alone cannot distinguish them.
_QUIET = ((8.0, 4.0), (17.0, 4.0), (26.0, 4.0), (35.0, 4.0), (44.0, 4.0), (53.0, 4.0))
_LOUD = ((7.0, 4.5), (16.5, 4.0), (26.5, 4.5), (34.0, 4.0), (44.5, 4.0), (52.0, 4.5))

WATCHED, SHARER, LOUD = "watched", "sharer", "loud"


def jobs() -> list[MessageJob]:
    """Return the jobs: the watched one and the one that shares its links are on leaves 1 and 3."""
    return [
        MessageJob(WATCHED, ("node1", "node5"), _CHUNK, iterations=_ITERATIONS),
        MessageJob(SHARER, ("node2", "node6"), _CHUNK, bursts=_QUIET, harm=True),
        MessageJob(LOUD, ("node3", "node7"), _CHUNK, bursts=_LOUD),
    ]
