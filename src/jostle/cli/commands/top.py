"""`jostle top`: which running jobs lose time now, to whom and on what."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import json_option, repository_flag, repository_option
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.top.screen import SORTS


@click.command("top")
@click.option("--once", is_flag=True, help="Print the jobs once; the default in a pipe.")
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="now",
    show_default=True,
    help="What to sort by: what a job loses now, has lost so far, its name, its user.",
)
@click.option("--filter", "text", default="", metavar="TEXT", help="Only jobs with TEXT in a line.")
@click.option(
    "--interval",
    "interval_s",
    type=click.FloatRange(0.5, 3600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to read new slices.",
)
@click.option("--server", metavar="URL", help="Ask a `jostle serve` instead of a repository.")
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
    """Show the running jobs, those first that lose most time to others now.

    What is shown is provisional: it knows the past of a job only, and learns what is usual for it
    from its first 20 slices. When a job has ended, `jostle estimate` answers from the whole run.
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
