"""Shows the demo of a site as it runs."""

from __future__ import annotations

import time

from jostle.cli.output import console, heading, next_steps, show
from jostle_lab.cli.demo_scenes import emptied_home, scene
from jostle_lab.cli.site_demo.run import findings, run_jobs, site_output, wait_for_all
from jostle_lab.cli.site_demo.site import DemoSite

_SITE = """\
Four nodes with Slurm and munge, and a storage server whose file system they share, are built out
of namespaces on this machine. On each of these hosts an agent counts, in slices of 500 ms, and
sends to a receiver on the storage. Three batch jobs run: `steady` writes all the time and is
watched; `light` writes little; `opted-out` writes in bursts, and has no profile. Meanwhile the
receiver is killed and comes back, and the server's disk is capped for some seconds."""


def show_demo() -> int:
    """Run the demo; return 0 if everything that was injected was found."""
    folder = emptied_home("jostle-demo-site")
    begin = time.monotonic()
    show(heading("jostle site demo", ": a site, and what no profile shows"), "", _SITE, "")
    site = DemoSite(folder)
    try:
        if not site.can_cap():
            show(
                "This kernel cannot limit a disk (no blkio), so the server stays as fast as it is."
            )
        with console().status("the site is up") as status:
            jobs = run_jobs(site, status.update)
            status.update("waiting for profiles and digests")
            complete = wait_for_all(site, jobs)
        watched = f"slurm-{jobs['steady']}"
        if not complete:
            show("Not all profiles and digests arrived within a minute; the others are shown.")
        output = site_output(site)(jobs["steady"])
        show(heading("The end of the job's own output", f"  {output}"), "")
        console().print(output.read_text(), markup=False, highlight=False, soft_wrap=True)
        scene("The verdict on that job", ["estimate", watched], site.repository)
        scene("Who it was", ["interference", watched], site.repository)
        wrong = _injected(site, jobs, watched)
    finally:
        site.close()
    show("", f"The demo took {time.monotonic() - begin:.0f} s. Its repository stays; try yourself:")
    next_steps(
        f"export JOSTLE_REPOSITORY={site.repository}",
        "jostle jobs",
        f"jostle estimate {watched}",
        "jostle serve",
        "jostle doctor --site",
    )
    return 1 if wrong else 0


def _injected(site: DemoSite, jobs: dict[str, str], watched: str) -> bool:
    """Compare injected effects with findings; return whether jostle missed any."""
    from jostle.analysis import identify
    from jostle.repository import Repository

    verdict = identify(Repository(site.repository).alongside(watched))
    show("", heading("What was injected, and what was found"))
    missed = False
    for finding in findings(site, jobs, verdict):
        show(f"  injected  {finding.injected}", f"  found    {finding.found or 'NOT FOUND'}", "")
        missed |= not finding.found
    return missed
