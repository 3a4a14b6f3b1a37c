"""The page of the papers' figures says what bench/reproduce.toml and the last results say."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "src/jostle/study/shipped"


@pytest.fixture(scope="module")
def papers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reproduce", ROOT / "bench/reproduce.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_fresh_and_its_pictures_are_there(papers: ModuleType) -> None:
    shown = papers.results()
    assert papers.PAGE.read_text() == papers.page(papers.rows_of(), shown), (
        "bench/reproduce.py page"
    )
    for name, result in shown.items():
        for figure in result["figures"]:
            assert (papers.PICTURES / name / f"{figure['name']}.svg").exists()


def test_studies_that_rows_name_are_shipped(papers: ModuleType) -> None:
    rows = papers.rows_of()
    named = {each["run"][2] for each in rows["experiment"].values()
             if each.get("run", [""])[0] == "study"}  # fmt: skip
    named |= {each["full"] for each in rows["experiment"].values() if "full" in each}
    named |= {row["full"] for paper in rows["paper"] for row in paper["row"] if "full" in row}
    assert named <= {file.stem for file in SHIPPED.glob("*.toml")}


@pytest.mark.parametrize(("change", "problem"), [
    ('obsolete = "Nothing', 'tests = ["tests/none.py"]\nobsolete = "Nothing'),
    ('experiment = "cluster13"', 'experiment = "cluster31"'),
])  # fmt: skip
def test_a_row_that_names_nothing_is_refused(
    papers: ModuleType, tmp_path: Path, change: str, problem: str
) -> None:
    file = tmp_path / "reproduce.toml"
    file.write_text(papers.ROWS.read_text().replace(change, problem, 1))
    tomllib.loads(file.read_text())
    with pytest.raises(SystemExit, match=r"reproduce\.toml: Shah 2020, figure"):
        papers.rows_of(file)
