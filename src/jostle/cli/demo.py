"""`jostle demo`: two real programs side by side, told as a story."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options import json_option
from jostle.cli.output import console, emit_json, heading, next_steps, show, silent_next
from jostle.cli.progress import Bar

if TYPE_CHECKING:
    from jostle.demo.story import Cast


@click.command("demo")
@click.option("--seconds", type=click.IntRange(9, 60), default=12, metavar="N",
              help="How long the two programs run, 9 to 60 seconds [12].")  # fmt: skip
@click.option("--files", "without_mpi", is_flag=True,
              help="The demo without MPI: tar and SQLite share a disk.")  # fmt: skip
@json_option
def command(seconds: int, without_mpi: bool, as_json: bool) -> None:
    """Profile two real programs side by side, and look at them together.

    Two MPI programs (LAMMPS and OpenFOAM's icoFoam where they are installed, else two small ones
    built with the MPI at hand); without any MPI, tar and SQLite on one disk. Needs no root; works
    in a temporary folder, which it removes; keeps a small repository of its own, so that the
    commands that it shows can be tried afterwards.
    """
    from jostle.demo import story
    from jostle.demo.mpi_cast import cast as mpi_cast

    begin = time.monotonic()
    kept = story.home()
    repository, picture = kept / "repository", kept / "timeline.png"
    os.environ["JOSTLE_REPOSITORY"] = str(repository)
    with story.workplace() as folder:
        cast = None if without_mpi else mpi_cast(folder, seconds)
        cast = cast or story.files(folder, seconds)
        if not as_json:
            _opening(cast, repository)
        with Bar("both programs run", quiet=as_json) as bar:
            said = story.play(
                cast, repository, folder / "spool", lambda t: bar.advance(t, cast.seconds)
            )
    if as_json:
        emit_json(_everything(cast, repository, picture))
        return
    for words in said:
        show(words[: words.rfind("\nnext:")].rstrip())
    for title, words in cast.scenes:
        _scene(title, words.format(picture=picture))
    show("", heading("The picture of both timelines: ", str(picture)))
    show(f"The demo took {time.monotonic() - begin:.0f} s. Its repository stays; try yourself:")
    next_steps(f"export JOSTLE_REPOSITORY={repository}", *cast.steps)


def _opening(cast: Cast, repository: Path) -> None:
    """Say what is about to happen."""
    from jostle.cli.checks import file_system_of

    kind = file_system_of(repository)
    show(
        heading("jostle demo", f": {cast.about[0]}"),
        *cast.about[1:],
        "",
        f"The demo's own repository ({kind}); set it, and every command below is yours to type:",
    )
    _shown(f"export JOSTLE_REPOSITORY={repository}")
    show("", heading("Two programs, side by side"))
    for program in cast.programs:
        _shown(program.shown)


def _shown(command: str) -> None:
    from rich.text import Text

    console().print(Text.assemble(("$ ", "dim"), (command, "cyan")), soft_wrap=True)


def _scene(title: str, words: str) -> None:
    """Show a heading and a command, then run the command."""
    from jostle.cli.main import cli

    show("", heading(title))
    _shown(f"jostle {words}")
    show("")
    with silent_next():
        cli.main(words.split(), prog_name="jostle", standalone_mode=False)


def _everything(cast: Cast, repository: Path, picture: Path) -> dict[str, object]:
    """Return what the story shows, as the verbs' own JSON; digests by their job's name."""
    from click.testing import CliRunner

    from jostle.cli.main import cli

    content: dict[str, object] = {"repository": str(repository), "picture": str(picture)}
    for _, shown in cast.scenes:
        words = shown.format(picture=picture).split()
        done = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
        name = words[1] if words[0] == "digest" else words[0]
        content[name] = json.loads(done.stdout)
    return content
