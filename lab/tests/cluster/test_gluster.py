"""GlusterFS as a lab's shared file system."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lab_parts import MIB, dd, kill, lab_of, mounts, on, remains, together

from jostle_lab.cluster import Lab
from jostle_lab.cluster.lab import down


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with lab_of("gluster", fs="gluster") as made:
        yield made


@pytest.mark.in_turn("lab")
def test_nodes_see_the_same_files(lab: Lab) -> None:
    on(lab, "node1", "sh", "-c", f"echo hello >{lab.shared}/word; mkdir {lab.shared}/folder")
    assert on(lab, "node2", "cat", lab.shared / "word") == "hello\n"
    on(lab, "node2", "mv", lab.shared / "word", lab.shared / "folder/word")
    assert on(lab, "node1", "ls", lab.shared / "folder") == "word\n"


@pytest.mark.in_turn("lab")
def test_mounts_name_one_resource(lab: Lab) -> None:
    assert mounts(lab) == {("fuse.glusterfs", f"glusterfs:storage.{lab.name}:/")}


@pytest.mark.in_turn("lab")
def test_bytes_go_over_the_link_once(lab: Lab) -> None:
    """Written bytes are on the link when the program ends, and only in one direction."""
    before = lab.counters()
    on(lab, "node1", *dd(lab, "data", 20 * MIB, "oflag=direct"))
    after = lab.counters()
    moved = {key: after[key] - before[key] for key in after}
    # What the storage's queue drops has left the node all the same; the other node says a word
    # now and then, and counters are read one after the other.
    assert 20 * MIB < moved["storage.in"] < moved["node1.out"] + MIB / 10
    assert moved["node1.out"] < 1.1 * 20 * MIB
    assert moved["storage.out"] < MIB
    assert moved["node2.out"] < MIB


@pytest.mark.in_turn("lab")
def test_the_page_cache_stays_out(lab: Lab) -> None:
    """A file that has just been read comes over the link again."""
    on(lab, "node1", *dd(lab, "again", 4 * MIB))
    for _ in range(2):
        before = lab.counters()["node1.in"]
        on(lab, "node1", "cat", lab.shared / "again")
        assert lab.counters()["node1.in"] - before > 4 * MIB


@pytest.mark.in_turn("lab")
@pytest.mark.tries(3)
def test_two_nodes_share_the_link(lab: Lab) -> None:
    rates = together(lab, *((node, dd(lab, node, 16 * MIB, "oflag=direct")) for node in lab.nodes))
    assert sum(rates) < 1.1 * 50e6  # 400 Mbit/s
    assert 0.6 < rates[0] / rates[1] < 1.7


@pytest.mark.in_turn
def test_several_servers_have_links_and_files_of_their_own() -> None:
    with lab_of(
        "servers", fs="gluster", queue="fifo", nodes=3, storage_rate="400mbit,400mbit,40mbit"
    ) as made:
        assert made.spec.server_names == ("storage", "storage2", "storage3")
        for number, node in enumerate(made.nodes, 1):
            script = f"for k in 1 2 3 4; do echo {number} >{made.shared}/by-node/{number}.$k; done"
            on(made, node, "sh", "-c", script)
        store = made.folder / "store"
        for number, server in enumerate(made.spec.server_names, 1):
            own = f"cat {store}/{server}-by-node/*.*"
            assert set(on(made, server, "sh", "-c", own).split()) == {str(number)}
        for number in range(30):
            on(made, "node1", "touch", made.shared / f"by-name/{number}")
        shares = [
            len(
                on(
                    made,
                    server,
                    "sh",
                    "-c",
                    f"find {store}/{server}-by-name/by-name -perm -0200 -type f",
                ).split()
            )
            for server in made.spec.server_names
        ]
        assert sum(shares) == 30 and max(shares) < 30
        before = made.counters()
        fast, _, slow_rate = together(
            made,
            *((node, dd(made, f"by-node/{node}", 4 * MIB, "oflag=direct")) for node in made.nodes),
        )
        after = made.counters()
        assert slow_rate < 5e6 and fast > 1.5 * slow_rate
        for server in made.spec.server_names:
            moved = after[f"{server}.in"] - before[f"{server}.in"]
            assert 4 * MIB < moved < 6 * MIB, server
        assert made.down() == []
        assert remains(made) == []


@pytest.mark.in_turn
@pytest.mark.parametrize("ending", ["down", "kill"])
def test_nothing_stays(ending: str) -> None:
    with lab_of(f"gluster-{ending}", fs="gluster") as made:
        writer = made.popen("node1", dd(made, "long", 200 * MIB))
        if ending == "kill":
            kill(made)
            assert down(made.name)[0] == f"the lab `{made.name}` had ended without `down`"
        else:
            assert made.down() == []
        assert writer.wait(60) != 0
        assert remains(made) == []
