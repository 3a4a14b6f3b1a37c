"""Errors of imports from other tools' records."""

from __future__ import annotations

from jostle.errors import JostleError, UsageError


class ImportFailedError(JostleError):
    """A source cannot be read at all; a single bad log or line is only reported."""


class MissingPackageError(UsageError):
    """A package that reads a kind of source is not installed."""
