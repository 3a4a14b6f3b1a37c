"""Draws all figures for which a study has data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from jostle.plot.figures import Plan, Saved, draw_pages
from jostle_lab.analysis.study.model import StudyResult
from jostle_lab.plot import study_imprints
from jostle_lab.plot.imprint import draw_figure, imprint_page
from jostle_lab.plot.study import curves as study_curves
from jostle_lab.plot.study import matrix as study_matrix
from jostle_lab.plot.study import servers as study_servers
from jostle_lab.plot.study import slices as study_slices
from jostle_lab.plot.study import spread as study_spread
from jostle_lab.plot.study import standalone, unequal_sizes
from jostle_lab.plot.study import versus as study_versus
from jostle_lab.study.stored import tidy


def plans(result: StudyResult) -> Iterator[Plan]:
    """Yield the figures that a study has data for, without drawing them."""
    result = tidy(result)
    for measure in ("degradation", "dilation"):
        for page, matrix in study_matrix.matrices(result, measure):
            yield page, partial(study_matrix.draw, matrix=matrix)
    for chunk in (True, False):
        pairs = study_curves.pairs(result, chunk=chunk)
        if pairs:
            page = study_curves.page(result, pairs, chunk=chunk)
            yield page, partial(study_curves.draw, found=pairs, chunk=chunk)
    yield from _kuo(result)
    yield from study_servers.server_pages(result)
    yield from _slices(result)


def _kuo(result: StudyResult) -> Iterator[Plan]:
    for page, programs in standalone.standalone_pages(result):
        yield page, partial(standalone.draw, result=result, found=programs)
    for page, pairs in study_versus.versus_pages(result):
        yield page, partial(study_versus.draw_versus, found=pairs)
    for page, rows in unequal_sizes.overlap_pages(result):
        yield page, partial(unequal_sizes.draw_overlap, result=result, rows=rows)
    for page, rows in unequal_sizes.predicted_pages(result):
        yield page, partial(unequal_sizes.draw_predicted, result=result, rows=rows)
    spreads = study_spread.spreads(result)
    if spreads:
        page = study_spread.spread_page(result, spreads)
        yield page, partial(study_spread.draw_spread, found=spreads)


def _slices(result: StudyResult) -> Iterator[Plan]:
    for stem, chart in study_imprints.periodic(result):
        yield imprint_page(chart, stem), partial(draw_figure, imprint=chart)
    for grid in study_slices.grids(result):
        page = study_slices.grid_page(result, grid)
        yield page, partial(study_slices.draw_grid, grid=grid)
    for phases in study_slices.two_phases(result):
        page = study_slices.two_phases_page(result, phases)
        yield page, partial(study_slices.draw_two_phases, phases=phases)


def draw_all(
    result: StudyResult,
    folder: Path,
    endings: tuple[str, ...] = ("png",),
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Saved]:
    """Draw every figure into a folder, each with a CSV file of its numbers.

    Args:
        result: The study.
        folder: Folder for the figures; created if it does not exist.
        endings: Formats: png, svg, pdf.
        progress: Function that is called with the numbers of figures done and in total, and the
            next one.

    Returns:
        The written files, in order.
    """
    return draw_pages(plans(result), folder, endings, progress)
