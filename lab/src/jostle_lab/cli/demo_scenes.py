"""Helper functions of the demos in a lab: empty a folder, show a command with its output."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from jostle.cli.output import console, heading, show, silent_next


def emptied_home(name: str) -> Path:
    """Return the folder that keeps a demo's repository, emptied."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = Path(data) / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def scene(title: str, words: list[str], repository: Path) -> None:
    """Show a command as a user types it, and its output."""
    from rich.text import Text

    from jostle.cli.for_verbs import cli

    show("", heading(title))
    line = Text.assemble(("$ ", "dim"), ("jostle " + " ".join(words), "cyan"))
    console().print(line, soft_wrap=True)
    show("")
    with silent_next():
        cli.main(
            [*words, "--repository", str(repository)], prog_name="jostle", standalone_mode=False
        )
