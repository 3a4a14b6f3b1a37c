"""The page of the papers' figures agrees with reproduce.toml and the last results."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
REPRODUCE = ROOT / "lab/bench/papers/reproduce.py"
SHIPPED = ROOT / "lab/src/jostle_lab/study/shipped"


@pytest.fixture(scope="module")
def papers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reproduce", REPRODUCE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_fresh_and_its_pictures_are_there(papers: ModuleType) -> None:
    shown = papers.results()
    assert papers.PAGE.read_text() == papers.page(papers.rows_of(), shown), (
        "lab/bench/papers/reproduce.py page"
    )
    for name, result in shown.items():
        for figure in result["figures"]:
            assert (papers.PICTURES / name / f"{figure['name']}.svg").exists()


def test_studies_that_rows_name_are_shipped(papers: ModuleType) -> None:
    rows = papers.rows_of()
    named = {
        each["run"][2]
        for each in rows["experiment"].values()
        if each.get("run", [""])[0] == "study"
    }
    named |= {each["full"] for each in rows["experiment"].values() if "full" in each}
    named |= {row["full"] for paper in rows["paper"] for row in paper["row"] if "full" in row}
    assert named <= {file.stem for file in SHIPPED.glob("*.toml")}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ('obsolete = "Nothing', 'tests = ["tests/none.py"]\nobsolete = "Nothing'),
        ('experiment = "cluster13"', 'experiment = "cluster31"'),
    ],
)
def test_a_row_that_names_nothing_is_refused(
    papers: ModuleType, tmp_path: Path, change: str, problem: str
) -> None:
    file = tmp_path / "reproduce.toml"
    file.write_text(papers.ROWS.read_text().replace(change, problem, 1))
    tomllib.loads(file.read_text())
    with pytest.raises(SystemExit, match=r"reproduce\.toml: Shah 2020, figure"):
        papers.rows_of(file)


def test_an_experiment_that_shows_itself_keeps_its_figures(
    papers: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "jostle").write_text(
        "#!/bin/sh\n"
        'for folder; do [ "$last" = --plot ] && break; last=$folder; done\n'
        'echo svg >"$folder/overhead.svg"\n'
        'echo "{\\"runs\\": 6, \\"planned\\": 9, \\"figures\\": '
        '[{\\"title\\": \\"cheap\\", \\"files\\": [\\"$folder/overhead.svg\\"]}]}"\n'
        "exit 1\n"
    )
    (tmp_path / "jostle").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(papers, "PICTURES", tmp_path / "pictures")
    experiment = {"name": "cost", "run": ["overhead", "--json"]}
    assert papers.show(experiment, {"overhead"}, tmp_path) is None
    monkeypatch.setenv("IPM_PRELOAD", "/opt/libipm.so")
    assert not papers.run(experiment, tmp_path, None)  # one program failed
    assert "--alongside=/opt/libipm.so" in capfd.readouterr().out
    result = papers.show(experiment, {"overhead"}, tmp_path)
    assert (result["runs"], result["planned"]) == (6, 9)
    assert result["figures"] == [{"name": "overhead", "finding": "cheap"}]
    assert (tmp_path / "pictures/cost/overhead.svg").read_text() == "svg\n"
