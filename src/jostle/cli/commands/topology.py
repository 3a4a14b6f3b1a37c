"""`jostle topology`: tell jostle about the networks of a cluster, and look at them."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options.common import (
    Instant,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.plain_values import plain

if TYPE_CHECKING:
    from jostle.topology import Topology
    from jostle.topology.store import Saved


@click.group("topology", subcommand_metavar="import|show|probe|demo")
def command() -> None:
    """Tell jostle how nodes and switches are linked, and look at what it knows.

    With a topology, jostle can tell which links two jobs share.
    """


@command.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...",
                type=click.Path(path_type=Path))  # fmt: skip
@click.option("--name", metavar="NAME", default="fabric", show_default=True,
              help="Name of the fabric: compute, storage, rail0.")  # fmt: skip
@click.option(
    "--valid-from",
    type=Instant(),
    metavar="TIME",
    help="Since when it is so [always for the first version, now for others].",
)
@click.option(
    "--hosts",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Lines NAME,HOST: host names of nodes that the files name otherwise.",
)
@repository_option
@json_option
def import_(
    files: tuple[Path, ...], name: str, valid_from: int | None, hosts: Path | None,
    repository: Path, as_json: bool,
) -> None:  # fmt: skip
    """Take a fabric from FILEs into the repository.

    What they are is seen from their content: Slurm's topology.conf or topology.yaml; ibnetdiscover
    with dump_lfts; Cray's rtr --interconnect with xtdb2proc; coordinates of Blue Gene; tables of
    DragonView or Boxfish; latencies of `probe`; a CSV of links, with one of vertices, where names
    may be Slingshot's. The reference page `topology` says what is read of each. The same content
    again changes nothing.
    """
    from jostle.cli.views.topology import outside_words, saved_view, summary_view
    from jostle.report.models.fabrics import hosts_of_jobs, outside
    from jostle.topology.reading import read_files
    from jostle.topology.store import FOLDER, load_all
    from jostle.topology.summary import changes, summary

    with Bar("reading files", quiet=as_json):
        fabrics = read_files(files, name, hosts)
    store = open_repository(repository, create=True)
    folder = store.path / FOLDER
    saved = [_save(folder, each, valid_from) for each in fabrics]
    lost = outside(load_all(folder, []), hosts_of_jobs(store))
    differences = [changes(each.before, each.topology) if each.before else [] for each in saved]
    if as_json:
        rows = [{"change": each.change, "changes": sentences} | plain(summary(each.topology))
                for each, sentences in zip(saved, differences, strict=True)]  # fmt: skip
        emit_json({"fabrics": rows, "outside": plain(lost)})
        return
    for each, sentences in zip(saved, differences, strict=True):
        show(*saved_view(each, sentences))
        if each.change != "unchanged":
            show("", *summary_view(summary(each.topology)))
    warn(outside_words(lost))
    flag = repository_flag(repository)
    next_steps(f"jostle topology show{flag} {saved[0].topology.name}", f"jostle serve{flag}")


def _save(folder: Path, topology: Topology, valid_from_ns: int | None) -> Saved:
    """Store a fabric: without a date the first version is valid always, a later one from now on."""
    from jostle.topology.store import load_all, save

    is_first = not any(each.name == topology.name for each in load_all(folder, []))
    now_or_always = 0 if is_first else time.time_ns()
    date = now_or_always if valid_from_ns is None else valid_from_ns
    return save(folder, replace(topology, valid_from_ns=date))


@command.command("show")
@click.argument("name", required=False)
@repository_option
@json_option
def show_(name: str | None, repository: Path, as_json: bool) -> None:
    """Show the fabrics, or the one called NAME: nodes, switches, links, versions."""
    from jostle.cli.views.topology import fabric_view, outside_words
    from jostle.report.models.fabrics import fabrics, fabrics_json

    store = open_repository(repository)
    content = fabrics(store, name)
    flag = repository_flag(repository)
    if name is not None and not content.fabrics:
        known = ", ".join(each.newest.name for each in fabrics(store).fabrics)
        raise UsageError(f"There is no fabric `{name}`.",
                         hint=f"There are: {known}." if known else
                         f"Import one: `jostle topology import{flag} FILE`.")  # fmt: skip
    if as_json:
        emit_json(fabrics_json(content))
        return
    warn(content.damaged)
    if not content.fabrics:
        show("No fabric is known: which links jobs share cannot be told.")
        next_steps(f"jostle topology import{flag} FILE")
        return
    for number, fabric in enumerate(content.fabrics):
        show(*[""] * (number > 0), *fabric_view(fabric))
    if content.outside.missing:
        warn(outside_words(content.outside))
    next_steps(f"jostle serve{flag}")


@command.command("demo")
def demo() -> int:
    """Build a fabric in a lab, let a job share another one's links, and see the verdict name it.

    Eight nodes on four leaf switches below a spine. Three MPI jobs run: one is watched, one shares
    its links, one sends more over links of its own. It takes a minute and a half and needs root.
    """
    from jostle.cli.network_demo.show import show_demo

    return show_demo()


@command.command("probe")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), default="latencies.csv",
              show_default=True, help="Where the latencies are written.")  # fmt: skip
@click.option("--repeats", metavar="N", type=click.IntRange(1, 1_000_000), default=100,
              show_default=True, help="Round trips between two nodes, three times.")  # fmt: skip
@click.option("--seed", metavar="N", type=click.IntRange(1), default=1, show_default=True,
              help="Decides the order of the pairs.")  # fmt: skip
def probe(out: Path, repeats: int, seed: int) -> None:
    """Measure how long a message takes between each two nodes, under `mpirun` or `srun`.

    One rank of each node takes part; each pair meets once in each of three sweeps. `jostle topology
    import` reads the file and proposes groups of nodes: a guess, where nobody has a better file.
    Measure while little else runs.
    """
    from jostle.signals import mpi_of_environment
    from jostle.topology.probe import probe_program

    mpi = mpi_of_environment()
    if mpi is None:
        raise UsageError(
            "The probe measures between ranks, and no launcher of an MPI has started it.",
            hint="Run for example `mpirun -n 8 --map-by node jostle topology probe`.",
        )
    program = probe_program(mpi)
    sys.stdout.flush()
    os.execv(program, [str(program), str(out), str(repeats), str(seed)])
