"""Measures the placement of jobs in a fabric, and its effect on speed (Bhatele et al., 2013).

Public interface:
    Ground: a fabric prepared for measuring; its `shape` measures one placement.
    Shape, Box, Touched: the result of `shape`.
    Stay: a job with its nodes and time. company: the routers and links that it shares with
    concurrent jobs. Company, Meeting: the result of `company`.
    communicators: hops of each communicator of a job. CommunicatorShape: its result.
    program_placement: how placement and the speed of a program's runs are related.
    ProgramPlacement and its parts: Run, Measured, Correlation, SuspectProgram, PairOfRuns, Course,
        Event, Noise, CommunicatorHops.
"""

from __future__ import annotations

from jostle.analysis.placement.communicators import communicators
from jostle.analysis.placement.company import Stay, company
from jostle.analysis.placement.fabric_map import FabricMap
from jostle.analysis.placement.model import Box, CommunicatorShape, Company, Meeting, Shape, Touched
from jostle.analysis.placement.program import RunMessages, program_placement, shapes_of
from jostle.analysis.placement.program_model import (
    CommunicatorHops,
    Correlation,
    Course,
    Event,
    Measured,
    Noise,
    PairOfRuns,
    ProgramPlacement,
    Run,
    SuspectProgram,
)

__all__ = [
    "Box",
    "CommunicatorHops",
    "CommunicatorShape",
    "Company",
    "Correlation",
    "Course",
    "Event",
    "FabricMap",
    "Measured",
    "Meeting",
    "Noise",
    "PairOfRuns",
    "ProgramPlacement",
    "Run",
    "RunMessages",
    "Shape",
    "Stay",
    "SuspectProgram",
    "Touched",
    "communicators",
    "company",
    "program_placement",
    "shapes_of",
]
