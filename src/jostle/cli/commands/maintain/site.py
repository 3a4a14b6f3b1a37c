"""`jostle site`: services for a site's jobs, such as digests at their ends."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import click

from jostle.cli.added_verbs import ExtensibleGroup
from jostle.cli.job_outputs import SITE_CONFIG, JobOutputs, site_settings
from jostle.cli.options.common import open_repository, repository_option
from jostle.cli.output import show

#: Interval of checks for ended jobs, s.
_EVERY_S = 2.0


@click.group("site", cls=ExtensibleGroup)
def command() -> None:
    """Run the services of a site."""


@command.command("digest")
@click.option("--follow", is_flag=True, help="Keep running, and write digests as jobs end.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=SITE_CONFIG,
    metavar="FILE",
    show_default=True,
    help="Settings file of the site, with the keys digest, wait and url.",
)
@repository_option
def digest(follow: bool, config: Path, repository: Path) -> None:
    """Append the digest of each ended job to its output, or mail a link to it.

    The site's file decides which: `digest = output`, `mail` or `off`. Run this command on the
    ingester's host, as root, where the users' files are mounted. A digest is written once the
    profiles of all nodes are in the repository, or a minute after the job's end.
    """
    settings = site_settings(config)
    outputs = JobOutputs(open_repository(repository), settings)
    if settings.digest == "off":
        show(f"{config} switches digests off (digest = off).")
        return
    stopped = threading.Event()
    if follow:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopped.set())
    while True:
        for line in outputs.turn():
            click.echo(line)
        if not follow or stopped.wait(_EVERY_S):
            return
