"""Which cores a process may use, which processes want them, and the effect of a CPU limit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import peek
import pytest
from harness import Compile, Runner

from jostle.analysis import digest
from jostle.repository import Repository


def levels(process: peek.Process, metric: str) -> list[int]:
    """A gauge at the end of each record."""
    found, level = [], 0
    (cell,) = process.table.cells_of(metric)
    for record in process.slices:
        level += record.cells.get(cell, 0)
        found.append(level)
    return found


@pytest.mark.tries(3)
@pytest.mark.parametrize("threads", [1, 3])
def test_threads_that_call_nothing_wait_for_cores_too(
    jostle: Runner, build: Compile, threads: int
) -> None:
    """Time in the run queue is that of all threads, and cores are listed by process."""
    program = build("cores.c")
    result = jostle.run(program, str(threads), "1.5")
    process = result.only()
    waited, used = map(int, result.stdout.split())
    seen = process.total("os_runqueue_ns")
    # A thread that has ended takes what it waited since the last slice along.
    assert 0.7 * waited - 0.1e9 * threads <= seen <= waited + 0.05e9
    assert sorted(levels(process, "os_awake"))[len(process.slices) // 2] == threads
    assert set(levels(process, "os_cpus")[1:]) == {1}
    assert set(levels(process, "os_first_cpu")[1:]) == {min(os.sched_getaffinity(0))}
    assert process.total("os_cpu_limit") == process.total("os_throttled_ns") == 0
    assert threads == 1 or waited > 0.5 * used  # they did wait for each other


@pytest.fixture
def half_a_core() -> Iterator[Path]:
    """A control group with half a core, where one can be made here."""
    second = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    group = Path("/sys/fs/cgroup", *([] if second else ["cpu"]), f"jostle-test-{os.getpid()}")
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        # It comes before all others: on a busy machine they would leave it less than the limit.
        if second:
            (group / "cpu.max").write_text("50000 100000")
            (group / "cpu.weight").write_text("10000")
        else:
            (group / "cpu.cfs_quota_us").write_text("50000")
            (group / "cpu.shares").write_text("262144")
        yield group
    except OSError as error:
        pytest.skip(f"a control group takes no CPU limit here: {error}")
    finally:
        group.rmdir()


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_a_cpu_limit_of_its_own_is_said(jostle: Runner, build: Compile, half_a_core: Path) -> None:
    """The limit, and the time that it took by the kernel's count; groups below it have none."""
    below = half_a_core / "below"
    below.mkdir()
    try:
        script = f"import os,sys; open('{below}/cgroup.procs','w').write(str(os.getpid())); "
        script += "os.execv(sys.argv[1], sys.argv[1:])"
        program = build("cores.c")
        result = jostle.run(sys.executable, "-S", "-c", script, program, "1", "2")
        stat = dict(line.split() for line in (half_a_core / "cpu.stat").read_text().splitlines())
    finally:
        below.rmdir()
    (process,) = result.named(program.name)
    _, used = map(int, result.stdout.split())
    assert set(levels(process, "os_cpu_limit")[1:]) == {500}
    took = int(
        stat["throttled_time"] if "throttled_time" in stat else stat["throttled_usec"] + "000"
    )
    assert took > 0
    assert process.total("os_throttled_ns") == pytest.approx(took, abs=max(0.1 * took, 0.12e9))
    assert used < 1.2e9


def test_who_shares_cores_is_distinguished(jostle: Runner) -> None:
    """Two processes on one core each say which."""
    have = sorted(os.sched_getaffinity(0))
    if len(have) < 2:
        pytest.skip("one core")
    script = "import os,time; os.sched_setaffinity(0, {%d}); t = time.time()\n"
    script += "while time.time() < t + 0.7: open('/dev/null').close()"
    pids = []
    for core in have[:2]:
        process = jostle.start(sys.executable, "-S", "-c", script % core)
        pids.append(process.pid)
        process.communicate()
    result = jostle.collect()
    found = [levels(result.of(pid)[0], "os_first_cpu")[-1] for pid in pids]
    assert found == have[:2]


_MOVES = """import os, sys, time
def compute(seconds):
    t = time.time()
    while time.time() < t + seconds: open("/dev/null").close()
compute(0.3)
if len(sys.argv) > 1:
    os.sched_setaffinity(0, set(map(int, sys.argv[1].split(","))))
    compute(0.3)
"""


@pytest.mark.tries(3)  # a heartbeat that is late sees the later cores only
@pytest.mark.parametrize("later", [[], ["all"]])
def test_where_it_may_run_is_said(jostle: Runner, later: list[str]) -> None:
    """The cores that taskset gave it, or those that it gave itself later."""
    have = sorted(os.sched_getaffinity(0))
    every = ",".join(map(str, have))
    argv = [every for _ in later]
    result = jostle.run("taskset", "-c", str(have[-1]), sys.executable, "-S", "-c", _MOVES, *argv)
    header = result.only().header
    seen = str(header["allowed_cpus"])
    assert _members(seen) == (have if later else have[-1:])
    assert header["bindings"] == 1 + len(later)
    assert set(have) <= set(_members(str(header["group_cpus"])))
    if Path("/sys/devices/system/node/online").exists():
        nodes = _members(str(header["allowed_nodes"]))
        assert nodes
        for node in nodes:
            cores = Path(f"/sys/devices/system/node/node{node}/cpulist").read_text()
            assert set(_members(cores)) & set(_members(seen))


@pytest.mark.in_turn
@pytest.mark.tries(3)  # whoever else is busy on these cores takes its part of what is advised
def test_processes_that_were_bound_to_one_core_are_advised(jostle: Runner) -> None:
    """Two that compute on the same core, though there is another one."""
    have = sorted(os.sched_getaffinity(0))
    if len(have) < 2:
        pytest.skip("one core")
    script = "import time; t = time.time()\nwhile time.time() < t + 3: pass"
    both = [
        jostle.start("taskset", "-c", str(have[0]), sys.executable, "-S", "-c", script)
        for _ in range(2)
    ]
    for process in both:
        process.communicate()
    with Repository.of_spool([jostle.spool]) as store:
        job = store.newest(store.jobs()["job"][0].as_py())
        (advice,) = digest(store.job_tables(job)).binding
    assert advice.rule == "same cores"
    assert advice.cases[0].cpus == str(have[0])
    assert 2 < advice.seconds < 6
    assert [text.split()[:2] for text in advice.texts] == [["taskset", "-c"]] * 2


def _members(text: str) -> list[int]:
    """The cores of a list as the kernel writes it."""
    ends = [list(map(int, part.split("-"))) for part in text.strip().split(",")]
    return [core for first, *last in ends for core in range(first, (last or [first])[0] + 1)]
