"""A standalone cluster of two workers answers like one process, also when executors are killed.

    .venv/bin/python tests/spark/test_cluster.py [KILLS] [SEED]

kills an executor at random times of so many questions: each gives the right answer, or an error.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1] / "repository"), str(Path(__file__).parents[1])]

from test_engine import fill  # skips where there is no pyspark

pytestmark = pytest.mark.in_turn

HOME = Path(str(importlib.util.find_spec("pyspark").submodule_search_locations[0]))  # type: ignore
_READY_S = 90


@contextlib.contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Run a master and workers of one core each; give the master's address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"spark://127.0.0.1:{port}"
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    deploy = "org.apache.spark.deploy"
    commands = [
        [f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    ]
    commands += [
        [
            f"{deploy}.worker.Worker",
            url,
            "--cores",
            "1",
            "--memory",
            "1g",
            "--webui-port",
            "0",
            "--work-dir",
            str(folder / f"worker{number}"),
        ]
        for number in range(workers)
    ]
    running = []
    try:
        for command in commands:
            log = (folder / f"{len(running)}.log").open("w")
            running.append(
                subprocess.Popen(
                    [HOME / "bin/spark-class", *command],
                    env=environment,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )
            if len(running) == 1:
                _await(lambda: _listens(port), "the master")
        said = folder / "0.log"
        _await(lambda: said.read_text().count("Registering worker") >= workers, "the workers")
        yield url
    finally:
        for process in reversed(running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False


def _await(ready: object, what: str) -> None:
    end = time.monotonic() + _READY_S
    while not ready():  # type: ignore[operator]
        assert time.monotonic() < end, f"{what} did not start"
        time.sleep(0.1)


def asked(repository: Path, engine: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "jostle.cli", "matrix", "--json", "--engine", engine]
    return subprocess.Popen(
        [*command, "--repository", str(repository)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
    )


def executors(folder: Path) -> list[int]:
    """Return the processes of executors whose work lies in a folder."""
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (entry / "cmdline").read_bytes()
            if b"CoarseGrainedExecutorBackend" in line and (entry / "cwd").resolve().is_relative_to(
                folder
            ):
                pids.append(int(entry.name))
    return pids


def kill_some(kills: int, seed: int) -> None:
    """Ask so many times, and kill an executor meanwhile."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = fill(folder / "repository", 3, 900.0)
        with asked(store.path, "embedded") as whole:
            wanted = json.loads(whole.communicate()[0])
        assert wanted["encounters"]
        with cluster(folder) as url:
            for number in range(kills):
                with asked(store.path, url) as question:
                    if number:
                        _await(lambda: executors(folder), "an executor")
                        time.sleep(rng.uniform(0, 6))
                        for pid in executors(folder)[:1]:
                            os.kill(pid, signal.SIGKILL)
                    out, err = question.communicate(timeout=300)
                if question.returncode == 0:
                    assert json.loads(out) == wanted
                else:
                    assert err.startswith("jostle: ")
                if __name__ == "__main__":
                    print(f"{number + 1} of {kills}: {err.strip() or 'right'}", flush=True)


def test_a_cluster_of_two_workers_answers_also_when_an_executor_is_killed() -> None:
    kill_some(1, 1)


if __name__ == "__main__":
    kill_some(*(int(word) for word in [*sys.argv[1:], "20", "1"][:2]))
