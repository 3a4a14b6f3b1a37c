"""Discoveries and forwarding tables, as the real tools print them of simulated fabrics."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from fabric_files import DISCOVERY, read_texts
from ibsim import Net, join, missing, simulated, torus_net, tree_net

from jostle.topology import LINK_KINDS, Topology, TopologyError
from jostle.topology.store import same_content

needs_ibsim = pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")


def discovered(net: Net, folder: Path, engine: str) -> Topology:
    """The fabric of a simulated network, with the tables that opensm made for it."""
    with simulated(net, folder, engine) as run:
        (fabric,) = read_texts(folder, run("ibnetdiscover"), run("dump_lfts", "-n"), name="ib")
    return fabric


def lengths(fabric: Topology) -> list[int]:
    """Links between switches from each node to each other, by following the tables."""
    count = []
    nodes = np.flatnonzero(~fabric.is_switch)
    for source in nodes:
        for target in nodes:
            here, steps = fabric.switch_of[source], 0
            while here != target:
                link = fabric.forwarding[here][target]
                assert link >= 0 and fabric.sources[link] == here
                here, steps = fabric.targets[link], steps + 1
            count.append(steps - 1)
    return count


@needs_ibsim
def test_a_fat_tree_of_three_levels(tmp_path: Path) -> None:
    fabric = discovered(tree_net(), tmp_path, "ftree")
    assert (fabric.kind, fabric.notes) == ("fat tree", ())
    level = {name: int(fabric.levels[place]) for name, place in fabric.place.items()}
    assert (level["leaf1"], level["spine4"], level["core2"], level["node01"]) == (1, 2, 3, 0)
    assert fabric.adapters_of["node01"] == (fabric.place["node01"],)
    both = [fabric.vertices[place] for place in fabric.adapters_of["node08"]]
    assert both == ["node08/mlx5_0", "node08/mlx5_1"]
    cable = fabric.link_place["leaf1[10] > spine1[1]"]  # one of two
    assert fabric.rates[cable] == 8e9 and LINK_KINDS[fabric.link_kinds[cable]] == "up"
    assert len(fabric.forwarding) == 10 and set(lengths(fabric)) == {0, 2, 4}


@needs_ibsim
@pytest.mark.parametrize("sizes", [(4, 3, 3), (5, 2)])
def test_a_torus_by_its_ports(sizes: tuple[int, ...], tmp_path: Path) -> None:
    net = torus_net(sizes)
    fabric = discovered(net, tmp_path, "dor")
    assert (fabric.kind, fabric.sizes) == ("torus", sizes)
    assert fabric.wraps == tuple(size > 2 for size in sizes)
    for name, place in fabric.place.items():
        if name.startswith("sw"):
            own = fabric.coordinates[place]
            assert "sw" + "-".join(map(str, own)) == name  # names sort by coordinates
    distance = [
        sum(min(abs(a - b), n - abs(a - b)) for a, b, n in zip(s, t, sizes, strict=True))
        for s in fabric.coordinates[~fabric.is_switch]
        for t in fabric.coordinates[~fabric.is_switch]
    ]
    assert lengths(fabric) == distance  # opensm's routes are the shortest


@needs_ibsim
def test_two_rails_are_two_planes_with_tables_of_their_own(tmp_path: Path) -> None:
    texts = []
    for rail in "01":
        net: Net = {}
        for k in range(4):
            join(net, f"n{k} mlx5_{rail}", 1, f"rail{rail}leaf{k // 2}", k + 1)
        for k in range(2):
            join(net, f"rail{rail}leaf{k}", 10, f"rail{rail}spine", k + 1)
        (tmp_path / rail).mkdir()
        with simulated(net, tmp_path / rail, "ftree") as run:
            # ibsim numbers devices alike in each fabric; real ones differ
            texts += [
                run(tool)
                .replace("00000000002", f"0000000{rail}002")
                .replace("00000000001", f"0000000{rail}001")
                for tool in ("ibnetdiscover", "dump_lfts")
            ]
    (fabric,) = read_texts(tmp_path, *texts, name="ib")
    assert sorted(set(fabric.planes.tolist())) == [0, 1] and len(fabric.forwarding) == 6
    for switch, table in fabric.forwarding.items():
        targets = np.flatnonzero(table >= 0)
        assert len(targets) == 4 and set(fabric.planes[targets]) == {fabric.planes[switch]}


def test_the_order_of_a_discovery_does_not_matter(tmp_path: Path) -> None:
    (one,) = read_texts(tmp_path, DISCOVERY.replace("NAME", "n2 HCA-1"))
    parts = DISCOVERY.replace("NAME", "n2 HCA-1").split("\n\n")
    (other,) = read_texts(tmp_path, "\n\n".join(reversed(parts)) + "\n")
    assert same_content(one, other)


def test_ports_of_one_adapter_are_apart(tmp_path: Path) -> None:
    (fabric,) = read_texts(tmp_path, DISCOVERY.replace("NAME", "n2 HCA-1"))
    names = [fabric.vertices[place] for place in fabric.adapters_of["n2"]]
    assert names == ["n2/HCA-1:1", "n2/HCA-1:2"]
    rates = {fabric.link_name(k): fabric.rates[k] for k in range(len(fabric.sources))}
    assert rates["n1 > leaf"] == 1e11 and rates["n2/HCA-1:1 > leaf"] == 2e11
    assert rates["n2/HCA-1:2 > spine"] == 2e11 and rates["leaf > spine"] == 8e9


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("MT25408 ConnectX Mellanox Technologies", "have no node name .*: H-0000000000000002"),
        ("localhost HCA-1", "have no node name"),
        ("Mellanox Technologies Aggregation Node", "aggregation nodes within switches were left"),
    ],
)
def test_what_has_no_name_is_said(name: str, words: str, tmp_path: Path) -> None:
    (fabric,) = read_texts(tmp_path, DISCOVERY.replace("NAME", name))
    assert any(re.search(words, note) for note in fabric.notes), fabric.notes
    assert name not in fabric.adapters_of


def test_doubled_names_are_said_and_kept_apart(tmp_path: Path) -> None:
    (fabric,) = read_texts(
        tmp_path, DISCOVERY.replace("NAME", "n1 HCA-1").replace("[2](22)", "[3](22)")
    )
    assert any("cannot be distinguished: n1" in note for note in fabric.notes)
    assert len(fabric.adapters_of["n1"]) == 3


def test_hosts_gives_nodes_their_names(tmp_path: Path) -> None:
    from jostle.topology.reading import read_files

    (tmp_path / "ib").write_text(DISCOVERY.replace("NAME", "localhost HCA-1"))
    (tmp_path / "hosts").write_text("name,host\nH-0000000000000002,n2\nnix,n3\n")
    (fabric,) = read_files([tmp_path / "ib"], hosts=tmp_path / "hosts")
    assert set(fabric.adapters_of) == {"n1", "n2"}
    assert "names 1 nodes that the fabric does not have: nix" in fabric.notes[-1]
    (tmp_path / "hosts").write_text("*,*.site\nH-0000000000000002,n2\n")
    (fabric,) = read_files([tmp_path / "ib"], hosts=tmp_path / "hosts")
    assert set(fabric.adapters_of) == {"n1.site", "n2"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DISCOVERY + "[9] nonsense\n", "line 17: .*not a port of a device"),
        (DISCOVERY + DISCOVERY, "`S-00000000000000a1` is described twice"),
        ("Unicast lids [0x0-0x2] of switch Lid 1 guid 0xa1 (leaf):\n0x1 1\n", "no discovery"),
        (
            DISCOVERY + "Unicast lids [0x0-0x2] of switch Lid 1 guid 0xa1 (leaf):\n0xfffff 001\n",
            "not a row of a forwarding table",
        ),
    ],
)
def test_errors_name_the_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=words):
        read_texts(tmp_path, text)
