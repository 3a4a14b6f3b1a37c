"""Checks names of nodes, each of which has a folder with its name in the mirror."""

from __future__ import annotations

import re

from jostle.repository import MIRROR_MARKER

_NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
#: Names that the mirror itself uses; a node's name never begins with a dot.
RESERVED = frozenset({MIRROR_MARKER})
NODE_NAME_RULE = (
    "A name has letters, digits and - . _ only, at most 128, and begins with a letter or a digit; "
    f"{MIRROR_MARKER} is a file of the mirror."
)


def is_node_name(name: str) -> bool:
    """Return whether a node may have this name, whatever its credential is.

    Case is ignored in the comparison with the mirror's own names, since a mirror
    may be copied to a file system that ignores case.
    """
    return _NODE_NAME.fullmatch(name) is not None and name.lower() not in RESERVED
