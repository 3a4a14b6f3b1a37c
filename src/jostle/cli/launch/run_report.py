"""The report of `jostle run` when its command has ended: numbers, verdict, folder of profiles."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from jostle.cli.config import OFF, settings
from jostle.cli.launch import spool_room
from jostle.cli.launch.collect import clear, collect
from jostle.cli.launch.end_verdict import (
    EndVerdict,
    end_verdict,
    few_slices,
    is_outermost,
    short_run,
)
from jostle.cli.launch.environment import RunSpool
from jostle.cli.launch.own_agent import agent_files
from jostle.cli.launch.past_runs import remember
from jostle.cli.launch.spawn import CommandOutcome
from jostle.cli.next_step import steps
from jostle.cli.options.common import open_repository, repository_flag
from jostle.cli.output import next_steps, stderr_style, warn
from jostle.report.format.values import byte_count, count, duration

if TYPE_CHECKING:
    from jostle.analysis import JobDigest
    from jostle.repository import Repository


class Supplement(Protocol):
    """An addition to a recorded run, with its part of the report.

    A gate evaluates runs and requests further ones; the lab injects delays.
    """

    @property
    def key(self) -> str:
        """Key of the supplement in a report as JSON."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables for the command."""

    @property
    def wants_another(self) -> bool:
        """Whether the command must run again."""

    @property
    def has_estimate(self) -> bool:
        """Whether there is an estimate of the run to show next."""

    def evaluate(self, files: Sequence[Path], outcome: CommandOutcome) -> bool:
        """Evaluate the profiles of a run; return whether there is a result to report."""

    def to_json(self) -> Any:
        """Return its part of the report as JSON."""

    def say(self) -> None:
        """Print its part of the report."""


@dataclass(frozen=True)
class Ending:
    """The parts of a run's report after its headline.

    Attributes:
        verdict: Whether it ends with the verdict.
        by_itself: Whether the length of its slices was not set by the user, so that the next run
            of CMD has shorter ones if this one is short.
    """

    verdict: bool
    by_itself: bool


@dataclass
class RunReport:
    """The report on one run.

    Attributes:
        cmd: The command.
        name: Name of the run's job.
        spool: Spool of the run's profiles.
        outcome: Exit status and times of the command.
        repository: Folder of the repository.
        supplement: The addition to the run, with its part of the report.
        ending: The parts of the report after the headline.
        published: Warnings of the child process that ingested the profiles during the run.
        watched: Profiles of the machine, recorded by the run's watcher (watch.py).
        as_json: Whether to report one line of JSON.
        keep: Whether to keep the profiles.
    """

    cmd: Sequence[str]
    name: str
    spool: RunSpool
    outcome: CommandOutcome
    repository: Path
    supplement: Supplement | None
    ending: Ending
    published: Sequence[str]
    watched: Sequence[Path]
    as_json: bool
    keep: bool

    def __call__(self) -> None:
        """Ingest the run's profiles, print headline and verdict, and clear the private spool."""
        if not self.spool.profiles_of(self.name):
            if self.watched:
                open_repository(self.repository, create=True).ingest(self.watched)
            self._nothing_recorded()
            if self.spool.private:
                shutil.rmtree(self.spool.folder, ignore_errors=True)
            return
        store = open_repository(self.repository, create=True)
        full = spool_room.reason(self.spool.folder)  # before profiles are removed
        report = collect(
            store,
            lambda: [*self.spool.profiles_of(self.name), *self.watched, *agent_files()],
            failed=self.outcome.status != 0,
        )
        files = self.spool.profiles_of(self.name)
        report.warnings = list(dict.fromkeys([*self.published, *report.warnings]))
        lost = [f"{full}: some of its processes may be missing"] if full else []
        warnings = [*lost, *report.warnings]
        clears = self.spool.private and not (self.keep or report.warnings)
        # A failed run does not show the duration of CMD.
        by_itself = self.ending.by_itself and self.outcome.status == 0
        if self.as_json:
            digest = self._print_json(store, warnings, by_itself=by_itself)
            if clears:
                clear(store, self.spool.folder)
        else:
            digest = self._print(store, files, warnings, clears=clears, by_itself=by_itself)
        if by_itself:
            remember(self.cmd, self.repository, short_run(digest))

    def _print_json(self, store: Repository, warnings: list[str], *, by_itself: bool) -> JobDigest:
        from jostle.cli.views.run_summary import headline_json, read_digest

        digest = read_digest(store, self.name)
        content = headline_json(digest, self.outcome)
        content["warnings"] = warnings
        if self.ending.verdict:
            found = end_verdict(store, self.name, digest, quiet=True, by_itself=by_itself)
            content["verdict"] = found.to_json()
        if self.supplement is not None:
            content[self.supplement.key] = self.supplement.to_json()
        click.echo(json.dumps(content), err=True)
        return digest

    def _print(
        self,
        store: Repository,
        files: Sequence[Path],
        warnings: list[str],
        *,
        clears: bool,
        by_itself: bool,
    ) -> JobDigest:
        from jostle.cli.views.run_summary import headline
        from jostle.reader.liveness import still_written

        users = {path.lstat().st_uid for path in files if os.path.lexists(path)}
        warn(warnings, most=3)
        digest = headline(store, self.name, self.cmd[0], self.outcome)
        if settings().get("digest") not in (None, *OFF):
            _print_digest(store, self.name)
        living = any(still_written(path) for path, _ in store.not_taken(files))
        cleared = clears and clear(store, self.spool.folder)
        self._say_what_is_missing(files, users)
        self._say_where_profiles_are(files, living=living and not cleared)
        self._say_verdict(store, digest, by_itself=by_itself)
        return digest

    def _say_what_is_missing(self, files: Sequence[Path], users: set[int]) -> None:
        """Report what the numbers lack: CMD itself, and its processes under other users."""
        from jostle.cli.launch.elf import why_no_preload
        from jostle.repository.store.owner_names import login_name

        own = any(path.name.split(".")[1:2] == [str(self.outcome.pid)] for path in files)
        if not own and (reason := why_no_preload(self.cmd[0])):
            click.echo(f"not included in these figures: {reason}", err=True)
        for uid in sorted(users - {os.geteuid()} if self.spool.private else ()):
            click.echo(
                f"not in these figures: processes of {login_name(uid)}, which are the job "
                f"{self.name}@{login_name(uid)}",
                err=True,
            )

    def _say_where_profiles_are(self, files: Sequence[Path], *, living: bool) -> None:
        folder = self.spool.folder
        if living:
            click.echo(f"processes of the job still run; later: jostle ingest {folder}", err=True)
        elif self.keep:
            click.echo(f"profiles kept in {folder}", err=True)
        elif not self.spool.private and is_outermost() and "spool" not in settings().locked:
            stay = "1 profile stays" if len(files) == 1 else f"{count(len(files))} profiles stay"
            click.echo(
                f"{stay} in {folder}, since JOSTLE_SPOOL names it; to clear it: "
                f"jostle ingest --remove {folder}",
                err=True,
            )

    def _say_verdict(self, store: Repository, digest: JobDigest, *, by_itself: bool) -> None:
        flag = repository_flag(self.repository)
        if self.supplement is not None:
            self.supplement.say()
            if not self.supplement.wants_another:
                seen = "a verdict" if self.supplement.has_estimate else "no verdict"
                next_steps(*steps("run", seen, self.name, flag=flag))
            return
        found: EndVerdict | None = None
        if self.ending.verdict:
            found = end_verdict(store, self.name, digest, by_itself=by_itself)
            found.say()
        elif hint := few_slices(digest, by_itself=by_itself):
            click.echo(f"  {hint}", err=True)
        next_steps(*steps("run", found.seen if found else "no verdict", self.name, flag=flag))

    def _nothing_recorded(self) -> None:
        """Report why a run left no profile."""
        why, remedy = self._why_nothing_recorded()
        if self.as_json:
            seen: dict[str, Any] = {
                "job": self.name,
                "recorded": False,
                "why": why,
                **vars(self.outcome),
            }
            if self.supplement is not None:
                seen[self.supplement.key] = self.supplement.to_json()
            click.echo(json.dumps(seen), err=True)
            return
        bold, reset = stderr_style("bold"), stderr_style("reset")
        read, written = self.outcome.read_chars, self.outcome.write_chars
        moved = (
            ""
            if read is None or written is None
            else f", {byte_count(read)} read, {byte_count(written)} written"
        )
        click.echo(
            f"{bold}jostle:{reset} nothing recorded: {why}\n"
            f"  seen from outside: {duration(self.outcome.wall_ns)} wall time, "
            f"{duration(self.outcome.cpu_ns)} CPU time{moved}",
            err=True,
        )
        if self.supplement is not None:
            self.supplement.say()
        next_steps("jostle doctor") if remedy == "jostle doctor" else click.echo(
            f"  {bold}fix:{reset} {remedy}", err=True
        )

    def _why_nothing_recorded(self) -> tuple[str, str]:
        """Return the reason why the run left no profile, and the remedy."""
        from jostle.cli.launch.elf import why_no_preload

        if not settings().enabled:
            return "recording is switched off (JOSTLE=off, or the operator's file)", "jostle doctor"
        if reason := why_no_preload(self.cmd[0]):
            return reason, "profile a dynamically linked build of it"
        if full := spool_room.reason(self.spool.folder):
            return full, spool_room.FIX
        if self.outcome.signal:
            killed = f"killed by {self.outcome.signal}"
            return f"{killed} before it had moved 64 KiB or lasted a slice", "jostle doctor"
        return "the runtime left no profile", "jostle doctor"


def _print_digest(store: Repository, name: str) -> None:
    """Print the digest on stderr, as requested by JOSTLE_DIGEST=stderr."""
    from jostle.cli.output import show
    from jostle.cli.views.digest import view
    from jostle.cli.views.run_summary import read_digest
    from jostle.report.models.job.among_runs import figures_of, runs_of

    among = figures_of(store, runs_of(store, name), name)
    show("", *view(read_digest(store, name), among), err=True)
