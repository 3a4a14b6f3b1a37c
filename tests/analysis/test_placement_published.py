"""Bhatele's published numbers, recomputed by `jostle placement` from synthetic runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from jostle.cli.main import cli
from jostle_lab.synthetic import Placements, plant_placements


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Placements:
    return plant_placements(tmp_path_factory.mktemp("placements") / "hopper")


def placement(injected: Placements, *words: str) -> dict[str, Any]:
    command = ["--repository", str(injected.path), "placement", *words, "--json"]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


@pytest.fixture(scope="module")
def program(injected: Placements) -> dict[str, Any]:
    return placement(injected, "--program", "pf3d")


def mean_and_spread(rates: list[float]) -> tuple[float, float]:
    return float(np.mean(rates)) / 1e6, float(np.std(rates, ddof=1)) / 1e6


def test_runs_alongside_milc_are_slower_by_the_published_test(program: dict[str, Any]) -> None:
    milc = program["suspects"][0]
    assert milc["program"] == "milc"
    assert mean_and_spread(milc["with_rates"]) == pytest.approx((58.0, 9.12), abs=0.005)
    assert mean_and_spread(milc["without_rates"]) == pytest.approx((66.0, 8.69), abs=0.005)
    assert milc["normal"] == pytest.approx([0.145, 0.536], abs=0.06)
    assert milc["equal_variance"] == pytest.approx(0.662, abs=0.03)
    assert milc["test"] == "ANOVA"
    assert milc["p"] == pytest.approx(1.76e-7, rel=0.02)
    # Nobody else changes the rate: neither the calm program nor MILC where it shares no link.
    assert [each["program"] for each in program["suspects"] if each["q"] < 0.05] == ["milc"]


def test_hops_and_contiguity_explain_little_and_conflicting_routers_most(
    program: dict[str, Any], injected: Placements
) -> None:
    assert program["communicators"]["all"]["pearson"] == pytest.approx(0.23, abs=0.0005)
    measures = {row["key"]: row for row in program["measures"]}
    assert next(iter(measures)) == "conflicting_routers"
    assert measures["conflicting_routers"]["rate"]["spearman"] < -0.75
    for key in ("hops", "communicator_hops", "contiguity", "routers"):
        assert abs(measures[key]["rate"]["spearman"]) < 0.2
    contiguity = np.array(measures["contiguity"]["values"])
    assert ((contiguity >= 0.1) & (contiguity <= 0.2)).mean() > 0.85
    answer = np.array(measures["conflicting_routers"]["values"])
    truth = np.array([run.conflicting for run in injected.runs])
    # A small neighbour may share no link by chance; none that is far away does.
    assert (answer <= truth + 1e-6).all()
    assert np.abs(answer - truth).mean() < 0.03 * truth.mean()


def test_pairs_of_runs_are_as_published(program: dict[str, Any], injected: Placements) -> None:
    assert program["best_to_worst"] == pytest.approx(2.29, abs=0.005)
    pairs = {pair["why"]: pair for pair in program["pairs"]}
    alike = pairs["most alike"]
    assert {alike["slow"], alike["fast"]} == set(injected.alike)
    assert round(100 * alike["nodes_alike"], 1) == 98.7
    assert round(100 * alike["neighbours_alike"], 1) == 92.8
    assert alike["faster"] == pytest.approx(0.03, abs=0.005)
    same = pairs["same nodes, other neighbours"]
    assert {same["slow"], same["fast"]} == set(injected.same_nodes)
    assert same["faster"] == pytest.approx(1 / 0.75 - 1, abs=0.01)


def test_noise_of_the_system_is_excluded(program: dict[str, Any]) -> None:
    noise = program["noise"]
    assert noise["excluded"]
    assert noise["least"] <= 0.06
    assert noise["most"] <= 0.16
    assert noise["mpi_part"] > 0.95
    assert list(program["calls"]) == ["send", "receive", "all to all"]  # the least first


def test_the_rate_inside_long_runs_changes_with_neighbours(injected: Placements) -> None:
    answer = placement(injected, "--program", "pf3d-long")
    courses = {course["job"]: course for course in answer["courses"]}
    assert courses.keys() == {run.place.job for run in injected.long_runs}
    ends = [
        event
        for event in courses["pf3d-long-0"]["events"]
        if event["program"] == "milc" and not event["starts"]
    ]
    assert len(ends) == 1
    assert ends[0]["change"] == pytest.approx(0.22, abs=0.04)


def test_a_job_is_shown_with_who_shares_its_links(injected: Placements, tmp_path: Path) -> None:
    run = next(run for run in injected.runs if run.alongside)
    answer = placement(injected, run.place.job, "--plot", str(tmp_path), "--format", "svg")
    assert answer["shape"]["nodes"] == 152
    first = answer["company"]["meetings"][0]
    assert first["program"] == "milc"
    assert first["conflicting"]
    assert first["shared_links"] <= answer["company"]["links"]
    picture, numbers = (Path(file) for file in answer["figures"][0]["files"])
    assert "milc may use" in picture.read_text()
    rows = numbers.read_text().splitlines()
    assert rows[0] == "node,router,x,y,z,who"
    assert len(rows) == 1 + 17 * 8 * 24 * 2
    assert sum(row.endswith(f",{run.place.job}") for row in rows) == 152


def test_what_cannot_be_asked_is_refused_with_the_next_step(injected: Placements) -> None:
    for words, said in (
        ((), "Name one job, or one program"),
        (("--program", "nobody"), "The most frequent are"),
        (("--program", "pf3d", "--as-user", "1"), "cannot be used with"),
    ):
        result = CliRunner().invoke(cli, ["--repository", str(injected.path), "placement", *words])
        assert result.exit_code != 0
        assert said in result.output + str(result.exception) + repr(
            getattr(result.exception, "hint", "")
        )
