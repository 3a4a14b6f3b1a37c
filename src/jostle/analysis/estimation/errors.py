"""The errors of an estimate."""

from __future__ import annotations

from jostle.errors import JostleError


class EstimateError(JostleError):
    """The run cannot be estimated so; says why and what can be done instead."""
