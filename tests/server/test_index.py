"""The list of jobs: search, filters, their counts, order, pages; and its refreshing."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastapi import HTTPException

from jostle.report.models.jobs import job_rows
from jostle.repository import JobError, Repository
from jostle.repository.ingest.ingest import Ingester
from jostle.repository.maintenance.compact import expire
from jostle.server.access import Viewer
from jostle.server.context import ServerContext
from jostle.server.job_service import JobService
from jostle.server.jobs.index import Filter, JobIndex, ask
from synth import EPOCH, SECOND, Profile


def row(number: int, **other: Any) -> dict[str, Any]:
    """An ordinary job."""
    return {
        "job": f"job-{number}",
        "program": "solver",
        "uid": 1,
        "user": "anne",
        "start_ns": number * 100,
        "end_ns": number * 100 + 50,
        "running": False,
        "processes": 4,
        "nodes": 1,
        "spark": [],
        "verdict": None,
        "batch": None,
        "why_not": "",
    } | other


def verdict(light: str | None, lost: float, cause: str | None = "network") -> dict[str, Any]:
    return {"light": light, "percent": lost, "lost_s": lost, "cause": cause, "resource": None}


ROWS = [
    row(0, verdict=verdict("red", 9.0)),
    row(1, verdict=verdict("green", 0.1, None), user="bert", program="writer"),
    row(2, running=True),
    row(3, verdict=verdict(None, 2.0, "cpu"), user=None),
    row(4, verdict=verdict("red", 5.0, "file system"), program="writer"),
]


def names(found: dict[str, Any]) -> list[str]:
    return [one["job"] for one in found["jobs"]]


def test_live_jobs_come_first_whatever_the_order() -> None:
    assert names(ask(ROWS, Filter(), "-start", 0, 10)) == [
        "job-2",
        "job-4",
        "job-3",
        "job-1",
        "job-0",
    ]
    lost = names(ask(ROWS, Filter(), "-lost", 0, 10))
    assert lost == ["job-2", "job-0", "job-4", "job-3", "job-1"]


def test_the_parts_of_a_batch_job() -> None:
    """A batch job is found by its number, with or without the owner."""
    named = {
        "slurm-1": "1",
        "slurm-1-s0": "1",
        "slurm-1-s1@eva": "1@eva",
        "slurm-12": "12",
        "run-1": None,
    }
    rows = [row(at, job=job, batch=batch) for at, (job, batch) in enumerate(named.items())]
    found = ask(rows, Filter(batch="1"), "job", 0, 10)
    assert [one["part"] for one in found["jobs"]] == ["1.batch", "1.0", "1.1@eva"]
    assert [one["part"] for one in ask(rows, Filter(batch="1@eva"), "job", 0, 9)["jobs"]] == [
        "1.1@eva"
    ]
    assert ask(rows, Filter(search="run"), "job", 0, 9)["jobs"][0]["part"] == "run-1"


def test_a_step_by_the_name_that_users_give_it() -> None:
    rows = {name: {"uid": 1} for name in ("slurm-1", "slurm-1-s0", "slurm-2@uid61001")}
    context: Any = ServerContext(
        SimpleNamespace(rows=lambda: rows, repository=None),
        SimpleNamespace(audit=None),  # type: ignore[arg-type]
    )
    viewer: Any = SimpleNamespace(uid=61001, sees=lambda uid: uid == 1)
    for name, job in (
        ("1.0", "slurm-1-s0"),
        ("1.batch", "slurm-1"),
        ("2.batch", "slurm-2@uid61001"),
        ("slurm-1", "slurm-1"),
    ):
        assert context.job(viewer, name) == job
    with pytest.raises(HTTPException) as error:
        context.job(viewer, "1.7")
    assert error.value.detail == "There is no job '1.7'."


def test_pages() -> None:
    found = ask(ROWS, Filter(), "job", 3, 10)
    assert found["total"] == 5
    assert names(found) == ["job-3", "job-4"]


def test_what_cannot_be_assessed_does_not_wait_for_it() -> None:
    rows = [*ROWS, row(5, why_not="Too short."), row(6)]
    assert ask(rows, Filter(), "job", 0, 10)["waiting"] == 2  # job-2 and job-6


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (Filter(search="writer job"), {"job-1", "job-4"}),
        (Filter(search="BERT"), {"job-1"}),
        (Filter(light=frozenset({"red"})), {"job-0", "job-4"}),
        (Filter(light=frozenset({"none"})), {"job-2"}),
        (Filter(light=frozenset({"undecided"})), {"job-3"}),
        (Filter(light=frozenset({"undecided", "none"})), {"job-2", "job-3"}),
        (Filter(cause=frozenset({"cpu", "network"})), {"job-0", "job-3"}),
        (Filter(user=frozenset({"anne"}), program=frozenset({"writer"})), {"job-4"}),
        (Filter(state=frozenset({"live"})), {"job-2"}),
        (Filter(from_ns=50, to_ns=200), {"job-1"}),
    ],
)
def test_filters(wanted: Filter, left: set[str]) -> None:
    assert set(names(ask(ROWS, wanted, "job", 0, 10))) == left


def test_each_facet_counts_what_all_other_filters_leave() -> None:
    found = ask(ROWS, Filter(light=frozenset({"red"}), search="writer"), "job", 0, 10)
    assert found["total"] == 1
    assert found["facets"]["light"] == {"red": 1, "green": 1}
    assert found["facets"]["program"] == {"writer": 1}
    assert found["facets"]["state"] == {"over": 1}


def test_the_state_of_two_jobs_changes_with_each(injected: Path) -> None:
    index = JobIndex(Repository(injected))
    index.refresh_if_stale()
    one, two = list(index.rows)[:2]
    before = index.state(one, two)
    index.marks = index.marks | {two: "changed"}
    assert index.state(one, two) != before
    assert index.state(one) == before[:1]
    assert index.state()[:2] == (index.number, True)  # its newest slices are long over


def test_rows_are_those_of_the_command(injected: Path) -> None:
    store = Repository(injected)
    index = JobIndex(store)
    index.refresh()
    for reported in job_rows(store):
        own = index.rows[reported["job"]]
        assert own["program"] == reported["program"]
        assert (own["start_ns"], own["end_ns"]) == (reported["start_ns"], reported["end_ns"])
        moved = reported["read_bytes"] + reported["written_bytes"]
        assert sum(own["spark"]) == pytest.approx(moved)
    assert index.refresh() == []


def test_a_compaction_is_no_reason_to_read_all_jobs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Repository(tmp_path / "repository", create=True)
    for day, job in enumerate("abc"):
        profile = Profile(job=job, start_ns=EPOCH + day * 86_400 * SECOND, boot_id=uuid.UUID(int=1))
        profile.add_mount(0, path="/scratch", type="ext4")
        profile.add_slice(profile.first_slice, {"posix_write_bytes": {0: 4096}})
        profile.write(tmp_path / "spool")
        store.ingest([tmp_path / "spool"])
    index = JobIndex(store)
    index.refresh()
    rows, made, asked = index.rows, index._made, []
    monkeypatch.setattr(index, "_made", lambda names: asked.append(names) or made(names))
    store.compact()
    assert index.refresh() == []
    assert index.rows == rows
    assert None not in asked
    now_s = (EPOCH + 2 * 86_400 * SECOND) / 1e9
    expire(store.path, 0.0, now_s=now_s)
    assert index.refresh() == ["a", "b"]
    assert asked.pop() is None


def test_few_slices_make_no_comb(tmp_path: Path) -> None:
    store = Repository(tmp_path / "repository", create=True)
    profile = Profile(job="short", start_ns=EPOCH, boot_id=uuid.UUID(int=1))
    profile.add_mount(0, path="/scratch", type="ext4")
    for at in range(7):
        written = 8192 if at == 3 else 4096
        profile.add_slice(profile.first_slice + at, {"posix_write_bytes": {0: written}})
    profile.write(tmp_path / "spool")
    store.ingest([tmp_path / "spool"])
    index = JobIndex(store)
    index.refresh()
    spark = index.rows["short"]["spark"]
    assert sum(spark) == pytest.approx(8 * 4096)
    wrote = spark[:42]  # seven slices of the eight that it ran
    assert max(wrote) == pytest.approx(2 * min(wrote))
    assert not any(spark[42:])


def _listed(tmp_path: Path, slices: list[dict]) -> dict:
    """The row of the list of a job that did this, slice by slice."""
    store = Repository(tmp_path / "repository", create=True)
    profile = Profile(job="one", start_ns=EPOCH, boot_id=uuid.UUID(int=1))
    profile.add_mount(0, path="/scratch", type="ext4")
    for at, values in enumerate(slices):
        profile.add_slice(profile.first_slice + at, values)
    profile.write(tmp_path / "spool")
    store.ingest([tmp_path / "spool"])
    index = JobIndex(store)
    index.refresh()
    return index.rows["one"]


@pytest.mark.parametrize(
    ("values", "of", "total"),
    [
        ({"state_p2p_ns": 3, "os_user_ns": 5, "posix_read_bytes": {0: 9_000}}, "mpi", 7 * 3),
        ({"ccl_barrier_ns": 2, "state_mpi_ns": 9, "os_user_ns": 5}, "collectives", 7 * 2),
        ({"os_user_ns": 5, "os_system_ns": 1, "posix_read_bytes": {0: 9_000}}, "cpu", 7 * 6),
        ({"os_user_ns": 5, "posix_read_bytes": {0: 1 << 20}}, "files", 7 << 20),
        ({"posix_read_bytes": {0: 9_000}}, "files", 7 * 9_000),
        ({}, None, 0),
    ],
)
def test_the_curve_is_of_what_a_job_really_used(tmp_path: Path, values, of, total) -> None:
    row = _listed(tmp_path, [values] * 7)
    assert (row["spark_of"], sum(row["spark"])) == (of, pytest.approx(total))


def test_who_reads_his_input_and_computes_is_shown_computing(tmp_path: Path) -> None:
    read = [{0: (1 << 30) * (at == 0)} for at in range(60)]
    row = _listed(
        tmp_path, [{"state_collective_ns": 3, "posix_read_bytes": bytes_} for bytes_ in read]
    )
    assert (row["spark_of"], sum(row["spark"])) == ("mpi", pytest.approx(180))


def test_a_damaged_file_takes_the_traffic_of_those_that_ran_then_and_of_nobody_else(
    tmp_path: Path,
) -> None:
    store = Repository(tmp_path / "repository", create=True)
    for day, job in enumerate("abc"):
        profile = Profile(job=job, start_ns=EPOCH + day * 86_400 * SECOND, boot_id=uuid.UUID(int=1))
        profile.add_mount(0, path="/scratch", type="ext4")
        profile.add_slice(profile.first_slice, {"posix_write_bytes": {0: 4096}})
        profile.write(tmp_path / "spool")
    store.ingest([tmp_path / "spool"])
    file = next(
        one
        for one in sorted((store.path / "rollup").rglob("*.parquet"))
        if pq.read_table(one)["job"][0].as_py() == "b"
    )
    data = file.read_bytes()
    file.write_bytes(data[:4] + bytes(len(data) - 12) + data[-8:])
    index = JobIndex(Repository(store.path))
    index.refresh()
    moved = {job: sum(row["spark"]) for job, row in index.rows.items()}
    assert moved == pytest.approx({"a": 4096, "b": 0, "c": 4096})


def test_the_curve_of_a_job_that_runs_is_spread_over_all_its_slices(tmp_path: Path) -> None:
    """The table of processes knows the end that the job had when it was last written."""
    store = Repository(tmp_path / "repository", create=True)
    profile = Profile(
        job="live",
        start_ns=EPOCH,
        pid=os.getpid(),  # as if it were ours: it has not ended
        boot_id=uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip()),
        proc_start=int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]),
    )
    profile.add_mount(0, path="/scratch", type="ext4")
    ingester = Ingester(
        store.path
    )  # one that follows: it renews the row of a process by the minute
    for first, last in ((0, 2), (2, 14)):
        for at in range(first, last):
            profile.add_slice(profile.first_slice + at, {"posix_write_bytes": {0: 4096}})
        profile.write(tmp_path / "spool")
        ingester.run([tmp_path / "spool"])
    index = JobIndex(store)
    index.refresh()
    spark = index.rows["live"]["spark"]
    assert sum(spark) == pytest.approx(14 * 4096)
    assert max(spark) < 4096, spark


def test_a_job_that_expires_during_a_request_costs_only_its_own_answer(tmp_path: Path) -> None:
    Repository(tmp_path / "repository", create=True)
    service = JobService(tmp_path / "repository", tmp_path / "cache")
    service.rows()
    viewer = Viewer("chief", 0, "administrator")
    service.index.rows = {one["job"]: one for one in ROWS}
    rows = service.rows()
    service.index.rows = {job: one for job, one in rows.items() if job != "job-2"}
    listed = [service.with_verdict(one, viewer) for one in rows.values()]
    assert [one["job"] for one in listed] == [one["job"] for one in ROWS]
    assert service.row("job-1", viewer) == listed[1]
    with pytest.raises(JobError, match="There is no job 'job-2' any more"):
        service.row("job-2", viewer)
    service.close()
