"""Fabrics: how nodes and switches are linked, read from the files that sites have.

The package's interface:
    Topology: one fabric, as it was from a date on; valid_at: the version for a time.
    torus, fat_tree, dragonfly: regular ones.

Beside it: `reading.read_files`, the fabrics that a site's files describe; `store.topologies_of` and
`store.save`, those that a repository keeps; `summary`, a fabric in numbers.

Nothing here knows jobs or traffic.
"""

from jostle.topology.errors import TopologyError
from jostle.topology.model import LINK_KINDS, LinkKind, Topology, TopologyKind, valid_at
from jostle.topology.shapes import dragonfly, fat_tree, torus

__all__ = [
    "LINK_KINDS",
    "LinkKind",
    "Topology",
    "TopologyError",
    "TopologyKind",
    "dragonfly",
    "fat_tree",
    "torus",
    "valid_at",
]
