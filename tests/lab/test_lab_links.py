"""The links: what flows is counted, shared as promised, and stays inside."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from lab_tools import NAME, host_traffic, mpi_program, on, patient_with

from jostle.lab import Lab, LabSpec, up

MIB = 1 << 20


def together(lab: Lab, writers: Sequence[tuple[str, str]], seconds: float = 3) -> list[int]:
    """Direct writes of several processes for the same time; bytes that each has written."""
    running = [
        lab.popen(
            node,
            ["timeout", "-s", "INT", str(seconds), "dd", "if=/dev/zero",
             f"of={lab.shared}/{name}", "bs=256k", "oflag=direct"],
            stderr=subprocess.PIPE, text=True,
        )
        for node, name in writers
    ]  # fmt: skip
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


@pytest.mark.tries(3)
def test_two_nodes_get_half_each(wide: Lab) -> None:
    one, two = together(wide, [("node1", "a"), ("node2", "b")])
    assert one / (one + two) == pytest.approx(0.5, abs=0.07)
    left, right = together(wide, [("node2", "a"), ("node3", "b")])  # on different leaves
    assert left / (left + right) == pytest.approx(0.5, abs=0.07)


@pytest.mark.tries(3)
def test_one_mount_is_shared_by_processes(wide: Lab) -> None:
    *four, one = together(wide, [("node1", f"f{number}") for number in range(5)])
    assert sum(four) / (sum(four) + one) == pytest.approx(0.8, abs=0.07)


@pytest.mark.tries(3)  # the machine's own interfaces may be somebody else's just then
def test_the_link_has_its_rate_and_counts_every_byte(wide: Lab) -> None:
    before, begin = wide.counters(payload=True), time.monotonic()
    raw = wide.counters()
    amount = 60 * MIB
    outside = host_traffic()
    on(wide, "node2", f"dd if=/dev/zero of={wide.shared}/x bs=1M count=60 oflag=direct")
    seconds = time.monotonic() - begin
    after = wide.counters(payload=True)
    moved = {key: after[key] - before[key] for key in after}
    assert moved["storage.in"] == pytest.approx(amount, rel=0.01)
    assert moved["node2.out"] == pytest.approx(moved["storage.in"], rel=1e-3, abs=2000)
    assert moved["node1.out"] < 100_000 and moved["uplink.right"] < 100_000
    wire = wide.counters()["storage.in"] - raw["storage.in"]
    assert wire == pytest.approx(amount * 1514 / 1448, rel=0.01)  # with the headers of Ethernet
    assert wire * 8 / seconds < 410e6
    # What the machine's own interfaces saw meanwhile is not this traffic.
    inside = host_traffic()
    assert set(inside) == set(outside)
    assert max(inside[name] - outside[name] for name in inside) < amount / 4
    # Reading goes the other way.
    before = wide.counters(payload=True)
    on(wide, "node3", f"dd if={wide.shared}/x of=/dev/null bs=1M iflag=direct")
    after = wide.counters(payload=True)
    assert after["storage.out"] - before["storage.out"] == pytest.approx(amount, rel=0.01)
    assert after["node3.in"] - before["node3.in"] == pytest.approx(amount, rel=0.01)
    on(wide, "node1", f"rm {wide.shared}/x")


def test_no_way_out(lab: Lab) -> None:
    routes = on(lab, "node1", "ip -br route; ip -br link")
    assert "default" not in routes and "eth2" not in routes
    out = subprocess.run(
        lab.command("node1", ["bash", "-c", "exec 3<>/dev/tcp/192.0.2.1/80"]),
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert out.returncode != 0 and "unreachable" in out.stderr


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_ranks_of_both_mpis_meet_over_the_uplink(
    lab: Lab, mpi: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = mpi_program(mpi, tmp_path_factory.getbasetemp())
    length, times = 1_000_000, 10
    preload = "yes" if mpi == "mpich" else "no"  # what lets MPICH end
    before = lab.counters(payload=True)
    command = lab.mpirun(
        mpi, [("node2", 1), ("node3", 1)], [str(program), str(length), str(times)],
        env={"WORD": "one two"},
    )  # fmt: skip
    with patient_with(mpi):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"rank 0 on node2 word=one two preload={preload}",
        f"rank 1 on node3 word=one two preload={preload}",
    ]
    after = lab.counters(payload=True)
    moved = {key: after[key] - before[key] for key in after}
    # What a launcher says to its daemons is small beside it.
    assert moved["uplink.right"] == pytest.approx(length * times, rel=0.03)
    assert moved["node3.mpi.in"] == pytest.approx(length * times, rel=0.03)
    assert moved["uplink.left"] < length * times / 20
    assert moved["storage.in"] < 100_000


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_many_ranks_in_order(lab: Lab, mpi: str, tmp_path: Path) -> None:
    program = mpi_program(mpi, tmp_path)
    command = lab.mpirun(mpi, {"node4": 2, "node1": 1, "node2": 2}, [str(program)], cwd=tmp_path)
    with patient_with(mpi):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    hosts = [line.split()[3] for line in done.stdout.splitlines()]
    assert hosts == ["node4", "node4", "node1", "node2", "node2"]
