"""Delays on purpose, inside MPI and I/O calls of an unmodified program, with a log of each.

The package's interface:
    Rules: which calls are delayed, how often, how long, when, in which ranks; checked.
    environment: the variables that delay the calls of a profiled program.
    read: reads logs into tables of delays, calls and processes.
    read_log: reads the delays only.

A compiled library (lab/inject in the source tree), preloaded after the profiler's, delays the
calls; lab/docs/reference/inject.md has the rules and the format of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle_lab.inject.rules import GROUPS, Rules, environment

if TYPE_CHECKING:
    from jostle_lab.inject.log import InjectLog, InjectLogError, read, read_log

__all__ = ["GROUPS", "InjectLog", "InjectLogError", "Rules", "environment", "read", "read_log"]


def __getattr__(name: str) -> object:
    """Import the log reader, and with it Arrow, on first use."""
    if name in ("InjectLog", "InjectLogError", "read", "read_log"):
        from jostle_lab.inject import log

        return getattr(log, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
