"""The MPIs of this machine, how to compile for each and how to start its programs.

Tests ask for the fixture ``mpi`` and run once per MPI; where one is missing they are skipped, with
the reason. Programs are kept in build/tests-mpi by what they were made of.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from harness import Result, Runner, Truth, read_truth

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
CACHE = HERE.parents[1] / "build" / "tests-mpi"
FLAVOURS = ("openmpi", "mpich")

# More ranks than cores, by whichever user the tests run as. osc=^rdma: that component of Open
# MPI 4.1 crashes in its shared-memory transport on accumulates, with and without us.
_OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_osc": "^rdma",
    "OMPI_MCA_btl_base_warn_component_unused": "0",
}


@functools.cache
def _shared_memory() -> str:
    """Where ranks share memory: what killed ones leave there goes when the tests end."""
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="jostle-test-", dir=shm)
    os.chmod(folder, 0o1777)  # some tests change the user
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True)
class Mpi:
    """One MPI: its compilers and its launcher."""

    name: str
    cc: str
    fc: str | None
    launcher: str

    @property
    def environment(self) -> dict[str, str]:
        """What its programs and its launcher need on a test machine."""
        if self.name != "openmpi":
            return {}
        return {**_OPENMPI, "OMPI_MCA_btl_vader_backing_directory": _shared_memory()}

    def command(self, ranks: int, *program: str | Path, **variables: str) -> list[str]:
        """The command line that starts a program, with variables for its ranks alone."""
        out = [self.launcher]
        for name, value in variables.items():
            if self.name == "openmpi":
                out += ["-x", f"{name}={value}"]
            else:
                out += ["-genv", name, value]
        return [*out, "-n", str(ranks), *map(str, program)]

    def compiled(self, name: str, *sources: str, flags: Sequence[str] = ()) -> Path:
        """A program (or a library, with -shared) made by this MPI's compiler; kept when unchanged.

        Args:
            name: what it is called.
            sources: files in programs/, or anywhere by their whole path; Fortran by their ending.
            flags: further options of the compiler.
        """
        fortran = any(s.lower().endswith((".f90", ".f")) for s in sources)
        compiler = self.fc if fortran else self.cc
        if compiler is None:
            pytest.skip(f"{self.name} has no Fortran compiler here")
        command = [compiler, "-g", "-O1", "-pthread", *flags]
        if "-shared" in flags:
            command += ["-fPIC", "-Wl,--as-needed"]
        if fortran:
            command += ["-cpp", "-fallow-argument-mismatch", str(self._account(compiler))]
        target = CACHE / self.name / f"{name}-{self._digest(command, sources)}"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            made = target.with_name(f".{target.name}.{os.getpid()}")
            command += [*(str(PROGRAMS / s) for s in sources), "-o", str(made), "-ldl"]
            with tempfile.TemporaryDirectory() as modules:  # Fortran's, which nobody needs later
                subprocess.run(command, check=True, cwd=modules)
            made.rename(target)
        return target

    def _account(self, fc: str) -> Path:
        """The C part of the Fortran programs."""
        source = "account_fortran.c"
        target = CACHE / self.name / f"account-{self._digest([fc], [source])}.o"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            made = target.with_name(f".{target.name}.{os.getpid()}.o")
            subprocess.run(["cc", "-g", "-c", PROGRAMS / source, "-o", made], check=True)
            made.rename(target)
        return target

    @staticmethod
    def _digest(command: Sequence[str], sources: Sequence[str]) -> str:
        digest = hashlib.sha256("\0".join(command).encode())
        files = [PROGRAMS / s for s in sources]
        folders = sorted({PROGRAMS, *(path.parent for path in files)})
        headers = [path for folder in folders for path in sorted(folder.glob("*.h"))]
        for path in (*files, *headers):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]


def find(name: str) -> Mpi | None:
    """An MPI by the names that Debian gives its commands."""
    cc, launcher = shutil.which(f"mpicc.{name}"), shutil.which(f"mpirun.{name}")
    if cc is None or launcher is None:
        return None
    return Mpi(name, cc, shutil.which(f"mpif90.{name}"), launcher)


def needed(name: str) -> Mpi:
    """An MPI by name, or the test is skipped."""
    found = find(name)
    if found is None:
        pytest.skip(f"{name} is not installed (mpicc.{name}, mpirun.{name})")
    return found


@dataclass
class World(Result):
    """One mpirun: accounts of program and counter, profiles, ranks."""

    counted: Truth = field(default_factory=dict)

    @property
    def ranks(self) -> list:  # type: ignore[type-arg]
        """The profiles of processes that entered MPI, in the order of their world ranks."""
        found = [p for p in self.processes if not p.short and p.header["mpi_state"]]
        return sorted(found, key=lambda p: (p.header["spawned"], p.header["world_rank"]))

    def agree(self, *metrics: str, ranks: int | None = None) -> None:
        """Hold profiles, programs and the counter against each other, process by process.

        Args:
            metrics: prefixes of the metrics to compare; all classes when none is given.
            ranks: how many processes must have left an account.
        """
        self._named()
        assert ranks is None or len(self.truth) == ranks, (len(self.truth), self.stderr)
        self.check(*metrics)
        if self.counted:
            assert set(self.counted) == set(self.truth)
        for pid, account in self.counted.items():
            said = {m: n for m, n in account.items() if not metrics or m.startswith(metrics)}
            self._same({m: self.total(m, pid) for m in said}, said, f"process {pid}, counter")

    def _named(self) -> None:
        """Leave out the place of bytes in classes without bytes: it has no name.

        And of the counter what arrived: it looks at arguments only.
        """
        for accounts in (self.truth, self.counted):
            for account in accounts.values():
                account.pop("", None)
        for account in self.counted.values():
            for name in [name for name in account if name.endswith("_arrived_bytes")]:
                del account[name]


class Mpirun(Runner):
    """Runs MPI programs under the preload."""

    def __init__(self, library: Path, directory: Path) -> None:
        super().__init__(library, directory)
        self.counter = directory / "counter"
        self.counter.mkdir()

    def world(
        self, mpi: Mpi, ranks: int, *program: str | Path, counted: str = "after", **more: object
    ) -> World:
        """Start a program on so many ranks and read what is left when it has ended.

        Args:
            mpi: which MPI.
            ranks: how many.
            program: the program and its arguments.
            counted: "after" or "before" us the independent counter is preloaded; "" not at all.
            more: see `Runner.run`; env holds variables for launcher and ranks alike.
        """
        command, env = self.mpirun(mpi, ranks, *program, counted=counted)
        env |= more.pop("env", {})  # type: ignore[arg-type, operator]
        result = self.run(*command, env=env, **more)  # type: ignore[arg-type]
        return self.as_world(result)

    def mpirun(
        self, mpi: Mpi, ranks: int, *program: str | Path, counted: str = ""
    ) -> tuple[list[str], dict[str, str | None]]:
        """Command line and environment of `world`, for tests that start it themselves."""
        libraries = list(map(str, self.preload()))
        if counted:
            counter = mpi.compiled(
                "counter",
                "counter/counter.c",
                "counter/counter_collectives.c",
                "counter/counter_io.c",
                flags=("-shared", "-Wno-stringop-overread"),
            )
            libraries.insert(0 if counted == "before" else len(libraries), str(counter))
        if mpi.name == "mpich":
            patience = mpi.compiled("patience", "patience.c", flags=("-shared",))
            libraries.append(str(patience))
        command = mpi.command(ranks, *program, LD_PRELOAD=":".join(libraries))
        env: dict[str, str | None] = {**mpi.environment, "JOSTLE_JOB": None}
        return command, env | {"COUNTER": str(self.counter) if counted else None}

    def as_world(self, result: Result) -> World:
        """A result with the counter's accounts."""
        world = World(**vars(result))
        world.counted = read_truth(self.counter)[0]
        return world


CLASSES = (
    "classes/classes.c",
    "classes/classes_p2p.c",
    "classes/classes_collectives.c",
    "classes/classes_memory.c",
    "classes/classes_io.c",
    "classes/classes_rest.c",
)


def classes(mpi: Mpi) -> Path:
    """The program that uses every class."""
    return mpi.compiled("classes", *CLASSES, flags=("-w",))
