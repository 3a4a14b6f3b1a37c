"""Remembers short commands, so that their next run has shorter slices automatically.

The memory is a small file in the user's cache: opening the repository would delay the start of
every run. Without the file, or with a damaged one, slices have the usual length. Other commands are
not affected: the same program with other arguments may run for a day, and short slices need space.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jostle.cli.options.common import SliceLength
from jostle.schema.settings import DEFAULT_SLICE_NS

_MOST = 200  # commands; the oldest are forgotten
_MOST_BYTES = 1 << 20


class ShortRun(NamedTuple):
    """A short run: its run time, and the slice length for the next run.

    Attributes:
        seconds: Run time, in seconds.
        slice_ns: Length of slices with which the next run has enough of them, in ns.
    """

    seconds: float
    slice_ns: int


def remember(cmd: Sequence[str], repository: Path, last: ShortRun | None) -> None:
    """Store the last run of a command for the next one; None, after a long run, removes it."""
    known = _read()
    had = known.pop(_key(cmd, repository), None)
    if last:
        known[_key(cmd, repository)] = list(last)
    elif had is None:
        return
    path = _file()
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):  # a full or read-only home: nothing is stored
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(dict(list(known.items())[-_MOST:])))
        fresh.replace(path)


def recall(cmd: Sequence[str], repository: Path) -> ShortRun | None:
    """Return the last run of this command into this repository if it was short."""
    match _read().get(_key(cmd, repository)):
        case [int() | float() as seconds, int() as slice_ns] if (
            SliceLength.least_ns <= slice_ns < DEFAULT_SLICE_NS
        ):
            return ShortRun(seconds, slice_ns)
    return None


def _file() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(cache) / "jostle" / "short-runs.json"


def _key(cmd: Sequence[str], repository: Path) -> str:
    where = ""
    with contextlib.suppress(OSError):  # the folder was removed
        where = f"{repository.absolute()}\0{os.getcwd()}"
    words = [where, *cmd]
    return hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:32]


def _read() -> dict[str, Any]:
    try:
        path = _file()
        if path.stat().st_size > _MOST_BYTES:
            return {}
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
