"""Who the tests play: users of no machine, and what puts files of theirs into a spool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

U1, U2, U3, U4, U5 = 61001, 61002, 61003, 61004, 61005

Put = Callable[..., Path]
