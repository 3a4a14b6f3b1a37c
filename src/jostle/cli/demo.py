"""`jostle demo`: two real programs side by side on one disk, told as a story."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import click

from jostle.cli.options import json_option
from jostle.cli.output import console, emit_json, heading, next_steps, show, silent_next
from jostle.cli.progress import Bar


@click.command("demo")
@click.option("--seconds", type=click.IntRange(10, 60), default=22, metavar="N",
              help="How long the two programs run, 10 to 60 seconds [22].")  # fmt: skip
@json_option
def command(seconds: int, as_json: bool) -> None:
    """Profile two real programs that share a disk, and look at them together.

    tar packs Python's library at an even pace while python3 fills a SQLite database in bursts.
    Needs no root; works in a temporary folder, which it removes; keeps a small repository of
    its own, so that the commands that it shows can be tried afterwards.
    """
    from jostle.demo import story

    begin = time.monotonic()
    kept = story.home()
    repository, picture = kept / "repository", kept / "timeline.png"
    os.environ["JOSTLE_REPOSITORY"] = str(repository)
    with story.workplace() as folder:
        cast = story.programs(folder, seconds)
        if not as_json:
            _opening(cast, repository, seconds)
        with Bar("both programs run", quiet=as_json) as bar:
            said = story.play(cast, repository, folder, seconds, lambda t: bar.advance(t, seconds))
    if as_json:
        emit_json(_everything(repository, picture))
        return
    for words in said:
        show(words[: words.rfind("\nnext:")].rstrip())
    steady, bursts = story.STEADY, story.BURSTS
    for title, words in (
        ("Both are in the repository now", "jobs"),
        ("tar: many short processes, reading and writing evenly", f"digest {steady}"),
        ("sqlite: one process that writes in bursts", f"digest {bursts}"),
        ("Both on one time axis", f"timeline {steady} {bursts} --plot {picture}"),
        ("What tar's neighbours did on its disk meanwhile", f"background {steady}"),
    ):
        _scene(title, words)
    show("", heading("The picture of both timelines: ", str(picture)))
    show(f"The demo took {time.monotonic() - begin:.0f} s. Its repository stays; try yourself:")
    next_steps(
        f"export JOSTLE_REPOSITORY={repository}",
        f"jostle timeline {steady} {bursts} --metric ops",
        f"jostle background {bursts} --plot background.svg",
        "jostle run -- CMD",
    )


def _opening(cast: tuple[object, ...], repository: Path, seconds: int) -> None:
    """Say what is about to happen."""
    from jostle.cli.checks import file_system_of

    kind = file_system_of(repository)
    show(
        heading("jostle demo", ": two ordinary programs share one disk. Neither was rebuilt,"),
        f"neither knows of the other. Both are watched in the same 500 ms slices for {seconds} s.",
        "",
        f"The demo's own repository ({kind}); set it, and every command below is yours to type:",
    )
    _shown(f"export JOSTLE_REPOSITORY={repository}")
    show("", heading("Two programs, side by side"))
    for program in cast:
        _shown(getattr(program, "shown", ""))


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


def _everything(repository: Path, picture: Path) -> dict[str, object]:
    """Return what the story shows, as the verbs' own JSON."""
    from click.testing import CliRunner

    from jostle.cli.main import cli
    from jostle.demo import story

    content: dict[str, object] = {"repository": str(repository), "picture": str(picture)}
    for name, words in (
        ("jobs", ["jobs"]),
        (story.STEADY, ["digest", story.STEADY]),
        (story.BURSTS, ["digest", story.BURSTS]),
        ("timeline", ["timeline", story.STEADY, story.BURSTS, "--plot", str(picture)]),
        ("background", ["background", story.STEADY]),
    ):
        done = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
        content[name] = json.loads(done.stdout)
    return content
