"""Real MPI programs from end to end: run, ingest, digest, the runtime's own digest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import ROOT, jostle

COLUMNS, ROWS, STEPS_PER_LOOK = 1024, 128, 8  # of heat.c
ROOT_IS_FINE = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture(params=["openmpi", pytest.param("mpich", marks=pytest.mark.in_turn)])
def heat(request: pytest.FixtureRequest, library: Path, tmp_path: Path) -> list[str]:
    """The command that runs heat.c on two ranks for two seconds."""
    family = request.param
    mpicc, launcher = f"mpicc.{family}", f"mpirun.{family}"
    if not shutil.which(mpicc) or not shutil.which(launcher):
        pytest.skip(f"needs {mpicc}")
    if not library.with_name(f"libjostle-{family}.so").exists():
        pytest.skip(f"no adapter for {family}")
    program = tmp_path / "heat"
    source = ROOT / "tests" / "cli" / "heat.c"
    subprocess.run([mpicc, "-O2", "-o", program, source, "-lm"], check=True)
    extra = ["--oversubscribe", "--bind-to", "none"] if family == "openmpi" else []
    return [launcher, *extra, "-n", "2", str(program), str(tmp_path / "plate"), "3"]


def test_the_digest_is_the_programs_own_arithmetic(heat: list[str], tmp_path: Path) -> None:
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "repository"), **ROOT_IS_FINE}
    done = jostle("run", "--job", "heat", "--slice", "500ms", "--", *heat, **place)
    assert done.code == 0, done.err
    assert "MPI: 2 ranks, heat; " in done.err
    steps = int(done.out.split()[0])
    made = json.loads(jostle("digest", "heat", "--json", "--segments", **place).out)
    (world,) = made["mpi"]
    assert (world["size"], world["ranks"], world["counted"]) == (2, 2, True)
    assert world["unfinished"] == 0
    metrics = world["metrics"]
    assert metrics["mpi_all_to_all_ops"] == {
        "total": 2 * steps,
        "min": steps,
        "mean": steps,
        "max": steps,
    }
    assert metrics["mpi_all_to_all_bytes"]["total"] == 2 * steps * 8
    assert metrics["mpi_one_to_all_ops"]["min"] == 2 * steps // STEPS_PER_LOOK
    assert metrics["mpi_isend_ops"]["min"] == 2 * steps
    written = metrics["mpiio_write_all_ops"]["min"]
    assert written >= 1
    assert metrics["mpiio_write_all_bytes"]["min"] == written * ROWS * COLUMNS * 8
    assert sum(share["share"] for share in world["shares"]) == pytest.approx(1)
    assert world["segments"]["number"] == len(world["segments"]["rows"]) > 0
    assert sum(row["globals"] for row in world["segments"]["rows"]) <= steps


@pytest.mark.in_turn
def test_ranks_that_die_after_their_launcher_are_counted(library: Path, tmp_path: Path) -> None:
    """MPI_Abort ends mpirun, which kills the shells around the ranks: those live on for a while."""
    if not (shutil.which("mpicc.mpich") and library.with_name("libjostle-mpich.so").exists()):
        pytest.skip("needs MPICH and its adapter")
    program = str(tmp_path / "abort")
    source = ROOT / "tests" / "mpi" / "programs" / "abort.c"
    subprocess.run(["mpicc.mpich", "-O1", "-o", program, source], check=True)
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "repository")}
    words = ["mpirun.mpich", "-n", "3", "sh", "-c", '"$0"; true', program]
    done = jostle("run", "--no-verdict", "--job", "aborted", "--", *words, **place)
    assert done.code == 17, done.err
    failed, sends, exchanges, sent = map(int, done.out.split()[:4])
    assert failed == 6
    (world,) = json.loads(jostle("digest", "aborted", "--json", **place).out)["mpi"]
    assert (world["ranks"], world["running"], world["unfinished"]) == (3, False, 3)
    found = {name: values["total"] for name, values in world["metrics"].items()}
    assert found["mpi_send_ops"] == sends
    assert found.get("mpi_send_bytes", 0) == 0
    assert (found["mpi_sendrecv_ops"], found["mpi_sendrecv_sent_bytes"]) == (exchanges, sent)
    for kind in world["traffic"]:
        rate = kind["calls_per_s"]["max"]
        assert rate is None or rate < 1e6
    (job,) = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    assert not job["running"]


@pytest.mark.in_turn
def test_the_runtime_asks_for_the_digest_at_the_end(
    heat: list[str], library: Path, tmp_path: Path
) -> None:
    command = tmp_path / "jostle"
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT}/src exec {sys.executable} -m jostle.cli "$@"\n'
    )
    command.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if "JOSTLE" not in name}
    environment |= {
        "LD_PRELOAD": str(library),
        "JOSTLE_SPOOL": str(tmp_path / "spool"),
        "JOSTLE_DIGEST": "stderr",
        "JOSTLE_COMMAND": str(command),
        "COLUMNS": "100",
        "JOSTLE_NATIVE": str(library.parent),
        **ROOT_IS_FINE,
    }
    (tmp_path / "spool").mkdir()
    done = subprocess.run(heat, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("MPI: 2 ranks  heat on ") == 1
    assert "What to look at next" in done.stderr or "Per rank" in done.stderr
    assert done.stdout.endswith(" steps\n")
