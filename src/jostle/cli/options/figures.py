"""The options for a verb's figures (folder and formats), and the lines that report the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from jostle.cli.output import heading
from jostle.errors import UsageError

if TYPE_CHECKING:
    from jostle.plot.figures.page import Saved

F = TypeVar("F", bound=Callable[..., Any])


def format_option(function: F) -> F:
    """Add `--format`, the endings of the figures."""
    return click.option(
        "--format",
        "endings",
        type=click.Choice(["png", "svg", "pdf"]),
        multiple=True,
        default=("png",),
        show_default=True,
        help="Format of the figures; may be given more than once.",
    )(function)


def plot_folder(folder: str | None) -> Path | None:
    """Create the folder of --plot, or refuse an unusable one, before any work is done."""
    if folder is None:
        return None
    path = Path(folder).expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise UsageError(
            f"`{folder}` is not a folder.", hint="Name a folder for --plot."
        ) from error
    except OSError as error:
        problem = f"`{folder}` cannot be made: {error.strerror}."
        raise UsageError(problem, hint="Name another folder for --plot.") from error
    if not os.access(path, os.W_OK | os.X_OK):
        problem = f"Nothing can be written in `{folder}`."
        raise UsageError(problem, hint="Name another folder for --plot.")
    return path


def saved_lines(
    saved: Sequence[Saved], folder: Path, *, reason: str = "the study has nothing yet"
) -> list[Any]:
    """Return the lines that list the written figures, or the reason why there are none."""
    if not saved:
        return [f"No figure: {reason} that could be drawn."]
    plural = "s" if len(saved) > 1 else ""
    lines: list[Any] = [
        heading(f"{len(saved)} figure{plural}", f" in {folder}, with a CSV file for each")
    ]
    for figure in saved:
        pictures = ", ".join(path.name for path in figure.files[:-1])
        lines.append(f"  {pictures}: {figure.title}")
    return lines


def saved_json(saved: Sequence[Saved]) -> list[dict[str, Any]]:
    """Return the figures as JSON-compatible values for --json."""
    return [
        {"title": figure.title, "files": [str(path) for path in figure.files]} for figure in saved
    ]
