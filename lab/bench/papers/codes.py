#!/usr/bin/env python3
"""Lists and runs the codes of the papers, each with its input and its command line.

    lab/bench/papers/codes.py                      every code, and whether it can run here
    lab/bench/papers/codes.py build [DIR]          compile our own programs, for each MPI
    lab/bench/papers/codes.py run NAME... [-n N]   run some once under `jostle run`; print counts
    lab/bench/papers/codes.py study NAME [-n N]    print a code as a [[program]] of a study

Real codes are Debian's, with input from code_inputs.py; the others are ours, in programs/codes/,
each written from a published description that its first comment names.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from cases import FOAM_VARIABLES
from mpi import OPENMPI, ROOT, Mpi, compile_program, compiler, mpis
from papers import code_inputs as inputs
from profiles import totals

ROOT_FOLDER = Path(__file__).resolve().parents[3]
BUILT = ROOT_FOLDER / "build" / "codes"
LIMIT_S = 300.0
#: What `run` prints of a run: metrics that are summed, by their label.
REPORTED = {
    "MB written": ("posix_write_bytes", "stdio_write_bytes"),
    "MB read": ("posix_read_bytes", "stdio_read_bytes"),
    "MB written by MPI-IO": ("mpiio_write_bytes", "mpiio_write_all_bytes"),
    "files opened": ("posix_open_ops", "stdio_open_ops"),
    "messages": ("mpi_send_ops", "mpi_isend_ops", "mpi_sendrecv_ops"),
    "collectives": (
        "mpi_all_to_all_ops",
        "mpi_all_to_one_ops",
        "mpi_one_to_all_ops",
        "mpi_barrier_ops",
        "mpi_iall_to_all_ops",
    ),
}


@dataclass(frozen=True)
class Code:
    """A code and one way to run it.

    Attributes:
        name: Name of the code in this list.
        about: Description of the code, and of the data that it writes.
        command: Program and arguments of a rank; `{processes}` is the number of ranks.
        package: Debian package of the code; empty for our own codes, in programs/codes/NAME.c.
        full: Arguments for the size in the published source, for our own codes.
        files: Input files by name; `{processes}` is replaced.
        prepare: Commands that create the rest of the input.
        needs: Programs that must be installed, in addition to the first of the command.
        env: Environment variables.
        ranks: Default number of ranks.
        serial: Whether the code runs without MPI.
        module: Python module that Debian's Python must have.
    """

    name: str
    about: str
    command: tuple[str, ...]
    package: str = ""
    full: str = ""
    files: dict[str, str] = field(default_factory=dict)
    prepare: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    ranks: int = 2
    serial: bool = False
    module: str = ""

    def missing(self, mpi: Mpi) -> str:
        """Return the missing software and where to get it; "" if the code can run here."""
        if not self.package:
            return "" if compiler(mpi, "c") else f"mpicc.{mpi.name} (apt install lib{mpi.name}-dev)"
        wanted = [self.command[0], *self.needs, *([] if self.serial else [mpi.launch[0]])]
        absent = [name for name in wanted if shutil.which(name) is None]
        if self.module and not absent:
            probe = [self.command[0], "-c", f"import {self.module}"]
            if subprocess.run(probe, capture_output=True, check=False).returncode:
                absent.append(f"the module {self.module} of {self.command[0]}")
        if not self.serial and mpi is not OPENMPI:
            return "Debian builds it for Open MPI"
        return f"{', '.join(absent)} (apt install {self.package})" if absent else ""


def _own(name: str, about: str, full: str, *arguments: str, ranks: int = 2) -> Code:
    return Code(name, about, (name, *arguments), full=full, ranks=ranks)


_FOAM_TOOLS = ("blockMesh", "decomposePar")
CODES = {
    code.name: code
    for code in (
        _own(
            "madbench2",
            "MADbench2's S, W and C: seek, write, read of matrices",
            "--pixels 50000 --bins 36 --phases S",
        ),
        _own(
            "hacc_io",
            "HACC-IO: checkpoint of nine variables of particles, and restart",
            "--particles 100000000 --steps 1 --restart 0",
        ),
        _own(
            "ior",
            "IOR: segments, blocks, transfers; own or shared files",
            "--transfer 1m --block 16m --segments 16",
        ),
        _own(
            "bt_io",
            "BT-IO: nested strided blocks of a cube, a collective call each dump",
            "--cells 162 --steps 200",
            ranks=4,
        ),
        _own(
            "flash_io",
            "FLASH I/O: checkpoint and two plot files, dataset after dataset",
            "--cells 16",
        ),
        _own(
            "imb_io",
            "IMB-IO as Kuo ran it: 16 MiB of an application, repeatedly",
            "--size 16m --times 1000",
        ),
        _own(
            "milc",
            "MILC: stencil of four dimensions, two small Allreduces an iteration",
            "--sites 24 --solves 20 --iterations 100",
        ),
        _own(
            "pf3d",
            "pF3D: all-to-alls of rows and columns, planes along the beam",
            "--px 32 --py 16 --nx 128 --ny 128 --nz 8",
            ranks=4,
        ),
        _own(
            "gapgeofem",
            "GAPgeofem: a solver of 300 (or 4800) collectives a second, small files",
            "--rate 4800 --side 64 --steps 640 --iterations 32 --every 10 --dump 8192",
        ),
        _own(
            "sweep3d",
            "Sweep3D: waves of small blocking messages, eight octants",
            "--nx 50 --ny 50 --nz 400 --mk 10 --mmi 3 --steps 12",
        ),
        Code(
            "lammps",
            "LAMMPS, a melting crystal; rank 0 writes all atoms every ten steps",
            ("lmp", "-in", "in.melt", "-log", "none", "-screen", "none"),
            "lammps",
            files={"in.melt": inputs.MELT},
            env={"OMP_NUM_THREADS": "1"},
        ),
        Code(
            "cavity",
            "OpenFOAM's icoFoam, a driven cavity; small files of each rank at each step",
            ("icoFoam", "-parallel"),
            "openfoam",
            files=inputs.CAVITY,
            needs=_FOAM_TOOLS,
            prepare=("blockMesh", "decomposePar"),
            env=FOAM_VARIABLES,
        ),
        Code(
            "dam",
            "OpenFOAM's interFoam, a column of water that falls; files at every tenth step",
            ("interFoam", "-parallel"),
            "openfoam",
            files=inputs.DAM,
            needs=(*_FOAM_TOOLS, "setFields"),
            prepare=("blockMesh", "setFields", "decomposePar"),
            env=FOAM_VARIABLES,
        ),
        Code(
            "hpcc",
            "HPC Challenge: all-to-alls, messages and memory; writes next to nothing",
            ("hpcc",),
            "hpcc",
            files={"hpccinf.txt": inputs.HPCC},
            env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        ),
        Code(
            "hydrogen",
            "Quantum ESPRESSO's pw.x, hydrogen; Fourier transforms, restart files",
            ("pw.x", "-in", "pw.in"),
            "quantum-espresso",
            files={"pw.in": inputs.HYDROGEN, "H.UPF": inputs.nucleus()},
            env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        ),
        Code(
            "gromacs",
            "GROMACS, a box of water; trajectory and energies by rank 0",
            ("gmx_mpi", "mdrun", "-deffnm", "water", "-ntomp", "1"),
            "gromacs",
            files=inputs.WATER,
            needs=("gmx",),
            prepare=(
                "gmx solvate -cs spc216 -box 2.5 2.5 2.5 -o water.gro -p topol.top",
                "gmx grompp -f water.mdp -c water.gro -p topol.top -o water.tpr",
            ),
        ),
        Code(
            "h5perf",
            "HDF5's h5perf_serial: a dataset of 64 MiB in pieces of 1 MiB",
            ("h5perf_serial", "-A", "hdf5", "-e", "64M", "-x", "1M", "-i", "3", "-w"),
            "hdf5-tools",
            env={"HDF5_PREFIX": "."},
            ranks=1,
            serial=True,
        ),
        Code(
            "h5py",
            "h5py: each rank a file with contiguous, chunked and strided datasets",
            ("/usr/bin/python3", "write.py"),
            "python3-h5py",
            module="h5py",
            files={"write.py": inputs.H5PY},
        ),
        Code(
            "flash_hdf5",
            "FLASH I/O by parallel HDF5: shared files, a collective write a dataset",
            ("/usr/bin/python3", "write.py"),
            "python3-h5py-mpi python3-mpi4py",
            module="h5py._debian_h5py_mpi, mpi4py",
            files={"write.py": inputs.FLASH_HDF5},
        ),
        Code(
            "netcdf",
            "netCDF-4 for Python: each rank a file with an unlimited dimension",
            ("/usr/bin/python3", "write.py"),
            "python3-netcdf4",
            module="netCDF4",
            files={"write.py": inputs.NETCDF},
        ),
    )
}


def build(into: Path, mpi: Mpi, names: Iterable[str] = CODES) -> None:
    """Compile our own programs for an MPI into INTO/MPI/NAME, where their sources are newer."""
    folder = into / mpi.name
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        if not CODES[name].package:
            compile_program(mpi, f"codes/{name}", folder / name)


def prepared(code: Code, ranks: int, folder: Path) -> None:
    """Write the input of a code and run what makes the rest of it.

    Raises:
        subprocess.CalledProcessError: A command failed.
    """
    for name, text in code.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("{processes}", str(ranks)))
    for line in code.prepare:
        subprocess.run(
            shlex.split(line),
            cwd=folder,
            env={**os.environ, **code.env},
            check=True,
            capture_output=True,
            text=True,
        )


def command(code: Code, mpi: Mpi, ranks: int, more: Sequence[str] = ()) -> list[str]:
    """The whole command line of a code, with mpirun."""
    program = [word.replace("{processes}", str(ranks)) for word in code.command]
    if not code.package:
        program[0] = str(BUILT / mpi.name / code.name)
    program += more
    if code.serial:
        return program
    patient = ranks > len(os.sched_getaffinity(0))
    return mpi.command(ranks, program, {}, patient)


def run_one(code: Code, mpi: Mpi, ranks: int, more: Sequence[str]) -> dict[str, object]:
    """Run a code under `jostle run` in a folder of its own; return the results."""
    with tempfile.TemporaryDirectory(prefix=f"jostle-{code.name}-") as place:
        folder, spool = Path(place) / "run", Path(place) / "spool"
        folder.mkdir()
        spool.mkdir()
        prepared(code, ranks, folder)
        jostle = [str(Path(sys.executable).with_name("jostle")), "run", "--keep", "--no-verdict"]
        added = {"JOSTLE_SPOOL": str(spool), "JOSTLE_REPOSITORY": str(Path(place) / "repository")}
        begun = time.monotonic()
        done = subprocess.run(
            [*jostle, "--", *command(code, mpi, ranks, more)],
            cwd=folder,
            check=False,
            env={**os.environ, **ROOT, **code.env, **added},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        result: dict[str, object] = {
            "code": code.name,
            "mpi": "none" if code.serial else mpi.name,
            "ranks": ranks,
            "status": done.returncode,
            "seconds": round(time.monotonic() - begun, 1),
        }
        if done.returncode:
            result["last words"] = [*done.stdout.splitlines()[-5:], *done.stderr.splitlines()[:20]]
        sums = totals(spool)
        for word, metrics in REPORTED.items():
            count = sum(sums.get(name, 0) for name in metrics)
            result[word] = round(count / 1e6, 1) if word.startswith("MB") else count
        said = [line for line in done.stdout.splitlines() if line.startswith('{"code"')]
        if said:
            result["counted"] = json.loads(said[-1])["counted"]
        return result


def as_program(code: Code, ranks: int, more: Sequence[str]) -> str:
    """A code as the [[program]] of a study, in TOML. Our own must be on PATH."""
    lines = [
        "[[program]]",
        f"name = {json.dumps(code.name)}  # {code.about}",
        f"command = {json.dumps([*code.command, *more])}",
    ]
    if not code.serial:
        lines.append('mpi = "openmpi"')
    launcher = [] if code.serial else [OPENMPI.launch[0]]
    lines.append(f"needs = {json.dumps([code.command[0], *code.needs, *launcher])}")
    lines.append(f"processes = {ranks}")
    if code.prepare:
        lines.append(f"prepare = {json.dumps(['sh', '-c', ' && '.join(code.prepare)])}")
    if code.env:
        pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in code.env.items())
        lines.append(f"env = {{ {pairs} }}")
    if code.files:
        lines.append("[program.files]")
        lines += [f'{json.dumps(name)} = """\n{text}"""' for name, text in code.files.items()]
    return "\n".join(lines)


def table(mpi: Mpi) -> str:
    """Return a table of all codes: whether each can run here, and its description."""
    lines = []
    for code in CODES.values():
        absent = code.missing(mpi)
        lines.append(f"{code.name:10}  {code.about}")
        if code.full:
            lines.append(f"{'':10}  full size: {code.full}")
        if absent:
            lines.append(f"{'':10}  cannot run here: {absent}")
    return "\n".join(lines)


def _chosen(names: Sequence[str]) -> list[Code]:
    if unknown := [name for name in names if name not in CODES]:
        raise SystemExit(f"codes.py: there is no code `{unknown[0]}`: one of {', '.join(CODES)}")
    return [CODES[name] for name in names or CODES]


def run(names: Sequence[str], mpi: Mpi, ranks: int | None, more: Sequence[str]) -> int:
    """Run codes, and print a line of JSON for each; skip codes that cannot run, with the reason."""
    failed = 0
    for code in _chosen(names):
        if absent := code.missing(mpi):
            print(f"{code.name}: skipped: {absent}", file=sys.stderr)
            continue
        build(BUILT, mpi, [code.name])
        try:
            result = run_one(code, mpi, ranks or code.ranks, more)
        except subprocess.CalledProcessError as error:
            result = {
                "code": code.name,
                "status": error.returncode,
                "last words": str(error.stdout + error.stderr).splitlines()[-5:],
            }
        except subprocess.TimeoutExpired:
            result = {"code": code.name, "status": "hangs"}
        failed += result["status"] != 0
        print(json.dumps(result), flush=True)
    return 1 if failed else 0


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "verb", nargs="?", default="list", choices=["list", "build", "run", "study"]
    )
    parser.add_argument("names", nargs="*", help="codes (for build: a folder)")
    parser.add_argument("-n", "--ranks", type=int, help="number of ranks")
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    given, more = parser.parse_args(words[:cut]), words[cut + 1 :]
    mpi = next((m for m in mpis() if m.name == given.mpi), None)
    if mpi is None:
        raise SystemExit(f"codes.py: {given.mpi} is not installed: mpicc.{given.mpi}, mpirun")
    if given.verb == "list":
        print(table(mpi))
    elif given.verb == "build":
        for each in mpis():
            build(Path(given.names[0]) if given.names else BUILT, each)
    elif given.verb == "study":
        codes = _chosen(given.names)
        print("\n\n".join(as_program(code, given.ranks or code.ranks, more) for code in codes))
    else:
        return run(given.names, mpi, given.ranks, more)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
