"""Finds the default repository, the same for the command line and the Python API."""

from __future__ import annotations

import os
from pathlib import Path


def default_repository() -> Path:
    """Return the repository's folder: JOSTLE_REPOSITORY, else jostle in the user's data folder."""
    named = os.environ.get("JOSTLE_REPOSITORY")
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return Path(data) / "jostle"
