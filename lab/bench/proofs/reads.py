#!/usr/bin/env python3
"""Scores how accurately jostle names read patterns, on synthetic and real programs.

    lab/bench/proofs/reads.py [--seed N] [--each N] [--real] [--json]

Each case runs under the preload; then jostle sees only its profile. The seed determines a case: its
interface, chunk size, calls per chunk, number of processes, and the random distances, offsets and
numbers of repetitions that the program draws itself. Use a seed with which nothing was tuned.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from measure import PROGRAMS as SOURCES
from measure import Bench, say
from rows.lab.access import AS_ROOT, LAUNCH, SLICE, mount_of

SEQUENTIAL, STRIDED, RANDOM, RE_READ = "sequential", "strided", "random", "re-read"
#: The pattern of each way of programs/reader.c, and other answers that are not wrong.
WAYS = {
    "whole": SEQUENTIAL,
    "files": SEQUENTIAL,
    "nth": STRIDED,
    "ranks": STRIDED,
    "matrix": STRIDED,
    "backward": STRIDED,
    "uniform": RANDOM,
    "permuted": RANDOM,
    "records": RANDOM,
    "passes": RE_READ,
    "blocks": RE_READ,
    "skipping": "unknown",
    "halves": "mixed",
}
NAMES = (SEQUENTIAL, STRIDED, RANDOM, RE_READ, "mixed", "unknown", "none")
KIB = 1024
FILE_BYTES = 64 * KIB * KIB


@dataclass(frozen=True)
class Case:
    """A run of programs/reader.c."""

    way: str
    api: str
    seed: int
    processes: int
    chunk: int
    pieces: int

    @property
    def expected(self) -> str:
        """The correct pattern."""
        return WAYS[self.way]

    def command(self, reader: Path, path: Path) -> list[str]:
        """Return the command that runs the case."""
        words = (self.way, path, self.api, self.seed, self.processes, self.chunk, self.pieces, 0.7)
        return [str(reader), *map(str, words)]


@dataclass(frozen=True)
class Verdict:
    """jostle's verdict on a case."""

    case: Case
    said: str
    chunk: float | None
    evidence: str

    @property
    def right(self) -> bool:
        """Whether the pattern is the one that was run."""
        return self.said == self.case.expected

    @property
    def chunk_right(self) -> bool | None:
        """Whether the chunk is within 10 %, if the program chooses it; None otherwise."""
        if not self.right or self.chunk is None or self.case.way in ("passes", "blocks"):
            return None
        pieces = self.case.pieces if self.said == SEQUENTIAL else 1
        return abs(self.chunk * pieces / self.case.chunk - 1) <= 0.1


def cases(seed: int, each: int) -> Iterator[Case]:
    """Draw cases, the same number of each kind."""
    draw = random.Random(seed)
    for way in WAYS:
        for _ in range(each):
            yield Case(
                way,
                draw.choice(["read", "pread", "preadv", "fread"]),
                draw.randrange(1 << 30),
                draw.choice([1, 2, 3]),
                draw.choice([512, 4 * KIB, 40_000, 64 * KIB, 512 * KIB]),
                draw.choice([1, 1, 4]),
            )


def run_cases(bench: Bench, chosen: list[Case]) -> list[Verdict]:
    """Run the cases, and score the verdicts on their profiles."""
    from jostle.repository import Repository

    spool, data = bench.disk / "reads", bench.disk / "data"
    spool.mkdir()
    data.mkdir()
    reader = build(data)
    path = data / "file"
    with path.open("wb") as out:
        for _ in range(FILE_BYTES // (1 << 20)):
            out.write(os.urandom(1 << 20))
    for number, case in enumerate(chosen):
        settings = bench.jostle(spool, JOB=f"case-{number}", SLICE=SLICE)
        run(case.command(reader, path), settings)
    with Repository.of_spool([spool]) as store:
        return [
            Verdict(case, *named(store, f"case-{number}", data))
            for number, case in enumerate(chosen)
        ]


def build(folder: Path) -> Path:
    """Compile programs/reader.c."""
    reader = folder / "reader"
    source = SOURCES / "reader.c"
    subprocess.run(["cc", "-O2", "-o", str(reader), str(source)], check=True)
    return reader


def run(command: list[str], settings: dict[str, str]) -> None:
    """Run a program under the preload."""
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-300:]}")


def named(store: object, job: str, folder: Path) -> tuple[str, float | None, str]:
    """Return the verdict on a job on the mount of a folder: pattern, chunk, evidence."""
    from jostle.analysis import read_patterns
    from jostle.repository import Repository

    assert isinstance(store, Repository)
    tables = store.job_tables(job)
    mount = mount_of(tables, folder)
    pattern = next(each for each in read_patterns(tables) if each.mount == mount)
    evidence = " / ".join(f"{p.pattern}: {p.evidence}" for p in pattern.phases if p.bytes)
    return pattern.pattern, pattern.chunk_bytes, evidence


def confusion(verdicts: list[Verdict]) -> str:
    """Return the confusion table: a row for each pattern that ran, a column for each one named."""
    said = Counter((verdict.case.way, verdict.said) for verdict in verdicts)
    lines = [f"{'run':12}{'is':12}" + "".join(f"{name:>12}" for name in NAMES)]
    for way, expected in WAYS.items():
        cells = "".join(f"{said[way, name] or '.':>12}" for name in NAMES)
        lines.append(f"{way:12}{expected:12}{cells}")
    return "\n".join(lines)


def report(verdicts: list[Verdict]) -> None:
    """Print the confusion table and the wrong verdicts."""
    number, right = len(verdicts), sum(verdict.right for verdict in verdicts)
    withheld = sum(not v.right and v.said == "unknown" for v in verdicts)
    chunks = [v.chunk_right for v in verdicts if v.chunk_right is not None]
    print(confusion(verdicts))
    print(
        f"\nright: {right} of {number}; unknown where a name was right: {withheld}; "
        f"wrong: {number - right - withheld}"
    )
    print(f"chunk within a tenth: {sum(chunks)} of {len(chunks)}")
    for verdict in verdicts:
        if not verdict.right or verdict.chunk_right is False:
            print(
                f"  {verdict.case}\n    said {verdict.said}, chunk {verdict.chunk}: "
                f"{verdict.evidence}"
            )


# ---- real programs ----


@dataclass(frozen=True)
class Program:
    """A real program whose reads have a known pattern.

    Attributes:
        name: Name of the program.
        expected: Correct patterns.
        script: Shell commands, run in a folder with the files of make_input.
        needs: Command, or Python module, that must be installed.
        ranks: Number of ranks of an MPI program; 0 for other programs.
    """

    name: str
    expected: tuple[str, ...]
    script: str
    needs: str
    ranks: int = 0


PYTHON = {
    "numpy-whole": "import numpy; numpy.fromfile('big', dtype='u1').sum()",
    "numpy-rows": """
import numpy, random
order = list(range(1024)); random.Random(5).shuffle(order)
with open('big', 'rb', buffering=0) as f:
    for row in order:
        numpy.fromfile(f, dtype='u1', count=50000, offset=row * 65536 - f.tell())
""",
    "python-epochs": """
with open('big', 'rb') as f:
    for _ in range(6):
        f.seek(0)
        while f.read(1 << 20): pass
""",
    "sqlite-look-up": """
import sqlite3, random
db = sqlite3.connect('db'); db.execute('pragma cache_size=20')
for _ in range(30000):
    db.execute('select v from t where k = ?', (random.randrange(20000),)).fetchone()
""",
    "hdf5-whole": """
import h5py
with h5py.File('big.h5') as f: f['rows'][...].sum()
""",
    "hdf5-columns": """
import h5py
with h5py.File('big.h5') as f:
    for n in range(3): f['rows'][:, n * 700:n * 700 + 64].sum()
""",
    "hdf5-random-rows": """
import h5py, random
order = list(range(2000)); random.Random(5).shuffle(order)
with h5py.File('big.h5') as f:
    for n in order[:1500]: f['rows'][n].sum()
""",
    "hdf5-every-fifth-row": """
import h5py
with h5py.File('big.h5') as f:
    for n in range(0, 2000, 5): f['rows'][n].sum()
""",
    "hdf5-chunks-in-order": """
import h5py
with h5py.File('big.h5') as f: f['chunked'][...].sum()
""",
    "netcdf-record-variable": """
import netCDF4
with netCDF4.Dataset('big.nc') as f: f['a'][...].sum()
""",
    "netcdf-all-variables": """
import netCDF4
with netCDF4.Dataset('big.nc') as f:
    for t in range(400):
        for name in 'abc': f[name][t].sum()
""",
    "netcdf4-every-third-step": """
import netCDF4
with netCDF4.Dataset('steps.nc') as f:
    for t in range(0, 600, 3): f['v'][t].sum()
""",
    "hdf5-four-passes": """
import h5py
with h5py.File('big.h5') as f:
    for _ in range(4): f['rows'][...].sum()
""",
    "hdf5-column-of-chunks": """
import h5py
with h5py.File('big.h5') as f: f['tiles'][:, 300:350].sum()
""",
    "zip-all-members": """
import zipfile
with zipfile.ZipFile('all.zip') as f:
    for name in f.namelist(): f.read(name)
""",
    "zip-random-members": """
import random, zipfile
with zipfile.ZipFile('all.zip') as f:
    for name in random.Random(3).choices(f.namelist(), k=1500): f.read(name)
""",
    "sqlite-scan": """
import sqlite3
sqlite3.connect('db').execute('select sum(length(v)) from t').fetchone()
""",
    "mpi-io-interleaved": """
import numpy
from mpi4py import MPI
f = MPI.File.Open(MPI.COMM_WORLD, 'big')
block, n = numpy.empty(65536, 'u1'), MPI.COMM_WORLD.size
for k in range(MPI.COMM_WORLD.rank, 1024, n): f.Read_at(k * 65536, block)
f.Close()
""",
    "mpi-io-own-part": """
import numpy
from mpi4py import MPI
f = MPI.File.Open(MPI.COMM_WORLD, 'big')
block, part = numpy.empty(65536, 'u1'), 1024 // MPI.COMM_WORLD.size
for k in range(part): f.Read_at((MPI.COMM_WORLD.rank * part + k) * 65536, block)
f.Close()
""",
    "hdf5-chunks-at-random": """
import h5py, random
with h5py.File('big.h5') as f:
    for n in random.Random(9).choices(range(8000), k=300): f['chunked'][n].sum()
""",
    "hdf5-every-fourth-chunk": """
import h5py
with h5py.File('big.h5') as f:
    for n in range(0, 80, 4): f['chunked'][n * 100:n * 100 + 100].sum()
""",
    "hdf5-diagonal-of-chunks": """
import h5py
with h5py.File('big.h5') as f:
    for n in range(400): f['tiles'][n * 50:n * 50 + 50, n % 20 * 50:n % 20 * 50 + 50].sum()
""",
    "netcdf4-all-steps": """
import netCDF4
with netCDF4.Dataset('steps.nc') as f:
    for t in range(600): f['v'][t].sum()
""",
    "sqlite-range": """
import sqlite3
db = sqlite3.connect('db')
db.execute('select sum(length(v)) from t where k between 2000 and 18000').fetchone()
""",
    "csv-lines": """
import csv
with open('all') as f: sum(len(line) for line in csv.reader(f, delimiter=' '))
""",
    "records-by-pread": """
import os, random
f, draw = os.open('big', os.O_RDONLY), random.Random(8)
for _ in range(5000): os.pread(f, 3000, draw.randrange(16000) * 4096)
""",
    "parquet-one-column": """
import pyarrow.parquet as pq
pq.ParquetFile('big.parquet', pre_buffer=False).read(['c'], use_threads=False)
""",
    "parquet-whole": """
import pyarrow.parquet as pq
pq.ParquetFile('big.parquet', pre_buffer=False).read(use_threads=False)
""",
    "duckdb-csv": """
import duckdb
duckdb.sql("set threads = 1")
duckdb.sql("select count(*) from read_csv('all', delim=' ', header=false)").fetchall()
""",
}
PREPARE_HDF5 = """
import h5py, numpy
with h5py.File('big.h5', 'w') as f:
    f['rows'] = numpy.random.rand(2000, 4000)
    f.create_dataset('tiles', data=numpy.random.rand(20000, 1000), chunks=(50, 50))
    f.create_dataset('chunked', data=numpy.random.rand(8000, 1000), chunks=(100, 1000))
"""
PREPARE_NETCDF = """
import netCDF4, numpy
with netCDF4.Dataset('big.nc', 'w', format='NETCDF3_64BIT_OFFSET') as f:
    f.createDimension('t', None); f.createDimension('x', 20000)
    for name in 'abc': f.createVariable(name, 'f8', ('t', 'x'))
    f.createVariable('fixed', 'f8', ('x',)); f['fixed'][:] = numpy.random.rand(20000)
    for t in range(400):
        for name in 'abc': f[name][t] = numpy.random.rand(20000)
with netCDF4.Dataset('steps.nc', 'w') as f:
    f.createDimension('t', None); f.createDimension('x', 20000)
    f.createVariable('v', 'f8', ('t', 'x'), chunksizes=(1, 20000))
    for t in range(600): f['v'][t] = numpy.random.rand(20000)
"""
PREPARE_PARQUET = """
import numpy, pyarrow, pyarrow.parquet as pq
table = pyarrow.table({name: numpy.random.rand(800_000) for name in 'abcdefghij'})
pq.write_table(table, 'big.parquet', 20_000, compression='none', use_dictionary=False)
"""
PREPARE_SQLITE = """
import sqlite3
db = sqlite3.connect('db'); db.execute('create table t (k integer primary key, v blob)')
db.executemany('insert into t (v) values (randomblob(1500))', [()] * 20000); db.commit()
"""


def interpreter(module: str) -> str:
    """Return a Python that has a module: ours, or the system's; "" if neither has."""
    for python3 in (sys.executable, "/usr/bin/python3"):
        if (
            subprocess.run(
                [python3, "-c", f"import {module}"], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return python3
    return ""


def python(name: str, expected: tuple[str, ...], module: str = "sys") -> Program:
    """Return the program `name` of PYTHON as a case; it needs a module of Python."""
    return Program(name, expected, f"{interpreter(module)} {name}.py", module)


PROGRAMS = (
    Program("cat", (SEQUENTIAL,), "cat big big > /dev/null", "cat"),
    Program("cp -r", (SEQUENTIAL,), "cp -r many copy", "cp"),
    Program("tar c", (SEQUENTIAL,), "tar -cf out.tar many big", "tar"),
    Program("gzip", (SEQUENTIAL,), "gzip -1 < many/0 > out.gz; gzip -1 < big > out.gz", "gzip"),
    Program("sort", (SEQUENTIAL,), "cat many/* > all; sort -S 1M -T . all > sorted", "sort"),
    Program("md5sum of many", (SEQUENTIAL,), "md5sum many/* big", "md5sum"),
    python("numpy-whole", (SEQUENTIAL,), "numpy"),
    python("numpy-rows", (RANDOM,), "numpy"),
    python("python-epochs", (RE_READ,)),
    python("sqlite-look-up", (RANDOM,), "sqlite3"),
    python("hdf5-whole", (SEQUENTIAL,), "h5py"),
    python("hdf5-columns", (STRIDED,), "h5py"),
    python("hdf5-random-rows", (RANDOM,), "h5py"),
    python("hdf5-every-fifth-row", (STRIDED,), "h5py"),
    python("hdf5-chunks-in-order", (SEQUENTIAL,), "h5py"),
    python("netcdf-record-variable", (STRIDED,), "netCDF4"),
    python("netcdf-all-variables", (SEQUENTIAL,), "netCDF4"),
    python("netcdf4-every-third-step", (STRIDED,), "netCDF4"),
    python("hdf5-four-passes", (RE_READ,), "h5py"),
    python("hdf5-column-of-chunks", (STRIDED,), "h5py"),
    python("zip-all-members", (SEQUENTIAL,)),
    python("zip-random-members", (RANDOM,)),
    python("sqlite-scan", (SEQUENTIAL,), "sqlite3"),
    replace(python("mpi-io-interleaved", (STRIDED,), "mpi4py"), ranks=2),
    replace(python("mpi-io-own-part", (SEQUENTIAL,), "mpi4py"), ranks=2),
    Program("tac", (STRIDED,), "tac all > /dev/null", "tac"),
    Program("tar t", ("unknown",), "tar -tf odd.tar > /dev/null", "tar"),
    Program("sort -m", (SEQUENTIAL,), "sort -m sorted sorted sorted > merged", "sort"),
    Program("cmp", (SEQUENTIAL,), "cp big other; cmp big other", "cmp"),
    Program("wc of many", (SEQUENTIAL,), "wc -l many/*", "wc"),
    Program("grep -r", (SEQUENTIAL,), "grep -rc 99999 many", "grep"),
    Program("split", (SEQUENTIAL,), "split -b 1M big part-", "split"),
    Program("tail -c", (SEQUENTIAL,), "tail -c 40M big > /dev/null", "tail"),
    Program("gunzip", (SEQUENTIAL,), "gzip -1 < big > big.gz; gunzip < big.gz > /dev/null", "gzip"),
    python("hdf5-chunks-at-random", (RANDOM,), "h5py"),
    python("hdf5-every-fourth-chunk", (STRIDED,), "h5py"),
    python("hdf5-diagonal-of-chunks", (STRIDED,), "h5py"),
    python("netcdf4-all-steps", (SEQUENTIAL,), "netCDF4"),
    python("sqlite-range", (SEQUENTIAL,), "sqlite3"),
    python("csv-lines", (SEQUENTIAL,)),
    python("records-by-pread", (RANDOM,)),
    python("parquet-one-column", (STRIDED,), "pyarrow"),
    python("parquet-whole", (SEQUENTIAL,), "pyarrow"),
    python("duckdb-csv", (SEQUENTIAL,), "duckdb"),
)


def run_programs(bench: Bench) -> list[tuple[Program, str, str]]:
    """Run real programs; return for each the verdict and the evidence."""
    from jostle.repository import Repository

    spool, data = bench.disk / "real", bench.disk / "real-data"
    spool.mkdir()
    make_input(data)
    ran = []
    for number, program in enumerate(PROGRAMS):
        if not (shutil.which(program.needs) or interpreter(program.needs)):
            say(f"{program.name}: not installed")
            continue
        settings = bench.jostle(spool, JOB=f"real-{number}", SLICE=SLICE)
        launch = " ".join([*LAUNCH["openmpi"], f"{program.ranks} "]) if program.ranks else ""
        done = subprocess.run(
            ["bash", "-c", launch + program.script],
            env={**os.environ, **AS_ROOT, **settings},
            cwd=data,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            say(f"{program.name}: failed: {done.stderr[-300:]}")
            continue
        ran.append((program, f"real-{number}"))
    with Repository.of_spool([spool]) as store:
        results = []
        for program, job in ran:
            said, _, evidence = named(store, job, data)
            results.append((program, said, evidence))
        return results


def make_input(folder: Path) -> None:
    """Make a large file, many of text, and what libraries and a database wrote."""
    (folder / "many").mkdir(parents=True)
    (folder / "big").write_bytes(os.urandom(FILE_BYTES))
    for number in range(50):
        lines = (f"{(number * k * 7919) % 1000003} a line of text\n" for k in range(4000))
        (folder / "many" / str(number)).write_text("".join(lines))
    for name, text in PYTHON.items():
        (folder / f"{name}.py").write_text(text)
    with zipfile.ZipFile(folder / "all.zip", "w") as packed:
        for number in range(400):
            packed.writestr(f"m{number}", os.urandom(100_000 + 100 * number))
    with tarfile.open(folder / "odd.tar", "w") as packed:
        for number in range(200):
            member = tarfile.TarInfo(f"m{number}")
            member.size = 100_000 + 512 * (number * number * 7919 % 1000)
            packed.addfile(member, io.BytesIO(bytes(member.size)))
    for module, text in (
        ("h5py", PREPARE_HDF5),
        ("netCDF4", PREPARE_NETCDF),
        ("pyarrow", PREPARE_PARQUET),
        ("sqlite3", PREPARE_SQLITE),
    ):
        if interpreter(module):
            subprocess.run([interpreter(module), "-c", text], cwd=folder, check=True)


def main() -> int:
    """Run the cases, or the real programs, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1, help="seed of the random cases")
    parser.add_argument("--each", type=int, default=8, help="number of cases of each kind")
    parser.add_argument("--real", action="store_true", help="run real programs instead")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    options = parser.parse_args()
    from jostle import native_path

    with Bench(native_path("libjostle.so"), None, "full") as bench:
        if options.real:
            for program, said, evidence in run_programs(bench):
                mark = "" if said in program.expected else f"   (expected {program.expected[0]})"
                print(f"{program.name:26}{said}{mark}\n    {evidence}")
            return 0
        verdicts = run_cases(bench, list(cases(options.seed, options.each)))
    if options.json:
        print(json.dumps([{**asdict(v), "right": v.right} for v in verdicts], indent=1))
    else:
        report(verdicts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
