"""Shows the demo of a network as it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jostle.cli.output import console, heading, next_steps, show, utf8
from jostle_lab.cli.demo_scenes import emptied_home, scene
from jostle_lab.cli.network_demo.picture import crossed, picture, shared
from jostle_lab.cli.network_demo.plan import LOUD, RATE, SHARER, SLICE_NS, TOPOLOGY, WATCHED, jobs

if TYPE_CHECKING:
    from jostle.analysis import JobInterference
    from jostle.topology import Topology
    from jostle_lab.cluster import Lab
    from jostle_lab.validation.lab.messages import Truth

_WHAT = (
    "Eight nodes on four leaf switches below a spine are built out of namespaces on this machine; "
    "each link has 20 Mbit/s. Three MPI jobs run, all profiled. `watched` sends all the time, "
    "between leaf 1 and leaf 3. `sharer` and `loud` come and go at about the same times: `sharer` "
    "sends over the links of `watched`; `loud` sends more, over links of its own. Jostle "
    "is not given their roles: it knows the topology, and who sent how much to whom and when."
)


@dataclass(frozen=True)
class _Finding:
    """An injected effect, and jostle's finding about it; "" if jostle found nothing."""

    injected: str
    found: str


def show_demo() -> int:
    """Run the demo; return 0 if the interfering job was named, and no job without influence."""
    from jostle.topology.store import FOLDER, save
    from jostle_lab.cluster import LabSpec, up
    from jostle_lab.validation.lab.messages import run

    folder = emptied_home("jostle-demo-network")
    repository = folder / "repository"
    begin = time.monotonic()
    show(heading("jostle topology demo", ": who shares which link"), "", _WHAT, "")
    lab = up(
        LabSpec(name="demo-network", topology=TOPOLOGY, uplink_rate=RATE, fs="plain", size="64MiB")
    )
    try:
        fabric = _fabric_of(lab)
        with console().status("the lab is up") as status:
            truth = run(
                lab,
                jobs(),
                repository,
                slice_ns=SLICE_NS,
                say=lambda now: status.update(_doing(now)),
            )
    finally:
        lab.down()
    save(repository / FOLDER, fabric)
    over = crossed(fabric, jobs(), truth.bytes)
    show(heading("The fabric", "  behind a leaf: what its cable to the spine carried upwards"), "")
    show(*(f"  {line}" for line in picture(fabric, jobs(), over, utf8=utf8())))
    scene("Who slowed `watched`", ["interference", WATCHED], repository)
    missed = _injected(repository, truth, shared(fabric, over, WATCHED, SHARER))
    show("", f"The demo took {time.monotonic() - begin:.0f} s. Its repository stays; try yourself:")
    next_steps(
        f"export JOSTLE_REPOSITORY={repository}",
        f"jostle interference {WATCHED}",
        "jostle topology show",
        "jostle serve",
    )
    show(
        "In the browser, the page Network has the fabric, its links over time, and the jobs on "
        "each link."
    )
    return 1 if missed else 0


def _fabric_of(lab: Lab) -> Topology:
    fabric = lab.topology()
    assert fabric is not None  # it was requested
    return fabric


def _doing(now: float) -> str:
    """Return a description of the events at an instant, in seconds."""
    on = [job.name for job in jobs()[1:] if any(b <= now <= b + span for b, span in job.bursts)]
    return f"{max(now, 0):.0f} s: {' and '.join([WATCHED, *on])}"


def _injected(repository: Path, truth: Truth, links: Sequence[str]) -> bool:
    """Compare injected effects with findings; return whether jostle missed any."""
    from jostle.analysis import identify
    from jostle.repository import Repository

    verdict = identify(Repository(repository).alongside(WATCHED))
    show("", heading("What was injected, and what was found"))
    missed = False
    for finding in _findings(verdict, truth, links):
        show(f"  injected  {finding.injected}", f"  found    {finding.found or 'NOT FOUND'}", "")
        missed |= not finding.found
    return missed


def _findings(verdict: JobInterference, truth: Truth, links: Sequence[str]) -> Iterator[_Finding]:
    """Compare what was injected with the verdict."""
    from jostle.report.format.values import duration

    named = [
        each
        for each in verdict.suspects
        if each.job == SHARER and any(link in each.resource for link in links)
    ]
    yield _Finding(
        f"{SHARER} cost {WATCHED} {duration(truth.lost_s * 1e9)} of "
        f"{duration(truth.took_s * 1e9)}; they share {', '.join(links)}",
        "; ".join(
            f"{each.job}: {duration(each.seconds.value * 1e9)} on {each.resource}" for each in named
        ),
    )
    times = truth.bytes[LOUD] / max(truth.bytes[SHARER], 1)
    innocent = not any(suspect.job == LOUD for suspect in verdict.suspects)
    yield _Finding(
        f"{LOUD} sent {times:.1f} times as much as {SHARER} at about the same times, over no link "
        f"of {WATCHED}",
        verdict.ruled_out.get(LOUD, "not named") if innocent else "",
    )
