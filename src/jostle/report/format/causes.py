"""Names of causes of lost time, the same on web pages and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import CauseKind, CauseName

CAUSES: dict[CauseName, str] = {
    "file system": "file system",
    "network": "network",
    "memory or cpu": "memory or CPU (messages within the node)",
    "memory": "memory",
    "cpu": "CPU",
    "gpu": "GPU",
    "bus": "transfers of GPUs",
    "unknown": "cause unknown",
}
_KINDS: dict[CauseKind, str] = {
    "": "",
    "core speed": ", slower cores",
    "steal": ", steal time",
    "capped": ", slower cores: frequency limit",
    "heat": ", slower cores: throttled by heat",
    "power limit": ", slower cores: limited power",
    "quota": ", stopped by its own CPU limit",
}
#: Text for the level of a kind, where it is known.
_LEVELS: dict[CauseKind, str] = {
    "capped": " at {:.1f} GHz",
    "heat": " ({:.0f} °C)",
    "power limit": " ({:.0f} W)",
}


def cause_words(cause: CauseName, kind: CauseKind = "", level: float = 0.0) -> str:
    """Return a cause in words, with its kind and level where known: `CPU, slower cores`."""
    how = _LEVELS[kind].format(level) if level > 0 and kind in _LEVELS else ""
    return CAUSES[cause] + _KINDS[kind] + how
