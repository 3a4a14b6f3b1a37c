"""Exceptions that a validation raises."""

from __future__ import annotations

from jostle.errors import JostleError


class ValidationError(JostleError):
    """A validation cannot continue."""


def why(error: Exception) -> str:
    """Return an error as one line; any other exception is a defect and gets its type."""
    if isinstance(error, JostleError):
        return str(error)
    return f"{type(error).__name__}: {error} (a defect; please report it)"
