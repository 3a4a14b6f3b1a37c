"""Options that several verbs share, with their conversion."""

from __future__ import annotations

from jostle.cli.options.common import (
    SliceLength,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines

__all__ = [
    "SliceLength",
    "format_option",
    "json_option",
    "open_repository",
    "plot_folder",
    "repository_flag",
    "repository_option",
    "saved_json",
    "saved_lines",
]
