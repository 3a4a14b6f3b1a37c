"""Entry of the command `jostle`: finds verbs, suggests similar ones, and reports errors."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from jostle.cli.added_verbs import added_verbs, command_of
from jostle.errors import JostleError, UsageError, no_room
from jostle.extensions import extensions

#: Section (a folder in `commands/`) -> verb -> (module, line of help), in the order of the help.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Record": {
        "run": ("run", "Profile a command and all processes that it starts."),
        "ingest": ("ingest", "Ingest profiles from spools into the repository."),
        "import": ("import_", "Import Darshan logs, accounting and machine counters."),
        "receive": ("receive", "Receive profiles from the nodes of a site, and ingest them."),
    },
    "Look": {
        "jobs": ("jobs", "List the jobs of the repository."),
        "top": ("top", "Which running jobs lose time now, to which jobs, on what resource."),
        "wait-until-quiet": ("wait_until_quiet", "Wait until a mount or a node has little load."),
        "digest": ("digest", "Activity of one job: MPI, I/O, time; what to examine next."),
        "timeline": ("timeline", "Draw jobs slice by slice on one time axis."),
        "background": ("background", "Load of all other jobs on a job's mounts while it ran."),
        "neighbours": ("neighbours", "Which jobs ran at the same time as a job, when and where."),
        "interference": (
            "interference",
            "Which concurrent jobs slowed a job, when, and by how much.",
        ),
        "advise": ("advise", "What to change about a job or a site, and what that saves."),
        "replay": ("replay", "Simulate the jobs of a period with and without a policy."),
        "matrix": ("matrix", "Which program slowed which, over the whole repository."),
        "predict": ("predict", "By how much loads will slow each other if they run together."),
        "trends": ("trends", "Which programs slow others, and which are slowed, by week."),
        "placement": (
            "placement",
            "Placement of a job in the network, and jobs on the same links.",
        ),
        "nodes": ("nodes", "Which nodes, links and disks are persistently worse than their peers."),
        "targets": ("targets", "Which storage targets are slower than their peers."),
        "estimate": ("estimate", "Time that one run lost to interference, with its confidence."),
        "compare": ("compare", "Why runs of one program took different times."),
        "report": ("report", "Write a report on a job or a study to mail: HTML or PDF."),
        "export": ("export", "Write tables as Parquet, CSV or JSON."),
        "serve": ("serve", "Show jobs in a browser: what slowed them, when, by how much."),
    },
    "Maintain": {
        "overhead": ("overhead", "Measure the overhead of profiling a command."),
        "agent": ("agent", "Record which programs use this machine's cores and disks."),
        "doctor": ("doctor", "Check which functions work on this machine, and how to fix others."),
        "topology": ("topology", "Import and show the networks of the cluster."),
        "site": ("site", "Append digests to job outputs, for a site that profiles all jobs."),
        "repository": ("repository", "Compact the repository, expire old slices, fix damage."),
    },
}
_OWN = {
    verb: (f"jostle.cli.commands.{section.lower()}.{module}", line)
    for section, verbs in SECTIONS.items()
    for verb, (module, line) in verbs.items()
}
#: Verbs of jostle-lab that the documentation mentions.
_OF_THE_LAB = ("demo", "inject", "lab", "signal", "simulate", "study", "validate")


def all_verbs() -> dict[str, tuple[str, str]]:
    """Return module and help line of every verb, with those that other distributions add."""
    return _OWN | {verb: entry for verb, entry in added_verbs().items() if " " not in verb}


class Verbs(click.Group):
    """The group of all verbs, which are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the help text."""
        return [verb for verbs in _all_sections().values() for verb in verbs]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command; None if there is no such verb."""
        entry = _OWN.get(cmd_name) or all_verbs().get(cmd_name)
        return command_of(entry[0]) if entry else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or suggest the one that may have been meant."""
        name = args[0]
        if name in _OWN or name.startswith("-") or name in (verbs := all_verbs()):
            return super().resolve_command(ctx, args)
        close = difflib.get_close_matches(name, verbs, n=3, cutoff=0.6)
        close += [verb for verb in verbs if verb.startswith(name) and verb not in close]
        if name in _OF_THE_LAB:
            raise UsageError(
                f"`{name}` is a verb of jostle-lab, which is not installed.",
                hint="pip install jostle-lab",
            )
        hints = [f"Did you mean `{_join_or(close)}`?"] if close else []
        if not close and shutil.which(name):
            hints.append(f"To profile a command: `jostle run -- {' '.join(args)}`.")
        hints.append("`jostle --help` lists all verbs.")
        raise UsageError(f"There is no verb `{name}`.", hint="\n".join(hints))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs by section, without importing any of them."""
        for section, verbs in _all_sections().items():
            with formatter.section(section):
                formatter.write_dl(list(verbs.items()))


def _all_sections() -> dict[str, dict[str, str]]:
    """Return section -> verb -> line of help; a new section comes before the last one."""
    sections = {
        name: {verb: line for verb, (_, line) in verbs.items()} for name, verbs in SECTIONS.items()
    }
    last, maintain = sections.popitem()
    for extension in extensions():
        for name, verbs in extension.verbs.items():
            place = maintain if name == last else sections.setdefault(name, {})
            place |= {verb: line for verb, (_, line) in verbs.items() if " " not in verb}
    return sections | {last: maintain}


def _join_or(names: Sequence[str]) -> str:
    return "` or `".join(names)


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from jostle import __version__

        click.echo(f"jostle {__version__}")
        ctx.exit()


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="VERB [OPTIONS]",
    epilog="Start with `jostle run -- CMD`.",
)
@click.option(
    "--repository",
    metavar="DIR",
    help="Repository to use [JOSTLE_REPOSITORY, or $XDG_DATA_HOME/jostle].",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context, repository: str | None) -> None:
    """Find out how jobs on a cluster disturb each other: was it my job, or its neighbours?"""
    ctx.obj = {"repository": repository}


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        args: Words after `jostle`; those of the process when None.

    Returns:
        Exit status: 0, 2 for a user's mistake, 1 for a failure, else that of the verb.
    """
    words = list(sys.argv[1:] if args is None else args)
    try:
        result = cli.main(args=words, prog_name="jostle", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return 2
    except click.UsageError as error:
        verb = next((word for word in words if word in all_verbs()), "")  # some have no verb
        context = error.ctx.command_path if error.ctx else f"jostle {verb}".rstrip()
        return _fail(words, _plain(error.format_message()), f"See `{context} --help`.", 2)
    except click.ClickException as error:
        return _fail(words, error.format_message(), "", error.exit_code)
    except JostleError as error:
        return _fail(words, str(error), error.hint, error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("jostle: interrupted", err=True)
        return 130
    except BrokenPipeError:
        return _silence()
    except PermissionError as error:
        return _fail(words, *_closed(error), 2)
    except Exception as error:
        if os.environ.get("JOSTLE_DEBUG"):
            raise
        if why := no_room(error):
            return _full(words, error, why)
        if isinstance(error, OSError) and isinstance(error.filename, str):
            # A read-only folder, a device that fails, ...: not foreseeable.
            message = f"{error.filename}: {error.strerror}."
            return _fail(words, message, "Choose another folder, or look at the disk.", 1)
        message = f"Something broke that should not: {type(error).__name__}: {error}"
        return _fail(words, message, "JOSTLE_DEBUG=1 shows where; please report it.", 1)


def _plain(message: str) -> str:
    """Return a message of click with users' words for its types."""
    message = re.sub("a valid (float|float range)[.]", "a number, such as 7.5.", message)
    return re.sub("a valid (integer|integer range)[.]", "a whole number.", message)


def _full(words: Sequence[str], error: Exception, why: str) -> int:
    """Report that a disk is full: that of the file in the error, else of the output."""
    named = getattr(error, "filename", None)
    if not named:
        _silence()  # Python would try to write the rest of stdout again
    where = os.fsdecode(named) if named else "The output"
    hint = "Free some space there, or write to another disk; then do it again."
    return _fail(words, f"{where} cannot be written: {why}.", hint, 1)


def _closed(error: PermissionError) -> tuple[str, str]:
    """Return the owner of a file without access, and the remedy."""
    from jostle.cli.config import closed_by

    where = Path(os.fsdecode(error.filename or "?"))
    place, owner = closed_by(where)
    return (
        f"{where} cannot be reached: {place} belongs to {owner}.",
        f"Ask {owner}, or choose a folder of your own (--repository, --out, JOSTLE_SPOOL).",
    )


def _silence() -> int:
    """End quietly because the reader of the output (such as `head`) has ended."""
    # Python would report the error again at its exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _fail(words: Sequence[str], message: str, hint: str, exit_code: int) -> int:
    """Report on stderr what went wrong and how to fix it, as JSON with --json."""
    own = words[: words.index("--")] if "--" in words else words
    if "--json" in own:
        error = {"message": message, "fix": hint or None, "exit_code": exit_code}
        click.echo(json.dumps({"error": error}), err=True)
        return exit_code
    from jostle.cli.output import stderr_style

    red, bold, reset = stderr_style("red"), stderr_style("bold"), stderr_style("reset")
    click.echo(f"{red}{bold}jostle:{reset} {message}", err=True)
    for line in hint.splitlines():
        click.echo(f"  {bold}fix:{reset} {line}", err=True)
    return exit_code
