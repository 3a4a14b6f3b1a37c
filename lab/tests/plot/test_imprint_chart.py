"""The imprint of a signal in a probe: in a terminal, as a picture, and its numbers."""

from __future__ import annotations

import csv
import dataclasses
import math
import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from figure_texts import texts
from jostle.plot import Series
from jostle.plot.charts.imprint import ImprintChart, level, level_in_bursts, seconds_ticks
from jostle.plot.figures.page import PAGE_STYLE, canvas, save
from jostle.plot.terminal.imprint import draw_imprint
from jostle_lab.plot.imprint import draw_figure, imprint_page

SECOND = 1_000_000_000
BEGIN = 1_700_000_000 * SECOND
SLICE = SECOND // 4


def series(values: list[float], begin: int = BEGIN) -> Series:
    edges = begin + np.arange(len(values) + 1, dtype=np.int64) * SLICE
    return Series("probe", edges, np.array(values, dtype=np.float64), sum(values))


def chart(*, drop: float = 0.5) -> ImprintChart:
    """A probe of 40 MiB/s: 5 s alone; with a signal on in every other second it takes longer."""
    rate = 40.0 * (1 << 20)
    together = [rate * (1 - drop if (n // 4) % 2 else 1) for n in range(26)]
    bursts = tuple((BEGIN + n * SECOND, BEGIN + (n + 1) * SECOND) for n in (1, 3, 5))
    load = [20.0 * (1 << 20) if (n // 4) % 2 else 0.0 for n in range(26)]
    begin = BEGIN - 60 * SECOND
    return ImprintChart(
        "writer",
        "bursts",
        "bytes",
        series([rate] * 20, begin),
        series(together),
        series(load),
        bursts,
        (begin, begin + 5 * SECOND),
        (BEGIN, BEGIN + 26 * SLICE),
        drop=drop,
        degradation=0.23,
        dilation=0.3,
        seen=(3, 3),
        source="lab; slices of 250 ms",
    )


def save_imprint(shown: ImprintChart, path: Path) -> Path:
    """Draw an imprint as `study show --plot` does."""
    page = imprint_page(shown, path.stem)
    with matplotlib.rc_context(PAGE_STYLE):
        made = canvas(page)
        draw_figure(made, shown)
        return save(made, page, path.parent, [path.suffix.lstrip(".")])[0]


def plain(shown: ImprintChart, width: int = 100, *, unicode: bool = True) -> list[str]:
    lines = draw_imprint(shown, width=width, unicode=unicode)
    return ["".join(text for text, _ in line) for line in lines]


def test_levels_are_those_of_the_series() -> None:
    shown = chart()
    assert level(shown.alone, shown.alone_ns) == pytest.approx(40 * 2**20)
    assert level_in_bursts(shown) == pytest.approx(20 * 2**20)
    assert math.isnan(level_in_bursts(dataclasses.replace(shown, bursts=())))


def test_the_terminal_shows_dents_under_the_bursts() -> None:
    lines = plain(chart())
    ruler = next(line for line in lines if "▀" in line)
    below = lines.index(ruler)
    top = next(line for line in lines[below - 6 : below] if "MiB/s │" in line and "█" in line)
    for column, cell in enumerate(ruler):
        if cell == "▀" and ruler[column - 2 : column + 3] == "▀" * 5:
            assert top[column : column + 1].strip() == ""  # the top row is gone in a burst
    whole = "\n".join(lines)
    assert "Each burst of bursts takes 50 % of the throughput that writer has alone" in whole
    assert "degradation during the bursts, against the run alone: 50 %" in whole
    assert "degradation over the whole run, against the run alone: 23 %" in whole
    assert "dilation of the run time: 30 %" in whole
    assert "drop seen in 3 of 3 periods" in whole


@pytest.mark.parametrize(
    ("seen", "title"),
    [
        ((3, 3), "Each burst of bursts takes 50 %"),
        ((2, 3), "A burst of bursts takes 50 %"),
        ((0, 3), "The slices of writer do not show the bursts of bursts"),
    ],
)
def test_the_title_claims_no_more_than_was_seen(seen: tuple[int, int], title: str) -> None:
    assert dataclasses.replace(chart(), seen=seen).title.startswith(title)


@pytest.mark.parametrize("width", [50, 80, 200])
@pytest.mark.parametrize("unicode", [True, False])
def test_drawings_fit_and_are_ascii_when_asked(width: int, unicode: bool) -> None:
    for line in plain(chart(), width, unicode=unicode):
        if re.search("[│└|+]", line):
            assert len(line) <= width
        assert unicode or line.isascii()


def test_pictures_and_their_numbers(tmp_path: Path) -> None:
    shown = chart()
    for ending, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        path = save_imprint(shown, tmp_path / f"imprint.{ending}")
        assert path.read_bytes().startswith(magic)
    with (tmp_path / "imprint.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    probe = [float(row["bytes/s"]) for row in rows if row["series"] == "probe with signal"]
    assert probe == shown.together.values.tolist()
    bursts = [
        (float(r["begin_s"]), float(r["end_s"])) for r in rows if r["series"] == "signal is on"
    ]
    assert bursts == [(1, 2), (3, 4), (5, 6)]


def test_the_picture_names_both_numbers(tmp_path: Path) -> None:
    path = save_imprint(chart(), tmp_path / "imprint.svg")
    whole = " ".join(texts(path)).replace("\n", " ").replace("\u00a0", " ")
    for wanted in (
        "degradation 50 %",
        "dilation 30 %",
        "alone: 5.00 s",
        "with the signal: 6.50 s",
        "mean alone 40.0 MiB/s",
        "mean in the bursts 20.0 MiB/s",
        "the signal is on",
        "seconds since the probe's start",
    ):
        assert wanted in whole, whole


@pytest.mark.parametrize(
    "changed",
    [
        {"drop": None, "degradation": None, "dilation": None, "seen": None},
        {"drop": math.nan, "dilation": math.nan},
        {"load": None},
        {"bursts": ()},
        {"dilation": -0.1, "together_ns": (BEGIN, BEGIN + 18 * SLICE)},
        {"together": series([])},
        {"alone": series([0.0] * 4), "together": series([0.0] * 4)},
    ],
)
def test_what_is_missing_does_not_break(changed: dict[str, object]) -> None:
    shown = dataclasses.replace(chart(), **changed)  # type: ignore[arg-type]
    assert plain(shown)
    with matplotlib.rc_context(PAGE_STYLE):
        made = canvas(imprint_page(shown, "imprint"))
        draw_figure(made, shown)
        made.figure.draw_without_rendering()


def test_a_name_that_is_its_role_is_said_once(tmp_path: Path) -> None:
    named = dataclasses.replace(chart(), probe="the probe", signal="the signal")
    said = imprint_page(named, "x").note
    assert "the probe per slice, alone and alongside the signal" in said
    assert "the probe (the probe)" not in said


@pytest.mark.parametrize("length", [0.1, 1.0, 7.3, 59.0, 400.0, 7200.0])
def test_seconds_have_few_round_ticks(length: float) -> None:
    ticks = seconds_ticks(length, 9)
    assert 1 <= len(ticks) <= 9
    assert ticks[0] == 0 and ticks[-1] <= length
