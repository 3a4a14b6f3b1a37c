"""Runs studies: probes and signals alone and in pairs, repeatedly, with records of each run.

Interface:
    find, load, shipped: find a study's file, and read it into a checked Study.
    default_name: the name of a study's runs, given the options.
    check_where: check that the place of a study has all the settings that it needs.
    plan, Estimate: the runs of a study in order, and their expected time.
    begin, check, Runner: make the runs of a study that are not yet done.
    make_place: make the place of a study: this machine, a lab, or nodes of Slurm.
    traffic: traffic of other jobs at the servers, per time slice.
    result: evaluate a study with `jostle_lab.analysis`.

Files: lab/docs/reference/study.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from jostle_lab.study.config import StudyOptions, check_where, default_name, find, load, shipped
from jostle_lab.study.errors import ConfigError, StudyError
from jostle_lab.study.model import Program, Study
from jostle_lab.study.monitor import Monitor, Traffic, traffic
from jostle_lab.study.plan import PlannedRun, PlannedTime, plan

if TYPE_CHECKING:
    from jostle_lab.study.result import result
    from jostle_lab.study.runner import Runner, RunOutcome, StudyProgress, begin, check, make_place

__all__ = [
    "ConfigError",
    "Monitor",
    "PlannedRun",
    "PlannedTime",
    "Program",
    "RunOutcome",
    "Runner",
    "Study",
    "StudyError",
    "StudyOptions",
    "StudyProgress",
    "Traffic",
    "begin",
    "check",
    "check_where",
    "default_name",
    "find",
    "load",
    "make_place",
    "plan",
    "result",
    "shipped",
    "traffic",
]

# These import the repository and Arrow; a plan needs neither.
_RUNNING = ("RunOutcome", "StudyProgress", "Runner", "begin", "check", "make_place")
_LATER = {name: ("runner", name) for name in _RUNNING} | {"result": ("result", "result")}


def __getattr__(name: str) -> object:
    """Import what runs and evaluates studies on first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LATER[name]
    return getattr(import_module(f"jostle_lab.study.{module}"), attribute)
