"""Runs the demo of a site: jobs, faults, and the verdicts on them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jostle_lab.cli.site_demo.plan import BURSTS, CAPS, RECEIVER_AWAY, WATCHED_S, scripts
from jostle_lab.cli.site_demo.site import DemoSite, sleep_until
from jostle_lab.native import lab_native_path

if TYPE_CHECKING:
    from jostle.analysis import JobInterference

_PATIENCE_S = 60.0
#: The jobs that have a profile, and so a digest.
PROFILED = ("steady", "light")


@dataclass(frozen=True)
class Finding:
    """An injected effect, and jostle's finding about it.

    Attributes:
        injected: Description of the injected effect, for users.
        found: Finding in the verdict or in a file; "" if nothing was found.
    """

    injected: str
    found: str


def events(site: DemoSite) -> list[tuple[float, Callable[[], None]]]:
    """Return the events of the site while its jobs run, with their times in seconds."""
    away, back = RECEIVER_AWAY
    planned: list[tuple[float, Callable[[], None]]] = [
        (away, site.kill_receiver),
        (back, site.start_receiver),
    ]
    for begin, end in CAPS:
        planned += [(begin, lambda: site.cap(on=True)), (end, lambda: site.cap(on=False))]
    return sorted(planned, key=lambda event: event[0])


def run_jobs(site: DemoSite, say: Callable[[str], None]) -> dict[str, str]:
    """Run the users' jobs and the faults; return the jobs' numbers by their names."""
    jobs = {
        script.name: site.submit(script)
        for script in scripts(lab_native_path("jostle-signal"), site.lab.shared)
    }
    begin = time.monotonic()
    for instant, happen in events(site):
        _wait(begin, instant, say)
        happen()
    _wait(begin, WATCHED_S, say)
    while site.running() and time.monotonic() < begin + WATCHED_S + _PATIENCE_S:
        time.sleep(0.5)
    return jobs


def _wait(begin: float, instant: float, say: Callable[[str], None]) -> None:
    while (now := time.monotonic() - begin) < instant:
        say(_doing(now))
        sleep_until(begin + min(now + 1.0, instant))


def _doing(now: float) -> str:
    """Return a description of the events at an instant."""
    what = []
    if BURSTS[0][0] <= now <= BURSTS[-1][1]:
        what.append("a job without a profile writes in bursts")
    if RECEIVER_AWAY[0] <= now <= RECEIVER_AWAY[1]:
        what.append("the receiver is down")
    if CAPS[0][0] <= now <= CAPS[-1][1]:
        what.append("the server's disk is limited at times")
    return f"{now:.0f} of {WATCHED_S} s: {', '.join(what) or 'all is quiet'}"


def wait_for_all(site: DemoSite, jobs: dict[str, str]) -> bool:
    """Wait until the profiles of all jobs are in the repository and digests are written."""
    from jostle.repository import Repository

    end = time.monotonic() + _PATIENCE_S
    profiled = [f"slurm-{jobs[name]}" for name in PROFILED]
    outputs = [site_output(site)(jobs[name]) for name in PROFILED]
    while time.monotonic() < end:
        store = Repository(site.repository)
        rows = store.query("SELECT job FROM jobs WHERE NOT running").column("job").to_pylist()
        if set(profiled) <= set(rows) and all(map(_digest_of, outputs)):
            return True
        time.sleep(1.0)
    return False


def site_output(site: DemoSite) -> Callable[[str], Path]:
    """Return a function that gives the file of a job's output."""
    return lambda number: site.folder / f"slurm-{number}.out"


def _digest_of(output: Path) -> str:
    """Return the digest at the end of a job's output; "" where there is none."""
    text = output.read_text(errors="replace") if output.exists() else ""
    return text.partition(": done\n")[2].strip()


def findings(site: DemoSite, jobs: dict[str, str], verdict: JobInterference) -> Iterator[Finding]:
    """Compare injected effects with jostle's findings."""
    from jostle.report.format.values import duration

    def named(kind: str) -> str:
        suspects = [s for s in verdict.suspects if s.kind == kind]
        return "; ".join(
            f"{s.job}: {duration(s.seconds.value * 1e9)} ({s.pattern})" for s in suspects
        )

    bursts = sum(end - begin for begin, end in BURSTS)
    yield Finding(
        f"job {jobs['opted-out']} without a profile wrote in {len(BURSTS)} bursts, {bursts:.0f} s",
        named("unprofiled"),
    )
    if site.can_cap():
        capped = sum(end - begin for begin, end in CAPS)
        yield Finding(
            f"the server's disk was limited {len(CAPS)} times, {capped:.0f} s", named("server")
        )
    innocent = f"slurm-{jobs['light']}"
    yield Finding(
        f"job {jobs['light']} wrote little and did no harm",
        "" if any(s.job == innocent for s in verdict.suspects) else "not named",
    )
    yield Finding(
        f"the receiver was down for {RECEIVER_AWAY[1] - RECEIVER_AWAY[0]:.0f} s",
        _gaps(site, f"slurm-{jobs['steady']}"),
    )
    digests = [name for name in PROFILED if _digest_of(site_output(site)(jobs[name]))]
    missing = len(digests) < len(PROFILED)
    yield Finding(
        f"a digest at the end of the outputs of {' and '.join(PROFILED)}",
        "" if missing else "both digests are there",
    )


def _gaps(site: DemoSite, job: str) -> str:
    """Return a sentence that the slices of a job and of all machines are complete; "" if not."""
    from jostle.repository import Repository

    store = Repository(site.repository)
    rows = store.query(
        "SELECT min(slice) AS first, max(slice + span - 1) AS last, "
        "sum(span)::BIGINT AS slices FROM slices WHERE job = ?",
        [job],
    ).to_pylist()[0]
    lo, hi = rows["first"], rows["last"]
    hosts = store.query(
        "SELECT host, count(DISTINCT slice) AS slices FROM component_slices "
        "WHERE kind = 'machine' AND slice BETWEEN ? AND ? GROUP BY host",
        [lo, hi],
    ).to_pylist()
    whole = hi - lo + 1
    missing = sum(whole - row["slices"] for row in hosts)
    if len(hosts) < 5 or missing > 0.02 * whole * len(hosts):
        return ""
    return f"nothing is missing: {whole} slices of {len(hosts)} machines" + (
        f", {missing} of them spanned" if missing else ""
    )
