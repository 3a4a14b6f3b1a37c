"""The files of figures: each figure has its own."""

from __future__ import annotations

import csv
from pathlib import Path

from jostle.plot.charts.labels import slug
from jostle.plot.figures.page import Canvas, DrawnFigures, Page, draw_pages


def _page(name: str) -> Page:
    numbers = DrawnFigures(("name",), ((name,),))
    return Page(f"nodes-{slug(name)}", name, "", "", numbers, width=2.0, body=0.2)


def _draw(canvas: Canvas) -> None:
    del canvas


def test_names_that_are_alike_in_a_stem_have_files_of_their_own(tmp_path: Path) -> None:
    names = ["/dev/sd a", "/dev/sd-a", "sd", "/dev/sd_a", "/dev/sd-a-2"]
    saved = draw_pages([(_page(name), _draw) for name in names], tmp_path)
    assert [each.title for each in saved] == names
    assert [each.files[0].stem for each in saved] == [
        "nodes-dev-sd-a",
        "nodes-dev-sd-a-2",
        "nodes-sd",
        "nodes-dev-sd-a-3",
        "nodes-dev-sd-a-2-2",
    ]
    assert len(list(tmp_path.iterdir())) == 2 * len(names)
    for name, each in zip(names, saved, strict=True):
        assert list(csv.reader(each.files[-1].open())) == [["name"], [name]]
