"""jostle-agent on simulated nodes of parallel file systems, and its cost with 37 000 jobs.

The agent runs in a folder that stands for /: with itself, its libraries and the kernel's files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import native
from jostle.reader import read_machines
from jostle.reader.decode import ReadRequest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="chroot needs root")

FIXTURES = Path(__file__).parents[2] / "agent/test/fixtures"
MIB = 1 << 20


class Machine:
    """A folder that stands for / of a machine, with jostle-agent in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        program = native("jostle-agent")
        assert program, "jostle-agent is not built"
        self.install(program, "/jostle-agent")

    def install(self, program: Path, to: str) -> None:
        self.copy(program, to)
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"(/\S+) \(0x", listed):
            self.copy(Path(library), library)

    def copy(self, of: Path, to: str) -> None:
        self.place(to)
        shutil.copy(of, f"{self.root}{to}")

    def place(self, path: str) -> Path:
        place = Path(f"{self.root}{path}")
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def put(self, path: str, text: str) -> None:
        """Replaces a file at once, as the kernel never shows half of one."""
        place = self.place(path)
        place.with_name("new").write_text(text)
        place.with_name("new").replace(place)

    def once(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["chroot", self.root, "/jostle-agent", "--once", *options],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )

    def sources(self) -> dict[str, Any]:
        return {s["source"]: s for s in json.loads(self.once("--json").stdout)}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@contextmanager
def goes_on(step: Callable[[int], None]) -> Iterator[None]:
    """Calls `step` with 0, 1, 2, ... every 50 ms."""
    over = threading.Event()

    def run() -> None:
        n = 1
        while not over.wait(0.05):
            step(n)
            n += 1

    step(0)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def job(name: str, writes: int) -> str:
    return (
        f"- job_id:          {name}\n  snapshot_time:   1510781837\n"
        f"  write_bytes:     {{ samples: {writes:11}, unit: bytes, min: 4096, max: {MIB},"
        f" sum: {writes * MIB:16} }}\n"
        "  getattr:         { samples:           0, unit:  reqs }\n"
        "  setattr:         { samples:           3, unit:  reqs }\n"
    )


def test_a_server_shows_its_targets_and_who_uses_them(machine: Machine) -> None:
    folder = "/proc/fs/lustre/obdfilter/scratch-OST0003"

    def step(n: int) -> None:
        machine.put(
            f"{folder}/stats", f"write_bytes {9 + 3 * n} samples [bytes] 1 2 {9 + 3 * n * MIB}\n"
        )
        jobs = [job("4711", 100 + 2 * n), job("cp.1000", 50 + n), job("99", 7)]
        machine.put(f"{folder}/job_stats", "job_stats:\n" + "".join(jobs))

    with goes_on(step):
        sources = machine.sources()
    (target,) = sources["lustre server"]["components"]
    assert (target["name"], target["source"]) == ("scratch-OST0003", "scratch")
    written = target["values"]["storage_write_bytes"]
    assert written > 0 and written % (3 * MIB) == 0
    jobs = {c["job"]: c["values"] for c in sources["lustre jobs"]["components"]}
    assert set(jobs) == {"slurm-4711", "cp.1000"}  # 99 did nothing
    mine, other = (jobs[j]["storage_write_bytes"] for j in ("slurm-4711", "cp.1000"))
    assert mine == 2 * other > 0
    assert sources["lustre client"]["absent"] == "no Lustre mount"


def test_a_client_shows_its_mount_by_source_and_path(machine: Machine) -> None:
    debug = "/sys/kernel/debug/lustre"
    machine.put("/proc/mounts", "10.0.0.1@tcp:/scratch /lustre lustre rw,flock 0 0\n")
    for folder, fixture in (
        ("llite/scratch-ffff8800b8e5a000", "llite-2.14"),
        ("osc/scratch-OST0003-osc-ffff8800b8e5a000", "osc-2.12"),
        ("mdc/scratch-MDT0000-mdc-ffff8800b8e5a000", "mdc-2.12"),
    ):
        machine.put(f"{debug}/{folder}/stats", (FIXTURES / f"lustre/{fixture}.txt").read_text())
    components = machine.sources()["lustre client"]["components"]
    assert [(c["name"], c["source"], c["path"]) for c in components] == [
        ("scratch", "10.0.0.1@tcp:/scratch", "/lustre"),
        ("scratch-OST0003", "10.0.0.1@tcp:/scratch", ""),
        ("scratch-MDT0000", "10.0.0.1@tcp:/scratch", ""),
    ]
    assert "storage_wait_ns" in components[1]["values"]


def test_37_000_jobs_cost_little(machine: Machine) -> None:
    text = "job_stats:\n" + "".join(job(str(100_000 + i), i) for i in range(37_000))
    machine.put("/proc/fs/lustre/obdfilter/scratch-OST0003/job_stats", text)
    before = os.times()
    done = machine.once("--json", "--without", "lustre server")
    after = os.times()
    cpu = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    sources = {s["source"]: s for s in json.loads(done.stdout)}
    assert sources["lustre jobs"] | {"components": []} == {
        "source": "lustre jobs",
        "absent": "",
        "fault": "",
        "components": [],
    }
    assert cpu < 1.0  # two readings of 13 MB; 0.1 s on a quiet core of 2023


MMPMON = f"""#!/bin/sh
n=0
while read -r question; do
    case $question in
    fs_io_s)
        n=$((n + {MIB}))
        idle="_bw_ 0 _oc_ 0 _cc_ 0 _rdc_ 0 _wc_ 0 _dir_ 0 _iu_ 0"
        echo "_fs_io_s_ _rc_ 0 _cl_ x _fs_ scratch _br_ $n $idle"
        ;;
    io_s) echo "_io_s_ _rc_ 0" ;;
    esac
done
"""


def test_mmpmon_answers_a_sampler_that_gave_its_rights_away(machine: Machine) -> None:
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        pytest.skip("no namespaces of mounts here")
    machine.install(Path("/bin/sh"), "/bin/sh")
    machine.put("/usr/lpp/mmfs/bin/mmpmon", MMPMON)
    machine.place("/usr/lpp/mmfs/bin/mmpmon").chmod(0o755)
    machine.put("/etc/jostle/jostle.conf", "spool = /spool\nslice = 500ms\n")
    spool = machine.place("/spool/x").parent
    null = machine.place("/dev/null")
    os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    machine.place("/proc/x")
    script = 'mount -t proc proc "$0/proc" && exec timeout 3 chroot "$0" /jostle-agent sample'
    subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, machine.root], timeout=60, check=False
    )
    (profile,) = spool.glob("machine.*.jsm")
    tables = read_machines([ReadRequest(profile, 0)])
    header = tables.results[0].header
    assert header is not None
    (mount,) = (c for c in header.components if c.kind == "gpfs_mount")
    rows = [r for r in tables.slices.to_pylist() if r["component"] == mount.number]
    assert len(rows) >= 3
    assert {(r["storage_read_bytes"], r["unknown"]) for r in rows} == {(MIB, "")}
