"""Segments and comparisons as the API returns them: bounded, with the numbers of the commands."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "web"))

from web_fixtures import Served, plant_segments, serving

from jostle.analysis import estimate
from jostle.report.models.job.segments import DrawnSegments
from jostle.repository import Repository
from jostle.server.jobs import segments as module
from jostle.server.jobs.compare import Compared
from jostle.server.jobs.segments import Segmented, Segments, box_of, segments_of, spread_out
from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.repository import plant

FAR = 2**63 - 1
ONE, TWO = "relax-1", "relax-2"


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    """Two runs of a program with segments, differently disturbed, and a job without MPI."""
    path = tmp_path_factory.mktemp("segments") / "repository"
    plant(path, Spec(jobs=1, slices=60, length=40, processes=2, mounts=1), seed=3)
    plant_segments(path, ONE, first=101, begin_s=5)
    plant_segments(path, TWO, first=201, begin_s=300, seed=4)
    return path


@pytest.fixture(scope="module")
def served(repository) -> Iterator[Served]:
    with serving(repository) as made:
        yield made


@pytest.fixture(scope="module")
def client(served) -> Iterator[httpx.Client]:
    bearer = {"Authorization": f"Bearer {served.access.token}"}
    with httpx.Client(base_url=served.url, headers=bearer, timeout=120) as made:
        yield made


@pytest.fixture(scope="module")
def made(repository):
    return estimate(Repository(repository).run_tables(ONE))


def command(repository: Path, *words: str):
    line = [sys.executable, "-m", "jostle.cli", *words, "--repository", str(repository), "--json"]
    return json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def without_mpi(repository: Path) -> str:
    jobs = [row["job"] for row in Repository(repository).jobs().to_pylist()]
    return next(job for job in jobs if job not in (ONE, TWO))


def test_clusters_are_those_of_the_command(client, repository):
    reported = command(repository, "estimate", ONE)
    found = Segments.model_validate(client.get(f"/api/v1/jobs/{ONE}/segments").json())
    clusters = {one["number"]: one for one in reported["clusters"]}
    assert found.clusters
    for one in found.clusters:
        assert one.model_dump(exclude={"box"}) == pytest.approx(clusters[one.number])
    assert sum(c.members for c in found.clusters) + found.rest.members == found.total
    assert sum(c["hit"] for c in clusters.values()) == found.hit
    assert found.excess_s == pytest.approx(sum(c["excess_s"] for c in clusters.values()))
    assert (found.world, found.ranks, found.start_ns, found.end_ns) == (
        reported["world"],
        reported["ranks"],
        reported["start_ns"],
        reported["end_ns"],
    )


def test_every_loss_is_in_the_answer_and_three_others_a_column(client, made):
    found = Segments.model_validate(client.get(f"/api/v1/jobs/{ONE}/segments?points=16").json())
    drawn = DrawnSegments.of(made)
    assert len(found.hits.at_s) == int(drawn.hit.sum()) == found.hits_within
    assert len(found.usual.at_s) <= 3 * 16
    assert max(found.usual.seconds) == pytest.approx(drawn.seconds[~drawn.hit].max(), rel=1e-4)
    assert min(found.usual.seconds) == pytest.approx(drawn.seconds[~drawn.hit].min(), rel=1e-4)
    assert found.within == len(drawn) == found.total


def test_a_cluster_and_a_span_narrow_it(client, made):
    drawn = DrawnSegments.of(made)
    number = max(made.clusters, key=lambda one: one.members).number
    middle = made.start_ns + (made.end_ns - made.start_ns) // 2
    answer = client.get(
        f"/api/v1/jobs/{ONE}/segments",
        params={"cluster": number, "from_ns": middle, "points": 4000},
    )
    found = Segments.model_validate(answer.json())
    begin = (middle - made.start_ns) / 1e9
    own = (drawn.cluster == number) & (drawn.start + drawn.seconds >= begin)
    assert found.within == int(own.sum()) > 0
    assert set(found.usual.cluster + found.hits.cluster) == {number}
    assert found.chosen and found.chosen.number == number
    assert found.total == len(drawn)


def test_a_job_without_mpi_has_none_and_a_missing_cluster_is_reported(client, repository):
    plain = without_mpi(repository)
    found = client.get(f"/api/v1/jobs/{plain}/segments").json()
    assert (found["world"], found["total"], found["clusters"]) == (-1, 0, [])
    assert found["usual"]["at_s"] == found["hits"]["at_s"] == []
    assert client.get(f"/api/v1/jobs/{ONE}/segments?cluster=99999").status_code == 404
    assert client.get("/api/v1/jobs/none/segments").status_code == 404


@pytest.mark.parametrize(
    "query", ["cluster=0", "cluster=-1", "cluster=x", "points=15", "points=4001", "from_ns=-1"]
)
def test_senseless_questions_are_refused(client, query):
    answer = client.get(f"/api/v1/jobs/{ONE}/segments?{query}")
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_span_outside_of_the_run_is_empty(made):
    for span in ((0, 1), (FAR - 1, FAR), (made.end_ns, made.start_ns)):
        found = segments_of(Segmented.of(made), span=span, cluster=None, columns=100)
        assert found["hits_within"] <= 1
        assert found["within"] <= 2


def test_of_more_losses_than_are_named_the_largest_stay(made, monkeypatch):
    monkeypatch.setattr(module, "MOST_HITS", 5)
    found = segments_of(Segmented.of(made), span=(0, FAR), cluster=None, columns=100)
    drawn = DrawnSegments.of(made)
    assert sorted(found["hits"]["lost_s"]) == pytest.approx(np.sort(drawn.excess)[-5:], rel=1e-4)
    assert found["hits"]["at_s"] == sorted(found["hits"]["at_s"])
    assert found["hits_within"] == int(drawn.hit.sum())


def test_an_answer_stays_small_however_many_segments_there_are():
    rng = np.random.default_rng(1)
    start = np.sort(rng.uniform(0, 1000, 1_000_000))
    seconds = rng.lognormal(size=len(start))
    chosen = spread_out(start, np.argsort(seconds), (0.0, 1000.0), 1000)
    assert len(chosen) <= 3000
    assert (np.diff(chosen) > 0).all()
    column = start.astype(int)
    for at in (0, 17, 999):
        own = seconds[column == at]
        kept = seconds[chosen[column[chosen] == at]]
        assert kept.min() == own.min() and kept.max() == own.max()
        assert np.sort(own)[(len(own) - 1) // 2] in kept


def test_few_segments_are_all_drawn():
    assert list(spread_out(np.arange(3.0), np.array([2, 0]), (0.0, 3.0), 16)) == [0, 2]
    assert len(spread_out(np.array([]), np.array([], dtype=int), (0.0, 0.0), 16)) == 0


def test_a_box_has_its_whiskers_within_one_and_a_half_times_its_length():
    box = box_of(np.array([1.0, 2, 3, 4, 5, 50]))
    assert (box["least"], box["median"], box["most"]) == (1, 3.5, 50)
    assert (box["lower"], box["upper"]) == (1, 5)
    one = box_of(np.array([7.0]))
    assert set(one.values()) == {7.0}


def test_a_run_of_one_segment_or_one_cluster(made):
    single = replace(made, segments=made.segments.slice(0, 1), clusters=made.clusters[:1])
    found = segments_of(Segmented.of(single), span=(0, FAR), cluster=None, columns=100)
    assert found["total"] == 1
    assert len(found["usual"]["at_s"]) + len(found["hits"]["at_s"]) == 1
    assert len(found["clusters"]) + found["rest"]["clusters"] == 1


def test_a_comparison_says_what_the_command_says(client, repository):
    reported = command(repository, "compare", ONE, TWO)
    answer = client.get("/api/v1/compare", params={"job": [ONE, TWO]})
    found = Compared.model_validate(answer.json()).model_dump()
    for name in (
        "baseline",
        "measured_s",
        "estimated_s",
        "displaced_s",
        "work_s",
        "unexplained_s",
        "by_cause",
        "limits",
        "run_times",
    ):
        assert found[name] == reported[name], name
    for run, own in zip(found["runs"], reported["estimates"], strict=True):
        for name in set(run) - {"program"}:
            assert run[name] == own[name], name
    for mine, theirs in zip(found["clusters"], reported["clusters"], strict=False):
        assert {name: mine[name] for name in theirs} == theirs
    assert len(found["clusters"]) + found["more_clusters"] == len(reported["clusters"])
    assert found["clusters"][0]["boxes"][0]["median"] > 0
    assert found["finding"]


def test_runs_of_different_programs_are_called_so(client, repository):
    names = [without_mpi(repository), ONE]
    found = client.get("/api/v1/compare", params={"job": names}).json()
    assert found["limits"][0].startswith("These are not runs of one program")


@pytest.mark.parametrize(
    ("names", "status"),
    [([], 422), ([ONE], 400), ([ONE, ONE], 400), ([ONE, "none"], 404), ([ONE] * 9, 422)],
)
def test_what_cannot_be_compared_is_refused(client, names, status):
    answer = client.get("/api/v1/compare", params={"job": names})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
