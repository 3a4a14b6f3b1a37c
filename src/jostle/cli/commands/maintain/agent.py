"""`jostle agent`: records the activity of this machine, also between runs."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.launch.own_agent import (
    agent_files,
    agent_spool,
    running_agent,
    start_agent,
    stop_agent,
)
from jostle.cli.options.common import (
    SliceLength,
    open_repository,
    repository_flag,
    repository_option,
    slice_text,
)
from jostle.cli.output import next_steps, show, warn
from jostle.report.format.values import count


@click.group("agent")
def command() -> None:
    """Record which programs use this machine's cores, disks and networks, profiled or not.

    The agent needs no special rights; as root it records more. On the nodes of a site, packages
    install it.
    """


@command.command("start")
@click.option(
    "--slice",
    "slice_ns",
    type=SliceLength(),
    metavar="LENGTH",
    default="1s",
    show_default=True,
    help="Length of a time slice, 100ms to 60s.",
)
def start(slice_ns: int) -> None:
    """Start the agent of this machine in the background, until `jostle agent stop`."""
    pid = start_agent(slice_text(slice_ns))
    show(f"the agent is running (pid {pid}), and writes into {agent_spool()}")
    next_steps("jostle run -- CMD", "jostle agent status")


@command.command("stop")
@repository_option
def stop(repository: Path) -> None:
    """Stop the agent, and ingest its profiles into the repository."""
    pid = stop_agent()
    show(f"the agent (pid {pid}) has ended" if pid else "no agent is running")
    _take(repository)


@command.command("status")
@repository_option
def status(repository: Path) -> None:
    """Ingest the agent's profiles into the repository, and show whether the agent runs."""
    pid = running_agent()
    show(
        f"the agent is running (pid {pid}), and writes into {agent_spool()}"
        if pid
        else "no agent is running"
    )
    _take(repository)
    next_steps(f"jostle nodes{repository_flag(repository)}" if pid else "jostle agent start")


def _take(repository: Path) -> None:
    """Ingest the agent's profiles, and remove complete ones."""
    if not agent_files():
        return
    store = open_repository(repository, create=True)
    report = store.ingest(agent_files())
    store.clear_spool(agent_spool())
    warn(report.warnings, most=3)
    show(f"{count(report.component_slices)} new slices of its components are in the repository")
