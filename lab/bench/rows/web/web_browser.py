#!/usr/bin/env python3
"""Measures the pages in a browser: size of the bundle, first paint of a long job, steps of zoom.

    lab/bench/rows/web/web_browser.py [--json] [--quick] [--folder DIR]

The repository is synthetic (jostle_lab.synthetic): a job of 64 processes over 24 hours of 4 s
slices, among others. A server of its own shows it to a headless Chromium; its verdict has been
computed before, as on a running server. The paint is meaningful when verdict and time slices are
shown. Steps of zoom (Ctrl and the wheel) and of pan (arrows) move all charts and the grid of
processes at once; their script time is Chromium's own (ScriptDuration), from before a step until
two frames after it. A second repository has a fat tree of 10 000 nodes and some 49 000 links: steps
of time on the page of the network draw and list all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, MissingError, Row, apart, half_width, pick

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]
CHROMIUM = Path("/usr/bin/chromium")
STATIC = ROOT / "src/jostle/server/static"

BUNDLE_KB, PAINT_S, STEP_MS, STEP_P95_MS = 250, 1.5, 16, 50
#: Fetched only for the placement of jobs in three dimensions: three.js.
_ON_DEMAND = "placement-scene"
PROCESSES, HOURS, SLICE_S = 64, 24.0, 4.0
_THERE = "document.querySelector('.verdict .number') && document.querySelector('.stack canvas')"
#: Records when verdict and time slices have been drawn.
_WATCH = f"""
(() => {{
  const look = () => {{
    if ({_THERE}) requestAnimationFrame(() => {{ window.meaningful = performance.now(); }});
    else requestAnimationFrame(look);
  }};
  requestAnimationFrame(look);
}})()
"""
_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def make(path: Path, level: str) -> str:
    """Make the repository; return the name of its long, wide job."""
    import numpy as np

    from jostle_lab.synthetic import plant
    from jostle_lab.synthetic.injected.model import Spec
    from jostle_lab.synthetic.injected.schedule import participants_of

    hours = pick(level, HOURS, HOURS / 12, HOURS / 120)
    length = round(hours * 3600 / SLICE_S)
    spec = Spec(
        jobs=5,
        slices=round(1.1 * length),
        length=round(0.9 * length),
        processes=PROCESSES,
        slice_s=SLICE_S,
        mounts=1,
        users=2,
    )
    for seed in range(1000):
        wide = [
            participant
            for participant in participants_of(spec, np.random.default_rng(seed))
            if participant.processes == PROCESSES
            and participant.work_s >= hours * 3600
            and participant.program.mpi
        ]
        if wide:
            plant(path, spec, seed)
            return wide[0].job
    raise AssertionError("no seed gives such a job")


def make_network(path: Path) -> None:
    """Make synthetic jobs on a large fabric."""
    from jostle.repository import Repository
    from jostle.topology import fat_tree
    from jostle_lab.synthetic import Spec, plant, plant_fabric

    plant(path, Spec(jobs=24, slices=300, length=200, processes=32, mounts=1, users=2), 7)
    found = Repository(path).query("SELECT DISTINCT host FROM processes ORDER BY host")
    hosts = found["host"].to_pylist()
    spare = [f"spare{number}" for number in range(10_000)]
    plant_fabric(
        path,
        fat_tree(400, 25, 20, cores=16, leaves_per_pod=20, rate=1e11, hosts=[*hosts, *spare]),
        seed=1,
    )


def bundle_kb() -> float:
    """Bytes that a browser fetches at most without the picture in three dimensions, compressed."""
    files = [
        path
        for path in STATIC.rglob("*")
        if path.is_file() and not path.name.startswith(_ON_DEMAND)
    ]
    if not files:
        raise FileNotFoundError("the front end is not built: make build")
    sizes = (
        path.stat().st_size if path.suffix == ".woff2" else len(gzip.compress(path.read_bytes(), 9))
        for path in files
    )
    return sum(sizes) / 1000


@contextlib.contextmanager
def serving(repository: Path) -> Iterator[str]:
    """Run `jostle serve`; yield the URL that it prints."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "jostle.cli",
        "serve",
        "--repository",
        str(repository),
        "--listen",
        f"127.0.0.1:{port}",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            for line in server.stdout:
                if found := re.search(r"http://\S+token=\S+", line):
                    yield found[0]
                    break
        finally:
            server.terminate()


def assessed(url: str, job: str) -> float:
    """Wait until the server has the verdict; return the seconds it took."""
    root, token = url.split("/?token=")
    asked = urllib.request.Request(
        f"{root}/api/v1/jobs/{job}/verdict", headers={"Authorization": f"Bearer {token}"}
    )
    begin = time.perf_counter()
    while True:
        with urllib.request.urlopen(asked) as answer:
            if answer.status == 200:
                return time.perf_counter() - begin
        time.sleep(0.2)


def wait(page: Any, what: str) -> None:
    """Wait until a condition holds on a page (its policy forbids wait_for_function)."""
    end = time.monotonic() + 120
    while not page.evaluate(f"Boolean({what})"):
        assert time.monotonic() < end, what
        page.wait_for_timeout(20)


def paint(browser: Any, url: str, job: str) -> float:
    """Open the job's page with empty caches; return seconds to its paint."""
    root, token = url.split("/?token=")
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(_WATCH)
    page.goto(f"{root}/jobs/{job}?token={token}")
    wait(page, "window.meaningful")
    seconds = page.evaluate("window.meaningful") / 1000
    context.close()
    return float(seconds)


def steps(browser: Any, url: str, job: str, number: int) -> dict[str, list[float]]:
    """Zoom and pan; return milliseconds of script per step of each."""
    root, token = url.split("/?token=")
    page = browser.new_context(viewport={"width": 1280, "height": 1600}).new_page()
    page.goto(f"{root}/jobs/{job}?token={token}")
    wait(page, _THERE)
    page.wait_for_selector("html[data-idle]", state="attached", timeout=120_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def script() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(m["value"] for m in metrics if m["name"] == "ScriptDuration"))

    box = page.locator(".stack").bounding_box()
    x, y = box["x"] + 0.6 * box["width"], box["y"] + 60
    page.mouse.move(x, y)
    took: dict[str, list[float]] = {"zoom": [], "pan": []}
    for step in range(number):
        for what in took:
            before = script()
            if what == "zoom":
                turn = -120 if step % 20 < 14 else 240
                session.send(
                    "Input.dispatchMouseEvent",
                    {
                        "type": "mouseWheel",
                        "x": x,
                        "y": y,
                        "deltaX": 0,
                        "deltaY": turn,
                        "modifiers": 2,
                    },
                )
            else:
                page.locator(".stack").press("ArrowRight" if step % 2 else "ArrowLeft")
            page.evaluate(_FRAMES)
            took[what].append(1000 * (script() - before))
    page.context.close()
    return took


def network_steps(browser: Any, url: str, number: int) -> list[float]:
    """Step through time on the page of the network; return milliseconds of script per step."""
    root, token = url.split("/?token=")
    page = browser.new_context(viewport={"width": 1280, "height": 1600}).new_page()
    page.goto(f"{root}/network?token={token}")
    wait(page, "document.querySelector('.rows canvas')")
    page.wait_for_selector("html[data-idle]", state="attached", timeout=120_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    took = []
    for step in range(number + 2):  # the first two compile the script
        metrics = [session.send("Performance.getMetrics")["metrics"]]
        page.keyboard.press("," if step % 2 else ".")
        page.evaluate(_FRAMES)
        metrics.append(session.send("Performance.getMetrics")["metrics"])
        before, after = (
            next(m["value"] for m in each if m["name"] == "ScriptDuration") for each in metrics
        )
        took.append(1000 * (after - before))
        page.wait_for_timeout(400)  # the address is updated when the time no longer changes
    page.context.close()
    return took[2:]


def measure(folder: Path, rounds: int, level: str) -> dict[str, Any]:
    """Make the repository and measure its pages."""
    from playwright.sync_api import sync_playwright

    path = folder / "repository"
    job = apart(make, path, level)
    with serving(path) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        cold = assessed(url, job)
        paints = [paint(browser, url, job) for _ in range(rounds + 1)]
        took = steps(browser, url, job, pick(level, 12 * rounds, 12 * rounds, 2))
        apart(make_network, folder / "network")
        with serving(folder / "network") as wired:
            took["network"] = network_steps(browser, wired, pick(level, 12 * rounds, 12, 2))
        version = browser.version
        browser.close()
    return {
        "bundle_kb": bundle_kb(),
        "paint_s": statistics.median(paints[1:]),
        "first_s": paints[0],
        "spread": half_width(paints[1:]),
        "cold_s": cold,
        "steps": took,
        "note": f"{job}, Chromium {version}; {PROCESSES} processes",
    }


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return sorted(values)[min(int(0.95 * len(values)), len(values) - 1)]


def table(found: dict[str, Any]) -> list[Row]:
    """The figures as rows."""
    kb, seconds = found["bundle_kb"], found["paint_s"]
    rows = [
        Row(
            "web-browser",
            "bundle, gzip, with its font, without 3-D",
            "kB",
            f"<= {BUNDLE_KB} kB",
            kb <= BUNDLE_KB,
            ours=kb,
        ),
        Row(
            "web-browser",
            "first meaningful paint, 64 ranks x 24 h",
            "s",
            f"<= {PAINT_S} s",
            seconds <= PAINT_S,
            ours=seconds,
            spread=found["spread"],
            note=f"{found['note']}; the first visit {found['first_s']:.2f} s, "
            f"its verdict was made in {found['cold_s']:.1f} s",
        ),
    ]
    for what, values in found["steps"].items():
        middle, high = statistics.median(values), p95(values)
        rows += [
            Row(
                "web-browser",
                f"{what} step, script, median",
                "ms",
                f"<= {STEP_MS} ms",
                middle <= STEP_MS,
                ours=middle,
            ),
            Row(
                "web-browser",
                f"{what} step, script, 95 of 100",
                "ms",
                f"<= {STEP_P95_MS} ms",
                high <= STEP_P95_MS,
                ours=high,
                note=f"{len(values)} steps",
            ),
        ]
    return rows


def rows(bench: Bench) -> list[Row]:
    """Measure in a folder of the benchmarks."""
    if not CHROMIUM.exists():
        raise MissingError(f"no {CHROMIUM}")
    return table(measure(bench.disk / "web", bench.rounds(9), bench.level))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="two hours, fewer rounds")
    parser.add_argument("--folder", type=Path, help="where to plant (a new folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jostle-web-") as spare:
        level = "quick" if options.quick else "full"
        found = measure(options.folder or Path(spare), pick(level, 9, 3, 1), level)
    if options.json:
        print(json.dumps(found))
        return
    for row in table(found):
        said = "reached" if row.reached else "NOT REACHED"
        print(f"{row.what:44} {row.ours:8.2f} {row.unit:3} {row.target:10} {said}")
        if row.note:
            print(f"    ({row.note})")


if __name__ == "__main__":
    main()
