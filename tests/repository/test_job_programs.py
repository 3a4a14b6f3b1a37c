"""Names of jobs' programs: the same in the list of jobs, in exports, and among other jobs."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
from support import make_profile

from jostle.analysis.processes import JobProcesses
from jostle.report.models.jobs import job_rows
from jostle.repository import Repository
from jostle.repository.store.layout import TABLES

# Processes of a job (executable, script, slices, header fields of MPI; no slices: a short one), and
# what the job is called.
JOBS = {
    "script": ([("/usr/bin/python3.11", "train.py", 3, {})], "train.py"),
    "old": ([("/usr/bin/python3.11", "", 3, {})], "python3.11"),
    "wrapped": (
        [
            ("/usr/bin/timeout", "", 9, {}),
            ("/usr/bin/dash", "", 9, {}),
            ("/usr/bin/perl", "count.pl", 5, {}),
        ],
        "count.pl",
    ),
    "batch": ([("/usr/bin/bash", "slurm_script", 9, {}), ("/opt/lmp", "", 5, {})], "lmp"),
    "shell": ([("/usr/bin/bash", "job.sh", 40, {}), ("/opt/lmp", "", 3, {})], "job.sh"),
    "only": ([("/usr/bin/timeout", "", 9, {}), ("/usr/bin/dash", "", 5, {})], "dash"),
    "ranks": (
        [
            ("/usr/bin/orterun", "", 9, {}),
            ("/usr/bin/python3.11", "a.py", 2, {"world_size": 2}),
            ("/usr/bin/python3.11", "a.py", 2, {"world_size": 2}),
        ],
        "a.py",
    ),
    "mixed": (
        [
            ("/usr/bin/mpiexec.hydra", "", 9, {}),
            *((f"/opt/{name}", "", 2, {"world_size": 5}) for name in ("b", "a", "c", "c", "d")),
        ],
        "c, a, ...",
    ),
}


def test_jobs_have_one_name_everywhere(store, spool, tmp_path):
    pid = 10
    for job, (processes, _) in JOBS.items():
        for program, script, slices, mpi in processes:
            pid += 1
            mpi = {**mpi, **({"script": script} if script else {})}
            make_profile(pid, job=job, program=program, slices=slices, mpi=mpi).write(spool)
    store.ingest([spool])
    names = {job: name for job, (_, name) in JOBS.items()}
    assert {row["job"]: row["program"] for row in store.jobs().to_pylist()} == names
    assert {job: fact.program for job, fact in store.programs_alongside().jobs.items()} == names
    assert {row["job"]: row["program"] for row in job_rows(store)} == names
    assert {job: store.program(job) for job in names} == names
    store.export("jobs", "json", tmp_path / "jobs.json")
    exported = json.loads((tmp_path / "jobs.json").read_text())
    assert {row["job"]: row["program"] for row in exported} == names
    scripts = store.query("SELECT script FROM processes WHERE job = 'script'").to_pylist()
    assert scripts == [{"script": "train.py"}]
    assert JobProcesses(store.job_processes("ranks")).programs() == {"a.py": 2, "orterun": 1}


def test_processes_of_old_files_have_no_script(store, spool, monkeypatch):
    """A file from before the column: programs are named by their executables."""
    keys = TABLES["processes"].keys
    with monkeypatch.context() as patch:
        patch.delitem(keys, "script")
        make_profile(1, job="a", program="/usr/bin/python3.11").write(spool)
        store.ingest([spool])
        (file,) = (store.path / "processes").glob("*.parquet")
        assert "script" not in pq.read_schema(file).names
    again = Repository(store.path)
    assert again.jobs()["program"].to_pylist() == ["python3.11"]
    assert again.job_processes("a")["script"].to_pylist() == [None]
    again.close()
