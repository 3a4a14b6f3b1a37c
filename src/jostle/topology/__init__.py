"""Fabrics (networks of nodes and switches), read from the files that sites have.

The package's interface:
    Topology: one version of a fabric, valid from a date on.
    valid_at: the version of a fabric that is valid at a time.
    torus, fat_tree, dragonfly: create regular topologies.

Further modules: `reading.read_files` reads the fabrics that a site's files describe,
`store.topologies_of` and `store.save` read and write those in a repository, and `summary` has the
sizes and links of a fabric.

Nothing here depends on jobs or traffic.
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
