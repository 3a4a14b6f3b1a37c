"""`jostle run`: profile a command and all its children, then say what they did."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.config import OFF, RuntimeSettings, settings
from jostle.cli.launch import spool_room
from jostle.cli.launch.collect import clear, collect
from jostle.cli.launch.end_verdict import (
    EndVerdict,
    end_verdict,
    few_slices,
    is_outermost,
    short_run,
)
from jostle.cli.launch.environment import (
    RunSpool,
    child_environment,
    gpu_environment,
    slice_in_force,
)
from jostle.cli.launch.own_agent import agent_files
from jostle.cli.launch.past_runs import recall, remember
from jostle.cli.launch.publish import Publisher, why_nothing_is_shown
from jostle.cli.launch.run_names import batch, candidates, is_taken, job_name, joins
from jostle.cli.launch.spawn import CommandOutcome, run
from jostle.cli.launch.watch import Watcher
from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    CanaryInterval,
    SliceLength,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import next_steps, stderr_style, warn
from jostle.errors import UsageError
from jostle.names.identity import program_of_command
from jostle.report.format.values import byte_count, count, duration

if TYPE_CHECKING:
    from jostle.cli.launch.gate import Gate
    from jostle.repository import Repository
    from jostle_lab.cli.views.inject import Delays


@dataclass(frozen=True)
class NameOfRun:
    """The requested name of a run.

    Attributes:
        text: The name.
        named: Whether a user chose it; otherwise it is unique.
        number: From 2: the attempt, which the name shall end in.
    """

    text: str
    named: bool
    number: int = 1


@dataclass(frozen=True)
class Ending:
    """What a run says beside its headline.

    Attributes:
        verdict: Whether it ends with the verdict.
        by_itself: Whether nobody has set the length of its slices, so that the next run of CMD
            has shorter ones if this one is short.
    """

    verdict: bool
    by_itself: bool


@click.command(
    "run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--job", metavar="NAME", help="Name of the job [made from CMD and the time].")
@click.option(
    "--slice",
    "slice_ns",
    type=SliceLength(),
    metavar="LENGTH",
    help="Length of a time slice, 100ms to 60s [JOSTLE_SLICE, or 4s; less where the last "
    "run of CMD took less than about a minute].",
)
@click.option(
    "--canary",
    "canary_ns",
    type=CanaryInterval(),
    metavar="LENGTH",
    help="Time a fixed piece of work so often, 5ms to 1s: how fast was a core? "
    "[JOSTLE_CANARY, or off].",
)
@click.option("--gpu", is_flag=True, help="Count what a GPU does for CMD: copies, launches, waits.")
@click.option(
    "--live",
    is_flag=True,
    help="Show in the last lines of the terminal what CMD does, slice by slice.",
)
@click.option("--keep", is_flag=True, help="Keep the profiles after they are ingested.")
@click.option(
    "--gate",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="End with 3 when interference took more of the run time, with 4 when that is undecided.",
)
@click.option(
    "--retries",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
    help="With --gate: run a disturbed CMD again, at most N times.",
)
@click.option(
    "--output-of",
    type=click.Choice(["accepted", "all"]),
    help="With --retries: write standard output of the attempt that the gate accepts (of "
    "the last, if of none) at its end, or of all as it comes [accepted; all if it is a "
    "terminal].",
)
@click.option(
    "--gate-status",
    type=click.IntRange(1, 254),
    metavar="N",
    help="End with N instead of 3, with N + 1 instead of 4.",
)
@click.option(
    "--no-verdict", is_flag=True, help="Do not estimate at the end what interference cost CMD."
)
@repository_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Report as one line of JSON on stderr (stdout belongs to CMD).",
)
@click.argument("cmd", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def command(
    job: str | None,
    slice_ns: int | None,
    canary_ns: int | None,
    gpu: bool,
    live: bool,
    keep: bool,
    gate: float | None,
    retries: int,
    output_of: str | None,
    gate_status: int | None,
    no_verdict: bool,
    repository: Path,
    as_json: bool,
    cmd: tuple[str, ...],
) -> int:
    """Profile CMD and everything it starts; then ingest, and say what they did.

    CMD keeps its terminal, its pipes and its signals; its exit status is ours. The report goes
    to stderr, and ends with the verdict: how much of the time interference took.
    """
    from jostle.cli.launch.gate import DISTURBED, Gate, HeldOutput, Rewind

    _check_options(gate, retries, output_of, gate_status, live=live, as_json=as_json)
    name = job_name(job, program_of_command(cmd))
    limit = None if gate is None else Gate(gate, retries + 1, gate_status or DISTURBED)
    again = Rewind()
    wanted = output_of or ("all" if sys.stdout.isatty() else "accepted")
    held = HeldOutput() if retries and wanted == "accepted" else None
    try:
        for attempt in range(1, retries + 2):
            status = once(
                cmd,
                NameOfRun(name, named=job is not None, number=attempt),
                slice_ns,
                limit,
                repository,
                as_json=as_json,
                keep=keep,
                canary_ns=canary_ns,
                gpu=gpu,
                live=live,
                verdict=not no_verdict,
                output=held.descriptor() if held else 1,
            )
            if limit is None or status or not limit.wants_another:
                break
            again.back()
    finally:
        if held:
            held.release()
    return status or (limit.status if limit else 0)


def _check_options(
    gate: float | None,
    retries: int,
    output_of: str | None,
    gate_status: int | None,
    *,
    live: bool,
    as_json: bool,
) -> None:
    """Refuse options that have no meaning together."""
    if retries and gate is None:
        raise UsageError(
            "--retries without --gate never runs anything again.",
            hint="For example: --gate 7.5 --retries 2",
        )
    if output_of and not retries:
        raise UsageError(
            "--output-of chooses among attempts, and without --retries there is one.",
            hint="For example: --gate 7.5 --retries 2 --output-of all",
        )
    if gate_status and gate is None:
        raise UsageError(
            "--gate-status is the status of a gate, and there is none.",
            hint="For example: --gate 7.5 --gate-status 70",
        )
    if live and as_json:
        raise UsageError(
            "--live and --json both write to standard error.", hint="Leave one of them out."
        )


def once(
    cmd: Sequence[str],
    wanted: NameOfRun,
    slice_ns: int | None,
    more: Gate | Delays | None,
    repository: Path,
    *,
    as_json: bool,
    keep: bool,
    canary_ns: int | None = None,
    gpu: bool = False,
    live: bool = False,
    verdict: bool = True,
    output: int = 1,
) -> int:
    """Run CMD one time and report; return its status.

    more: A gate, which evaluates a run that ended well, or delays that are injected into it.
    gpu: Record what a GPU does for it.
    live: Show its slices in the terminal.
    verdict: End with the verdict, unless `more` has something of its own to say.
    output: The descriptor that becomes its standard output.
    """
    own = gpu_environment() if gpu else {}
    plain = more is None or more.key == "gate"
    by_itself = plain and is_outermost() and slice_ns is None and settings().get("slice") is None
    ending = Ending(verdict and more is None and is_outermost(), by_itself)
    name, spool = claim(wanted, settings(), repository)
    if wanted.named and wanted.number == 1 and name != wanted.text and not as_json:
        warn([f"the name {wanted.text} is taken by an earlier run; this one is {name}"])
    if settings().enabled and (full := spool_room.warning_before(spool.folder)):
        warn([full])
    if by_itself and (last := recall(cmd, repository)):
        slice_ns = last.slice_ns
        if not as_json:
            click.echo(
                f"slices of {duration(slice_ns)}, since the last run of this command took "
                f"{duration(last.seconds * 1e9)}",
                err=True,
            )
    outcome: CommandOutcome | None = None
    publishes = settings().enabled and is_outermost() and (live or more is None)
    if live and (why := why_nothing_is_shown() if publishes else _why_unpublished()):
        click.echo(f"--live shows nothing: {why}", err=True)
        live = False
    shown_ns = slice_in_force(slice_ns) if live else 0
    publisher = Publisher(spool, name, repository, shown_ns)
    published: list[str] = []
    watcher = Watcher(spool, name, slice_in_force(slice_ns))
    watches = settings().enabled and is_outermost() and settings().get("unprofiled") not in OFF
    try:
        own |= more.environment if more is not None else {}
        if canary_ns is not None:
            own["JOSTLE_CANARY"] = f"{canary_ns / 1e6:g}ms"
        beside = publisher.prepare() if publishes else None
        try:
            environment = child_environment(spool, name, slice_ns, own)
            started = watcher.start if watches else None
            outcome = run(cmd, environment, beside, output, started)
        finally:
            published = publisher.end()
            watcher.end()
        if more is not None and not more.evaluate(spool.profiles_of(name), outcome):
            more = None
        report = partial(
            _report,
            cmd,
            name,
            spool,
            outcome,
            repository,
            more,
            ending,
            published,
            watcher.files(),
            as_json=as_json,
            keep=keep,
        )
        try:
            report()
        except BrokenPipeError:  # who read our messages has seen enough: `2>&1 | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
            report()
    except Exception as error:  # the report's trouble must not become CMD's
        if outcome is None:
            raise
        if more is not None and more.key == "gate":
            more.say()
        _keep_for_later(spool, error)
    except KeyboardInterrupt:
        if outcome is None:  # a second Ctrl-C, while the first ended CMD
            raise
        _keep_for_later(spool, None)
        if more is not None and more.key == "gate":
            return 130  # not a run that passed
    finally:
        if outcome is None and spool.private:
            shutil.rmtree(spool.folder, ignore_errors=True)
        if spool.mark is not None:
            with contextlib.suppress(OSError):
                spool.mark.rmdir()
    assert outcome is not None  # otherwise the exception went on
    return outcome.status


def _why_unpublished() -> str:
    return "this run is part of another" if settings().enabled else "recording is switched off"


def claim(wanted: NameOfRun, rules: RuntimeSettings, repository: Path) -> tuple[str, RunSpool]:
    """Find a name that no earlier run has, and the spool: the user's, a locked one, or our own.

    RATIONALE: the folder of a run bears its name as long as the run's profiles are not in the
    repository, and making a folder either succeeds or finds one. So of two runs that ask for one
    name at once the second finds the first one's folder, or what it left in the repository.
    """
    parent = rules.spool
    shared = bool(os.environ.get("JOSTLE_SPOOL")) or "spool" in rules.locked
    alone = wanted.named and not joins(wanted.text)
    name = next(candidates(wanted.text, wanted.number))
    if shared and not (alone and os.access(parent, os.W_OK | os.X_OK)):
        return name, RunSpool(parent, private=False)
    try:
        if not shared and not parent.is_dir():
            parent.mkdir(mode=0o1777, parents=True)
            parent.chmod(0o1777)
        if not _trustworthy(parent):
            raise PermissionError(parent)
        if alone:
            name, folder = _mark(wanted, parent, repository)
        else:
            folder = Path(tempfile.mkdtemp(prefix=f"run-{name}-", dir=parent))
    except OSError:
        # The spool is closed, full or writable for others: any folder will do for one run.
        if shared:
            return name, RunSpool(parent, private=False)
        folder = Path(tempfile.mkdtemp(prefix=f"jostle-run-{name}-"))
    if shared:
        return name, RunSpool(parent, private=False, mark=folder)
    if os.geteuid() == 0:
        folder.chmod(0o1777)  # root's children may become other users
    return name, RunSpool(folder, private=True)


def _mark(wanted: NameOfRun, parent: Path, repository: Path) -> tuple[str, Path]:
    """Make the folder of the first name that is free."""
    for name in candidates(wanted.text, wanted.number):
        if batch():  # its steps may run side by side
            if is_taken(name, repository, parent):
                continue
            return name, Path(tempfile.mkdtemp(prefix=f"run-{name}-", dir=parent))
        folder = parent / f"run-{name}-{os.getuid()}"
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        if not is_taken(name, repository, parent):
            return name, folder
        folder.rmdir()
    raise FileExistsError(parent)


def _trustworthy(parent: Path) -> bool:
    """Return whether no other user can rename our folder: its parent is sticky, or ours."""
    facts = parent.lstat()
    mine = facts.st_uid in (0, os.geteuid())
    closed = not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(facts.st_mode) and mine and (closed or bool(facts.st_mode & stat.S_ISVTX))


def _report(
    cmd: Sequence[str],
    name: str,
    spool: RunSpool,
    outcome: CommandOutcome,
    repository: Path,
    more: Gate | Delays | None,
    ending: Ending,
    published: Sequence[str],
    watched: Sequence[Path],
    *,
    as_json: bool,
    keep: bool,
) -> None:
    """Ingest what the run left, print headline and verdict, and clear the private spool.

    published: Warnings about what was ingested while it ran.
    watched: What its watcher wrote of the machine.
    """
    if not spool.profiles_of(name):
        if watched:
            open_repository(repository, create=True).ingest(watched)
        _nothing_recorded(cmd, name, spool.folder, outcome, more, as_json=as_json)
        if spool.private:
            shutil.rmtree(spool.folder, ignore_errors=True)
        return
    from jostle.cli.views.run_summary import headline, headline_json, read_digest
    from jostle.reader.liveness import still_written

    store = open_repository(repository, create=True)
    full = spool_room.reason(spool.folder)  # before profiles are removed
    report = collect(
        store,
        lambda: [*spool.profiles_of(name), *watched, *agent_files()],
        failed=outcome.status != 0,
    )
    files = spool.profiles_of(name)
    users = {path.lstat().st_uid for path in files if os.path.lexists(path)}
    others = users - {os.geteuid()} if spool.private else set()
    report.warnings = list(dict.fromkeys([*published, *report.warnings]))
    lost = [f"{full}: some of its processes may be missing"] if full else []
    warnings = [*lost, *report.warnings]
    # How long CMD takes is not known from a run that failed.
    by_itself = ending.by_itself and outcome.status == 0
    found: EndVerdict | None = None
    if as_json:
        digest = read_digest(store, name)
        content = headline_json(digest, outcome)
        content["warnings"] = warnings
        if ending.verdict:
            found = end_verdict(store, name, digest, quiet=True, by_itself=by_itself)
            content["verdict"] = found.to_json()
        if more is not None:
            content[more.key] = more.to_json()
        click.echo(json.dumps(content), err=True)
    else:
        warn(warnings, most=3)
        digest = headline(store, name, cmd[0], outcome)
        if settings().get("digest") not in (None, *OFF):
            _digest(store, name)
    living = any(still_written(path) for path, _ in store.not_taken(files))
    cleared = spool.private and not (keep or report.warnings) and clear(store, spool.folder)
    if not as_json:
        _static_note(cmd, name, outcome, files)
        from jostle.repository.store.owner_names import login_name

        for uid in sorted(others):
            click.echo(
                f"not in these figures: processes of {login_name(uid)}, which are the job "
                f"{name}@{login_name(uid)}",
                err=True,
            )
        if living and not cleared:
            click.echo(
                f"processes of the job still run; later: jostle ingest {spool.folder}", err=True
            )
        elif keep:
            click.echo(f"profiles kept in {spool.folder}", err=True)
        elif not spool.private and is_outermost() and "spool" not in settings().locked:
            stay = "1 profile stays" if len(files) == 1 else f"{count(len(files))} profiles stay"
            click.echo(
                f"{stay} in {spool.folder}, since JOSTLE_SPOOL names it; to clear it: "
                f"jostle ingest --remove {spool.folder}",
                err=True,
            )
        flag = repository_flag(repository)
        if more is None:
            if ending.verdict:
                found = end_verdict(store, name, digest, by_itself=by_itself)
                found.say()
            elif hint := few_slices(digest, by_itself=by_itself):
                click.echo(f"  {hint}", err=True)
            next_steps(*steps("run", found.seen if found else "no verdict", name, flag=flag))
        else:
            more.say()
            if not more.wants_another:
                seen = "a verdict" if more.has_estimate else "no verdict"
                next_steps(*steps("run", seen, name, flag=flag))
    if by_itself:
        remember(cmd, repository, short_run(digest))


def _digest(store: Repository, name: str) -> None:
    """Print the digest on stderr, as JOSTLE_DIGEST=stderr asks for."""
    from jostle.cli.output import show
    from jostle.cli.views.digest import view
    from jostle.cli.views.run_summary import read_digest
    from jostle.report.models.among_runs import figures_of, runs_of

    among = figures_of(store, runs_of(store, name), name)
    show("", *view(read_digest(store, name), among), err=True)


def _nothing_recorded(
    cmd: Sequence[str],
    name: str,
    folder: Path,
    outcome: CommandOutcome,
    more: Gate | Delays | None,
    *,
    as_json: bool,
) -> None:
    """Report why a run left no profile."""
    from jostle.cli.launch.elf import why_no_preload

    rules = settings()
    if not rules.enabled:
        why, mend = (
            "recording is switched off (JOSTLE=off, or the operator's file)",
            "jostle doctor",
        )
    elif reason := why_no_preload(cmd[0]):
        why, mend = reason, "profile a dynamically linked build of it"
    elif full := spool_room.reason(folder):
        why, mend = full, spool_room.MEND
    elif outcome.signal:
        why = f"killed by {outcome.signal} before it had moved 64 KiB or lasted a slice"
        mend = "jostle doctor"
    else:
        why, mend = "the runtime left no profile", "jostle doctor"
    if as_json:
        seen: dict[str, Any] = {"job": name, "recorded": False, "why": why, **vars(outcome)}
        if more is not None:
            seen[more.key] = more.to_json()
        click.echo(json.dumps(seen), err=True)
        return
    bold, reset = stderr_style("bold"), stderr_style("reset")
    read, written = outcome.read_chars, outcome.write_chars
    moved = (
        ""
        if read is None or written is None
        else (f", {byte_count(read)} read, {byte_count(written)} written")
    )
    click.echo(
        f"{bold}jostle:{reset} nothing recorded: {why}\n"
        f"  seen from outside: {duration(outcome.wall_ns)} wall time, "
        f"{duration(outcome.cpu_ns)} CPU time{moved}",
        err=True,
    )
    if more is not None:
        more.say()
    next_steps("jostle doctor") if mend == "jostle doctor" else click.echo(
        f"  {bold}mend:{reset} {mend}", err=True
    )


def _static_note(
    cmd: Sequence[str], name: str, outcome: CommandOutcome, files: Sequence[Path]
) -> None:
    """Say when CMD itself could not be recorded although its children were."""
    from jostle.cli.launch.elf import why_no_preload

    own = any(path.name.split(".")[1:2] == [str(outcome.pid)] for path in files)
    if not own and (reason := why_no_preload(cmd[0])):
        click.echo(f"not in these figures: {reason}", err=True)


def _keep_for_later(spool: RunSpool, error: Exception | None) -> None:
    """Keep the profiles when the report of a run failed; CMD's exit status stands."""
    if error is not None:
        hint = getattr(error, "hint", "")
        click.echo(f"jostle: the run is over, but its report failed: {error}", err=True)
        if hint:
            click.echo(f"  mend: {hint}", err=True)
    sys.stdout.flush()
    if spool.folder.is_dir():  # else they are in the repository already
        click.echo(f"profiles kept in {spool.folder}", err=True)
        next_steps(f"jostle ingest {spool.folder}")
