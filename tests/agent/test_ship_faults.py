#!/usr/bin/env python3
"""jostle-ship is killed, the receiver fails: the mirror is the spool, byte by byte, nothing twice.

As a program: `test_ship_faults.py kills [HOW_OFTEN] [SEED]`, and
`test_ship_faults.py away [SECONDS] [NODES]` for nodes whose receiver is away.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from receiver import GAP, Receiver, serving
from shipping import Site, Writer, dead, until

FAULTS = ("reset", "lost", "torn", "proxy", "503 busy", "507 full", "409 clock")


def kill_often(folder: Path, kills: int, seed: int) -> int:
    """Kill the shipper while profiles begin, grow and end and posts fail; return their number."""
    chance, site = random.Random(seed), Site(folder)
    site.receiver.retry_after = "0"
    expected: dict[str, bytes] = {}
    live: list[Writer] = []

    def fault(n: int) -> str | None:
        # A clock that is wrong is tried again after a minute: not here.
        return chance.choice(FAULTS[:5]) if chance.random() < 0.25 else None

    def step(i: int) -> None:
        if len(live) < 6:
            name = f"slurm-{seed}.{i}.{len(expected)}.jst"
            live.append(Writer(site.spool / name, os.getpid(), seed=i))
            expected[name] = b""
        for writer in live:
            writer.slice(chance.choice((20, 300, 5000, 200_000)))
            if chance.random() < 0.2:
                writer.torn()
        if chance.random() < 0.5:
            writer = live.pop(chance.randrange(len(live)))
            writer.finish()
            expected[writer.path.name] = writer.path.read_bytes()
            writer.close()

    site.receiver.fault = fault
    with serving(site.receiver, site.socket):
        for i in range(kills):
            process = site.begin()
            until_ns = time.monotonic() + chance.random() * 0.4
            while time.monotonic() < until_ns:
                step(i)
                time.sleep(chance.random() * 0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
        for writer in live:
            writer.finish()
            expected[writer.path.name] = writer.path.read_bytes()
            writer.close()
        site.receiver.fault = lambda n: None
        with site.running():
            until(lambda: site.waiting() == [], 60)
    check(site.receiver, expected)
    return len(site.receiver.headers)


def come_back(folder: Path, away_s: float, nodes: int) -> list[float]:
    """Let the receiver of several nodes be away; return when each came back, s after it did."""
    sites, live = [], []
    for i in range(nodes):
        (folder / str(i)).mkdir(parents=True)
        sites.append(
            Site(folder / str(i), node=f"n{i}", interval="1s", receiver=f"unix://{folder}/socket")
        )
        live += [Writer(sites[i].spool / f"w.{i}.{k}.jst", os.getpid(), seed=k) for k in range(3)]
    receiver, shippers = sites[0].receiver, [site.begin() for site in sites]
    end, expected = time.monotonic() + away_s, {}
    while time.monotonic() < end:
        for writer in live:
            writer.slice()
        time.sleep(0.5)
    with serving(receiver, folder / "socket"):
        back = time.monotonic()
        for writer in live:
            writer.finish()
            expected[writer.path.name] = os.pread(writer.file, 1 << 26, 0)
            writer.close()
        until(lambda: not any(site.waiting() for site in sites), 300)
    for process in shippers:
        process.terminate()
        process.wait()
    check(receiver, expected)
    first: dict[str, float] = {}
    for (when, _, _), headers in zip(receiver.posts, receiver.headers, strict=True):
        first.setdefault(headers["Jostle-Node"], when - back)
    return sorted(first.values())


def check(receiver: Receiver, expected: dict[str, bytes]) -> None:
    assert receiver.wrong == [], receiver.wrong
    assert sorted(f.name for f in receiver.files.values()) == sorted(expected)  # each exactly once
    for f in receiver.files.values():
        assert f.over and bytes(f.data) == expected[f.name], f.name


@pytest.mark.in_turn
def test_kills_at_random_instants(tmp_path: Path) -> None:
    kill_often(tmp_path, 12, 1)


def test_nodes_come_back_one_by_one(tmp_path: Path) -> None:
    """They lost the receiver together, and find it again over half of the time that it was away."""
    times = come_back(tmp_path, 4, 8)
    assert len(times) == 8 and times[-1] - times[0] > 0.3


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.in_turn
@pytest.mark.parametrize("fault", FAULTS[:6])
def test_one_fault(site: Site, fault: str) -> None:
    """A post that fails in one way is sent again."""
    site.receiver.retry_after = "0"
    site.receiver.fault = lambda n: fault if n in (1, 3) else None
    data = dead(site.spool / "none.1.1.jst")
    with serving(site.receiver, site.socket), site.running():
        until(lambda: site.waiting() == [])
    check(site.receiver, {"none.1.1.jst": data})


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("409 clock", "our clocks differ"),
        ("401 credential", "does not accept our credential"),
        ("403 node", "does not accept our node's name"),
    ],
)
def test_what_a_person_must_fix_is_tried_slowly(site: Site, fault: str, words: str) -> None:
    site.receiver.fault = lambda n: fault
    dead(site.spool / "none.1.1.jst")
    with serving(site.receiver, site.socket), site.running():
        until(lambda: len(site.receiver.headers) == 1)
        time.sleep(0.5)
    assert len(site.receiver.headers) == 1
    assert site.log.read_text().count(words) == 1 and site.waiting() == ["none.1.1.jst"]
    if fault == "409 clock":
        assert "ours differs by -900 s" in site.log.read_text() or "-899" in site.log.read_text()


def test_the_receiver_comes_back(site: Site) -> None:
    """A receiver that comes and goes: reported once each time, and all data arrive."""
    writer = Writer(site.spool / "none.1.1.jst", os.getpid())
    with site.running():
        time.sleep(0.6)
        log = site.log.read_text()
        # Not with the time that an attempt took: each attempt would be reported.
        assert log.count("no answer") == 1 and " ms" not in log
        for _ in range(2):
            with serving(site.receiver, site.socket):
                until(lambda: any(f.have >= writer.end for f in site.receiver.files.values()))
                until(lambda: "takes posts again" in site.log.read_text())
            writer.slice(100_000)
            time.sleep(0.3)
        with serving(site.receiver, site.socket):
            writer.finish()
            until(lambda: site.waiting() == [])
    check(
        site.receiver,
        {
            "none.1.1.jst": writer.path.read_bytes()
            if writer.path.exists()
            else os.pread(writer.file, 1 << 24, 0)
        },
    )
    writer.close()


def test_pauses_that_the_receiver_asks_for(site: Site) -> None:
    site.receiver.after, site.receiver.credit = 0.3, 1 << 16
    (site.spool / "none.1.1.jss").write_bytes(os.urandom(300_000))
    with serving(site.receiver, site.socket):
        assert site.once().returncode == 0
    times = [when for when, _, _ in site.receiver.posts]
    assert len(times) >= 5 and min(b - a for a, b in pairwise(times)) > 0.28
    assert max(decoded for _, _, decoded in site.receiver.posts) <= 1 << 16


def test_beyond_the_quota_the_oldest_that_ended_go_and_leave_a_gap(site: Site) -> None:
    site.set(spool_quota="1M")
    sizes = {}
    for i in range(5):
        path = site.spool / f"none.{i}.1.jst"
        dead(path, slices=1000, seed=i)
        os.utime(path, (1000 + i, 1000 + i))
        sizes[path.name] = path.stat().st_size
    writer = Writer(site.spool / "live.1.1.jst", os.getpid())
    os.utime(writer.path, (10, 10))
    done = site.once()
    assert done.returncode == 1 and "beyond its quota" in done.stderr
    left = site.waiting()
    assert left == ["live.1.1.jst", "none.2.1.jst", "none.3.1.jst", "none.4.1.jst"]
    assert "gaps         2 not sent yet" in site.once("--status").stdout
    with serving(site.receiver, site.socket):
        assert site.once().returncode == 0
    gaps = {f.name: f.have for f in site.receiver.files.values() if f.gap}
    assert gaps == {name: size for name, size in sizes.items() if name not in left}
    assert site.waiting() == ["live.1.1.jst"]
    assert "gaps         0 not sent yet" in site.once("--status").stdout
    assert site.receiver.wrong == []
    writer.close()


def test_a_gap_that_is_not_taken_keeps_nothing_else_waiting(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A receiver has no room for one more file of its user: the gap is sent again in a minute."""
    site.set(spool_quota="1M")
    for i in range(5):
        path = site.spool / f"none.{i}.1.jst"
        dead(path, slices=1000, seed=i)
        os.utime(path, (1000 + i, 1000 + i))
    site.once()
    assert "gaps         2 not sent yet" in site.once("--status").stdout
    apply = site.receiver._apply
    monkeypatch.setattr(
        site.receiver, "_apply", lambda f, r: None if r.flags & GAP else apply(f, r)
    )
    with serving(site.receiver, site.socket):
        assert site.once().returncode == 0
    assert site.waiting() == []
    assert len(site.receiver.posts) < 20
    assert "gaps         2 not sent yet" in site.once("--status").stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system")
def test_a_full_disk(tmp_path: Path) -> None:
    """Notes of gaps need no space beyond that reserved before."""
    site = Site(tmp_path, spool_quota="1M")
    if os.system(f"mount -t tmpfs -o size=4m none {site.spool} 2>/dev/null") != 0:
        pytest.skip("mounts are not allowed here")
    try:
        assert site.once().returncode == 0  # makes its file
        dead(site.spool / "none.1.1.jst")
        shorts = os.open(site.spool / "none.2.1.jss", os.O_WRONLY | os.O_CREAT)
        with suppress(OSError):
            while os.write(shorts, bytes(65536)):
                pass
        os.close(shorts)
        os.utime(site.spool / "none.2.1.jss", (1000, 1000))
        assert site.once().returncode == 1
        assert site.waiting() == ["none.1.1.jst"]
        with serving(site.receiver, site.socket):
            assert site.once().returncode == 0
        assert {f.name: f.gap for f in site.receiver.files.values()} == {
            "none.1.1.jst": False,
            "none.2.1.jss": True,
        }
    finally:
        os.system(f"umount {site.spool}")


if __name__ == "__main__":
    what, *numbers = sys.argv[1:] or ["kills"]
    place = Path(tempfile.mkdtemp())
    try:
        if what == "kills":
            kills, seed = (int(n) for n in [*numbers, *["200", "1"][len(numbers) :]])
            print(f"{kills} kills: {kill_often(place, kills, seed)} posts, all is equal")
        else:
            seconds, nodes = (int(n) for n in [*numbers, *["1800", "10"][len(numbers) :]])
            times = come_back(place, seconds, nodes)
            print(f"all is equal; {nodes} nodes came back after {[round(t, 1) for t in times]} s")
    finally:
        shutil.rmtree(place)
