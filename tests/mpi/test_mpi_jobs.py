"""Which ranks are one job, what the header contains, and how little MPI calls are delayed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from harness import for_loaders
from mpis import FLAVOURS, Mpi, Mpirun, World, find
from test_mpi_life import life


def outcome(
    jostle: Mpirun, mpi: Mpi, *program: object, **env: str | None
) -> tuple[int, bytes, bytes]:
    """Status and output of a plain mpirun (no -x, no counter) in an environment."""
    variables = jostle.environment(**mpi.environment, **env)
    command = [mpi.launcher, "-n", "2", *map(str, program)]
    done = subprocess.run(command, env=variables, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_one_mpirun_is_one_job_and_two_are_two(jostle: Mpirun, mpi: Mpi) -> None:
    command, env = jostle.mpirun(mpi, 3, life(mpi), "end")
    both = [jostle.start(*command, env=env) for _ in range(2)]
    assert [p.communicate(timeout=60) and p.returncode for p in both] == [0, 0]
    world = jostle.as_world(jostle.collect())
    world.agree(ranks=6)
    jobs: dict[str, list[int]] = {}
    for p in world.ranks:
        jobs.setdefault(p.job, []).append(p.header["world_rank"])
    assert sorted(map(sorted, jobs.values())) == [[0, 1, 2], [0, 1, 2]]
    assert all(job.startswith("mpi-") for job in jobs)
    assert len({p.header["world"] for p in world.ranks}) == 2


def test_a_name_that_the_user_gives_stays(jostle: Mpirun, mpi: Mpi) -> None:
    world = jostle.world(mpi, 2, life(mpi), "end", counted="", env={"JOSTLE_JOB": "mine"})
    assert {p.job for p in world.ranks} == {"mine"}


def test_the_header_says_what_ran(jostle: Mpirun, mpi: Mpi) -> None:
    world = jostle.world(mpi, 2, life(mpi), "end", counted="", env={"OMP_NUM_THREADS": "3"})
    for rank, p in enumerate(world.ranks):
        h = p.header
        assert (h["world_rank"], h["world_size"], h["spawned"]) == (rank, 2, 0)
        assert h["mpi_state"] == 4 and h["mpi_adapter"] == 1
        assert h["mpi_adapter_name"] == mpi.name
        said = str(h["mpi_library"]).replace(" ", "").lower()
        assert said.startswith(mpi.name)
        assert h["launcher"] == {"openmpi": "orte", "mpich": "hydra"}[mpi.name]
        assert h["omp_threads"] == 3
        times = [h[f"mpi_{name}_ns"] for name in ("init", "ready", "finalize", "end")]
        assert times == sorted(times) and times[0] > p.start_ns - 1e9
        assert h["world"] and h["world"] in p.job


@pytest.mark.parametrize("code", [0, 7])
def test_output_and_status_are_those_of_the_bare_program(
    jostle: Mpirun, mpi: Mpi, code: int
) -> None:
    program = (life(mpi), "say", "40", str(code))
    bare = outcome(jostle, mpi, *program, LD_PRELOAD=None)
    seen = outcome(jostle, mpi, *program)
    assert bare[0] == seen[0] == code
    assert bare[1] == seen[1] == b"2 ranks, 40 rounds\n"
    assert len(bare[2].splitlines()) == len(seen[2].splitlines())
    if code == 0:
        assert bare[2] == seen[2]


def test_off_leaves_nothing(jostle: Mpirun, mpi: Mpi) -> None:
    code, out, _ = outcome(jostle, mpi, life(mpi), "say", JOSTLE="off")
    assert code == 0 and out == b"2 ranks, 20 rounds\n"
    assert list(jostle.spool.iterdir()) == []


def test_an_mpi_without_its_adapter_runs_untouched(
    jostle: Mpirun, mpi: Mpi, tmp_path: Path
) -> None:
    folder = shutil.copytree(jostle.library.parent, tmp_path / "native")
    for adapter in folder.glob("libjostle-*.so"):
        if adapter.name != "libjostle-decode.so":
            adapter.unlink()
    mine = Mpirun(folder / "libjostle.so", folder)
    code, out, err = outcome(mine, mpi, life(mpi), "say", "50")
    assert (code, out) == (0, b"2 ranks, 50 rounds\n"), err
    found = [p for p in mine.collect().processes if Path(p.program).name.startswith("life")]
    assert found and all(p.total(m) == 0 for p in found for m in p.table.metrics if "mpi" in m)
    assert {p.header["mpi_adapter"] for p in found if not p.short} == {2}


def test_adapters_by_the_name_that_launchers_preload(
    jostle: Mpirun, mpi: Mpi, tmp_path: Path
) -> None:
    """The libraries are two folders above it."""
    mine = Mpirun(for_loaders(jostle.library), Path(tempfile.mkdtemp(dir=tmp_path)))
    code, out, err = outcome(mine, mpi, life(mpi), "say", "50")
    assert (code, out) == (0, b"2 ranks, 50 rounds\n"), err
    found = [p for p in mine.collect().processes if Path(p.program).name.startswith("life")]
    assert [(p.header["mpi_adapter"], p.header["mpi_adapter_name"]) for p in found] == [
        (1, mpi.name)
    ] * 2


@pytest.mark.tries(4)
def test_peers_by_world_rank(jostle: Mpirun, mpi: Mpi) -> None:
    program = mpi.compiled("exchange", "exchange.c", flags=("-w",))
    world = jostle.world(mpi, 3, program, counted="")
    for rank, p in enumerate(world.ranks):
        expected = {(rank + 1) % 3: (5, 200, 0, 0, 0), (rank + 2) % 3: (0, 0, 5, 200, 0)}
        if rank == 0:
            expected[1] = (8, 248, 0, 0, 0)
        if rank == 1:
            expected[0] = (0, 0, 8, 248, 0)
        assert p.peers == expected


def test_one_preload_for_everything_in_a_shell_loop(jostle: Mpirun, tmp_path: Path) -> None:
    present = [m for m in map(find, FLAVOURS) if m is not None]
    if not present:
        pytest.skip("no MPI is installed")
    lines = ["bash -c 'read x < /etc/hostname; echo bash'", "python3 -c 'print(\"python\")'"]
    for mpi in present:
        lines.append(f"{mpi.launcher} -n 2 {life(mpi)} say 5")
    lammps = shutil.which("lmp")
    if lammps is not None and find("openmpi"):
        (tmp_path / "in").write_text(MELT)
        lines.append(f"mpirun.openmpi -n 2 {lammps} -in {tmp_path / 'in'} -log none")
    script = "for i in 1 2; do " + " && ".join(lines) + " || exit 9; done"
    variables = {k: v for m in present for k, v in m.environment.items()}
    result = jostle.run("bash", "-c", script, env={**variables, "JOSTLE_JOB": None}, timeout=120)
    world = World(**vars(result))
    assert result.stdout.count("bash\n") == result.stdout.count("python\n") == 2
    assert result.stdout.count("2 ranks, 5 rounds\n") == 2 * len(present)
    names = [Path(p.program).name for p in world.processes]
    assert sum(n.startswith("life") for n in names) == 4 * len(present)
    assert sum(n.startswith("python") for n in names) >= 2
    by_job: dict[str, set[str]] = {}
    for p in world.ranks:
        by_job.setdefault(p.job, set()).add(Path(p.program).name)
    assert len(by_job) == 2 * (len(lines) - 2)
    assert all(len(programs) == 1 for programs in by_job.values())
    if lammps is not None and find("openmpi"):
        known = {"lmp", Path(lammps).resolve().name}
        mine = [p for p in world.ranks if Path(p.program).name in known]
        assert len(mine) == 4
        assert all(p.total("mpi_send_ops") > 100 for p in mine)


MELT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
run 60
"""
