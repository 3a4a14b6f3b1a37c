"""Users for the tests that no machine has, and how their files get into a spool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

U1, U2, U3, U4, U5 = range(61001, 61006)

Put = Callable[..., Path]
