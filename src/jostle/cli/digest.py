"""`jostle digest`: what one job did."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.options import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar


@click.command("digest")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@repository_option
@json_option
def command(job: str, repository: Path, as_json: bool) -> None:
    """Say what JOB did: traffic per mount, access pattern, time, memory, errors, our own cost.

    JOB is a name, the beginning of one, or `last`.
    """
    from jostle.cli.headline import read_digest

    store = open_repository(repository)
    with Bar("reading slices", quiet=as_json):
        name = store.resolve_job(job)
        made = read_digest(store, name)
    if as_json:
        emit_json(made.to_json())
        return
    from jostle.cli.digest_view import view

    show(*view(made))
    flag = repository_flag(repository)
    next_steps(f"jostle timeline{flag} {name}", f"jostle background{flag} {name}")
