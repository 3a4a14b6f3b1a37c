#!/usr/bin/env python3
"""Measures the API of `jostle serve`: 1000 jobs, 20 million process-slices; 50 live viewers.

    lab/bench/rows/web/web_api.py [--json] [--quick] [--long] [--folder DIR]

The repository is made once (ten minutes) and kept under build/bench; a client in another process
sends each kind of request 200 times over HTTP, for jobs, metrics and spans that are mostly new to
the server. The 50 viewers follow jobs that are written meanwhile: each listens to events, and
requests the data that he shows again. The server has one core to itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart, pick
from rows.repository.interference import sized

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]

SEED, ASKED = 1001, 200
KEPT = ROOT / "build" / "bench"
#: Milliseconds that 95 of 100 answers may take at most. How much the second and the last third of
#: the time may differ: allocators keep freed memory.
STEADY_MIB = 16.0
TARGETS = {"jobs": 100, "series": 100, "background": 150, "system": 300, "live": 500}
WHAT = {
    "jobs": "list of jobs",
    "series": "series of a job",
    "background": "background of a job",
    "system": "system grid of a day",
}
VIEWERS = 50
#: A viewer closes an idle connection before the server (after 5 s) would close it during a request.
_IDLE_S = 3.0
METRICS = ("bytes", "ops", "time")
PROGRAMS = ("solver", "burster", "analysis", "logger", "untar")


def injected(level: str, folder: Path | None = None) -> Path:
    """Return the large repository, made where there is none yet."""
    path = (folder or KEPT) / pick(level, "web-large", "web-quick", "web-smoke")
    if not (path / "whole").exists():
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        apart(_plant, path / "repository", level)
        (path / "whole").touch()
    return path / "repository"


def _plant(path: Path, level: str) -> None:
    from jostle_lab.synthetic import LARGE, plant

    plant(path, sized(LARGE, level), SEED)


@dataclass
class Served:
    """A server that runs.

    Attributes:
        url: URL of the server.
        pid: Process ID of the server.
    """

    url: str
    pid: int

    def headers(self, viewer: int = 0) -> dict[str, str]:
        """Headers of every request of a viewer: his name, as a proxy would send it."""
        return {"X-Remote-User": f"viewer{viewer}", "Accept-Encoding": "gzip"}

    def memory_mib(self) -> float:
        """Memory of the server now."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) / 1024


@contextmanager
def served(repository: Path, cache: Path, core: int | None = None) -> Iterator[Served]:
    """Run a server, on one core if that is named."""
    code = (
        "import sys, uvicorn; from pathlib import Path; from jostle.server import *;"
        "from ipaddress import ip_network; from jostle.server.access.proxy import ProxyHeader;"
        "from jostle.server.access.roles import Roles;"
        f"people = frozenset(f'viewer{{each}}' for each in range({VIEWERS}));"
        "way = ProxyHeader('X-Remote-User', Roles(support=people));"
        "access = Access(way, url=f'http://127.0.0.1:{sys.argv[3]}',"
        "proxies=[ip_network('127.0.0.0/8')]);"
        "app = create_app(Path(sys.argv[1]), access, Path(sys.argv[2]));"
        "uvicorn.run(app, port=int(sys.argv[3]), log_level='warning', access_log=False,"
        "timeout_graceful_shutdown=1)"
    )
    port = 20_000 + os.getpid() % 20_000
    on = [] if core is None else ["taskset", "-c", str(core)]
    child = subprocess.Popen(
        [*on, sys.executable, "-c", code, str(repository), str(cache), str(port)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )
    try:
        made = Served(f"http://127.0.0.1:{port}/api/v1", child.pid)
        for _ in range(600):
            try:
                httpx.get(f"{made.url}/jobs?limit=1", headers=made.headers(), timeout=60)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield made
    finally:
        child.terminate()
        child.wait(30)


def questions(kind: str, jobs: list[dict[str, Any]], chance: random.Random) -> str:
    """Return a random request, mostly a new one."""
    job, metric = chance.choice(jobs), chance.choice(METRICS)
    first = min(one["start_ns"] for one in jobs)
    last = max(one["end_ns"] for one in jobs)
    if kind == "jobs":
        sort = chance.choice(["start", "-lost", "job", "-run", "user"])
        words = chance.choice(["", chance.choice(PROGRAMS), f"{chance.randrange(1000):03d}"])
        return f"jobs?limit=100&sort={sort}&search={words}&offset={chance.randrange(3) * 100}"
    if kind == "system":
        begin = chance.randrange(first, first + (last - first) // 2)
        metric = chance.choice(["cpu", "communication", "wait", "os_write_chars"])
        return f"system/grid?metric={metric}&from_ns={begin}&to_ns={begin + 86_400 * 10**9}"
    others = "&of=others" if kind == "background" else ""
    return f"jobs/{job['job']}/series?metric={metric}{others}"


def percentile(values: list[float], share: float) -> float:
    """A percentile of some values."""
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def ask_alone(made: Served, asked: int) -> dict[str, dict[str, float]]:
    """Send one request after the other; return milliseconds."""
    chance, found = random.Random(SEED), {}
    with httpx.Client(base_url=made.url + "/", headers=made.headers(), timeout=120) as client:
        first = client.get("jobs?limit=500").json()
        jobs = first["jobs"] + client.get("jobs?limit=500&offset=500").json()["jobs"]
        for kind in WHAT:
            times = []
            for _ in range(asked):
                question = questions(kind, jobs, chance)
                begin = time.perf_counter()
                answer = client.get(question)
                times.append(1e3 * (time.perf_counter() - begin))
                answer.raise_for_status()
            found[kind] = {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}
    return found


async def watch(
    made: Served, number: int, job: str, until: float, times: list[float], bad: list[str]
) -> None:
    """Run one viewer: listen, and request the shown data again when the job has changed."""
    tags: dict[str, str] = {}

    async def ask(client: httpx.AsyncClient, path: str) -> None:
        begin = time.perf_counter()
        headers = {"If-None-Match": tags[path]} if path in tags else {}
        answer = await client.get(path, headers=headers)
        times.append(1e3 * (time.perf_counter() - begin))
        if answer.status_code not in (200, 202, 304):
            bad.append(f"{answer.status_code} {path}")
        tags[path] = answer.headers.get("etag", "")

    shown = [
        f"jobs/{job}/series?metric=bytes",
        f"jobs/{job}/series?metric=bytes&of=others",
        f"jobs/{job}/verdict?wait_s=0",
    ]
    changed = asyncio.Event()

    async def listen(client: httpx.AsyncClient) -> None:
        async with client.stream("GET", "live", timeout=60) as stream:
            stream.raise_for_status()
            async for line in stream.aiter_lines():
                if line.startswith("data: ") and job in json.loads(line[6:])["jobs"]:
                    changed.set()  # as a page does: one request for all changes meanwhile

    try:
        async with httpx.AsyncClient(
            base_url=made.url + "/",
            headers=made.headers(number),
            timeout=60,
            limits=httpx.Limits(keepalive_expiry=_IDLE_S),
        ) as client:
            ears = asyncio.create_task(listen(client))
            try:
                while (left := until - time.monotonic()) > 0:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(changed.wait(), left)
                        changed.clear()
                        for path in shown:
                            await ask(client, path)
                    if ears.done():
                        bad.append(f"the stream ended: {ears.exception()!r}")
                        return
            finally:
                ears.cancel()
    except httpx.HTTPError as error:
        bad.append(repr(error))


async def follow(made: Served, writer: Any, seconds: float) -> dict[str, Any]:
    """Let all viewers watch for some time."""
    until, times, bad = time.monotonic() + seconds, [], []
    memory: list[float] = []

    async def write() -> None:
        while time.monotonic() < until + 2:
            await asyncio.to_thread(writer.write)
            memory.append(made.memory_mib())
            await asyncio.sleep(2)

    viewers = [
        watch(made, number, writer.jobs[number % len(writer.jobs)], until, times, bad)
        for number in range(VIEWERS)
    ]
    await asyncio.gather(write(), *viewers)
    if not times:
        raise RuntimeError(f"no viewer was answered in {seconds:.0f} s: {bad[:3]}")
    third = max(len(memory) // 3, 1)  # the first is left out: caches are full after it
    begin, end = statistics.median(memory[third : 2 * third] or memory), memory[-third:]
    return {
        "p50": percentile(times, 0.5),
        "p95": percentile(times, 0.95),
        "asked": len(times),
        "bad": bad,
        "memory_mib": max(memory),
        "grown_mib": statistics.median(end) - begin,
    }


def measure(level: str, seconds: float, folder: Path | None = None) -> dict[str, Any]:
    """Measure all."""
    from rows.web.web_live import Writer

    repository = injected(level, folder)
    with tempfile.TemporaryDirectory(prefix="jostle-bench-") as scratch:
        place = Path(scratch)
        with served(repository, place / "cache") as made:
            found: dict[str, Any] = ask_alone(made, pick(level, ASKED, ASKED // 4, 3))
            found["memory_mib"] = made.memory_mib()
        writer = Writer(place / "live")
        cores = sorted(os.sched_getaffinity(0))
        with served(place / "live", place / "cache-live", cores[0]) as made:
            found["live"] = asyncio.run(follow(made, writer, seconds))
    return found


def rows(bench: Bench) -> list[Row]:
    """Measure for the table of all benchmarks."""
    seconds = bench.pick(60, 20, 5)
    found = measure(bench.level, seconds, bench.disk if bench.level == "smoke" else None)
    table = [
        Row(
            "web-api",
            f"{what}, 95th percentile",
            "ms",
            f"<= {TARGETS[kind]} ms",
            found[kind]["p95"] <= TARGETS[kind],
            ours=found[kind]["p95"],
            note=f"median {found[kind]['p50']:.0f} ms",
        )
        for kind, what in WHAT.items()
    ]
    live = found["live"]
    fine = live["p95"] <= TARGETS["live"] and not live["bad"]
    table.append(
        Row(
            "web-api",
            f"{VIEWERS} viewers of live jobs, one core, 95th percentile",
            "ms",
            f"<= {TARGETS['live']} ms",
            fine,
            ours=live["p95"],
            note=f"{live['asked']} answers, {len(live['bad'])} errors; memory at most "
            f"{live['memory_mib']:.0f} MiB",
        )
    )
    table.append(
        Row(
            "web-api",
            "memory meanwhile, last third less second",
            "MiB",
            f"<= {STEADY_MIB:.0f} MiB",
            live["grown_mib"] <= STEADY_MIB,
            ours=live["grown_mib"],
            note=f"over {seconds:.0f} s; ten minutes: lab/bench/rows/web/web_api.py --long",
        )
    )
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="150 jobs, 50 requests, 20 s")
    parser.add_argument(
        "--long", action="store_true", help="let viewers follow jobs for ten minutes"
    )
    parser.add_argument("--folder", type=Path, help="where repositories are kept (build/bench)")
    options = parser.parse_args()
    seconds = 600 if options.long else 20 if options.quick else 60
    found = measure("quick" if options.quick else "full", seconds, options.folder)
    if options.json:
        print(json.dumps(found))
        return
    for kind, target in TARGETS.items():
        value = found[kind]["p95"]
        verdict = "reached" if value <= target else "MISSED"
        print(
            f"{kind:10}  p50 {found[kind]['p50']:6.0f}  p95 {value:6.0f} ms  "
            f"target <= {target} ms  {verdict}"
        )
    live = found["live"]
    print(f"{live['asked']} answers to {VIEWERS} viewers, errors: {live['bad'][:3] or 'none'}")
    verdict = "steady" if live["grown_mib"] <= STEADY_MIB else "NOT steady"
    print(
        f"memory at most {live['memory_mib']:.0f} MiB, last third less second "
        f"{live['grown_mib']:.1f} MiB: {verdict}"
    )


if __name__ == "__main__":
    main()
