"""`jostle simulate`: makes synthetic data of a site, with a ground truth of the interference."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.for_verbs import steps
from jostle.cli.options import SliceLength, json_option
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.format.values import count
from jostle.schema.settings import DEFAULT_SLICE_NS

if TYPE_CHECKING:
    from jostle_lab.synthetic import Form


@click.group("simulate", subcommand_metavar="site")
def command() -> None:
    """Make synthetic data of a site, with a ground truth of the injected interference.

    Use the data to try jostle, to size a site's machines, and to measure how much of the injected
    interference jostle finds.
    """


@command.command("site")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--nodes",
    type=int,
    default=16,
    show_default=True,
    metavar="N",
    help="Number of compute nodes, at least 8.",
)
@click.option(
    "--days",
    type=float,
    default=0.1,
    show_default=True,
    metavar="D",
    help="Length of the simulated time, in days.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="S",
    help="Seed of the random numbers: the same seed and options give the same site.",
)
@click.option(
    "--slice",
    "slice_ns",
    type=SliceLength(),
    default=f"{DEFAULT_SLICE_NS / 1e9:g}s",
    show_default=True,
    metavar="LENGTH",
    help="Length of a time slice.",
)
@click.option(
    "--processes",
    type=int,
    default=48,
    show_default=True,
    metavar="P",
    help="Number of processes that an MPI program starts on each node.",
)
@click.option(
    "--aggressors",
    type=int,
    default=3,
    show_default=True,
    metavar="A",
    help="Inject jobs that slow other jobs by known amounts.",
)
@click.option(
    "--faults",
    type=int,
    default=3,
    show_default=True,
    metavar="F",
    help="Inject slow servers, throttled nodes and reboots, in turn.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["repository", "spools"]),
    default="repository",
    show_default=True,
    help="Output: a repository, or one folder of profiles per node, like the nodes' spools.",
)
@json_option
def site(
    out: Path,
    nodes: int,
    days: float,
    seed: int,
    slice_ns: int,
    processes: int,
    aggressors: int,
    faults: int,
    form: Form,
    as_json: bool,
) -> None:
    """Simulate a site into the new folder OUT: a repository, and truth.json in it.

    Jobs of many users come and go as on real machines, and write to shared file systems. Injected
    aggressors slow others; truth.json says by how many seconds. What is realistic about it, and
    where the figures come from: docs, "a simulated site".
    """
    from jostle_lab.synthetic import SiteSpec, simulate_site

    if nodes < 8 or days <= 0 or processes < 1 or min(aggressors, faults) < 0:
        raise UsageError(
            "A site has at least 8 nodes, one process per node, and a time above 0.",
            hint="Try `jostle simulate site OUT --nodes 16 --days 0.1`.",
        )
    spec = SiteSpec(
        nodes=nodes,
        days=days,
        seed=seed,
        slice_s=slice_ns / 1e9,
        processes_per_node=processes,
        aggressors=aggressors,
        faults=faults,
    )
    with Bar("simulating", quiet=as_json) as bar:
        simulated = simulate_site(out, spec, form, bar.advance)
    if as_json:
        emit_json(
            {
                "path": str(simulated.path),
                "jobs": len(simulated.jobs),
                "process_slices": simulated.process_slices,
                "aggressors": {name: list(hurt) for name, hurt in simulated.victims.items()},
            }
        )
        return
    show(
        f"{count(len(simulated.jobs))} jobs on {count(nodes)} nodes left "
        f"{count(simulated.process_slices)} process-slices in {out}."
    )
    for name, hurt in simulated.victims.items():
        program = simulated.jobs[name].program
        show(f"  {name} ({program}) slows {' and '.join(hurt)}.")
    show(f"  Truth: {out / 'truth.json'}")
    if form == "spools":
        next_steps(f"jostle ingest {shlex.quote(str(out))}/node*")
        return
    flag = f" --repository {shlex.quote(str(out))}"
    victims = [job for hurt in simulated.victims.values() for job in hurt]
    seen = "victims" if victims else "jobs"
    next_steps(*steps("simulate site", seen, flag=flag, job=victims[0] if victims else ""))
