"""The errors of studies."""

from __future__ import annotations

from jostle.errors import JostleError


class StudyError(JostleError):
    """A study cannot be run: a place that does not come up, a lock, a missing package."""


class ConfigError(StudyError):
    """The study's file asks for something that cannot be; the message names file and line."""

    exit_code = 2
