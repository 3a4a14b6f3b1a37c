"""Delays on purpose, inside MPI and I/O calls of an unmodified program, with a log of each.

Public door:
    Rules: which calls, how often, how long, when, in which ranks; checked.
    environment: the variables that make a profiled program suffer them.
    read: logs to tables: delays, calls seen, processes.
    read_log: the delays alone.

The delaying itself is done by a compiled library (runtime/inject in the source tree) that is
preloaded after the profiler's; docs/reference/inject.md has the rules and the log's format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.inject.rules import GROUPS, Rules, environment

if TYPE_CHECKING:
    from jostle.inject.log import InjectLog, InjectLogError, read, read_log

__all__ = [
    "GROUPS",
    "InjectLog",
    "InjectLogError",
    "Rules",
    "environment",
    "read",
    "read_log",
]


def __getattr__(name: str) -> object:
    """Import the log reader, and with it Arrow, when it is asked for."""
    if name in ("InjectLog", "InjectLogError", "read", "read_log"):
        from jostle.inject import log

        return getattr(log, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
