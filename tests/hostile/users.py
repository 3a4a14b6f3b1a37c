"""Who the tests play: users of no machine, and what puts files of theirs into a spool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

U1, U2, U3 = 61001, 61002, 61003

Put = Callable[..., Path]
