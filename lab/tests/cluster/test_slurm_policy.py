"""A policy of `jostle advise` in a real Slurm: additions to jobs, and when they start.

The start times are those that a replay gives the same jobs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lab_parts import lab_of, native, on

from jostle.analysis.site_advice.replay_model import Load
from jostle.analysis.site_advice.simulate import Rates, simulate
from jostle_lab.cluster import Lab

TABLE = """\
# slurm.conf needs:
#   Licenses=scratch_bw:2,alone:1
writer\tlicenses=scratch_bw:2 exclusive
solver\tlicenses=scratch_bw:1
"""
#: Slurm looks for what may start every few seconds.
SLACK_S = 4.0
#: program -> licences that the table adds.
NEEDS = {"writer": 2, "solver": 1, "other": 0}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if native("slurm/job_submit.lua") is None:
        pytest.skip("job_submit.lua is not built: run `make build`")
    with lab_of("policy", fs="plain", slurm=True) as made:
        folder = made.folder / "slurm"
        if not (folder / "job_submit.lua").exists():
            pytest.skip("this Slurm has no job_submit/lua")
        (folder / "jostle_policy.tsv").write_text(TABLE)
        with (folder / "slurm.conf").open("a") as file:
            file.write("Licenses=scratch_bw:2,alone:1\n")
            # Jobs of hours do not notice that Slurm looks for what may start every 30 s.
            file.write("SchedulerParameters=bf_interval=1,sched_interval=2\n")
        on(made, "node1", "scontrol", "reconfigure")
        yield made


def submit(lab: Lab, folder: Path, program: str, seconds: float, *options: str) -> str:
    """Submit a script that runs a program for a while; return the number of the job."""
    runs = folder / program
    runs.write_text("#!/bin/sh\nsleep $1\n")
    runs.chmod(0o755)
    script = folder / f"{program}-{seconds:g}.sh"
    script.write_text(f"#!/bin/sh\n{runs} {seconds:g}\n")
    words = ["sbatch", "--parsable", f"--output={folder}/%j.out", *options, str(script)]
    return on(lab, "node1", *words).strip()


def facts(lab: Lab, job: str) -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\S*)", on(lab, "node1", "scontrol", "show", "job", job)))


def seconds_of(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def wait_for_end(lab: Lab) -> None:
    end = time.monotonic() + 120
    while on(lab, "node2", "squeue", "--noheader").strip():
        assert time.monotonic() < end, on(lab, "node2", "squeue")
        time.sleep(0.5)


def test_a_job_gets_what_the_table_has_for_its_program(lab: Lab, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    jobs = {name: facts(lab, submit(lab, tmp_path, name, 1)) for name in NEEDS}
    assert jobs["writer"]["Licenses"] == "scratch_bw:2"
    assert jobs["writer"]["OverSubscribe"] in ("NO", "EXCLUSIVE")
    assert jobs["solver"]["Licenses"] == "scratch_bw:1"
    assert jobs["other"]["Licenses"] in ("", "(null)")
    own = facts(lab, submit(lab, tmp_path, "solver", 1, "--licenses=alone:1"))
    assert set(own["Licenses"].split(",")) == {"alone:1", "scratch_bw:1"}
    wait_for_end(lab)


def test_jobs_start_when_a_replay_says(lab: Lab, tmp_path: Path) -> None:
    """A writer takes all licences, solvers one each."""
    tmp_path.chmod(0o755)
    plan = [("writer", 12.0), ("solver", 10.0), ("solver", 14.0), ("writer", 6.0)]
    numbers = [submit(lab, tmp_path, program, seconds) for program, seconds in plan]
    wait_for_end(lab)
    known = [facts(lab, number) for number in numbers]
    arrived = [seconds_of(each["SubmitTime"]) for each in known]
    loads = [
        Load(number, program, at, seconds, 1, {"scratch_bw": NEEDS[program]})
        for number, (program, seconds), at in zip(numbers, plan, arrived, strict=True)
    ]
    rates = Rates({name: place for place, name in enumerate(NEEDS)}, _nothing_lost())
    starts, ends = simulate(loads, rates, 128, {"scratch_bw": 2})
    whole = max(ends) - min(arrived)
    for each, start in zip(known, starts, strict=True):
        differs = abs(seconds_of(each["StartTime"]) - start)
        assert differs <= max(SLACK_S, 0.1 * whole), (each["JobId"], differs)


def _nothing_lost():  # type: ignore[no-untyped-def]
    import numpy as np

    return np.zeros((len(NEEDS), len(NEEDS)))
