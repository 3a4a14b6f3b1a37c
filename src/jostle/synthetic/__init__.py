"""Made-up data whose truth is known: to tune and to score what judges real data.

Public door:
    plant: a repository of any size, of jobs that hurt each other in known ways.
    Spec, Planted, PlantedJob: what it is to hold, and the truth about it; LARGE: 1000 jobs.
    trace: the tables of one run of an MPI program, and what it lost really.
    TraceSpec, Truth: a family of such runs, and that truth; SPECS: the families, by name.
"""

from __future__ import annotations

from jostle.synthetic.planted.model import LARGE, Planted, PlantedJob, Spec
from jostle.synthetic.repository import plant
from jostle.synthetic.traces import SPECS, KnownLoss, TraceSpec, trace

__all__ = [
    "LARGE",
    "SPECS",
    "KnownLoss",
    "Planted",
    "PlantedJob",
    "Spec",
    "TraceSpec",
    "plant",
    "trace",
]
