"""Measures where jobs sit in a fabric, and whether that explains how fast they are (Bhatele).

Public interface:
    Ground: a fabric prepared for measuring; its `shape` measures one placement.
    Shape, Box, Touched: that.
    Stay: a job, where and when. company: what it has in common with others at its time.
    Company, Meeting: that.
    communicators: hops of each communicator of a job. CommunicatorShape: that.
"""

from __future__ import annotations

from jostle.analysis.placement.communicators import communicators
from jostle.analysis.placement.company import Stay, company
from jostle.analysis.placement.ground import Ground
from jostle.analysis.placement.model import (
    Box,
    CommunicatorShape,
    Company,
    Meeting,
    Shape,
    Touched,
)

__all__ = [
    "Box",
    "CommunicatorShape",
    "Company",
    "Ground",
    "Meeting",
    "Shape",
    "Stay",
    "Touched",
    "communicators",
    "company",
]
