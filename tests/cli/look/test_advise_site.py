"""`jostle advise --site` on a synthetic repository: what operators, users and schedulers see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Done

from jostle.cli.main import main
from jostle.cli.output import console
from jostle.report.verdict import site_advice
from jostle_lab.synthetic import Injected, Spec, plant


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    """A victim, a neighbour in bursts that hurts it, and more jobs of several users."""
    spec = Spec(jobs=6, slices=300, length=220, processes=4, users=3, coincidence=0.0, roommates=0)
    return plant(tmp_path_factory.mktemp("injected") / "repository", spec, seed=5)


@pytest.fixture(scope="module", autouse=True)
def evaluated_once() -> Iterator[None]:
    """Each job is evaluated once for each viewer: it takes a second."""
    kept: dict[tuple[object, ...], site_advice.JobCosts | None] = {}
    evaluate = site_advice.evaluated_costs

    def once(store, name, viewer=None, seed=0):  # type: ignore[no-untyped-def]
        key = (store.path, name, viewer, seed)
        if key not in kept:
            kept[key] = evaluate(store, name, viewer, seed)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_advice, "evaluated_costs", once)
        yield


@pytest.fixture(autouse=True)
def own_console() -> Iterator[None]:
    """It holds the stream of the test that asked first, which is closed after that."""
    console.cache_clear()
    yield
    console.cache_clear()


@pytest.fixture
def jostle(injected: Injected, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs the command within this process."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> Done:
        code = main([words[0], "--repository", str(injected.path), *words[1:]])
        seen = capsys.readouterr()
        return Done(code, seen.out, seen.err)

    return run


def lost_core_hours(injected: Injected) -> float:
    return sum(job.lost_s * job.processes for job in injected.jobs.values()) / 3600


def test_an_operator_sees_what_to_paste_what_it_saves_and_who_waits(injected, jostle) -> None:  # type: ignore[no-untyped-def]
    done = jostle("advise", "--site")
    assert done.code == 0, done.err
    assert "Licenses=" in done.out
    assert "would have saved: " in done.out
    assert "who pays: " in done.out
    assert "next: jostle replay" in done.err
    given = json.loads(jostle("advise", "--site", "--json").out)
    assert given["jobs"] == 6
    assert given["lost"]["low"] <= lost_core_hours(injected) <= 1.2 * given["lost"]["high"]
    for each in given["found"]:
        assert each["saving"]["value"] <= given["lost"]["value"]


def test_a_user_sees_sums_of_his_own_jobs_and_no_name_of_another(
    injected: Injected, jostle
) -> None:  # type: ignore[no-untyped-def]
    victim = injected.jobs["logger-0000"]
    done = jostle("advise", "--site", "--as-user", str(victim.uid))
    assert done.code == 0, done.err
    content = json.loads(jostle("advise", "--site", "--as-user", str(victim.uid), "--json").out)
    assert content["lost"]["value"] > 0
    assert "found" not in content
    for job in injected.jobs.values():
        if job.uid != victim.uid:
            assert job.job not in done.out + json.dumps(content)
            assert f"{job.program}" not in json.dumps(content)


def test_a_scheduler_gets_a_table_and_the_same_as_json(jostle) -> None:  # type: ignore[no-untyped-def]
    text = jostle("advise", "--site", "--format", "slurm").out
    rows = dict(line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    policy = json.loads(jostle("advise", "--site", "--format", "json").out)
    assert rows == {program: " ".join(words) for program, words in policy["programs"].items()}
    assert any(line.startswith("Licenses=") for line in policy["settings"])
    assert "JobSubmitPlugins=lua" in text


def test_the_end_of_a_jobs_output_has_its_best_advice(jostle) -> None:  # type: ignore[no-untyped-def]
    """Of logger-0000 another user's job is the cause: its advice names nobody."""
    lines = jostle("digest", "--brief", "solver-0005").out.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("advice (saves ")]
    assert "burster-0004" in " ".join(lines[at : at + 3])
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    given = jostle("digest", "--brief", "logger-0000").out.partition("advice (saves ")[2]
    assert "burster" not in given


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("logger-0000", "--site"),
        ("logger-0000", "--days", "3"),
        ("--site", "--as-user", "1", "--format", "slurm"),
    ],
)
def test_options_that_do_not_fit_are_refused(words: tuple[str, ...], jostle) -> None:  # type: ignore[no-untyped-def]
    done = jostle("advise", *words)
    assert done.code == 2


def test_an_empty_repository_has_no_advice(tmp_path: Path, capsys, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from jostle.repository import Repository

    Repository(tmp_path / "r", create=True)
    assert main(["advise", "--repository", str(tmp_path / "r"), "--site"]) == 0
    assert "No job ran in this period." in capsys.readouterr().out
