"""Shipped studies in their short form, in a lab, with each MPI: from `run` to the pictures."""

from __future__ import annotations

import csv
import os
import shutil
from importlib.resources import files

import pytest
from workplace import Workplace

from jostle.errors import JostleError

NAME = f"quick{os.getpid() % 10000}"


def _ready(mpi: str) -> None:
    """Skips where the lab or the signals of an MPI cannot be had."""
    from jostle import NativeMissingError
    from jostle_lab.cluster import LabSpec
    from jostle_lab.cluster.checks import check_machine
    from jostle_lab.signals import program

    if os.geteuid() != 0:
        pytest.skip("a lab with a shaped link needs root")
    try:
        check_machine(LabSpec(name=NAME))
        program(mpi)
    except (JostleError, NativeMissingError) as error:
        pytest.skip(str(error))
    if shutil.which(f"mpirun.{mpi}") is None:
        pytest.skip(f"no mpirun of {mpi}")


# The matrix of thesis figure 3.5 by one MPI, figure 3.8 by the other.
@pytest.mark.parametrize(
    ("study", "mpi", "runs", "picture"),
    [
        ("write-patterns", "openmpi", 9, "degradation-matrix"),
        ("process-count", "mpich", 7, "degradation-over-number-of-processes"),
    ],
)
def test_a_shipped_study_ends_in_its_figures(
    workplace: Workplace, study: str, mpi: str, runs: int, picture: str
) -> None:
    _ready(mpi)
    text = (files("jostle_lab.study") / "shipped" / f"{study}.toml").read_text()
    assert "[lab]\n" in text
    path = workplace.write(text.replace("[lab]\n", f'[lab]\nname = "{NAME}"\n'))
    code, out, err = workplace.study("run", str(path), "--quick", "--mpi", mpi)
    assert code == 0, out + err
    records = workplace.records(f"{study}-quick")
    assert len({record["run"] for record in records}) == len(records) == runs
    assert [one["error"] for record in records for one in record["programs"] if one["error"]] == []
    folder = workplace.folder / "pictures"
    code, out, err = workplace.study("show", f"{study}-quick", "--plot", str(folder))
    assert code == 0, out + err
    assert "open-write-close" in out and "aggregate-write" in out
    drawn = sorted(one.stem for one in folder.glob("*.png"))
    assert picture in drawn
    for name in drawn:  # the data of each picture is stored next to it
        with (folder / f"{name}.csv").open(newline="") as table:
            assert len(list(csv.reader(table))) > 1, name
    workplace.nothing_left(f"{study}-quick")
