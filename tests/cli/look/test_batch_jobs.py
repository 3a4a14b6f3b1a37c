"""Slurm jobs as a whole: names, the list of jobs, work and losses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import jostle

from jostle.analysis.interval import Interval
from jostle.names.batch_jobs import BatchJob, batch_job_of, job_of_part, part_name
from jostle.report.models.batch_jobs import batch_row
from jostle.report.models.job import scheduler
from jostle.report.verdict.batch_loss import JobLoss, added_loss
from jostle.repository import Repository
from jostle.repository.errors import JobError
from jostle.repository.job_names import find_job, find_jobs
from synth import EPOCH, SECOND, Profile

MIB = 1 << 20
#: What the runtime calls steps 0 and 1 of Slurm's job 1.
STEP_0, STEP_1 = "slurm-1-s0", "slurm-1-s1"


def profile(job: str, begin: float, end: float, program: str, **header: Any) -> Profile:
    """A process that writes 1 MiB and computes half a second in each second of its life."""
    start_ns, end_ns = EPOCH + round(begin * SECOND), EPOCH + round(end * SECOND)
    made = Profile(
        job=job,
        program=program,
        slice_ns=SECOND,
        start_ns=start_ns,
        end_ns=end_ns,
        end_reason=1,
        **header,
    )
    made.add_mount(0, "/data")
    for at in range(round(end - begin)):
        made.add_slice(
            made.first_slice + at,
            {
                "posix_write_bytes": {0: MIB},
                "posix_write_ops": {0: 1},
                "posix_write_ns": {0: 1_000_000},
                "os_user_ns": SECOND // 2,
            },
        )
    return made


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with Slurm's job 1 (a script, two steps), its job 2 (a script), and another."""
    folder = tmp_path_factory.mktemp("spool")
    profile("slurm-1", 0, 40, "/bin/bash", pid=1, mpi={"script": "job.sh"}).write(folder)
    for rank, host in enumerate(("node1", "node2")):
        profile(
            STEP_0,
            2,
            22,
            "/opt/solver",
            pid=2 + rank,
            host=host,
            mpi={"world_size": 2, "world_rank": rank},
        ).write(folder)
    profile(STEP_1, 24, 34, "/opt/post", pid=4).write(folder)
    profile("slurm-2", 50, 60, "/usr/bin/tar", pid=5).write(folder)
    profile(
        "a-very-long-name-that-somebody-gave-to-a-job-by-hand-0001", 70, 80, "/bin/cat", pid=6
    ).write(folder)
    place = tmp_path_factory.mktemp("data") / "repository"
    Repository(place, create=True).ingest([folder])
    return place


def test_names_of_parts() -> None:
    assert job_of_part("1.0") == STEP_0
    assert job_of_part("1.1@eva") == f"{STEP_1}@eva"
    assert job_of_part("slurm-1.batch") == "slurm-1"
    names = ("slurm-1", STEP_1, f"{STEP_0}@eva", "slurm-1-w00000000", "mine")
    assert [part_name(job) for job in names] == ["1.batch", "1.1", "1.0@eva", *names[-2:]]
    assert batch_job_of("pbs-7[3].server-w01234567@eva") == BatchJob("pbs", "7[3].server", "@eva")
    for other in ("mpi-5d5327ca", "4711", "steps-1-a", "slurm-", "slurm-1@x@eva"):
        assert batch_job_of(other) is None


def test_what_a_number_stands_for() -> None:
    """The whole, unless a job has that very name, or several users have such a batch job."""
    jobs = [
        STEP_1,
        "slurm-1",
        "slurm-2",
        "slurm-3@eva",
        "slurm-3-w00000000@eva",
        "slurm-4@eva",
        "slurm-4@tom",
        "2",
        "slurm-5-w00000001",
        "slurm-5-w00000002",
    ]
    whose = Path("/repository")

    def stands(name: str) -> list[str]:
        return find_jobs(name, jobs, whose)

    assert stands("1") == stands("last") == [STEP_1, "slurm-1"]
    assert stands("slurm-1") == stands("1.batch") == ["slurm-1"]
    assert stands("1.1") == [STEP_1]
    assert stands("2") == ["2"]
    assert stands("3") == stands("3@eva") == ["slurm-3@eva", "slurm-3-w00000000@eva"]
    assert stands("3.batch") == ["slurm-3@eva"]
    assert stands("4@tom") == ["slurm-4@tom"]
    assert stands("slurm-5") == ["slurm-5-w00000001", "slurm-5-w00000002"]
    with pytest.raises(JobError, match="2 batch jobs have the number '4': 4@eva, 4@tom"):
        stands("4")
    with pytest.raises(JobError, match=r"There is no job '1\.7'"):
        stands("1.7")
    assert find_job("last", jobs, whose) == STEP_1
    with pytest.raises(JobError, match=r"Slurm job 1 has 2 parts: 1\.1, 1\.batch"):
        find_job("1", jobs, whose)


def test_one_row_for_a_batch_job(path: Path) -> None:
    listed = json.loads(jostle("jobs", "--json", "--repository", str(path)).out)["jobs"]
    first, second, _ = listed
    assert (first["job"], second["job"]) == ("1", "slurm-2")
    assert [(part["part"], part["job"]) for part in first["parts"]] == [
        ("1.batch", "slurm-1"),
        ("1.0", STEP_0),
        ("1.1", STEP_1),
    ]
    assert (first["processes"], first["ranks"], first["hosts"]) == (4, 2, 2)
    assert (first["program"], first["programs"]) == ("solver", {"solver": 2})
    assert first["written_bytes"] == (40 + 2 * 20 + 10) * MIB
    assert first["end_ns"] - first["start_ns"] == 40 * SECOND
    row = batch_row(Repository(path), ["slurm-1", STEP_0, STEP_1])
    assert row["cpu_s"] == pytest.approx(45, rel=1e-3)
    assert row["cores_busy"] == row["cpu_s"] / 40
    assert [part["cpu_s"] for part in row["parts"]] == pytest.approx([20, 20, 5], rel=1e-3)


def test_what_stands_at_the_end_of_a_jobs_output(path: Path) -> None:
    """All ranks of all parts; half a page, in letters that every reader has."""
    text = jostle("digest", "1", "--brief", "--repository", str(path)).out
    lines = text.splitlines()
    assert len(lines) <= 25 and text.isascii() and {len(line) <= 80 for line in lines} == {True}
    assert "solver: 2 ranks on 2 nodes of root" in lines[1]
    groups = [
        "MPI collectives",
        "point-to-point",
        "MPI-IO",
        "POSIX I/O",
        "floating point",
        "threads",
    ]
    assert [line[:16].strip() for line in lines if line[:16].strip() in groups] == groups
    assert re.search(r"written +20\.0 MiB +20\.0 MiB +20\.0 MiB", text)
    assert "interference: " in text
    alone = jostle("digest", "slurm-2", "--brief", "--repository", str(path)).out
    assert "1 process on 1 node" in alone and "MPI" not in alone


def test_which_jobs_and_in_which_order(path: Path) -> None:
    def listed(*words: str) -> list[str]:
        done = jostle("jobs", "--json", "--repository", str(path), *words)
        assert done.code == 0, done.err
        return [row["job"][:7] for row in json.loads(done.out)["jobs"]]

    assert listed("--program", "post") == ["1"]
    assert listed("--program", "ta*") == ["slurm-2"]
    assert listed("--user", "1000000") == []
    assert listed("--since", "1d") == []
    assert listed("--since", "2001-01-01") == ["1", "slurm-2", "a-very-"]
    assert listed("--sort", "written", "-n", "1") == ["1"]
    assert listed("--sort", "program") == ["a-very-", "1", "slurm-2"]
    losses = json.loads(jostle("jobs", "--sort", "lost", "--json", "--repository", str(path)).out)
    lost = [row["lost"]["lost_s"] for row in losses["jobs"]]
    assert all(lost) and lost == sorted(lost, key=lambda seconds: seconds["value"])
    assert jostle("jobs", "--since", "yesterday", "--repository", str(path)).code == 2


@pytest.mark.parametrize("columns", [80, 60])
def test_a_narrow_list_keeps_the_names(path: Path, columns: int) -> None:
    done = jostle("jobs", "--parts", "--lost", "--repository", str(path), COLUMNS=str(columns))
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= columns, done.out
    for name, program in (("1", "solver"), ("1.0", "solver"), ("1.1", "post"), ("slurm-2", "tar")):
        (at,) = (number for number, line in enumerate(lines) if line.split()[0] == name)
        # Where even short rows find no room, each is a paragraph.
        assert program in " ".join(lines[at : at + 3]).split()


def part(job: str, begin: float, end: float, **more: Any) -> dict[str, Any]:
    return {
        "job": job,
        "part": job,
        "start_ns": round(begin * 1e9),
        "end_ns": round(end * 1e9),
        **more,
    }


def loss(job: str, lost: float, *hits: tuple[float, float, float]) -> JobLoss:
    reported: Any = SimpleNamespace(lost_s=Interval(lost, lost / 2, lost * 2), what="CPU")
    spans = [(int(begin * 1e9), int(end * 1e9), seconds) for begin, end, seconds in hits]
    return JobLoss(job, reported, coverage=1.0, spans=spans)


def whole(*parts: dict[str, Any]) -> dict[str, Any]:
    return part("1", 0, 100, script="slurm-1", parts=list(parts))


def test_losses_of_parts_one_after_another_add_up() -> None:
    row = whole(part("a", 0, 40), part("b", 40, 90))
    added = added_loss(row, [loss("a", 2), loss("b", 4)])
    assert added.lost_s == Interval(6, 3, 12)
    assert added.percent == Interval(6, 3, 12) and added.run_s == 100
    assert (added.cause, added.coverage) == ("CPU", pytest.approx(0.9))
    assert added.lit.likely == "green"


def test_of_parts_at_the_same_time_the_last_one_counts() -> None:
    """Without interference b would have ended at 46, and a at 88."""
    row = whole(part("a", 0, 90), part("b", 0, 50))
    assert added_loss(row, [loss("a", 2), loss("b", 4)]).lost_s.value == 2
    row = whole(part("a", 0, 49), part("b", 0, 50))
    assert added_loss(row, [loss("a", 2), loss("b", 40)]).lost_s.value == 3


def test_of_the_script_what_it_lost_between_steps_counts() -> None:
    row = whole(part("slurm-1", 0, 100), part("a", 10, 90))
    waits = loss("slurm-1", 8, (10, 90, 6), (90, 100, 2))
    assert added_loss(row, [waits, loss("a", 3)]).lost_s.value == pytest.approx(3 + 2)
    # A step that is too short for a verdict is one in which the script waits, too.
    unknown = JobLoss("a", None, "shorter than 0.5 s")
    added = added_loss(row, [waits, unknown])
    assert added.lost_s.value == pytest.approx(2) and added.coverage == pytest.approx(0.2)
    nothing = added_loss(row, [JobLoss("slurm-1", None, "x"), unknown])
    assert nothing.lost_s.value != nothing.lost_s.value and nothing.lit.light is None


def test_a_line_for_an_epilog(path: Path) -> None:
    """One line and status 0, however little is known."""
    repository = ("--line", "--repository", str(path))
    done = jostle("digest", "1", *repository)
    assert done.code == 0 and done.out.count("\n") == 1
    assert done.out.startswith("1 (solver): 40.0 s, ") and "1.12 cores busy" in done.out
    assert done.out.endswith("read 0 B, written 90.0 MiB\n")
    assert jostle("digest", "slurm-2", *repository).out.startswith("slurm-2 (tar): 10.0 s, ")
    done = jostle("digest", "4711", *repository)
    assert done.code == 0 and done.out.count("\n") == 1 and "There is no job" in done.out


@pytest.mark.in_turn
def test_verbs_that_take_a_number(path: Path, tmp_path: Path) -> None:
    repository = ("--repository", str(path))
    done = jostle("digest", "1", *repository)
    assert "Slurm job 1  solver; 3 parts, 4 processes on 2 nodes" in done.out
    assert "jostle digest" in done.err and "1.0" in done.err
    done = jostle("estimate", "1", *repository)
    assert "Slurm job 1" in done.out.splitlines()[0] and "1.1" in done.out
    found = json.loads(jostle("estimate", "1", "--json", *repository).out)
    assert [each["job"] for each in found["loss"]["parts"]] == ["slurm-1", STEP_0, STEP_1]
    done = jostle("timeline", "1", "--json", *repository)
    assert [each["job"] for each in json.loads(done.out)["jobs"]] == ["slurm-1", STEP_0, STEP_1]
    done = jostle("interference", "1", "--json", *repository)
    assert [each["part"] for each in json.loads(done.out)["parts"]] == ["1.batch", "1.0", "1.1"]
    done = jostle("report", "1", "-o", str(tmp_path / "1.html"), "--json", *repository)
    assert done.code == 0, done.err
    written = json.loads(done.out)
    assert written["title"] == "Slurm job 1"
    assert [title for title in written["parts"] if title.startswith("Part ")][1:] == [
        "Part 1.0: solver",
        "Part 1.1: post",
    ]
    done = jostle("estimate", "1", "--plot", "x", *repository)
    assert done.code == 2 and "Name one of the parts: 1.batch, 1.0, 1.1" in done.err


SACCT = """#!/bin/sh
echo '1000|{start}|{end}|long|phys|CANCELLED by 7|a|b'
"""
SCONTROL = """#!/bin/sh
echo 'JobId=12 JobName=two words'
echo '   UserId=eva(1000) GroupId=eva(1000) MCS_label=N/A'
echo '   Priority=1 Nice=0 Account=(null) QOS=(null)'
echo '   JobState=RUNNING Reason=None'
echo '   StartTime={start} EndTime=Unknown Deadline=N/A'
echo '   Partition=short AllocNode:Sid=x:0'
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, but for the shell's."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    return tmp_path


def tool(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_what_the_scheduler_knows(tools: Path, path: Path) -> None:
    store = Repository(path)
    row = {
        "script": "slurm-12@eva",
        "uid": 1000,
        "start_ns": 1000 * SECOND,
        "end_ns": 2000 * SECOND,
    }
    assert scheduler.scheduler_facts(store, row) is None
    tool(tools, "scontrol", SCONTROL.format(start=990))
    facts = scheduler.scheduler_facts(store, row)
    assert facts == scheduler.SchedulerFacts("two words", "short", "", "running")
    tool(tools, "sacct", SACCT.format(start=990, end=2010))
    facts = scheduler.scheduler_facts(store, row)
    assert facts == scheduler.SchedulerFacts("a|b", "long", "phys", "cancelled")
    part = {
        "job": "slurm-12-w01234567@eva",
        "uid": 1000,
        "start_ns": 1200 * SECOND,
        "end_ns": 1300 * SECOND,
    }
    assert scheduler.scheduler_facts(store, part) == facts
    # Another cluster's job of that number: of another user, or at another time.
    tool(tools, "scontrol", "#!/bin/sh\nexit 1\n")
    assert scheduler.scheduler_facts(store, row | {"uid": 1001}) is None
    assert scheduler.scheduler_facts(store, row | {"end_ns": 9000 * SECOND}) is None
    assert scheduler.scheduler_facts(store, row | {"script": "pbs-12"}) is None


def test_a_scheduler_that_does_not_answer(
    tools: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Repository(path)
    monkeypatch.setattr(scheduler, "_PATIENCE_S", 0.2)
    for name in ("sacct", "scontrol"):
        tool(tools, name, "#!/bin/sh\nexec sleep 30\n")
    row = {"script": "slurm-12", "uid": 0, "start_ns": 0, "end_ns": 1}
    assert scheduler.scheduler_facts(store, row) is None


def test_an_empty_name_is_no_job() -> None:
    with pytest.raises(JobError, match="2 jobs begin with ''"):
        find_jobs("", ["one", "two"], Path("repository"))
