"""`jostle wait-until-quiet`: waits until other jobs put little load on a file system or a node."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    Age,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.errors import UsageError
from jostle.report.format.values import byte_count, duration, significant

#: Exit status if it is not quiet within the time limit.
NOT_QUIET = 3
#: Loads below which a mount (bytes/s) and a node (cores) are quiet.
_QUIET_BYTES, _QUIET_CORES = float(1 << 20), 0.25
_LOOK_S = 1.0


@click.command("wait-until-quiet")
@click.option("--on", "mount", metavar="MOUNT", help="Wait for a mount, given by its path.")
@click.option("--node", metavar="HOST", help="Wait for a node, given by its name.")
@click.option(
    "--for",
    "quiet_s",
    type=Age(),
    default="10s",
    show_default=True,
    metavar="AGE",
    help="Time for which the load must stay low.",
)
@click.option(
    "--limit",
    "limit_s",
    type=Age(),
    default="1h",
    show_default=True,
    metavar="AGE",
    help="Stop waiting after this time, with exit status 3.",
)
@click.option(
    "--below",
    type=click.FloatRange(0, min_open=True),
    metavar="LOAD",
    help="Load of other jobs that counts as quiet: MiB/s for a mount [1], cores for a node [0.25].",
)
@repository_option
@json_option
def command(
    mount: str | None,
    node: str | None,
    quiet_s: float,
    limit_s: float,
    below: float | None,
    repository: Path,
    as_json: bool,
) -> int:
    """Wait until other jobs put little load on a file system or a node, such as before a benchmark.

    Only recorded load counts: that of profiled jobs, and on nodes the load that the agent records.
    The job in which this command runs does not count.
    """
    place, least = _place(mount, node, below)
    from jostle.report.models.now import Now

    now = Now(open_repository(repository))
    own = os.environ.get("JOSTLE_JOB", "")
    begin, quiet_since = time.monotonic(), float("inf")
    while True:
        now.refresh()
        found = now.load_on(place)
        loads = _of_others(found or {}, own)
        clock = time.monotonic()
        total = sum(loads.values())
        quiet_since = min(quiet_since, clock) if total < least else float("inf")
        quiet = clock - quiet_since >= quiet_s
        if quiet or clock - begin >= limit_s:
            break
        time.sleep(min(_LOOK_S, max(limit_s - (clock - begin), 0.05)))
    waited = time.monotonic() - begin
    if as_json:
        answer = {"on": place, "quiet": quiet, "waited_s": waited, "recorded": found is not None}
        emit_json({**answer, "loads": dict(sorted(loads.items(), key=lambda each: -each[1]))})
        return 0 if quiet else NOT_QUIET
    unit = _cores if node else _bytes
    if not quiet:
        worst = max(loads, key=lambda job: loads[job], default="?")
        show(
            f"{place} is not quiet after {duration(waited * 1e9)}: {worst} and others put "
            f"{unit(total)} on it."
        )
    elif found is None:
        show(f"No load is recorded on {place}, because no profiled job uses it.")
    else:
        show(f"{place} is quiet: others put {unit(total)} on it.")
    next_steps(*steps("wait-until-quiet", "a place", flag=repository_flag(repository)))
    return 0 if quiet else NOT_QUIET


def _place(mount: str | None, node: str | None, below: float | None) -> tuple[str, float]:
    """Return the resource to wait for, and the load below which it is quiet."""
    if bool(mount) == bool(node):
        raise UsageError(
            "Name either a mount or a node.", hint="For example --on /scratch, or --node node12."
        )
    if mount:
        path = mount.rstrip("/") or "/"
        return path, _QUIET_BYTES if below is None else below * (1 << 20)
    return str(node), _QUIET_CORES if below is None else below


def _of_others(loads: Mapping[str, float], own: str) -> dict[str, float]:
    """Leave out the job in which the command itself runs."""
    return {
        job: load
        for job, load in loads.items()
        if not own or (job != own and not job.startswith(f"{own}@"))
    }


def _bytes(load: float) -> str:
    return f"{byte_count(load)}/s"


def _cores(load: float) -> str:
    return f"a load of {significant(load)} cores"
