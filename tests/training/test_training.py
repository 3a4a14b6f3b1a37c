"""Data-parallel training with PyTorch and gloo, from `jostle run` to the verdict.

A step of the script mostly sleeps: it stands for one that a GPU computes, and is of equal length
however busy this machine is. What the script lost is known from the script alone: it sleeps longer
in some steps, and writes when each step ended.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jostle.repository import Repository
from torchrun import torchrun

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parent / "programs" / "train.py"
STEP_S, STEPS = 0.08, 40
DELAY_S, LATE = 0.2, 10
POINTS = 2.0


def launcher() -> list[str]:
    """Return the words of torchrun."""
    if not torchrun():
        pytest.skip("there is no PyTorch with gloo: install python3-torch")
    return list(torchrun())


def environment(**variables: str) -> dict[str, str]:
    """Return our environment without what launchers and jostle leave in it."""
    ours = ("JOSTLE", "SLURM", "PMI", "OMPI", "TORCH", "MASTER", "RANK", "WORLD")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**clean, "OMP_NUM_THREADS": "1", **variables}


def jostle(folder: Path, *words: str | Path) -> str:
    """Run the command with a repository in a folder, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "jostle.cli", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=300,
        env=environment(
            PYTHONPATH=str(ROOT / "src"),
            JOSTLE_REPOSITORY=str(folder / "repository"),
            JOSTLE_SPOOL=str(folder / "spool"),
        ),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@dataclass
class Trained:
    """A run: the script's own account, and jostle's.

    Attributes:
        ended: What `jostle run` said at its end.
        seconds: From the first step to the last.
        injected: Percent of them that a rank slept on purpose.
        slower: Percent of them that steps took longer than the fastest tenth, injected included.
        brief: Its digest for the end of a job's output.
        digest: The digest of its only world.
        estimate: The estimate.
    """

    ended: str
    seconds: float
    injected: float
    slower: float
    brief: str
    digest: dict[str, Any]
    estimate: dict[str, Any]


def train(folder: Path, ranks: int, delay_s: float) -> Trained:
    """Train under `jostle run`; digest, and estimate."""
    log = folder / "log.json"
    ended = jostle(
        folder,
        "run",
        "--job",
        "training",
        "--slice",
        "500ms",
        "--",
        *launcher(),
        "--standalone",
        f"--nproc_per_node={ranks}",
        SCRIPT,
        f"--steps={STEPS}",
        f"--device={STEP_S}",
        f"--delay={delay_s}",
        f"--late={LATE}",
        "--width=64",
        f"--result={log}",
    )
    said = json.loads(log.read_text())
    steps = np.diff([0.0, *said["ends"]])
    assert len(steps) == STEPS
    slower = float((steps - np.quantile(steps, 0.1)).sum())
    digest = json.loads(jostle(folder, "digest", "training", "--json"))
    (world,) = digest["mpi"]
    shares = {share["name"] for share in digest["shares"]}
    assert "collectives" in shares and "MPI calls" not in shares
    return Trained(
        ended,
        said["seconds"],
        100 * said["lost"] / said["seconds"],
        100 * slower / said["seconds"],
        jostle(folder, "digest", "training", "--brief"),
        world,
        json.loads(jostle(folder, "estimate", "training", "--json")),
    )


@pytest.mark.tries(3)
@pytest.mark.parametrize(
    ("ranks", "delay_s"),
    [
        pytest.param(2, 0.0, marks=pytest.mark.in_turn),
        (2, DELAY_S),
        pytest.param(4, DELAY_S, marks=pytest.mark.in_turn),
    ],
)
def test_a_training_job_is_priced(tmp_path: Path, ranks: int, delay_s: float) -> None:
    run = train(tmp_path, ranks, delay_s)
    world = run.digest
    assert (world["size"], world["ranks"], world["library"]) == (ranks, ranks, "gloo")
    assert world["programs"] == {"train.py": ranks}
    assert f"training job: {ranks} ranks, train.py; " in run.ended
    # The all-reduce of each step ends a segment; few come before the first and after the last.
    assert STEPS <= world["segments"]["number"] <= STEPS + 5
    assert world["segments"]["delimiter"] == "gloo::allreduce"
    assert world["segments"]["coverage"] > 0.9
    assert "MPI" not in run.ended + run.brief
    assert re.search(r"^collectives +calls a second +\d+\.\d", run.brief, re.MULTILINE), run.brief
    assert not any("no rank" in limit for limit in run.estimate["limits"])  # launchers are none
    percent = run.estimate["percent"]
    assert run.estimate["world"] == 0 and run.estimate["ranks"] == ranks
    assert run.injected - POINTS <= percent["value"] <= run.slower + POINTS, run
    # What others took of a busy machine is a loss too: the truth is between what was injected
    # and what steps took longer.
    assert percent["low"] - POINTS <= run.slower, run
    assert run.injected <= percent["high"] + POINTS, run
    if run.slower - run.injected < POINTS:
        assert percent["low"] - POINTS <= run.injected, run
    if delay_s:
        assert run.estimate["light"] == "red"
        assert "● red" in run.ended


def test_two_launchers_by_hand_are_one_job(tmp_path: Path) -> None:
    """As on two nodes: each torchrun knows one rank, and no `jostle run` is around them."""
    library = Path(os.environ.get("JOSTLE_NATIVE", ROOT / "build" / "native")) / "libjostle.so"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    spool = tmp_path / "spool"
    command = [
        *launcher(),
        "--nnodes=2",
        "--nproc_per_node=1",
        "--master_addr=127.0.0.1",
        f"--master_port={port}",
    ]
    script = [SCRIPT, "--steps=10", "--width=32", "--workers=1"]
    nodes = []
    for rank in range(2):
        folder = tmp_path / f"node{rank}"
        folder.mkdir()
        nodes.append(
            subprocess.Popen(
                [*command, f"--node_rank={rank}", *script],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=environment(LD_PRELOAD=str(library), JOSTLE_SPOOL=str(spool)),
            )
        )
    for node in nodes:
        said, _ = node.communicate(timeout=120)
        assert node.returncode == 0, said
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([spool])
    rows = store.query(
        "SELECT job, world, world_rank, world_size, script FROM processes"
    ).to_pylist()
    ranks = [row for row in rows if row["world_size"]]
    assert sorted(row["world_rank"] for row in ranks) == [0, 1]
    (job,) = {row["job"] for row in ranks}
    assert job.startswith("train-") and len({row["world"] for row in ranks}) == 1
    # The processes that load data belong to the job, but are no ranks.
    assert Counter(row["job"] for row in rows if row["script"] == "train.py")[job] >= 4
    (world,) = store.segments(job).worlds
    assert world.ranks == [0, 1]
