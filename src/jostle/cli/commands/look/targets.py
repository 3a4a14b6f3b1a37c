"""`jostle targets`: finds storage targets that are slower than their peers."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.report.format.values import count


@click.command("targets")
@click.argument("jobs", nargs=-1, metavar="[JOB...]", shell_complete=complete_job)
@repository_option
@json_option
def command(jobs: tuple[str, ...], repository: Path, as_json: bool) -> None:
    """Show which storage targets are slower than the others of their file system.

    Logs of Darshan record on which targets files are. Within each run, the time per byte of
    files on a target is compared with that of the run's other files. Without JOB, the files of
    all jobs are used.
    """
    store = open_repository(repository)
    with Bar("comparing targets", quiet=as_json):
        from jostle.report.models.machines.targets import slow_targets_of, target_words

        named = [part for job in jobs for part in store.resolve_parts(job)] or None
        files, slow = slow_targets_of(store, named)
    if as_json:
        emit_json({"files": files, "slow_targets": [each.to_json() for each in slow]})
        return
    if not files:
        show(
            "No file's storage targets are known, because only Darshan logs of Lustre record them."
        )
    elif not slow:
        show(f"No storage target is slower than its peers ({count(files)} files compared).")
    else:
        show(*(target_words(each) for each in slow))
    seen = "targets" if files else "nothing"
    next_steps(*steps("targets", seen, flag=repository_flag(repository)))
