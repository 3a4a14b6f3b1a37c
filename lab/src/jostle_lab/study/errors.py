"""Exceptions that studies raise."""

from __future__ import annotations

from jostle.errors import JostleError


class StudyError(JostleError):
    """A study cannot be run: its place is not available, it is locked, or a package is missing."""


class ConfigError(StudyError):
    """The study's file has an error; the message names file and line."""

    exit_code = 2
