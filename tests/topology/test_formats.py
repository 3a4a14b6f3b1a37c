"""Every file format of fabrics: its content, its errors, and that nonsense breaks no reader."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from fabric_files import CONF, DISCOVERY, LINKS, read_texts
from hypothesis import given
from hypothesis import strategies as st

from jostle.errors import JostleError
from jostle.topology import TopologyError
from jostle.topology.formats.source import Source
from jostle.topology.node_lists import expand
from jostle.topology.reading import FORMATS, read_sources

YAML = """- topology: t1
  cluster_default: true
  tree:
    switches:
      - switch: root
        children: "s[0-1]"
      - {switch: s0, nodes: "n[1-8]"}
      - {switch: s1, nodes: ["n9", "n[10-16]"]}
- topology: t2
  torus3d:
    toruses:
      - name: pod1
        dims: {x: 4, y: 4, z: 2}
        regions:
          - {anchor: {x: 0, y: 0, z: 1}, dims: {x: 4, y: 4, z: 1}, nodes: "n[17-32]"}
          - {anchor: {x: 0, y: 0, z: 0}, dims: {x: 4, y: 4, z: 1}, nodes: "n[1-16]"}
- topology: t3
  block: {block_sizes: [4], blocks: [{block: b1, nodes: "n[1-4]"}, {block: b2, nodes: "n[5-8]"}]}
- topology: t4
  flat: true
"""


def test_node_lists() -> None:
    assert expand("n[1-3,10],login1") == ["n1", "n2", "n3", "n10", "login1"]
    assert expand("r[1-2]n[08-10]") == ["r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"]
    assert expand("n[1-2]-ib") == ["n1-ib", "n2-ib"] and expand(" ") == []
    for wrong in ("n[1-", "n]1", "n[2-1]", "n[a]", "n[1-9999999]", "n[1-999][1-999][1-999]"):
        with pytest.raises(ValueError, match="`"):
            expand(wrong)


def test_long_files_take_no_time() -> None:
    assert len(expand(",".join(f"n{k}" for k in range(200_000)))) == 200_000
    for text in ("\n" * 300_000, "Unicast lids " + "of switch " * 30_000, "a" * 300_000):
        assert not any(each.recognises(Source("file", text)) for each in FORMATS)


def test_a_tree_of_slurm(tmp_path: Path) -> None:
    (fabric,) = read_texts(tmp_path, CONF)
    assert fabric.kind == "tree" and len(fabric.adapters_of) == 8
    assert {n: int(fabric.levels[k]) for n, k in fabric.place.items() if n[0] != "n"} == {
        "leaf1": 1,
        "leaf2": 1,
        "top": 2,
    }
    assert fabric.vertices[fabric.switch_of[fabric.place["n5"]]] == "leaf2"


def test_slurm_says_what_is_doubled_and_what_is_missing(tmp_path: Path) -> None:
    text = CONF.replace("n[5-8]", "n[4-8]").replace("leaf[1-2]", "leaf[1-3]")
    (fabric,) = read_texts(tmp_path, text, "ClusterName=x\nTopologyParam=dragonfly\n")
    said = " ".join(fabric.notes)
    assert "1 nodes occur twice; the first line counts: n4 on leaf1 and leaf2." in said
    assert "1 switches are named but not described: leaf3." in said
    assert "does not say which switches are a group" in said


def test_two_trees_are_two_fabrics(tmp_path: Path) -> None:
    first, second = read_texts(tmp_path, CONF + "SwitchName=other Nodes=m[1-2]\n", name="x")
    assert (first.name, second.name) == ("x", "x-2") and set(second.hosts) == {"", "m1", "m2"}


def test_blocks_and_rings_of_slurm(tmp_path: Path) -> None:
    (blocks,) = read_texts(
        tmp_path, "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n"
    )
    assert blocks.groups.tolist() == [0, 0, 0, 1, 1, 1] and "how blocks are joined" in str(
        blocks.notes
    )
    (ring,) = read_texts(tmp_path, "RingName=ring0 Nodes=n[1-5]\n")
    assert (ring.kind, ring.sizes, ring.wraps) == ("torus", (5,), (True,))


def test_a_yaml_of_slurm(tmp_path: Path) -> None:
    tree, blocks_or_torus, third = read_texts(tmp_path, YAML)
    assert [tree.name, tree.kind] == ["t1", "tree"] and len(tree.adapters_of) == 16
    by_name = {each.name: each for each in (blocks_or_torus, third)}
    pod = by_name["t2"]
    assert pod.sizes == (4, 4, 2) and all(pod.wraps)
    # x runs fastest, as in Slurm's own tests: 1, 2, 5, 6 and 17 are neighbours.
    at = {host: pod.coordinates[k].tolist() for k, host in enumerate(pod.hosts) if host}
    assert (at["n1"], at["n2"], at["n5"], at["n17"]) == ([0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1])
    assert by_name["t3"].kind == "graph"


def test_a_csv_of_links(tmp_path: Path) -> None:
    (fabric,) = read_texts(tmp_path, LINKS)
    assert fabric.kind == "fat tree" and len(fabric.sources) == 16
    up = fabric.link_place["leaf1 > spine1"]
    assert (fabric.rates[up], fabric.lanes[up]) == (4e11, 2)
    assert "the 4 that are linked to one other vertex" in fabric.notes[0]


def test_a_csv_with_vertices_may_be_a_torus(tmp_path: Path) -> None:
    vertices = "vertex,host,x,y\n" + "".join(
        f"s{x}{y},,{x},{y}\nn{x}{y},n{x}{y},{x},{y}\n" for x in range(4) for y in range(3)
    )
    links = "source,target\n" + "".join(
        f"n{x}{y},s{x}{y}\ns{x}{y},s{(x + 1) % 4}{y}\n"
        + (f"s{x}{y},s{x}{y + 1}\n" if y < 2 else "")
        for x in range(4)
        for y in range(3)
    )
    (fabric,) = read_texts(tmp_path, vertices, links)
    assert (fabric.kind, fabric.sizes, fabric.wraps) == ("torus", (4, 3), (True, False))
    link = fabric.link_place["s30 > s00"]
    assert (fabric.link_dimensions[link], fabric.link_signs[link]) == (0, 1)
    (odd,) = read_texts(tmp_path, vertices, links + "s00,s22\n")
    assert odd.kind == "graph" and "s00 > s22" in odd.notes[-1]


def test_rails_are_planes_and_other_networks_fabrics_of_their_own(tmp_path: Path) -> None:
    nodes = "".join(f"r{r}n{n},n{n},ib{r}\n" for r in "01" for n in range(4))
    switches = "".join(f"r{r}s{s},,\n" for r in "01" for s in range(3))
    vertices = f"vertex,host,adapter\n{nodes}{switches}storage,store,\ns,,\n"
    links = "source,target\nstorage,s\n"
    links += "".join(f"r{r}n{n},r{r}s{n // 2}\n" for r in "01" for n in range(4))
    links += "".join(f"r{r}s{s},r{r}s2\n" for r in "01" for s in range(2))
    compute, storage = read_texts(tmp_path, vertices, links, name="net")
    assert sorted(set(compute.planes.tolist())) == [0, 1] and len(compute.adapters_of["n0"]) == 2
    crossing = compute.planes[compute.sources] != compute.planes[compute.targets]
    assert not crossing.any() and storage.adapters_of == {"store": (1,)}
    assert (compute.kind, compute.name, storage.name) == ("tree", "net", "net-2")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("nothing that is known", "does not know its format"),
        ("SwitchName=s1 Nodes=n[1-\n", "line 1: .*bracket"),
        ("SwitchName=s1 Nodes=n1\n\nSwitchName=s1 Nodes=n2\n", "line 3: `s1` is described twice"),
        ("SwitchName=s1 Nodes=n1\nNonsense here\n", "line 2: `Nonsense here` is not a line"),
        ("SwitchName=s1 Nodes=n1 Colour=red\n", "line 1: there is no `colour`"),
        ("SwitchName=s1 Switches=s1 Nodes=n1\n", "below itself"),
        ("SwitchName=a\n", "no switch has nodes"),
        ("- topology: t\n  flat: true\n", "no switch, block, ring or torus; flat: t"),
        ("- topology: &x t\n  tree: *x\n", "line 2: the file has an alias"),
        ("- topology: t\n  tree: [\n", "it is not YAML"),
        ("- topology: t\n  torus3d: {toruses: [{dims: {x: 2, y: 2}, nodes: n1}]}\n", "x, y and z"),
        (
            "- topology: t\n  torus3d: {toruses: [{dims: {x: 2, y: 2, z: 1}, nodes: n1}]}\n",
            "has 4 positions and 1 nodes",
        ),
        ("source,target,rate\na,b,fast\n", "line 2: `fast` is not a rate"),
        ("source,target\na,b,c\n", "line 2: the row has 3 cells, but the header has 2"),
        ("source,target\na,a\n", "two different ends"),
        ("source,target\na,b\nb,c\nc,a\n", "no node in it is linked"),
        ("source,target,colour\na,b,red\n", "no column `colour`"),
        ("source,target\n\x1b[31m,b\n", "control characters"),
    ],
)
def test_an_error_names_file_line_reason_and_fix(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=words) as caught:
        read_texts(tmp_path, text)
    assert str(tmp_path / "file0") in str(caught.value) and caught.value.hint


ARIES = """c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l10(0:0:1)
c0-0c0s1a0l10(0:0:1) green -> c0-0c0s0a0l00(0:0:0)
c0-0c0s1a0l50(0:0:1) ptile -> processor
"""
PROCESSORS = """# nodes
cpu=0,slot=0,cage=0,cab_position=0,cab_row=0,processor_id=1
cpu=1,slot=1,cage=0,cab_position=0,cab_row=0,processor_id=2
"""
TABLES = """Unicast lids [0x0-0xd] of switch Lid 1 guid 0x00000000000000a1 (leaf):
0x000b 001 : (a node)
0x000d 003
"""
BOXFISH = """---
key: A
hardware: {network: torus, dim: {x: 3, y: 1}}
---
- [sx, int32]
- [sy, int32]
- [tx, int32]
- [ty, int32]
...
0 0 1 0
1 0 2 0
"""
#: Files that belong together, of every kind.
EXAMPLES = (
    (CONF, "ClusterName=x\nTopologyParam=dragonfly\n"),
    ("RingName=r Nodes=n[1-4]\n",),
    (YAML,),
    (LINKS,),
    ("vertex,host,x\na,a,0\ns,,0\nt,,1\n", "source,target\na,s\ns,t\n"),
    (DISCOVERY.replace("NAME", "n2 HCA-1"), TABLES),
    (ARIES, PROCESSORS),
    (BOXFISH,),
    ("sg,sr,sc,dg,dr,dc\n0,0,0,1,0,0\n", "g,r,c,n,core,jobid\n0,0,0,0,0,7\n"),
    ("R00 <0,0,0,0,0>\nR01 <1,0,0,0,0>\n",),
    ("0 0 0 1\n1 0 0 1\n",),
    ("a,b,latency_ns\nn1,n2,1500\nn1,n3,2500\nn2,n3,2500\n",),
)


@pytest.mark.parametrize("texts", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_are_fabrics(texts: tuple[str, ...]) -> None:
    assert read_sources([Source(f"file{k}", text) for k, text in enumerate(texts)], "fabric")


@given(data=st.data(), example=st.sampled_from(EXAMPLES))
def test_what_is_nearly_right_breaks_no_reader(
    data: st.DataObject, example: tuple[str, ...]
) -> None:
    texts = list(example)
    pieces = [*" \n,[]{}():=->\0\x1b\u2028", "99999999999", "-1", "0x", *"".join(example).split()]
    for _ in range(data.draw(st.integers(1, 6))):
        which = data.draw(st.integers(0, len(texts) - 1))
        begin = data.draw(st.integers(0, len(texts[which])))
        length = data.draw(st.sampled_from([0, 0, 1, 3, 30]))
        piece = data.draw(st.sampled_from(pieces) | st.text(max_size=4))
        texts[which] = texts[which][:begin] + piece + texts[which][begin + length :]
    with contextlib.suppress(JostleError):
        read_sources([Source(f"file{k}", text) for k, text in enumerate(texts)], "fabric")


@given(words=st.lists(st.text(max_size=6), max_size=20))
def test_noise_breaks_no_reader(words: list[str]) -> None:
    source = Source("file", " ".join(words))
    for each in FORMATS:
        each.recognises(source)
        with contextlib.suppress(JostleError, ValueError):
            each.read([source], "fabric")
