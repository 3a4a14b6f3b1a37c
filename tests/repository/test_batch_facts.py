"""Facts of batch jobs in the repository: stored once, who may send them, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from jostle.report.models.job.scheduler import (
    SchedulerFacts,
    missing_nodes,
    scheduler_facts,
    with_facts,
)
from jostle.repository import Repository
from jostle.repository.ingest.batch_facts import FactsError, parse_facts
from jostle.repository.ingest.mirror import create_mirror
from jostle.repository.maintenance.compact import expire

SECOND = 10**9
NOW = time.time_ns() // SECOND * SECOND
BEGIN: dict[str, Any] = {
    "event": "begin",
    "system": "slurm",
    "cluster": "big",
    "id": "12",
    "job": "slurm-12",
    "submit_ns": NOW - 90 * SECOND,
    "start_ns": NOW - 60 * SECOND,
    "time_ns": NOW - 59 * SECOND,
    "name": "two\nwords",
    "user": "root",
    "uid": os.geteuid(),
    "gid": 0,
    "account": "phys",
    "partition": "long",
    "nodes": ["n1", "n2"],
    "node": "n1",
    "cores": 8,
    "memory_bytes": 1 << 30,
    "time_limit_s": 3600,
    "array_job": 7,
    "array_task": 0,
    "dependency": "afterok:11",
    "output": "/home/x/slurm-12.out",
    "unknown": [1],
}
END = BEGIN | {"event": "end", "time_ns": NOW, "state": "failed", "exit": "3:0"}
FILE = f"batch-big-12.{BEGIN['submit_ns'] // SECOND}.jsb"


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def stored(repository: Repository) -> list[dict[str, Any]]:
    return repository.query("SELECT * FROM batch_jobs ORDER BY id").to_pylist()


def test_begin_then_end(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    repository = Repository(tmp_path / "repository", create=True)
    (spool / FILE).write_bytes(lines(BEGIN))
    report = repository.ingest([spool], remove=True)
    assert (report.batch_jobs, report.removed, report.warnings) == (1, 0, [])
    (row,) = stored(repository)
    assert (row["job"], row["name"], row["complete"], row["array_task"]) == (
        "slurm-12",
        "two\\nwords",
        False,
        0,
    )
    assert repository.ingest([spool]).commits == 0
    (spool / FILE).write_bytes(lines(BEGIN, END))
    report = repository.ingest([spool], remove=True)
    assert (report.batch_jobs, report.removed) == (1, 1)
    assert list(spool.iterdir()) == []
    (row,) = stored(repository)
    assert (row["state"], row["exit"], row["end_ns"], row["het_component"]) == (
        "failed",
        "3:0",
        NOW,
        -1,
    )
    (spool / FILE).write_bytes(lines(BEGIN))  # it came again
    assert repository.ingest([spool], remove=True).commits == 0
    assert len(stored(repository)) == 1


def test_an_end_may_come_alone(tmp_path: Path) -> None:
    """Of a mirror: the begin was shipped, and its file removed, before the job ended."""
    repository = Repository(tmp_path / "repository", create=True)
    (tmp_path / FILE).write_bytes(lines(BEGIN))
    repository.ingest([tmp_path])
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).write_bytes(lines(END))
    repository.ingest([tmp_path])
    (row,) = stored(repository)
    assert (row["complete"], row["state"], row["name"]) == (True, "failed", "two\\nwords")


def test_a_job_that_was_requeued_has_two_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profiled job gets the facts of its time; limits and dependency are reported."""
    again = {"submit_ns": NOW - 20 * SECOND, "start_ns": NOW - 10 * SECOND, "name": "again"}
    repository = Repository(tmp_path / "repository", create=True)
    (tmp_path / "batch-big-12.1.jsb").write_bytes(
        lines(BEGIN, END | {"time_ns": NOW - 30 * SECOND})
    )
    (tmp_path / "batch-big-12.2.jsb").write_bytes(
        lines(BEGIN | again | {"time_ns": NOW - 9 * SECOND})
    )
    repository.ingest([tmp_path])
    assert len(stored(repository)) == 2
    first = {
        "job": "slurm-12",
        "uid": os.geteuid(),
        "start_ns": NOW - 55 * SECOND,
        "end_ns": NOW - 35 * SECOND,
    }
    facts = scheduler_facts(repository, first)
    assert facts == SchedulerFacts(
        "two\\nwords",
        "long",
        "phys",
        "failed",
        "3:0",
        8,
        1 << 30,
        3600,
        ("n1", "n2"),
        "afterok:11",
        7,
        0,
        output="/home/x/slurm-12.out",
        waited_s=30.0,
    )
    second = first | {"start_ns": NOW - 8 * SECOND, "end_ns": NOW}
    facts = scheduler_facts(repository, second)
    assert facts is not None and (facts.name, facts.state) == ("again", "running")
    # It is over, and no epilog said so: Slurm is asked, which is not here.
    monkeypatch.setenv("PATH", str(tmp_path))
    facts = scheduler_facts(repository, second | {"running": False})
    assert facts is not None and (facts.name, facts.state) == ("again", "")
    listed = with_facts(repository, [first, second, first | {"job": "mine"}])
    assert [row["scheduler"] and row["scheduler"]["state"] for row in listed] == [
        "failed",
        "running",
        None,
    ]


def test_nodes_may_be_called_by_longer_names() -> None:
    assert missing_nodes(["n1", "n2"], ["n1.site.org"]) == ["n2"]
    assert missing_nodes(["n1.site", "n2.site"], ["n2", "n1"]) == []
    assert missing_nodes(["cray-a", "cray-b"], ["nid1", "nid2"]) == [], "names of another kind"
    assert missing_nodes(["cray-a", "cray-b"], ["nid1"]) == ["cray-a", "cray-b"]


def test_only_root_and_the_owner_are_believed(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    create_mirror(mirror)
    for uid in (0, 4711):
        folder = mirror / "n1" / str(uid)
        folder.mkdir(parents=True)
        (folder / FILE).write_bytes(lines(END | {"id": str(uid)}))
    repository = Repository(tmp_path / "repository", create=True)
    report = repository.ingest([mirror], remove=True)
    assert [row["id"] for row in stored(repository)] == ["0"]
    assert "belong to root or the repository's owner" in report.warnings[0]
    assert [path.parent.name for path in mirror.rglob("*.jsb")] == ["4711"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "has no events"),
        (b"\xff\x00", "not JSON"),
        (b"[" * 50_000, "not JSON"),
        (b"[]\n", "not an object"),
        (b"x" * 270_000, "256 KiB"),
        (lines(*[BEGIN] * 250), "has more than 100 events"),
        (lines(BEGIN, END | {"id": "13"}), "several jobs"),
        (lines(BEGIN | {"system": "../x"}), "not known"),
        (lines(BEGIN | {"id": "1/../2"}), "not known"),
        (lines(BEGIN | {"uid": -1}), "owner"),
        (lines(BEGIN | {"uid": True}), "uid is not a number"),
        (lines(BEGIN | {"cores": 2**70}), "cores is not a number"),
        (lines(BEGIN | {"name": {}}), "name is not text"),
        (lines(BEGIN | {"nodes": [1]}), "not names"),
        (lines(BEGIN | {"nodes": "n1"}), "malformed"),
        (lines(BEGIN | {"event": "pause"}), "neither a begin"),
        (lines(BEGIN | {"time_ns": NOW * 2}), "future"),
    ],
)
def test_what_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(FactsError, match=why):
        parse_facts(data)


def test_an_end_without_answers_keeps_what_the_begin_said(tmp_path: Path) -> None:
    few = ("event", "system", "cluster", "id", "job", "submit_ns", "user", "uid", "node")
    end = {key: END[key] for key in few} | {"time_ns": NOW, "missing": ["squeue", "scontrol", [1]]}
    (tmp_path / FILE).write_bytes(lines(BEGIN, end))
    repository = Repository(tmp_path / "repository", create=True)
    report = repository.ingest([tmp_path])
    assert len(report.warnings) == 2
    assert "`squeue` failed at the end of the job" in report.warnings[0]
    assert "its nodes may be unknown" in report.warnings[1]
    (row,) = stored(repository)
    assert (row["complete"], row["state"], row["end_ns"]) == (True, "", NOW)
    assert row["nodes"] == ["n1", "n2"]
    for key in ("name", "account", "cores", "memory_bytes", "array_job", "array_task", "output"):
        assert row[key] == parse_facts(lines(BEGIN))[0][key], key
    assert row["start_ns"] == BEGIN["start_ns"]


def test_a_file_with_another_name_is_left_out(tmp_path: Path) -> None:
    """A user may link a file of root into the spool, where the kernel allows that."""
    spool = tmp_path / "spool"
    spool.mkdir()
    (tmp_path / "elsewhere").write_bytes(lines(BEGIN))
    os.link(tmp_path / "elsewhere", spool / FILE)
    repository = Repository(tmp_path / "repository", create=True)
    report = repository.ingest([spool])
    assert (report.batch_jobs, len(report.warnings)) == (0, 1)
    assert "hard links" in report.warnings[0]


def test_odd_files_do_no_harm(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    os.mkfifo(spool / "batch-a-1.1.jsb")
    (spool / "batch-a-2.1.jsb").symlink_to("/dev/zero")
    (spool / "batch-a-3.1.jsb").mkdir()
    (spool / "batch-a-4.1.jsb").write_bytes(b"{}\n")
    repository = Repository(tmp_path / "repository", create=True)
    report = repository.ingest([spool])
    assert len(report.warnings) == 1 and "batch-a-4.1.jsb is left out" in report.warnings[0]
    assert stored(repository) == []


def test_old_facts_expire(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    (spool / FILE).write_bytes(lines(BEGIN, END))
    repository = Repository(tmp_path / "repository", create=True)
    repository.ingest([spool])
    repository.compact()
    assert len(stored(repository)) == 1
    expire(tmp_path / "repository", 0, now_s=time.time() + 7300)
    assert stored(repository) == []


def test_the_end_of_a_job_of_many_nodes_counts(tmp_path: Path) -> None:
    many = {"nodes": [f"nid{number:06d}" for number in range(4000)]}  # 40 000 bytes of names
    spool = tmp_path / "spool"
    spool.mkdir()
    (spool / FILE).write_bytes(lines(BEGIN | many, END | many))
    repository = Repository(tmp_path / "repository", create=True)
    report = repository.ingest([spool])
    assert (report.batch_jobs, report.warnings) == (1, [])
    (row,) = stored(repository)
    assert (row["complete"], len(row["nodes"])) == (True, 4000)


def test_pbs_and_lsf_read_no_file_that_is_linked(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "integrations" / "pbs" / "write_facts"
    spool = tmp_path / "spool"
    spool.mkdir()
    (tmp_path / "secret").write_text("secret\n")
    (tmp_path / "secret").chmod(0o644)
    os.link(tmp_path / "secret", spool / "batch-pbs-12.server.0.jsb")
    subprocess.run(
        ["sh", script, "end", "pbs", "12.server", "uid=0"],
        env={"PATH": "/usr/bin:/bin", "JOSTLE_SPOOL": str(spool)},
        check=True,
        timeout=30,
    )
    (path,) = spool.glob("*.jsb")
    assert json.loads(path.read_text())["event"] == "end"
    assert (tmp_path / "secret").read_text() == "secret\n"


def test_pbs_and_lsf_write_all_nodes_of_a_large_job(tmp_path: Path) -> None:
    nodes = [f"node{number:04d}" for number in range(3000)]
    script = Path(__file__).parents[2] / "integrations" / "pbs" / "write_facts"
    text = "\n".join(nodes)
    for event in ("begin", "end"):
        words = [event, "pbs", "12.server", "user=root", "uid=0", f"nodes={text}", "name=n" * 3000]
        subprocess.run(
            ["sh", script, *words],
            env={"PATH": "/usr/bin:/bin", "JOSTLE_SPOOL": str(tmp_path)},
            check=True,
            timeout=30,
        )
    (path,) = tmp_path.glob("*.jsb")
    for line in path.read_text().splitlines():
        assert json.loads(line)["nodes"] == nodes
