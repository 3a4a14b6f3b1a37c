"""jostle-agent sample: real runs, read back by a reader of their own (jsm.py)."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from jsm import Machine, Row, read_machine

from conftest import ROOT, native
from jostle.reader.decode import ReadRequest
from jostle.reader.machines import read_machines

SLICE_NS = 100_000_000
FIXTURES = ROOT / "agent" / "test" / "fixtures"
KILLS = int(os.environ.get("JOSTLE_KILLS", "5"))
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def agent() -> str:
    return str(native("jostle-agent"))


def environment(spool: Path) -> dict[str, str]:
    return os.environ | {"JOSTLE_SPOOL": str(spool), "JOSTLE_SLICE": "100ms"}


@contextmanager
def sampler(
    spool: Path, *options: str, before: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[str]]:
    """A sampler that has made its file."""
    spool.mkdir(exist_ok=True)
    had = len(files(spool))
    process = subprocess.Popen(
        [*before, agent(), "sample", *options],
        env=environment(spool),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: len(files(spool)) > had)
        yield process
    finally:
        process.kill()
        process.communicate()


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0


def until(happened: object, seconds: float = 20) -> None:
    limit = time.monotonic() + seconds
    while not happened():  # type: ignore[operator]
        assert time.monotonic() < limit
        time.sleep(0.01)


def files(spool: Path) -> list[Path]:
    return sorted(spool.glob("machine.*.jsm"))


def only(spool: Path) -> Machine:
    (path,) = files(spool)
    return read_machine(path)


def without_gap(rows: list[Row]) -> None:
    for before, after in itertools.pairwise(rows):
        assert after.first == before.first + before.span


def cpu_seconds(machine: Machine) -> float:
    kinds = ("user", "system", "idle", "irq", "steal")
    return sum(machine.total("machine", f"cpu_{kind}_ns") for kind in kinds) / 1e9


def test_a_whole_run(tmp_path: Path) -> None:
    began = time.time_ns()
    with sampler(tmp_path, "--ceph", str(tmp_path / "nothing")) as process:
        time.sleep(1.2)
        status = Path(f"/proc/{process.pid}/status").read_text()
        second = subprocess.run(
            [agent(), "sample"], env=environment(tmp_path), capture_output=True, text=True
        )
        end(process)
    ended = time.time_ns()
    machine = only(tmp_path)
    rows = machine.rows["machine"]
    without_gap(rows)
    assert rows[0].first == machine.first_slice == machine.start_ns // SLICE_NS
    # The last record holds the slice that had not ended; sources may take half a slice over it.
    assert rows[-1].first + rows[-1].span == machine.open_slice
    assert 0 <= machine.end_ns // SLICE_NS + 1 - machine.open_slice <= 1
    assert began <= machine.start_ns < machine.end_ns <= ended and machine.end_reason == 1
    # All cores' time is somewhere: in ticks of 10 ms, which the kernel books as it likes.
    cores = os.cpu_count() or 1
    lasted = (machine.end_ns - machine.start_ns) / 1e9
    assert abs(cpu_seconds(machine) - cores * lasted) < 0.25 * cores * lasted + 0.1
    # No right that it does not need.
    assert "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    if os.geteuid() == 0:
        kept = int(status.split("CapEff:\t")[1].split()[0], 16)
        assert kept & ~(1 << 2 | 1 << 38) == 0  # CAP_DAC_READ_SEARCH, CAP_PERFMON
    assert second.returncode == 1 and "another sampler writes into" in second.stderr
    # The project's own reader agrees.
    (path,) = files(tmp_path)
    tables = read_machines([ReadRequest(path, 0)])
    assert tables.results[0].error is None and tables.results[0].warnings == []
    assert tables.slices.num_rows == sum(map(len, machine.rows.values()))


@root_only
def test_the_right_to_connect_stays_only_where_there_is_ceph(tmp_path: Path) -> None:
    there, override = tmp_path / "ceph", 1 << 1
    there.mkdir()
    for n, (options, keeps) in enumerate(
        [
            (("--ceph", str(there)), True),
            (("--ceph", str(there), "--without", "ceph"), False),
            (("--ceph", str(tmp_path / "nothing")), False),
        ]
    ):
        with sampler(tmp_path / f"spool{n}", *options) as process:
            status = Path(f"/proc/{process.pid}/status").read_text()
            end(process)
        for line in ("CapEff", "CapBnd"):
            kept = int(status.split(f"{line}:\t")[1].split()[0], 16)
            assert bool(kept & override) == keeps
            assert kept & ~(override | 1 << 2 | 1 << 38) == 0


@root_only
@pytest.mark.skipif(not Path("/opt").is_dir(), reason="there is no /opt to mount on")
@pytest.mark.parametrize(("options", "keeps"), [((), True), (("--without", "beegfs"), False)])
def test_a_source_that_is_left_out_keeps_no_rights(
    tmp_path: Path, options: tuple[str, ...], keeps: bool
) -> None:
    """Only a source that starts a program needs the rights of that program."""
    program = "/opt/beegfs/sbin/beegfs-mgmtd"
    script = (
        f"mount -t tmpfs own /opt && mkdir -p {Path(program).parent} && cp /bin/true {program} && "
        'exec "$@"'
    )
    with sampler(tmp_path, *options, before=("unshare", "-m", "sh", "-c", script, "sh")) as process:
        status = Path(f"/proc/{process.pid}/status").read_text()
        end(process)
    administers = 1 << 21
    assert bool(int(status.split("CapEff:\t")[1].split()[0], 16) & administers) == keeps


def test_kills(tmp_path: Path) -> None:
    """A kill leaves whole records up to the last boundary, and the next sampler can start."""
    chance = random.Random(26)
    for n in range(KILLS):
        with sampler(tmp_path) as process:
            time.sleep(0.3 + chance.random() * 0.4)
            process.kill()
            killed = time.time_ns()
            process.wait()
        machine = read_machine(files(tmp_path)[-1])
        rows = machine.rows["machine"]
        without_gap(rows)
        assert rows[0].first == machine.first_slice
        # Half a slice is waited for sources, and a machine under load may add some.
        assert killed // SLICE_NS - (rows[-1].first + rows[-1].span) <= 4
        assert machine.end_ns == 0
        assert len(files(tmp_path)) == n + 1


def test_missed_boundaries_are_one_record(tmp_path: Path) -> None:
    with sampler(tmp_path) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.6)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        end(process)
    rows = only(tmp_path).rows["machine"]
    without_gap(rows)
    assert max(row.span for row in rows) >= 5


def test_a_profile_that_is_removed_is_written_again(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with sampler(spool) as process:
        time.sleep(0.5)
        (before,) = files(spool)
        shutil.rmtree(spool)
        until(lambda: spool.is_dir() and files(spool))
        time.sleep(0.4)
        end(process)
    assert files(spool) == [before]
    machine = only(spool)
    without_gap(machine.rows["machine"])
    assert machine.rows["machine"][0].first == machine.first_slice
    assert any("removed from the spool" in note for note in machine.notes)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as f, contextlib.suppress(OSError):
        while f.write(bytes(1024)):
            pass


def is_still(path: Path) -> bool:
    size = path.stat().st_size
    time.sleep(0.6)
    return path.stat().st_size == size


@root_only
def test_a_full_disk(tmp_path: Path) -> None:
    """Data that cannot be written are in a later record; nothing is lost or doubled."""
    spool = tmp_path / "small"
    spool.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=755", "none", str(spool)]
    if subprocess.run(mount).returncode != 0:
        pytest.skip("no tmpfs can be mounted here")
    try:
        with sampler(spool) as process:
            time.sleep(0.3)
            filler = spool / "filler"
            fill(filler)
            # The page that holds the records' end takes a few more.
            until(lambda: is_still(files(spool)[0]))
            filler.unlink()
            time.sleep(0.4)
            end(process)
        machine = only(spool)
        without_gap(machine.rows["machine"])
        cores = os.cpu_count() or 1
        lasted = (machine.end_ns - machine.start_ns) / 1e9
        assert abs(cpu_seconds(machine) - cores * lasted) < 0.25 * cores * lasted + 0.1
        assert max(row.span for row in machine.rows["machine"]) >= 4
    finally:
        subprocess.run(["umount", "-l", str(spool)], check=True)


@root_only
def test_bytes_of_a_disk(tmp_path: Path) -> None:
    """A program knows what it wrote to a disk of its own; the profile says the same."""
    image = tmp_path / "image"
    with image.open("wb") as f:
        f.truncate(16 << 20)
    found = subprocess.run(
        ["losetup", "--find", "--show", str(image)], capture_output=True, text=True
    )
    if found.returncode != 0:
        pytest.skip("no loop device can be made here")
    device = found.stdout.strip()
    try:
        with sampler(tmp_path / "spool") as process:
            time.sleep(0.3)
            written = subprocess.run(
                ["dd", "if=/dev/zero", f"of={device}", "bs=64k", "count=96", "oflag=direct"],
                capture_output=True,
            )
            time.sleep(0.3)
            end(process)
        if written.returncode != 0:
            pytest.skip("the loop device takes no direct writes")
        machine = only(tmp_path / "spool")
        name = device.removeprefix("/dev/")
        assert machine.total(name, "storage_write_bytes") == 96 * 65536
        assert machine.total(name, "storage_write_ops") == 96
        assert not any(row.epoch for row in machine.rows[name])
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


@root_only
def test_bytes_of_an_interface(tmp_path: Path) -> None:
    """In a network of its own a program knows the traffic of a link."""
    script = f"""
set -e
ip link add name left type veth peer name right
ip link set left up; ip link set right up
ip addr add 10.77.0.1/24 dev left
send() {{ python3 -c "import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
[s.sendto(bytes(1000), ('10.77.0.255', 9)) for _ in range($1)]"; }}
sent() {{ sed -n 's/^ *left://p' /proc/net/dev | awk '{{print $9}}'; }}
send 1
sent
{agent()} sample & sampler=$!
sleep 0.5
send 200
sleep 0.3; kill $sampler; wait $sampler
sent
"""
    spool = tmp_path / "spool"
    spool.mkdir()
    run = subprocess.run(
        ["unshare", "--net", "bash", "-c", script],
        env=environment(spool),
        capture_output=True,
        text=True,
    )
    if run.returncode != 0 and "Operation not permitted" in run.stderr:
        pytest.skip("no network of its own can be made here")
    assert run.returncode == 0, run.stderr
    before, after = map(int, run.stdout.split())
    # 14 bytes of Ethernet, 20 of IP, 8 of UDP; the kernel's own packets may come on top.
    assert 200 * 1042 <= only(spool).total("left", "link_send_bytes") <= after - before


@root_only
def test_a_lock_that_a_user_planted(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    lock = tmp_path / "machine.lock"
    lock.touch()
    os.chown(lock, 65534, 65534)
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with sampler(tmp_path) as process:
            end(process)
    assert lock.stat().st_uid == 0 and only(tmp_path).end_reason == 1


UNIT = ROOT / "integrations" / "systemd" / "jostle-agent-sampler.service"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_the_unit_is_sound(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/jostle/bin/jostle-agent", agent()))
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True
    )
    assert unit.name not in verified.stderr and verified.returncode == 0
    assessed = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=27", str(unit)],
        capture_output=True,
        text=True,
    )
    assert assessed.returncode == 0, assessed.stdout[-400:]
    # Without this call profiles would say that the clock is not synchronised.
    assert "adjtimex" in unit.read_text() and "ProtectClock=yes" not in unit.read_text()


@root_only
def test_it_runs_as_its_unit_lets_it(tmp_path: Path) -> None:
    """Everything but the spool is read-only, and two capabilities are left."""
    spool = tmp_path / "spool"
    spool.mkdir()
    script = f"""
set -e
mount --make-rprivate /
mount --bind {spool} {spool}
mount -o remount,bind,ro /
! touch {tmp_path}/other 2> {spool}/refused
exec setpriv --bounding-set=-all,+dac_read_search,+perfmon --inh-caps=-all --no-new-privs \\
    {agent()} sample
"""
    process = subprocess.Popen(
        ["unshare", "--mount", "bash", "-c", script],
        env=environment(spool),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: files(spool) or process.poll() is not None)
        if process.poll() is not None and "permi" in (said := process.communicate()[1]).lower():
            pytest.skip(said)
        time.sleep(0.4)
        end(process)
    finally:
        process.kill()
        process.communicate()
    assert "Read-only" in (spool / "refused").read_text()
    assert only(spool).rows["machine"]


@pytest.mark.parametrize(("options", "role"), [((), 1), (("--role", "node"), 0)])
def test_who_exports_a_file_system_is_a_server(
    tmp_path: Path, options: tuple[str, ...], role: int
) -> None:
    with sampler(tmp_path, "--root", str(FIXTURES / "system"), *options) as process:
        end(process)
    machine = only(tmp_path)
    assert machine.role == role


def test_once_says_what_it_sees(tmp_path: Path) -> None:
    run = subprocess.run(
        [agent(), "--once", "--json", "--root", str(FIXTURES / "system")],
        capture_output=True,
        text=True,
        check=True,
    )
    sources = {entry["source"]: entry for entry in json.loads(run.stdout)}
    disks = {c["name"]: c["values"] for c in sources["disk"]["components"]}
    assert disks["sda"]["storage_queued"] == 3 and disks["sda"]["storage_read_ops"] == 0
    mounts = {c["path"]: c for c in sources["NFS mounts"]["components"]}
    assert mounts["/home"]["source"] == "filer:/export/home"
    assert mounts["/mnt/big data"]["values"]["storage_read_ns"] is None
    assert sources["fabric"]["absent"] == "no InfiniBand, Omni-Path or EFA"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sample", "--without", "disc"], "there is no such source: 'disc'"),
        (["sample", "--role", "login"], "--role is node or server, not 'login'"),
        (["--json"], "what to do"),
    ],
)
def test_wrong_options(words: list[str], says: str) -> None:
    run = subprocess.run([agent(), *words], capture_output=True, text=True)
    assert run.returncode == 2 and says in run.stderr
