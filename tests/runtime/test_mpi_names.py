"""MPI's names in processes without MPI, with other functions of these names, or an unknown MPI."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from harness import Compile, Runner


@pytest.mark.parametrize("switch", ["on", "off"])
def test_no_mpi(jostle: Runner, build: Compile, switch: str) -> None:
    """Weak references are answered with an error."""
    result = jostle.run(build("mpi_names.c"), "absent", env={"JOSTLE": switch})
    assert (result.stdout, result.stderr) == ("done\n", "")


@pytest.mark.parametrize("switch", ["on", "off"])
def test_functions_of_others(jostle: Runner, build: Compile, switch: str) -> None:
    """A library's own mpi_init is called, and gets its arguments."""
    library = build("mpi_own.c", "-shared", "-fPIC")
    # first: the references are weak, and the linker would leave the library out
    flags = ("-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{library.parent}")
    program = build("mpi_names.c", *flags)
    assert jostle.run(program, "another", env={"JOSTLE": switch}).stdout == "done\n"


def test_an_unknown_mpi(jostle: Runner, build: Compile) -> None:
    """It runs as it would without jostle; the profile says that nothing was counted."""
    mpi = build("mpi_first.c", "-shared", "-fPIC")
    program = build("mpi_unknown.c", str(mpi), f"-Wl,-rpath,{mpi.parent}", "-rdynamic")
    env = {"JOSTLE_SLICE": "100ms"}
    result = jostle.run("sh", "-c", f"{program} && {program}", env=env)
    assert result.stdout == "main seen\nresult 0\n" * 2, result.stderr
    assert result.total("mpi_send_ops") == 0


def without_adapters(library: Path, folder: Path) -> Path:
    """A copy of the library without an adapter next to it."""
    folder.mkdir()
    for name in (library.name, "libjostle_large.so"):
        shutil.copy(library.parent / name, folder)
    return folder / library.name


SOURCE = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int one = 1, sum = 0;
    if (chdir("/") != 0)
        return 1;
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 50; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    usleep(200000);
    MPI_Barrier(MPI_COMM_WORLD);
    getppid();
    printf("sum %d\\n", sum);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
"""
VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


@pytest.fixture(params=["openmpi", "mpich"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A program of each MPI."""
    compiler = shutil.which(f"mpicc.{request.param}")
    if compiler is None:
        pytest.skip(f"mpicc.{request.param} is not installed")
    source = tmp_path / "program.c"
    source.write_text(SOURCE)
    target = tmp_path / f"program-{request.param}"
    assert os.spawnl(os.P_WAIT, compiler, compiler, str(source), "-o", str(target)) == 0
    return target


def profile(
    jostle: Runner, program: Path, preload: Path | str, **more: object
) -> dict[str, object]:
    """The header of the program's profile."""
    result = jostle.run(program, preload=[preload], env=VARIABLES, **more)
    assert result.stdout == "sum 1\n"
    [process] = [p for p in result.named(program.name) if not p.short]
    process.header["calls"] = process.total("mpi_all_to_all_ops")
    return process.header


def test_no_adapter(jostle: Runner, library: Path, program: Path, tmp_path: Path) -> None:
    """A known MPI without an installed adapter."""
    header = profile(jostle, program, without_adapters(library, tmp_path / "alone"))
    assert header["mpi_adapter"] == 2 and header["calls"] == 0
    assert "MPI" in str(header["mpi_library"]) and header["mpi_adapter_name"] == ""


@pytest.fixture
def adapters(library: Path) -> None:
    """The adapters lie next to the library; a build with a sanitizer may be without them."""
    if not (library.parent / "libjostle-openmpi.so").exists():
        pytest.skip("built without adapters for MPI")


@pytest.mark.usefixtures("adapters")
def test_relative_preload(jostle: Runner, library: Path, program: Path, tmp_path: Path) -> None:
    """The folder of the library is found though the program has gone elsewhere."""
    (tmp_path / "lib").symlink_to(library.parent)
    header = profile(jostle, program, f"./lib/{library.name}", cwd=tmp_path)
    assert header["mpi_adapter"] == 1 and header["calls"] == 50


def test_switched_off(jostle: Runner, program: Path) -> None:
    """Off is off for MPI, too."""
    result = jostle.run(program, env={**VARIABLES, "JOSTLE": "off"})
    assert result.stdout == "sum 1\n" and not result.named(program.name)


@pytest.mark.usefixtures("adapters")
def test_digest_at_the_end(jostle: Runner, program: Path, tmp_path: Path) -> None:
    """Rank 0 starts the command that shows the job, without our variables, and waits for it."""
    command = tmp_path / "jostle"
    script = 'echo "$@"; echo "${LD_PRELOAD-none} ${JOSTLE_DIGEST-none} $JOSTLE"; cat; echo end'
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    env = {**VARIABLES, "JOSTLE_DIGEST": "stderr"}
    for more in ({"JOSTLE_COMMAND": str(command)}, {"PATH": f"{tmp_path}:{os.environ['PATH']}"}):
        result = jostle.run(program, env={**env, **more})
        reported = f"digest --spool {jostle.spool} --wait 5 test\nnone none off\nend\n"
        assert (result.stdout, result.stderr) == ("sum 1\n", reported)
    result = jostle.run(program, env={**env, "JOSTLE_COMMAND": "/nowhere/jostle"})
    assert result.stderr.count("\n") == 1 and "JOSTLE_COMMAND" in result.stderr
