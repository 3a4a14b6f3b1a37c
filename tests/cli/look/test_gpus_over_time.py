"""`timeline --per gpu`, and GPUs in `export`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from command import jostle

from jostle import open as jostle_open
from jostle.errors import UsageError
from jostle.report.models import metrics
from jostle.report.models.job.gpu_steps import check_per_gpu, gpu_steps
from jostle.report.models.jobs import job_row
from jostle.repository import Repository
from synth import EPOCH, Profile
from synth_gpus import GpuName, Gpus

HALF = 500_000_000
BYTES = 1  # the word


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A job of 2 s on two GPUs: the first in all slices, the second in the last."""
    p = Profile(job="train", slice_ns=HALF, start_ns=EPOCH, end_ns=EPOCH + 4 * HALF, end_reason=1)
    p.gpus = Gpus(p.first_slice, [GpuName(), GpuName("", "MIG-2", name="", path="")])
    for at in range(4):
        p.add_slice(p.first_slice + at, {"os_user_ns": 1000})
        gained = {0: {BYTES: 100 + at}} | ({1: {BYTES: 7}} if at == 3 else {})
        p.records.append(p.gpus.add(p.first_slice + at, 1, gained))
    p.write(tmp_path / "spool")
    repository = Repository(tmp_path / "repository", create=True)
    assert repository.ingest([tmp_path / "spool"]).warnings == []
    return repository


def test_each_gpu_for_itself(repository: Repository) -> None:
    view = metrics.view("gpu_h2d_bytes")
    check_per_gpu(["gpu_h2d_bytes"])
    (job,) = repository.query("SELECT job FROM jobs")["job"].to_pylist()
    part, whole = gpu_steps(repository, job_row(repository, job), view)[::-1]
    assert (whole.title, whole.name) == ("node1 · GPU 0000:3b:00.0", "Big GPU")
    assert whole.lines[0].values.tolist() == [100, 101, 102, 103]
    assert (part.title, part.name) == ("node1 · GPU MIG-2", "")
    assert part.lines[0].values.tolist() == [0, 0, 0, 7]
    with pytest.raises(UsageError, match="`gpu_wait_ns` is not counted per GPU"):
        check_per_gpu(["gpu_busy_ns", "gpu_wait_ns"])


def test_the_commands(repository: Repository, tmp_path: Path) -> None:
    where = ("--repository", str(repository.path))
    asked = ("timeline", "train", "--per", "gpu", "--metric", "gpu_h2d_bytes", *where)
    content = json.loads(jostle(*asked, "--json").out)
    first = content["jobs"][0]["gpus"][0]
    assert (first["gpu"], sum(first["series"][0]["values"])) == ("0000:3b:00.0", 406)
    assert "node1 · GPU MIG-2" in jostle(*asked).out
    out = tmp_path / "gpus.csv"
    jostle("export", "gpus", "--out", str(out), *where)
    rows = list(csv.DictReader(out.open()))
    assert {(row["gpu"], row["numa"]) for row in rows} == {("0000:3b:00.0", "0"), ("MIG-2", "0")}


def test_from_python(repository: Repository) -> None:
    site = jostle_open(repository.path)
    job = site.job("train")
    assert [gpu.gpu for gpu in job.gpus()] == ["0000:3b:00.0", "MIG-2"]
    rows = job.gpu_slices(["gpu_h2d_bytes"])
    assert sum(row["gpu_h2d_bytes"] for row in rows) == 413
    assert rows[0]["end"] > rows[0]["start"] and "job" not in rows.columns
    assert len(job.gpu_slices().columns) > 19
    assert "GPUs" in repr(job.gpus())
