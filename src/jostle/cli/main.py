"""The command line's entry: verbs, did-you-mean, and how errors reach the user."""

from __future__ import annotations

import difflib
import importlib
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from jostle.errors import JostleError, UsageError, no_room

#: verb -> (module, line of help), in the order and the sections of the help text.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Record": {
        "run": ("run", "Profile a command and everything it starts."),
        "ingest": ("ingest", "Take profiles from spools into the repository."),
        "receive": ("receive", "Take what the nodes of a site send, and ingest it."),
    },
    "Look": {
        "jobs": ("jobs", "List the jobs of the repository."),
        "digest": ("digest", "What one job did: MPI, I/O, time; what to look at next."),
        "timeline": ("timeline", "Draw jobs slice by slice on one time axis."),
        "background": ("background", "What all other jobs did on a job's mounts meanwhile."),
        "neighbours": ("neighbours", "Who ran when and where beside a job."),
        "interference": ("interference", "Which neighbours slowed a job, when, and how much."),
        "matrix": ("matrix", "Which program slowed which, over the whole repository."),
        "trends": ("trends", "Which programs disturb and which suffer, week by week."),
        "placement": ("placement", "Where a job sits in the network, and who may use its links."),
        "nodes": ("nodes", "Which nodes, links and disks are lastingly worse than their peers."),
        "estimate": ("estimate", "What interference cost one run, and whether to trust it."),
        "compare": ("compare", "Why runs of one program took different times."),
        "report": ("report", "Write one file to mail about a job or a study: HTML or PDF."),
        "export": ("export", "Write tables as Parquet, CSV or JSON."),
        "serve": ("serve", "Show jobs in a browser: what disturbed them, when, by how much."),
    },
    "Experiment": {
        "signal": ("signal", "Make controlled load at known instants, with a log of what it did."),
        "lab": ("lab", "A small cluster on this machine, to run jobs and experiments on."),
        "inject": ("inject", "Delay calls of a command on purpose, with a log of every delay."),
        "study": ("study", "Run probe/signal experiments: which program slows which."),
        "validate": ("validate", "Measure how accurate estimates are, where the loss is known."),
        "simulate": ("simulate", "Make data of a site that does not exist, with the truth."),
    },
    "Care": {
        "overhead": ("overhead", "What profiling costs a command: alternating runs."),
        "agent": ("agent", "Record this machine between runs, too: who uses its cores and disks."),
        "doctor": ("doctor", "Check what works on this machine, and how to mend it."),
        "demo": ("demo", "Watch a neighbour slow a program, in a minute or two."),
        "topology": ("topology", "Tell jostle about the cluster's networks; show them."),
        "site": ("site", "Digests at the end of jobs, for a site that profiles all of them."),
        "repository": ("repository", "Compact the repository, expire old slices, mend damage."),
    },
}
VERBS = {verb: entry for section in SECTIONS.values() for verb, entry in section.items()}


class Verbs(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the help text."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command; None when there is no such verb."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"jostle.cli.commands.{VERBS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or say which one may have been meant."""
        name = args[0]
        if name in VERBS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        close = difflib.get_close_matches(name, VERBS, n=3, cutoff=0.6)
        close += [verb for verb in VERBS if verb.startswith(name) and verb not in close]
        hints = [f"Did you mean `{_join_or(close)}`?"] if close else []
        if not close and shutil.which(name):
            hints.append(f"To profile a command: `jostle run -- {' '.join(args)}`.")
        hints.append("`jostle --help` lists all verbs.")
        raise UsageError(f"There is no verb `{name}`.", hint="\n".join(hints))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs by section, without importing any of them."""
        for section, verbs in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(verb, entry[1]) for verb, entry in verbs.items()])


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
    epilog="Start with `jostle demo`, or `jostle run -- CMD`.",
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
    help="Print the version and leave.",
)
@click.pass_context
def cli(ctx: click.Context, repository: str | None) -> None:
    """Watch every job at once, on one clock: was it me, or the neighbours?"""
    ctx.obj = {"repository": repository}


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        args: Words after `jostle`; those of the process when None.

    Returns:
        Exit status: 0, 2 for a user's mistake, 1 for a failure, else what the verb says.
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
        verb = next((word for word in words if word in VERBS), "")  # some errors know no verb
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
    """Return a message of click with words for its types that users know."""
    message = re.sub("a valid (float|float range)[.]", "a number, such as 7.5.", message)
    return re.sub("a valid (integer|integer range)[.]", "a whole number.", message)


def _full(words: Sequence[str], error: Exception, why: str) -> int:
    """Report that a disk is full: that of the file which the error names, else of the output."""
    named = getattr(error, "filename", None)
    if not named:
        _silence()  # Python would write the rest of stdout again, and fail again
    where = os.fsdecode(named) if named else "The output"
    hint = "Free some space there, or write to another disk; then do it again."
    return _fail(words, f"{where} cannot be written: {why}.", hint, 1)


def _closed(error: PermissionError) -> tuple[str, str]:
    """Return who owns the file that we may not access, and what to do."""
    from jostle.cli.config import closed_by

    where = Path(os.fsdecode(error.filename or "?"))
    place, owner = closed_by(where)
    return (
        f"{where} cannot be reached: {place} belongs to {owner}.",
        f"Ask {owner}, or choose a folder of your own (--repository, --out, JOSTLE_SPOOL).",
    )


def _silence() -> int:
    """End quietly because the reader of our output (say `head`) has seen enough."""
    # Python would complain once more at its exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _fail(words: Sequence[str], message: str, hint: str, exit_code: int) -> int:
    """Say on stderr what went wrong and how to mend it, as JSON where --json was asked for."""
    own = words[: words.index("--")] if "--" in words else words
    if "--json" in own:
        error = {"message": message, "mend": hint or None, "exit_code": exit_code}
        click.echo(json.dumps({"error": error}), err=True)
        return exit_code
    from jostle.cli.output import stderr_style

    red, bold, reset = stderr_style("red"), stderr_style("bold"), stderr_style("reset")
    click.echo(f"{red}{bold}jostle:{reset} {message}", err=True)
    for line in hint.splitlines():
        click.echo(f"  {bold}mend:{reset} {line}", err=True)
    return exit_code
