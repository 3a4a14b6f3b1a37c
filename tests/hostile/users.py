"""Who the tests play: users of no machine, and what puts files of theirs into a spool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

U1, U2, U3, U4, U5 = range(61001, 61006)

Put = Callable[..., Path]
