"""Synthetic MPI jobs with known figures, for tests of the digest and the command.

ocean     4 ranks of 20 s: even collectives, point-to-point, MPI-IO, one rank that computes
          longer; counters of which one was not granted; 200 segments of two kinds
uncounted 2 ranks of an MPI for which there is no adapter
"""

from __future__ import annotations

from pathlib import Path

from synth import EPOCH, SECOND, Profile
from synth_segments import Segment, Stream, Token

HALF = SECOND // 2
MS = 1_000_000
RANKS, SLICES, SEGMENTS = 4, 40, 200
WORLD = "1a2b3c4d"
INSTRUCTIONS, CYCLES, MISSES, TASK_CLOCK, PAPI_1 = 1, 2, 4, 8, 1 << 8


def ocean(folder: Path, job: str = "ocean", *, ranks: int = RANKS, segments: bool = True) -> None:
    """Writes the job's profiles; rank 3 computes 100 ms longer per slice, and waits less."""
    for rank in range(ranks):
        profile = _rank(job, rank)
        profile.add_mount(0, "/data")
        for index in range(SLICES):
            profile.add_slice(profile.first_slice + index, _slice(rank, index))
        if segments:
            _segments(rank).into(profile, in_records=150)
        profile.write(folder)


def _rank(job: str, rank: int) -> Profile:
    end = EPOCH + SLICES * HALF
    return Profile(
        job=job,
        pid=500 + rank,
        program="/opt/ocean/bin/ocean.x",
        slice_ns=HALF,
        start_ns=EPOCH,
        end_ns=end,
        end_reason=1,
        host=f"node{rank // 2 + 1}",
        mpi={
            "mpi_state": 4,
            "mpi_adapter": 1,
            "world_size": RANKS,
            "world_rank": rank,
            "thread_level": 1,
            "omp_threads": 2,
            "mpi_init_ns": EPOCH + 100 * MS,
            "mpi_ready_ns": EPOCH + 500 * MS,
            "mpi_finalize_ns": end - 500 * MS,
            "mpi_end_ns": end - 100 * MS,
            "mpi_library": "Open MPI v4.1.4, package: Debian",
            "mpi_adapter_name": "openmpi",
            "launcher": "orte",
            "world": WORLD,
            "papi_names": ("PAPI_FP_OPS", "", "", ""),
            "perf_asked": INSTRUCTIONS | CYCLES | MISSES | TASK_CLOCK | PAPI_1,
            "perf_granted": INSTRUCTIONS | CYCLES | TASK_CLOCK | PAPI_1,
        },
    )


def _slice(rank: int, index: int) -> dict[str, object]:
    late = 100 * MS if rank == 3 else 0
    return {
        "mpi_all_to_all_ops": 90,
        "mpi_barrier_ops": 10,
        "mpi_all_to_all_bytes": 90 * 8,
        "mpi_isend_ops": 20,
        "mpi_isend_bytes": 20 << 10,
        "mpi_irecv_ops": 20,
        "mpi_irecv_arrived_bytes": 20 << 10,
        "mpi_wait_ops": 20,
        "mpiio_write_all_ops": int(index % 10 == 0),
        "mpiio_write_all_bytes": (1 << 20) * (index % 10 == 0),
        "state_collective_ns": 150 * MS - late,
        "state_p2p_ns": 50 * MS,
        "state_mpiio_ns": 40 * MS * (index % 10 == 0),
        "state_io_ns": 25 * MS,
        "posix_write_ops": {0: 2},
        "posix_write_bytes": {0: 128 << 10},
        "posix_write_ns": {0: 20 * MS},
        "os_user_ns": 700 * MS,
        "os_system_ns": 50 * MS,
        "os_runqueue_ns": 5 * MS,
        "wait_mpi_ns": 30 * MS,
        "wait_offcpu_ns": MS,
        "perf_instructions": 10**9,
        "perf_cycles": 2 * 10**9,
        "perf_task_clock_ns": 750 * MS,
        "papi_1_count": 4 * 10**8,
        "os_rss_bytes": 200 << 20,
        "os_threads": 3,
        "self_calls_ops": 180,
        "self_cost_ns": 20_000,
    }


def _segments(rank: int) -> Stream:
    """Two kinds in turn, 95 ms and 99 ms, each ended by an Allreduce, then the rest."""
    stream = Stream(EPOCH + 100 * MS)
    stream.add_token(Token(1, 0xA11, "MPI_Allreduce", 8, 0x1234, "ocean.x"))
    for number in range(SEGMENTS):
        stream.add(
            Segment(
                95 * MS + 4 * MS * (number % 2),
                "every",
                token=1,
                globals=1,
                sequence_hash=(number * 2654435761) >> 16 & 0xFFFF,
                signature_sum=number % 2,
                signature_set=0b11 << number % 2,
                values={
                    "isends": 4,
                    "irecvs": 4,
                    "p2p_bytes": 4096,
                    "all_to_all": 1,
                    "collective_bytes": 8,
                    "mpi_ns": 40 * MS - 10 * MS * (rank == 3),
                    "cpu_ns": 80 * MS,
                    "wait_ns": 6 * MS,
                },
            )
        )
    return stream


def uncounted(folder: Path) -> None:
    """Writes two ranks whose MPI has no adapter: nothing of it is known."""
    for rank in range(2):
        profile = Profile(
            job="uncounted",
            pid=900 + rank,
            program="/opt/x",
            slice_ns=HALF,
            start_ns=EPOCH,
            end_ns=EPOCH + 4 * HALF,
            end_reason=1,
            mpi={"mpi_adapter": 2, "mpi_library": "Own MPI 9.9"},
        )
        for index in range(4):
            profile.add_slice(profile.first_slice + index, {"os_user_ns": 400 * MS})
        profile.write(folder)
