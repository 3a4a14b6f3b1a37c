"""A real Prometheus that collects from a real node exporter: imported values are the true ones."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import jostle

from jostle.repository import Repository

NS = 10**9
PROGRAMS = ("prometheus", "prometheus-node-exporter")
pytestmark = pytest.mark.skipif(
    not all(shutil.which(program) for program in PROGRAMS),
    reason="Prometheus or its node exporter is not installed",
)
CONFIG = """
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: node
    static_configs: [{ targets: ["127.0.0.1:%d"], labels: { instance: "node7:9100" } }]
"""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a Prometheus that has collected for a while."""
    node, port = free_port(), free_port()
    (tmp_path / "prometheus.yml").write_text(CONFIG % node)
    commands = [
        [
            PROGRAMS[1],
            f"--web.listen-address=127.0.0.1:{node}",
            "--collector.disable-defaults",
            *(f"--collector.{name}" for name in ("cpu", "meminfo", "stat", "diskstats", "netdev")),
        ],
        [
            PROGRAMS[0],
            f"--web.listen-address=127.0.0.1:{port}",
            f"--config.file={tmp_path}/prometheus.yml",
            f"--storage.tsdb.path={tmp_path}/data",
        ],
    ]
    running = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in commands
    ]
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 30
        while not answers(f"{url}/-/ready") and time.monotonic() < deadline:
            time.sleep(0.1)
        yield url
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(10)


def jiffies() -> float:
    """CPU time that programs and the kernel used on this machine, in seconds."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    return sum(map(int, fields[:3])) / os.sysconf("SC_CLK_TCK")


def test_what_is_imported_is_what_happened(server: str, tmp_path: Path) -> None:
    time.sleep(3)
    begin, used = time.time_ns(), jiffies()
    until = time.monotonic() + 6
    while time.monotonic() < until:
        sum(range(100_000))
    end, used = time.time_ns(), jiffies() - used
    time.sleep(3)
    place = str(tmp_path / "repository")
    words = ("import", "prometheus", server, "--from", "1h", "--map", "node-exporter")
    done = jostle(*words, "--repository", place, "--json")
    assert done.code == 0, done.err
    (report,) = json.loads(done.out)
    assert report["hosts"] == ["node7"] and report["slice_ns"] == NS
    assert report["components"]["machine"] == 1 and report["samples"] > 100
    store = Repository(Path(place))
    inside = f"slice * slice_ns >= {begin} AND (slice + 1) * slice_ns <= {end}"
    (row,) = store.query(
        "SELECT sum(cpu_user_ns + cpu_system_ns)::BIGINT AS busy, max(memory_limit_bytes) AS room, "
        f"max(cpu_count) AS cores, count(*) AS n FROM component_slices WHERE kind = 'machine' "
        f"AND {inside}"
    ).to_pylist()
    assert row["n"] >= 4 and row["cores"] == os.cpu_count()
    # The slices lie within the time, and samples are a second apart; late ones cost a slice more.
    assert 0.3 * used < row["busy"] / NS < 1.1 * used + 0.5
    total = int(Path("/proc/meminfo").read_text().split()[1]) * 1024
    assert row["room"] == total
    shown = jostle("timeline", "--node", "node7", "--repository", place)
    assert shown.code == 0, shown.err
    again = jostle(*words, "--repository", place, "--to", "2001-01-01")
    assert again.code == 2 and "is not after" in again.err
