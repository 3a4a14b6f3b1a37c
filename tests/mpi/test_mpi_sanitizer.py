"""Concurrent threads in MPI, on a build with ThreadSanitizer (tools/check.sh tsan).

The MPIs are not instrumented, so races between their own lines are left out. One rank, started
without a launcher: it sends to itself. Many starts, since slices begin at any point of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from mpis import Mpi, Mpirun

STARTS = {"openmpi": 5, "mpich": 30}  # of 1.5 s and of 0.1 s each


def test_threads_under_thread_sanitizer(jostle: Mpirun, mpi: Mpi) -> None:
    symbols = subprocess.run(["nm", "-D", jostle.library], capture_output=True, text=True).stdout
    if "__tsan_" not in symbols or not os.environ.get("JOSTLE_TEST_PRELOAD"):
        pytest.skip("the library under test was built without ThreadSanitizer")
    program = mpi.compiled("threads", "threads.c", flags=("-w",))
    # Not at random addresses: TSan starts a program anew when it dislikes where it lies.
    still = [shutil.which("setarch") or "setarch", "-R"]
    env = mpi.environment | {
        "TSAN_OPTIONS": "handle_segv=0:report_thread_leaks=0:ignore_noninstrumented_modules=1"
    }
    results = [
        jostle.run(*still, program, "3", "60", code=None, env=env) for _ in range(STARTS[mpi.name])
    ]
    reports = [r for result in results for r in result.stderr.split("==================")]
    ours = [r for r in reports if "ThreadSanitizer" in r and "libjostle" in r]
    assert not ours, ours[0]
    # MPICH 4.0 ends by a fault of its own under ThreadSanitizer, bare as well.
    if not any(result.code for result in results):
        jostle.as_world(results[-1]).agree(ranks=len(results))
