"""Defines the error raised when a run cannot be estimated."""

from __future__ import annotations

from jostle.errors import JostleError


class EstimateError(JostleError):
    """The run cannot be estimated with these settings; the hint names an alternative."""
