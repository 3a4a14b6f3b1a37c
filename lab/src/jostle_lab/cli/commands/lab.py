"""`jostle lab`: a small virtual cluster on this machine, for experiments."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options import SliceLength, json_option, open_repository, repository_option
from jostle.cli.output import emit_json, has_colour, next_steps, show, warn
from jostle.errors import JostleError, UsageError
from jostle.files.default_repository import default_repository
from jostle.report.format.values import count
from jostle_lab.cli.lab_job import Placement, place, profile

if TYPE_CHECKING:
    from jostle_lab.cluster import Lab

name_option = click.option(
    "--name", default="lab", show_default=True, metavar="NAME", help="Name of the lab."
)
_PASS_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@click.group("lab", subcommand_metavar="up|exec|mpirun|status|down")
def command() -> None:
    """Run a small cluster on this machine: nodes, switches, a shared file system.

    A lab runs in its own namespaces: it does not touch this machine's networks, and `down` removes
    all of it.
    """


@command.command("up")
@click.option(
    "--nodes",
    type=int,
    metavar="N",
    help="Number of nodes, 1 to 16, half on each of two leaf switches [4].",
)
@click.option(
    "--topology",
    default="",
    metavar="KIND:SIZES",
    help="Network of the nodes, instead of two leaf switches: tree:LEAVESxNODES, "
    "tree:TREESxLEAVESxNODES, torus:AxBxC, dragonfly:GROUPSxSWITCHESxNODES.",
)
@click.option(
    "--storage-at",
    default="",
    metavar="SWITCH",
    help="Connect the storage to this switch of the topology: file traffic crosses its "
    "links [files have a network of their own].",
)
@click.option(
    "--storage-rate",
    default="400mbit",
    show_default=True,
    metavar="RATE",
    help="Data rate of the storage's link in each direction. Several rates, separated by commas, "
    "give as many file servers (with --fs gluster --fifo, or --fs cephfs: the metadata server's "
    "rate first).",
)
@click.option(
    "--object-servers",
    type=int,
    default=0,
    metavar="N",
    help="Number of object servers of --fs cephfs, 2 to 4 [2].",
)
@click.option(
    "--device-rate",
    default="",
    metavar="RATE",
    help="Data rate of the device of each object server [as fast as this machine].",
)
@click.option(
    "--uplink-rate",
    default="100mbit",
    show_default=True,
    metavar="RATE",
    help="Data rate of the link between the leaf switches, or of each link of a topology, in "
    "each direction.",
)
@click.option(
    "--fair/--fifo",
    default=True,
    show_default=True,
    help="How a link is shared: --fair: equally among nodes; --fifo: first come, first served.",
)
@click.option(
    "--fs",
    type=click.Choice(["sshfs", "gluster", "cephfs", "loop", "plain"]),
    default="sshfs",
    show_default=True,
    help="File system that the nodes share.",
)
@click.option(
    "--store",
    type=click.Choice(["ram", "disk", "both"]),
    default="ram",
    show_default=True,
    help="Where the storage keeps its files: in memory (ram), on a disk image (disk), or in two "
    "folders, one in memory and one on a disk image (both).",
)
@click.option(
    "--size",
    metavar="SIZE",
    help="Space for files [half of what is free, at most 8 GiB of memory or 16 GiB of disk].",
)
@click.option("--slurm", is_flag=True, help="Start Slurm on the nodes.")
@click.option(
    "--agents",
    metavar="LENGTH",
    default="",
    help="Start agents on all hosts, with slices of this length; with --slurm the agents send "
    "their data to a receiver.",
)
@name_option
@json_option
def up(
    nodes: int | None,
    topology: str,
    storage_at: str,
    storage_rate: str,
    object_servers: int,
    device_rate: str,
    uplink_rate: str,
    fair: bool,
    fs: str,
    store: str,
    size: str | None,
    slurm: bool,
    agents: str,
    name: str,
    as_json: bool,
) -> None:
    """Start a lab.

    Without root it makes do with user namespaces, where the kernel has them: with `--fs plain`,
    and with sshfs where /dev/fuse is open to all. GlusterFS, CephFS, loop, Slurm, `--store disk`
    and `both` need root.
    """
    from jostle_lab import cluster as labs
    from jostle_lab.cli.views.lab import summary
    from jostle_lab.cluster.measure import facts

    if topology and nodes is not None:
        raise UsageError(
            "--topology already determines the number of nodes.", hint="Leave --nodes out."
        )
    spec = labs.LabSpec(
        name=name,
        nodes=4 if nodes is None else nodes,
        storage_rate=storage_rate,
        object_servers=object_servers,
        device_rate=device_rate,
        uplink_rate=uplink_rate,
        queue="fair" if fair else "fifo",
        fs=fs,
        store=store,
        slurm=slurm,
        size=size,
        agents=agents,
        topology=topology,
        storage_at=storage_at,
    )
    begin = time.monotonic()
    with _Line(f"lab `{name}`") as line:
        lab = labs.up(spec, line.say)
    seconds = time.monotonic() - begin
    kept = _keep_fabric(lab)
    if as_json:
        emit_json({"seconds": round(seconds, 3), **facts(lab)})
        return
    show(*summary(lab, seconds), *kept)
    flag = flag_of(lab)
    first, last = lab.nodes[0], lab.nodes[-1]
    next_steps(
        f"jostle lab exec{flag} {first} -- dd if=/dev/zero of={lab.shared}/file bs=1M count=100",
        f"jostle lab mpirun{flag} -n {len(lab.nodes)} -- hostname",
        f"jostle lab exec{flag} {last} -- bash",
        f"jostle lab down{flag}",
    )


def _keep_fabric(lab: Lab) -> list[str]:
    """Store a lab's fabric, if it has one, in the current repository; return the lines to print."""
    fabric = lab.topology()
    if fabric is None:
        return []
    from jostle.repository.writing import save_fabric

    try:
        save_fabric(open_repository(default_repository(), create=True).path, fabric)
    except (JostleError, OSError) as error:
        warn([f"The lab's fabric could not be stored: {error}"])
        return []
    return [f"  its fabric is in the repository: jostle topology show {fabric.name}"]


@command.command("exec", context_settings=_PASS_ON)
@click.option(
    "--job", metavar="JOB", help="Profile CMD as a job of this name, and ingest the profiles."
)
@click.option(
    "--slice",
    "slice_ns",
    type=SliceLength(),
    metavar="LENGTH",
    help="With --job: length of a time slice, 100ms to 60s.",
)
@name_option
@repository_option
@click.argument("node")
@click.argument("cmd", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def exec_(
    job: str | None,
    slice_ns: int | None,
    name: str,
    repository: Path,
    node: str,
    cmd: tuple[str, ...],
) -> int:
    """Run CMD on NODE (node1, ..., storage).

    CMD keeps the terminal, pipes, signals, environment and working directory of this command, which
    returns the exit status of CMD.
    """
    lab = attach(name)
    words = _bare(cmd)
    if job is None:
        _refuse_slice(slice_ns)
        return become(lab.command(node, words))
    return profile(lab, job, words, slice_ns, repository, lambda env: lab.command(node, words, env))


@command.command("mpirun", context_settings=_PASS_ON)
@click.option(
    "--mpi",
    type=click.Choice(["openmpi", "mpich"]),
    help="MPI whose launcher is used [the MPI that CMD is linked with].",
)
@click.option(
    "-n", "--ranks", type=click.IntRange(1), metavar="N", help="Number of ranks [one per node]."
)
@click.option(
    "--nodes", metavar="NODE,...", help="Names of the nodes to use, in this order [all nodes]."
)
@click.option(
    "--per-node", type=click.IntRange(1), metavar="K", help="Number of ranks on each node."
)
@click.option(
    "--job", metavar="JOB", help="Profile CMD as a job of this name, and ingest the profiles."
)
@click.option(
    "--slice",
    "slice_ns",
    type=SliceLength(),
    metavar="LENGTH",
    help="With --job: length of a time slice, 100ms to 60s.",
)
@name_option
@repository_option
@click.argument("cmd", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def mpirun(
    mpi: str | None,
    ranks: int | None,
    nodes: str | None,
    per_node: int | None,
    job: str | None,
    slice_ns: int | None,
    name: str,
    repository: Path,
    cmd: tuple[str, ...],
) -> int:
    """Run the MPI program CMD over nodes.

    Ranks are spread evenly, in blocks: the first nodes get the first ranks. The environment
    reaches all of them.
    """
    from jostle_lab.cli.lab_job import mpi_of

    lab = attach(name)
    words = _bare(cmd)
    chosen = mpi or mpi_of(words[0])
    placement = place(lab, Placement(ranks, nodes, per_node))
    if job is None:
        _refuse_slice(slice_ns)
        return become(lab.mpirun(chosen, placement, words))
    return profile(
        lab, job, words, slice_ns, repository, lambda env: lab.mpirun(chosen, placement, words, env)
    )


@command.command("status")
@name_option
@json_option
def status(name: str, as_json: bool) -> None:
    """Show a lab: its nodes, mounts, data rates, traffic so far and running commands."""
    from jostle_lab.cli.views.lab import view
    from jostle_lab.cluster import labs
    from jostle_lab.cluster.measure import facts, measure

    lab = attach(name)
    measured = measure(lab)
    others = [other.name for other in labs() if other.name != lab.name]
    if as_json:
        emit_json({**facts(lab), **measured.to_json(), "others": others})
        return
    show(*view(lab, measured))
    if others:
        show(f"also up: {', '.join(others)}")
    flag = flag_of(lab)
    next_steps(f"jostle lab exec{flag} {lab.nodes[0]} -- bash", f"jostle lab down{flag}")


@command.command("down")
@name_option
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Stop all labs, and remove the remains of labs that crashed.",
)
@json_option
def down(name: str, everything: bool, as_json: bool) -> None:
    """Stop a lab, or remove what a crash or a reboot left of it."""
    from jostle_lab.cluster import labs
    from jostle_lab.cluster.lab import down as take_down
    from jostle_lab.cluster.measure import running
    from jostle_lab.cluster.state import base_folder, names, roots_own

    there = [lab_name for lab_name in names() if everything or lab_name == name]
    kept = {lab_name: _keep_profiles(base_folder() / lab_name) for lab_name in there}
    ended = {lab.name: len(running(lab)) for lab in labs() if lab.name in there}
    fixed = [line for lab_name in there for line in take_down(lab_name)]
    if as_json:
        profiles_kept = {
            lab_name: asdict(profiles) for lab_name, profiles in kept.items() if profiles
        }
        emit_json({"down": there, "fixed": fixed, "ended": ended, "kept": profiles_kept})
        return
    if not there:
        flag = "" if name == "lab" else f" --name {name}"
        others = [f"jostle lab down --name {lab_name}" for lab_name in names()]
        if roots_own(name):
            show(f"No lab `{name}` of yours is up; root has one.")
            next_steps(f"sudo jostle lab down{flag}")
            return
        show(
            "No lab is up, and nothing is left of one."
            if everything
            else f"No lab `{name}` is up, and nothing is left of one."
        )
        next_steps(*others or [f"jostle lab up{flag}"])
        return
    for lab_name in there:
        jobs = ended.get(lab_name, 0)
        also = f"; {jobs} running command{'s' * (jobs != 1)} ended with it" if jobs else ""
        show(f"The lab `{lab_name}` is down{also}.")
        if profiles := kept[lab_name]:
            of = f"{_counted(profiles.files, 'profile')} of {_counted(len(profiles.jobs), 'job')}"
            show(f"{of} had not been ingested, and are now in {profiles.folder}")
            next_steps(f"jostle ingest {profiles.folder}")
    for line in fixed:
        show(f"  fixed: {line}")


def _counted(number: int, what: str) -> str:
    return f"{count(number)} {what}{'s' * (number != 1)}"


@dataclass(frozen=True)
class _KeptProfiles:
    """Profiles of a lab that are not in the repository: their folder, number and jobs."""

    folder: str
    files: int
    jobs: list[str]


def _keep_profiles(lab: Path) -> _KeptProfiles | None:
    """Copy profiles that are not in the repository out of a lab's spools before these are removed.

    Args:
        lab: State folder of the lab.
    """
    from jostle.reader import find_profiles
    from jostle.repository import Repository

    spools = sorted({path.parent for path in lab.glob("local/*/spool/**/*.js[pst]")})
    with contextlib.ExitStack() as stack:
        if default_repository().exists():
            store = Repository(default_repository())
        else:
            store = stack.enter_context(Repository.of_spool([]))
        missing = store.not_taken(spools) if spools else []
    if not missing:
        return None
    folder = Path(tempfile.mkdtemp(prefix=f"jostle-{lab.name}-"))
    wanted = {path for path, _ in missing}
    for path in find_profiles(spools):
        if path in wanted or path.suffix != ".jst":
            shutil.copy2(path, folder / path.name, follow_symlinks=False)
            with contextlib.suppress(PermissionError):  # the file records whose profile it is
                owner = path.lstat()
                os.lchown(folder / path.name, owner.st_uid, owner.st_gid)
    return _KeptProfiles(str(folder), len(missing), sorted({job for _, job in missing}))


def attach(name: str) -> Lab:
    """Find the lab, or end with a message that explains how to start one."""
    from jostle_lab import cluster as labs

    return labs.attach(name)


def flag_of(lab: Lab) -> str:
    """Return the option by which a suggested command finds this lab; "" for the default lab."""
    return "" if lab.name == "lab" else f" --name {lab.name}"


def become(argv: list[str]) -> int:
    """Replace this process by the command, so that signals and the terminal reach it directly."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(argv[0], argv)


def _bare(cmd: tuple[str, ...]) -> list[str]:
    """Return the command without the `--` that may precede it."""
    words = list(cmd[1:] if cmd[0] == "--" else cmd)
    if not words:
        raise UsageError(
            "No command was given.", hint="jostle lab exec node1 -- CMD, or ... -- bash"
        )
    return words


def _refuse_slice(slice_ns: int | None) -> None:
    if slice_ns is not None:
        raise UsageError("--slice is for profiles.", hint="Add --job NAME.")


class _Line:
    """Shows in one line of the terminal which part of a lab is being built; silent in a pipe."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._live = has_colour(sys.stderr)

    def __enter__(self) -> _Line:
        return self

    def say(self, step: str) -> None:
        """Show the current step."""
        if self._live:
            click.echo(f"\r\033[K{self._label}: {step} ...", nl=False, err=True)

    def __exit__(self, *_: object) -> None:
        if self._live:
            click.echo("\r\033[K", nl=False, err=True)
