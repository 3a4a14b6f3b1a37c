"""`jostle study show`: shows the results of a study in tables and figures."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from jostle.cli.options import (
    format_option,
    json_option,
    open_repository,
    plot_folder,
    repository_flag,
    repository_option,
    saved_json,
    saved_lines,
)
from jostle.cli.output import emit_json, next_steps, show, utf8
from jostle.cli.progress import Bar
from jostle.files.default_repository import default_repository
from jostle_lab.cluster.spec import NETWORKED
from jostle_lab.study.stored import study_json

if TYPE_CHECKING:
    from jostle.plot.figures import Saved
    from jostle.repository import Repository
    from jostle_lab.analysis.study.model import StudyResult

_PAINTED = 2  # imprints that are drawn in the terminal


def _complete(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete a study's name on the command line; suggest nothing if there is no repository."""
    path = ctx.params.get("repository") or default_repository()
    try:
        names = open_repository(Path(path)).studies()
    except Exception:  # a completion never reports errors
        return []
    return [CompletionItem(name) for name in names if name.startswith(begun)]


def _file_of(store: Repository, name: str) -> str:
    """Return the options with which `study run` resumes a study."""
    from jostle_lab.study import default_name, load, shipped

    known = shipped()
    forms = {
        default_name(stem, fs, quick=quick): (stem, fs, quick)
        for fs in (*NETWORKED, None)
        for quick in (True, False)
        for stem in known
    }
    if name not in forms:
        return "STUDY.toml"
    stem, fs, quick = forms[name]
    place = store.study(name).plan().get("config", {}).get("where", {}).get("place")
    other = place is not None and place != load(known[stem]).where.place
    options = [stem, *(["--quick"] if quick else []), *([f"--fs {fs}"] if fs else [])]
    return " ".join(options) + f" --place {place}" * other


@click.command("show")
@click.argument("name", metavar="NAME", shell_complete=_complete)
@click.option(
    "--plot",
    "folder",
    metavar="DIR",
    help="Draw all figures that have data into DIR, each with a CSV file.",
)
@format_option
@repository_option
@json_option
def command(
    name: str, folder: str | None, endings: tuple[str, ...], repository: Path, as_json: bool
) -> None:
    """Show the results of the study NAME: which program slows which, and by how much.

    Degradation is the share of throughput that is lost; dilation is the relative increase of the
    run time. Runs that failed or were discarded are named with their reasons.
    """
    from jostle_lab.study.result import result

    place = plot_folder(folder)
    store = open_repository(repository)
    with Bar(f"evaluating {name}", quiet=as_json):
        study_result = result(store, name)
    present(study_result, place, endings, as_json=as_json)
    flag = repository_flag(repository)
    steps = [f"jostle study run{flag} {_file_of(store, name)} --repetitions N"]
    if place is None:
        steps.insert(0, f"jostle study show{flag} {name} --plot DIR")
    if not as_json:
        next_steps(*steps)


def present(
    study_result: StudyResult, folder: Path | None, endings: tuple[str, ...], *, as_json: bool
) -> None:
    """Print a result, and draw its figures.

    Args:
        study_result: Results of the study.
        folder: Folder for figures; None: no figures.
        endings: Formats of the figures.
        as_json: Print JSON instead of tables.
    """
    saved = _draw(study_result, folder, endings, quiet=as_json) if folder else []
    if as_json:
        emit_json(study_json(study_result) | {"figures": saved_json(saved)})
        return
    from jostle_lab.analysis.study.published_laws import laws
    from jostle_lab.cli.views.study import view
    from jostle_lab.study.stored import tidy

    ordered = tidy(study_result)
    show(*view(ordered, laws(study_result)))
    _paint(ordered)
    if folder:
        show("", *saved_lines(saved, folder))


def _paint(study_result: StudyResult) -> None:
    """Draw the first imprints of periodic signals in the terminal."""
    from rich.text import Text

    from jostle.plot import draw_imprint
    from jostle_lab.plot.study_imprints import periodic

    width = shutil.get_terminal_size((80, 24)).columns
    charts = periodic(study_result)
    for _, chart in charts[:_PAINTED]:
        lines = draw_imprint(chart, width=width, unicode=utf8())
        show("", *(Text.assemble(*line) for line in lines))
    if len(charts) > _PAINTED:
        show(f"{len(charts) - _PAINTED} more charts are not shown; --plot draws them all")


def _draw(
    study_result: StudyResult, folder: Path, endings: tuple[str, ...], *, quiet: bool
) -> list[Saved]:
    from jostle_lab.plot.study.draw_all import draw_all

    with Bar("drawing", quiet=quiet) as bar:
        return draw_all(study_result, folder, tuple(dict.fromkeys(endings)), bar.advance)
