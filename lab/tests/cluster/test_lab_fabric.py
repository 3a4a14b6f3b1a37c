"""Labs with a topology: traffic of a program crosses the links of its route, and no others."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from lab_parts import lab_of
from lab_tools import Traffic

from jostle import NativeMissingError, native_path
from jostle.errors import UsageError
from jostle.network import link_loads, routes_of
from jostle.repository import Repository
from jostle_lab.cluster import Lab, LabSpec, fabric
from jostle_lab.cluster.checks import check_machine
from jostle_lab.signals import program, read_log

MIB = 1 << 20
SLICE_NS = 500_000_000


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("tree:2x2", 4),
        ("tree:2x2x2", 6),
        ("torus:2x2x2", 5),
        ("torus:5x3", 5),
        ("torus:4x4", 6),
        ("dragonfly:2x2x2", 5),
        ("dragonfly:4x2x1", 5),
    ],
)
def test_every_node_reaches_every_other(text: str, longest: int) -> None:
    shape = fabric.topology(LabSpec(topology=text))
    nodes = np.flatnonzero(~shape.is_switch).tolist()
    ways = [fabric.way(shape, a, b) for a in nodes for b in nodes if a != b]
    assert max(map(len, ways)) == longest
    routed = routes_of(shape, *np.array([(a, b) for a in nodes for b in nodes if a != b]).T)
    assert [sorted(row.indices) for row in routed.low] == [sorted(links) for links in ways]
    for links in ways:
        assert len({*shape.targets[links].tolist()}) == len(links)  # no switch twice


def test_torus_goes_dimension_by_dimension_the_shorter_way() -> None:
    shape = fabric.topology(LabSpec(topology="torus:4x4"))
    links = fabric.way(shape, shape.place["node1"], shape.place["node12"])  # at (2, 3)
    assert [shape.link_name(link) for link in links[1:-1]] == [
        "s0-0 > s1-0",
        "s1-0 > s2-0",
        "s2-0 > s2-3",
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"topology": "torus:1x4"},
        {"topology": "tree:4"},
        {"topology": "ring:4"},
        {"topology": "tree:9x9"},
        {"storage_at": "leaf1"},
        {"topology": "tree:2x2", "storage_at": "leaf1", "fs": "plain"},
        {"store": "both", "fs": "gluster"},
    ],
)
def test_what_cannot_be_built_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        LabSpec(**fields)  # type: ignore[arg-type]


def test_a_switch_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="leaf3"):
        check_machine(LabSpec(topology="tree:2x2", storage_at="leaf3"))


def send(lab: Lab, folder: Path, *nodes: str, profiled: bool = False) -> list[int]:
    """Let the first node and the second send to each other; return what each has sent."""
    try:
        path = program("openmpi")
    except NativeMissingError as error:
        pytest.skip(str(error))
    words = [
        str(path),
        "ping",
        "--chunk",
        "512KiB",
        "--volume",
        "8MiB",
        "--quiet",
        "--log",
        str(folder),
    ]
    env = {}
    if profiled:
        words = [
            str(native_path("jostle-run")),
            "--job",
            "load",
            "--spool",
            str(lab.here / "spool"),
            "--slice",
            "500ms",
            "--",
            *words,
        ]
        env = {"JOSTLE": "on"}
    done = subprocess.run(
        lab.mpirun("openmpi", dict.fromkeys(nodes, 1), words, env, cwd="/"),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    sent = read_log(folder).processes["bytes"].to_pylist()
    assert sum(sent) == 8 * MIB
    return sent


@pytest.mark.in_turn
@pytest.mark.tries(2)
@pytest.mark.parametrize("text", ["tree:2x2", "torus:2x2x2", "dragonfly:2x2x2"])
def test_messages_take_the_links_that_the_topology_says(text: str, tmp_path: Path) -> None:
    with lab_of("fabric", topology=text, size="64MiB") as lab:
        shape = lab.topology()
        assert shape is not None and shape.valid_from_ns == lab.state.begun_ns
        first, last = lab.nodes[0], lab.nodes[-1]
        traffic = Traffic(lab)
        sent = send(lab, tmp_path, first, last)
        moved = traffic.carried()
        ends = shape.place[first], shape.place[last]
        wanted = np.zeros(len(shape.sources))
        wanted[fabric.way(shape, *ends)] += sent[0]
        wanted[fabric.way(shape, *ends[::-1])] += sent[1]
        for link, amount in enumerate(wanted):
            reported = moved[shape.link_name(link)]
            assert reported.is_of(amount) if amount else reported.bytes < 20_000, shape.link_name(
                link
            )


@pytest.mark.in_turn
@pytest.mark.tries(2)
@pytest.mark.parametrize("text", ["tree:2x2", "torus:2x2x2"])
def test_routed_loads_are_what_ports_counted_and_what_was_sent(
    text: str, tmp_path: Path, library: Path
) -> None:
    with lab_of("ports", topology=text, slurm=True, agents="500ms", size="64MiB") as lab:
        shape = lab.topology()
        assert shape is not None
        nodes = lab.nodes[0], lab.nodes[-1]
        sent = send(lab, tmp_path / "log", *nodes, profiled=True)
        time.sleep(1.1)  # the slice in which it ended is written
        store = Repository(tmp_path / "repository", create=True)
        store.ingest([lab.folder / "local" / host / "spool" for host in ("switches", *nodes)])
    job = store.alongside("load").job
    begin, length = job.start_ns // SLICE_NS * SLICE_NS - SLICE_NS, job.end_ns - job.start_ns
    axis = begin, SLICE_NS, length // SLICE_NS + 4
    span = begin, begin + axis[2] * SLICE_NS
    loads = link_loads(shape, store.traffic(span), axis, store.port_counters(span))
    wanted = np.zeros(len(shape.sources))
    ends = shape.place[nodes[0]], shape.place[nodes[1]]
    wanted[fabric.way(shape, *ends)] += sent[0]
    wanted[fabric.way(shape, *ends[::-1])] += sent[1]
    assert np.asarray(loads.low.sum(axis=0)).ravel() == pytest.approx(wanted, rel=0.001)
    counted = np.asarray(loads.measured.sum(axis=0)).ravel()
    used = wanted > 0
    assert loads.is_measured[used].all()
    # Ports count headers, and what was sent again.
    assert (counted[used] > wanted[used]).all() and (counted[used] < 1.2 * wanted[used]).all()
    assert (counted[~used] < 100_000).all()


@pytest.mark.in_turn
@pytest.mark.tries(2)
def test_files_cross_the_fabric_where_the_storage_is_on_it(tmp_path: Path) -> None:
    with lab_of("files", topology="tree:2x2", storage_at="leaf2", size="64MiB") as lab:
        shape = lab.topology()
        assert shape is not None and "storage" in shape.place
        traffic = Traffic(lab)
        words = ["dd", "if=/dev/zero", f"of={lab.shared}/x", "bs=1M", "count=12", "oflag=direct"]
        done = subprocess.run(lab.command("node1", words, cwd="/"), capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        moved = traffic.carried()
        for link in ("node1 > leaf1", "leaf1 > spine1", "spine1 > leaf2", "leaf2 > storage"):
            assert moved[link].is_of(12 * MIB), (link, moved[link])
        assert moved["storage.in"].is_of(12 * MIB)
        assert moved["node2 > leaf1"].bytes < 10_000
