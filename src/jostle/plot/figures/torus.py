"""Figures of a torus, as on web page Network: detailed planes, composite planes, polygons."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.load_ramp import KEY, LABEL, draw_lines, key, rate_words
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Plan, text_width
from jostle.plot.figures.torus_layout import (
    Ints,
    Layout,
    Part,
    Tick,
    at_plane,
    busiest_part,
    busiest_plane,
    order_of,
    plane_of,
    whole,
)
from jostle.plot.figures.torus_pictures import (
    NODE,
    RADIUS,
    Picture,
    composite_layout,
    composite_picture,
    corner_of,
    detail_layout,
    detail_picture,
    polygon_layout,
    polygon_picture,
)
from jostle.report.format.values import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.report.models.machines.fabric_at import FabricAt

_SIDE, _HIGH = 0.12, 7.5  # inches to the left of a picture; its greatest height
_RULER = 0.17  # inches of a scale
_CORNERS = 1.5  # inches of the key to the polygons' corners
_LEAST, _MOST = 0.07, 0.5  # inches of a unit in the planes
_LEAST_POLYGON, _MOST_POLYGON = 0.34, 1.15
_EDGES = {
    "plane": (None, "#F4F6F8"),
    "cuboid": ("#0072B2", "white"),
    "block": ("#A65E2E", "white"),
    "bar": (None, INK),
}


def torus_plans(
    content: FabricAt, texts: tuple[str, str], links: DrawnFigures, order: str, plane: str
) -> Iterator[Plan]:
    """Yield the three views of a torus.

    Args:
        content: The torus and the loads of its links.
        texts: Prefix of the files' names, and the source of the numbers.
        links: Load of each link.
        order: Order of the dimensions, the two of the planes first: `b,c,a,d,e`; "": that of the
            fabric.
        plane: Plane of the polygons: `a0,d0,e0`; "": the plane whose nodes send most.

    Raises:
        UsageError: The torus has no such order or plane.
    """
    topology, load = content.topology, content.load
    dimensions = order_of(topology, order)
    all_places = whole(topology, dimensions)
    chosen = plane_of(topology, dimensions, plane) if plane else busiest_plane(all_places, load)
    most = float(load[all_places.links].max(initial=0.0))
    whose = f"{content.job} puts" if content.job else "all jobs put"
    draw = partial(_draw, most=most)

    def page(view: str, title: str, note: str, picture: Picture, numbers: DrawnFigures) -> Page:
        # Polygons show one plane, so its coordinates are left out.
        shown = picture.layout.part.words(dimensions[: 2 if view == "polygons" else None])
        if shown:
            note += f" Too large to be drawn whole: this is the busiest part, {shown}."
        return Page(
            f"{texts[0]}-{view}",
            title,
            note,
            texts[1],
            numbers,
            body=_high(picture, view == "polygons"),
        )

    planes = f"the ({', '.join(map(all_places.name, dimensions[:2]))}) planes of {topology.name}"
    if len(dimensions) < 3:
        planes = topology.name
    part = busiest_part(all_places, load, lambda some: _is_legible(detail_layout(some), False))
    detail = detail_picture(part, load)
    yield (
        page(
            "planes",
            _detail_title(content, all_places, whose, planes),
            _detail_note(detail),
            detail,
            links,
        ),
        partial(draw, picture=detail),
    )
    if any(topology.sizes[d] > 1 for d in dimensions[2:]):
        part = busiest_part(all_places, load, lambda s: _is_legible(composite_layout(s), False))
        composite = composite_picture(part, load)
        yield (
            page(
                "composite",
                _composite_title(content, all_places, planes),
                _composite_note(composite),
                composite,
                _line_numbers(composite),
            ),
            partial(draw, picture=composite),
        )
    title = _polygon_title(content, at_plane(all_places, chosen), chosen)
    part = busiest_part(
        at_plane(all_places, chosen), load, lambda some: _is_legible(polygon_layout(some), True)
    )
    polygons = polygon_picture(part, load)
    yield (
        page("polygons", title, _POLYGON_NOTE, polygons, _polygon_numbers(content, polygons)),
        partial(draw, picture=polygons, polygons=True),
    )


# Texts of the figures.


def _detail_title(content: FabricAt, part: Part, whose: str, planes: str) -> str:
    links = part.links[np.isin(content.topology.link_dimensions[part.links], part.order[:2])]
    link = _busiest(content, links)
    if link is None:
        return f"{whose[0].upper()}{whose[1:]} nothing on the links within {planes}"
    load, most = float(content.load[link]), float(content.topology.rates[link]) / 8
    share = f", {percent(load / most)} of its rate" if most else ""
    name = content.topology.link_name(link)
    return f"Within {planes} {whose} most on {name}: {rate_words(load)}{share}"


def _detail_note(picture: Picture) -> str:
    part = picture.layout.part
    names = [part.name(d) for d in part.order]
    downwards = f", {names[1]} downwards" if len(names) > 1 else ""
    note = "A square is a switch, a line a link; each direction has its own line. "
    note += f"{names[0]} leads to the right{downwards}.{_ends(picture)}"
    return note + (f" Grey planes are{_outer(picture)}" if len(names) > 2 else "")


def _ends(picture: Picture) -> str:
    """Return a text on where short line ends at the edges lead, if there are any."""
    part = picture.layout.part
    if len(np.unique(picture.of)) == len(picture.of) and not part.words(part.order):
        return ""
    elsewhere = ", or to places that are not drawn" if part.words(part.order) else ""
    return f" Short ends at the edges wrap around to the other side{elsewhere}."


def _outer(picture: Picture) -> str:
    """Return a text on the order of planes and cuboids."""
    part, directions = picture.layout.part, picture.layout.scheme.directions
    names = [part.name(d) for d in part.order]
    ways = [
        f"{name} {'to the right' if way == 'across' else 'downwards'}"
        for name, way in zip(names[3:], directions[3:], strict=True)
    ]
    cuboids = f" in blue cuboids, and these by {', '.join(ways)}" if ways else ""
    return f" ordered by {names[2]}{cuboids}."


def _composite_title(content: FabricAt, part: Part, planes: str) -> str:
    topology = content.topology
    means = []
    for dimension in part.order[2:]:
        links = part.links[topology.link_dimensions[part.links] == dimension]
        if len(links):
            means.append((float(content.load[links].mean()), part.name(dimension)))
    means.sort(key=lambda each: -each[0])
    words = [f"{rate_words(load)} along {name}" for load, name in means]
    return f"Links between {planes} carry, on average, {', '.join(words)}"


def _composite_note(picture: Picture) -> str:
    part = picture.layout.part
    first, second = (part.name(d) for d in part.order[:2])
    return (
        f"A black bar is a plane, seen from the side: {first} leads down along it, {second} into "
        f"the page. Bars are{_outer(picture)} A line is the mean of the links that it sums up, one "
        f"way.{_ends(picture)}"
    )


_POLYGON_NOTE = (
    "A polygon is a switch. Towards the corner of a dimension leads a line for what it sends along "
    "it, and one for what it receives, as the arrows say: of the two neighbours, the one with more."
)


def _polygon_title(content: FabricAt, part: Part, plane: tuple[int, ...]) -> str:
    topology = content.topology
    where = ", ".join(f"{part.name(d)} {at}" for d, at in zip(part.order[2:], plane, strict=True))
    place = f"In the plane {where} of {topology.name}" if where else f"In {topology.name}"
    whose = f" for {content.job}" if content.job else ""
    link = _busiest(content, part.links)
    if link is None:
        return f"{place} no node sends anything{whose}"
    source = topology.vertices[topology.sources[link]]
    along = part.name(int(topology.link_dimensions[link]))
    load = rate_words(float(content.load[link]))
    return f"{place}, {source} sends most{whose}: {load} along {along}"


def _busiest(content: FabricAt, links: Ints) -> int | None:
    """Return the link with most load; None: none has any."""
    link = int(links[content.load[links].argmax()]) if len(links) else -1
    return link if link >= 0 and content.load[link] > 0 else None


# Numbers of the figures.


def _line_numbers(picture: Picture) -> DrawnFigures:
    part = picture.layout.part
    rows = [
        (
            part.name(line.dimension),
            "+" if line.sign > 0 else "-",
            *(int(line.at[d]) + part.first[d] if d in line.kept else None for d in part.order),
            len(line.links),
            value,
        )
        for line, value in zip(picture.lines, picture.values.tolist(), strict=True)
    ]
    places = (f"from_{part.name(d)}" for d in part.order)
    return DrawnFigures(("along", "way", *places, "links", "mean_bytes_per_s"), tuple(rows))


def _polygon_numbers(content: FabricAt, picture: Picture) -> DrawnFigures:
    part, topology = picture.layout.part, content.topology
    rows = []
    for line, value in zip(picture.lines, picture.values.tolist(), strict=True):
        end = topology.sources if line.sign > 0 else topology.targets
        rows.append(
            (
                topology.vertices[end[line.links[0]]],
                part.name(line.dimension),
                "out" if line.sign > 0 else "in",
                value,
            )
        )
    return DrawnFigures(("switch", "along", "way", "most_bytes_per_s"), tuple(rows))


# Position on the page, and drawing.


def _room(layout: Layout, polygons: bool) -> tuple[float, float, float]:
    """Return the inches to the left of a picture, above it, and per unit of it."""
    down = len(layout.rulers("down"))
    left = _SIDE + 0.1 + _RULER * max(down, 1)
    across = len(layout.rulers("across"))
    top = KEY + 0.08 + _RULER * max(across, 1)
    wide = FULL - left - _SIDE - (_CORNERS if polygons else 0)
    unit = min(wide / layout.width, _HIGH / layout.height)
    return left, top, min(unit, _MOST_POLYGON if polygons else _MOST)


def _is_legible(layout: Layout, polygons: bool) -> bool:
    return _room(layout, polygons)[2] >= (_LEAST_POLYGON if polygons else _LEAST)


def _high(picture: Picture, polygons: bool) -> float:
    _, top, unit = _room(picture.layout, polygons)
    least = _CORNERS + KEY if polygons else 0.0
    return max(top + picture.layout.height * unit + 0.12, least)


def _draw(canvas: Canvas, picture: Picture, most: float, polygons: bool = False) -> None:
    layout = picture.layout
    left, top, unit = _room(layout, polygons)
    thick = picture.thick * unit * 72
    key(canvas, _SIDE, 0.0, most, thick)
    axes = canvas.axes(left, top, layout.width * unit, layout.height * unit)
    axes.set_axis_off()
    axes.set_xlim(0, layout.width)
    axes.set_ylim(layout.height, 0)
    for kind, boxes in picture.boxes:
        _boxes(axes, boxes, *_EDGES[kind])
    if polygons:
        _outlines(axes, picture, unit)
    widths = draw_lines(axes, picture.segments, picture.values[picture.of], most, thick)
    if polygons:
        _heads(axes, picture, most, widths / 72 / unit)
        _corners(canvas, picture, top)
    elif len(picture.nodes):
        axes.plot(
            *picture.nodes.T,
            "s",
            markersize=2 * NODE * unit * 72,
            color="#8C97A3",
            markeredgewidth=0,
            zorder=3,
        )
    scales = layout.rulers("across")
    for number, (dimension, ticks) in enumerate(scales):
        place = top - _RULER * (len(scales) - number)
        _ruler(canvas, picture, dimension, [_on(tick, left, unit) for tick in ticks], place, True)
    scales = layout.rulers("down")
    for number, (dimension, ticks) in enumerate(scales):
        place = left - 0.04 - _RULER * (len(scales) - number)
        _ruler(canvas, picture, dimension, [_on(tick, top, unit) for tick in ticks], place, False)


def _on(tick: Tick, start: float, unit: float) -> Tick:
    return start + tick[0] * unit, start + tick[1] * unit, tick[2]


def _ruler(
    canvas: Canvas, picture: Picture, dimension: int, ticks: list[Tick], place: float, across: bool
) -> None:
    """Write the coordinates of a dimension next to the picture, as many as fit."""
    name = picture.layout.part.name(dimension)
    room = text_width(f"{name} {max(tick[2] for tick in ticks)}", LABEL) + 0.05
    apart = min((b[0] - a[0] for a, b in pairwise(ticks)), default=room)
    with_name = not across or apart >= room
    if not with_name:
        room = text_width(str(max(tick[2] for tick in ticks)), LABEL) + 0.04
    every = max(int(np.ceil((room if across else 0.12) / apart)), 1)
    for begin, end, at in ticks[::every]:
        text = f"{name} {at}" if with_name else str(at)
        middle = (begin + end) / 2
        where = (middle, place + _RULER / 2) if across else (place + _RULER, middle)
        canvas.text(
            *where,
            text,
            fontsize=LABEL,
            color=SOFT,
            va="center",
            ha="center" if across else "right",
        )
    if not with_name:
        canvas.text(
            ticks[0][0] - 0.02,
            place + _RULER / 2,
            name,
            fontsize=LABEL,
            color=INK,
            va="center",
            ha="right",
        )


def _boxes(axes: Axes, boxes: Any, edge: str | None, fill: str) -> None:
    from matplotlib.collections import PolyCollection

    x, y, wide, high = boxes.T
    corners = np.stack(
        [
            np.column_stack([x, y]),
            np.column_stack([x + wide, y]),
            np.column_stack([x + wide, y + high]),
            np.column_stack([x, y + high]),
        ],
        axis=1,
    )
    look: dict[str, Any] = {"edgecolors": edge, "linewidths": 0.8} if edge else {"linewidths": 0}
    axes.add_collection(PolyCollection(list(corners), facecolors=fill, zorder=1, **look))


def _outline(count: int) -> Any:
    corners = count if count > 2 else 48
    return np.array([corner_of(number, corners) for number in range(corners)]) * RADIUS


def _outlines(axes: Axes, picture: Picture, unit: float) -> None:
    from matplotlib.collections import PolyCollection

    outline = _outline(len(picture.layout.part.sizes))
    axes.add_collection(
        PolyCollection(
            [outline + node for node in picture.nodes],
            facecolors="#F4F6F8",
            edgecolors="#8C97A3",
            linewidths=min(0.8, 1.2 * unit),
            zorder=1,
        )
    )


def _heads(axes: Axes, picture: Picture, most: float, widths: Any) -> None:
    """Draw half an arrowhead at the end of each line, away from the line in the other direction."""
    from matplotlib.collections import PolyCollection

    from jostle.plot.figures.load_ramp import colours

    load = picture.values[picture.of]
    busy = np.flatnonzero(load > 0)
    begin, end = picture.segments[busy, :2], picture.segments[busy, 2:]
    along = (end - begin) / np.linalg.norm(end - begin, axis=1)[:, None]
    right = np.column_stack([-along[:, 1], along[:, 0]])
    size = (0.06 + widths[busy] * 0.5)[:, None]
    inner = widths[busy][:, None] / 2
    heads = np.stack(
        [
            end - right * inner,
            end - right * inner - along * size,
            end + right * size - along * size,
            end,
        ],
        axis=1,
    )
    axes.add_collection(
        PolyCollection(list(heads), facecolors=colours(load[busy], most), linewidths=0, zorder=2.5)
    )


def _corners(canvas: Canvas, picture: Picture, top: float) -> None:
    """Draw the key to polygons: the dimension of each corner, and lines for traffic out and in."""
    part = picture.layout.part
    side = _CORNERS - 0.2
    axes = canvas.axes(canvas.width - side - _SIDE, top, side, side)
    axes.set_axis_off()
    axes.set_xlim(-0.65, 0.65)
    axes.set_ylim(0.65, -0.65)
    count = len(part.sizes)
    axes.fill(*_outline(count).T, facecolor="#F4F6F8", edgecolor="#8C97A3", linewidth=0.8)
    for number in range(count):
        x, y = corner_of(number, count) * 0.54
        axes.text(x, y, part.name(number), fontsize=LABEL + 1, color=INK, ha="center", va="center")
    # As for the first corner, which is on top: out on the right, in on the left.
    for x, begin, end, words in ((0.05, -0.02, -0.37, "out"), (-0.05, -0.37, -0.02, "in")):
        axes.annotate(
            "",
            (x, end),
            (x, begin),
            arrowprops={
                "arrowstyle": "->",
                "color": INK,
                "linewidth": 0.9,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        axes.text(
            1.4 * x,
            0.03,
            words,
            fontsize=LABEL,
            color=SOFT,
            ha="left" if x > 0 else "right",
            va="top",
        )
