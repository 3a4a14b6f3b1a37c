"""jostle-ship and users who put files other than profiles into the spool."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from receiver import serving
from shipping import COMMIT_AT, Site, Writer, dead, until


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    with serving(site.receiver, site.socket):
        yield site
    assert site.receiver.wrong == []


def test_what_is_no_profile_is_left_alone(site: Site, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"jostle01" + bytes(100_000))
    (site.spool / "a.1.1.jst").symlink_to(secret)
    (site.spool / "b.1.1.jst").symlink_to("/dev/zero")
    os.mkfifo(site.spool / "c.1.1.jst")
    (site.spool / "d.1.1.jst").mkdir()
    os.link(secret, site.spool / "e.1.1.jst")
    with (site.spool / "f.1.1.jst").open("wb") as f:
        f.truncate(3 << 30)
    if os.geteuid() == 0:
        os.mknod(site.spool / "g.1.1.jst", 0o20666, os.makedev(1, 5))
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(site.spool / "h.1.1.jst"))
    for name in ("a b.jst", "x\n.jst", ".hidden.jst", "é.jst", "n" * 201 + ".jst", "core", ".jst"):
        (site.spool / name).write_bytes(b"x")
    (site.spool / "i.1.1.jst").write_bytes(b"")
    (site.spool / "j.1.1.jst").write_bytes(os.urandom(9000))
    before = site.waiting()
    data = dead(site.spool / "good.1.1.jst")
    done = site.once()
    assert done.returncode == 0 and done.stderr.count("\n") == 1  # says it once
    assert site.waiting() == before
    assert {f.name for f in site.receiver.files.values() if f.have} == {"good.1.1.jst"}
    assert bytes(site.receiver.named("good.1.1.jst").data) == data


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (12, 0xFFFFFFFF),
        (12, 5),
        (40, 0xFFFFFFFF),
        (44, 0xFFFFFFFF),
        (COMMIT_AT + 1024, 1 << 31),
        (96, 0xFFFFFFFF),
        (96, 0),
    ],
)
def test_heads_that_lie(site: Site, at: int, value: int) -> None:
    """Whatever is at the fixed names, others' files are sent."""
    path = site.spool / "bad.1.1.jst"
    dead(path)
    with path.open("r+b") as f:
        f.seek(at)
        f.write(struct.pack("<I", value))
    data = dead(site.spool / "good.1.1.jst")
    assert site.once().returncode == 0
    assert bytes(site.receiver.named("good.1.1.jst").data) == data


def test_a_file_that_shrinks(site: Site) -> None:
    writer = Writer(site.spool / "none.1.1.jst", os.getpid())
    writer.slice(50_000)
    full = writer.path.read_bytes()
    with site.running():
        until(lambda: any(f.have == len(full) for f in site.receiver.files.values()))
        os.truncate(writer.path, len(full) - 20_000)
        writer.finish()
        until(lambda: site.waiting() == [])
    sent = site.receiver.named("none.1.1.jst")
    assert sent.over and sent.have == len(full)  # what was acknowledged stays
    assert "became shorter" in site.log.read_text()
    writer.close()


def test_a_file_that_grows_and_shrinks_all_the_time(site: Site) -> None:
    """A file that changes all the time while it is read harms neither the shipper nor others."""
    writer, stop = Writer(site.spool / "wild.1.1.jst", os.getpid()), threading.Event()

    def wild() -> None:
        while not stop.is_set():
            os.truncate(writer.path, 10)
            writer.slice(70_000)
            os.pwrite(writer.file, writer.random.randbytes(4096), 0)

    thread = threading.Thread(target=wild)
    thread.start()
    with site.running():
        for i in range(4):
            data = dead(site.spool / f"good.{i}.1.jst")
            until(lambda i=i: f"good.{i}.1.jst" not in site.waiting())
            assert bytes(site.receiver.named(f"good.{i}.1.jst").data) == data
        stop.set()
        thread.join()
    site.receiver.wrong.clear()  # of the wild one
    writer.close()


def test_another_file_under_its_name(site: Site) -> None:
    path = site.spool / "none.1.1.jst"
    first = Writer(path, os.getpid())
    with site.running():
        until(lambda: len(site.receiver.files) == 1)
        path.unlink()
        data = dead(path, seed=7)
        until(lambda: site.waiting() == [])
    ended = [f for f in site.receiver.files.values() if f.over]
    assert len(site.receiver.files) == 2 and [bytes(f.data) for f in ended] == [data]
    first.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs files of two users")
def test_users_take_turns(site: Site) -> None:
    """One user's thousands of files, and a huge one, do not delay the profile of another."""
    site.receiver.credit = 1 << 20
    with (site.spool / "huge.1.1.jss").open("wb") as f:
        f.write(os.urandom(8 << 20))
    for i in range(3000):
        (site.spool / f"many.{i}.1.jss").write_bytes(b"x" * 100)
    path = site.spool / "other.1.1.jst"
    data = dead(path)
    os.chown(path, 12345, 12345)
    taken: list[int] = []

    def fault(n: int) -> None:
        taken.extend([n] if not taken and not path.exists() else [])

    site.receiver.fault = fault
    assert site.once().returncode == 0
    assert bytes(site.receiver.named("other.1.1.jst").data) == data
    assert len(site.receiver.files) == 3002 and 12345 in {o for o, _ in site.receiver.files}
    assert taken and taken[0] < 6 < len(site.receiver.posts)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs files of several users")
@pytest.mark.parametrize("owner", [0, 12345])
def test_files_of_some_users_do_not_keep_those_of_others_out(site: Site, owner: int) -> None:
    """Four users have as many files as are looked after, and these never end."""
    for user in range(4):
        for i in range(4096):
            path = site.spool / f"many{user}.{i}.1.jss"
            path.touch()
            os.chown(path, 20_000 + user, 20_000)
    with site.running():
        until(lambda: len(site.receiver.files) == 4 * 4096, 60)
        path = site.spool / "machine.1.1.jsm"
        data = dead(path)
        os.chown(path, owner, owner)
        until(lambda: not path.exists(), 60)
        assert bytes(site.receiver.named(path.name).data) == data
        assert len(site.waiting()) == 4 * 4096


@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_spool_that_is_replaced_is_not_left_unattended(site: Site, is_made_again: bool) -> None:
    process = site.begin()
    until(lambda: (site.spool / ".jostle-ship").exists())
    site.spool.rename(site.spool.with_name("old"))
    if is_made_again:
        site.spool.mkdir(mode=0o1777)
    assert process.wait(20) == 1
    assert "is another folder now" in site.log.read_text()
