"""Controlled load: finds the signal programs and reads their logs.

The package's interface:
    PATTERNS: the loads that a signal can generate, by name.
    program: the executable for an MPI, or for none.
    mpi_of_environment: which MPI started this process.
    read_log: ground-truth logs to tables.

A signal is a compiled program (signals/ in the source tree); no Python runs beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.signals.catalog import PATTERNS, Pattern
from jostle.signals.program import mpi_of_environment, program

if TYPE_CHECKING:
    from jostle.signals.log import SignalLog, SignalLogError, read_log

__all__ = [
    "PATTERNS",
    "Pattern",
    "SignalLog",
    "SignalLogError",
    "mpi_of_environment",
    "program",
    "read_log",
]

_LOG = ("SignalLog", "SignalLogError", "read_log")


def __getattr__(name: str) -> object:
    """Import the log reader, and with it Arrow, on first use.

    The command starts a signal in every rank of a job, which must stay quick.
    """
    if name in _LOG:
        from jostle.signals import log

        return getattr(log, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
