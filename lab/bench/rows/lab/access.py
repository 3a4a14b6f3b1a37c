#!/usr/bin/env python3
"""Scores how accurately jostle names access patterns, on signals and real programs.

    lab/bench/rows/lab/access.py [--quick] [--real] [--json]

Each signal runs under the preload; then jostle sees only its profiles. The truth is the signal's
own log: pattern, bytes per operation, when its bursts began. Two verdicts of jostle are compared
with the truth: its usual one, and one without the metrics of the positions at which writes begin.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

import cases
from measure import Bench, Row, say

if TYPE_CHECKING:
    from jostle.analysis import Period
    from jostle.repository.types import JobTables

OWC, WS, AW = "open-write-close", "write-seek", "aggregate-write"
KIB = 1024
MIB = 1024 * KIB
CHUNKS = (2 * KIB, 64 * KIB, MIB, 16 * MIB)
LARGEST = 256 * MIB  # six of these by each process
APIS = ("posix", "openmpi", "mpich")
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n"],
    "mpich": ["mpirun.mpich", "-n"],
}
AS_ROOT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
SLICE, SLICE_S = "100ms", 0.1
PERIOD_S = 0.8


@dataclass(frozen=True)
class Signal:
    """A signal whose pattern is known.

    Attributes:
        pattern: Access pattern of the signal.
        chunk: Size of an operation, bytes.
        shared: Whether all processes use one file.
        api: Interface: posix, or the MPI library whose MPI-IO the signal uses.
        flush: Value of --flush; "" for the pattern's default.
        periodic: Whether the load comes in bursts of PERIOD_S.
        more: Further options of `jostle signal`.
    """

    pattern: str
    chunk: int
    shared: bool
    api: str = "posix"
    flush: str = ""
    periodic: bool = False
    more: tuple[str, ...] = ()

    def name(self, number: int) -> str:
        """Return a job name for the signal."""
        return f"signal-{number:03d}"

    def command(self, folder: Path) -> list[str]:
        """Return the command that runs the signal with two processes."""
        from jostle_lab.signals import program

        mpi = None if self.api == "posix" else self.api
        volume = max(1024 * self.chunk, 4 * MIB) if self.chunk < MIB else 24 * self.chunk
        words = [
            str(program(mpi)),
            self.pattern,
            "--dir",
            str(folder),
            "--log",
            str(folder / "log"),
            "--quiet",
            "--slice",
            SLICE,
            "--chunk",
            str(self.chunk),
            *self.more,
        ]
        if self.periodic:
            words += ["--period", str(PERIOD_S), "--time", "7", "--max-disk", "4GiB"]
        elif self.chunk == LARGEST:
            words += ["--iterations", "6"]
        else:
            words += ["--time", "2", "--volume", str(max(volume, 64 * MIB))]
        words += ["--shared"] if self.shared else []
        words += ["--flush", self.flush] if self.flush else []
        if mpi is None:
            return [*words, "--processes", "2"]
        return [*LAUNCH[mpi], "2", *words, "--api", "mpiio"]


@dataclass(frozen=True)
class Truth:
    """The true behaviour of a signal, from its log.

    Attributes:
        pattern: Access pattern of the signal.
        shared: Whether all processes use one file.
        chunk: Bytes per operation; for aggregate-write, bytes per call.
        period_s: Mean time between the starts of bursts, s; None for sustained load.
        regular: Whether these times vary by less than half a slice, with silence between bursts.
    """

    pattern: str
    shared: bool
    chunk: float
    period_s: float | None
    regular: bool


@dataclass(frozen=True)
class Verdict:
    """jostle's verdict on a signal, and which parts of it are correct.

    Attributes:
        signal: The signal.
        truth: True behaviour of the signal, from its log.
        said: Pattern that jostle named.
        plain: Pattern that jostle named without the metrics of module access.
        chunk: Chunk size that jostle named, bytes.
        chunk_right: Whether the named size is within 10 %; None if there is none.
        period_right: Whether the named period is correct. For sustained load, no period must be
            named. For bursts, the named interval must contain the true period; if the bursts in the
            log are irregular, it is also correct to name none.
        evidence: Evidence that jostle gave.
    """

    signal: Signal
    truth: Truth
    said: str
    plain: str
    chunk: float | None
    chunk_right: bool | None
    period_right: bool
    evidence: str

    @property
    def right(self) -> bool:
        """Whether the pattern is the one that was run."""
        return self.said == self.truth.pattern


def truth_of(log: Path, job: str) -> Truth:
    """Read the behaviour of a signal from its own log."""
    from jostle_lab.signals import read_log

    found = read_log(log, job)
    people = found.processes.to_pylist()
    done = "writes" if people[0]["pattern"] == AW else "operations"
    chunk = sum(each["bytes"] for each in people) / max(sum(each[done] for each in people), 1)
    period, regular = None, False
    if people[0]["period_ns"]:
        mine = [row for row in found.bursts.to_pylist() if row["pid"] == people[0]["pid"]]
        begins = np.array([row["begin_ns"] for row in mine]) / 1e9
        ends = np.array([row["end_ns"] for row in mine]) / 1e9
        apart = np.diff(begins)
        period = float(apart.mean())
        pauses = begins[1:] - ends[:-1]
        regular = bool(apart.std() < SLICE_S / 2 and (pauses > 2 * SLICE_S).all())
    return Truth(people[0]["pattern"], people[0]["shared"], chunk, period, regular)


def signals(level: str) -> Iterator[Signal]:
    """All signals to score."""
    quick = level != "full"
    if level == "smoke":
        yield from (Signal(pattern, 64 * KIB, False) for pattern in (OWC, WS, AW))
        return
    for pattern in (OWC, WS, AW):
        for chunk in CHUNKS[1:3] if quick else CHUNKS:
            for shared in (False, True):
                for api in APIS:
                    yield Signal(pattern, chunk, shared, api)
            for flush in ("none", "each") if pattern == OWC else ("none", "end", "each"):
                yield Signal(pattern, chunk, False, "posix", flush)
        for chunk in (64 * KIB, MIB):
            for shared in (False, True):
                flush = "each" if pattern == AW else ""  # or it fills the disk
                yield Signal(pattern, chunk, shared, "posix", flush, periodic=True)
        for shared in () if quick else (False, True):
            yield Signal(pattern, LARGEST, shared, "posix", "none")
        yield Signal(pattern, 64 * KIB, False, more=("--piece", "4KiB"))
    yield Signal(OWC, 64 * KIB, False, more=("--reuse",))
    yield Signal(OWC, 40000, False, flush="none", more=("--piece", "400", "--reuse"))


def run_signals(bench: Bench, chosen: Iterable[Signal]) -> list[Verdict]:
    """Run signals, and score the verdicts on their profiles."""
    spool, data = bench.disk / "access", bench.disk / "signals"
    spool.mkdir()
    data.mkdir()
    ran: dict[str, Signal] = {}
    for number, signal in enumerate(chosen):
        name = signal.name(number)
        environment = {**os.environ, **AS_ROOT, **bench.jostle(spool, JOB=name, SLICE=SLICE)}
        try:
            command = signal.command(data)
        except Exception as error:  # an MPI that signals were not built for
            say(f"{name}: left out: {error}")
            continue
        if shutil.which(command[0]) is None:
            continue
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr[-300:]}")
        ran[name] = signal
    return list(assess(spool, ran, data))


def assess(spool: Path, ran: dict[str, Signal], data: Path) -> Iterator[Verdict]:
    """Read the profiles of the jobs, and score the verdicts."""
    from jostle.analysis import write_patterns
    from jostle.repository import Repository

    with Repository.of_spool([spool]) as store:
        for name, signal in ran.items():
            tables = store.job_tables(name)
            mount = mount_of(tables, data)
            pattern = next(each for each in write_patterns(tables) if each.mount == mount)
            truth = truth_of(data / "log", name)
            chunk = pattern.chunk_bytes
            yield Verdict(
                signal,
                truth,
                pattern.pattern,
                without(tables, mount),
                chunk,
                None if chunk is None else abs(chunk / truth.chunk - 1) <= 0.1,
                fits(truth, pattern.period),
                " / ".join(phase.evidence for phase in pattern.phases if phase.bytes),
            )


def fits(truth: Truth, period: Period | None) -> bool:
    """Return whether the period that was named, or that none was, is right."""
    if truth.period_s is None or period is None:
        return period is None and not truth.regular
    slack = 0.05 * truth.period_s
    return period.low - slack <= truth.period_s <= period.high + slack


def mount_of(tables: JobTables, folder: Path) -> str:
    """Return the mount that a folder is on, as the job saw it."""
    rows = tables.mounts.to_pylist()
    over = [row for row in rows if row["path"] and folder.is_relative_to(row["path"])]
    return str(max(over, key=lambda row: len(row["path"]))["mount"])


def without(tables: JobTables, mount: str) -> str:
    """Name the pattern as it would be without the metrics of module access."""
    from jostle.analysis import write_patterns

    assert tables.accesses is not None
    new = [name for name in tables.accesses.column_names if name.startswith("access_")]
    processes = tables.processes.drop_columns(["library"])
    old = replace(tables, accesses=tables.accesses.drop_columns(new), processes=processes)
    return next(each.pattern for each in write_patterns(old) if each.mount == mount)


def confusion(verdicts: list[Verdict], *, plain: bool = False) -> str:
    """Return the confusion table: a row for each pattern that ran, a column for each one named."""
    said = Counter(
        (v.truth.pattern, v.truth.shared, v.plain if plain else v.said) for v in verdicts
    )
    columns = [OWC, WS, AW, "mixed", "unknown", "none"]
    lines = [f"{'run / said':32}" + "".join(f"{name:>17}" for name in columns)]
    for pattern in (OWC, WS, AW):
        for shared, how in ((False, "file per process"), (True, "shared")):
            cells = "".join(f"{said[pattern, shared, name] or '.':>17}" for name in columns)
            lines.append(f"{pattern + ', ' + how:32}{cells}")
    return "\n".join(lines)


# ---- real programs ----


@dataclass(frozen=True)
class Program:
    """A real program of known behaviour.

    Attributes:
        name: The program's name.
        expected: Correct patterns.
        script: Shell commands; $D is an empty folder, $I a folder with input.
        needs: Programs that must be installed.
    """

    name: str
    expected: tuple[str, ...]
    script: str
    needs: tuple[str, ...]


MELT_DUMP = "dump d all atom 10 {file}\nrun 400\n"
SQL = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute('create table t (k integer primary key, v blob)')
for n in range(300):
    db.executemany('insert into t (v) values (zeroblob(800))', [()] * 20)
    db.commit()
"""
HDF5 = """
import sys, numpy, h5py
with h5py.File(sys.argv[1], 'w') as f:
    for n in range(300):
        f.create_dataset(f'step{n}', data=numpy.random.rand(20000))
"""
PROGRAMS = (
    Program(
        "tar c",
        (AW,),
        "for i in 1 2 3; do cat $I/*/*; done > $D/../all; "
        "tar -cf $D/out.tar $I $D/../all; rm $D/../all",
        ("tar",),
    ),
    Program(
        "tar x",
        (OWC,),
        "tar -cf $D/in.tar -C $I .; "
        "for i in 1 2 3 4; do mkdir $D/$i; tar -xf $D/in.tar -C $D/$i; done",
        ("tar",),
    ),
    Program("cp -r", (OWC,), "for i in 1 2 3 4; do cp -r $I $D/$i; done", ("cp",)),
    Program(
        "dd, one file", (AW,), "dd if=/dev/zero of=$D/f bs=64k count=3000 status=none", ("dd",)
    ),
    Program(
        "dd, in place",
        (OWC,),
        "for i in $(seq 60); do dd if=/dev/zero of=$D/f bs=1M "
        "count=1 conv=notrunc status=none; done",
        ("dd",),
    ),
    Program("gzip", (AW,), "cat $I/*/* $I/*/* | gzip -1 > $D/f.gz", ("gzip",)),
    Program("sort", (AW, OWC), "cat $I/*/* | sort -S 4M -T $D > $D/f", ("sort",)),
    Program(
        "gcc",
        (OWC,),
        "for f in $I/c/*.c; do gcc -O1 -save-temps=obj -c $f -o $D/$(basename $f).o; done",
        ("gcc",),
    ),
    Program("sqlite3", (WS, "mixed", "unknown"), "python3 $I/sql.py $D/db", ("python3",)),
    Program(
        "LAMMPS, one dump file",
        (AW,),
        "lmp -in $I/in.one -log none -screen none -var out $D",
        ("lmp",),
    ),
    Program(
        "LAMMPS, a file per dump",
        (OWC,),
        "lmp -in $I/in.many -log none -screen none -var out $D",
        ("lmp",),
    ),
    Program("icoFoam", (OWC,), "cd $I/cavity && icoFoam", ("icoFoam", "blockMesh")),
    Program(
        "HDF5 (h5py)",
        (AW, "mixed", WS, "unknown"),
        f"{sys.executable} $I/hdf5.py $D/f.h5",
        ("h5py",),
    ),
)


def make_input(folder: Path) -> None:
    """Files to copy and pack, C sources, inputs of LAMMPS and OpenFOAM."""
    sizes = [3000, 20_000, 100_000, 400_000]
    for number in range(120):
        place = folder / f"d{number % 4}"
        place.mkdir(parents=True, exist_ok=True)
        line = f"{number} " + "some text that is not too easy to pack %d\n"
        text = "".join(line % (k * 7919 % 1000) for k in range(sizes[number % 4] // 45))
        (place / f"f{number}").write_text(text)
    (folder / "c").mkdir()
    for number in range(24):
        body = "".join(f"int f{k}(int x) {{ return x * {k} + 1; }}\n" for k in range(400))
        (folder / "c" / f"p{number}.c").write_text(body)
    (folder / "sql.py").write_text(SQL)
    (folder / "hdf5.py").write_text(HDF5)
    head = cases.MELT.format(cells=12, steps=0)
    (folder / "in.one").write_text(head + MELT_DUMP.format(file="${out}/dump"))
    (folder / "in.many").write_text(head + MELT_DUMP.format(file="${out}/dump.*"))
    if shutil.which("blockMesh"):
        cases.cavity(folder / "cavity", 30, 200, 1)
        control = folder / "cavity" / "system" / "controlDict"
        text = control.read_text().splitlines()
        text = [line for line in text if not line.startswith("writeInterval")]
        control.write_text("\n".join([*text, "writeInterval 5;"]) + "\n")


def run_programs(bench: Bench) -> list[tuple[Program, str, str]]:
    """Run real programs; return a sentence with the verdict on each."""
    from jostle.analysis import digest
    from jostle.cli.views.access_patterns import pattern_text
    from jostle.repository import Repository

    spool, given = bench.disk / "real", bench.disk / "input"
    spool.mkdir()
    make_input(given)
    ran = []
    for number, program in enumerate(PROGRAMS):
        if not all(shutil.which(name) or _importable(name) for name in program.needs):
            say(f"{program.name}: not installed")
            continue
        data = bench.disk / f"real-{number}" / "data"
        data.mkdir(parents=True)
        environment = {
            **os.environ,
            **AS_ROOT,
            **cases.FOAM_VARIABLES,
            "D": str(data),
            "I": str(given),
            **bench.jostle(spool, JOB=f"real-{number}", SLICE=SLICE),
        }
        done = subprocess.run(
            ["bash", "-c", program.script],
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            say(f"{program.name}: failed: {done.stderr[-300:]}")
            continue
        ran.append((program, f"real-{number}"))
        shutil.rmtree(data)
    results = []
    with Repository.of_spool([spool]) as store:
        for program, job in ran:
            tables = store.job_tables(job)
            mount = mount_of(tables, spool)
            made = next(each for each in digest(tables).writing if each.mount == mount)
            results.append((program, made.pattern, pattern_text(made)))
            for phase in made.phases:
                say(f"{program.name}: {phase.pattern}: {phase.evidence}")
    return results


def _importable(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None


# ---- results ----


def rows(bench: Bench) -> list[Row]:
    """Return the rows of lab/bench/run.py: shares of signals whose pattern was named correctly."""
    verdicts = run_signals(bench, signals(bench.level))
    number = len(verdicts)

    def row(what: str, right: int, of: int, target: float | None, note: str) -> Row:
        share = 100 * right / of if of else None
        reached = None if target is None or share is None else share >= target
        aim = "" if target is None else f">= {target:g} %"
        return Row("access", what, "%", aim, reached, ours=share, note=note)

    chunks = [v.chunk_right for v in verdicts if v.chunk_right is not None]
    wrong = [f"{asdict(v.signal)} said {v.said}" for v in verdicts if not v.right]
    return [
        row(
            "access patterns named correctly",
            sum(v.right for v in verdicts),
            number,
            95.0,
            "; ".join(wrong[:3]),
        ),
        row(
            "the same without module access",
            sum(v.plain == v.truth.pattern for v in verdicts),
            number,
            None,
            "result from opens, closes, writes and lseeks only",
        ),
        row("chunk within a tenth", sum(chunks), len(chunks), 95.0, ""),
        row(
            "period right, or correctly none",
            sum(v.period_right for v in verdicts),
            number,
            95.0,
            "",
        ),
    ]


def report(verdicts: list[Verdict]) -> None:
    """Print the confusion tables and the wrong verdicts."""
    number = len(verdicts)
    print(f"{number} signals; {sum(v.right for v in verdicts)} patterns right")
    print(confusion(verdicts))
    print("\nwithout the metrics of module access:")
    print(confusion(verdicts, plain=True))
    named = [v for v in verdicts if v.chunk_right is not None]
    print(f"\nchunk within a tenth: {sum(bool(v.chunk_right) for v in named)} of {len(named)}")
    print(f"period right, or correctly none: {sum(v.period_right for v in verdicts)} of {number}")
    for verdict in verdicts:
        if not (verdict.right and verdict.chunk_right and verdict.period_right):
            period = "right" if verdict.period_right else "wrong"
            print(
                f"  {verdict.signal}\n  {verdict.truth}\n    said {verdict.said}, "
                f"chunk {verdict.chunk}, period {period}: {verdict.evidence}"
            )


def main() -> int:
    """Run the signals, or the real programs, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="use two chunk sizes only")
    parser.add_argument("--real", action="store_true", help="run real programs instead of signals")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    options = parser.parse_args()
    from jostle import native_path

    level = "quick" if options.quick else "full"
    with Bench(native_path("libjostle.so"), None, level) as bench:
        if options.real:
            for program, said, text in run_programs(bench):
                mark = "" if said in program.expected else f"   (expected {program.expected[0]})"
                print(f"{program.name:26}{text}{mark}")
            return 0
        verdicts = run_signals(bench, signals(bench.level))
    if options.json:
        print(json.dumps([{**asdict(v), "right": v.right} for v in verdicts], indent=1))
    else:
        report(verdicts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
