"""`jostle run` names users of the machine without a profile, by independent counts."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from jostle.repository import Repository
from jostle.repository.query.resources.watched import OTHERS, _titles

HOST, JOB = os.uname().nodename, f"watched-{os.getpid()}"
#: Burns so many seconds of CPU time, writes so many MiB to a file, says what it used, and stays
#: until its input ends.
HOG = """
import os, resource, sys, time
end, n = time.process_time() + float(sys.argv[1]), int(sys.argv[2])
with open(sys.argv[3], "wb", buffering=0) as to:
    for _ in range(n):
        to.write(bytes(1 << 20))
while time.process_time() < end:
    pass
print(time.process_time(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _clean(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail clearly without libjostle.so."""
    monkeypatch.chdir(tmp_path)
    for name in [*os.environ]:
        if name.startswith(("JOSTLE_", "SLURM_")) and name != "JOSTLE_NATIVE":
            monkeypatch.delenv(name)
    yield
    for left in Path("/tmp/jostle").glob(f"run-{JOB}*"):  # of a run that was killed
        shutil.rmtree(left)


def run(tmp_path: Path, *words: str, slices: str = "200ms", **more: Any) -> subprocess.Popen[str]:
    """Start `jostle run`."""
    command = [
        str(Path(sys.executable).parent / "jostle"),
        "run",
        "--slice",
        slices,
        "--job",
        JOB,
        "--no-verdict",
        "--repository",
        str(tmp_path / "r"),
        "--",
    ]
    return subprocess.Popen(
        [*command, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )


def watcher_of(job: subprocess.Popen[str]) -> int:
    """Return the watcher of a run, once it lives."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
                parent = int((path.parent / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if words[0].endswith(b"/jostle-agent") and parent == job.pid:
                return int(path.parent.name)
        time.sleep(0.05)
    raise AssertionError("no watcher")


def recorded(pid: int | None = None) -> float:
    """Return the CPU time that the watcher of a run has recorded until now, in seconds.

    Args:
        pid: Of this process; None: of all.
    """
    with Repository.of_spool([*Path("/tmp/jostle").glob(f"run-{JOB}*")]) as store:
        rows = store.watched_processes([HOST], (0, 2**62)).to_pylist()
    return sum(row["cpu_ns"] for row in rows if pid in (None, row["pid"])) / 1e9


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for something that a watcher on a busy machine does late."""
    limit = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < limit, "it did not become so in a minute"
        time.sleep(0.2)


def watched_hog(*words: str) -> tuple[int, float]:
    """Run a hog after the watcher has begun to count, until all of it is recorded.

    Returns:
        Its pid, and the CPU time that it used, in seconds.
    """
    wait_until(lambda: recorded() > 0)
    hog = subprocess.Popen(
        [sys.executable, "-c", HOG, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert hog.stdout is not None
    used = float(hog.stdout.readline())
    wait_until(lambda: recorded(hog.pid) > 0.96 * used)
    hog.communicate()
    return hog.pid, used


def rows_of(tmp_path: Path, pid: int) -> list[dict[str, Any]]:
    """Return what was seen of a process."""
    rows = Repository(tmp_path / "r").watched_processes([HOST], (0, 2**62)).to_pylist()
    return [row for row in rows if row["pid"] == pid]


def test_a_hog_has_its_name_its_time_and_its_bytes(tmp_path: Path) -> None:
    job = run(tmp_path, "cat", stdin=subprocess.PIPE)  # it lives as long as the hog
    pid, used = watched_hog("0.8", "20", "secret-file")
    out, _ = job.communicate()
    assert (job.returncode, out) == (0, "")
    rows = rows_of(tmp_path, pid)
    assert sum(row["cpu_ns"] for row in rows) / 1e9 == pytest.approx(used, rel=0.05)
    assert 20 << 20 <= sum(row["call_write_bytes"] for row in rows) < 21 << 20
    assert {row["owner"] for row in rows} == {os.environ.get("USER", "root")} or os.getuid() == 0
    assert {row["cores"] for row in rows} == {cores_of_self()}
    assert all(row["job"] == "" for row in rows)
    users = Repository(tmp_path / "r").machine_loads([f"{HOST}:/dev/disk"], (0, 2**62)).disk_users
    titles = {row["title"] for row in rows}
    of_hog = [row for row in users.to_pylist() if row["name"] in titles]
    if os.major(tmp_path.stat().st_dev):  # not in memory
        assert sum(row["write_bytes"] for row in of_hog) >= 20 << 20
    # There may be more of this program, of other tests.
    assert all(row["title"].startswith(f"{row['name']} (") for row in rows)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "r").rglob("*component*.parquet"))
    assert b"secret-file" not in stored


def cores_of_self() -> str:
    """Return what the kernel says of the cores that we may run on."""
    status = Path("/proc/self/status").read_text()
    return status.split("Cpus_allowed_list:\t")[1].split("\n")[0]


def test_processes_of_one_program_and_owner_are_called_alike() -> None:
    who = [
        ("a", "", "cc1", "me", 5),
        ("a", "", "cc1", "me", 6),
        ("a", "", "cc1", "you", 7),
        ("b", "", "cc1", "me", 8),
        ("a", "", "", "", 9),
        ("a", "", "", "", 10),
        ("a", "", OTHERS, "", 0),
    ]
    names = ("host", "job", "name", "owner", "pid")
    rows = pa.table(dict(zip(names, map(list, zip(*who, strict=True)), strict=True)))
    assert _titles(rows).to_pylist() == [
        "cc1 (2 processes, me)",
        "cc1 (2 processes, me)",
        "cc1 (pid 7, you)",
        "cc1 (pid 8, me)",
        "a process (pid 9)",
        "a process (pid 10)",
        "other processes",
    ]


@pytest.mark.in_turn
def test_profiled_processes_are_left_out(tmp_path: Path) -> None:
    work = (
        "import os, time\nend = time.time() + 1\nwhile time.time() < end: pass\nprint(os.getpid())"
    )
    job = run(tmp_path, sys.executable, "-c", work)
    pid = int(job.communicate()[0])
    assert rows_of(tmp_path, pid) == []


@pytest.mark.in_turn
def test_a_profile_with_longer_slices_is_left_out_too(tmp_path: Path) -> None:
    """Each time is that of its own slices: else a neighbour counts twice, or numbers overflow."""
    busy = (
        "import os, time\nend = time.time() + {}\nwhile time.time() < end: pass\nprint(os.getpid())"
    )
    neighbour = run(tmp_path, sys.executable, "-c", busy.format(5), slices="4s")
    watcher_of(neighbour)
    job = run(tmp_path, sys.executable, "-c", busy.format(1))
    assert job.wait(60) == 0
    pid = int(neighbour.communicate()[0])
    rows = Repository(tmp_path / "r").watched_processes([HOST], (0, 2**62)).to_pylist()
    assert pid not in {row["pid"] for row in rows}


STATIC = r"""
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    static char block[1 << 20];
    printf("%d\n", (int)getpid());
    fflush(stdout);
    getchar();
    FILE *to = fopen("static.out", "w");
    for (int i = 0; i < 30; i++)
        fwrite(block, 1, sizeof block, to);
    fflush(to);
    while (clock() < CLOCKS_PER_SEC)
        continue;
    getchar();
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs a compiler")
def test_a_static_command_is_of_its_job_and_its_bytes_are_shown(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(STATIC)
    subprocess.run(["gcc", "-static", "-O1", "-o", "static-one", "s.c"], check=True)
    job = run(tmp_path, "./static-one", stdin=subprocess.PIPE)
    assert job.stdin is not None and job.stdout is not None
    pid = int(job.stdout.readline())
    wait_until(lambda: recorded() > 0)  # the watcher counts from here on
    job.stdin.write("\n")
    job.stdin.flush()
    wait_until(lambda: recorded(pid) > 0.96)
    _, said = job.communicate()
    assert "statically linked" in said
    assert "30.0 MiB written" in said
    rows = rows_of(tmp_path, pid)
    assert {(row["job"], row["name"]) for row in rows} == {(JOB, "static-one")}
    assert sum(row["cpu_ns"] for row in rows) / 1e9 < 1.1


@pytest.mark.in_turn
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_no_watcher_outlives_its_run(tmp_path: Path, end: int) -> None:
    job = run(tmp_path, "sleep", "90", start_new_session=True)
    watcher = Path(f"/proc/{watcher_of(job)}")
    if end == signal.SIGKILL:
        os.kill(job.pid, end)
    else:
        os.killpg(job.pid, end)
    job.wait()
    limit = time.monotonic() + 10
    while watcher.exists() and time.monotonic() < limit:
        time.sleep(0.05)
    assert not watcher.exists()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)  # the command of a run that was killed


@pytest.mark.in_turn
@pytest.mark.parametrize(("rule", "names"), [("nameless", {""}), ("off", set())])
def test_the_operator_decides_about_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, names: set[str]
) -> None:
    (tmp_path / "conf").write_text(f"unprofiled = {rule}\n")
    monkeypatch.setenv("JOSTLE_CONFIG", str(tmp_path / "conf"))
    if Path("/etc/jostle/jostle.conf").exists():
        pytest.skip("this machine has an operator's file")
    job = run(tmp_path, "sh", "-c", "echo begun; cat", stdin=subprocess.PIPE)
    assert job.stdout is not None
    assert job.stdout.readline() == "begun\n"
    if rule == "nameless":
        pid, _ = watched_hog("0.3", "0", "file")
        job.communicate()
        rows = rows_of(tmp_path, pid)
    else:
        time.sleep(1)  # five slices, in which a watcher would have seen this test
        job.communicate()
        rows = Repository(tmp_path / "r").watched_processes([HOST], (0, 2**62)).to_pylist()
    assert {row["name"] for row in rows} == names
    assert {(row["uid"], row["owner"], row["group"]) for row in rows} <= {(-1, "", "")}
