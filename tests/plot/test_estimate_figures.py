"""Figures of estimates: every text is there and readable, the CSV has what is drawn."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import estimates
import matplotlib
import numpy as np
import pyarrow as pa
import pytest

from figure_texts import faults
from jostle.analysis.estimation.model import RunEstimate
from jostle.plot.figures.estimate import compare as compare_figures
from jostle.plot.figures.estimate import draw_all as estimate_figures
from jostle.plot.figures.estimate.segments import counts
from jostle.plot.figures.page import PAGE_STYLE, Plan, canvas, draw_pages
from jostle.plot.terminal.lost_time import draw_lost
from jostle.report.models.job.lost_time import drawn_part, lost_over_time
from jostle.report.models.job.segments import DrawnSegments, in_small_clusters, large_clusters


def scattered() -> RunEstimate:
    """A run in which nearly every segment is a cluster of its own."""
    made = estimates.heads()
    table = made.segments.set_column(4, "cluster", pa.array(range(1, len(made.segments) + 1)))
    small = [estimates.replace(made.clusters[0], number=n + 1, members=1) for n in range(700)]
    return estimates.plain(made, segments=table, clusters=small)


def every_cause() -> Iterator[Plan]:
    """A difference with all that a legend can have to name."""
    made = estimates.two_runs()
    causes = ("file system", "network", "cpu", "unknown")
    more = replace(made, by_cause={cause: [0.2, 0.0] for cause in causes}, work_s=[0.1, 0.0])
    return (plan for plan in compare_figures.plans(more) if plan[0].stem.startswith("diff"))


FIGURES: dict[str, Callable[[], Iterator[Plan]]] = {
    "heads": lambda: estimate_figures.plans(estimates.heads()),
    "clean": lambda: estimate_figures.plans(estimates.heads(disturbed=False)),
    "no MPI": lambda: estimate_figures.plans(estimates.ftq()),
    "scattered": lambda: estimate_figures.plans(scattered()),
    "two runs": lambda: compare_figures.plans(estimates.two_runs()),
    "every cause": every_cause,
}
STEMS = {
    "heads": [
        "lost-time",
        "segments-in-time",
        "segments-histograms",
        "clusters-spread",
        "clusters-sizes",
        "cluster-4-in-time",
        "cluster-4-histograms",
        "cluster-3-in-time",
        "cluster-3-histograms",
    ],
    "clean": [
        "lost-time",
        "segments-in-time",
        "segments-histograms",
        "clusters-spread",
        "clusters-sizes",
        "cluster-3-in-time",
        "cluster-3-histograms",
    ],
    "no MPI": ["lost-time"],
    "scattered": ["lost-time", "segments-in-time", "segments-histograms", "small-clusters-in-time"],
    "two runs": ["difference-of-the-runs", "clusters-of-the-runs"],
    "every cause": ["difference-of-the-runs"],
}


@pytest.mark.parametrize("name", FIGURES)
def test_texts_lie_inside_and_apart(name: str) -> None:
    found = list(FIGURES[name]())
    assert [page.stem for page, _ in found] == STEMS[name]
    kinds = {re.sub("[0-9]", "", page.stem): (page, draw) for page, draw in found}
    for page, draw in kinds.values():
        with matplotlib.rc_context(PAGE_STYLE):
            made = canvas(page)
            draw(made)
            problems = faults(made.figure)
        assert not problems, f"{page.stem}: {problems}"


def test_runs_with_other_numbers_of_ranks_are_not_explained() -> None:
    made = estimates.two_runs()
    made.estimates[1] = estimates.plain(made.estimates[1], ranks=3)
    titles = {page.title for page, _ in compare_figures.plans(made)}
    assert [title.rpartition("; ")[2] for title in titles] == [
        "but these are not runs of the same size: their numbers of ranks differ"
    ]


def test_the_csv_holds_what_is_drawn(tmp_path: Path) -> None:
    wanted = ("lost-time", "segments-in-time", "segments-histograms", "clusters-sizes")
    chosen = [plan for plan in FIGURES["heads"]() if plan[0].stem in wanted]
    saved = {one.files[0].stem: one.files[0] for one in draw_pages(chosen, tmp_path, ())}
    made = estimates.heads()
    rows = {}
    for stem, file in saved.items():
        with file.open(newline="") as source:
            rows[stem] = list(csv.DictReader(source))
    lost = sum(float(row["lost_s"]) for row in rows["lost-time"])
    assert lost == pytest.approx(sum(hit.seconds for hit in made.hits))
    assert len(rows["segments-in-time"]) == made.segments.num_rows
    counted = [row for row in rows["segments-histograms"] if row["of"] == "duration_s"]
    number = sum(float(row["segments"]) + float(row["interfered_segments"]) for row in counted)
    assert number == made.segments.num_rows
    assert [int(row["segments"]) for row in rows["clusters-sizes"]] == [310, 240, 120, 30]


def test_a_figure_of_a_million_segments_is_thinned_but_no_loss_is_left_out() -> None:
    table = estimates.heads().segments
    made = estimates.plain(estimates.heads(), segments=pa.concat_tables([table] * 300))
    drawn = DrawnSegments.of(made)
    thin = drawn.thinned()
    assert len(drawn) > 200_000
    assert len(thin) <= 20_001
    worst = np.sort(drawn.excess)[-100:]
    assert np.isin(worst, thin.excess).all()


def test_instants_keep_their_nanoseconds() -> None:
    made = estimates.heads()
    seconds = DrawnSegments.of(made).start
    assert seconds[0] == 0
    assert seconds[-1] == pytest.approx(made.run_s, abs=1.0)
    assert len(np.unique(seconds)) == len(seconds)


def test_histograms_hold_ends_marks_and_single_values() -> None:
    hit = np.array([False, False, True])
    for values in ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1e-3, 1.0, 500.0]):
        found = counts(np.array(values), hit, mark=0.5)
        assert found.usual.sum() == 2
        assert found.hit.sum() == 1
        assert found.edges[0] < 0.5 < found.edges[-1]
    assert counts(np.array([np.nan]), np.array([False])).usual.sum() == 0


def test_clusters_of_one_are_drawn_together() -> None:
    made = scattered()
    assert large_clusters(made, 48) == []
    assert len(in_small_clusters(made, DrawnSegments.of(made))) == 700


def test_the_strip_of_the_terminal_keeps_the_seconds() -> None:
    made = estimates.heads()
    borders = np.linspace(0, made.end_ns - made.start_ns, 11)
    spread = lost_over_time(made, borders)
    assert sum(part.sum() for part in spread.values()) == pytest.approx(
        sum(hit.seconds for hit in made.hits)
    )
    assert spread["file system"][0] == spread["file system"][-1] == 0
    lines = ["".join(text for text, _ in line) for line in draw_lost(made, width=80, unicode=True)]
    assert [line[:12].strip() for line in lines[:2]] == ["file system", "network"]
    assert max(map(len, lines)) <= 80
    assert draw_lost(estimates.plain(made, hits=[]), width=80, unicode=True) == []


def test_what_lies_in_no_hit_is_said_to_be_missing() -> None:
    made = estimates.heads()
    assert drawn_part(made) == "" and drawn_part(estimates.plain(made, hits=[])) == ""
    few = estimates.plain(made, hits=made.hits[: len(made.hits) // 2])
    assert " of 24.7 s are drawn" in drawn_part(few)
    page, _ = next(iter(estimate_figures.plans(few)))
    assert "are drawn" in page.note
