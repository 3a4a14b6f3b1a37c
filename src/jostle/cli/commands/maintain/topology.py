"""`jostle topology`: import and show the networks of a cluster."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.added_verbs import ExtensibleGroup
from jostle.cli.options.common import (
    Instant,
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.options.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.plot.figures.page import Saved as SavedFigure
    from jostle.repository import Repository
    from jostle.topology import Topology
    from jostle.topology.store import Saved


@click.group("topology", cls=ExtensibleGroup)
def command() -> None:
    """Import and show the network topology of the cluster.

    With a topology, jostle can find the links that two jobs share.
    """


@command.command("import")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option(
    "--name",
    metavar="NAME",
    default="fabric",
    show_default=True,
    help="Name of the fabric: compute, storage, rail0.",
)
@click.option(
    "--valid-from",
    type=Instant(),
    metavar="TIME",
    help="Time from which the fabric is as in FILE [always for the first version, now for others].",
)
@click.option(
    "--hosts",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File with lines NAME,HOST: host names of nodes with different names in the input files.",
)
@repository_option
@json_option
def import_(
    files: tuple[Path, ...],
    name: str,
    valid_from: int | None,
    hosts: Path | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Import a fabric from FILEs into the repository.

    Their format is recognized from their content: Slurm's topology.conf or topology.yaml;
    ibnetdiscover with dump_lfts; Cray's rtr --interconnect with xtdb2proc; coordinates of Blue
    Gene; tables of DragonView or Boxfish; latencies of `probe`; a CSV of links, with one of
    vertices, where names may be Slingshot's. The reference page `topology` lists what is read from
    each. Importing the same content again changes nothing.
    """
    from jostle.cli.views.topology import outside_words, saved_view, summary_view
    from jostle.report.models.machines.fabrics import hosts_of_jobs, outside
    from jostle.topology.reading import read_files
    from jostle.topology.summary import changes, summary

    with Bar("reading files", quiet=as_json):
        fabrics = read_files(files, name, hosts)
    store = open_repository(repository, create=True)
    saved = [_save(store, each, valid_from) for each in fabrics]
    lost = outside(store.topologies(), hosts_of_jobs(store))
    differences = [changes(each.before, each.topology) if each.before else [] for each in saved]
    if as_json:
        rows = [
            {"change": each.change, "changes": sentences} | plain(summary(each.topology))
            for each, sentences in zip(saved, differences, strict=True)
        ]
        emit_json({"fabrics": rows, "outside": plain(lost)})
        return
    for each, sentences in zip(saved, differences, strict=True):
        show(*saved_view(each, sentences))
        if each.change != "unchanged":
            show("", *summary_view(summary(each.topology)))
    warn(outside_words(lost))
    flag = repository_flag(repository)
    next_steps(f"jostle topology show{flag} {saved[0].topology.name}", f"jostle serve{flag}")


def _save(store: Repository, topology: Topology, valid_from_ns: int | None) -> Saved:
    """Store a fabric: without a date the first version is always valid, a later one from now on."""
    from jostle.repository.store.fabrics import fabrics_folder, save_fabric
    from jostle.topology.store import load_all

    known = load_all(fabrics_folder(store.path, now=True), [])
    is_first = not any(each.name == topology.name for each in known)
    now_or_always = 0 if is_first else time.time_ns()
    date = now_or_always if valid_from_ns is None else valid_from_ns
    return save_fabric(store.path, replace(topology, valid_from_ns=date))


@command.command("show")
@click.argument("name", required=False)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw the loads of the links of NAME into DIR, with a CSV file.",
)
@click.option(
    "--at",
    "at_ns",
    type=Instant(),
    metavar="TIME",
    help="With --plot: time of the loads [the last hour, or the run time of JOB].",
)
@click.option(
    "--job",
    metavar="JOB",
    shell_complete=complete_job,
    help="With --plot: draw the traffic of JOB only.",
)
@click.option(
    "--order",
    metavar="NAMES",
    default="",
    help="With --plot: order of a torus's dimensions, the two of its planes first, such as "
    "b,c,a,d,e.",
)
@click.option(
    "--plane",
    metavar="PLACES",
    default="",
    help="With --plot: the plane of a torus whose nodes are drawn, by its places along "
    "the other dimensions: a0,d1,e0 [the busiest one].",
)
@format_option
@repository_option
@json_option
def show_(
    name: str | None,
    folder: str | None,
    at_ns: int | None,
    job: str | None,
    order: str,
    plane: str,
    endings: tuple[str, ...],
    repository: Path,
    as_json: bool,
) -> None:
    """Show all fabrics, or fabric NAME: nodes, switches, links, versions.

    With --plot, also draw the loads of its links: a matrix of leaves or groups, links by kind, and
    a small tree as it is wired; for a torus, planes with their links, sums over planes, and the
    nodes of one plane.
    """
    if folder is None and (at_ns is not None or job is not None or order or plane):
        raise UsageError(
            "`--at`, `--job`, `--order` and `--plane` need --plot.", hint="Add `--plot DIR`."
        )
    if folder is not None and name is None:
        raise UsageError(
            "--plot needs the name of a fabric.", hint="jostle topology show NAME --plot DIR"
        )
    place = plot_folder(folder)
    from jostle.cli.views.topology import fabric_view, outside_words
    from jostle.report.models.machines.fabrics import fabrics, fabrics_json

    store = open_repository(repository)
    content = fabrics(store, name)
    flag = repository_flag(repository)
    if name is not None and not content.fabrics:
        known = ", ".join(each.newest.name for each in fabrics(store).fabrics)
        raise UsageError(
            f"There is no fabric `{name}`.",
            hint=f"Known fabrics: {known}."
            if known
            else f"Import one: `jostle topology import{flag} FILE`.",
        )
    saved = (
        _drawn(store, name, place, at_ns, job, (order, plane), endings, quiet=as_json)
        if place
        else []
    )
    if as_json:
        emit_json(fabrics_json(content) | ({"figures": saved_json(saved)} if place else {}))
        return
    warn(content.damaged)
    if not content.fabrics:
        show("No fabric is known, so shared links cannot be determined.")
        next_steps(f"jostle topology import{flag} FILE")
        return
    for number, fabric in enumerate(content.fabrics):
        show(*[""] * (number > 0), *fabric_view(fabric))
    if content.outside.missing:
        warn(outside_words(content.outside))
    if place:
        show("", *saved_lines(saved, place))
    next_steps(f"jostle serve{flag}")


def _drawn(
    store: Repository,
    name: str | None,
    folder: Path,
    at_ns: int | None,
    job: str | None,
    view: tuple[str, str],
    endings: tuple[str, ...],
    *,
    quiet: bool,
) -> list[SavedFigure]:
    """Draw the loads of a fabric's links."""
    from jostle.report.models.machines.fabric_at import fabric_at
    from jostle.topology import valid_at

    job = None if job is None else store.resolve_job(job)
    versions = [each for each in store.topologies() if each.name == name]
    topology = versions[-1] if at_ns is None else valid_at(versions, str(name), at_ns)
    with Bar("routing traffic", quiet=quiet):
        content = fabric_at(store, topology or versions[0], at_ns, job)
    from jostle.plot.figures.fabric import plans
    from jostle.plot.figures.page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(content, *view), folder, tuple(dict.fromkeys(endings)), bar.advance)


@command.command("probe")
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default="latencies.csv",
    show_default=True,
    help="File for the latencies.",
)
@click.option(
    "--repeats",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    default=100,
    show_default=True,
    help="Number of round trips between two nodes in each of the five sweeps.",
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Seed of the order of the pairs.",
)
def probe(out: Path, repeats: int, seed: int) -> None:
    """Measure the latency between each two nodes, under `mpirun` or `srun`.

    One rank of each node takes part; each pair meets once in each of five sweeps. `jostle topology
    import` reads the file and guesses groups of nodes, for sites without a better description. Run
    the probe while the network has little other load.
    """
    from jostle.names.mpi_launchers import mpi_of_environment
    from jostle.topology.probe import probe_program

    mpi = mpi_of_environment()
    if mpi is None:
        raise UsageError(
            "The probe measures between MPI ranks, but no MPI launcher has started it.",
            hint="Run for example `mpirun -n 8 --map-by node jostle topology probe`.",
        )
    program = probe_program(mpi)
    sys.stdout.flush()
    os.execv(program, [str(program), str(out), str(repeats), str(seed)])
