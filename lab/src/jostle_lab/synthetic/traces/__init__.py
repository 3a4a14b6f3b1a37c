"""Makes synthetic runs of MPI programs, event by event, with their true lost time."""

from jostle_lab.synthetic.traces.disturb import Disturbance
from jostle_lab.synthetic.traces.families import SPECS
from jostle_lab.synthetic.traces.program import Call, ProgramLoop, ReplayProgram
from jostle_lab.synthetic.traces.trace import KnownLoss, TraceSpec, trace

__all__ = [
    "SPECS",
    "Call",
    "Disturbance",
    "KnownLoss",
    "ProgramLoop",
    "ReplayProgram",
    "TraceSpec",
    "trace",
]
