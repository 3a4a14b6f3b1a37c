"""Verdicts that a test waits for are no work in the background."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jostle.server.verdicts.verdict_queue import WorkerProcess


@contextmanager
def at_our_priority() -> Iterator[None]:
    """Have the processes that judge run at the priority of the tests.

    They make way for others; where tests of other folders have all cores, one waits minutes.
    """
    begin = WorkerProcess.__init__

    def init(worker: WorkerProcess, repository: Path) -> None:
        begin(worker, repository)
        worker._command[2] = f"import os; os.nice = lambda _more: 0; {worker._command[2]}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerProcess, "__init__", init)
        yield
