"""Parses names of nodes, switches and ports of HPE Slingshot systems: `x1000c0s0b0n0`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NODE = re.compile(r"(x\d{1,5}c\d{1,2}s\d{1,3}b\d{1,2}n\d{1,2})(?:h(\d{1,2}))?")
_SWITCH = re.compile(r"(x\d{1,5}c\d{1,2}r\d{1,3})(?:b(\d))?(?:(a\d)?(j\d{1,3}(?:p\d)?))?")


@dataclass(frozen=True)
class Xname:
    """The parts of a fabric that an xname (such as `x1000c0s0b0n0h0`) denotes.

    Attributes:
        vertex: The switch (`x3000c0r24b0`), or the node's adapter (`x1000c0s0b0n0/h0`).
        host: The node (`x1000c0s0b0n0`); "" for a switch.
        adapter: The node's adapter: `h0`; "" if the name has none.
        port: The switch's port (`j4p0`); "" if the name has none.
    """

    vertex: str
    host: str
    adapter: str
    port: str


def xname(name: str) -> Xname | None:
    """Parse a name of Slingshot; None if the text is no such name."""
    if match := _NODE.fullmatch(name):
        adapter = f"h{match[2]}" if match[2] else ""
        return Xname(f"{match[1]}/{adapter}".rstrip("/"), match[1], adapter, "")
    if match := _SWITCH.fullmatch(name):
        return Xname(f"{match[1]}b{match[2] or 0}", "", "", match[4] or "")
    return None
