"""The links: traffic is counted, limited as configured, and stays inside."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from lab_tools import NAME, Carried, Traffic, host_traffic, mpi_program, on, patient_with

from jostle_lab.cluster import Lab, LabSpec, up

MIB = 1 << 20


def together(lab: Lab, writers: Sequence[tuple[str, str]], seconds: float = 3) -> list[int]:
    """Direct writes of several processes for the same time; bytes that each has written."""
    running = [
        lab.popen(
            node,
            [
                "timeout",
                "-s",
                "INT",
                str(seconds),
                "dd",
                "if=/dev/zero",
                f"of={lab.shared}/{name}",
                "bs=256k",
                "oflag=direct",
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        for node, name in writers
    ]
    words = [process.communicate()[1] for process in running]
    on(lab, "node1", f"rm -f {lab.shared}/*")
    counts = [re.search(r"(\d+) bytes", text) for text in words]
    assert all(counts), words
    return [int(count[1]) for count in counts if count]


@pytest.fixture(scope="module")
def wide(can_lab: None) -> object:
    """A lab with room enough to write for seconds."""
    made = up(LabSpec(name=f"{NAME}-w", nodes=3, size="1GiB"))
    yield made
    made.down()


@pytest.mark.in_turn("wide")
@pytest.mark.tries(3)
def test_two_nodes_get_half_each(wide: Lab) -> None:
    one, two = together(wide, [("node1", "a"), ("node2", "b")])
    assert one / (one + two) == pytest.approx(0.5, abs=0.07)
    left, right = together(wide, [("node2", "a"), ("node3", "b")])  # on different leaves
    assert left / (left + right) == pytest.approx(0.5, abs=0.07)


@pytest.mark.in_turn("wide")
@pytest.mark.tries(3)
def test_one_mount_is_shared_by_processes(wide: Lab) -> None:
    *four, one = together(wide, [("node1", f"f{number}") for number in range(5)])
    assert sum(four) / (sum(four) + one) == pytest.approx(0.8, abs=0.07)


@pytest.mark.in_turn("wide")
@pytest.mark.tries(3)  # the machine's own interfaces may be somebody else's just then
def test_the_link_has_its_rate_and_counts_every_byte(wide: Lab) -> None:
    traffic, begin = Traffic(wide), time.monotonic()
    raw = wide.counters()
    amount = 60 * MIB
    outside = host_traffic()
    on(wide, "node2", f"dd if=/dev/zero of={wide.shared}/x bs=1M count=60 oflag=direct")
    seconds = time.monotonic() - begin
    moved = traffic.carried()
    wire = wide.counters()["storage.in"] - raw["storage.in"]
    assert moved["storage.in"].is_of(amount) and moved["node2.out"].is_of(amount), moved
    assert moved["node1.out"].bytes < 100_000 and moved["uplink.right"].bytes < 100_000
    with_headers = 1514 / 1448  # of Ethernet
    assert Carried(wire, moved["storage.in"].again).is_of(amount * with_headers)
    assert wire * 8 / seconds < 410e6
    # What the machine's own interfaces saw meanwhile is not this traffic.
    inside = host_traffic()
    assert set(inside) == set(outside)
    assert max(inside[name] - outside[name] for name in inside) < amount / 4
    # Reading goes the other way.
    traffic = Traffic(wide)
    on(wide, "node3", f"dd if={wide.shared}/x of=/dev/null bs=1M iflag=direct")
    moved = traffic.carried()
    assert moved["storage.out"].is_of(amount) and moved["node3.in"].is_of(amount), moved
    on(wide, "node1", f"rm {wide.shared}/x")


def test_no_way_out(lab: Lab) -> None:
    routes = on(lab, "node1", "ip -br route; ip -br link")
    assert "default" not in routes and "eth2" not in routes
    out = subprocess.run(
        lab.command("node1", ["bash", "-c", "exec 3<>/dev/tcp/192.0.2.1/80"]),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert out.returncode != 0 and "unreachable" in out.stderr


@pytest.mark.in_turn
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks_of_both_mpis_meet_over_the_uplink(
    lab: Lab, mpi: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = mpi_program(mpi, tmp_path_factory.getbasetemp())
    length, times = 1_000_000, 10
    preload = "yes" if mpi == "mpich" else "no"  # what lets MPICH end
    traffic = Traffic(lab)
    command = lab.mpirun(
        mpi,
        [("node2", 1), ("node3", 1)],
        [str(program), str(length), str(times)],
        env={"WORD": "one two"},
    )
    with patient_with(mpi):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"rank 0 on node2 word=one two preload={preload}",
        f"rank 1 on node3 word=one two preload={preload}",
    ]
    moved = traffic.carried()
    # What a launcher says to its daemons is small compared with it.
    for link in ("uplink.right", "node3.mpi.in"):
        assert moved[link].is_of(length * times, rel=0.03), moved[link]
    assert moved["uplink.left"].bytes < length * times / 20
    assert moved["storage.in"].bytes < 100_000


@pytest.mark.in_turn
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_many_ranks_in_order(lab: Lab, mpi: str, tmp_path: Path) -> None:
    program = mpi_program(mpi, tmp_path)
    command = lab.mpirun(mpi, {"node4": 2, "node1": 1, "node2": 2}, [str(program)], cwd=tmp_path)
    with patient_with(mpi):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    hosts = [line.split()[3] for line in done.stdout.splitlines()]
    assert hosts == ["node4", "node4", "node1", "node2", "node2"]
