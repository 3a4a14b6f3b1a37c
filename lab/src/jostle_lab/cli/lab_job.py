"""Runs commands on a lab's nodes as jobs: places ranks, and collects profiles from all nodes."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.for_verbs import steps
from jostle.cli.options import open_repository, repository_flag
from jostle.cli.output import next_steps, warn
from jostle.errors import UsageError
from jostle.files.regular_files import read_regular

if TYPE_CHECKING:
    from jostle_lab.cluster import Lab

_LIBRARIES = {
    "openmpi": re.compile(rb"libmpi\.so|libmpi_\w+\.so"),
    "mpich": re.compile(rb"libmpich"),
}


@dataclass(frozen=True)
class Placement:
    """The user's options for the placement of ranks; None for an option that was not given.

    Attributes:
        ranks: Number of ranks.
        nodes: Names of nodes, separated by commas.
        per_node: Number of ranks on each node.
    """

    ranks: int | None
    nodes: str | None
    per_node: int | None


def place(lab: Lab, wanted: Placement) -> list[tuple[str, int]]:
    """Return the number of ranks on each node, in the order of ranks.

    Raises:
        UsageError: There is no such node, or the numbers do not fit.
    """
    nodes = [name.strip() for name in wanted.nodes.split(",")] if wanted.nodes else lab.nodes
    for name in nodes:
        if name not in lab.nodes:
            raise UsageError(
                f"The lab `{lab.name}` has no node `{name}`.",
                hint=f"It has {', '.join(lab.nodes)}.",
            )
    if len(set(nodes)) != len(nodes):
        raise UsageError(
            "A node occurs twice in the list.", hint="Use --per-node for more ranks on each."
        )
    ranks = wanted.ranks or len(nodes) * (wanted.per_node or 1)
    if wanted.per_node:
        if ranks > wanted.per_node * len(nodes):
            raise UsageError(
                f"{ranks} ranks do not fit on {len(nodes)} nodes at {wanted.per_node} each.",
                hint=f"-n {wanted.per_node * len(nodes)} at most, or a larger --per-node.",
            )
        full, rest = divmod(ranks, wanted.per_node)
        counts = [wanted.per_node] * full + ([rest] if rest else [])
    else:
        each, more = divmod(ranks, len(nodes))
        counts = [each + (index < more) for index in range(len(nodes))]
    return [(name, count) for name, count in zip(nodes, counts, strict=False) if count]


def mpi_of(program: str) -> str:
    """Return the MPI that a program is linked with; without one, the MPI that is installed."""
    executable = shutil.which(program)
    if executable:
        try:
            text = read_regular(Path(executable), 1 << 30)
        except OSError:
            text = b""
        for mpi in ("mpich", "openmpi"):
            if text.startswith(b"\x7fELF") and _LIBRARIES[mpi].search(text):
                return mpi
    return next((mpi for mpi in _LIBRARIES if shutil.which(f"mpirun.{mpi}")), "openmpi")


def profile(
    lab: Lab,
    job: str,
    cmd: Sequence[str],
    slice_ns: int | None,
    repository: Path,
    launch: Callable[[dict[str, str]], list[str]],
) -> int:
    """Run a command under the runtime, and ingest its profiles of all nodes.

    Args:
        lab: The lab that runs the command.
        job: The job's name.
        cmd: The command, for the report.
        slice_ns: Length of a slice, ns; None for the default.
        repository: Repository that gets the profiles.
        launch: Function that makes the command for this machine from the environment variables of
            the processes.

    Returns:
        The command's exit status.
    """
    from jostle.cli.for_verbs import (
        RunSpool,
        candidates,
        child_environment,
        is_taken,
        job_name,
        run,
    )

    asked = job_name(job, cmd[0])
    name = next(
        candidate
        for candidate in candidates(asked)
        if not job or not is_taken(candidate, repository, lab.here / "spool")
    )
    if name != asked:
        warn([f"the name {asked} is taken by an earlier run; this one is {name}"])
    folder = f"spool/{name}-{os.getpid()}"
    spools = [lab.local(host) / folder for host in (*lab.spec.server_names, *lab.nodes)]
    for spool in spools:
        spool.mkdir()  # a new one: an existing file may be somebody's link
        spool.chmod(0o1777)
    wanted = child_environment(RunSpool(lab.here / folder, private=True), name, slice_ns)
    added = {key: value for key, value in wanted.items() if os.environ.get(key) != value}
    outcome = None
    kept = True
    try:
        outcome = run(launch(added), os.environ)
        kept = _report(lab, name, cmd, outcome, spools, repository)
    finally:
        if outcome is None or not kept:
            for spool in spools:
                shutil.rmtree(spool, ignore_errors=True)
    return outcome.status


def _report(
    lab: Lab, name: str, cmd: Sequence[str], outcome: object, spools: list[Path], repository: Path
) -> bool:
    """Ingest the profiles and show a one-line summary; return whether the profiles must be kept."""
    from jostle.cli.for_verbs import CommandOutcome, clear, collect, few_slices, headline

    assert isinstance(outcome, CommandOutcome)

    def profiles() -> list[Path]:
        return [path for spool in spools for path in sorted(spool.glob("*.js[pst]"))]

    if not profiles():
        click.echo(
            "jostle: nothing was recorded, because no process left a profile on any node", err=True
        )
        next_steps("jostle doctor")
        return False
    try:
        store = open_repository(repository, create=True)
        report = collect(store, profiles, failed=outcome.status != 0)
        warn(report.warnings, most=3)
        digest = headline(store, name, cmd[0], outcome)
        if hint := few_slices(digest, by_itself=False):
            click.echo(f"  {hint}", err=True)
    except Exception as error:  # a failure of the report must not fail the command
        click.echo(f"jostle: the run ended, but there is no report: {error}", err=True)
        click.echo(
            f"profiles kept in {lab.folder}/local/*/{spools[0].relative_to(lab.local('storage'))}",
            err=True,
        )
        return True
    flag = repository_flag(repository)
    next_steps(*steps("lab exec", "a job", name, flag=flag))
    return bool(report.warnings) or [clear(store, spool) for spool in spools].count(False) > 0
