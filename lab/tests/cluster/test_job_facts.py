"""Slurm's prolog and epilog, with stand-ins for Slurm's commands, and in a hostile spool."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from lab_parts import native

from jostle.repository.ingest.batch_facts import parse_facts

#: A job's name, as bytes: the separator of the answer, quotes, commands, and no UTF-8.
NAME = b"a|b\"c\\d $(touch /tmp/pwned) `id` 'x' \x01\x7f\xff \xc3\xa9"
FIELDS = (
    "12",
    "7",
    "3",
    "1795715545",
    "1795715548",
    "8",
    "cpu=8,mem=500M,node=2",
    "1-02:03:04",
    "afterok:11",
    "None",
    "physics",
)


class Node:
    """A node with a spool, and stand-ins for scontrol and squeue."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.spool = folder, folder / "spool"
        self.spool.mkdir()
        self.spool.chmod(0o1777)
        (folder / "answer").write_bytes(self.answer("0"))
        self.command("scontrol", 'printf "%s\\n" n1 n2')
        self.command("squeue", f'cat "{folder}/answer"')

    def answer(self, exit_code: str) -> bytes:
        words = "|".join(field.ljust(20) for field in (*FIELDS, exit_code)).encode()
        return words.replace(b"12 ", b"11 ", 1) + b"|other\n" + words + b"|" + NAME + b"   \n"

    def command(self, name: str, words: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{words}\n")
        (self.folder / name).chmod(0o755)

    def run(self, script: str, **more: str) -> list[dict[str, Any]]:
        path = native(f"slurm/{script}")
        if path is None:
            pytest.skip(f"slurm/{script} is not built: run `make build`")
        env = {
            "PATH": f"{self.folder}:/usr/bin:/bin",
            "JOSTLE_SPOOL": str(self.spool),
            "SLURM_JOB_ID": "12",
            "SLURMD_NODENAME": "n1",
            "SLURM_NODELIST": "n[1-2]",
            "SLURM_CLUSTER_NAME": "big/../one",
            "SLURM_JOB_UID": "1000",
            "SLURM_JOB_USER": "ada",
            "SLURM_JOB_PARTITION": "long",
            "SLURM_HET_JOB_ID": "10",
            "SLURM_JOB_STDOUT": "/home/ada/slurm-12.out",
        }
        done = subprocess.run([path], env=env | more, capture_output=True, timeout=30)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert [path for path in self.spool.iterdir() if path.name.startswith(".")] == []
        found = self.spool / "batch-big____one-12.1795715545.jsb"
        lines = (
            found.read_bytes().decode("utf-8", "replace").splitlines() if found.is_file() else []
        )
        return [json.loads(line) for line in lines]


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_begin_and_end(node: Node) -> None:
    (begin,) = node.run("prolog")
    assert begin["name"] == "a|b\"c\\d $(touch /tmp/pwned) `id` 'x'   � é"
    assert not Path("/tmp/pwned").exists()
    assert begin | {"name": "", "time_ns": 0} == {
        "event": "begin",
        "system": "slurm",
        "cluster": "big____one",
        "id": "12",
        "job": "slurm-12",
        "submit_ns": 1795715545 * 10**9,
        "start_ns": 1795715548 * 10**9,
        "time_ns": 0,
        "name": "",
        "user": "ada",
        "uid": 1000,
        "account": "physics",
        "partition": "long",
        "nodes": ["n1", "n2"],
        "node": "n1",
        "cores": 8,
        "memory_bytes": 500 << 20,
        "time_limit_s": 93784,
        "array_job": 7,
        "array_task": 3,
        "het_job": 10,
        "het_component": 2,
        "dependency": "afterok:11",
        "output": "/home/ada/slurm-12.out",
    }
    assert abs(begin["time_ns"] - time.time_ns()) < 60 * 10**9
    (node.folder / "answer").write_bytes(node.answer("15"))
    again, end = node.run("epilog")
    assert again == begin
    assert (end["event"], end["state"], end["exit"]) == ("end", "cancelled", "0:15")


def test_other_nodes_write_nothing(node: Node) -> None:
    assert node.run("prolog", SLURMD_NODENAME="n2") == []
    assert node.run("prolog", SLURM_JOB_ID="12; reboot") == []


def test_what_is_injected_is_replaced(node: Node) -> None:
    """A link, a FIFO and another's file under the name that everybody can foresee."""
    name = node.spool / "batch-big____one-12.1795715545.jsb"
    victim = node.folder / "victim"
    victim.write_text("as it was")
    name.symlink_to(victim)
    assert len(node.run("prolog")) == 1
    name.unlink()
    os.mkfifo(name)
    assert len(node.run("epilog")) == 1
    name.unlink()
    name.mkdir()
    assert node.run("prolog") == []
    assert victim.read_text() == "as it was"


def test_a_hard_link_is_not_followed(node: Node) -> None:
    """A kernel may allow a user to give a file of root a second name."""
    victim = node.folder / "victim"
    victim.write_text("secret\n")
    victim.chmod(0o644)
    os.link(victim, node.spool / "batch-big____one-12.1795715545.jsb")
    (end,) = node.run("epilog")
    assert end["event"] == "end"
    assert victim.read_text() == "secret\n"


def test_a_failing_epilog_keeps_the_job(node: Node) -> None:
    """Its end is in the file of its begin, with what slurmd says, and names what failed."""
    (begin,) = node.run("prolog")
    node.command("squeue", "exit 1")
    node.command("scontrol", "echo n; exit 1")
    again, end = node.run("epilog")
    assert again == begin and "missing" not in begin
    assert (end["event"], end["submit_ns"]) == ("end", begin["submit_ns"])
    assert end["missing"] == ["squeue", "scontrol"]
    assert not {"nodes", "name", "state", "cores"} & set(end)
    row = parse_facts("\n".join(json.dumps(line) for line in (begin, end)).encode())[-1]
    assert (row["complete"], row["nodes"], row["cores"]) == (True, ["n1", "n2"], 8)


def test_a_prolog_without_answers_begins_the_same_file(node: Node) -> None:
    node.command("squeue", "printf '12 |7 |3 |17957'")  # it was ended while it wrote
    node.command("scontrol", "exit 1")
    assert node.run("prolog", SLURMD_NODENAME="n2") == []
    assert not list(node.spool.iterdir()), "the first node is that of the list"
    node.run("prolog", SLURM_NODELIST="n[1-2,7],m[3-4]")
    node.run("prolog", SLURM_NODELIST="n1,n2", SLURM_JOB_ID="13")
    paths = {path.name: path for path in node.spool.iterdir()}
    assert set(paths) == {f"batch-big____one-{number}.0.jsb" for number in (12, 13)}
    some, all_nodes = (json.loads(path.read_text()) for _, path in sorted(paths.items()))
    assert "nodes" not in some and some["missing"] == ["squeue", "scontrol"]
    assert all_nodes["nodes"] == ["n1", "n2"] and all_nodes["missing"] == ["squeue"]
    node.command("scontrol", 'printf "%s\\n" n1 n2')
    node.command("squeue", f'cat "{node.folder}/answer"')
    assert node.run("epilog") == []
    begin, end = map(
        json.loads, paths["batch-big____one-12.0.jsb"].read_text(errors="replace").splitlines()
    )
    assert (begin["event"], end["event"], end["state"]) == ("begin", "end", "completed")
    assert "submit_ns" not in end and "missing" not in end


def test_a_controller_that_does_not_answer(node: Node) -> None:
    """The facts from slurmd are still written, and nothing waits long."""
    node.command("squeue", "exec sleep 60")
    begin = time.monotonic()
    assert node.run("prolog") == []
    assert time.monotonic() - begin < 8
    (path,) = node.spool.glob("*.jsb")
    facts = json.loads(path.read_bytes())
    assert path.name == "batch-big____one-12.0.jsb"
    assert (facts["job"], facts["uid"], facts["nodes"]) == ("slurm-12", 1000, ["n1", "n2"])
