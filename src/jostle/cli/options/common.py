"""Options that several verbs share, and opening of the repository."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from jostle.errors import UsageError
from jostle.files.default_repository import default_repository
from jostle.files.repository_address import shown
from jostle.names.batch_jobs import batch_jobs
from jostle.report.format.moments import age_s, moment_ns, since_ns
from jostle.schema.settings import LONGEST_SLICE_NS, SHORTEST_SLICE_NS

if TYPE_CHECKING:
    from jostle.repository import Repository

F = TypeVar("F", bound=Callable[..., Any])


def json_option(function: F) -> F:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print the same content as JSON.")(
        function
    )


def seed_option(function: F) -> F:
    """Add `--seed N`."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of the random steps (resampling).",
    )(function)


def repository_option(function: F) -> F:
    """Add `--repository DIR`, which takes precedence over the one before the verb."""
    return click.option(
        "--repository",
        metavar="DIR",
        expose_value=True,
        callback=_repository_path,
        help="Repository to use [JOSTLE_REPOSITORY, or $XDG_DATA_HOME/jostle].",
    )(function)


def repository_flag(path: Path) -> str:
    """Return the option by which suggested commands find this repository; "" for the default."""
    return "" if path == default_repository() else f" --repository {shlex.quote(shown(path))}"


def _repository_path(ctx: click.Context, _param: click.Parameter, value: str | None) -> Path:
    shared = ctx.find_root().obj or {}
    named = value or shared.get("repository")
    return Path(named) if named else default_repository()


def open_repository(path: Path, *, create: bool = False) -> Repository:
    """Open the repository; its heavy imports happen only here."""
    from jostle.cli.output import warn
    from jostle.repository import Repository

    store = Repository(path, create=create)

    fix = (
        f"Restore it from a backup, or run `jostle repository check{repository_flag(path)} --fix`."
    )

    def report(lost: Sequence[str]) -> None:
        nonlocal fix
        warn([*lost, fix] if fix else lost)
        fix = ""  # stated once

    if lost := store.damage():
        report([f"{sentence} What it held is missing here." for sentence in lost])
    store.on_damage(lambda damaged: report([damaged.missing()]))
    return store


def complete_job(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete a job's name in the shell; none if there is no repository."""
    path = ctx.params.get("repository") or default_repository()
    try:
        from jostle.repository import Repository

        names = Repository(path).jobs().column("job").to_pylist()
        names += [batch.name for batch in batch_jobs(names)]
    except Exception:  # a completion reports no errors
        return []
    return [CompletionItem(name) for name in [*names, "last"] if name.startswith(begun)]


_SLICE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|)")


class SliceLength(click.ParamType[int]):
    """A slice length such as `500ms` or `4s`; a bare number is seconds; 100 ms to 60 s."""

    name = "LENGTH"
    what, least_ns, most_ns = "slice length", SHORTEST_SLICE_NS, LONGEST_SLICE_NS
    bounds, hint = "100 ms and 60 s", "Write for example `--slice 500ms` or `--slice 4s`."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return nanoseconds."""
        match = _SLICE.fullmatch(str(value).strip())
        if match:
            scale = {"ms": 1e6, "s": 1e9, "": 1e9, "min": 60e9}[match[2]]
            length = round(float(match[1]) * scale)
            if self.least_ns <= length <= self.most_ns:
                return length
        raise UsageError(
            f"`{value}` is not a {self.what}: it must lie between {self.bounds}.", hint=self.hint
        )


class CoreProbeInterval(SliceLength):
    """The interval of the core-speed probe, such as `20ms`; 5 ms to 1 s."""

    what, least_ns, most_ns = "interval of the core-speed probe", 5_000_000, 1_000_000_000
    bounds, hint = "5 ms and 1 s", "Write for example `--core-probe 20ms`."


class Age(click.ParamType[float]):
    """An age such as `12h` or `30d`."""

    name = "AGE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return seconds."""
        return age_s(str(value))


class Instant(click.ParamType[int]):
    """An instant such as `2026-03-01T14:30Z` or `2026-03-01 14:30:05+01:00`; UTC without a zone."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return nanoseconds since the epoch."""
        return moment_ns(str(value))


class Since(click.ParamType[int]):
    """An instant as an age before now, or a time: `2d`, `12h`, `2026-03-01`."""

    name = "AGE|TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return nanoseconds since the epoch."""
        return since_ns(str(value))


def slice_text(length_ns: int) -> str:
    """Return a slice length in the form of JOSTLE_SLICE: `500ms`, `4s`."""
    if length_ns % 1_000_000_000 == 0:
        return f"{length_ns // 1_000_000_000}s"
    return f"{length_ns // 1_000_000}ms"
