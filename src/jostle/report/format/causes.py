"""Causes of lost time in words, the same on a page and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import CauseKind, CauseName

CAUSES: dict[CauseName, str] = {
    "file system": "file system", "network": "network",
    "memory or cpu": "memory or CPU (messages within the node)", "cpu": "CPU",
    "unknown": "cause unknown",
}  # fmt: skip
_KINDS: dict[CauseKind, str] = {
    "": "",
    "core speed": ", slower cores",
    "steal": ", kept by the host",
}


def cause_words(cause: CauseName, kind: CauseKind = "") -> str:
    """Return a cause in words, with its kind if that is known: `CPU, slower cores`."""
    return CAUSES[cause] + _KINDS[kind]
