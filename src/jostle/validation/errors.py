"""What may go wrong in a validation."""

from __future__ import annotations

from jostle.errors import JostleError


class ValidationError(JostleError):
    """A validation cannot go on."""
