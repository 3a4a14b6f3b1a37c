"""Measures which costs of jostle grow with the number of days that a repository contains."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jostle.repository import Repository
from jostle_lab.synthetic import SiteSpec, simulate_site
from jostle_lab.validation.scale.services import Pages, apart, jostle, memory_mib, size_of
from jostle_lab.validation.scale.spools import SLICE_NS, SimulatedSite
from jostle_lab.validation.scale.viewers import ask

_DAY_NS = 86_400 * 10**9
_ASKED = 40
_OPENED = 5
_JOBS = 20
#: One more hour: nodes, processes of each, and how often it is ingested.
_NODES, _PROCESSES, _PASSES, _PASS_SLICES = 16, 4, 12, 75
#: Growth over thirty days from which on a measure is called growing.
_GROWS = 0.10


@dataclass(frozen=True)
class GrowthSpec:
    """The parameters of the repositories that are compared.

    Attributes:
        days: Ages of the repositories, days.
        nodes: Sizes of the site, nodes.
        processes: Processes that an MPI program starts on a node.
        commit_s: Simulated seconds between two commits of the site's ingester.
        seed: Seed of the site.
    """

    days: tuple[float, ...] = (1, 10, 30)
    nodes: tuple[int, ...] = (8, 16, 32)
    processes: int = 2
    commit_s: float = 3600.0
    seed: int = 1


@dataclass
class Measured:
    """The measures of one repository.

    Attributes:
        slices: Number of process-slices in the repository.
        values: Value of each measure, by the names in WHAT.
    """

    days: float
    nodes: int
    slices: int
    values: dict[str, float]


@dataclass
class Growth:
    """Growth of a measure per day, in percent of its value in the site's youngest repository.

    Attributes:
        per_day: Slope of a line fitted to the values of all sizes and ages.
        low: Lower end of the slope's 95 % interval.
        high: Upper end of the slope's 95 % interval.
        grows: Whether the growth is significantly above 0, and more than 10 % in thirty days.
    """

    per_day: float
    low: float
    high: float
    grows: bool


#: Measures and their units. The first group is expected to stay flat.
WHAT = {
    "ingest_us": "ingest of one more hour: CPU, µs per process-slice",
    "ingest_mib": "memory of that ingester, MiB",
    "bytes_per_slice": "stored bytes per process-slice",
    "files_per_day": "files per day",
    "log_bytes_per_day": "bytes of the log per day",
    "open_ms": "opening in a new process, ms",
    "open_mib": "memory of that process, with its imports, MiB",
    "background_ms": "background of a job, repository newly opened, ms",
    "first_page_s": "`jostle serve`: from its start to the first list of jobs, s",
    "jobs_ms": "list of jobs, 95th percentile, ms",
    "job_ms": "a job, 95th percentile, ms",
    "series_ms": "series of a job, 95th percentile, ms",
    "page_background_ms": "background of a job over HTTP, 95th percentile, ms",
    "pages_mib": "memory of `jostle serve` after that, MiB",
    "compact_s": "a compaction that finds nothing to do, s",
    "matrix_s": "matrix of the whole repository, s (it reads all of it)",
}


def measure_growth(
    spec: GrowthSpec, folder: Path, say: Callable[[str], None] = lambda _: None
) -> list[Measured]:
    """Measure a repository of each size and age; make those that do not exist yet.

    Args:
        spec: Parameters of the repositories.
        folder: Folder of the repositories, which are kept.
        say: Function that is called with messages about the progress.
    """
    measured = []
    for nodes in spec.nodes:
        for days in spec.days:
            path = folder / f"site-{nodes}-{days:g}"
            begin = time.monotonic()
            site = SiteSpec(
                nodes=nodes,
                days=days,
                seed=spec.seed,
                processes_per_node=spec.processes,
                commit_s=spec.commit_s,
                start_ns=time.time_ns() - round(days * _DAY_NS),
            )
            if not (path / "truth.json").exists():
                shutil.rmtree(path, ignore_errors=True)
                apart(_simulate, path, site)
            simulated = time.monotonic() - begin
            each = _measure(path, site)
            measured.append(each)
            took = time.monotonic() - begin - simulated
            say(
                f"{nodes} nodes, {days:g} days: {each.slices:,} process-slices, simulated in "
                f"{simulated:.0f} s, measured in {took:.0f} s"
            )
    return measured


def _simulate(path: Path, site: SiteSpec) -> None:
    simulate_site(path, site)


def _measure(path: Path, site: SiteSpec) -> Measured:
    _, log_bytes = size_of(path / "commits")
    slices, files, size, jobs = apart(_content, path)
    opened = [apart(_open, path) for _ in range(_OPENED)]
    values = {
        "bytes_per_slice": size / slices,
        "files_per_day": files / site.days,
        "log_bytes_per_day": log_bytes / site.days,
        "open_ms": statistics.median(ms for ms, _ in opened),
        "open_mib": statistics.median(mib for _, mib in opened),
        "background_ms": apart(_background, path, jobs),
        "compact_s": apart(_compact, path),
        **_pages(path, jobs),
        **_ingest(path),
        "matrix_s": _matrix(path),
    }
    return Measured(site.days, site.nodes, slices, values)


def _content(path: Path) -> tuple[int, int, int, list[str]]:
    """Return a repository's process-slices, files, bytes, and newest jobs of 15 min to 2 h."""
    store = Repository(path)
    every = [file for files in store.snapshot().files.values() for file in files]
    slices = sum(file.rows for file in every if file.table == "slices")
    # An old site has longer jobs than a young one can have: only jobs of similar length are
    # queried.
    jobs = store.query(
        "SELECT job FROM jobs WHERE end_ns - start_ns BETWEEN $1 AND 8 * $1 "
        "ORDER BY start_ns DESC LIMIT $2",
        [_DAY_NS // 96, _JOBS],
    )
    return slices, len(every), sum(file.bytes for file in every), jobs["job"].to_pylist()


def _open(path: Path) -> tuple[float, float]:
    begin = time.perf_counter()
    store = Repository(path)
    store.commits()
    took = time.perf_counter() - begin
    return 1e3 * took, memory_mib(os.getpid())


def _background(path: Path, jobs: Sequence[str]) -> float:
    chance, times = random.Random(1), []
    for job in [jobs[0], *chance.choices(jobs, k=15)]:
        begin = time.perf_counter()
        store = Repository(path)
        store.background(job, "posix_write_bytes")
        times.append(1e3 * (time.perf_counter() - begin))
        store.close()
    return statistics.median(times[1:])  # the first one includes the imports


def _compact(path: Path) -> float:
    store = Repository(path)
    store.compact()
    begin = time.perf_counter()
    store.compact()
    return time.perf_counter() - begin


def _matrix(path: Path) -> float:
    begin = time.perf_counter()
    subprocess.run(
        jostle("matrix", "--json", "--repository", path), stdout=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - begin


def _pages(path: Path, jobs: Sequence[str]) -> dict[str, float]:
    scratch = path.parent / "serve"
    scratch.mkdir(exist_ok=True)
    begin = time.monotonic()
    pages = Pages(scratch, path)
    try:
        ask(pages.address, pages.token, "jobs?limit=100")
        first = time.monotonic() - begin
        chance, took = random.Random(1), {}
        for name, question in (
            ("jobs_ms", "jobs?limit=100&sort=-run&search={word}"),
            ("job_ms", "jobs/{job}"),
            ("series_ms", "jobs/{job}/series?metric=bytes"),
            ("page_background_ms", "jobs/{job}/series?metric=bytes&of=others"),
        ):
            times = []
            for number in range(_ASKED):
                job = quote(chance.choice(jobs), safe="")
                _, _, took_s = ask(
                    pages.address, pages.token, question.format(job=job, word=f"{number:02d}")
                )
                times.append(1e3 * took_s)
            took[name] = sorted(times)[int(_ASKED * 0.95)]
        return {"first_page_s": first, **took, "pages_mib": memory_mib(pages.pid)}
    finally:
        pages.end()
        shutil.rmtree(scratch)


def _ingest(path: Path) -> dict[str, float]:
    """Measure the cost of ingesting one more hour, into a copy of the repository."""
    spools, copy = path.parent / "spools", path.parent / "copy"
    try:
        shutil.copytree(path, copy, copy_function=os.link)
        cpu_us, mib = apart(one_more_hour, copy, spools)
    finally:
        shutil.rmtree(spools, ignore_errors=True)
        shutil.rmtree(copy, ignore_errors=True)
    return {"ingest_us": cpu_us, "ingest_mib": mib}


def one_more_hour(path: Path, spools: Path, passes: int = _PASSES) -> tuple[float, float]:
    """Ingest an hour of a small site, in passes over five minutes each.

    Args:
        path: Path of the repository.
        spools: Path of a new folder for the spools.
        passes: Number of passes.

    Returns:
        CPU time in µs per process-slice, and the largest memory of this process in MiB.
    """
    # The site ends about now: profiles whose last slice was long ago would count as ended.
    start = time.time_ns() // SLICE_NS
    sleepers = [(number + 1, 0) for number in range(_PROCESSES)]
    more = SimulatedSite(spools, _NODES, start, sleepers, seed=2)
    store = Repository(path)
    used, slices = 0.0, 0
    for _ in range(passes):
        more.advance(_PASS_SLICES)
        before = time.process_time()
        slices += store.ingest([node.spool for node in more.nodes]).slices
        used += time.process_time() - before
    return 1e6 * used / slices, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def growth_of(measured: Sequence[Measured]) -> dict[str, Growth]:
    """Return the growth of each measure, over all sizes."""
    from scipy.stats import linregress, t

    youngest = {
        nodes: min((each for each in measured if each.nodes == nodes), key=lambda each: each.days)
        for nodes in {each.nodes for each in measured}
    }
    days = [each.days for each in measured]
    span = max(days) - min(days)
    growth = {}
    for name in WHAT:
        shares = [100 * each.values[name] / youngest[each.nodes].values[name] for each in measured]
        line = linregress(days, shares)
        half = float(t.ppf(0.975, max(len(days) - 2, 1)) * line.stderr)
        slope = float(line.slope)
        grows = slope - half > 0 and slope * span > 100 * _GROWS
        growth[name] = Growth(slope, slope - half, slope + half, grows)
    return growth


def growth_table(measured: Sequence[Measured]) -> list[str]:
    """Return lines of a table: the measures of each repository, and their growth per day."""
    heads = [f"{each.nodes}n {each.days:g}d" for each in measured]
    lines = [f"{'':58}" + "".join(f"{head:>10}" for head in heads) + "   growth per day, %"]
    lines.append(
        f"{'process-slices, millions':58}"
        + "".join(f"{each.slices / 1e6:10.2f}" for each in measured)
    )
    for name, growth in growth_of(measured).items():
        values = "".join(f"{each.values[name]:10.4g}" for each in measured)
        mark = "  GROWS" if growth.grows else ""
        lines.append(
            f"{WHAT[name]:58}{values}   {growth.per_day:+.2f} "
            f"({growth.low:+.2f} to {growth.high:+.2f}){mark}"
        )
    return lines


def growth_json(measured: Sequence[Measured]) -> str:
    """Return the measures and their growth as JSON."""
    growth: dict[str, Any] = {name: vars(each) for name, each in growth_of(measured).items()}
    return json.dumps({"measured": [vars(each) for each in measured], "growth": growth}, indent=1)
