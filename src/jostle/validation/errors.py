"""The errors of a validation."""

from __future__ import annotations

from jostle.errors import JostleError


class ValidationError(JostleError):
    """A validation cannot go on."""


def why(error: Exception) -> str:
    """Tell an error in a line; what is none of ours is a defect, and named with its type."""
    if isinstance(error, JostleError):
        return str(error)
    return f"{type(error).__name__}: {error} (a defect; please report it)"
