"""Synthetic repositories: valid, equal for equal seeds, and consistent with their ground truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jostle.repository import Repository
from jostle.repository.errors import RepositoryError
from jostle_lab.synthetic import Injected, Spec, plant
from jostle_lab.validation.attribution_scores import score

SPEC = Spec(jobs=6, slices=200, length=120, processes=4)


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    return plant(tmp_path_factory.mktemp("injected") / "repository", SPEC, seed=5)


def test_it_is_a_repository_like_any_other(injected: Injected) -> None:
    repository = Repository(injected.path)
    jobs = {row["job"]: row for row in repository.jobs().to_pylist()}
    assert set(jobs) == set(injected.jobs)
    for name, truth in injected.jobs.items():
        assert jobs[name]["processes"] == truth.processes
        assert jobs[name]["end_ns"] == truth.end_ns
        assert not jobs[name]["running"]
    assert repository.job_slices("logger-0000").num_rows > 300
    raw = repository.query(
        "SELECT sum(posix_write_bytes)::BIGINT AS b, sum(posix_write_ns)::BIGINT AS n "
        "FROM mount_slices"
    ).to_pylist()
    rolled = repository.query(
        "SELECT sum(posix_write_bytes_sum)::BIGINT AS b, sum(posix_write_ns_sum)::BIGINT AS n "
        "FROM rollup"
    ).to_pylist()
    assert raw == rolled
    assert raw[0]["b"] > 0


def test_the_seed_decides_all(injected: Injected, tmp_path: Path) -> None:
    again = plant(tmp_path / "again", SPEC, seed=5)
    assert again.jobs == injected.jobs
    assert again.slices == injected.slices
    with pytest.raises(RepositoryError):
        plant(tmp_path / "again", SPEC, seed=5)


def test_the_truth_adds_up(injected: Injected) -> None:
    rows = injected.slices.to_pydict()
    for name, job in injected.jobs.items():
        listed = sum(
            seconds
            for one, seconds in zip(rows["job"], rows["seconds"], strict=True)
            if one == name
        )
        assert listed == pytest.approx(job.lost_s, rel=1e-3, abs=1e-3)
        assert sum(job.by.values()) == pytest.approx(job.lost_s, rel=1e-3, abs=1e-3)
        assert job.run_s == pytest.approx(job.alone_s + job.lost_s, rel=1e-6)


def test_lost_time_can_be_seen_in_the_slices(injected: Injected) -> None:
    """A call takes longer in the slices in which the truth says that time was lost."""
    repository = Repository(injected.path)
    rows = repository.query(
        "SELECT slice, sum(posix_write_ns_sum) / sum(posix_write_bytes_sum) AS service, "
        "sum(posix_write_bytes_sum) / sum(posix_write_ops_sum) AS size "
        "FROM rollup WHERE job = 'logger-0000' GROUP BY slice"
    ).to_pylist()
    lost = {
        at: seconds
        for job, at, seconds in zip(
            *(injected.slices.column(name).to_pylist() for name in ("job", "slice", "seconds")),
            strict=True,
        )
        if job == "logger-0000"
    }
    large = [row for row in rows if row["size"] > 500_000]  # one phase of its own
    hurt = [row["service"] for row in large if lost.get(row["slice"], 0) > 0.2]
    calm = [row["service"] for row in large if lost.get(row["slice"], 0) < 0.05]
    assert len(hurt) > 5 < len(calm)
    assert np.median(hurt) > 1.2 * np.median(calm)


def test_nobody_loses_where_nobody_harms(tmp_path: Path) -> None:
    twin = plant(tmp_path / "null", Spec(jobs=4, slices=100, length=60, harm=0.0), seed=5)
    assert all(job.lost_s == 0 for job in twin.jobs.values())
    assert twin.slices.num_rows == 0


def test_small_scene_is_solved(injected: Injected) -> None:
    """The whole way from synthetic jobs to a score; tight figures are validated elsewhere."""
    found = score(injected)
    assert not found.failed
    harmed = [each for each in found.jobs if each.culprit]
    assert harmed
    assert found.top1 >= 0.5
    assert found.f1 >= 0.5
