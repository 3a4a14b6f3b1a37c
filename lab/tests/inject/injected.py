"""Runs programs with injected delays, and reads profiles and logs."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from harness import Result
from mpis import Mpi, Mpirun, World

from jostle_lab.inject import InjectLog, read

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[3]


@functools.cache
def compiled(source: str, *more: str) -> Path:
    """A test program, with further sources or flags; kept until the tests end."""
    folder = Path(tempfile.mkdtemp(prefix="jostle-inject-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = folder / Path(source).stem
    command = ["cc", "-g", "-O1", "-D_GNU_SOURCE", "-Wall", str(PROGRAMS / source)]
    subprocess.run([*command, *more, "-o", str(target), "-pthread"], check=True)
    return target


@dataclass
class Suffered:
    """One run.

    Attributes:
        result: What the program did, and its profiles.
        log: What was injected.
    """

    result: Result
    log: InjectLog = field(repr=False)

    @property
    def given(self) -> int:
        """Number of delays."""
        return int(sum(self.log.totals["given"].to_pylist()))

    @property
    def delay_ns(self) -> int:
        """Their sum."""
        return int(sum(self.log.totals["delay_ns"].to_pylist()))

    def calls(self, name: str) -> int:
        """Calls of a class that could have been delayed."""
        rows = self.log.totals.to_pylist()
        return int(sum(row["calls"] for row in rows if row["class"] == name))

    def fates(self) -> list[tuple[object, ...]]:
        """Which calls were delayed: rank, class and number."""
        rows = self.log.delays.to_pylist()
        return sorted((-1 if r["rank"] is None else r["rank"], r["class"], r["n"]) for r in rows)


class Injected(Mpirun):
    """Runs programs under the preload with the injector behind it."""

    def __init__(self, library: Path, directory: Path) -> None:
        """Makes it; see Runner."""
        super().__init__(library, directory)
        self.logs = directory / "logs"
        self.logs.mkdir()
        self.runs = 0

    def preload(self) -> list[Path | str]:
        """The library, and the injector behind it."""
        return [*super().preload(), self.library.parent / "libjostle_inject.so"]

    def rules(self, rules: str) -> dict[str, str | None]:
        """Variables for rules; each run has a folder for its logs."""
        self.runs += 1
        for profile in self.spool.iterdir():  # of the run before
            profile.unlink()
        return {"JOSTLE_INJECT": f"{rules} log={self.logs / str(self.runs)}"}

    def suffered(self, result: Result) -> Suffered:
        """A result with the logs of the run."""
        folder = self.logs / str(self.runs)
        return Suffered(result, read(folder if folder.exists() else []))

    def suffer(self, rules: str, *words: str | Path, **more: object) -> Suffered:
        """Run programs/calls.c (or what stands first) under rules."""
        words = words if isinstance(words[0], Path) else (compiled("calls.c"), *words)
        env = {**self.rules(rules), **more.pop("env", {})}  # type: ignore[dict-item]
        return self.suffered(self.run(*words, env=env, **more))  # type: ignore[arg-type]

    def suffer_mpi(
        self, rules: str, mpi: Mpi, ranks: int, *words: str | Path, **more: object
    ) -> tuple[World, Suffered]:
        """Run an MPI program under rules."""
        world = self.world(mpi, ranks, *words, env=self.rules(rules), **more)  # type: ignore[arg-type]
        return world, self.suffered(world)
