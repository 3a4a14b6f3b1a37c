"""The stream against the truth of a synthetic repository, and against the answer at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.analysis.live import stream as module
from jostle.analysis.live.model import LiveAnswer
from jostle.analysis.live.stream import LiveStream
from jostle.repository import Repository
from jostle_lab.synthetic import Injected, Spec, plant


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    spec = Spec(jobs=8, slices=300, length=200, processes=4, noise=0.05)
    return plant(tmp_path_factory.mktemp("live") / "repository", spec, seed=3)


@pytest.fixture(scope="module")
def answers(injected: Injected) -> dict[str, LiveAnswer]:
    shown, module._SHOWN_NS = module._SHOWN_NS, 10**18  # these jobs are over
    stream = LiveStream()
    stream.take(Repository(Path(injected.path)).live_rows((0, 2**62)))
    module._SHOWN_NS = shown
    return {answer.job: answer for answer in stream.answers()}


def test_what_is_said_while_a_job_runs_is_no_more_than_it_loses(
    injected: Injected, answers: dict[str, LiveAnswer]
) -> None:
    assert answers.keys() == injected.jobs.keys()
    for job, truth in injected.jobs.items():
        assert answers[job].lost_s <= 1.2 * truth.lost_s + 2, job
    assert sum(each.lost_s for each in answers.values()) > 0.2 * sum(
        each.lost_s for each in injected.jobs.values()
    )


def test_the_first_suspect_of_a_slow_down_did_harm(
    injected: Injected, answers: dict[str, LiveAnswer]
) -> None:
    named = [
        (job, change.suspects[0].job)
        for job, answer in answers.items()
        for change in answer.changes
        if change.because == "other jobs"
    ]
    right = [by in {key[2] for key in injected.jobs[job].by} for job, by in named]
    assert len(named) >= 8 and sum(right) >= 0.85 * len(right)


def test_the_run_time_is_that_of_the_job(
    injected: Injected, answers: dict[str, LiveAnswer]
) -> None:
    for job, truth in injected.jobs.items():
        assert answers[job].run_s == pytest.approx(truth.run_s, abs=2 * injected.spec.slice_s)
