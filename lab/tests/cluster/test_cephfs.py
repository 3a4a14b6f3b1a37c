"""CephFS as a lab's shared file system."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_parts import MIB, dd, kill, lab_of, mounts, on, remains

from jostle.errors import UsageError
from jostle_lab.cluster import Lab, LabSpec
from jostle_lab.cluster.filesystems.cephfs import Cephfs, ask
from jostle_lab.cluster.lab import down

SIZE = "1GiB"
GIB = 1 << 30


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with lab_of(
        "cephfs", fs="cephfs", size=SIZE, queue="fifo", storage_rate="100mbit,400mbit,40mbit"
    ) as made:
        yield made
        written = made.popen("node1", dd(made, "long", 200 * MIB))
        assert made.down() == []
        assert written.wait(60) != 0
        assert remains(made) == []


def counted(lab: Lab, server: str) -> dict[str, Any]:
    """Counters of a server of CephFS, by its own socket."""
    return ask(lab.folder / "ceph" / f"{server}.asok", "perf dump")


@pytest.mark.in_turn("lab")
def test_nodes_see_the_same_files_and_one_resource(lab: Lab) -> None:
    on(lab, "node1", "sh", "-c", f"echo hello >{lab.shared}/word; mkdir {lab.shared}/folder")
    assert on(lab, "node2", "cat", lab.shared / "word") == "hello\n"
    on(lab, "node2", "mv", lab.shared / "word", lab.shared / "folder/word")
    assert on(lab, "node1", "ls", lab.shared / "folder") == "word\n"
    assert mounts(lab) == {("fuse.ceph-fuse", f"storage.{lab.name}:/")}


@pytest.mark.in_turn("lab")
def test_data_lies_on_object_servers_and_metadata_on_its_own(lab: Lab) -> None:
    """A file of many objects is on all object servers; small files are requests of metadata."""
    before = [counted(lab, f"osd.{i}")["osd"] for i in (0, 1)]
    links = lab.counters(payload=True)
    on(lab, "node1", *dd(lab, "data", 40 * MIB, "conv=fsync"))
    taken = [
        counted(lab, f"osd.{i}")["osd"]["op_in_bytes"] - was["op_in_bytes"]
        for i, was in enumerate(before)
    ]
    # Ten objects of 4 MiB; in addition the journal of the metadata server.
    assert 40 * MIB <= sum(taken) < 42 * MIB and min(taken) >= 4 * MIB
    after = lab.counters(payload=True)
    for i, bytes_in in enumerate(taken):
        moved = after[f"storage{i + 2}.in"] - links[f"storage{i + 2}.in"]
        assert bytes_in < moved < 1.5 * bytes_in + MIB
    asked = counted(lab, "mds.m")["mds_server"]["req_create_latency"]["avgcount"]
    on(lab, "node2", "sh", "-c", f"for i in $(seq 50); do echo >{lab.shared}/folder/$i; done")
    now = counted(lab, "mds.m")["mds_server"]["req_create_latency"]["avgcount"]
    assert now - asked == 50


@pytest.mark.in_turn("lab")
def test_servers_know_which_node_asks(lab: Lab) -> None:
    socket = lab.folder / "ceph/mds.m.asok"
    reported = on(lab, "storage", "ceph", "--admin-daemon", socket, "session", "ls")
    hosts = {each["client_metadata"]["hostname"] for each in json.loads(reported)}
    assert hosts == set(lab.nodes)


@pytest.mark.in_turn("lab")
def test_memory_is_small_and_status_shows_every_link(lab: Lab) -> None:
    resident = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            command = (status.parent / "cmdline").read_bytes().decode(errors="replace")
            if str(lab.folder) in command and command.startswith("ceph-"):
                resident += int(status.read_text().partition("VmRSS:")[2].split()[0])
        except (OSError, IndexError):
            continue
    assert 0 < resident < 1.5 * (1 << 20)  # KiB
    stat = on(lab, "node2", "stat", "--file-system", "--format=%f %b %S", lab.shared)
    free, blocks, size = map(int, stat.split())
    assert 0.5 * GIB < free * size < blocks * size < GIB
    from jostle_lab.cli.views.lab import view
    from jostle_lab.cluster.measure import measure

    text = "\n".join(map(str, view(lab, measure(lab))))
    assert "cephfs with 2 object servers" in text


@pytest.mark.in_turn
def test_devices_have_a_rate_and_nothing_stays_of_a_killed_lab() -> None:
    spec = {"fs": "cephfs", "size": SIZE, "nodes": 1, "device_rate": "80mbit"}
    with lab_of("cephfs-kill", **spec) as made:
        begin = time.monotonic()
        on(made, "node1", *dd(made, "data", 60 * MIB, "conv=fsync"))
        # Each of two devices takes 10 MB/s.
        assert time.monotonic() - begin > 0.8 * 60 * MIB / 20e6
        assert "10 MB/s each" in str(Cephfs.status(made.state.facts["cephfs"]))
        writer = made.popen("node1", dd(made, "long", 300 * MIB))
        time.sleep(0.5)
        kill(made)
        repairs = down(made.name)
        assert f"the lab `{made.name}` had ended without `down`" in repairs
        assert writer.wait(60) != 0
        assert remains(made) == []


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"object_servers": 5}, "2 to 4"),
        ({"storage_rate": "1mbit,1mbit"}, "2 rates"),
        ({"topology": "tree:2x2"}, "network of their own"),
        ({"fs": "sshfs", "object_servers": 2}, "no object servers"),
    ],
)
def test_what_cannot_be_built_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        LabSpec(**{"fs": "cephfs", **fields})
