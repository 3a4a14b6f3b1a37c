"""A lab to run tests in; tests are skipped where none can be started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from lab_tools import NAME, traces

from jostle.errors import JostleError
from jostle_lab.cluster import Lab, LabSpec, up


@pytest.fixture(scope="session")
def can_lab() -> None:
    """Skip where no lab with sshfs can come up."""
    from jostle_lab.cluster.checks import check_machine

    if os.geteuid() != 0:
        pytest.skip("a lab with all its parts needs root")
    try:
        check_machine(LabSpec())
    except JostleError as error:
        pytest.skip(f"{error} {error.hint}")


@pytest.fixture(scope="session")
def one_lab(can_lab: None) -> Iterator[Lab]:
    """Four nodes, sshfs, fair links; whatever the tests do, nothing stays."""
    name = f"{NAME}-m"
    made = up(LabSpec(name=name, size="96MiB"))
    yield made
    if made.alive():
        made.down()
    assert traces(name) == []


@pytest.fixture(scope="module")
def lab(one_lab: Lab) -> Iterator[Lab]:
    """One lab for all tests that do not harm it; its disk is empty for those of the next file."""
    yield one_lab
    subprocess.run(
        one_lab.command("node1", ["find", str(one_lab.shared), "-mindepth", "1", "-delete"]),
        check=True,
    )
