"""`jostle predict` and `jostle matrix --by kind` on a synthetic repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Done

from jostle.api import open as open_site
from jostle.cli.main import main
from jostle.cli.output import console
from jostle.errors import UsageError
from jostle_lab.synthetic import Injected, Spec, plant


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    """Jobs of three users; a neighbour in bursts hurts the first one."""
    spec = Spec(jobs=6, slices=300, length=220, processes=4, users=3, coincidence=0.0, roommates=0)
    return plant(tmp_path_factory.mktemp("injected") / "repository", spec, seed=5)


@pytest.fixture
def jostle(injected: Injected, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs the command within this process."""
    console.cache_clear()
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> Done:
        code = main([words[0], "--repository", str(injected.path), *words[1:]])
        seen = capsys.readouterr()
        return Done(code, seen.out, seen.err)

    return run


def test_jobs_programs_and_kinds_can_be_mixed(injected, jostle) -> None:  # type: ignore[no-untyped-def]
    program = injected.jobs["burster-0001"].program
    done = jostle("predict", "logger-0000", program, "metadata:x4")
    assert done.code == 0, done.err
    assert " will lose " in done.out.splitlines()[0]
    assert all(name in done.out for name in ("logger-0000", program, "metadata:x4"))
    assert "learned from" in done.out
    assert "next: jostle serve" in done.err


def test_json_has_what_the_python_api_has(injected, jostle) -> None:  # type: ignore[no-untyped-def]
    words = ("logger-0000", "burster-0001")
    content = json.loads(jostle("predict", *words, "--json").out)
    assert [each["name"] for each in content["losses"]] == list(words)
    assert all(0 <= each["low"] <= each["percent"] <= each["high"] for each in content["losses"])
    with open_site(injected.path) as site:
        assert site.predict(*words).to_json() == content
        with pytest.raises(UsageError):
            site.predict("logger-0000")


def test_the_capacity_has_a_curve(jostle) -> None:  # type: ignore[no-untyped-def]
    done = jostle("predict", "--capacity", "aggregate-write:1MiB:x2:5%")
    assert done.code == 0, done.err
    assert "may run at once" in done.out and "each loses" in done.out
    content = json.loads(
        jostle("predict", "--capacity", "aggregate-write:1MiB:x2:5%", "--json").out
    )
    assert content["at_once"] >= content["surely"] >= 1
    assert [point["jobs"] for point in content["curve"]][:3] == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "Give either"),
        (["metadata"], "at least two loads"),
        (["metadata", "--capacity", "metadata"], "Give either"),
        (["metadata", "metadata:7"], "no part of a kind"),
        (["metadata", "metadata", "--mount", "nfs:nowhere:/"], "No known load"),
        (["metadata", "no-such-job"], "no-such-job"),
    ],
)
def test_what_cannot_be_asked_is_said(words: list[str], why: str, jostle: Any) -> None:
    done = jostle("predict", *words)
    assert done.code != 0
    assert why in done.err


def test_another_users_jobs_are_neither_named_nor_found(injected, jostle) -> None:  # type: ignore[no-untyped-def]
    viewer = injected.jobs["logger-0000"].uid
    others = [job for job in injected.jobs.values() if job.uid != viewer]
    own = {job.program for job in injected.jobs.values() if job.uid == viewer}
    seen = jostle("predict", "logger-0000", "metadata", "--as-user", str(viewer))
    matrix = jostle("matrix", "--by", "kind", "--as-user", str(viewer), "--json")
    for done in (seen, matrix):
        assert done.code == 0, done.err
        for job in others:
            assert job.job not in done.out
            assert job.program in own or job.program not in done.out
    for job in others:
        done = jostle("predict", job.job, "metadata", "--as-user", str(viewer))
        assert done.code != 0


def test_the_matrix_by_kind_names_no_program(injected, jostle) -> None:  # type: ignore[no-untyped-def]
    content = json.loads(jostle("matrix", "--by", "kind", "--json").out)
    names = {each["program"] for each in content["programs"]}
    assert names and not names & {job.program for job in injected.jobs.values()}
    done = jostle("matrix", "--by", "kind", "--engine", "spark")
    assert done.code == 2 and "--engine" in done.err


def test_a_repository_with_one_job_knows_laws_alone(tmp_path: Path, capsys: Any) -> None:
    spec = Spec(jobs=1, slices=60, length=40, processes=2, users=1, coincidence=0.0, roommates=0)
    path = plant(tmp_path / "one", spec, seed=1).path
    assert main(["predict", "--repository", str(path), "metadata:x2", "metadata:x2"]) == 0
    assert "all processes get the same share" in capsys.readouterr().out.replace("\n", " ")
