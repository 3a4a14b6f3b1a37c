"""Counters of the processor, the kernel and PAPI, against work of known size.

What a machine does not count is skipped, after it has been checked that the profile says so.
"""

from __future__ import annotations

import ctypes.util
import os
import shutil
import subprocess
from pathlib import Path

import peek
import pytest
from harness import Compile, Result, Runner

LOOPS = 100_000_000
ON: dict[str, str | None] = {"JOSTLE_PERF": "on"}
HARDWARE = ("perf_instructions", "perf_cycles", "perf_llc_misses")


def said(text: str) -> dict[str, float]:
    """What a program printed as "name value" lines."""
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def granted(process: peek.Process, bit: int) -> bool:
    """Whether the profile says that an event was granted."""
    flags = process.header["perf_granted"]
    assert isinstance(flags, int)
    return bool(flags >> bit & 1)


def needs(process: peek.Process, bit: int) -> None:
    """Skip when a machine does not count an event, and the profile says why."""
    if not granted(process, bit):
        assert any(n.startswith("perf: ") for n in process.notes), process.notes
        pytest.skip(f"not counted on this machine: {process.notes}")


def counting_of(result: Result) -> peek.Process:
    """The profile of counting.c, not that of what started it."""
    (found,) = [p for p in result.processes if Path(p.program).name.startswith("counting")]
    return found


def parent_of(result: Result) -> peek.Process:
    """The process that has its own profile and no parent here."""
    pids = {p.pid for p in result.processes}
    (found,) = [p for p in result.processes if p.ppid not in pids]
    return found


@pytest.mark.parametrize("what", ["main", "before", "after", "nested", "fork"])
def test_instructions(jostle: Runner, build: Compile, what: str) -> None:
    """Threads of every descent are counted once, a forked child's work is not."""
    result = jostle.run(build("counting.c"), what, str(LOOPS), env=ON)
    process = parent_of(result)
    needs(process, 0)
    work, counted = said(result.stdout)["instructions"], process.total("perf_instructions")
    late = any("older than 5.13" in n for n in process.notes) and what in ("after", "nested")
    assert (0 if late else work) <= counted <= work * 1.03 + 20e6
    if granted(process, 1):
        assert process.total("perf_cycles") > work / 20


@pytest.mark.tries(3)
def test_rate_has_its_own_denominator(jostle: Runner, build: Compile) -> None:
    """The task clock runs while instructions are counted: their quotient is the machine's speed."""
    result = jostle.run(build("counting.c"), "main", str(5 * LOOPS), env=ON)
    process = result.only()
    needs(process, 0)
    cpu = process.total("os_user_ns") + process.total("os_system_ns")
    clock = process.total("perf_task_clock_ns")
    assert 0.7 * cpu < clock < 1.05 * cpu
    for start, n in process.per_slice("perf_instructions").items():
        if n > 20e6:
            rate = n / process.per_slice("perf_task_clock_ns")[start]
            assert 0.1 < rate < 20  # per nanosecond


@pytest.mark.tries(3)
@pytest.mark.parametrize(
    ("what", "n", "bit", "metric"),
    [
        ("sleeps", 400, 4, "perf_switches"),
        ("moves", 200, 5, "perf_migrations"),
        ("faults", 3000, 6, "perf_faults"),
    ],
)
def test_software_events(
    jostle: Runner, build: Compile, what: str, n: int, bit: int, metric: str
) -> None:
    """The kernel's own events: no fewer than the program provoked, not many more."""
    if what == "moves" and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs")
    result = jostle.run(build("counting.c"), what, str(n), env={"JOSTLE_PERF": "off"})
    process = result.only()
    needs(process, bit)
    account = said(result.stdout)
    bound = account["switches"] if what == "sleeps" else n
    assert 0.95 * n <= process.total(metric) <= 1.1 * bound + 100
    assert process.header["perf_asked"] == 0x78
    assert not any(process.total(m) for m in HARDWARE)


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_pauses_when_dear(jostle: Runner, build: Compile) -> None:
    """A program that only switches threads is not slowed by counters."""
    result = jostle.run(build("counting.c"), "storm", "1000", env={"JOSTLE_PERF": "auto"})
    process = result.only()
    if not any(granted(process, b) for b in range(3)) and not any(
        "too expensive" in n for n in process.notes
    ):
        pytest.skip(f"no counters of the processor: {process.notes}")
    assert any("too expensive" in n for n in process.notes), process.notes
    clock = list(process.per_slice("perf_task_clock_ns").values())
    assert clock[-2] == 0 or clock[-3] == 0  # paused at the end


def test_a_short_profile_opens_nothing(jostle: Runner, build: Compile) -> None:
    """A process that ends soon after its profile began pays for no counter."""
    process = jostle.run("cat", "/bin/bash", stdout=subprocess.DEVNULL, env=ON).processes[0]
    assert process.header.get("perf_granted", 0) == 0
    assert process.notes == []


def test_killed(jostle: Runner, build: Compile) -> None:
    """A killed process keeps its counts up to the last slice."""
    child = jostle.start(build("counting.c"), "main", str(10**12), env=ON)
    jostle.await_ticks(child.pid, 20)
    child.kill()
    child.wait()
    process = jostle.collect().only()
    needs(process, 0)
    assert process.total("perf_instructions") > 10e6


@pytest.mark.parametrize("how", ["errno", "kill"])
def test_behind_a_filter(jostle: Runner, build: Compile, how: str) -> None:
    """A container's filter of system calls is not tried, since it may kill; on demand it is."""
    command = (build("filtered.c"), how, build("counting.c"), "main", "1000")
    process = counting_of(jostle.run(*command))
    assert process.header["perf_granted"] == 0 and process.header["perf_asked"] == 0x7F
    assert any("filter of system calls" in n for n in process.notes)


def test_not_permitted(jostle: Runner, build: Compile) -> None:
    """Counters that the kernel refuses are reported once, with the reason."""
    command = (build("filtered.c"), "errno", build("counting.c"), "main", "1000")
    process = counting_of(jostle.run(*command, env=ON))
    assert process.header["perf_granted"] == 0
    (note,) = process.notes
    assert "not permitted" in note and "instructions" in note and "faults" in note


def test_without_privileges(jostle: Runner, build: Compile) -> None:
    """An ordinary user gets what kernel.perf_event_paranoid leaves."""
    level = int(Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    if os.geteuid() != 0 or level > 2 or not shutil.which("setpriv"):
        pytest.skip("needs root, setpriv and perf_event_paranoid of at most 2")
    jostle.open_to_all()
    program = shutil.copy(build("counting.c"), jostle.data / "counting-copy")
    unpriv = ("setpriv", "--reuid=65534", "--clear-groups", program, "main", str(LOOPS))
    process = counting_of(jostle.run(*unpriv, env=ON))
    assert granted(process, 3) and granted(process, 6)
    if level == 2:
        assert not granted(process, 4) and not granted(process, 5)
        assert any("switches, migrations" in n for n in process.notes)
    needs(process, 0)
    assert process.total("perf_instructions") >= 2 * LOOPS


@pytest.mark.tries(3)
def test_effective_threads(jostle: Runner, build: Compile) -> None:
    """CPU time over wall time: what OpenMP made of two threads, as the process saw it itself."""
    try:
        program = build("effective.c", "-fopenmp")
    except subprocess.CalledProcessError:
        pytest.skip("needs a compiler with OpenMP")
    result = jostle.run(program, "2")
    account, process = said(result.stdout), result.only()
    cpu = process.total("os_user_ns") + process.total("os_system_ns")
    assert cpu == pytest.approx(account["cpu_ns"], rel=0.05, abs=2e7)
    threads = cpu / account["wall_ns"]
    assert threads == pytest.approx(account["cpu_ns"] / account["wall_ns"], rel=0.05)
    assert threads <= 2.05
    for s in process.slices[1:-1]:
        cells = [process.table.metrics[m].cell for m in ("os_user_ns", "os_system_ns")]
        assert sum(s.cells.get(c, 0) for c in cells) <= 2.3 * s.span * process.slice_ns


# ---- PAPI ----


@pytest.fixture
def fake(build: Compile, tmp_path: Path) -> dict[str, str | None]:
    """An environment in which libpapi is ours, and the runtime is part of the program."""
    folder = tmp_path / "lib"
    folder.mkdir()
    shutil.copy(build("fake_papi.c", "-shared", "-fPIC"), folder / "libpapi.so.7.0")
    return {"LD_PRELOAD": None, "LD_LIBRARY_PATH": str(folder), "JOSTLE_PERF": "off"}


def papi_notes(result: Result) -> list[str]:
    """What the profile says about PAPI."""
    return [n for p in result.processes for n in p.notes if n.startswith("papi: ")]


def test_papi_counts(jostle: Runner, build_runtime: Compile, fake: dict[str, str | None]) -> None:
    """Events get their places by name, what fails is said; PAPI's own I/O is not the program's."""
    fake["JOSTLE_PAPI"] = "GOOD_1,BAD,GOOD_2"
    result = jostle.run(build_runtime("papi_direct.c"), "plain", env=fake)
    process, account = result.only(), said(result.stdout)
    assert account["open"] == 1 and account["left"] == 0 and account["read"] == 0
    assert process.total("papi_1_count") == 2000  # two readings
    assert process.total("papi_2_count") == 0
    assert process.total("papi_3_count") == 4000
    assert [process.header[f"papi_{i}"] for i in range(1, 5)] == ["GOOD_1", "BAD", "GOOD_2", ""]
    asked, flags = process.header["perf_asked"], process.header["perf_granted"]
    assert isinstance(asked, int) and isinstance(flags, int)
    assert asked >> 8 == 0b111 and flags >> 8 == 0b101
    assert papi_notes(result) == ["papi: BAD: fake error -7"]


def test_papi_descriptors_closed(
    jostle: Runner, build_runtime: Compile, fake: dict[str, str | None]
) -> None:
    """A program that closes what it does not know ends the counting, and nothing else.

    Other counters may get the numbers of the descriptors: their values are not taken for PAPI's.
    """
    fake["JOSTLE_PAPI"] = "GOOD_1"
    result = jostle.run(build_runtime("papi_direct.c"), "closes", env=fake)
    assert result.only().total("papi_1_count") == 1000
    assert "closed" in papi_notes(result)[0]


def test_papi_in_a_child(
    jostle: Runner, build_runtime: Compile, fake: dict[str, str | None]
) -> None:
    """A forked child has its parent's events, and does not take them for its own."""
    fake["JOSTLE_PAPI"] = "GOOD_1"
    result = jostle.run(build_runtime("papi_direct.c"), "forks", env=fake)
    assert "child 0" in result.stdout
    assert "papi_1 2000" in result.stdout


@pytest.mark.parametrize(
    ("variable", "words"),
    [("FAKE_BROKEN", "PAPI_library_init: fake error -3"), ("FAKE_NO_INHERIT", "cannot follow")],
)
def test_papi_half_there(
    jostle: Runner, build_runtime: Compile, fake: dict[str, str | None], variable: str, words: str
) -> None:
    """A PAPI that does not come up, or cannot hand events on to threads."""
    result = jostle.run(
        build_runtime("papi_direct.c"),
        "plain",
        env={**fake, "JOSTLE_PAPI": "GOOD_1", variable: "1"},
    )
    assert any(words in n for n in papi_notes(result)), papi_notes(result)


def test_papi_of_the_program(
    jostle: Runner, build_runtime: Compile, fake: dict[str, str | None]
) -> None:
    """For a program that uses PAPI itself nothing is counted."""
    program = build_runtime("papi_direct.c", "-DLINKED", "-rdynamic")
    result = jostle.run(program, "plain", env={**fake, "JOSTLE_PAPI": "GOOD_1"})
    assert result.only().total("papi_1_count") == 0
    assert "the program uses PAPI itself" in papi_notes(result)[0]


def test_papi_absent(jostle: Runner, build_runtime: Compile, fake: dict[str, str | None]) -> None:
    """No library, or one that grants nothing: the program runs, the profile says so."""
    fake["LD_LIBRARY_PATH"] = None
    fake["JOSTLE_PAPI"] = "NO_SUCH_EVENT"
    result = jostle.run(build_runtime("papi_direct.c"), "plain", env=fake)
    process = result.only()
    assert process.header["perf_granted"] == process.header["perf_asked"] & 0x78  # type: ignore
    (note,) = papi_notes(result)
    assert "libpapi.so: the library was not found" in note or "NO_SUCH_EVENT" in note


def test_papi_without_mpi(jostle: Runner, build: Compile) -> None:
    """A program without MPI has its request in its profile, and the reason why it was not met."""
    result = jostle.run(build("counting.c"), "main", "1000", env={"JOSTLE_PAPI": "PAPI_FP_OPS"})
    process = result.only()
    assert any("MPI programs only" in n for n in papi_notes(result))
    assert process.header["papi_1"] == "PAPI_FP_OPS"
    assert process.header["perf_asked"] >> 8 == 1  # type: ignore[operator]


def test_papi_itself(jostle: Runner, build_runtime: Compile) -> None:
    """One real count by PAPI, where it has any: also by the tables of a related processor."""
    if not ctypes.util.find_library("papi"):
        pytest.skip("needs libpapi")
    program = build_runtime("papi_direct.c")
    for related in (None, "amd64_fam19h_zen3", "amd64_fam17h_zen2"):
        env = {"LD_PRELOAD": None, "JOSTLE_PAPI": "PAPI_TOT_INS", "LIBPFM_FORCE_PMU": related}
        result = jostle.run(program, "plain", str(LOOPS), env=env)
        process = result.processes[-1]
        if process.header["perf_granted"] >> 8 & 1:  # type: ignore[operator]
            counted = said(result.stdout)["papi_1"]
            assert 2 * LOOPS <= counted <= 2 * LOOPS * 1.05 + 10e6
            return
        assert any("PAPI_TOT_INS" in n or "PAPI" in n for n in papi_notes(result))
    pytest.skip("PAPI counts nothing on this machine")
