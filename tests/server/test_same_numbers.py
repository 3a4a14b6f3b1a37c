"""One fact is one number: in the terminal, in --json, on the page and in the export."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from jostle.cli.main import cli
from jostle.plot.charts.matrix import signed
from jostle.report.format.users import others_alongside
from jostle.report.format.values import byte_count, count, duration, percent, seconds
from jostle.repository import Repository
from jostle.server import Access, create_app
from synth import EPOCH, SECOND, Profile

RANKS, SLICES, MIB = 4, 40, 1 << 20
STATES = ("p2p", "collective", "onesided", "mpi")


def launched(path: Path) -> Path:
    """Ingest a run of four MPI ranks whose launcher lives as long as they do, and does nothing."""
    world = {
        "mpi_state": 4,
        "mpi_adapter": 1,
        "world_size": RANKS,
        "mpi_init_ns": EPOCH,
        "mpi_ready_ns": EPOCH,
        "mpi_library": "Open MPI v4.1.4",
        "launcher": "orte",
        "world": "1a2b3c4d",
    }
    for number in range(RANKS + 1):
        rank = number - 1
        profile = Profile(
            job="launched",
            pid=500 + number,
            slice_ns=SECOND,
            start_ns=EPOCH,
            end_ns=EPOCH + SLICES * SECOND,
            end_reason=1,
            program="/opt/lammps/bin/lmp" if number else "/usr/bin/orterun",
            mpi=world | {"world_rank": rank} if number else {},
        )
        profile.add_mount(0, "/data")
        for index in range(SLICES):
            work = {
                "os_user_ns": SECOND // 2,
                "state_collective_ns": 450_000_000,
                "posix_write_ops": {0: 2},
                "posix_write_bytes": {0: (rank + 1) * MIB},
                "posix_write_ns": {0: 10_000_000},
            }
            idle = {
                "os_user_ns": 1_000_000,
                "stdio_write_bytes": {0: 10},
                "stdio_write_ops": {0: 1},
            }
            profile.add_slice(profile.first_slice + index, work if number else idle)
        profile.write(path / "spool")
    Repository(path / "repository", create=True).ingest([path / "spool"])
    return path / "repository"


def workers(path: Path) -> Path:
    """Ingest a Python script with three workers that each write a file of their own."""
    for number in range(4):
        profile = Profile(
            job="training",
            pid=700 + number,
            slice_ns=SECOND,
            start_ns=EPOCH,
            end_ns=EPOCH + SLICES * SECOND,
            end_reason=1,
            program="/usr/bin/python3.11",
            command="python3 train.py --epochs 3",
            mpi={"script": "train.py"},
        )
        profile.add_mount(0, "/data")
        for index in range(SLICES):
            slow = 3 if 20 <= index < 28 else 1
            profile.add_slice(
                profile.first_slice + index,
                {
                    "os_user_ns": 600_000_000,
                    "posix_write_ops": {0: 20},
                    "posix_write_bytes": {0: number * MIB},
                    "posix_write_ns": {0: slow * 100_000_000},
                },
            )
        profile.write(path / "spool")
    Repository(path / "repository", create=True).ingest([path / "spool"])
    return path / "repository"


def mixed(path: Path) -> Path:
    """Ingest two jobs on one mount, in slices of 1 s and of 250 ms; the one hurts the other."""
    for job, parts in (("training", 1), ("alongside", 4)):
        length = SECOND // parts
        profile = Profile(
            job=job,
            pid=800 + parts,
            slice_ns=length,
            start_ns=EPOCH,
            end_ns=EPOCH + 3 * SLICES * SECOND,
            end_reason=1,
            program=f"/usr/bin/{job}",
        )
        profile.add_mount(0, "/data")
        for index in range(3 * SLICES * parts):
            burst = index // parts % 11 in (3, 4, 5)
            work = {
                "os_user_ns": length // 2,
                "posix_write_ops": {0: 20 // parts},
                "posix_write_bytes": {0: 20 * MIB // parts},
                "posix_write_ns": {0: (3 if burst else 1) * length // 8},
            }
            load = work | {"posix_write_bytes": {0: (900 * MIB if burst else 0) // parts}}
            profile.add_slice(profile.first_slice + index, work if parts == 1 else load)
        profile.write(path / "spool")
    Repository(path / "repository", create=True).ingest([path / "spool"])
    return path / "repository"


def run(*words: object) -> str:
    done = CliRunner().invoke(cli, [*map(str, words)], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    return done.output


def page_of(repository: Path, cache: Path) -> TestClient:
    access = Access()
    headers = {"Authorization": f"Bearer {access.token}"}
    app = create_app(repository, access, cache)
    return TestClient(app, "http://localhost/api/v1/", headers=headers)


def printed(*words: object) -> Any:
    return json.loads(run(*words, "--json"))


@pytest.fixture(scope="module")
def mpi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return launched(tmp_path_factory.mktemp("launched"))


def test_a_launcher_counts_in_no_mean(mpi: Path, tmp_path: Path) -> None:
    """Least, mean and shares are of the ranks, everywhere; totals are of all processes."""
    content = printed("digest", "launched", "--repository", mpi)
    page = page_of(mpi, tmp_path / "cache")
    api = page.get("jobs/launched").json()
    figures = page.get("jobs/launched/figures").json()["figures"]
    written = SLICES * np.arange(1, RANKS + 1) * MIB
    spread = content["metrics"]["posix_write_bytes"]
    assert (spread["min"], spread["mean"], spread["max"]) == (
        written.min(),
        written.mean(),
        written.max(),
    )
    assert content["mpi"][0]["metrics"]["posix_write_bytes"] == spread
    assert api["metrics"] == content["metrics"]
    assert content["figures"]["figures"] == figures
    bytes_written = next(figure for figure in figures if figure["name"] == "Bytes written")
    assert bytes_written["least"] == pytest.approx(written.min())
    assert bytes_written["mean"] == pytest.approx(written.mean())
    assert bytes_written["total"] == pytest.approx(written.sum() + 10 * SLICES)
    assert byte_count(written.mean()) in run("digest", "launched", "--repository", mpi)
    shares = {share["name"]: share["share"] for share in content["shares"]}
    of_world = {share["name"]: share["share"] for share in content["mpi"][0]["shares"]}
    assert shares["MPI calls"] == pytest.approx(of_world["collective"]) == pytest.approx(0.45)
    assert api["shares"] == content["shares"]


@pytest.mark.in_turn
@pytest.mark.parametrize("make", [launched, workers, mixed])
def test_the_numbers_of_a_job_are_the_same_everywhere(make: Any, tmp_path: Path) -> None:
    """Program, processes, bytes, loss: list, digest, verdict, page, and both exports."""
    where = ("--repository", make(tmp_path))
    page = page_of(where[1], tmp_path / "cache")
    row = next(each for each in printed("jobs", *where)["jobs"] if each["job"] != "alongside")
    job = row["job"]
    content = printed("digest", job, *where)
    api = page.get(f"jobs/{job}").json()
    assert (api["metrics"], api["shares"]) == (content["metrics"], content["shares"])
    shown = next(each for each in page.get("jobs").json()["jobs"] if each["job"] == job)
    exported = rows_of("jobs", tmp_path / "jobs.csv", where, job)[0]
    assert row["ranks"] == shown["ranks"]
    for name in ("program", "processes", "start_ns", "end_ns"):
        assert str(exported[name]) == str(row[name]) == str(shown[name]), name
    kinds = [f"{kind}_write_bytes" for kind in ("posix", "stdio")]
    written = sum(content["metrics"][kind]["total"] for kind in kinds if kind in content["metrics"])
    slices = rows_of(job, tmp_path / "slices.csv", where, job)
    assert (
        row["written_bytes"]
        == written
        == sum(int(each.get(kind) or 0) for each in slices for kind in kinds if each["mount"])
    )
    for text in (run("jobs", *where), run("digest", job, *where)):
        assert row["program"] in text and byte_count(written) in text
    verdict = verdict_of(page, job)
    numbers = printed("estimate", job, *where)
    assert (verdict["head"], verdict["attribution"]) == (numbers["head"], numbers["attribution"])
    assert seconds(numbers["head"]["lost_s"]["value"]) in run("estimate", job, *where)


def steps(path: Path) -> Path:
    """Ingest Slurm's job 1: a script that waits, and two steps, each slower for some slices."""
    for job, pid, begin, end in (
        ("slurm-1", 1, 0, 81),
        ("slurm-1-s0", 2, 0, 40),
        ("slurm-1-s1", 3, 41, 81),
    ):
        profile = Profile(
            job=job,
            pid=pid,
            slice_ns=SECOND,
            start_ns=EPOCH + begin * SECOND,
            end_ns=EPOCH + end * SECOND,
            end_reason=1,
            program=f"/opt/program{pid}",
        )
        profile.add_mount(0, "/data")
        for index in range(end - begin):
            slow = 4 if 20 <= index < 28 and pid > 1 else 1
            profile.add_slice(
                profile.first_slice + index,
                {
                    "os_user_ns": 500_000_000 // (100 if pid == 1 else 1),
                    "posix_write_ops": {0: 20},
                    "posix_write_bytes": {0: MIB},
                    "posix_write_ns": {0: slow * 100_000_000},
                },
            )
        profile.write(path / "spool")
    noted = {
        "event": "end",
        "state": "failed",
        "system": "slurm",
        "cluster": "big",
        "id": "1",
        "uid": os.geteuid(),
        "start_ns": EPOCH,
        "time_ns": EPOCH + 81 * SECOND,
        "name": "wave",
        "partition": "long",
        "cores": 3,
        "dependency": "afterok:7",
    }
    (path / "spool" / "batch-big-1.0.jsb").write_text(json.dumps(noted))
    Repository(path / "repository", create=True).ingest([path / "spool"])
    return path / "repository"


def test_a_batch_job_lost_the_same_everywhere(tmp_path: Path) -> None:
    """Estimate, list, line for an epilog, report and page; the sum of its steps."""
    where = ("--repository", steps(tmp_path))
    loss = printed("estimate", "1", *where)["loss"]
    lost = loss["lost_s"]
    (row,) = printed("jobs", "--lost", *where)["jobs"]
    assert row["lost"]["lost_s"] == lost and row["lost"]["light"] == loss["lit"]["light"]
    parts = [part["head"]["lost_s"]["value"] for part in loss["parts"]]
    assert parts == [part["lost"]["lost_s"]["value"] for part in row["parts"]]
    # A script that writes as evenly as this one loses nothing between its steps.
    assert lost["value"] == pytest.approx(sum(parts[1:])) and lost["value"] > 4
    for words in (("estimate", "1"), ("digest", "1", "--line")):
        assert seconds(lost["value"]) in run(*words, *where)
    page = page_of(where[1], tmp_path / "cache")
    assert page.get("batch-jobs/1").json()["waiting"] == 3
    for part in page.get("jobs?batch=1").json()["jobs"]:
        verdict_of(page, part["part"])
    whole = page.get("batch-jobs/1").json()
    assert (whole["title"], whole["parts"], whole["waiting"]) == ("Slurm job 1", 3, 0)
    assert whole["loss"] == row["lost"]
    # What the prolog noted, in list, digest and page.
    noted = whole["scheduler"]
    assert (noted["name"], noted["state"], noted["dependency"]) == ("wave", "failed", "afterok:7")
    for facts in (row["scheduler"], printed("digest", "1", *where)["scheduler"]):
        assert {key: facts[key] for key in noted} == noted
    assert page.get("batch-jobs/2").status_code == 404


def rows_of(what: str, file: Path, where: tuple[str, Path], job: str) -> list[dict[str, str]]:
    """Export a table, or a job's slices, and return the rows of the job."""
    run("export", what, "-o", file, *where)
    with file.open(newline="") as source:
        return [row for row in csv.DictReader(source) if row.get("job", job) == job]


def verdict_of(page: TestClient, job: str) -> Any:
    answer = page.get(f"jobs/{job}/verdict?wait_s=10").json()
    while "estimate" not in answer:
        answer = page.get(f"jobs/{job}/verdict?wait_s=10").json()
    return answer


def test_who_was_alongside_a_job_is_not_one_job_where_nobody_knows_how_many() -> None:
    assert others_alongside(0, unnamed=False) == ""
    assert others_alongside(2, unnamed=False) == "2 other jobs"
    assert others_alongside(1, unnamed=True) == "other users' jobs"
    assert others_alongside(2, unnamed=True) == "1 other job and other users' jobs"


def test_other_users_jobs_are_called_that(injected: Path) -> None:
    """The owner of a job is not shown a single concurrent job where others have several."""
    rows = printed("jobs", "--repository", injected)["jobs"]
    shown = 0
    for row in rows:
        words = (row["job"], "--as-user", row["uid"], "--repository", injected)
        alongside = printed("neighbours", *words)["neighbours"]
        if "other users' jobs" not in [each["job"] for each in alongside]:
            continue
        shown += 1
        assert "ther users' jobs were active on its resources" in run("neighbours", *words)
        if shown == 1:
            assert printed("interference", *words)["unnamed"]
            assert "ther users' jobs alongside it" in run("estimate", *words)
            assert "ther users' jobs were active on its resources" in run("interference", *words)
    assert shown


def test_the_verdict_is_the_same_everywhere(injected: Path, tmp_path: Path) -> None:
    """Seconds, interval, coverage, causes and slices: terminal, --json and page."""
    rows = printed("jobs", "--repository", injected)["jobs"]
    page = page_of(injected, tmp_path / "cache")
    seen = 0
    for row in rows[:3]:
        job = row["job"]
        content = printed("estimate", job, "--repository", injected)
        text = run("estimate", job, "--repository", injected)
        api = verdict_of(page, job)
        assert api["head"] == content["head"] and api["attribution"] == content["attribution"]
        estimate = api["estimate"]
        for name in ("run_s", "lost_s", "percent", "coverage", "causes", "cause_rows", "hits"):
            assert estimate[name] == content[name], name
        assert sum(cause["seconds"]["value"] for cause in content["causes"]) == pytest.approx(
            content["lost_s"]["value"], abs=1e-6
        )
        assert f"covered: {percent(content['coverage'])} of the time" in text
        assert seconds(content["head"]["lost_s"]["value"]) in text
        if content["attribution"]["suspects"]:
            assert f"{count(content['attribution']['suspect_slices'])} " in text
        for cause in content["cause_rows"]:
            line = next(line for line in text.splitlines() if line.startswith(cause["what"] + " "))
            assert seconds(cause["seconds"]["value"]) in line and percent(cause["share"]) in line
            seen += 1
    assert seen


def _sums(rows: Any, name: str, value: str) -> dict[str, float]:
    """Sum a column of a CSV file by another column."""
    sums: dict[str, float] = {}
    for row in rows:
        sums[row[name]] = sums.get(row[name], 0.0) + float(row[value])
    return sums


def test_suspects_figures_exports_and_comparisons_have_the_verdict_s_numbers(
    injected: Path, tmp_path: Path
) -> None:
    """What `interference`, `compare`, `report`, the figure and the exports say of one loss."""
    where = ("--repository", injected)
    rows = printed("jobs", *where)["jobs"][:3]
    contents = {row["job"]: printed("estimate", row["job"], *where) for row in rows}
    compared = printed("compare", *contents, *where)
    assert [(each["job"], each["lost_s"], each["causes"]) for each in compared["estimates"]] == [
        (job, content["lost_s"], content["causes"]) for job, content in contents.items()
    ]
    drawn = 0
    for job, content in contents.items():
        alongside = printed("interference", job, *where)
        assert (alongside["head"], alongside["attribution"]) == (
            content["head"],
            content["attribution"],
        )
        assert content["interference"] == {
            name: alongside[name] for name in content["interference"]
        }
        explained = content["attribution"]["explained_s"]["value"]
        assert explained <= content["lost_s"]["value"] + 1e-9
        if content["attribution"]["suspects"]:
            text = run("interference", job, *where)
            assert f"{job} lost {duration(explained * 1e9)} (" in text
        file, folder = tmp_path / f"{job}.csv", tmp_path / job
        run("estimate", job, "--export", file, "--plot", folder, *where)
        by_cause: dict[str, float] = {}
        for part in (part for hit in content["hits"] for part in hit["parts"]):
            by_cause[part["cause"]] = by_cause.get(part["cause"], 0.0) + part["seconds"]
        with file.open(newline="") as source:
            assert _sums(csv.DictReader(source), "cause", "lost_s") == pytest.approx(by_cause)
        figure = folder / "lost-time.csv"
        if content["hits"]:
            with figure.open(newline="") as source:
                assert _sums(csv.DictReader(source), "cause", "lost_s") == pytest.approx(
                    by_cause, rel=1e-3
                )
            drawn += 1
        page = tmp_path / f"{job}.html"
        run("report", job, "-o", page, *where)
        assert seconds(content["head"]["lost_s"]["value"]) in page.read_text()
    assert drawn


def test_the_matrix_is_the_same_everywhere(injected: Path, tmp_path: Path) -> None:
    content = printed("matrix", "--repository", injected)
    page = page_of(injected, tmp_path / "cache")
    answer = page.get("matrix")
    while answer.status_code == 202:
        answer = page.get("matrix")
    for name in ("programs", "encounters", "jobs", "limits"):
        assert answer.json()[name] == content[name]
    text = run("matrix", "--repository", injected)
    for program in content["programs"]:
        for value, proven in (("active", "hurts"), ("passive", "hurt_by")):
            if program[value] is not None and not program[proven]:
                assert f"({signed(program[value])})" in text
