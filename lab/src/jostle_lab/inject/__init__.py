"""Injects delays into MPI and I/O calls of an unmodified program, and logs each delay.

The package's interface:
    Rules: checked rules on which calls are delayed, how often, how long, when and in which ranks.
    environment: returns the environment variables that delay the calls of a profiled program.
    read: reads logs into tables of delays, calls and processes.
    read_log: reads the delays only.
    windows: returns the windows with and without delays of a run with a schedule.

A compiled library (lab/inject in the source tree), preloaded after the profiler's, delays the
calls; lab/docs/reference/inject.md has the rules and the tables of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle_lab.inject.rules import GROUPS, Rules, environment

if TYPE_CHECKING:
    from jostle_lab.inject.log import InjectLog, InjectLogError, read, read_log
    from jostle_lab.inject.schedule import Windows, windows

__all__ = [
    "GROUPS",
    "InjectLog",
    "InjectLogError",
    "Rules",
    "Windows",
    "environment",
    "read",
    "read_log",
    "windows",
]


def __getattr__(name: str) -> object:
    """Import what needs Arrow or numpy on first use."""
    if name in ("InjectLog", "InjectLogError", "read", "read_log"):
        from jostle_lab.inject import log

        return getattr(log, name)
    if name in ("Windows", "windows"):
        from jostle_lab.inject import schedule

        return getattr(schedule, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
