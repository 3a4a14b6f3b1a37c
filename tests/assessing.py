"""Makes verdicts that tests wait for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jostle.report.verdict.verdict_worker import VerdictAnswer, VerdictRequest, answer
from jostle.repository import Repository
from jostle.server.verdicts.verdict_queue import WorkerProcess


@contextmanager
def at_our_priority() -> Iterator[None]:
    """Have the processes that assess run at the priority of the tests.

    They make way for others; where tests of other folders have all cores, one waits minutes.
    """
    begin = WorkerProcess.__init__

    def init(worker: WorkerProcess, repository: Path) -> None:
        begin(worker, repository)
        worker._command[2] = f"import os; os.nice = lambda _more: 0; {worker._command[2]}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerProcess, "__init__", init)
        yield


@contextmanager
def in_our_process() -> Iterator[None]:
    """Have verdicts made by a thread of the tests: a new process imports for two seconds first.

    For tests of what is answered; that a verdict has a process of its own is tested elsewhere.
    """
    stores: dict[WorkerProcess, Repository] = {}

    def ask(worker: WorkerProcess, question: VerdictRequest, _say: object = None) -> VerdictAnswer:
        if worker not in stores:
            stores[worker] = Repository(worker._command[-1])
        return answer(stores[worker], question)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerProcess, "ask", ask)
        yield
