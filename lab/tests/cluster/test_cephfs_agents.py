"""Agents' counters of the real servers of a CephFS, against clients' and servers' own counts."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_parts import MIB, dd, lab_of, native, on

from jostle.repository import Repository
from jostle_lab.cluster import Lab
from jostle_lab.cluster.filesystems.cephfs import ask

pytestmark = pytest.mark.in_turn("lab")

SECOND = 1_000_000_000
#: The metadata server writes its journal when it likes.
JOURNAL = 256 << 10
HOSTS = ("node1", "node2", "storage", "storage2", "storage3")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if not native("jostle-agent"):
        pytest.skip("jostle-agent is not built")
    with lab_of("cephagents", fs="cephfs", size="1GiB", agents="1s") as made:
        time.sleep(3)  # counting has begun
        # On a site daemons are another user's: who connects needs the right to write.
        for socket in (made.folder / "ceph").glob("*.asok"):
            os.chown(socket, 65534, 65534)
            assert socket.stat().st_mode & 0o022 == 0
        yield made


def counted(lab: Lab, daemon: str) -> dict[str, Any]:
    said = ask(lab.folder / "ceph" / f"{daemon}.asok", "perf dump")
    assert said, f"{daemon} did not answer"
    return said


class Seen:
    """Agents' records of a period, in whole slices."""

    def __init__(self, lab: Lab, folder: Path, begin_ns: int, end_ns: int) -> None:
        store = Repository(folder, create=True)
        store.ingest([lab.local(host) / "spool" for host in HOSTS])
        self.rows = store.query(
            "SELECT * FROM component_slices WHERE kind LIKE 'ceph_%' ORDER BY slice"
        ).to_pylist()
        self.components = store.query(
            "SELECT * FROM components WHERE kind LIKE 'ceph_%'"
        ).to_pylist()
        self.begin, self.end = begin_ns // SECOND, end_ns // SECOND

    def of(self, kind: str, name: str, metric: str) -> list[int | None]:
        return [
            None if metric in row["unknown"].split() else row[metric]
            for row in self.rows
            if row["kind"] == kind
            and row["name"] == name
            and self.begin <= row["slice"]
            and row["slice"] + row["span"] <= self.end
        ]

    def by_slice(self, server: str, metric: str) -> dict[int, int | None]:
        """Increases of an object server, by slice; a row that spans slices counts for each."""
        return {
            number: None if metric in row["unknown"].split() else row[metric]
            for row in self.rows
            if row["kind"] == "ceph_osd" and row["name"] == server
            for number in range(row["slice"], row["slice"] + row["span"])
        }

    def total(self, kind: str, name: str, metric: str) -> int:
        values = self.of(kind, name, metric)
        assert values and None not in values, (kind, name, metric, values)
        return sum(value for value in values if value is not None)


def test_sums_are_what_servers_counted_and_clients_did(lab: Lab, tmp_path: Path) -> None:
    begin = time.time_ns()
    daemons = ("osd.0", "osd.1", "mds.m", "client.node1", "client.node2")
    before = {daemon: counted(lab, daemon) for daemon in daemons}
    on(lab, "node1", *dd(lab, "data", 40 * MIB, "conv=fsync"))
    on(lab, "node2", "dd", f"if={lab.shared}/data", "of=/dev/null", "bs=1M", "iflag=direct")
    for node, files in (("node1", 300), ("node2", 100)):
        folder = lab.shared / node
        on(lab, node, "mkdir", folder)
        on(lab, node, "sh", "-c", f"for i in $(seq {files}); do : >{folder}/$i; done")
    after = {daemon: counted(lab, daemon) for daemon in daemons}
    time.sleep(3)
    seen = Seen(lab, tmp_path / "repository", begin, time.time_ns())

    def gained(daemon: str, logger: str, counter: str, part: str = "") -> int:
        now, then = after[daemon][logger][counter], before[daemon][logger][counter]
        return int(now[part] - then[part] if part else now - then)

    written = [seen.total("ceph_osd", f"osd.{i}", "storage_write_bytes") for i in (0, 1)]
    for i, bytes_in in enumerate(written):
        assert abs(bytes_in - gained(f"osd.{i}", "osd", "op_in_bytes")) <= JOURNAL
    assert 40 * MIB <= sum(written) <= 42 * MIB
    read = [seen.total("ceph_osd", f"osd.{i}", "storage_read_bytes") for i in (0, 1)]
    assert 40 * MIB <= sum(read) <= 40 * MIB + JOURNAL
    assert seen.total("ceph_request", "mds.m create", "storage_meta_ops") == 400 + 1
    assert seen.total("ceph_request", "mds.m mkdir", "storage_meta_ops") == 2
    requests = gained("mds.m", "mds_server", "handle_client_request")
    assert seen.total("ceph_mds", "mds.m", "storage_meta_ops") == requests
    assert seen.total("ceph_mds", "mds.m", "storage_meta_ns") > 0
    assert len(seen.of("ceph_mds", "mds.m", "storage_cached_count")) >= seen.end - seen.begin - 2
    for node in lab.nodes:
        own = gained(f"client.{node}", "client", "lat", "avgcount")
        reported = seen.total("ceph_client", node, "storage_meta_ops")
        assert abs(reported - own) <= 3 + own // 50, (node, reported, own)
        mount = f"client.{node}"
        assert seen.total("ceph_mount", mount, "storage_meta_ops") == own
    sent = seen.total("ceph_mount", "client.node1", "storage_write_bytes")
    assert sent == gained("client.node1", "objecter", "op_send_bytes") == 40 * MIB
    received = seen.total("ceph_mount", "client.node2", "storage_read_bytes")
    assert 40 * MIB <= received <= 41 * MIB
    fsid = {row["source"] for row in seen.components if row["kind"] != "ceph_mount"}
    assert len(fsid) == 1
    assert {row["mount"] for row in seen.components if row["kind"] == "ceph_mount"} == {
        f"ceph-fuse:storage.{lab.name}:/"
    }
    # Each host has its own daemons, and no others.
    hosts = {(row["host"], row["name"]) for row in seen.components if row["kind"] == "ceph_osd"}
    assert hosts == {("storage2", "osd.0"), ("storage3", "osd.1")}


def file_on(lab: Lab, number: int) -> Path:
    """A file of one object on this object server."""
    for attempt in range(20):
        was = counted(lab, f"osd.{number}")["osd"]["op_in_bytes"]
        name = f"object{number}-{attempt}"
        on(lab, "node1", *dd(lab, name, 4 * MIB, "conv=fsync"))
        if counted(lab, f"osd.{number}")["osd"]["op_in_bytes"] - was >= 4 * MIB:
            return lab.shared / name
    pytest.fail("no object lies there")


def process_of(lab: Lab, daemon: str) -> int:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if daemon.encode() in words and str(lab.folder / "ceph/ceph.conf").encode() in words:
            return int(place.name)
    pytest.fail(f"{daemon} does not run")


def test_a_stopped_server_is_unknown_and_the_other_is_whole(lab: Lab, tmp_path: Path) -> None:
    files = [file_on(lab, number) for number in (0, 1)]
    script = "import os,sys,time; f=os.open(sys.argv[1],os.O_RDONLY|os.O_DIRECT)\n"
    script += "import mmap; b=mmap.mmap(-1,65536)\n"
    script += "while True: os.preadv(f,[b],0); time.sleep(.02)"
    python = "/usr/bin/python3"
    begin = time.time_ns()
    readers = [lab.popen("node2", [python, "-c", script, str(file)]) for file in files]
    try:
        time.sleep(4)
        stopped = process_of(lab, "osd.0")
        os.kill(stopped, signal.SIGSTOP)
        stop = time.time_ns()
        time.sleep(4)
        os.kill(stopped, signal.SIGCONT)
        go = time.time_ns()
        time.sleep(9)
    finally:
        for reader in readers:
            reader.kill()
            reader.wait()
    seen = Seen(lab, tmp_path / "repository", begin, time.time_ns())
    # The one that runs has a row with a number for each slice.
    other = seen.by_slice("osd.1", "storage_read_ops")
    busy = range(begin // SECOND + 3, go // SECOND + 8)
    assert all(other.get(number) for number in busy), other
    # The stopped one is unknown, never 0; then right again.
    itself = seen.by_slice("osd.0", "storage_read_ops")
    still = range(stop // SECOND + 1, go // SECOND)
    assert len(still) >= 2
    assert all(itself[number] is None for number in still), itself
    assert all(itself.get(stop // SECOND - number) for number in (1, 2)), itself
    assert all(itself.get(go // SECOND + number) for number in (6, 7)), itself
