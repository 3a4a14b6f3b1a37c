"""A job above its background, the matrix of programs: in a terminal and as pictures."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from attribution_cases import BEGIN, SCRATCH, SECOND, disturbed, innocent, matrix

from jostle.plot.charts.interference import charts, means, service_top
from jostle.plot.charts.matrix import grids, signed, sure
from jostle.plot.figures import interference as interference_figure
from jostle.plot.figures import matrix as matrix_figure
from jostle.plot.figures.page import draw_pages
from jostle.plot.terminal.gantt import GanttRow, draw_gantt
from jostle.plot.terminal.interference import draw_attribution


def plain(lines: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


def test_the_title_is_the_finding() -> None:
    (chart,) = charts(disturbed())
    assert chart.title == (
        f"solver-42 lost 31.5 s (10.5 % of its run) on {SCRATCH}, 82 % of that to dump-17"
    )
    (chart,) = charts(innocent())
    assert chart.title == f"No evidence that others slowed solver-42 on {SCRATCH}"


def test_disturbed_slices_are_marked_where_they_are() -> None:
    (chart,) = charts(disturbed())
    assert chart.disturbed.sum() == 80
    assert chart.spans[0] == (BEGIN, BEGIN + 20 * SECOND)
    lines = plain(draw_attribution(chart, width=14 + 300, unicode=True))  # a column per slice
    (ruler,) = [line for line in lines if line.lstrip().startswith("lost ")]
    marked = [cell == "▀" for cell in ruler.partition("│")[2].ljust(300)]
    assert marked == chart.disturbed.tolist()


@pytest.mark.parametrize("width", [50, 80, 120])
def test_drawings_fit_and_ascii_is_ascii(width: int) -> None:
    (chart,) = charts(disturbed())
    drawn = plain(draw_attribution(chart, width=width, unicode=True))
    assert max(len(line) for line in drawn if any(cell in line for cell in "│└▀")) <= width
    assert "".join(plain(draw_attribution(chart, width=width, unicode=False))).isascii()


def test_means_leave_out_what_is_not_known() -> None:
    edges = np.arange(5, dtype=np.int64) * SECOND
    values = np.array([1.0, math.nan, 3.0, math.nan])
    seen = means(values, edges, np.array([0.0, 3.0, 4.0]) * SECOND)
    assert seen[0] == pytest.approx(2.0)
    assert math.isnan(seen[1])


def test_gaps_between_assessed_slices_are_blank() -> None:
    found = disturbed()
    loss = found.resources[0]
    for row in (loss.steps_ns, loss.service, loss.own_load, loss.others_load):
        del row[100:200]
    (chart,) = charts(found)
    assert len(chart.service) == 300
    assert np.isnan(chart.others[100:200]).all()


def test_one_stalled_call_does_not_flatten_the_rest() -> None:
    (chart,) = charts(disturbed())
    assert service_top(chart) == (np.nanmax(chart.service), "")
    stalled = chart.service.copy()
    stalled[np.flatnonzero(~np.isnan(stalled))[0]] = 180
    top, said = service_top(replace(chart, service=stalled))
    assert top < 20
    assert said == "cut: up to 180"
    lines = draw_attribution(replace(chart, service=stalled), width=100, unicode=True)
    assert any("cut: up to 180" in text for line in lines for text, _ in line)


def test_when_neighbours_ran() -> None:
    stays = [
        GanttRow("own", 0, 100, mark=True),
        GanttRow("late", 50, 900),
        GanttRow("a-very-long-name", -9, 1),
    ]
    lines = plain(list(draw_gantt(stays, width=114, unicode=True)))
    bars = [line.partition("│")[2].rstrip() for line in lines[:3]]
    assert bars == ["█" * 100, " " * 50 + "█" * 50, "█"]
    assert lines[2].startswith("a-very-lo..")


def test_pictures_have_their_numbers_alongside_them(tmp_path: Path) -> None:
    plans = [*interference_figure.plans(disturbed()), *matrix_figure.plans(matrix())]
    saved = draw_pages(plans, tmp_path, ("svg",))
    assert len(saved) == 3
    for one in saved:
        assert one.files[0].read_bytes().startswith(b"<?xml")
    rows = list(csv.DictReader(saved[0].files[-1].open()))
    assert len(rows) == 300
    assert sum(int(row["disturbed"]) for row in rows) == 80
    assert rows[25]["service_relative"] == ""
    pairs = list(csv.DictReader(saved[1].files[-1].open()))
    assert pairs[0]["slowdown"] == "0.62"


def test_only_evidence_colours_the_matrix() -> None:
    place, network = grids(matrix())
    assert place.victims[0] == "solver"
    assert place.aggressors == ["dump", "reader"]
    assert sum(map(sure, place.cells.values())) == 3
    assert ("cfd", "reader") not in place.cells
    assert not any(map(sure, network.cells.values()))
    assert [signed(x) for x in (0.62, -0.004, 0.0, None)] == ["+62 %", "-0.4 %", "0 %", "-"]
