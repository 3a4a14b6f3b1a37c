"""jostle-ship has one right that users lack, and its systemd unit grants no more."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from receiver import serving
from shipping import Site, Writer, dead, shipper, until

from conftest import ROOT

UNIT = ROOT / "integrations" / "systemd" / "jostle-ship.service"
READ_SEARCH = 1 << 2
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_the_unit_is_sound(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    text = UNIT.read_text().replace("/opt/jostle/bin/jostle-ship", str(shipper()))
    unit.write_text(
        text.replace("User=jostle", "User=daemon").replace("chown jostle", "chown daemon")
    )
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True
    )
    assert unit.name not in verified.stderr and verified.returncode == 0, verified.stderr
    assessed = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=30", str(unit)],
        capture_output=True,
        text=True,
    )
    assert assessed.returncode == 0, assessed.stdout[-400:]


@root_only
@pytest.mark.skipif(shutil.which("systemd-tmpfiles") is None, reason="no systemd-tmpfiles")
def test_an_installation_leaves_the_spool_to_its_shipper(tmp_path: Path) -> None:
    """The unit gives the spool to its user; `systemd-tmpfiles --create` runs at any time later."""
    rules = tmp_path / "jostle.conf"
    shutil.copy(ROOT / "packaging" / "node" / "tmpfiles.conf", rules)
    spool = tmp_path / "root" / "var" / "spool" / "jostle"
    command = ["systemd-tmpfiles", f"--root={tmp_path / 'root'}", "--create", str(rules)]
    spool.parent.mkdir(parents=True)
    subprocess.run(command, check=True, timeout=30)
    made = spool.stat()
    assert (made.st_uid, made.st_gid, made.st_mode & 0o7777) == (0, 0, 0o1777)
    os.chown(spool, 65534, -1)
    subprocess.run(command, check=True, timeout=30)
    assert spool.stat().st_uid == 65534


def capabilities(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {line[:6]: int(line[8:], 16) for line in lines if line.startswith("Cap")}


@root_only
def test_as_a_user_with_one_capability(tmp_path: Path) -> None:
    """Reads and removes files of others in a sticky folder of its own, as in its unit."""
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o11)
    site = Site(tmp_path)
    os.chown(site.spool, 65534, 65534)
    site.spool.chmod(0o1777)
    data = dead(site.spool / "none.1.1.jst")
    os.chown(site.spool / "none.1.1.jst", 1234, 1234)
    live = Writer(site.spool / "none.2.1.jst", os.getpid())
    command = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--bounding-set=-all,+dac_read_search",
        "--inh-caps=-all,+dac_read_search",
        "--ambient-caps=-all,+dac_read_search",
        "--no-new-privs",
        str(shipper()),
        "--config",
        str(site.config),
    ]
    with serving(site.receiver, site.socket):
        site.socket.chmod(0o777)
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: site.waiting() == ["none.2.1.jst"] or process.poll() is not None)
            assert process.poll() is None, process.communicate()[1]
            until(lambda: len(site.receiver.files) == 2)
            sets = capabilities(process.pid)
            assert sets["CapPrm"] == sets["CapEff"] == READ_SEARCH
            assert sets["CapInh"] == sets["CapAmb"] == 0
        finally:
            process.terminate()
            process.wait()
    assert bytes(site.receiver.named("none.1.1.jst").data) == data
    assert {owner for owner, _ in site.receiver.files} == {1234, 0}
    live.close()


@root_only
def test_as_root_it_keeps_what_it_needs(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with serving(site.receiver, site.socket), site.running() as process:
        until(lambda: (site.spool / ".jostle-ship").exists())
        time.sleep(0.2)
        assert capabilities(process.pid)["CapPrm"] == READ_SEARCH
        assert capabilities(process.pid)["CapBnd"] == READ_SEARCH
        assert "NoNewPrivs:\t1" in Path(f"/proc/{process.pid}/status").read_text()


@root_only
def test_a_planted_state_file_is_replaced(tmp_path: Path) -> None:
    """Neither a link nor a file of somebody else is written through."""
    site, victim = Site(tmp_path), tmp_path / "victim"
    victim.write_bytes(b"precious")
    (site.spool / ".jostle-ship").symlink_to(victim)
    with serving(site.receiver, site.socket):
        assert site.once().returncode == 0
    assert victim.read_bytes() == b"precious"
    assert not (site.spool / ".jostle-ship").is_symlink()
    assert (site.spool / ".jostle-ship").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["folder", "full folder", "pipe", "socket"])
def test_nothing_under_the_name_of_the_state_file_stops_it(tmp_path: Path, kind: str) -> None:
    site = Site(tmp_path)
    state = site.spool / ".jostle-ship"
    if "folder" in kind:
        state.mkdir()
    if kind == "full folder":
        (state / "file").touch()
    if kind == "pipe":
        os.mkfifo(state)
    if kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(state))
    data = dead(site.spool / "none.1.1.jst")
    with serving(site.receiver, site.socket):
        done = site.once()
        assert (done.returncode, done.stderr) == (0, "")
    assert bytes(site.receiver.named("none.1.1.jst").data) == data
    assert state.is_file()


@root_only
def test_root_does_not_send_a_spool_alongside_its_owners_shipper(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o11)
    site = Site(tmp_path)
    os.chown(site.spool, 65534, 65534)
    state = site.spool / ".jostle-ship"
    owners = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        str(shipper()),
        "--config",
        str(site.config),
    ]
    with serving(site.receiver, site.socket):
        site.socket.chmod(0o777)
        process = subprocess.Popen(owners, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: state.exists() and state.stat().st_size > 0)
            inode = state.stat().st_ino
            done = site.once()
            assert done.returncode == 1
            assert "another jostle-ship sends this spool" in done.stderr
            assert state.stat().st_ino == inode
        finally:
            process.terminate()
            process.wait()
        # And the other way round: what root makes is the owner's.
        state.unlink()
        assert site.once().returncode == 0
        assert state.stat().st_uid == 65534
        inode = state.stat().st_ino
        done = subprocess.run([*owners, "--once"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert state.stat().st_ino == inode
