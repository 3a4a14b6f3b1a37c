"""The scripts for PBS and LSF, in a stand-in for their environment: the real ones are untried."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jostle.repository import Repository

HERE = Path(__file__).resolve().parents[3] / "integrations"
NAME = 'a "b" \\ $(touch /tmp/pwned) `id` \'\n x'
LSF = {
    "LSB_JOBID": "77",
    "LSFUSER": "root",
    "LSB_JOBNAME": NAME,
    "LSB_QUEUE": "normal",
    "LSB_PROJECT_NAME": "phys",
    "LSB_HOSTS": "n1 n1 n2 n2",
    "LSB_OUTPUTFILE": "/home/x/77.out",
    "LSB_JOBEXIT_STAT": "768",
}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("system", ["pbs", "lsf"])
def test_begin_and_end(tmp_path: Path, system: str) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    nodes = tmp_path / "nodes"
    nodes.write_text("n1\nn1\nn2\n")
    env = {"PATH": "/usr/bin:/bin", "JOSTLE_SPOOL": str(spool), "PBS_NODEFILE": str(nodes)} | LSF
    begin = ["12.server", "root", "root", NAME, "ncpus=4", "batch", "phys"]
    end = [*begin[:4], "99", "ncpus=4", "cput=1", "batch", "phys", "3"]
    calls = (
        [("prologue", begin), ("epilogue", end)]
        if system == "pbs"
        else [("pre_exec", []), ("post_exec", [])]
    )
    repository = Repository(tmp_path / "repository", create=True)
    for script, words in calls:
        command = [HERE / system / script, *words]
        done = subprocess.run(command, env=env, capture_output=True, timeout=30)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        report = repository.ingest([spool])
        assert (report.batch_jobs, report.warnings) == (1, [])
    (row,) = repository.query("SELECT * FROM batch_jobs").to_pylist()
    assert (row["system"], row["id"]) == (system, "12.server" if system == "pbs" else "77")
    assert row["name"] == NAME.replace("\n", " ") and not Path("/tmp/pwned").exists()
    assert (row["account"], row["nodes"], row["exit"]) == ("phys", ["n1", "n2"], "3:0")
    assert (row["state"], row["complete"], row["uid"]) == ("failed", True, 0)
