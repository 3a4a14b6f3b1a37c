"""Processes for tests that kill them, forked from one that has loaded the repository.

What a process imports takes it a second, and no test wants to kill it there.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.context import ForkServerProcess
from typing import Any

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["jostle.repository.maintenance.compact", "jostle.repository.ingest.ingest"]
)

_INGEST = "Repository(Path(sys.argv[1]), create=True).ingest([Path(sys.argv[2])])\n"
_COMPACT = "compact.compact(Path(sys.argv[1]))\n"


def ingesting(root: object, spool: object, prelude: str = "") -> ForkServerProcess:
    """Runs an ingest in a process of its own, after some lines that may sabotage it."""
    return _started(prelude + _INGEST, str(root), str(spool))


def compacting(root: object, prelude: str) -> ForkServerProcess:
    """The same with a compaction."""
    return _started(prelude + _COMPACT, str(root))


def running(code: str, *words: object) -> ForkServerProcess:
    """Runs lines of Python, whose sys.argv has some words."""
    return _started(code, *map(str, words))


def ended(child: ForkServerProcess) -> int | None:
    """Waits for the end of a process and gives its status; negative: of the signal."""
    child.join(60)
    return child.exitcode


def _started(code: str, *words: str) -> ForkServerProcess:
    child = _FORKS.Process(target=_run, args=(code, words))
    child.start()
    return child


def _run(code: str, words: tuple[str, ...]) -> None:
    from pathlib import Path

    import jostle.repository.ingest.ingest as ingest
    from jostle.repository import Repository
    from jostle.repository.ingest import fair_batches as shares
    from jostle.repository.maintenance import compact
    from jostle.repository.store import files, log

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.argv = ["-c", *words]
    names: dict[str, Any] = {
        "sys": sys,
        "Path": Path,
        "Repository": Repository,
        "compact": compact,
        "files": files,
        "ingest": ingest,
        "log": log,
        "shares": shares,
    }
    exec(code, names)
