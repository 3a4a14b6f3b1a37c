"""Finds late ranks, for which the others of their MPI world waited: since when, and why."""

from __future__ import annotations

from jostle.analysis.waits.model import JobWaits, Straggler, WorldWaits
from jostle.analysis.waits.waits import waits_of

__all__ = ["JobWaits", "Straggler", "WorldWaits", "waits_of"]
