"""`jostle estimate`: what interference cost one run, and whether that run may be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.estimate_options import estimation_options, how_to_estimate
from jostle.cli.figures import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.intervals import check_export, write_intervals
from jostle.cli.options import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, finite, next_steps, show
from jostle.cli.progress import Bar
from jostle.cli.viewer import as_user_option

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Estimate
    from jostle.analysis.identification.model import Interference
    from jostle.plot.study_page import Saved
    from jostle.repository import Repository, RunTables


@dataclass(frozen=True)
class Priced:
    """A run with its price.

    Attributes:
        estimate: What interference cost it.
        names: The path of each mount, for people.
        who: What is known of the jobs beside it; None where none were looked for.
    """

    estimate: Estimate
    names: dict[str, str]
    who: Interference | None


@click.command("estimate")
@click.argument("job", metavar="JOB", shell_complete=complete_job)
@estimation_options
@click.option("--plot", "folder", metavar="DIR",
              help="Draw timeline, histograms and clusters into DIR, CSV beside.")  # fmt: skip
@format_option
@click.option("--export", "export", metavar="FILE",
              help="Write the interfered intervals: .json (Perfetto) or .csv.")  # fmt: skip
@click.option("--spool", metavar="DIR", help="Read the profiles in DIR, without a repository.")
@as_user_option
@repository_option
@json_option
def command(
    job: str,
    method: str,
    bytes_rule: str | None,
    seed: int,
    folder: str | None,
    endings: tuple[str, ...],
    export: str | None,
    spool: str | None,
    viewer: int | None,
    repository: Path,
    as_json: bool,
) -> None:
    """Price the interference that JOB suffered, from this one run.

    JOB is a name, the beginning of one, or `last`. The light is green below 7.5 % of the run time,
    red above 15 %.
    """
    how = how_to_estimate(method, bytes_rule, seed)
    place, file = plot_folder(folder), check_export(export)
    with _store(spool, job, repository, viewer, quiet=as_json) as (store, name):
        found = price(store, name, how, alone=spool is not None, viewer=viewer, quiet=as_json)
    saved = _draw(found.estimate, place, endings, quiet=as_json)
    written = write_intervals(found.estimate, file) if file else 0
    from jostle.cli.estimate_view import estimate_json, view

    if as_json:
        content = estimate_json(found.estimate, found.who)
        content["interference"] = finite(found.who.to_json()) if found.who else None
        content["mounts"] = found.names
        content["figures"] = saved_json(saved)
        emit_json(content)
        return
    show(*view(found.estimate, found.names, found.who))
    if place:
        show("", *saved_lines(saved, place, of="the run has nothing"))
    if file:
        show(f"{written} interfered interval{'s' if written != 1 else ''}: {file}")
    _what_next(name, found, repository, viewer=viewer, spool=spool, drawn=bool(place))


def _what_next(
    name: str,
    found: Priced,
    repository: Path,
    *,
    viewer: int | None,
    spool: str | None,
    drawn: bool,
) -> None:
    """Name what leads on: the figures, the neighbours, another run to compare with."""
    if spool is not None:
        next_steps(f"jostle ingest {spool}")
        return
    flag = repository_flag(repository)
    seen = f" --as-user {viewer}" if viewer is not None else ""
    from jostle.cli.estimate_view import deciding

    if deciding(found.estimate, found.who) is None:
        next_steps("jostle run --slice 250ms -- CMD", f"jostle digest{flag} {name}")
        return
    steps = []
    if found.who and found.who.neighbours:
        steps.append(f"jostle interference{flag}{seen} {name}")
    if not drawn:
        steps.append(f"jostle estimate{flag}{seen} {name} --plot DIR")
    steps.append(f"jostle compare{flag} {name} ANOTHER_RUN")
    next_steps(*steps[:2])


@contextmanager
def _store(
    spool: str | None, job: str, repository: Path, viewer: int | None, *, quiet: bool
) -> Iterator[tuple[Repository, str]]:
    """Open the repository, or make one of a spool for the moment; give it and the job's name."""
    if spool is None:
        store = open_repository(repository)
        yield store, store.resolve_job(job, owner=viewer)
        return
    from jostle.cli.digest import spool_store

    with spool_store(Path(spool), job, quiet=quiet) as (store, name):
        yield store, store.resolve_job(name, owner=viewer)


def price(
    store: Repository,
    name: str,
    how: Mapping[str, Any],
    *,
    alone: bool = False,
    viewer: int | None = None,
    quiet: bool = False,
) -> Priced:
    """Estimate a job of a repository, and look for those beside it.

    Args:
        store: The repository.
        name: The job's full name.
        how: method, bytes_rule and seed of `jostle.analysis.estimate`.
        alone: Do not look for neighbours.
        viewer: Uid of who may only see jobs of his own; None sees all.
        quiet: Show no progress.
    """
    from jostle.analysis import estimate

    with Bar(f"pricing {name}", quiet=quiet):
        who = None if alone else _beside(store, name, how["seed"], viewer)
        tables = store.run_tables(name)
        made = estimate(tables, **how)
    return Priced(made, mount_paths(tables), who)


def _beside(store: Repository, name: str, seed: int, viewer: int | None) -> Interference | None:
    """Look for suspects where others were beside the job at all."""
    if not store.has_company(name):
        return None
    beside = store.beside(name)
    if not beside.others:
        return None
    from jostle.analysis import identify

    return identify(beside, seed=seed, as_user=viewer)


def mount_paths(tables: RunTables) -> dict[str, str]:
    """Name each mount identity by the shortest path at which the job saw it."""
    names: dict[str, str] = {}
    for row in tables.mounts.select(["mount", "path"]).to_pylist():
        known, path = names.get(row["mount"]), row["path"]
        if path and (known is None or (len(path), path) < (len(known), known)):
            names[row["mount"]] = path
    return names


def _draw(
    made: Estimate, folder: Path | None, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    if folder is None:
        return []
    from jostle.plot.estimate_figures import plans
    from jostle.plot.study_page import draw_pages

    with Bar("drawing", quiet=quiet) as bar:
        return draw_pages(plans(made), folder, tuple(dict.fromkeys(endings)), bar.advance)
