"""What a program can see of itself, and the files it writes, are the same with jostle."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness import PROGRAMS, Compile, Runner, needs_plain_build


def test_heartbeat_is_no_thread_of_the_program(jostle: Runner, build: Compile) -> None:
    """CPython (3.12 and later) warns at fork when /proc/self/stat shows more than one thread."""
    result = jostle.run(build("own_stat.c"), jostle.data / "file")
    assert result.stdout == "1 10\n"


def test_what_the_loader_needed_is_given_back(jostle: Runner, build: Compile) -> None:
    """Half of the library is names; once the profile has begun they are in no process' memory."""
    needs_plain_build(jostle.library)
    program = build("given_back.c", "-Wl,-z,now")  # a name that is bound late brings them back
    size, rss = map(int, jostle.run(program).stdout.split())  # KiB
    assert rss < 0.55 * size  # 0.32 (0.48 with ubsan's checks); 0.75 were nothing given back


def test_pages_that_are_not_the_files_stay(jostle: Runner, build: Compile) -> None:
    """A checkpoint that was restored, or a tool that wrote to them, has its own content there."""
    jostle.run(build("given_back.c"), "written")


def test_nothing_is_said_into_a_file(jostle: Runner, build: Compile) -> None:
    """Without standard error a message is not written into another file with that number."""
    program = build("other_stderr.c")
    jostle.spool.rmdir()
    (jostle.spool.parent / "spool").write_text("no folder")
    jostle.start(program, jostle.data / "file").communicate()
    assert (jostle.data / "file").read_bytes() == b"d" * 100_000


def test_an_auditor_is_asked(jostle: Runner, build: Compile) -> None:
    """Tools that replace functions by LD_AUDIT still work behind jostle."""
    file, auditor = jostle.data / "file", build("auditor.c", "-shared", "-fPIC")
    with file.open("w") as out:
        jostle.start(build("positioned.c"), env={"LD_AUDIT": str(auditor)}, stdout=out).wait()
    assert file.read_text() == "A LINE\n"


def test_errors_of_the_loader_stay(jostle: Runner, build: Compile) -> None:
    """Looking up the real functions does not change what dlerror returns to the program."""
    result = jostle.run(build("last_error.c"), jostle.data)
    assert result.stdout.startswith("/no/such/library.so: cannot open")


_WRITER = """
import os, sys, time
fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
for _ in range(8):
    os.write(fd, bytes(65536))
    time.sleep(0.1)
"""


def test_a_server_is_not_asked_for_attributes(jostle: Runner) -> None:
    """Checking descriptors in each slice makes no program wait for its own writes."""
    log, file = jostle.truth.parent / "strace.log", jostle.data / "written"
    calls = "trace=fstat,newfstatat,statx"
    subprocess.run(
        ["strace", "-f", "-y", "-o", log, "-e", calls, sys.executable, "-SEs", "-c", _WRITER, file],
        env=jostle.environment(),
        check=True,
        timeout=60,
    )
    asked = [line for line in log.read_text().splitlines() if f"<{file}>" in line]
    assert len(asked) > 2
    assert all("AT_STATX_DONT_SYNC" in line for line in asked)


def test_a_program_of_another_c_library_runs_as_it_does_bare(
    jostle: Runner, tmp_path: Path
) -> None:
    """Musl's loader ends a program for one symbol that it lacks; what it loads counts nothing."""
    needs_plain_build(jostle.library)
    compiler, program = shutil.which("musl-gcc"), tmp_path / "program"
    if not compiler:
        pytest.skip("needs musl-gcc (package musl-tools)")
    subprocess.run([compiler, "-O1", PROGRAMS["other_libc.c"], "-o", program], check=True)
    native = jostle.library.parent
    injector = native / "libjostle_inject.so"
    named = native / "jostle-preload/$PLATFORM" / jostle.library.name  # musl puts nothing in
    for preload in ([jostle.library], [jostle.library, injector], [named], [named, injector]):
        result = jostle.run(program, code=7, preload=preload)
        assert (result.stdout, result.stderr) == ("fine\n", "")
        assert os.listdir(jostle.spool) == []


@pytest.mark.parametrize("name", ["libjostle.so", "libjostle_inject.so"])
def test_what_is_preloaded_needs_libc_alone(jostle: Runner, name: str) -> None:
    """Another library may be where the loader of another C library does not look for it."""
    needs_plain_build(jostle.library)
    command = ["readelf", "-d", jostle.library.parent / name]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in listing.splitlines() if "NEEDED" in line]
    assert set(needed) <= {"libc.so.6", "libdl.so.2"}
