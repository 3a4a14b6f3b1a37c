"""Figures of studies: every label is there and readable, the CSV holds what is drawn."""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pytest
from matplotlib.colors import to_hex

import papers
from figure_texts import faults, texts
from jostle.plot.charts.chart import FILL, PALETTE
from jostle.plot.charts.labels import share_label, tied
from jostle.plot.figures.page import PAGE_STYLE, Page, Saved, canvas, draw_pages
from jostle_lab.analysis.study.model import Setting, StudyResult, Summary
from jostle_lab.plot.study.draw_all import draw_all, plans
from jostle_lab.plot.study_charts import finding, groups, single_runs
from jostle_lab.plot.study_imprints import periodic
from jostle_lab.study.stored import study_json, tidy

STUDIES: dict[str, Callable[[], StudyResult]] = {
    "patterns": papers.patterns,
    "shared": lambda: papers.patterns(shared=True),
    "periodic": lambda: papers.patterns(periodic=True),
    "chunk sizes": papers.chunk_sizes,
    "process count": papers.process_count,
    "kuo": papers.kuo,
    "applications": papers.applications,
    "servers": papers.servers,
}

#: Their pages that differ in nothing but numbers from those of another study.
ALIKE = {
    "shared": "dilation|standalone|spread",
    "periodic": "dilation|spread",
    "chunk sizes": "dilation",
    "process count": "degradation-matrix|dilation|spread",
}


def stems(result: StudyResult) -> list[str]:
    return [page.stem for page, _ in plans(result)]


def drawn(
    result: StudyResult, folder: Path, chosen: str, endings: tuple[str, ...] = ()
) -> list[Saved]:
    """Draw figures whose stem matches; without an ending, only their numbers are written."""
    wanted = [plan for plan in plans(result) if re.fullmatch(chosen, plan[0].stem)]
    assert wanted
    return draw_pages(wanted, folder, endings)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def some(name: str) -> list[tuple[Page, object]]:
    """Not every picture of a kind: the machine is small."""
    chosen, seen = [], {}
    for page, draw in plans(STUDIES[name]()):
        kind = page.stem.split("-")[0]
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= 2 and not re.match(ALIKE.get(name, "none"), page.stem):
            chosen.append((page, draw))
    return chosen


@pytest.mark.parametrize("name", STUDIES)
def test_texts_lie_inside_and_apart(name: str) -> None:
    for page, draw in some(name):
        with matplotlib.rc_context(PAGE_STYLE):
            made = canvas(page)
            draw(made)  # type: ignore[operator]
            problems = faults(made.figure)
        assert not problems, f"{page.stem}: {problems}"


def test_the_files_and_their_names(tmp_path: Path) -> None:
    result = papers.process_count()
    saved = draw_all(
        dataclasses.replace(result, standalone=[], curves=[], cells=result.cells[:2]),
        tmp_path,
        ("png", "svg", "pdf"),
    )
    assert [one.files[0].stem for one in saved] == [
        "degradation-matrix",
        "dilation-matrix",
        "spread-per-process",
    ]
    magic = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".csv": b""}
    for one in saved:
        assert [path.suffix for path in one.files] == list(magic)
        for path in one.files:
            assert path.read_bytes().startswith(magic[path.suffix])
            assert path.stat().st_size > 100


def test_each_kind_of_figure_is_drawn_where_there_is_data() -> None:
    assert stems(papers.patterns())[:4] == [
        "degradation-matrix",
        "dilation-matrix",
        "standalone-against-concurrent",
        "spread-per-process",
    ]
    assert "degradation-matrix-shared-file" in stems(papers.patterns(shared=True))
    assert "degradation-matrix-periodic-signal" in stems(papers.patterns(periodic=True))
    assert "degradation-over-chunk-size" in stems(papers.chunk_sizes())
    assert "degradation-over-number-of-processes" in stems(papers.process_count())
    kuo = stems(papers.kuo())
    for stem in (
        "overlap-throughput",
        "predicted-against-observed-run-time",
        "two-phases-writer-12-alongside-writer-60-16-mib",
    ):
        assert stem in kuo
    apps = stems(papers.applications())
    assert "degradation-matrix-applications-against-patterns" in apps
    assert "degradation-matrix-applications-against-applications" in apps


def test_servers_and_processes(tmp_path: Path) -> None:
    times, rates = drawn(papers.servers(), tmp_path, "process-times|server-throughput")
    assert times.title == (
        "A program's processes differ in run time by 41 % (store by-name), by 2.4 % (store by-node)"
    )
    assert rates.title == (
        "While it is busy, storage (store by-name) receives 7.63 MiB/s, "
        "storage3 (store by-node) 9.54 MiB/s"
    )
    lines = rows(times.files[-1])
    assert len(lines) == 36 and lines[2]["seconds"] == "6.2"
    assert {line["server"] for line in rows(rates.files[-1])} == {"storage", "storage2", "storage3"}


def test_no_two_figures_have_one_name() -> None:
    for make in STUDIES.values():
        names = stems(make())
        assert len(names) == len(set(names))


def test_labels_are_in_the_svg(tmp_path: Path) -> None:
    drawn(papers.chunk_sizes(), tmp_path, "degradation-over-chunk-size", ("svg",))
    said = texts(tmp_path / "degradation-over-chunk-size.svg")
    for wanted in (
        "open-write-close loses",
        "aggregate-write loses",
        "chunk size",
        "degradation, %",
        "16 MiB",
        "256 MiB",
        "100",
    ):
        assert wanted in said, said
    whole = " ".join(said)
    assert "break-even 16 MiB" in whole.replace("\n", " ")
    assert "n = 5" in whole and "95 % interval" in whole
    assert "study chunk-size · place: lab" in whole


def test_degradation_and_dilation_are_distinguished(tmp_path: Path) -> None:
    drawn(papers.applications(), tmp_path, ".*-against-applications", ("svg",))
    for measure, other in (("degradation", "dilation"), ("dilation", "degradation")):
        (path,) = tmp_path.glob(f"{measure}-*.svg")
        whole = " ".join(texts(path))
        assert f"{measure} of the probe, %" in whole
        assert f"{measure} = " in whole
        assert other not in whole


def test_the_csv_is_the_data(tmp_path: Path) -> None:
    result = papers.patterns(shared=True)
    drawn(result, tmp_path, "degradation-matrix-shared-file")
    table = rows(tmp_path / "degradation-matrix-shared-file.csv")
    assert len(table) == len(result.cells)
    by_key = {(cell.probe, cell.signal, cell.setting.chunk): cell for cell in result.cells}
    for row in table:
        cell = by_key[row["probe"], row["signal"], int(row["chunk_bytes"])]
        if cell.degradation.median is None:
            assert row["degradation_median"] == ""
            assert (row["kept"], row["failed"]) == ("0", "5")
        else:
            assert float(row["degradation_median"]) == cell.degradation.median
            assert float(row["degradation_low95"]) == cell.degradation.low
            assert float(row["degradation_least_disturbed"]) == cell.degradation_best


def test_the_csv_of_the_model_is_vectors_md(tmp_path: Path) -> None:
    drawn(papers.kuo(), tmp_path, "predicted-against-.*|overlap-.*")
    table = rows(tmp_path / "predicted-against-observed-run-time.csv")
    found = {
        (row["p"], row["q"]): row
        for row in table
        if row["by"] == "process" and row["shared"] == "False"
    }
    row = found["12", "60"]
    assert float(row["large_predicted_s"]) == pytest.approx(205.3, abs=0.1)
    assert float(row["large_relative_error"]) == pytest.approx(0.011, abs=0.001)
    assert float(row["small_predicted_s"]) == pytest.approx(338.7, abs=0.1)
    overlap = rows(tmp_path / "overlap-throughput.csv")
    ratios = [float(row["overlap_Q_per_P"]) for row in overlap]
    assert min(ratios) == pytest.approx(0.87, abs=0.01)


def test_slices_of_a_trace_are_in_the_csv(tmp_path: Path) -> None:
    result = papers.patterns(periodic=True)
    result = dataclasses.replace(result, traces=result.traces[:1], cells=[], standalone=[])
    (saved,) = drawn(result, tmp_path, ".*")
    table = rows(saved.files[-1])
    trace = result.traces[0]
    probe = [float(row["bytes/s"]) for row in table if row["series"] == "probe with signal"]
    assert probe == trace.probe_rate
    assert sum(row["series"] == "signal is on" for row in table) == len(trace.bursts)


def test_the_numbers_of_a_periodic_run_are_those_of_its_cell() -> None:
    (stem, chart), *_ = periodic(tidy(papers.patterns(periodic=True)))
    assert stem == "time-slices-open-write-close-alongside-open-write-close-1-mib-256-against-256"
    assert chart.drop == pytest.approx(0.6 * 0.4261, abs=0.02)  # what the trace was made with
    lengths = [end - begin for begin, end in (chart.alone_ns, chart.together_ns)]
    if chart.dilation is not None:
        assert lengths[1] / lengths[0] - 1 == pytest.approx(chart.dilation, abs=1e-6)
    assert chart.seen == (4, 5)


def test_a_study_without_pairs_shows_what_its_programs_get(tmp_path: Path) -> None:
    assert stems(papers.kuo_alone()) == ["standalone", "standalone-shared-file"]
    assert "standalone" not in stems(papers.kuo())
    (first, second) = drawn(papers.kuo_alone(), tmp_path, "standalone.*")
    assert first.title.startswith("Alone, most with 60 processes, private files, store ram: 103 ")
    assert "least with 60 processes, shared file, store disk: 55.4 MiB/s" in second.title
    found = rows(tmp_path / "standalone.csv") + rows(tmp_path / "standalone-shared-file.csv")
    assert len(found) == 16
    reported = {
        (row["processes"], row["shared"], "ram" in row["setting"]): float(row["per_second"])
        for row in found
    }
    assert reported["60", "True", False] == pytest.approx(55.4 * (1 << 20), rel=0.01)
    assert reported["36", "False", True] == pytest.approx(100.4 * (1 << 20), rel=0.01)


def test_an_empty_study_draws_nothing(tmp_path: Path) -> None:
    assert draw_all(papers.result(), tmp_path / "new") == []
    assert list((tmp_path / "new").iterdir()) == []


def test_one_run_of_each_cell_is_enough(tmp_path: Path) -> None:
    setting, alone = Setting(None, (1, 1)), Summary(1, 0.4, 0.4, 0.4, 0.4, None, None)
    cells = [
        dataclasses.replace(made, repetitions=made.repetitions[:1], degradation=alone)
        for made in (
            papers.cell("dd", "cp", setting, 0.4, 0.3),
            papers.cell("cp", "dd", setting, 0.4, 0.3),
        )
    ]
    saved = draw_all(papers.result(programs=["dd", "cp"], cells=cells), tmp_path, ("svg",))
    whole = " ".join(texts(saved[0].files[0]))
    assert "n = 1" in whole
    assert "interval" not in whole and "diamond" not in whole  # there are none


def test_a_single_bar_is_no_figure(tmp_path: Path) -> None:
    one = papers.cell("dd", "cp", Setting(None, (1, 1)), 0.4, 0.3)
    names = stems(papers.result(programs=["dd", "cp"], cells=[one]))
    assert not any("matrix" in name for name in names)


def test_cells_without_numbers_do_not_break(tmp_path: Path) -> None:
    setting = Setting(papers.MIB, (4, 4))
    dead = papers.cell("a", "b", setting, 0.5, 0.5, failed=5)
    strange = papers.cell("b", "a", setting, math.nan, math.nan)
    result = papers.result(
        programs=["a", "b"],
        cells=[dead, strange],
        traces=[papers.trace("a", "b", setting, loss=math.nan)],
    )
    for one in draw_all(result, tmp_path):
        assert all(path.stat().st_size for path in one.files)


def test_names_are_never_read_as_mathematics(tmp_path: Path) -> None:
    setting = Setting(None, (1, 1))
    cells = [papers.cell(one, "b_$x$", setting, 0.5, 0.4) for one in ("$HOME_a^", "b_$x$")]
    draw_all(papers.result(programs=["$HOME_a^", "b_$x$"], cells=cells), tmp_path, ("svg",))
    assert any("$HOME_a^" in text for text in texts(tmp_path / "degradation-matrix.svg"))


def test_the_order_is_that_of_the_thesis() -> None:
    result = papers.patterns()
    mixed = dataclasses.replace(
        result, cells=result.cells[::-1], programs=["other", *result.programs[::-1]]
    )
    tidied = tidy(mixed)
    assert tidied.programs == [papers.OWC, papers.WS, papers.AW, "other"]
    (group,) = groups(tidied.cells, tidied.programs)
    assert group.probes == group.signals == [papers.OWC, papers.WS, papers.AW]
    assert group.chunks == [papers.MIB, 16 * papers.MIB, 256 * papers.MIB]


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.4261, "43 %"),
        (0.0994, "9.9 %"),
        (0.0996, "10 %"),
        (-0.0001, "0.0 %"),
        (-0.064, "-6.4 %"),
        (0, "0.0 %"),
        (None, "-"),
        (math.nan, "-"),
        (12.5, "1250 %"),
    ],
)
def test_shares_as_people_read_them(share: float | None, shown: str) -> None:
    assert share_label(share) == shown


def test_values_above_bars_are_rounded_not_cut() -> None:
    from jostle_lab.plot.study.versus import _number

    mib = 1 << 20
    assert _number(22.8 * mib, "bytes", 1.0) == "22.8"
    assert _number(22.8 * mib, "bytes", 0.15) == "23"
    assert _number(3395.4, "closes", 0.01) == "3,395"
    assert _number(11.3, "s", 0.1) == "11"


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    from jostle.plot.figures.page import wrapped

    for line in wrapped("loses 62 % alongside itself at 64 KiB and 22.8 MiB/s in 250 ms", 0.7, 7.5):
        assert not re.match(r"(%|KiB|MiB/s|ms)", line)


def test_rates_are_said_in_the_manner_of_their_metric() -> None:
    from jostle_lab.plot.study_charts import rate_label

    assert rate_label(float(3 << 20), "bytes") == "3.00 MiB/s"
    assert rate_label(float(3 << 20), "read_bytes") == "3.00 MiB/s read"
    assert rate_label(12.0, "closes").endswith(" closes/s")
    assert rate_label(1.96e9, "cpu_ns") == "1.96 CPU s/s"
    assert rate_label(2.5e9, "instructions") == "2.50 G instructions/s"


def test_an_interval_of_two_runs_does_not_squeeze_the_rest() -> None:
    from jostle_lab.plot.study.matrix import _range, matrices

    result = papers.patterns()
    wide = Summary(2, 0.5, 0.5, 0.4, 0.6, -2.3, 3.4)
    cells = [dataclasses.replace(cell, degradation=wide) for cell in result.cells]
    ((_, matrix),) = matrices(dataclasses.replace(result, cells=cells), "degradation")
    assert _range(matrix)[0] >= -15


def test_titles_say_nothing_of_what_was_not_compared() -> None:
    """One way alone: no pair can break even. Other metrics: nothing can be shared."""
    chunks = papers.chunk_sizes()
    assert "break even at" in title_of(chunks, "degradation-over-chunk-size")
    doubtful = [dataclasses.replace(point, certain=False) for point in chunks.break_even]
    unknown = dataclasses.replace(chunks, break_even=doubtful)
    title = title_of(unknown, "degradation-over-chunk-size")
    assert (
        title
        == "Where pairs break even cannot be determined: the intervals of their losses overlap"
    )
    one_way = dataclasses.replace(chunks, break_even=[], curves=chunks.curves[:2])
    assert title_of(one_way, "degradation-over-chunk-size").startswith("As chunks grow from ")
    same = Summary(1, 0.3, 0.3, 0.3, 0.3, None, None)
    flat = [
        dataclasses.replace(
            curve, points=[dataclasses.replace(point, degradation=same) for point in curve.points]
        )
        for curve in one_way.curves
    ]
    title = title_of(dataclasses.replace(one_way, curves=flat), "degradation-over-chunk-size")
    assert title.endswith(" stays at 30 %")


def title_of(result: StudyResult, stem: str) -> str:
    (page,) = (page for page, _ in plans(result) if page.stem == stem)
    return page.title


def test_a_signal_counted_otherwise_does_not_hide_the_probe() -> None:
    from jostle_lab.plot.study.slices import Lines, _top, grid_page, grids

    result = papers.patterns()
    other = [
        dataclasses.replace(
            trace, metric="closes", signal_rate=[1e6 * x for x in trace.signal_rate]
        )
        for trace in result.traces
    ]
    mixed = dataclasses.replace(result, traces=other)
    trace = next(trace for trace in other if trace.signal)
    lines = Lines.of(trace)
    assert _top([trace], {id(trace): lines}) <= 2 * max(lines.probe.peak, lines.alone.peak)
    pages = [grid_page(mixed, grid) for grid in grids(mixed)]
    assert pages and all(page.note.endswith("has its own scale.") for page in pages)


def test_text_stays_text_in_svg_and_pdf(tmp_path: Path) -> None:
    """Type 42 (TrueType) as journals want it, and SVG text that can be searched."""
    drawn(papers.chunk_sizes(), tmp_path, "degradation-over-chunk-size", ("svg", "pdf"))
    pdf = (tmp_path / "degradation-over-chunk-size.pdf").read_bytes()
    assert b"/Subtype /Type3" not in pdf
    assert b"/FontFile2" in pdf and b"/CIDFontType2" in pdf
    assert "chunk size" in texts(tmp_path / "degradation-over-chunk-size.svg")


def test_an_axis_is_logarithmic_where_values_span_more_than_two_decades() -> None:
    def scales(result: StudyResult) -> tuple[set[str], str]:
        page, draw = next(p for p in plans(result) if p[0].stem.startswith("standalone-against"))
        with matplotlib.rc_context(PAGE_STYLE):
            made = canvas(page)
            draw(made)
            assert not faults(made.figure)
        return {axes.get_yscale() for axes in made.drawn[:1]}, page.note

    result = papers.patterns()
    usual = scales(result)
    assert usual[0] == {"linear"} and "Bars: median" in usual[1]
    slow = [
        dataclasses.replace(
            each,
            overall=Summary(
                5, *[rate / 1000 for rate in [each.overall.median or 0] * 4], None, None
            ),
        )
        for each in result.standalone
    ]
    wide = scales(dataclasses.replace(result, standalone=slow))
    assert wide[0] == {"log"} and "Bars (marks where the axis is logarithmic): median" in wide[1]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([1, 1], "One run each: how far runs differ is not known."),
        ([1, 5], "Where n = 1, how far runs differ is not known."),
        ([2, 5], ""),
        ([], ""),
    ],
)
def test_single_runs_have_a_caveat(counts: list[int], said: str) -> None:
    assert single_runs(counts).strip() == said


def test_every_kind_of_figure_of_single_runs_has_the_caveat() -> None:
    result = papers.kuo()
    once = [dataclasses.replace(cell, repetitions=cell.repetitions[:1]) for cell in result.cells]
    notes = {page.stem: page.note for page, _ in plans(dataclasses.replace(result, cells=once))}
    for stem in ("degradation-matrix", "standalone-against-concurrent", "spread-per-process"):
        found = [note for name, note in notes.items() if name.startswith(stem)]
        assert found and all("how far runs differ is not known" in note for note in found), stem


def test_ties_are_said() -> None:
    assert tied([0.43, 0.431, 0.2], 0.43) == " (one other as much)"
    assert tied([0.43, 0.43, 0.43], 0.43) == " (2 others as much)"
    assert tied([0.43, 0.2], 0.43) == ""
    result = papers.patterns()
    (group, *_) = groups(result.cells, result.programs)
    same = Summary(5, 0.4, 0.4, 0.4, 0.4, None, None)
    alike = [dataclasses.replace(cell, degradation=same) for cell in group.cells]
    title = finding(dataclasses.replace(group, cells=tuple(alike)))
    assert title.endswith(f" ({len(alike) - 1} others as much)")


def test_pages_and_figures_have_programs_in_one_order() -> None:
    """What the page asks for (`study_json`) is in the order of the figures."""
    result = papers.patterns()
    mixed = dataclasses.replace(result, programs=result.programs[::-1], cells=result.cells[::-1])
    shown = study_json(mixed)
    assert shown["programs"] == tidy(mixed).programs == [papers.OWC, papers.WS, papers.AW]
    assert [cell["probe"] for cell in shown["cells"]] == [c.probe for c in tidy(mixed).cells]


def test_probe_and_signal_are_filled_alike_on_pages_and_in_figures() -> None:
    ui = Path(__file__).parents[3] / "ui/src"
    assert f"--fill: {FILL};" in (ui / "tokens.css").read_text()
    style = (ui / "pages/study/CellDetails.svelte").read_text()
    for name, colour in (("probe", "own"), ("signal", "others")):
        assert f"path.{name} {{ fill: var(--{colour}); fill-opacity: var(--fill);" in style
    page, draw = next(p for p in plans(papers.patterns()) if p[0].stem.startswith("time-slices"))
    with matplotlib.rc_context(PAGE_STYLE):
        made = canvas(page)
        draw(made)
    filled = {
        to_hex(patch.get_facecolor()[:3]).upper(): patch.get_alpha()
        for axes in made.drawn
        for patch in axes.patches
        if patch.get_fill()
    }
    assert filled == {PALETTE[0]: FILL, PALETTE[1]: FILL}
