"""A study's questions to Slurm about its allocation, and answers of a busy Slurm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jostle_lab.study.places import slurm

STUDY = '[study]\nname = "s"\n[[program]]\npattern = "write-seek"\n[where]\nplace = "slurm"\n'


class Allocation:
    """An allocation of a study, and stand-ins for `squeue` and `scancel`."""

    def __init__(self, folder: Path, study: Any) -> None:
        self.folder = folder
        self.place = slurm.SlurmPlace(study)
        self.place._id, self.place._owned = "7", True

    def command(self, name: str, script: str) -> None:
        """Make a stand-in: a shell script."""
        (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / name).chmod(0o755)


@pytest.fixture
def allocation(
    parse: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Allocation:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Allocation(tmp_path, parse(STUDY + f'dir = "{tmp_path}/shared"\n'))


@pytest.mark.parametrize(
    ("answer", "gone"),
    [
        ("echo RUNNING", False),
        ("echo CONFIGURING", False),
        ("echo SUSPENDED", False),
        ("echo COMPLETING", True),
        ("echo CANCELLED", True),
        ("", True),
        ("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", True),
        ("echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1", False),
    ],
)
def test_states_of_an_allocation(allocation: Allocation, answer: str, gone: bool) -> None:
    allocation.command("squeue", answer)
    assert bool(allocation.place.gone()) == gone


def test_an_allocation_is_given_back_to_a_busy_controller(allocation: Allocation) -> None:
    """Which refuses `scancel` once, and shows the allocation as running for a moment after it."""
    count = allocation.folder / "count"
    allocation.command("scancel", f'echo >>{count}; [ "$(wc -l <{count})" -gt 1 ]')
    state = f'[ "$(wc -l <{count})" -gt 2 ] && echo COMPLETING || echo RUNNING'
    allocation.command("squeue", state)
    allocation.place.close()
    assert count.read_text() == "\n\n\n"
    assert allocation.place.said == []


def test_an_allocation_that_cannot_be_given_back_is_named(
    allocation: Allocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm, "_PATIENCE_S", 1.5)
    allocation.command("scancel", "exit 1")
    allocation.command("squeue", "echo RUNNING")
    allocation.place.close()
    assert allocation.place.said == ["Slurm does not end the allocation: scancel 7"]
