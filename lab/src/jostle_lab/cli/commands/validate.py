"""`jostle validate`: measures the accuracy of estimates on runs whose lost time is known."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.options import format_option, plot_folder, saved_json, saved_lines
from jostle.cli.output import emit_json, next_steps, show, warn
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle_lab.validation.results import Results

_PARTS = ("estimation", "identification", "clustering", "synthetic")


@click.command("validate")
@click.option(
    "--dir",
    "folder",
    metavar="DIR",
    required=True,
    help="Folder for runs and results, from which an interrupted validation continues.",
)
@click.option(
    "--estimation",
    is_flag=True,
    help="Validate estimates on runs of real programs that are undisturbed, delayed, or under "
    "load on CPU, memory or disk.",
)
@click.option(
    "--identification",
    is_flag=True,
    help="Validate suspects in the lab, with signals at known instants and harmless neighbours.",
)
@click.option(
    "--clustering",
    is_flag=True,
    help="Compare methods that cluster segments (Shah, 2020, figure 5.4).",
)
@click.option(
    "--synthetic",
    is_flag=True,
    help="Validate on synthetic runs, whose lost time is known exactly.",
)
@click.option(
    "--quick", is_flag=True, help="Make few and short runs, for a first look within minutes."
)
@click.option(
    "--programs",
    metavar="NAMES",
    help="Programs to run, separated by commas [all installed programs].",
)
@click.option(
    "--command",
    "commands",
    metavar="NAME=COMMAND",
    multiple=True,
    help="Program of your own: NAME=COMMAND, or NAME@4=COMMAND to run it with 4 ranks; may be "
    "given more than once.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Number of injected runs of each program, and of experiments in the lab [15].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 10**6),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the random order of runs, of treatments and of delays.",
)
@click.option("--score-only", is_flag=True, help="Run no program; score the runs in DIR.")
@click.option(
    "--plot",
    "pictures",
    metavar="DIR",
    help="Draw the figures 5.4 and 5.17 to 5.20 of Shah (2020) into DIR.",
)
@format_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(
    folder: str,
    estimation: bool,
    identification: bool,
    clustering: bool,
    synthetic: bool,
    quick: bool,
    programs: str | None,
    commands: tuple[str, ...],
    runs: int | None,
    seed: int,
    score_only: bool,
    pictures: str | None,
    endings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Score jostle's estimates and suspects against runs whose loss is known.

    All four parts are made unless options name some of them. The page
    lab/docs/explanation/validation.md explains how the known loss is defined, and how this
    machine's own noise is separated from the injected loss.
    """
    asked = [estimation, identification, clustering, synthetic]
    parts = [part for part, on in zip(_PARTS, asked, strict=True) if on or not any(asked)]
    named = [word.strip() for word in (programs or "").split(",") if word.strip()]
    if runs is not None and quick:
        raise UsageError("--quick has a number of runs of its own.", hint="Leave out one of them.")
    target = plot_folder(pictures)
    from jostle_lab.validation.results import Wanted
    from jostle_lab.validation.run_validation import run_validation

    wanted = Wanted(
        tuple(parts),
        tuple(named),
        commands,
        runs or (4 if quick else 15),
        quick,
        seed,
        not score_only,
    )
    with Bar("validating", quiet=as_json) as bar:
        results = run_validation(Path(folder), wanted, progress=_follower(bar, quiet=as_json))
    content = plain(results.to_json())
    (Path(folder) / "results.json").write_text(json.dumps(content, indent=1, default=str))
    saved = []
    if target is not None:
        from jostle_lab.plot.validation import draw_all

        saved = draw_all(results, target, endings)
    if as_json:
        emit_json({**content, "figures": saved_json(saved)})
        return 0
    _print(results)
    if target is not None:
        show("", *saved_lines(saved, target, reason="the validation has no results yet"))
    warn(results.limits)
    again = f"jostle validate --dir {shlex.quote(folder)}"
    scored = results.estimation and results.estimation.rows
    if not (scored or results.seen or results.synthetic or results.clustering):
        next_steps(f"{again} --estimation --quick")
    elif target is None:
        next_steps(f"{again} --score-only --plot figures")
    return 0


def _follower(bar: Bar, *, quiet: bool) -> Callable[[float, float, str, float], None]:
    """Show progress as a bar in a terminal, and as lines on stderr elsewhere."""
    import sys

    lines = not quiet and not sys.stderr.isatty()

    def follow(done: float, total: float, activity: str, left_s: float) -> None:
        minutes = f", {left_s / 60:.0f} min left" if left_s > 60 else ""
        bar.advance(done, total, f"{activity}{minutes}")
        if lines and left_s > 0:
            click.echo(f"{done:.0f}/{total:.0f} {activity}{minutes}", err=True)

    return follow


def _print(results: Results) -> None:
    from jostle_lab.cli.views.validate import view

    content: list[Any] = view(results)
    show(*content)
