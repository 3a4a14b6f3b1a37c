"""The errors of the repository."""

from __future__ import annotations

from jostle.errors import JostleError


class RepositoryError(JostleError):
    """The repository cannot be read or written."""


class JobError(JostleError):
    """The user named a job, metric or format that does not exist."""

    exit_code = 2


class ConflictError(RepositoryError):
    """Another ingester committed first; the work must be planned anew."""
