"""One profiled run of a command, from the choice of its name to its report."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from jostle.cli.config import OFF, settings
from jostle.cli.launch import spool_room
from jostle.cli.launch.end_verdict import is_outermost
from jostle.cli.launch.environment import (
    RunSpool,
    child_environment,
    gpu_environment,
    slice_in_force,
)
from jostle.cli.launch.past_runs import recall
from jostle.cli.launch.publish import Publisher, why_nothing_is_shown
from jostle.cli.launch.run_report import Ending, RunReport, Supplement
from jostle.cli.launch.run_spool import NameOfRun, claim
from jostle.cli.launch.spawn import CommandOutcome, run
from jostle.cli.launch.watch import Watcher
from jostle.cli.output import next_steps, warn
from jostle.report.format.values import duration


@dataclass(frozen=True)
class RunOptions:
    """How a command is run and reported.

    Attributes:
        repository: Folder of the repository into which the run's profiles are ingested.
        slice_ns: Length of a slice in nanoseconds; None: from settings and earlier runs.
        core_probe_ns: Interval of the core-speed probe, in nanoseconds; None: from the settings.
        gpu: Whether to record the command's use of GPUs.
        live: Whether to show the run's slices in the terminal.
        on_loss: Shell command to start when the run begins to lose time; "": none.
        keep: Whether to keep the profiles after they have been ingested.
        verdict: Whether the report ends with the verdict, unless a supplement makes its own report.
        as_json: Whether the report is one line of JSON.
        output: The descriptor that becomes the command's standard output.
    """

    repository: Path
    slice_ns: int | None = None
    core_probe_ns: int | None = None
    gpu: bool = False
    live: bool = False
    keep: bool = False
    verdict: bool = True
    as_json: bool = False
    output: int = 1
    on_loss: str = ""

    def environment(self, supplement: Supplement | None) -> dict[str, str]:
        """Return the variables that these options set for the command."""
        own = gpu_environment() if self.gpu else {}
        own |= supplement.environment if supplement is not None else {}
        if self.core_probe_ns is not None:
            own["JOSTLE_CORE_PROBE"] = f"{self.core_probe_ns / 1e6:g}ms"
        return own


def once(
    cmd: Sequence[str], wanted: NameOfRun, options: RunOptions, supplement: Supplement | None = None
) -> int:
    """Run a command once and report; return its status.

    Args:
        cmd: The command.
        wanted: The requested name of the run.
        options: Options of the run and its report.
        supplement: An addition to the run: injected delays, or a gate, which evaluates the run if
            it did not fail.
    """
    plain = supplement is None or supplement.key == "gate"
    unset = options.slice_ns is None and settings().get("slice") is None
    by_itself = plain and is_outermost() and unset
    ending = Ending(options.verdict and supplement is None and is_outermost(), by_itself)
    name, spool = claim(wanted, settings(), options.repository)
    if wanted.named and wanted.number == 1 and name != wanted.text and not options.as_json:
        warn([f"the name {wanted.text} is taken by an earlier run; this one is {name}"])
    if settings().enabled and (full := spool_room.warning_before(spool.folder)):
        warn([full])
    slice_ns = _short_slices(cmd, options) if by_itself else options.slice_ns
    observers = _Observers(
        options,
        spool,
        name,
        slice_ns,
        publishes=options.live or bool(options.on_loss) or not supplement,
    )
    outcome: CommandOutcome | None = None
    try:
        outcome = observers.run(cmd, options.environment(supplement))
        if supplement is not None and not supplement.evaluate(spool.profiles_of(name), outcome):
            supplement = None
        report = RunReport(
            cmd,
            name,
            spool,
            outcome,
            options.repository,
            supplement,
            ending,
            observers.published,
            observers.watched(),
            options.as_json,
            options.keep,
        )
        try:
            report()
        except BrokenPipeError:  # the reader of the messages has ended: `2>&1 | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
            report()
    except Exception as error:  # an error in the report must not change CMD's status
        if outcome is None:
            raise
        if supplement is not None and supplement.key == "gate":
            supplement.say()
        _keep_for_later(spool, error)
    except KeyboardInterrupt:
        if outcome is None:  # a second Ctrl-C, while the first ended CMD
            raise
        _keep_for_later(spool, None)
        if supplement is not None and supplement.key == "gate":
            return 130  # not the status of a successful run
    finally:
        if outcome is None and spool.private:
            shutil.rmtree(spool.folder, ignore_errors=True)
        if spool.mark is not None:
            with contextlib.suppress(OSError):
                spool.mark.rmdir()
    assert outcome is not None  # otherwise an exception was raised
    return outcome.status


def _short_slices(cmd: Sequence[str], options: RunOptions) -> int | None:
    """Return the length of slices that suits the last run of a command, and print a message."""
    last = recall(cmd, options.repository)
    if not last:
        return None
    if not options.as_json:
        click.echo(
            f"slices of {duration(last.slice_ns)}, since the last run of this command took "
            f"{duration(last.seconds * 1e9)}",
            err=True,
        )
    return last.slice_ns


class _Observers:
    """Child processes that ingest the command's profiles and watch the machine while it runs.

    Attributes:
        published: Warnings of the child process that ingested the profiles during the run.
    """

    def __init__(
        self,
        options: RunOptions,
        spool: RunSpool,
        name: str,
        slice_ns: int | None,
        *,
        publishes: bool,
    ) -> None:
        self._options, self._spool, self._name, self._slice_ns = options, spool, name, slice_ns
        records = settings().enabled and is_outermost()
        self._publishes = records and publishes
        self._watches = records and settings().get("unprofiled") not in OFF
        live = options.live
        if live and (why := why_nothing_is_shown() if self._publishes else _why_unpublished()):
            click.echo(f"--live shows nothing: {why}", err=True)
            live = False
        on_loss = options.on_loss if self._publishes else ""
        if options.on_loss and not on_loss:
            click.echo(f"--on-loss starts nothing: {_why_unpublished()}", err=True)
        looked_ns = slice_in_force(slice_ns) if live or on_loss else 0
        self._publisher = Publisher(
            spool, name, options.repository, looked_ns, on_loss=on_loss, lines=live
        )
        self._watcher = Watcher(spool, name, slice_in_force(slice_ns))
        self.published: list[str] = []

    def run(self, cmd: Sequence[str], own: dict[str, str]) -> CommandOutcome:
        """Run the command with these variables; end the child processes with it."""
        alongside = self._publisher.prepare() if self._publishes else None
        try:
            environment = child_environment(self._spool, self._name, self._slice_ns, own)
            started = self._watcher.start if self._watches else None
            return run(cmd, environment, alongside, self._options.output, started)
        finally:
            self.published = self._publisher.end()
            self._watcher.end()

    def watched(self) -> list[Path]:
        """Return the profiles of the machine."""
        return self._watcher.files()


def _why_unpublished() -> str:
    return "this run is part of another" if settings().enabled else "recording is switched off"


def _keep_for_later(spool: RunSpool, error: Exception | None) -> None:
    """Keep the profiles if the report of a run failed; CMD's exit status is kept."""
    if error is not None:
        hint = getattr(error, "hint", "")
        click.echo(f"jostle: the run is over, but its report failed: {error}", err=True)
        if hint:
            click.echo(f"  fix: {hint}", err=True)
    sys.stdout.flush()
    if spool.folder.is_dir():  # else they are in the repository already
        click.echo(f"profiles kept in {spool.folder}", err=True)
        next_steps(f"jostle ingest {spool.folder}")
