"""From logs alone: which program slows which, and what is known of a single run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command import jostle
from logs import taken
from site_of_logs import site

from jostle.analysis import matrix
from jostle.analysis.identification.runs.whole_runs import compare_runs, permuted
from jostle.report.verdict.whole_runs import is_whole, whole_run
from jostle.repository import Repository


def evident(store: Repository) -> dict[tuple[str, str], float]:
    """Pairs (slowed, by) with evidence, and by how much."""
    return {
        (each.victim, each.aggressor): each.slowdown.value
        for each in matrix(store.programs_alongside()).encounters
        if each.slowdown and each.q is not None and each.q <= 0.05 and each.slowdown.value > 0
    }


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    place = tmp_path_factory.mktemp("site")
    store = Repository(place / "repository", create=True)
    taken(store, place / "logs", *site(1, 2.0))
    return store


def run_numbers(store: Repository, program: str) -> dict[int, str]:
    """Jobs of a program by their number."""
    rows = store.jobs().to_pylist()
    return {int(row["job"].split("-")[1]): row["job"] for row in rows if row["program"] == program}


def test_the_program_that_slows_is_named_and_no_other(disturbed: Repository) -> None:
    found = evident(disturbed)
    assert found.keys() == {("victim", "bully")}
    assert found["victim", "bully"] == pytest.approx(1.0, abs=0.15)


def test_of_totals_alone_as_well(tmp_path: Path, store: Repository) -> None:
    taken(store, tmp_path / "logs", *site(2, 2.0, bins=False))
    assert evident(store).keys() == {("victim", "bully")}


def test_without_an_effect_nobody_is_named(tmp_path: Path, store: Repository) -> None:
    taken(store, tmp_path / "logs", *site(3, 1.0))
    assert evident(store) == {}


def test_a_run_and_whom_it_met(disturbed: Repository) -> None:
    some = list(run_numbers(disturbed, "victim").items())[:6]
    answers = {number: whole_run(disturbed, name) for number, name in some}
    slow = {n for n, run in answers.items() if run.resources[0].factor > 1.2}
    assert 0 < len(slow) < 6
    for number, run in answers.items():
        assert run.resources[0].like_runs == 23
        named = {each.program for each in run.evident}
        assert named == ({"bully"} if number in slow else set())
        for each in run.met:
            assert each.share > 0.9 and 3 < each.overlap_s < 13
            if each.resource_kind == "object servers":
                assert (each.program == "bully") == (each.strength == "evidence")


def test_a_slow_run_that_met_nobody_is_named_on_nobody(tmp_path: Path, store: Repository) -> None:
    taken(store, tmp_path / "logs", *site(4, 1.0, runs=6)[::3])
    (run, *_) = (whole_run(store, name) for name in store.jobs()["job"].to_pylist())
    assert run.met == [] and run.evident == []


def test_other_users_jobs_are_one(disturbed: Repository) -> None:
    name = run_numbers(disturbed, "victim")[0]
    run = whole_run(disturbed, name, viewer=4711)
    assert {each.job for each in run.met} <= {"other users' jobs"}


def test_the_command_says_it_and_what_it_rests_on(disturbed: Repository) -> None:
    runs = run_numbers(disturbed, "victim")
    slow = next(
        name for name in runs.values() if whole_run(disturbed, name).resources[0].factor > 1.2
    )
    assert is_whole(disturbed, slow)
    place = ("--repository", str(disturbed.path))
    done = jostle("interference", slow, *place)
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "bully, which ran at the same time, slows runs of victim by" in said
    assert "Based on a log of Darshan: bytes are known per slice" in said
    answer = json.loads(jostle("interference", slow, *place, "--json").out)
    assert answer["met"][0]["program"] == "bully" and answer["rests_on"]
    done = jostle("matrix", *place)
    assert "bully slows victim by" in done.out
    assert "are compared as a whole" in " ".join(done.out.split())
    drawn = jostle("interference", slow, *place, "--plot", "figures")
    assert drawn.code == 2 and "No figure can be drawn" in drawn.err


def met_by_chance(random: np.random.Generator, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Runs that take longer or shorter by themselves, and a program of bursts they do not feel."""
    values = random.lognormal(0, 0.6, runs)
    length = 100 * values
    begin = random.uniform(0, 300, runs)  # in a period of 300 s, of which 60 s are a burst
    grid = (np.arange(400) + 0.5) / 400
    at = (begin[:, None] + length[:, None] * grid) % 300
    return values, (at < 60).mean(axis=1)


def test_long_runs_meet_more_and_that_is_no_evidence() -> None:
    random = np.random.default_rng(5)
    p = []
    for _ in range(300):
        values, share = met_by_chance(random, 60)
        p.append(compare_runs(values, share[:, None])[0].p)
    wrong = sum(each is not None and each <= 0.05 for each in p) / len(p)
    assert wrong <= 0.085, "5 % and what 300 draws scatter"
    longer = 0.0
    for _ in range(100):
        values, share = met_by_chance(random, 60)
        longer += values[share > 0.02].mean() > values[share <= 0.02].mean()
    assert longer > 80, "a plain comparison of those who met and those who did not is misled"


def test_who_is_only_there_along_with_the_culprit_is_not_named() -> None:
    random = np.random.default_rng(6)
    named = np.zeros(2)
    for _ in range(12):
        culprit = (random.random(60) < 0.5) * random.uniform(0.5, 1, 60)
        along = np.where(random.random(60) < 0.7, culprit, (random.random(60) < 0.5) * 0.7)
        values = random.lognormal(0, 0.1, 60) * (1 + 0.6 * culprit)
        found = compare_runs(values, np.column_stack([along, culprit]))
        named += [each.p is not None and each.p <= 0.01 for each in found]
    assert named[1] == 12 and named[0] <= 2


def test_many_programs_explain_no_chance() -> None:
    random = np.random.default_rng(7)
    p = []
    for _ in range(15):
        shares = (random.random((25, 10)) < 0.4) * random.uniform(0.3, 1, (25, 10))
        found = compare_runs(random.lognormal(0, 0.2, 25), shares)
        p += [each.p for each in found if each.p is not None]
    assert np.mean(np.array(p) <= 0.05) < 0.1


def test_permutations_agree_with_all_orders() -> None:
    from itertools import permutations

    values, share = np.array([1.0, 2.0, 4.0, 3.0, 7.0]), np.array([0.0, 0.1, 0.5, 0.2, 0.9])
    centred = values - values.mean()
    size = abs(centred @ (share - share.mean()))
    every = [abs(centred @ (np.array(o) - share.mean())) for o in permutations(share)]
    exact = np.mean([each >= size * (1 - 1e-9) for each in every])
    drawn = [permuted(values, share, np.random.default_rng(seed)) for seed in range(20)]
    assert np.mean(drawn) == pytest.approx(exact, abs=0.01)
