"""The command, its tables and its figures, on synthetic results."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from jostle.cli.main import main
from jostle.cli.output import console, show
from jostle_lab.analysis.validation import ClusteringScore
from jostle_lab.cli.views.validate import _noise, view
from jostle_lab.plot.validation import draw_all
from jostle_lab.validation.clusterings import Clustered
from jostle_lab.validation.evaluate import METHODS, RAW, Evaluation
from jostle_lab.validation.lab.score import Seen, Slices, lab_score
from jostle_lab.validation.oracle import Band, Resolution, Truth
from jostle_lab.validation.results import Results
from jostle_lab.validation.score import Assessed, Row, score


@pytest.fixture(autouse=True)
def own_console() -> None:
    """The console that is kept writes to the capture of an earlier test."""
    console.cache_clear()


def made() -> Results:
    """Makes results of six runs of a program, of a raw one, and of two experiments."""
    rows = []
    for number, (total, said) in enumerate(
        [(1, 1.5), (4, 3), (9, 8), (12, 16), (20, 22), (40, 37)], 1
    ):
        kind = "clean" if number == 1 else "cpu" if number == 2 else "inject"
        band = Band(total, total, total + 1, 10) if kind == "inject" else None
        light = {4: None, 2: "yellow", 3: "yellow"}.get(number, "green" if said < 7.5 else "red")
        assessed = Assessed(said, said - 1.5, said + 1.5, 0.0, 0.0, 1.0, 0.98, light=light)
        rows.append(
            Row(
                f"stencil-{number:03d}-{kind}",
                "stencil",
                kind,
                total / 100,
                Truth(100.0, total, 0.0, 60, total - 0.5, total + 0.5),
                band,
                total * 0.9,
                {"steal": 0.0, "foreign": 0.0, "load": 1.0},
                {"jostle": assessed, "thesis": Assessed(said / 2, 0, 0, 0, 0, 1, None)},
            )
        )
    rows.append(
        Row(
            "stencil-007-clean-raw",
            "stencil",
            "inject",
            0.05,
            Truth(100, 5, 0, 60, 4, 6),
            Band(2, 3, 4, 10),
            4.0,
            {"steal": 0.2, "foreign": 0.0, "load": 1.0},
            {RAW: Assessed(3, 2, 4, 0, 0, 1, None)},
        )
    )
    scores = [score("stencil", method, rows) for method in (*METHODS, RAW)]
    seen = [
        Seen(
            "s001-writer",
            "harmful",
            "writer",
            False,
            Slices(9, 1, 0),
            ("s001-writer-bad",),
            True,
            20.0,
            4.0,
            4.4,
            3.5,
            5.0,
        ),
        Seen(
            "s002-writer",
            "harmless",
            "writer",
            True,
            Slices(0, 0, 0),
            ("s002-writer-computes",),
            None,
            16.0,
            0.0,
            0.3,
            0.0,
            0.6,
        ),
    ]
    clusters = [
        ClusteringScore("relative 0.1", 8, 0.02, 0.1),
        ClusteringScore("k-means", 40, 0.01, 0.8),
    ]
    return Results(
        estimation=Evaluation(
            rows, scores, {"stencil": 0.0}, [], {"stencil": Resolution(1.5, 1.25)}
        ),
        seen=seen,
        lab=lab_score(seen),
        clustering=[Clustered("stencil", "stencil-001-clean", 60, clusters)],
    )


def test_the_tables_of_the_thesis(capsys: pytest.CaptureFixture[str]) -> None:
    """Tables 5.5 to 5.7: the most disturbed run first, both percentages, classes, probabilities."""
    show(*view(made()))
    lines = capsys.readouterr().out.splitlines()
    first = next(line for line in lines if line.startswith("stencil-006"))
    assert first.split()[1:5] == ["40.0", "37.0", "3.0", "H/H"]
    assert "35.5..38.5 !" in first  # 40 is not in it
    medium = next(line for line in lines if line.startswith("stencil-004"))
    assert medium.split()[4:8] == ["M/H", "0.57", "0.84", "0.28"]
    assert any(
        line.startswith("F1 by class, jostle: high 0.80 (2 right, 1 wrong") for line in lines
    )
    raw = [line for line in lines if line.startswith("stencil-007")]
    assert len(raw) == 1 and raw[0].split()[1:5] == ["5.0", "2.0..4.0", "2.0", "20.0"]
    assert any(line.startswith("F1 by class, thesis, raw: ") for line in lines)
    assert any(line.startswith("Not injected: 0.0 % in the median, 4.0 at most") for line in lines)
    assert any(
        "oracles of two halves of the runs differ by 1.5 points in all, 1.2 of" in x for x in lines
    )
    lab = next(line for line in lines if line.startswith("s002-writer"))
    assert lab.endswith("s002-writer-computes !")  # named without disturbed
    assert "1 false alarms in 1 null runs" in " ".join(lines)


@pytest.mark.parametrize(("steal", "says"), [(1.0, False), (-1.0, True)])
def test_noise_that_no_counter_explains_is_reported(steal: float, says: bool) -> None:
    """The machine's own part goes with steal, or it does not: the line says which."""
    rows = [
        replace(row, band=None, noise={"steal": 0.5 + steal * row.truth.total / 100, "foreign": 0})
        for row in [*made_rows(), *made_rows()]
    ]
    (reported,) = _noise(rows)
    assert ("no counter" in reported) == says


def test_lights_are_scored(capsys: pytest.CaptureFixture[str]) -> None:
    """Of five decided ones one is wrong: 4 % lost, and called yellow. All runs are long."""
    show(*view(made()))
    lines = capsys.readouterr().out.splitlines()
    table = lines.index(next(line for line in lines if line.startswith("Estimates")))
    total = next(line for line in lines[table:] if line.startswith("stencil") and "jostle" in line)
    assert total.split()[-6:] == ["80", "%", "17", "%", "17", "%"]
    assert "yellow !" in next(line for line in lines if line.startswith("stencil-002"))
    assert " undecided " in next(line for line in lines if line.startswith("stencil-004"))
    found = made().estimation
    assert found is not None
    lights = found.to_json()["scores"][0]["lights"]
    assert lights == {"runs": 6, "decided": 5, "right": 4, "long": 6, "long_undecided": 1}


def unknown(*, all_of_them: bool) -> Results:
    """Makes results in which the truth of a program, or of the only one, is not known."""
    found = made()
    assert found.estimation is not None
    odd = [
        replace(row, code="odd", job=f"odd-{number:03d}")
        for number, row in enumerate(found.estimation.rows[:6])
    ]
    rows = odd if all_of_them else [*found.estimation.rows, *odd]
    scores = [] if all_of_them else found.estimation.scores
    found.estimation = Evaluation(rows, scores, {}, [], {}, {"odd": "its truth is not known: why"})
    return found


def test_a_program_whose_truth_is_not_known_is_shown_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In its table and its figure, and in no other figure."""
    show(*view(unknown(all_of_them=False)))
    out = capsys.readouterr().out
    assert "not scored: its truth is not known: why" in out
    assert "odd is not in these figures: its truth is not known: why" in out
    first = next(line for line in out.splitlines() if line.startswith("odd-005"))
    assert first.split() == ["odd-005", "40.0", "37.0", "35.5..38.5", "red"]  # no error
    saved = draw_all(unknown(all_of_them=False), tmp_path, ["svg"])
    stems = [one.files[0].stem for one in saved]
    assert "runs-odd" in stems
    assert "is not scored: its truth is not known: why" in (tmp_path / "runs-odd.svg").read_text()
    for stem in ("soft-probability", "accuracy-injected", "accuracy-disturbed"):
        assert "odd" not in (tmp_path / f"{stem}.csv").read_text()


def test_where_no_truth_is_known_it_says_that_nothing_was_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(*view(unknown(all_of_them=True)))
    assert "Nothing could be scored" in capsys.readouterr().out
    stems = [one.files[0].stem for one in draw_all(unknown(all_of_them=True), tmp_path)]
    assert "soft-probability" not in stems


def made_rows() -> list[Row]:
    """Gives the runs of the made results."""
    found = made().estimation
    assert found is not None
    return found.rows


def test_the_figures(tmp_path: Path) -> None:
    """Figures 5.17 to 5.20 and 5.4, each with its numbers."""
    saved = draw_all(made(), tmp_path)
    stems = [one.files[0].stem for one in saved]
    assert stems == [
        "runs-stencil",
        "soft-probability",
        "accuracy-injected",
        "accuracy-disturbed",
        "seconds-lost-in-the-lab",
        "clustering",
    ]
    with (tmp_path / "runs-stencil.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["measured_percent"]) for row in rows] == [1, 4, 9, 12, 20, 40]
    assert all(path.stat().st_size > 0 for one in saved for path in one.files)


def test_an_empty_folder_and_wrong_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing to assess is said; a misspelt program and two numbers of runs are refused."""
    folder = ["validate", "--dir", str(tmp_path)]
    assert main([*folder, "--estimation", "--score-only"]) == 0
    assert "Nothing to score yet" in capsys.readouterr().out
    assert json.loads((tmp_path / "results.json").read_text())["estimation"]["rows"] == []
    assert main([*folder, "--estimation", "--programs", "lamps"]) == 2
    assert "lammps" in capsys.readouterr().err
    assert main([*folder, "--quick", "--runs", "3"]) == 2


@pytest.mark.parametrize("place", ["/proc/validation", "{file}", "{file}/below"])
def test_a_folder_that_cannot_be_is_refused(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A user's mistake, reported with its fix before anything is run."""
    file = tmp_path / "file"
    file.touch()
    assert main(["validate", "--dir", place.format(file=file), "--estimation"]) == 2
    assert "Name another with --dir." in capsys.readouterr().err
