"""`jostle demo`: runs a program with and without a disturbing neighbour, and shows the verdict."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options import json_option
from jostle.cli.output import console, emit_json, heading, next_steps, show, silent_next
from jostle.errors import JostleError
from jostle_lab.cli.commands.demo_advice import (
    advice_for,
    applied,
    is_followed,
    one_after_the_other,
)
from jostle_lab.cli.commands.demo_proof import prove

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_MIB = 4096
_ALONE_S = 10  # on a disk that others use as well, the pair may take five times as long
_NEIGHBOUR_CHUNK = "8MiB"  # without a lab
_PROBE, _ALONE = "demo.r01-p001.writer", "demo.r01-a001.writer"
_IN_A_LAB = """\
A small cluster is built out of namespaces on this machine: two nodes, and a file system that they
share over a link of 400 Mbit/s. On one node a program writes steadily, alone, then alongside a
neighbour on the other node that writes for two seconds of every four. Neither knows of the other;
the steady one is watched in slices of 250 ms."""
_ON_CEPHFS = """\
A small cluster is built out of namespaces on this machine: two nodes, and a CephFS with a metadata
server and two object servers, each behind a link of 400 Mbit/s. On one node a program writes
steadily, first alone, then alongside a neighbour on the other node that writes for two seconds of
every four. Neither knows of the other; the steady one is watched in slices of 250 ms."""
_IN_A_FOLDER = """\
No cluster can be built here: {why}
So two programs share a folder on this machine's disk. One writes steadily, 1 MiB at a time, first
alone, then alongside a neighbour that writes for two seconds of every four, 8 MiB at a time: a disk
serves by request. Neither knows of the other; the steady one is watched in slices of 250 ms.
Other use of this disk is recorded as well."""


@click.command("demo")
@click.option("--local", is_flag=True, help="Use a shared folder on this disk; build no cluster.")
@click.option(
    "--fs",
    type=click.Choice(["sshfs", "cephfs"]),
    default="sshfs",
    show_default=True,
    help="File system that the nodes of the cluster share.",
)
@json_option
def command(local: bool, fs: str, as_json: bool) -> None:
    """Watch a neighbour slow a program, and the verdict on it, in a minute or two.

    A study of one probe and one periodic signal, on a small cluster of namespaces or, where none
    can be built, in a folder on this disk. It keeps a small repository of its own, so that the
    commands that it shows can be tried afterwards. At its end it follows jostle's advice, and shows
    what was predicted and what was saved.
    """
    from jostle_lab.study import shipped

    begin = time.monotonic()
    path = _home()
    repository, pictures = path / "repository", path / "pictures"
    os.environ["JOSTLE_REPOSITORY"] = str(repository)
    why = "--local was given." if local else _no_lab(fs)
    with tempfile.TemporaryDirectory(prefix="jostle-demo-", dir=_disk()) as folder:
        run, where, study = ["study", "run", "demo"], [], shipped()["demo"]
        if why:
            study, where = _fitted(Path(folder)), ["--place", "local", "--dir", folder]
        elif fs != "sshfs":
            study = _on(fs, Path(folder))
        if why or fs != "sshfs":
            run = ["study", "run", str(study), *where]
        scenes = [
            ("The writer alone; then the writer alongside its neighbour", run),
            ("Time that the writer lost", ["study", "show", "demo", "--plot", str(pictures)]),
            ("The verdict on that run, from its own profile", ["estimate", _PROBE]),
            ("The verdict on the writer alone", ["estimate", _ALONE]),
        ]
        if as_json:
            summaries = [_as_json(words) for _, words in scenes]
            content = dict(zip(("run", "show", "alongside", "alone"), summaries, strict=True))
            proof = asdict(prove(repository))
            advice = advice_for(repository, _PROBE)
            if is_followed(advice):
                again = one_after_the_other(study, Path(folder))
                _as_json(["study", "run", str(again), *where])
            emit_json(
                {
                    "repository": str(repository),
                    "pictures": str(pictures),
                    **content,
                    "proof": proof,
                    "advice": asdict(applied(repository, advice)),
                }
            )
            return
        show(heading("jostle demo", ": was it me, or the neighbours?"), "")
        cluster = _ON_CEPHFS if fs == "cephfs" else _IN_A_LAB
        show(_IN_A_FOLDER.format(why=why) if why else cluster)
        for title, words in scenes:
            _scene(title, words)
        show("", heading("Was the verdict correct?"), *prove(repository).lines())
        _scene("What to change", ["advise", _PROBE])
        advice = advice_for(repository, _PROBE)
        if is_followed(advice):
            again = one_after_the_other(study, Path(folder))
            _scene("The advice is followed", ["study", "run", str(again), *where])
    show("", heading("Was the prediction right?"), *applied(repository, advice).lines())
    picture = next(iter(sorted(pictures.glob("time-slices-*.png"))), pictures)
    show("", heading("The picture: ", str(picture)))
    show(f"The demo took {time.monotonic() - begin:.0f} s. Its repository stays; try yourself:")
    next_steps(
        f"export JOSTLE_REPOSITORY={repository}",
        "jostle jobs",
        f"jostle interference {_PROBE} --plot {pictures}",
        f"jostle digest {_PROBE}",
        "jostle study run write-patterns --quick",
        "jostle run -- CMD",
    )
    _page()


def _page() -> None:
    """Show the address of the writer's web page; in a terminal, serve the page until Ctrl-C."""
    words = ["serve", _PROBE]
    show("", heading("The page of that run, in a browser"))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        show(f"`jostle {' '.join(words)} --open` opens http://127.0.0.1:8642/jobs/{_PROBE}")
        return
    from jostle.cli.for_verbs import cli

    with silent_next():
        words += ["--listen", "127.0.0.1:0"]
        cli.main(words, prog_name="jostle", standalone_mode=False)


def _no_lab(fs: str) -> str:
    """Return why no lab can be built here, and the remedy; "" if a lab can be built."""
    from jostle_lab.cluster import LabError, LabSpec, check_machine

    try:
        check_machine(LabSpec(name="demo", nodes=2, fs=fs))
    except LabError as error:
        fix = error.hint if os.geteuid() == 0 else "As root the demo builds one."
        return f"{str(error).rstrip('.')}. {fix or ''}".rstrip()
    return ""


def _on(fs: str, folder: Path) -> Path:
    """Rewrite the study for a lab with another file system."""
    from jostle_lab.study import shipped

    study = folder / "demo.toml"
    nodes = "nodes = 2\n"
    study.write_text(shipped()["demo"].read_text().replace(nodes, f'{nodes}fs = "{fs}"\n', 1))
    return study


def _fitted(folder: Path) -> Path:
    """Rewrite the study for this disk: the writer alone needs 10 s for its volume.

    With chunks as small as the writer's, the neighbour, which is one process, would get at most a
    third of the disk: its effect on the writer would be lost in the disk's own variation.
    """
    from jostle_lab.signals import program, read_log
    from jostle_lab.study import shipped

    log = folder / "trial"
    words = ["open-write-close", "--processes", "2", "--time", "1", "--quiet"]
    done = subprocess.run(
        [program(None), *words, "--dir", folder, "--log", log], capture_output=True, text=True
    )
    if done.returncode:
        raise JostleError(f"{done.stderr.strip()}", hint="Set TMPDIR to a folder on another disk.")
    moved = sum(read_log(log).processes["bytes"].to_pylist())
    volume = max(64, min(_ALONE_S * moved >> 20, _MOST_MIB))
    study = folder / "demo.toml"
    text = shipped()["demo"].read_text().replace("500MiB", f"{volume}MiB")
    neighbour = 'name = "neighbour"\n'
    study.write_text(text.replace(neighbour, f'{neighbour}chunk = "{_NEIGHBOUR_CHUNK}"\n'))
    return study


def _home() -> Path:
    """Empty and return the folder for the demo's repository and pictures."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = Path(data) / "jostle-demo"
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "repository").mkdir(exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="jostle-demo-kept-"))
    return folder


def _disk() -> Path:
    """Return a folder for temporary files on a disk, not on a memory file system."""
    from jostle.cli.for_verbs import file_system_of

    def usable() -> Iterator[Path]:
        for place in (Path(tempfile.gettempdir()), Path("/var/tmp"), Path.home()):
            if os.access(place, os.W_OK):
                yield place

    places = list(usable())
    return next((p for p in places if file_system_of(p) not in ("tmpfs", "ramfs")), places[0])


def _scene(title: str, words: list[str]) -> None:
    """Show a heading and a command, then run the command."""
    from rich.text import Text

    from jostle.cli.for_verbs import cli

    show("", heading(title))
    console().print(
        Text.assemble(("$ ", "dim"), ("jostle " + " ".join(words), "cyan")), soft_wrap=True
    )
    show("")
    with silent_next():
        cli.main(words, prog_name="jostle", standalone_mode=False)


def _as_json(words: list[str]) -> object:
    """Return what a command prints with --json."""
    from click.testing import CliRunner

    from jostle.cli.for_verbs import cli

    done = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
    return json.loads(done.stdout)
