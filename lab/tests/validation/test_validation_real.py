"""A validation of one small program, for real: runs, injected delays, truth; killed and resumed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from jostle import NativeMissingError, native_path
from jostle_lab.validation import codes
from jostle_lab.validation.codes import Code, choose
from jostle_lab.validation.evaluate import RAW, _said
from jostle_lab.validation.marks import marks
from jostle_lab.validation.oracle import band, windows
from jostle_lab.validation.placement import Ruler
from jostle_lab.validation.plan import MEAN_MS, ValidationStep
from jostle_lab.validation.runner import Store, _words, make

pytestmark = [
    pytest.mark.in_turn,
    pytest.mark.skipif(
        shutil.which("mpicc.openmpi") is None or shutil.which("mpirun.openmpi") is None,
        reason="needs Open MPI and its compiler",
    ),
]


@pytest.fixture(autouse=True)
def cores_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run is made again because this machine's cores were moved: test_placement has that."""
    monkeypatch.setattr(Ruler, "measure", lambda _self: None)


@pytest.fixture
def small() -> Code:
    """The all-to-all program, for a third of a second."""
    return codes._mini("transpose", 40, "all-to-all")


@pytest.mark.parametrize("kernel", ["wavefront", "assembly"])
def test_programs_do_the_same_in_every_run(kernel: str, tmp_path: Path) -> None:
    """With either MPI; and a system that is divided among ranks is still the same one."""
    said: dict[int, set[str]] = {1: set(), 2: set()}
    for mpi in ("openmpi", "mpich"):
        if shutil.which(f"mpicc.{mpi}") is None or shutil.which(f"mpirun.{mpi}") is None:
            continue
        program = tmp_path / mpi
        source = Path(codes.__file__).with_name("mini.c")
        subprocess.run([f"mpicc.{mpi}", "-O2", "-w", "-o", program, source, "-lm"], check=True)
        for ranks in (1, 2, 2):
            more = ["--oversubscribe"] if mpi == "openmpi" else []
            done = subprocess.run(
                [f"mpirun.{mpi}", *more, "-n", str(ranks), program, kernel, "4"],
                env=codes.environment(),
                stdout=subprocess.PIPE,
                check=True,
                text=True,
            )
            said[ranks].add(done.stdout)
    assert all(len(values) == 1 for values in said.values())
    one, two = (float(*values) for values in said.values())
    if kernel == "assembly":
        assert two == pytest.approx(one, rel=1e-6)


def test_runs_of_a_small_program(
    small: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clean, injected and raw: the same work in all, and the log records what was added.

    The last runs are made by a second call: what is there already is not made again.
    """
    try:
        native_path("libjostle_inject.so")
    except NativeMissingError:
        pytest.skip("the injector is not built")
    monkeypatch.setitem(MEAN_MS, "fixed:20ms", 20.0)
    store = Store(tmp_path / "validation")
    plan = [
        ValidationStep("transpose", 1, "clean"),
        ValidationStep("transpose", 2, "clean"),
        ValidationStep(
            "transpose", 3, "inject", strength=0.4, shape="fixed:20ms", ranks="1", seed=5
        ),
        ValidationStep("transpose", 4, "clean", raw=True),
    ]
    reported: list[str] = []
    make(store, plan[:2], [small], progress=lambda done, total, job, left: reported.append(job))
    make(store, plan, [small], progress=lambda done, total, job, left: reported.append(job))
    assert reported == [step.job for step in plan]
    runs = store.runs()
    assert [run.error for run in runs] == [""] * 4
    seen = {run.job: marks(store.repository("transpose"), run.job) for run in runs}
    known = {job: found for job, found in seen.items() if found is not None}
    names, common, durations = windows(known)
    assert len(names) == 4 and common[-1] == 80  # two all-to-alls a step
    from jostle_lab.inject import read_log

    log = read_log(Path(runs[2].inject))
    assert set(log["rank"].to_pylist()) == {1}
    injected = band(
        log["start_ns"].to_numpy().astype(np.int64),
        log["delay_ns"].to_numpy().astype(np.int64),
        log["rank"].to_numpy().astype(np.int64),
        known[runs[2].job].at_ns,
    )
    assert injected.count == log.num_rows > 0
    assert injected.low <= injected.high
    assert durations[2].sum() > injected.low
    # A segment per all-to-all, where the others may have one for several of them.
    cut = [len(known[run.job].done) for run in runs]
    assert cut[3] > 80 and cut[3] >= max(cut[:3])
    assert "JOSTLE_SEGMENTS=raw" in _words(small, plan[3], tmp_path, "job", tmp_path, None, None)
    repository = store.repository("transpose")
    assert list(_said(repository, runs[3], {}, 0)) == [RAW]
    tables = repository.run_tables(runs[0].job)  # recorded with the core-speed probe
    (reference,) = tables.references.values()
    assert reference.jobs == len(runs) - 1 and 100 < reference.ns < 1e6
    assert (reference.own_ns, reference.own_jobs) == (
        reference.ns,
        reference.jobs,
    )  # all are of one program
    assert _said(repository, runs[0], tables.references, 0)["jostle"].core_speed is not None


def test_a_run_that_fails_is_reported_and_repeated_under_another_name(
    small: Code, tmp_path: Path
) -> None:
    """A program that breaks leaves a run with an error, which is repeated once and not scored."""
    store = Store(tmp_path / "validation")
    (store.bench.folder(small) / "mini").write_text("#!/bin/sh\nexit 3\n")
    plan = [ValidationStep("transpose", 1, "clean")]
    for _ in range(3):
        make(store, plan, [small], progress=lambda *_: None)
    failed = store.runs(failed=True)
    assert [run.job for run in failed] == ["transpose-001-clean", "transpose-001-clean.a2"]
    assert all(run.error for run in failed) and store.runs() == []


def test_a_command_of_ones_own(
    tmp_path: Path, small: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs in the folder of its caller, with the ranks asked for."""
    folder = Store(tmp_path / "made").bench.folder(small)
    monkeypatch.chdir(folder)
    store = Store(tmp_path / "validation")
    own = choose([], ["mine@3=./mini stencil 60"])
    make(store, [ValidationStep("mine@3", 1, "clean")], own, progress=lambda *_: None)
    (run,) = store.runs(failed=True)
    assert run.error == ""
    assert store.repository("mine@3").segments(run.job).worlds[0].world_size == 3
