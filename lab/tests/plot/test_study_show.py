"""Output of `study show`: golden texts of synthetic studies.

To renew after a wanted change: JOSTLE_RENEW=1 pytest lab/tests/plot/test_study_show.py, and look at
the diff.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import papers
from jostle.cli.output import console
from jostle.errors import UsageError
from jostle_lab.analysis.study.model import Setting, StudyNote, StudyResult
from jostle_lab.cli.commands.study_show import present

GOLDEN = Path(__file__).with_name("golden")
STUDIES: dict[str, Callable[[], StudyResult]] = {
    "patterns": lambda: papers.patterns(shared=True),
    "periodic": lambda: papers.patterns(periodic=True),
    "chunk-sizes": papers.chunk_sizes,
    "process-count": papers.process_count,
    "kuo": papers.kuo,
    "applications": papers.applications,
    "empty": papers.result,
}


@pytest.fixture(autouse=True)
def _page(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A pipe of 110 columns."""
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("NO_COLOR", "1")
    console.cache_clear()
    yield
    console.cache_clear()


def shown(result: StudyResult, capsys: pytest.CaptureFixture[str]) -> str:
    present(result, None, ("png",), as_json=False)
    return capsys.readouterr().out


@pytest.mark.parametrize("name", STUDIES)
def test_golden(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    seen = shown(STUDIES[name](), capsys)
    file = GOLDEN / f"study-{name}.txt"
    if os.environ.get("JOSTLE_RENEW"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(seen, encoding="utf-8")
    assert seen == file.read_text(encoding="utf-8")


def test_the_numbers_are_those_of_table_3_2(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(papers.patterns(), capsys)
    first = out[out.index("chunks of 1 MiB") :]
    line = next(line for line in first.splitlines() if line.startswith("open-write-close"))
    assert " 43 (" in line and " 41 (" in line and " 67 (" in line  # OWC, WS, AW
    assert "degradation: share of the probe's undisturbed throughput lost" in out
    assert "dilation:    share by which the probe's run takes longer" in out


@pytest.mark.parametrize("width", ["60", "80", "100", "160"])
def test_tables_keep_their_numbers_in_any_width(
    width: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    console.cache_clear()
    out = shown(papers.kuo(), capsys)
    for error in ("-41.2 %", "+8.5 %", "+6.8 %"):  # by process, by node, of the smaller
        assert error in out
    assert "…" not in out


def test_failed_and_discarded_runs_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(papers.patterns(shared=True), capsys)
    left = out[out.index("Runs that do not count") :]
    assert left.count("No space left on device") == 5
    assert left.count("foreign traffic 23 % above our own") == 3
    assert "5 failed" in out and "3 discarded" in out


def test_the_clock_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "clock: one machine's, for all nodes" in shown(papers.chunk_sizes(), capsys)
    text = "node2's clock was not synchronised"
    noted = papers.result(place="slurm", notes=[StudyNote("clock", text, [])])
    out = shown(noted, capsys)
    assert "clock: see the note at the end" in out
    assert f"clock: {text}" in out


def test_plain_in_a_pipe_without_unicode(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("jostle.cli.output.utf8", lambda _stream=None: False)
    monkeypatch.setattr("jostle_lab.cli.views.study.utf8", lambda _stream=None: False)
    out = shown(papers.patterns(), capsys)
    assert out.isascii()
    assert "\033" not in out


def test_json_is_the_result_the_laws_and_the_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = papers.process_count()
    result = dataclasses.replace(result, standalone=[], curves=[], cells=result.cells[:2])
    present(result, tmp_path, ("png",), as_json=True)
    content = json.loads(capsys.readouterr().out)
    assert content["cells"][0]["degradation"]["median"] == result.cells[0].degradation.median
    assert isinstance(content["laws"], list)
    assert content["figures"][0]["files"] == [
        str(tmp_path / "degradation-matrix.png"),
        str(tmp_path / "degradation-matrix.csv"),
    ]


def test_figures_are_listed_with_what_they_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = Setting(None, (2, 2))
    cells = [
        papers.cell("one", "other", setting, 0.4, 0.3),
        papers.cell("other", "one", setting, 0.3, 0.4),
    ]
    present(
        papers.result(programs=["one", "other"], cells=cells), tmp_path, ("svg",), as_json=False
    )
    out = capsys.readouterr().out
    assert "degradation-matrix.svg: " in out
    assert "one loses 40 % of its throughput alongside other" in out
    assert all((tmp_path / f"{p.stem}.csv").is_file() for p in tmp_path.glob("*.svg"))


def test_an_empty_study_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    present(papers.result(), tmp_path, ("png",), as_json=False)
    assert "No figure: the study has nothing yet that could be drawn." in capsys.readouterr().out


def test_a_file_is_no_folder_for_figures(tmp_path: Path) -> None:
    from jostle.cli.options.figures import plot_folder

    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is not a folder"):
        plot_folder(str(tmp_path / "file"))


def test_matplotlib_is_loaded_for_figures_only() -> None:
    import subprocess

    code = (
        "import sys, jostle_lab.cli.commands.study_show, jostle_lab.cli.views.study;"
        "import jostle_lab.plot.study_imprints;"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_each_of_two_has_the_unit_of_its_own_progress(capsys: pytest.CaptureFixture[str]) -> None:
    study = papers.kuo()
    assert study.kuo is not None
    row = dataclasses.replace(study.kuo.rows[0], small="reader", large="writer")
    cells = [
        papers.cell("reader", "writer", row.setting, 0.5, 0.5, metric="read_bytes"),
        papers.cell("writer", "reader", row.setting, 0.5, 0.5),
    ]
    kuo = dataclasses.replace(study.kuo, rows=[row])
    seen = shown(dataclasses.replace(study, cells=cells, kuo=kuo), capsys)
    line = next(line for line in seen.splitlines() if line.startswith("reader, writer"))
    assert "45.0 MiB/s read" in line and "52.5 MiB/s  " in line
