"""Controlled load: finds the signal programs and reads their logs.

The package's interface:
    PATTERNS: the load patterns that a signal program can generate, by name.
    program: the path of the signal program for an MPI library, or of the one without MPI.
    read_log: reads the logs of signals into tables.

A signal is a compiled program (signals/ in the source tree); no Python runs along with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle_lab.signals.catalog import PATTERNS, Pattern
from jostle_lab.signals.program import program

if TYPE_CHECKING:
    from jostle_lab.signals.log import SignalLog, SignalLogError, read_log

__all__ = ["PATTERNS", "Pattern", "SignalLog", "SignalLogError", "program", "read_log"]

_LOG = ("SignalLog", "SignalLogError", "read_log")


def __getattr__(name: str) -> object:
    """Import the log reader, and with it Arrow, on first use.

    The command starts a signal in every rank of a job, so it must start fast.
    """
    if name in _LOG:
        from jostle_lab.signals import log

        return getattr(log, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
