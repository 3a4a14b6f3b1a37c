"""Studies: probes and signals, alone and in pairs, again and again; what happens is recorded.

Public door:
    find, load, shipped: a study's file, to a checked Study.
    plan, Estimate: its runs in order, and how long they take.
    begin, check, Runner: makes the runs that are not yet done.
    make_place: this machine, a lab, or nodes of Slurm.
    traffic: what servers saw that was not ours, per slice.

Files: docs/reference/study.md. The evaluation is in `jostle.analysis`.
"""

from __future__ import annotations

from jostle.study.config import Wishes, find, load, shipped
from jostle.study.errors import ConfigError, StudyError
from jostle.study.model import Program, Study
from jostle.study.monitor import Monitor, Traffic, traffic
from jostle.study.places import make as make_place
from jostle.study.plan import Estimate, Run, plan
from jostle.study.runner import Outcome, Progress, Runner, begin, check

__all__ = [
    "ConfigError",
    "Estimate",
    "Monitor",
    "Outcome",
    "Program",
    "Progress",
    "Run",
    "Runner",
    "Study",
    "StudyError",
    "Traffic",
    "Wishes",
    "begin",
    "check",
    "find",
    "load",
    "make_place",
    "plan",
    "shipped",
    "traffic",
]
