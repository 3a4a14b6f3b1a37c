"""A training job on GPUs in each of its views: digest, notebook, report, trace."""

from __future__ import annotations

from pathlib import Path

import pytest

import jostle as api
from jostle.analysis import digest
from jostle.cli.output import on_paper
from jostle.cli.views import digest as digest_views
from jostle.cli.views.report import sections
from jostle.plot.document.document import Grid
from jostle.report.models.job.among_runs import figures_of
from jostle.report.models.job.job_trace import job_trace
from jostle.report.models.jobs import job_row
from jostle.report.models.steps import views_with_values
from jostle.repository import Repository
from jostle.server.jobs.index import JobIndex
from jostle_lab.synthetic import Spec, plant, plant_training

JOB = "train-0000"
NO_RUNS = {"runs": 0, "processes": 2, "figures": []}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    path: Path = tmp_path_factory.mktemp("training") / "repository"
    plant(path, Spec(jobs=1, slices=60, length=40, processes=2, mounts=1), seed=1)
    plant_training(path, gpus=2, seconds=60)
    return Repository(path)


def test_what_is_injected_agrees(store: Repository) -> None:
    made = digest(store.job_tables(JOB))
    assert [gpu.gpu for gpu in made.gpus] == ["0000:1b:00.0", "0000:43:00.0"]
    for name, whole in (("to_bytes", "gpu_h2d_bytes"), ("peer_bytes", "gpu_peer_bytes")):
        assert sum(getattr(gpu, name) for gpu in made.gpus) == made.metrics[whole].total
    (world,) = made.mpi
    assert (world.library, world.ranks, world.is_training) == ("NCCL 2.27.3", 2, True)
    has = views_with_values(store, job_row(store, JOB))
    assert has == ["cpu", "communication", "collectives", "messages", "gpu"]


def test_its_figures_are_of_collectives(store: Repository) -> None:
    index = JobIndex(store)
    index.refresh()
    named = {each["name"]: each["total"] for each in figures_of(store, index.rows, JOB)["figures"]}
    assert "Time in MPI" not in named
    assert named["Time in collectives"] == pytest.approx(0.3 * 2 * 56, rel=0.02)


def test_copies_between_gpus_are_in_the_table_of_the_report(store: Repository) -> None:
    with on_paper():
        did = list(sections(digest_views.view(digest(store.job_tables(JOB)), NO_RUNS)))
    (gpus,) = [section for section in did if section.title == "GPUs"]
    (grid,) = [block for block in gpus.blocks if isinstance(block, Grid)]
    assert "other GPUs" in str(grid)


def test_a_notebook_shows_the_gpus(store: Repository) -> None:
    with api.open(store.path) as there:
        shown = there.job(JOB).digest()._repr_html_()
        without = next(job for job in there.jobs() if job.name != JOB).digest()._repr_html_()
    assert "node0000 · 0000:43:00.0" in shown
    assert "GPU" not in without


def test_a_trace_has_counters_of_each_gpu(store: Repository) -> None:
    events = job_trace(store, JOB, None)["traceEvents"]
    named = {
        event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"
    }
    (group,) = [pid for pid, name in named.items() if name == "GPUs"]
    name = "node0000 · GPU 0000:1b:00.0 (bytes/s)"
    copies = [event["args"]["to GPUs"] for event in events if event["name"] == name]
    stored = store.gpus.totals(JOB).to_pylist()[0]["gpu_h2d_bytes"]
    assert sum(copies) == pytest.approx(stored)
    busy = [
        event["args"]["gpu_busy_ns"]
        for event in events
        if event["name"] == "node0000 · GPU 0000:43:00.0 (share of the time)"
    ]
    assert max(busy) == pytest.approx(0.9, abs=0.1)
    other = next(row["job"] for row in store.jobs().to_pylist() if row["job"] != JOB)
    assert group not in {event["pid"] for event in job_trace(store, other, None)["traceEvents"]}
