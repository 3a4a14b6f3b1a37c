"""`jostle top`: shows which running jobs lose time now, to which loads and on which resources."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import json_option, repository_flag, repository_option
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.top.screen import SORTS


@click.command("top")
@click.option("--once", is_flag=True, help="Print the jobs once and exit [in a pipe].")
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="now",
    show_default=True,
    help="Sort key: present loss, loss so far, name or user.",
)
@click.option(
    "--filter", "text", default="", metavar="TEXT", help="Show only jobs with TEXT in their line."
)
@click.option(
    "--interval",
    "interval_s",
    type=click.FloatRange(0.5, 3600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Interval between two reads of new slices.",
)
@click.option(
    "--server", metavar="URL", help="Read from the `jostle serve` at URL instead of a repository."
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with the token for the server [JOSTLE_TOKEN].",
)
@repository_option
@json_option
def command(
    once: bool,
    sort: str,
    text: str,
    interval_s: float,
    server: str | None,
    token_file: Path | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Show the running jobs, first those that now lose most time to other jobs.

    The results are provisional: they rest on the past of a job only, and its usual times are
    learned from its first 20 slices. When a job has ended, `jostle estimate` evaluates the whole
    run.
    """
    from jostle.cli.top.screen import change_lines, chosen, headline, top_table
    from jostle.cli.top.source import of_repository, of_server, token_of

    source = of_server(server, token_of(token_file)) if server else of_repository(repository)
    if not (once or as_json) and sys.stdout.isatty() and sys.stdin.isatty():
        from jostle.cli.top.terminal import show_top

        show_top(source, interval_s, sort, text)
        return
    report = source()
    rows = chosen(report, sort, text)
    if as_json:
        emit_json({**report, "jobs": rows})
        return
    show(headline(report))
    if rows:
        show(top_table(rows), *change_lines(rows))
    if not server:  # with a server, its jobs are in no repository here
        seen, job = ("jobs", rows[0]["job"]) if rows else ("nothing", "")
        next_steps(*steps("top", seen, job, flag=repository_flag(repository)))
