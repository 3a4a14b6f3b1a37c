"""Exceptions that a validation raises."""

from __future__ import annotations

from jostle.errors import JostleError


class ValidationError(JostleError):
    """A validation cannot continue."""


def why(error: Exception) -> str:
    """Return a message on one line: an exception other than JostleError is called a defect."""
    if isinstance(error, JostleError):
        return str(error)
    return f"{type(error).__name__}: {error} (a defect; please report it)"
