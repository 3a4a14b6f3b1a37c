"""Measures the placement of jobs in a fabric, and its effect on speed (Bhatele et al., 2013).

Public interface:
    FabricMap: a fabric (network of a cluster), prepared for measuring placements. Its method
        `shape` measures the placement of one job.
    Shape, Box, Touched: result types of `FabricMap.shape`.
    Stay: a job with its nodes and the time in which it ran.
    company: finds the routers and links that a job shares with concurrent jobs.
    Company, Meeting: result types of `company`.
    communicators: measures the hops of each communicator of a job. shapes_of: the same, from
        tables. CommunicatorShape: their result type.
    program_placement: analyses how placement and the speed of a program's runs are related.
    RunMessages: an input of program_placement, the messages of the runs.
    ProgramPlacement and its parts: result types of program_placement.
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
