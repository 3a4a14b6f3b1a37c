"""`jostle interference`, `neighbours` and `matrix` on a synthetic repository.

The answers' quality is scored elsewhere; here is what people and programs see of them. To renew the
golden text of hand-made answers: JOSTLE_RENEW=1 pytest tests/cli/look/test_interference.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "plot"))  # attribution_cases

import attribution_cases
import estimates
from command import Done

from jostle.analysis.interval import Interval
from jostle.cli.main import main
from jostle.cli.output import console
from jostle.repository.query.resources.co_running import JobFacts
from jostle_lab.synthetic import Injected, Spec, plant

GOLDEN = Path(__file__).parents[1] / "golden"
VERBS = (["interference", "logger-0000"], ["neighbours", "logger-0000"], ["matrix"])


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    """A victim, a neighbour in bursts that hurts it, and four more jobs of several users."""
    spec = Spec(jobs=6, slices=300, length=220, processes=4, users=3, coincidence=0.0, roommates=0)
    return plant(tmp_path_factory.mktemp("injected") / "repository", spec, seed=5)


@pytest.fixture(autouse=True)
def own_console() -> Iterator[None]:
    """It holds the stream of the test that asked first, which is closed after that."""
    console.cache_clear()
    yield
    console.cache_clear()


@pytest.fixture
def jostle(injected: Injected, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs the command within this process: the imports are paid for once."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> Done:
        code = main([words[0], "--repository", str(injected.path), *words[1:]])
        seen = capsys.readouterr()
        return Done(code, seen.out, seen.err)

    return run


def test_the_answer_comes_first_and_names_who_did_it(injected, jostle) -> None:  # type: ignore[no-untyped-def]
    truth = injected.jobs["logger-0000"]
    assert truth.culprit("file system", "lustre:mds0@tcp:/fs0") == "burster-0001"
    done = jostle("interference", "logger-0000")
    assert done.code == 0, done.err
    first, second = done.out.splitlines()[:2]
    assert first.startswith("logger-0000 lost ")
    assert "burster-0001" in second
    assert "lustre:mds0@tcp:/fs0" in second
    assert "▀ lost to others" in done.out
    assert "next: jostle advise --repository" in done.err
    assert "jostle serve --repository" in done.err


def test_json_has_no_nan_and_the_same_answer(jostle) -> None:  # type: ignore[no-untyped-def]
    def refuse(word: str) -> None:
        raise AssertionError(word)

    content = json.loads(jostle("interference", "logger-0000", "--json").out, parse_constant=refuse)
    assert content["evident"] is True
    assert content["suspects"][0]["job"] == "burster-0001"
    assert content["figures"] == []
    again = json.loads(jostle("interference", "logger-0000", "--json").out)
    assert again == content  # seeded
    for verb in ("neighbours", "matrix"):
        words = [verb, "--json"] if verb == "matrix" else [verb, "logger-0000", "--json"]
        json.loads(jostle(*words).out, parse_constant=refuse)


@pytest.mark.in_turn
def test_figures_are_drawn_and_named(jostle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = jostle("interference", "logger-0000", "--plot", str(tmp_path / "figures"))
    assert done.code == 0, done.err
    assert "figure" in done.out
    names = [path.name for path in (tmp_path / "figures").iterdir()]
    assert "interference-logger-0000-object-servers-of-lustre-mds0-tcp-fs0.png" in names
    assert "interference-logger-0000-object-servers-of-lustre-mds0-tcp-fs0.csv" in names
    busy = tmp_path / "file"
    busy.touch()
    done = jostle("interference", "logger-0000", "--plot", str(busy))
    assert done.code == 2
    assert "is not a folder" in done.err


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_user_learns_nothing_of_other_users(words, form, injected, jostle) -> None:  # type: ignore[no-untyped-def]
    viewer = injected.jobs["logger-0000"].uid
    others = [job for job in injected.jobs.values() if job.uid != viewer]
    assert others
    own = {job.program for job in injected.jobs.values() if job.uid == viewer}
    done = jostle(*words, "--as-user", str(viewer), *(["--json"] if form == "json" else []))
    assert done.code == 0, done.err
    for job in others:
        assert job.job not in done.out + done.err
        assert str(job.uid) not in done.out
        assert job.program in own or job.program not in done.out.replace("--repository", "")


def test_a_user_asks_only_after_own_jobs(injected, jostle) -> None:  # type: ignore[no-untyped-def]
    for verb in ("interference", "neighbours"):
        done = jostle(verb, "logger-0000", "--as-user", "12345")
        assert done.code == 2
        assert "holds no job of uid 12345" in done.err
    done = jostle("matrix", "--as-user", "no-such-user")
    assert done.code == 2
    assert "Use the user's number" in done.err


def test_a_job_that_is_not_there(jostle) -> None:  # type: ignore[no-untyped-def]
    for verb in ("interference", "neighbours"):
        done = jostle(verb, "loger-0000")
        assert done.code != 0
        assert "logger-0000" in done.err


def test_neighbours_are_reported_with_time_and_place(jostle) -> None:  # type: ignore[no-untyped-def]
    done = jostle("neighbours", "logger-0000")
    assert "burster-0001" in done.out
    assert "When" in done.out
    assert "█" in done.out
    assert "next: jostle interference" in done.err


def test_a_reader_that_has_seen_enough(injected: Injected) -> None:
    script = (
        f"{sys.executable} -m jostle.cli matrix --repository {injected.path} --json | head -c 9"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert len(done.stdout) == 9


def views() -> str:
    """The hand-made answers as text."""
    from rich.text import Text

    from jostle.cli.commands.look.neighbours import _view
    from jostle.cli.output import show
    from jostle.cli.views.interference import answer, details
    from jostle.cli.views.matrix import view
    from jostle.plot.charts.interference import charts
    from jostle.plot.terminal.interference import draw_attribution

    lost, nothing = Interval(36.0, 30.0, 42.0), Interval(0.0, 0.0, 9.0)
    for found, loss in (
        (attribution_cases.disturbed(), lost),
        (attribution_cases.innocent(), nothing),
    ):
        show(*answer(replace(estimates.ftq(), job="solver-42", run_s=300.0, lost_s=loss), found))
        for chart in charts(found):
            show(
                *(Text.assemble(*line) for line in draw_attribution(chart, width=100, unicode=True))
            )
        show(*details(found), "")
    show(*view(attribution_cases.matrix()), "")
    begin, second = attribution_cases.BEGIN, attribution_cases.SECOND
    own = JobFacts("solver-42", start_ns=begin, end_ns=begin + 300 * second)
    show(*_view(own, attribution_cases.alongside()), *_view(own, []))
    return ""


def test_golden_views(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "100")
    views()
    seen = capsys.readouterr().out
    file = GOLDEN / "interference-views.txt"
    if os.environ.get("JOSTLE_RENEW"):
        file.write_text(seen)
    assert seen == file.read_text()


def test_no_interval_of_too_few_runs(capsys: pytest.CaptureFixture[str]) -> None:
    from jostle.cli.output import show
    from jostle.cli.views.matrix import view

    found = attribution_cases.matrix()
    show(
        *view(
            replace(
                found,
                encounters=[
                    replace(one, slowdown=None) for one in found.encounters if not one.test
                ],
            )
        )
    )
    reported = capsys.readouterr().out
    assert "+20 %" not in reported and "Too few" in reported and "few" in reported
    assert "640" not in reported
