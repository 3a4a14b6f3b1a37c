"""A torus as figures: positions and meanings of its lines, and its texts."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jostle.errors import UsageError
from jostle.plot.figures.fabric import plans
from jostle.plot.figures.page import draw_pages
from jostle.plot.figures.torus_layout import (
    Part,
    at_plane,
    busiest_part,
    busiest_plane,
    order_of,
    plane_of,
    whole,
)
from jostle.plot.figures.torus_pictures import (
    Picture,
    composite_picture,
    detail_picture,
    polygon_picture,
)
from jostle.report.models.machines.fabric_at import FabricAt
from jostle.topology import Topology, fat_tree, torus

_SIZES = (4, 4, 4, 4, 2)


def _alternating(topology: Topology) -> np.ndarray:
    """Return the loads of the thesis' example: along d, even places send ten times as much."""
    d = 3
    at = topology.coordinates[topology.sources, d]
    along = (topology.link_dimensions == d) & (topology.link_signs > 0)
    return np.where(along, np.where(at % 2 == 0, 1e9, 1e8), 0.0)


def _content(topology: Topology, load: np.ndarray, job: str = "") -> FabricAt:
    links = len(load)
    return FabricAt(
        topology,
        0,
        4 * 10**9,
        job,
        load,
        np.zeros(links, bool),
        ("a",) * links,
        None,
        np.zeros((0, 0)),
    )


def _part(topology: Topology, order: str) -> Part:
    return whole(topology, order_of(topology, order))


def _along(picture: Picture, dimension: int, sign: int = 1) -> list[int]:
    return [
        number
        for number, line in enumerate(picture.lines)
        if (line.dimension, line.sign) == (dimension, sign)
    ]


def test_traffic_that_alternates_is_seen_in_each_view() -> None:
    topology = torus(_SIZES)
    load = _alternating(topology)
    composite = composite_picture(_part(topology, "b,c,a,d,e"), load)
    lines = _along(composite, 3)
    # A line for each place of b and each cuboid, summed up along a and c.
    assert len(lines) == 4 * 4 * 2 and len(composite.lines[lines[0]].links) == 16
    for number in lines:
        is_even = composite.lines[number].at[3] % 2 == 0
        assert composite.values[number] == pytest.approx(1e9 if is_even else 1e8)
    detail = detail_picture(_part(topology, "a,d,b,c,e"), load)
    lines = _along(detail, 3)
    assert len(lines) == 512
    assert {(int(detail.lines[n].at[3]) % 2, float(detail.values[n])) for n in lines} == {
        (0, 1e9),
        (1, 1e8),
    }
    polygons = polygon_picture(at_plane(_part(topology, "a,d,b,c,e"), (0, 0, 0)), load)
    sent, received = (polygons.values[_along(polygons, 3, sign)] for sign in (1, -1))
    assert len(sent) == len(received) == 16
    assert sorted(sent) == sorted(received) == [1e8] * 8 + [1e9] * 8


def test_lines_lead_where_their_links_do() -> None:
    topology = torus((4, 3), wraps=(True, False))
    picture = detail_picture(_part(topology, "a,b"), np.ones(len(topology.sources)))
    where = dict(
        zip(
            map(tuple, topology.coordinates[topology.is_switch].tolist()),
            picture.nodes,
            strict=True,
        )
    )
    assert (where[1, 2] - where[0, 0]).tolist() == [1, 2]  # a to the right, b downwards
    for number, line in enumerate(picture.lines):
        ends = picture.segments[picture.of == number]
        begin, end = ends[0, :2], ends[-1, 2:]
        link = line.links[0]
        source, target = (
            where[tuple(topology.coordinates[vertex].tolist())]
            for vertex in (topology.sources[link], topology.targets[link])
        )
        assert np.abs(begin - source).max() < 0.2 and np.abs(end - target).max() < 0.2
        is_round = line.dimension == 0 and abs(source[0] - target[0]) > 1.5
        assert len(ends) == (2 if is_round else 1)
        along = ends[0, 2:] - ends[0, :2]
        right = np.array([-along[1], along[0]])
        assert (begin - source) @ right > 0  # as on a road
    outside = picture.segments[:, [0, 2]].max(), picture.segments[:, [1, 3]].max()
    assert outside[0] <= picture.layout.width and outside[1] <= picture.layout.height


def test_boxes_hold_what_they_say() -> None:
    topology = torus((2, 3, 2, 2, 2, 2))
    picture = detail_picture(_part(topology, "f,e,d,c,b,a"), np.zeros(len(topology.sources)))
    nodes, counts = picture.nodes, {}
    for kind, boxes in picture.boxes:
        inside = [(nodes >= (x, y)) & (nodes <= (x + w, y + h)) for x, y, w, h in boxes]
        counts[kind, len(boxes)] = {int(each.all(axis=1).sum()) for each in inside}
    assert counts == {
        ("block", 2): {48},
        ("block", 6): {16},
        ("cuboid", 12): {8},
        ("plane", 24): {4},
    }


def test_the_busiest_part_of_what_is_too_large() -> None:
    topology = torus((4, 4, 8))
    load = np.where(topology.coordinates[topology.sources, 2] == 5, 1e9, 1e3)
    part = busiest_part(_part(topology, "a,b,c"), load, lambda some: some.sizes[2] <= 2)
    assert part.sizes == (4, 4, 2) and part.first[2] in (4, 5)
    assert part.words((0, 1, 2)) in ("c 4 to 5", "c 5 to 6")
    assert busiest_plane(_part(topology, "a,b,c"), load) == (5,)
    detail = detail_picture(part, load)
    assert len(detail.nodes) == 32
    part = busiest_part(part, load, lambda some: sum(some.sizes) <= 5)
    assert part.sizes == (2, 2, 1)  # both dimensions of the plane alike
    composite = composite_picture(part, load)
    assert (
        composite.segments.min() >= 0 and composite.segments[:, 0].max() <= composite.layout.width
    )


@pytest.mark.parametrize("sizes", [(5,), (2, 1, 2, 2, 2, 2), (30, 30, 4)])
def test_every_torus_is_drawn(sizes: tuple[int, ...], tmp_path: Path) -> None:
    topology = torus(sizes, rate=1e10)
    load = np.zeros(len(topology.sources))
    load[np.flatnonzero(topology.link_dimensions == 0)[0]] = 5e8
    drawn = list(plans(_content(topology, load)))
    saved = draw_pages(drawn, tmp_path, ("svg",))
    names = [figure.files[0].stem.removeprefix("network-fabric-") for figure in saved]
    assert names == ["planes", *(["composite"] if len(sizes) > 2 else []), "polygons"]
    assert "40 % of its rate" in saved[0].title
    rows = list(csv.DictReader(saved[-1].files[-1].open()))
    assert max(float(row["most_bytes_per_s"]) for row in rows) == 5e8
    assert ("this is the busiest part" in drawn[0][0].note) == (sizes == (30, 30, 4))


def test_an_idle_torus_of_a_job(tmp_path: Path) -> None:
    topology = torus((2, 2, 2))
    idle = _content(topology, np.zeros(len(topology.sources)), "burst")
    first, second, third = (page.title for page, _ in plans(idle, "c,a,b", "b1"))
    assert first == "Burst puts nothing on the links within the (c, a) planes of fabric"
    assert second == "Links between the (c, a) planes of fabric carry, on average, nothing along b"
    assert third == "In the plane b 1 of fabric no node sends anything for burst"


@pytest.mark.parametrize("sizes", [(1,), (1, 1, 1), (2,) * 7])
def test_a_torus_without_links_and_one_of_too_many_dimensions(
    sizes: tuple[int, ...], tmp_path: Path
) -> None:
    topology = torus(sizes)
    if len(sizes) == 1:  # a file may say anything
        topology = replace(topology, dimensions=("",))
    content = _content(topology, np.zeros(len(topology.sources)))
    saved = draw_pages(plans(content), tmp_path, ("svg",))
    assert len(saved) == (1 if len(sizes) == 7 else 2)
    if len(sizes) == 7:
        with pytest.raises(UsageError, match="more than 6 dimensions"):
            list(plans(content, "a,b"))


def test_orders_and_planes_that_do_not_exist() -> None:
    topology = torus((4, 3, 2))
    assert plane_of(topology, order_of(topology, "c, a,b"), "b2") == (2,)
    for order in ("a,b", "a,b,b", "a,b,x"):
        with pytest.raises(UsageError, match=r"is not an order of the dimensions of `fabric`"):
            order_of(topology, order)
    alike = replace(topology, dimensions=("a", "a", "c"))
    assert order_of(alike, "") == (0, 1, 2)
    with pytest.raises(UsageError, match="is not an order"):
        order_of(alike, "a,a,c")
    with pytest.raises(UsageError, match="is a fat tree: it has no planes"):
        list(plans(_content(fat_tree(2, 1, 1), np.zeros(8)), "a,b"))
    for plane in ("", "a1", "c", "c1,c1", "c-1"):
        with pytest.raises(UsageError, match="is not a plane"):
            plane_of(topology, (0, 1, 2), plane)
    with pytest.raises(UsageError, match="has no coordinate c2"):
        plane_of(topology, (0, 1, 2), "c2")
