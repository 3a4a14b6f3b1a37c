"""`--metric communication` of jobs with MPI, NCCL and gloo."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from command import jostle

from jostle.errors import UsageError
from jostle.report.models import metrics
from jostle.report.models.jobs import job_row
from jostle.report.models.steps import views_with_values
from jostle.repository import Repository
from jostle.server.jobs.grid import process_grid
from synth import EPOCH, Profile

S = 1_000_000_000
#: What a rank does in a slice of 1 s: NCCL's calls enqueue only, gloo's are counted in both ways.
JOBS = {
    "nccl": {"ccl_all_to_all_ns": S // 2, "state_collective_ns": 1000, "os_user_ns": S},
    "gloo": {"ccl_all_to_all_ns": S // 4, "state_collective_ns": S // 4},
    "plain": {"os_user_ns": S},
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    for number, (job, values) in enumerate(JOBS.items()):
        p = Profile(
            job=job, pid=7 + number, slice_ns=S, start_ns=EPOCH, end_ns=EPOCH + 4 * S, end_reason=1
        )
        for at in range(4):
            p.add_slice(p.first_slice + at, values)
        p.write(tmp_path / "spool")
    repository = Repository(tmp_path / "repository", create=True)
    assert repository.ingest([tmp_path / "spool"]).warnings == []
    return repository


def test_the_commands(repository: Repository) -> None:
    asked = ("timeline", "nccl", "plain", "--repository", str(repository.path), "--metric")
    content = json.loads(jostle(*asked, "communication", "--json").out)
    sums = {
        job["job"]: {line["label"]: sum(line["values"]) for line in job["series"]}
        for job in content["jobs"]
    }
    wanted = {"communication": 4000, "files": 0, "collective library": 2 * S}
    assert sums["nccl"] == pytest.approx(wanted, rel=1e-3)
    seen = jostle(*asked, "communication").out
    assert seen.count("collective library") == 1, "a job without one has no empty chart of it"
    assert "plain: nothing was counted for --metric communication; it has --metric cpu." in seen


def test_what_a_job_has_a_value_of(repository: Repository) -> None:
    has = views_with_values(repository, job_row(repository, "nccl"))
    assert has == ["cpu", "communication", "collectives"]


@pytest.mark.parametrize(("job", "busy"), [("nccl", 0.5), ("gloo", 0.25)])
def test_no_time_is_in_a_picture_twice(repository: Repository, job: str, busy: float) -> None:
    answer = process_grid(repository, job, "communication", (0, 2**62), 100)
    (length,) = struct.unpack_from("<I", answer)
    values = np.frombuffer(answer[4 + length :], "<f4")
    assert np.nanmax(values) == pytest.approx(busy, rel=1e-3)


def test_the_old_name_leads_to_the_new_one() -> None:
    with pytest.raises(UsageError) as error:
        metrics.view("mpi")
    assert "`communication`" in (error.value.hint or "")
