"""The programs that represent codes of the papers: their counts agree with jostle's profile.

And what they count is what their formulas say, with which they do the published volumes and calls.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mpis import Mpi, Mpirun, needed
from peek import Process

from jostle_lab.study.config import StudyOptions, parse

BENCH = Path(__file__).parents[2] / "lab/bench"
PROGRAMS = BENCH / "programs/codes"
Counts = dict[str, int]
MIB = 1 << 20


def madbench2(ranks: int, pixels: int, bins: int) -> Counts:
    """Of all ranks, with S, W and C."""
    size = pixels * pixels * 8
    return {
        "posix_write_ops": 2 * bins * ranks,
        "posix_write_bytes": 2 * bins * size,
        "posix_read_ops": 2 * bins * ranks,
        "posix_read_bytes": 2 * bins * size,
        "posix_seek_ops": 4 * bins * ranks,
    }


def hacc_io(ranks: int, particles: int, header: int = 24 * MIB) -> Counts:
    """A checkpoint and its restart, a file for each rank."""
    size = ranks * (38 * particles + header)
    calls = 10 * ranks
    return {
        "posix_write_ops": calls,
        "posix_write_bytes": size,
        "posix_read_ops": calls,
        "posix_read_bytes": size,
    }


def ior(ranks: int, segments: int, block: int, transfer: int) -> Counts:
    """Collective, writing alone."""
    calls = ranks * segments * block // transfer
    return {"mpiio_write_all_ops": calls, "mpiio_write_all_bytes": ranks * segments * block}


def imb_io(ranks: int, size: int, times: int) -> Counts:
    return {
        "mpiio_write_ops": times * ranks,
        "mpiio_write_bytes": times * size,
        "mpiio_sync_ops": 2 * ranks,
    }


def bt_io(ranks: int, cells: int, steps: int) -> Counts:
    """Written and read back, collectively."""
    dumps = steps // 5
    size = dumps * cells**3 * 5 * 8
    return {
        "mpiio_write_all_ops": dumps * ranks,
        "mpiio_write_all_bytes": size,
        "mpiio_read_all_ops": dumps * ranks,
        "mpiio_read_all_bytes": size,
    }


def flash_files(ranks: int, cells: int, base: int) -> tuple[int, int, int]:
    """Bytes of the checkpoint and of the plot files at centres and at corners."""
    blocks = sum(base + rank % 3 for rank in range(ranks))
    return (
        blocks * (cells**3 * 24 * 8 + 164),
        blocks * (cells**3 * 4 * 8 + 164),
        blocks * ((cells + 1) ** 3 * 4 * 8 + 164),
    )


def flash_io(ranks: int, cells: int, base: int) -> Counts:
    calls = ranks * (24 + 4 + 4 + 3 * 6)
    return {
        "mpiio_write_all_ops": calls,
        "mpiio_write_all_bytes": sum(flash_files(ranks, cells, base)),
        "mpiio_open_ops": 3 * ranks,
    }


def milc(ranks: int, sites: int, solves: int, iterations: int) -> Counts:
    """Eight faces of three complex numbers a site, and two sums (and one at the beginning)."""
    messages = 8 * ranks * solves * iterations
    return {
        "mpi_isend_ops": messages,
        "mpi_isend_bytes": messages * sites**3 * 3 * 16,
        "mpi_irecv_arrived_bytes": messages * sites**3 * 3 * 16,
        "mpi_wait_ops": messages // 8,
        "mpi_all_to_all_ops": ranks * solves * (2 * iterations + 1),
    }


def pf3d(grid: tuple[int, int, int], zones: tuple[int, int, int], steps: int) -> Counts:
    """Eight all-to-alls a plane, and six messages of three planes between slabs."""
    (px, py, pz), (nx, ny, nz) = grid, zones
    ranks, plane = px * py * pz, nx * ny * 8
    sent = steps * 6 * px * py * (pz - 1)
    return {
        "mpi_all_to_all_ops": 8 * nz * steps * ranks,
        "mpi_all_to_all_bytes": 8 * nz * steps * ranks * plane,
        "mpi_send_ops": sent,
        "mpi_send_bytes": sent * 3 * plane,
        "mpi_recv_ops": sent,
        "mpi_comm_ops": 4 * ranks,
    }


def gapgeofem(ranks: int, side: int, steps: int, iterations: int, every: int, dump: int) -> Counts:
    """Three sums an iteration, and one at the beginning of each step."""
    messages = 2 * (ranks - 1) * steps * iterations
    written = ranks * (steps // every)
    return {
        "mpi_all_to_all_ops": ranks * steps * (3 * iterations + 1),
        "mpi_isend_ops": messages,
        "mpi_isend_bytes": messages * side * side * 8,
        "posix_write_ops": written,
        "posix_write_bytes": written * dump,
    }


def sweep3d(
    grid: tuple[int, int], cells: tuple[int, int, int], blocks: tuple[int, int], steps: int
) -> Counts:
    """For each octant, angle block and plane block a message over each border."""
    (px, py), (nx, ny, nz), (mk, mmi) = grid, cells, blocks
    waves = steps * 8 * (6 // mmi) * (nz // mk)
    over_x, over_y = waves * (px - 1) * py, waves * px * (py - 1)
    return {
        "mpi_send_ops": over_x + over_y,
        "mpi_recv_ops": over_x + over_y,
        "mpi_send_bytes": (over_x * ny + over_y * nx) * mk * mmi * 8,
        "mpi_all_to_all_ops": px * py * (steps - 1),
    }


@dataclass(frozen=True)
class Try:
    """A small run of a program, and what it should count."""

    ranks: int
    words: str
    expected: Counts


TRIES = {
    "madbench2": Try(2, "--pixels 100 --bins 4 --work 0", madbench2(2, 100, 4)),
    "hacc_io": Try(2, "--particles 1000 --header 4096 --steps 1", hacc_io(2, 1000, 4096)),
    "ior": Try(
        2,
        "--io mpi --collective 1 --segments 2 --block 64k --transfer 16k --read 0",
        ior(2, 2, 65536, 16384),
    ),
    "imb_io": Try(3, "--size 100000 --times 4 --files shared", imb_io(3, 100000, 4)),
    "bt_io": Try(4, "--cells 9 --steps 10 --work 0", bt_io(4, 9, 10)),
    "flash_io": Try(3, "--cells 4 --blocks 2 --work 0", flash_io(3, 4, 2)),
    "milc": Try(2, "--sites 4 --solves 2 --iterations 5", milc(2, 4, 2, 5)),
    "pf3d": Try(4, "--px 2 --py 1 --nx 8 --ny 16 --nz 3 --steps 2", pf3d((2, 1, 2), (8, 16, 3), 2)),
    "gapgeofem": Try(
        2,
        "--rate 0 --side 8 --steps 4 --iterations 5 --every 2 --dump 100",
        gapgeofem(2, 8, 4, 5, 2, 100),
    ),
    "sweep3d": Try(
        4, "--nx 4 --ny 5 --nz 8 --mk 4 --mmi 3 --steps 3", sweep3d((2, 2), (4, 5, 8), (4, 3), 3)
    ),
}


def by_mpi(counts: Counts) -> Counts:
    """The same transfers by MPI-IO."""
    known = ("_read_ops", "_read_bytes", "_write_ops", "_write_bytes")
    return {key.replace("posix", "mpiio"): n for key, n in counts.items() if key.endswith(known)}


# The other ways of the same programs.
TRIES |= {
    "madbench2 shared": Try(
        3, "--pixels 100 --bins 4 --work 0 --io mpi --files shared", by_mpi(madbench2(3, 100, 4))
    ),
    "hacc_io shared": Try(
        2,
        "--particles 1000 --header 0 --steps 1 --io mpi --files shared",
        {**by_mpi(hacc_io(2, 1000, 0)), "mpiio_write_ops": 18, "mpiio_read_ops": 18},
    ),
    "ior random": Try(
        2,
        "--random 1 --files own --fsync 1 --segments 2 --block 64k --transfer 16k",
        {
            "posix_write_ops": 16,
            "posix_write_bytes": 2 << 17,
            "posix_read_bytes": 2 << 17,
            "posix_sync_ops": 2,
        },
    ),
    "ior reordered": Try(
        2,
        "--reorder 1 --io mpi --segments 2 --block 64k --transfer 16k",
        {"mpiio_write_ops": 16, "mpiio_read_ops": 16, "mpiio_read_bytes": 2 << 17},
    ),
    "imb_io own": Try(3, "--size 100000 --times 4 --reuse 1", imb_io(3, 100000, 4)),
    # Rounding adds up over the steps, and is not to be taken for an error.
    "pf3d long": Try(1, "--nx 64 --ny 8 --nz 3 --steps 3000", pf3d((1, 1, 1), (64, 8, 3), 3000)),
    # A row of 3 cells in each of 3 x 3 x 3 pieces of 3 x 3 rows, for each dump.
    "bt_io simple": Try(
        9,
        "--cells 9 --steps 5 --work 0 --mode simple",
        {"mpiio_write_ops": 27 * 9, "mpiio_write_bytes": 9**3 * 40, "mpiio_read_ops": 27 * 9},
    ),
}


def said(stdout: str) -> dict[str, Any]:
    """The line of JSON at the end of a program."""
    line = next(line for line in stdout.splitlines() if line.startswith('{"code"'))
    reported: dict[str, Any] = json.loads(line)
    assert reported["wrong"] == 0
    return reported


def total(process: Process, metric: str, folder: Path) -> int:
    """Counts of a rank, with files only on a folder's mount: MPICH fills its shared memory."""
    if not metric.startswith("posix_"):
        return process.total(metric)
    under = {m[0]: slot for slot, m in process.mounts.items() if folder.is_relative_to(m[0])}
    return process.total(metric, under[max(under, key=len)])


def compiled(mpi: Mpi, code: str) -> Path:
    flags = ("-std=gnu11", "-Wl,--no-as-needed", "-lm")
    return mpi.compiled(code, str(PROGRAMS / f"{code}.c"), flags=flags)


@pytest.mark.in_turn
@pytest.mark.parametrize("code", TRIES)
def test_profile_and_program_and_formula_agree(jostle: Mpirun, mpi: Mpi, code: str) -> None:
    trial, code = TRIES[code], code.split()[0]
    program = compiled(mpi, code)
    world = jostle.world(mpi, trial.ranks, program, *trial.words.split(), counted="")
    counted = said(world.stdout)["counted"]
    assert {key: counted.get(key, 0) for key in trial.expected} == trial.expected
    found = {key: sum(total(p, key, jostle.data) for p in world.ranks) for key in counted}
    assert found == counted
    assert not list(jostle.data.iterdir())  # nothing stays behind


@pytest.mark.tries(3)
def test_a_solver_at_a_rate_is_slowed_to_it(jostle: Mpirun) -> None:
    """Without work it would make tens of thousands a second. A busy machine makes fewer."""
    mpi = needed("openmpi")
    program = compiled(mpi, "gapgeofem")
    world = jostle.world(mpi, 2, program, "--rate", "300", "--steps", "4", counted="")
    reported = said(world.stdout)
    assert reported["options"]["work"] > 0
    assert 4 * (3 * 20 + 1) / reported["phases"]["steps"]["seconds"] < 600


PUBLISHED: list[tuple[str, Callable[[], float], float]] = [
    # Thesis 3.3.4 and table 3.3.
    ("MADbench2, MB a transfer", lambda: 50000**2 * 8 / 256 / 1e6, 78.125),
    ("MADbench2, GiB of S", lambda: madbench2(256, 50000, 36)["posix_write_bytes"] / 2**31, 670.55),
    ("HACC-IO, GiB a process", lambda: hacc_io(1, 10**8)["posix_write_bytes"] / 2**30, 3.56),
    ("HACC-IO, MiB a transfer", lambda: 4 * 10**8 / MIB, 381.47),
    # Gomez-Sanchez et al., tables III and IV: 16 processes, 25 000 pixels, 8 bins.
    (
        "MADbench2, bytes of a file",
        lambda: madbench2(16, 25000, 8)["posix_read_bytes"] / 32,
        2500000000,
    ),
    ("MADbench2, calls of a process", lambda: madbench2(16, 25000, 8)["posix_read_ops"] / 16, 16),
    # The tutorial of IOR; NAS-03-002; the README of PnetCDF's FLASH-IO; Kuo.
    ("IOR, GiB", lambda: ior(64, 16, 16 * MIB, MIB)["mpiio_write_all_bytes"] / 2**30, 16),
    ("BT-IO class A, dumps", lambda: bt_io(4, 64, 200)["mpiio_write_all_ops"] / 4, 40),
    ("BT-IO class C, GB", lambda: bt_io(4, 162, 200)["mpiio_write_all_bytes"] / 1e9, 6.80),
    ("FLASH checkpoint, MiB", lambda: flash_files(512, 16, 80)[0] / MIB, 31109.74),
    ("FLASH plot, MiB", lambda: flash_files(512, 16, 80)[1] / MIB, 5190.36),
    ("FLASH corners, MiB", lambda: flash_files(512, 16, 80)[2] / MIB, 6224.35),
    ("IMB-IO, MiB", lambda: imb_io(60, 16 * MIB, 1000)["mpiio_write_bytes"] / MIB, 16000),
    # Bhatele et al., table 2 and section 3, on Hopper; kB are KiB there.
    ("pF3D, kB to each rank of a row", lambda: 128 * 128 * 8 / 32 / 1024, 4),
    ("pF3D, kB of three planes", lambda: 128 * 128 * 8 * 3 / 1024, 384),
    ("pF3D, transforms over advection", lambda: 8 * 8 / (6 * 3), 3.56),
    # Thesis 2.3: half a megabyte of files (and more than 1 GB of messages) a process.
    (
        "GAPgeofem, MiB of files a process",
        lambda: gapgeofem(1, 64, 640, 32, 10, 8192)["posix_write_bytes"] / MIB,
        0.5,
    ),
]


@pytest.mark.parametrize(("what", "formula", "printed"), PUBLISHED, ids=[p[0] for p in PUBLISHED])
def test_published_volumes(what: str, formula: Callable[[], float], printed: float) -> None:
    assert formula() == pytest.approx(printed, abs=0.006), what


def codes(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run lab/bench/papers/codes.py."""
    return subprocess.run(
        [sys.executable, str(BENCH / "papers" / "codes.py"), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **more},
    )


@pytest.mark.in_turn
def test_a_code_under_jostle_run(mpi: Mpi) -> None:
    """The whole way: built, run under the command, and what jostle counted of it."""
    done = codes("run", "sweep3d", "--mpi", mpi.name, "--", "--steps", "2", "--nz", "8")
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    counted = reported["counted"]
    assert reported["messages"] == counted["mpi_send_ops"] == 2 * 8 * 2 * 2
    together = ("mpi_all_to_all_ops", "mpi_all_to_one_ops", "mpi_barrier_ops")
    assert reported["collectives"] == sum(counted[name] for name in together)


def test_every_code_is_a_program_of_a_study() -> None:
    needed("openmpi")
    head = '[study]\nname = "all"\n[defaults]\nlimit = "90s"\n'
    done = codes("study")
    study = parse(head + done.stdout, "all.toml", StudyOptions())
    names = [*(p.name for p in study.programs), *(name for name, _ in study.left_out)]
    listed = [line.split()[0] for line in codes().stdout.splitlines() if line[0] != " "]
    assert sorted(names) == sorted(listed)


def test_what_is_not_installed_is_skipped_with_its_package(tmp_path: Path) -> None:
    for name in ("mpicc.openmpi", "mpirun.openmpi"):
        (tmp_path / name).symlink_to(shutil.which(name) or pytest.skip("needs Open MPI"))
    done = codes("run", "lammps", PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "lammps: skipped: lmp (apt install lammps)\n"
