"""A limited disk as a lab's shared file system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_parts import MIB, dd, kill, lab_of, on, rate, remains, together

from jostle_lab.cluster import Lab, throttle
from jostle_lab.cluster.lab import down

RATE = 80e6 / 8


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with lab_of("loop", fs="loop", storage_rate="80mbit") as made:
        yield made


def rules(lab: Lab) -> list[str]:
    """The limits that are in force for the lab's device."""
    facts = lab.state.facts["loop"]["limit"]
    root = throttle._root(facts["version"])
    if root is None:
        return []
    files = [*root.glob("blkio.throttle.*_bps_device"), *(root / facts["group"]).glob("io.max")]
    return [
        line
        for file in files
        for line in file.read_text().splitlines()
        if line.startswith(f"{facts['devices'][0]} ")
    ]


@pytest.mark.in_turn("lab")
def test_nodes_see_the_same_files(lab: Lab) -> None:
    on(lab, "node1", "sh", "-c", f"echo hello >{lab.shared}/word")
    assert on(lab, "node2", "cat", lab.shared / "word") == "hello\n"


@pytest.mark.in_turn("lab")
def test_mounts_name_one_resource(lab: Lab) -> None:
    for node in lab.nodes:
        table = on(lab, node, "cat", "/proc/self/mountinfo").splitlines()
        (line,) = (line for line in table if f" {lab.shared} " in line)
        assert line.split(" - ")[1].split()[:2] == ["ext4", f"{lab.folder}/dev/disk"]


@pytest.mark.in_turn("lab")
def test_the_disk_is_counted_and_limited(lab: Lab) -> None:
    before = lab.counters()
    said = on(lab, "node1", "sh", "-c", " ".join(dd(lab, "data", 20 * MIB, "oflag=direct 2>&1")))
    after = lab.counters()
    assert 0.999 < (after["disk.written"] - before["disk.written"]) / (20 * MIB) < 1.01
    assert rate(said) < 1.2 * RATE
    assert after["storage.in"] - before["storage.in"] < MIB, "nothing goes over a link"


@pytest.mark.in_turn("lab")
def test_buffered_writes_do_not_escape(lab: Lab) -> None:
    words = " ".join(dd(lab, "buffered", 20 * MIB, "conv=fsync 2>&1"))
    assert rate(on(lab, "node1", "sh", "-c", words)) < 1.2 * RATE


@pytest.mark.in_turn("lab")
@pytest.mark.tries(3)
def test_two_nodes_share_the_disk(lab: Lab) -> None:
    rates = together(lab, *((node, dd(lab, node, 16 * MIB, "oflag=direct")) for node in lab.nodes))
    assert sum(rates) < 1.2 * RATE
    assert 0.6 < rates[0] / rates[1] < 1.7


@pytest.mark.in_turn
@pytest.mark.parametrize("store", ["ram", "disk"])
@pytest.mark.parametrize("ending", ["down", "kill"])
def test_nothing_stays(ending: str, store: str) -> None:
    """Device, image and limit are gone, also when much was still to be written."""
    with lab_of(f"loop-{ending}-{store}", fs="loop", store=store, storage_rate="80mbit") as made:
        assert rules(made)
        on(made, "node1", *dd(made, "unwritten", 24 * MIB))
        if ending == "kill":
            kill(made)
            fixed = down(made.name)
            assert fixed[0] == f"the lab `{made.name}` had ended without `down`"
            assert any("the limit of block device" in line for line in fixed)
        else:
            assert made.down() == []
        device = made.state.facts["loop"]["device"]
        assert remains(made) == []
        assert rules(made) == []
        assert not Path(f"/sys/block/{device}/loop/backing_file").exists()
