"""Finds the compiled parts of the lab: signals and the injector."""

from __future__ import annotations

import os
from pathlib import Path

from jostle import native_path


def lab_native_path(name: str) -> Path:
    """Find a compiled part of the lab.

    Args:
        name: File name: jostle-signal or libjostle_inject.so.

    Returns:
        Its absolute path: what the lab's wheel carries, else where the parts of jostle are found.

    Raises:
        NativeMissingError: It is in none of these folders.
    """
    own = Path(__file__).resolve().parent / "_native" / name
    if "JOSTLE_NATIVE" not in os.environ and own.is_file():
        return own
    return native_path(name)
