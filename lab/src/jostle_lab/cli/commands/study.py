"""`jostle study`: runs probes and signals alone and in pairs, and shows which slows which."""

from __future__ import annotations

import dataclasses
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from jostle.cli.options import json_option, open_repository, repository_flag, repository_option
from jostle.cli.output import emit_json, heading, next_steps, show, table, warn
from jostle.report.format.values import duration
from jostle_lab.cluster.spec import NETWORKED
from jostle_lab.study.stored import stored_studies

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle_lab.study import PlannedRun, RunOutcome, Study


#: The study to begin with.
_FIRST = "write-patterns"


class Words(click.Group):
    """The subcommands of `jostle study`; `show` is imported only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the subcommands in the order in which they are used."""
        return ["run", "show", "list"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand, or None if there is none of that name."""
        if cmd_name == "show":
            from jostle_lab.cli.commands.study_show import command as show

            return show
        return super().get_command(ctx, cmd_name)


@click.group("study", cls=Words, subcommand_metavar="VERB [OPTIONS]")
def command() -> None:
    """Run experiments with probes and signals: find which program slows which, and by how much.

    A study is a TOML file, or one of the shipped ones: `jostle study list`.
    """


def _complete(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    from jostle_lab.study import shipped

    return [CompletionItem(name) for name in shipped() if name.startswith(begun)]


@command.command("run")
@click.argument("file", metavar="STUDY", shell_complete=_complete)
@click.option("--dry-run", is_flag=True, help="Print the plan and how long it takes; run nothing.")
@click.option(
    "--place",
    type=click.Choice(["local", "lab", "slurm"]),
    help="Place where the study runs, instead of the place in its file.",
)
@click.option(
    "--dir", "folder", metavar="DIR", help="Folder on the file system under study (local, slurm)."
)
@click.option(
    "--repetitions",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="How often each run is repeated; a larger number later adds runs.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="Run the short form of the study, which takes less "
    "than two minutes and is named NAME-quick.",
)
@click.option(
    "--mpi",
    type=click.Choice(["none", "openmpi", "mpich"]),
    help="MPI library for all patterns and all MPI commands, instead of those in the file.",
)
@click.option(
    "--fs",
    type=click.Choice(NETWORKED),
    help="File system of the lab, instead of the one in the file; the study is then named NAME-FS.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the study in the repository, instead of the name in the file.",
)
@click.option("--fresh", is_flag=True, help="Delete earlier runs under this name, and start again.")
@repository_option
@json_option
def run_command(
    file: str,
    dry_run: bool,
    place: str | None,
    folder: str | None,
    repetitions: int | None,
    quick: bool,
    mpi: str | None,
    fs: str | None,
    name: str | None,
    fresh: bool,
    repository: Path,
    as_json: bool,
) -> int:
    """Run STUDY: a TOML file, or the name of a shipped study.

    Each repetition runs all programs alone, then all pairs. Runs that are done are not repeated, so
    a study may be interrupted and started again. If a program fails, the failure is recorded as a
    result, and the exit status is 1.
    """
    from jostle_lab.study import StudyOptions, check_where, find, load, plan

    study = load(find(file), StudyOptions(name, place, repetitions, mpi, quick, fs))
    if folder is not None:
        where = dataclasses.replace(study.where, dir=str(Path(folder).expanduser().absolute()))
        study = dataclasses.replace(study, where=where)
    check_where(study)
    warn(f"{pattern} is left out: {reason}." for pattern, reason in study.left_out)
    if dry_run:
        _show_plan(study, plan(study), repository, fresh=fresh, as_json=as_json)
        given = {
            "--place": place,
            "--dir": folder,
            "--repetitions": repetitions,
            "--mpi": mpi,
            "--fs": fs,
            "--name": name,
        }
        words = [f" {option} {value}" for option, value in given.items() if value is not None]
        next_steps(
            f"jostle study run{repository_flag(repository)} {file}"
            + " --quick" * quick
            + "".join(words)
            + " --fresh" * fresh
        )
        return 0
    store = open_repository(repository, create=True)
    outcome = _run(study, store, fresh=fresh, as_json=as_json)
    warn(outcome.warnings)
    flag = repository_flag(repository)
    if as_json:
        emit_json({"study": study.name, **dataclasses.asdict(outcome)})
    else:
        _end(study, outcome)
    next_steps(
        f"jostle study show{flag} {study.name}", f"jostle study show{flag} {study.name} --plot DIR"
    )
    return 1 if outcome.failed else 0


def _run(study: Study, store: Repository, *, fresh: bool, as_json: bool) -> RunOutcome:
    from jostle_lab.cli.views.study_progress import LiveTable
    from jostle_lab.study import Runner, begin, check, make_place

    runs = begin(study, store, fresh=fresh)
    check(study)
    if fresh:
        with store.study(study.name).lock():
            store.study(study.name).forget()
    try:
        with LiveTable(study, len(runs), quiet=as_json) as live, _ended_in_order():
            return Runner(study, store, make_place(study), live.report).run(runs)
    except KeyboardInterrupt:
        done = len({record["run"] for record in store.study(study.name).read_runs()})
        click.echo(
            f"{study.name}: {done} of {len(runs)} runs are in the repository; the same "
            f"command{' without --fresh' * fresh} continues.",
            err=True,
        )
        raise


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Treat a hang-up and SIGTERM as an interrupt, so that everything started is ended."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    watched = (signal.SIGTERM, signal.SIGHUP)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.signal(number, interrupt) for number in watched]
    try:
        yield
    finally:
        for number, handler in zip(watched, before, strict=True):
            signal.signal(number, handler)


def _end(study: Study, outcome: RunOutcome) -> None:
    """Report the outcome of the study."""
    if not outcome.made:
        show(
            f"The study {study.name} is complete: {outcome.total} runs are in the repository. "
            "More repetitions (--repetitions) add to them; --fresh starts again."
        )
    else:
        show(
            heading(
                study.name,
                f": {outcome.made} runs made, {outcome.done} of {outcome.total} "
                "are in the repository.",
            )
        )
    if outcome.failed:
        runs = "run" if outcome.failed == 1 else "runs"
        show(
            f"In {outcome.failed} {runs} a program failed. This is a result as well; `study show` "
            f"lists them."
        )


def _show_plan(
    study: Study, runs: tuple[PlannedRun, ...], repository: Path, *, fresh: bool, as_json: bool
) -> None:
    """Print the planned runs, and the time that they would take."""
    from jostle_lab.study import PlannedTime

    done = set() if fresh else _done(study, repository)
    left = [run for run in runs if run.id not in done]
    estimate = PlannedTime(study, runs)
    seconds = estimate.left(run.id for run in left)
    if as_json:
        emit_json(
            {
                "study": study.name,
                "place": study.where.place,
                "done": len(runs) - len(left),
                "seconds": seconds,
                "config": study.to_json(),
                "runs": [run.to_json() for run in runs],
            }
        )
        return
    show(heading(study.name, f": {study.description}" if study.description else ""))
    frame = table(["=run", "program or pair", ">about", "state"])
    for run in runs:
        frame.add_row(
            run.id,
            run.label,
            duration(estimate.left([run.id]) * 1e9),
            "done" if run.id in done else "",
        )
    show(frame, "")
    alone = sum(run.kind == "alone" for run in runs)
    show(
        f"{len(runs)} runs in place {study.where.place} ({alone} alone, {len(runs) - alone} "
        f"pairs, {study.repetitions} repetitions): {len(left)} to make, "
        f"about {duration(seconds * 1e9)}."
    )


def _done(study: Study, repository: Path) -> set[str]:
    """Return the runs that are in a repository; an empty result if there is no repository."""
    if not repository.is_dir():
        return set()
    from jostle_lab.study import begin

    store = open_repository(repository)
    begin(study, store)
    return {record["run"] for record in store.study(study.name).read_runs()}


@command.command("list")
@repository_option
@json_option
def list_command(repository: Path, as_json: bool) -> None:
    """List the shipped studies, and those in the repository."""
    shipped, stored = _shipped(), _stored(repository)
    if as_json:
        emit_json({"shipped": shipped, "stored": stored})
        return
    for title, full in (("shipped, for a lab on this machine", False), ("for a cluster", True)):
        frame = table(["=name", title, ">runs", ">about", "place"])
        for row in shipped:
            if row["name"].endswith("-full") == full:
                frame.add_row(
                    row["name"],
                    row["description"],
                    str(row["runs"]),
                    duration(row["seconds"] * 1e9),
                    row["place"],
                )
        show(frame, "")
    if stored:
        frame = table(["=name", "in the repository", ">runs", ">failed", "place"])
        for row in stored:
            frame.add_row(
                row["name"],
                row["description"],
                f"{row['done']}/{row['total']}",
                str(row["failed"]),
                row["place"],
            )
        show(frame, "")
        next_steps(f"jostle study show{repository_flag(repository)} {stored[0]['name']}")
    else:
        next_steps(f"jostle study run{repository_flag(repository)} {_FIRST} --quick")


def _shipped() -> list[dict[str, Any]]:
    from jostle_lab.study import PlannedTime, load, plan, shipped

    rows = []
    order = sorted(
        shipped().items(), key=lambda item: (item[0].endswith("-full"), item[0] != _FIRST)
    )
    for name, path in order:
        study = load(path)
        runs = () if not study.programs else plan(study)
        rows.append(
            {
                "name": name,
                "description": study.description,
                "runs": len(runs),
                "seconds": PlannedTime(study, runs).left(run.id for run in runs),
                "place": study.where.place,
                "left_out": dict(study.left_out),
            }
        )
    return rows


def _stored(repository: Path) -> list[dict[str, Any]]:
    return stored_studies(open_repository(repository)) if repository.is_dir() else []
