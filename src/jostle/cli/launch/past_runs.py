"""Remember which commands were too short for their slices, to say so before they run again.

A small file in the cache of the user: opening the repository would make every run start later.
Without the file, or with a damaged one, nothing is said.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

_MOST = 200  # commands; the oldest are forgotten
_MOST_BYTES = 1 << 20


def remember(cmd: Sequence[str], repository: Path, hint: str) -> None:
    """Keep the hint of a run for the next one of the same command; "" forgets it."""
    known = _read()
    had = known.pop(_key(cmd, repository), None)
    if hint:
        known[_key(cmd, repository)] = hint
    elif had is None:
        return
    path = _file()
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):  # a full or closed home: nothing is remembered
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(dict(list(known.items())[-_MOST:])))
        fresh.replace(path)


def recall(cmd: Sequence[str], repository: Path) -> str:
    """Return the hint of the last run of this command into this repository; "" without one."""
    return _read().get(_key(cmd, repository), "")


def _file() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(cache) / "jostle" / "short-runs.json"


def _key(cmd: Sequence[str], repository: Path) -> str:
    where = ""
    with contextlib.suppress(OSError):  # the folder is gone
        where = f"{repository.absolute()}\0{os.getcwd()}"
    words = [where, *cmd]
    return hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:32]


def _read() -> dict[str, str]:
    try:
        path = _file()
        if path.stat().st_size > _MOST_BYTES:
            return {}
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {key: hint for key, hint in known.items() if isinstance(hint, str)}
