"""Synthetic runs of MPI programs, event by event, with what they lost really."""

from jostle.synthetic.traces.disturb import Disturbance
from jostle.synthetic.traces.families import SPECS
from jostle.synthetic.traces.program import Call, ProgramLoop, ReplayProgram
from jostle.synthetic.traces.trace import KnownLoss, TraceSpec, trace

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
