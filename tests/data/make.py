"""Makes the files of this folder.

    .venv/bin/python tests/data/make.py           the seeds of the fuzzers, again
    .venv/bin/python tests/data/make.py freeze    example files of a format version that are missing

Frozen files (v1*, v2*) are read by the tests for ever and never made again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from frozen import segment_totals, totals  # noqa: E402
from jostle import native_path  # noqa: E402
from jostle.reader import ProfileHeader, ReadRequest, read_header, read_profiles, read_segments  # noqa: E402
from synth import EPOCH  # noqa: E402
from synth_format import schema_layout  # noqa: E402
from synth_random import random_profile, small_mpi, small_profile, small_running, small_shorts  # noqa: E402
from synth_segments import peers_record, random_stream  # noqa: E402

# Writes 40 000 bytes ten times a second for two seconds and a half, then reads one file back.
PROGRAM = """
open my $f, '>', '/tmp/jostle-frozen' or die;
for (1..25) { syswrite $f, 'x' x 40000; select undef, undef, undef, 0.1 }
close $f; open $f, '<', '/tmp/jostle-frozen' or die;
1 while sysread $f, my $text, 65536;
system '/bin/true'; unlink '/tmp/jostle-frozen';
"""


# Two ranks: 40 steps of 60 ms, each with a message around the ring and a sum over all.
MPI_PROGRAM = """
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv) {
    int rank, size;
    double in[16], out[16] = {0}, sum;
    struct timespec step = {0, 60000000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 40; i++) {
        nanosleep(&step, NULL);
        MPI_Sendrecv(out, 16, MPI_DOUBLE, (rank + 1) % size, 0, in, 16, MPI_DOUBLE,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
"""


def expect(path: Path) -> None:
    """Writes the content of a profile as JSON, next to it."""
    found = totals(read_profiles([ReadRequest(path, 0)]))
    found |= segment_totals(read_segments([ReadRequest(path, 0)]))
    path.with_suffix(path.suffix + ".json").write_text(json.dumps(found, indent=1) + "\n")
    path.chmod(0o644)


def by_the_runtime() -> bytes:
    """The profile of a program; v1.jss has the one that it starts, too short for a profile."""
    with tempfile.TemporaryDirectory(prefix="jostle") as folder:
        environment = {
            "LD_PRELOAD": str(native_path("libjostle.so")),
            "JOSTLE_SPOOL": folder,
            "JOSTLE_JOB": "frozen",
            "JOSTLE_SLICE": "500ms",
            "PATH": "/usr/bin:/bin",
        }
        subprocess.run(["/usr/bin/perl", "-e", PROGRAM], env=environment, check=True, cwd="/tmp")
        (path,) = Path(folder).glob("*.jst")
        return path.read_bytes()


def mpi_by_the_runtime() -> bytes:
    """The profile of rank 1."""
    with tempfile.TemporaryDirectory(prefix="jostle") as folder:
        source, program, spool = (Path(folder) / name for name in ("ring.c", "ring", "spool"))
        source.write_text(MPI_PROGRAM)
        subprocess.run(["mpicc.mpich", "-o", program, source], check=True)
        preload = f"LD_PRELOAD={native_path('libjostle.so')}"
        command = [
            "mpirun.mpich",
            "-n",
            "2",
            "env",
            preload,
            f"JOSTLE_SPOOL={spool}",
            "JOSTLE_SLICE=500ms",
            program,
        ]
        subprocess.run(command, check=True, cwd="/tmp")
        for path in spool.iterdir():
            header = read_header(path)
            if isinstance(header, ProfileHeader) and header.world_rank == 1:
                return path.read_bytes()
    raise SystemExit("no profile of rank 1")


def segments_by_synth() -> bytes:
    """Segments in records and ring, tokens, peers, a call in progress."""
    p = random_profile(
        2027,
        slices=5,
        block_capacity=2,
        align=128,
        block_bytes=128,
        mpi={
            "mpi_state": 4,
            "mpi_adapter": 1,
            "world_size": 16,
            "world_rank": 3,
            "mpi_init_ns": EPOCH,
            "mpi_library": "Open MPI v4.1.4",
            "world": "1a2b3c4d",
        },
    )
    random_stream(2027, 60, EPOCH).into(p, in_records=40, overlap=3)
    p.records.append(peers_record([(0, 5, 4096, 6, 8192), (2**32 - 1, 1, 8, 0, 0)]))
    p.tick_now, p.blocks_used = 10**9, 2
    p.marks = {0: ("state_collective_ns", 10**9 - 4_000_000)}
    return p.encode()


def freeze() -> None:
    """Makes the example files of this format version that are missing."""
    made = {
        "v1-synth.jst": lambda: random_profile(2026, slices=12, block_capacity=2).encode(),
        "v1-segments.jst": segments_by_synth,
        "v1-mpi.jst": mpi_by_the_runtime,  # made when peers were written at the end
        "v1-traffic.jst": mpi_by_the_runtime,
        "v2-synth.jst": lambda: random_profile(2028, slices=40, block_capacity=2).encode(),
        "v2.jst": by_the_runtime,
    }
    for name, make in made.items():
        if not (HERE / name).exists():
            (HERE / name).write_bytes(make())
            expect(HERE / name)


def seeds() -> None:
    """Writes the seeds."""
    folder = HERE / "seeds"
    folder.mkdir(exist_ok=True)
    for seed in range(3):
        (folder / f"profile{seed}.jst").write_bytes(small_profile(seed).encode())
        (folder / f"mpi{seed}.jst").write_bytes(small_mpi(seed).encode())
        (folder / f"running{seed}.jst").write_bytes(small_running(seed).encode())
    (folder / "ended.jst").write_bytes(small_profile(9, end_ns=EPOCH, end_reason=1).encode())
    (folder / "shorts.jss").write_bytes(small_shorts().encode())
    (folder / "schema.jss").write_bytes(small_shorts(schema_layout()).encode())


if __name__ == "__main__":
    freeze() if sys.argv[1:] == ["freeze"] else seeds()
