"""Prints the last lines of `jostle run`: the digest in brief."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, show, table
from jostle.cli.views.digest import mount_name, own_cost, processes_text, unaccounted
from jostle.cli.views.mpi_world import brief
from jostle.report.format.values import alike, byte_count, count, duration, percent
from jostle.report.models.job.digest import busy_mounts, cpu_seconds, mount_traffic

if TYPE_CHECKING:
    from jostle.analysis import JobDigest
    from jostle.cli.launch.spawn import CommandOutcome
    from jostle.repository import Repository


#: Tolerance for starts of programs before the run, for steps of the clock.
_SLACK_NS = 2_000_000_000


def read_digest(store: Repository, job: str) -> JobDigest:
    """Return the digest of a job."""
    from jostle.analysis import digest

    return digest(store.job_tables(job))


def headline(store: Repository, job: str, command: str, outcome: CommandOutcome) -> JobDigest:
    """Print the headline of a run on stderr, and return its digest."""
    digest = read_digest(store, job)
    name = PurePath(command).name
    ending = f"killed by {outcome.signal}" if outcome.signal else f"exit status {outcome.status}"
    earlier = digest.start_ns < outcome.start_ns - _SLACK_NS
    lasted = outcome.wall_ns if earlier else digest.seconds * 1e9  # as in all other verbs
    show("", heading(job, f"  {name}, {ending}, {duration(lasted)}"), err=True)
    show(f"  {processes_text(digest)}", err=True)
    for world in digest.mpi:
        show(f"  {brief(world)}", err=True)
    _mounts(digest)
    cpu = cpu_seconds(digest)
    show(
        f"  file I/O {percent(digest.file_share)} of the processes' time, "
        f"CPU {duration(cpu * 1e9)}",
        err=True,
    )
    for line in unaccounted(digest):
        show(f"  {line}", err=True)
    show(f"  {own_cost(digest)}", err=True)
    if earlier:
        show("  these figures cover earlier runs too: the job's name is not new", err=True)
    for note in alike(digest.notes):
        show(f"  note: {note}", err=True)
    return digest


def _mounts(digest: JobDigest) -> None:
    """Print bytes and calls per mount, the four busiest."""
    frame = table(["=  mount", "=type", ">read", ">calls", ">written", ">calls"])
    mounts = busy_mounts(digest)
    for mount in mounts[:4]:
        moved = mount_traffic(mount)
        frame.add_row(
            f"  {mount_name(mount)}",
            mount.type,
            byte_count(moved["read_bytes"]),
            count(moved["read_ops"]),
            byte_count(moved["write_bytes"]),
            count(moved["write_ops"]),
        )
    if mounts:
        show(fit(frame, "type"), err=True)
    if len(mounts) > 4:
        show(f"  and {len(mounts) - 4} more mounts", err=True)


def headline_json(digest: JobDigest, outcome: CommandOutcome) -> dict[str, Any]:
    """Return the headline as JSON-compatible values: the end of the command, and the digest."""
    return {"job": digest.job, "recorded": True, **vars(outcome), "digest": digest.to_json()}
