"""Files of Cray, Slingshot, Blue Gene, DragonView and Boxfish, written in their formats."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fabric_files import read_texts

from jostle.topology import LINK_KINDS, TopologyError


def aries(groups: int = 3, rows: int = 2, columns: int = 3) -> Iterator[str]:
    """Lines of `rtr --interconnect`: rows and columns all joined, a blue link per two groups.

    Two green tiles join two routers of a chassis.
    """
    routers = list(itertools.product(range(groups), range(rows), range(columns)))

    def end(at: tuple[int, ...], tile: int) -> str:
        return f"c{at[0]}-0c{at[1]}s{at[2]}a0l{tile:02d}({at[0]}:{at[1]}:{at[2]})"

    for a, b in itertools.permutations(routers, 2):
        if a[:2] == b[:2]:
            yield from (f"{end(a, t)} green -> {end(b, t)}" for t in range(2))
        elif a[0] == b[0] and a[2] == b[2]:
            yield f"{end(a, 10)} black -> {end(b, 10)}"
        elif (a[0] != b[0]) and a[1:] == b[1:] == (0, 0):
            yield f"{end(a, 20)} blue -> {end(b, 20)}"
    for at in routers:
        yield f"{end(at, 50)} ptile -> processor"
        yield f"{end(at, 30)} blue -> unused"


def processors(groups: int = 3, rows: int = 2, columns: int = 3) -> Iterator[str]:
    """Lines of xtdb2proc: four nodes at each router."""
    yield "# a table"
    places = itertools.product(range(groups), range(rows), range(columns), range(4))
    for number, (group, row, column, cpu) in enumerate(places):
        yield (
            f"cpu={cpu},slot={column},cage={row},cabinet=null,cab_position={group},cab_row=0,"
            f"processor_status='up',processor_type='compute',processor_id={number}"
        )


def gemini() -> Iterator[str]:
    """Lines of a Gemini torus of 2 x 2 x 4: two tiles along z, one along x and y."""

    def end(at: tuple[int, ...], tile: int) -> str:
        x, y, z = at
        return f"c{x}-0c0s{z}g{y}l{tile:02d}[({x},{y},{z})]"

    for x, y, z in itertools.product(range(2), range(2), range(4)):
        at = (x, y, z)
        for sign, step in (("Z+", 1), ("Z-", -1)):
            for tile in range(2):
                there = (x, y, (z + step) % 4)
                yield f"{end(at, tile)} {sign} -> {end(there, tile)} LinkType: cable"
        yield f"{end(at, 8)} Y+ -> {end((x, 1 - y, z), 8)} LinkType: mezzanine"
        yield f"{end(at, 9)} X+ -> {end((1 - x, y, z), 9)} LinkType: backplane"


def test_aries_is_a_dragonfly_whose_global_links_are_read(tmp_path: Path) -> None:
    (fabric,) = read_texts(tmp_path, "\n".join(aries()), "\n".join(processors()))
    assert fabric.kind == "dragonfly" and len(fabric.adapters_of) == 3 * 2 * 3 * 4
    kinds = np.array(LINK_KINDS)[fabric.link_kinds]
    assert (kinds == "global").sum() == 6 and (kinds == "local").sum() == 3 * (2 * 6 + 3 * 2)
    green = fabric.link_place["c0-0c0s0a0 > c0-0c0s1a0"]
    assert fabric.lanes[green] == 2  # parallel tiles are lanes of one link
    assert fabric.vertices[fabric.switch_of[fabric.place["nid00005"]]] == "c0-0c0s1a0"


def test_gemini_is_a_torus(tmp_path: Path) -> None:
    nodes = [
        f"cpu={cpu},slot={z},cage=0,cab_position={x},cab_row=0,processor_id={number}"
        for number, (x, z, cpu) in enumerate(itertools.product(range(2), range(4), range(4)))
    ]
    (fabric,) = read_texts(tmp_path, "\n".join(gemini()), "\n".join(nodes))
    assert (fabric.kind, fabric.sizes, fabric.wraps) == ("torus", (2, 2, 4), (False, False, True))
    assert fabric.lanes[fabric.link_place["c0-0c0s0g0 > c0-0c0s3g0"]] == 2
    at = fabric.coordinates[fabric.place["nid00006"]].tolist()
    assert at == [0, 1, 1]  # its cpu is 2: the second Gemini of the blade


def test_cray_needs_both_files_and_says_what_is_amiss(tmp_path: Path) -> None:
    links, table = "\n".join(aries()), list(processors())
    with pytest.raises(TopologyError, match="needs two files"):
        read_texts(tmp_path, links)
    with pytest.raises(TopologyError, match=r"line 2: .*has two positions"):
        read_texts(tmp_path, links.replace("(0:0:1)", "(0:0:2)", 1), "\n".join(table))
    odd = [*table, table[-1], table[-1].replace("slot=2", "slot=9").replace("=71", "=99")]
    (fabric,) = read_texts(tmp_path, links, "\n".join(odd))
    assert "1 nodes occur twice; the first line counts: nid00071." in fabric.notes
    assert "1 nodes are at routers without links: nid00099." in fabric.notes
    with pytest.raises(TopologyError, match="line 2: the record has no `cage`"):
        read_texts(tmp_path, links, "#\ncpu=1,slot=2,processor_id=3\n")


def test_slingshots_names_in_a_csv(tmp_path: Path) -> None:
    switches = [[f"x{1000 + group}c0r{slot}" for slot in (1, 3, 5)] for group in range(3)]
    rows = ["source,target,rate"]
    for group, members in enumerate(switches):
        for slot, switch in enumerate(members):
            rows += [
                f"x{1000 + group}c0s{slot}b0n0h{nic},{switch}j{10 + nic}p0,200Gbit"
                for nic in range(2)
            ]
        rows += [
            f"{a}j1p{k},{b}b0j2p{k},200Gbit"
            for k, (a, b) in enumerate(itertools.combinations(members, 2))
        ]
    rows += [
        f"{a[k]}j30p0,{b[k]}j30p0,200Gbit"
        for k, (a, b) in enumerate(itertools.combinations(switches, 2))
    ]
    (fabric,) = read_texts(tmp_path, "\n".join(rows))
    assert fabric.kind == "dragonfly" and len(fabric.adapters_of) == 9
    adapters = [fabric.vertices[place] for place in fabric.adapters_of["x1000c0s0b0n0"]]
    assert adapters == ["x1000c0s0b0n0/h0", "x1000c0s0b0n0/h1"]
    link = fabric.link_place["x1000c0s0b0n0/h1 > x1000c0r1b0"]
    assert fabric.target_ports[link] == "j11p0" and fabric.rates[link] == 2e11
    groups = {fabric.vertices[v][:5]: int(fabric.groups[v]) for v in range(len(fabric.vertices))}
    assert groups == {"x1000": 0, "x1001": 1, "x1002": 2}
    assert "give their host names with --hosts" in " ".join(fabric.notes)


def test_dragonviews_tables(tmp_path: Path) -> None:
    routers = list(itertools.product(range(2), range(2), range(3)))
    rows = ["sg,sr,sc,dg,dr,dc,color,stall"]
    for a, b in itertools.permutations(routers, 2):
        within = a[0] == b[0] and (a[1] == b[1] or a[2] == b[2])
        if within or a[1:] == b[1:] == (0, 0):
            rows.append(",".join(map(str, (*a, *b))) + ",g,0.5")
    jobs = [
        "g,r,c,n,core,jobid",
        *(f"{g},{r},{c},0,{core},12" for g, r, c in routers for core in range(2)),
    ]
    (fabric,) = read_texts(tmp_path, "\n".join(rows), "\n".join(jobs))
    assert fabric.kind == "dragonfly" and set(fabric.adapters_of) >= {"g1r1c2n0"}
    kinds = np.array(LINK_KINDS)[fabric.link_kinds]
    assert (kinds == "global").sum() == 2 and len(fabric.adapters_of) == 12
    with pytest.raises(TopologyError, match="line 2: sg `x` is not a whole number"):
        read_texts(tmp_path, rows[0] + "\nx,0,0,0,0,1,g,0\n", "\n".join(jobs))


BOXFISH = (
    "---\nkey: A\n---\n- [linkid, int32]\n"
    + "".join(f"- [{name}, int32]\n" for name in ("sx", "sy", "tx", "ty", "packets"))
    + "...\n"
)


def test_boxfishs_tables(tmp_path: Path) -> None:
    links = BOXFISH + "".join(
        f"{k} {x} {y} {(x + 1) % 4} {y} 7\n{k} {x} {y} {x} {(y + 1) % 2} 7\n"
        for k, (x, y) in enumerate(itertools.product(range(4), range(2)))
    )
    nodes = "---\nkey: A\n---\n- [nodeid, int32]\n- [x, int32]\n- [y, int32]\n...\n"
    nodes += "".join(f"{x + y} {x} {y}\n" for x in range(4) for y in range(2))
    meta = "---\nkey: A\nhardware: {\n network: torus,\n dim: {x: 4, y: 2},\n}\n...\n"
    (fabric,) = read_texts(tmp_path, meta, links, nodes)
    assert (fabric.kind, fabric.sizes, fabric.wraps) == ("torus", (4, 2), (True, False))
    assert len(fabric.adapters_of) == 8 and len(fabric.sources) == 2 * (8 + 8 + 4)
    with pytest.raises(
        TopologyError, match="line 11: the row has 2 values, but the header has 6 columns"
    ):
        read_texts(tmp_path, BOXFISH + "1 2\n")
    with pytest.raises(TopologyError, match="there are 0 tables of links"):
        read_texts(tmp_path, meta)


def test_coordinates_of_blue_gene(tmp_path: Path) -> None:
    places = list(itertools.product(range(4), range(2), range(2), range(2), range(2)))
    ranks = "".join(" ".join(map(str, (*at, t))) + "\n" for at in places for t in range(2))
    (fabric,) = read_texts(tmp_path, "# a map\n" + ranks)
    assert (fabric.kind, fabric.sizes, fabric.dimensions) == (
        "torus",
        (4, 2, 2, 2, 2),
        tuple("abcde"),
    )
    assert len(fabric.adapters_of) == 64 and "Links are not in the file" in fabric.notes[0]
    named = "".join(f"R00-{k} <{','.join(map(str, at))}>\n" for k, at in enumerate(places[:-1]))
    (fabric,) = read_texts(tmp_path, named)
    assert "R00-5" in fabric.adapters_of and "1 positions have no line" in fabric.notes[1]
    with pytest.raises(TopologyError, match="`a` and `b` have the same position"):
        read_texts(tmp_path, "a 0 0 0\nb 0 0 0\n")
