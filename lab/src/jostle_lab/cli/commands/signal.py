"""`jostle signal`: starts a program that makes controlled load."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys

import click

from jostle import NativeMissingError
from jostle.errors import UsageError
from jostle.names.mpi_launchers import mpi_of_environment
from jostle_lab.signals import PATTERNS, program

_EXAMPLES = (
    ("one writer for ten seconds, in this folder", "jostle signal open-write-close"),
    (
        "four processes that write chunks of 64 KiB, 1 GiB in total",
        "jostle signal write-seek --processes 4 --chunk 64KiB --volume 1GiB",
    ),
    (
        "periodic noise for a minute: load in half of each period of 6 s",
        "jostle signal aggregate-write --period 6 --time 60 --dir /scratch/me",
    ),
    ("messages between ranks", "mpirun -n 4 jostle signal all-to-all --chunk 64KiB"),
    (
        "one communicator for the probe, one for the noise",
        "mpirun -n 8 jostle signal ping --split --period 4",
    ),
)


class _SignalCommand(click.Command):
    """A command whose help has the patterns, examples, and the options of the program itself."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write patterns, options and examples."""
        for resource, title in (
            ("files", "Patterns: files"),
            ("network", "Patterns: network (start them with mpirun)"),
            ("node", "Patterns: the node itself"),
            ("gpu", "Patterns: an NVIDIA GPU, and the bus to it"),
        ):
            with formatter.section(title):
                formatter.write_dl(
                    [(p.name, p.operation) for p in PATTERNS.values() if p.resource == resource]
                )
        formatter.write("\n" + _program_options())
        with formatter.section("Examples"):
            for purpose, line in _EXAMPLES:
                formatter.write(f"  # {purpose}\n  {line}\n")


def _program_options() -> str:
    """Return the options of the signal program, as that program prints them."""
    try:
        path = program()
    except NativeMissingError as error:
        return f"Options: not known ({error})\n"
    words = [str(path), "--options"]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=10).stdout


@click.command(
    "signal",
    cls=_SignalCommand,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    options_metavar="PATTERN",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[OPTION]...")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> int | None:
    """Make controlled load: a known pattern at known instants, with a log of the load made.

    Without --period the load is sustained; with --period it is active for a part of each period.
    The load begins at a slice boundary, ends cleanly on SIGINT, and leaves only its log.
    """
    if {"-h", "--help"} & set(words):
        click.echo(ctx.get_help())
        return 0
    if not words:
        raise UsageError("Which PATTERN?", hint="`jostle signal --help` lists them.")
    _check_pattern(words[0])
    path = program(mpi_of_environment())
    sys.stdout.flush()
    sys.stderr.flush()
    # The program replaces this process: signals, exit status and terminal are its own.
    os.execv(path, [str(path), *words])
    raise AssertionError("exec came back")


def _check_pattern(name: str) -> None:
    if name in PATTERNS or name.startswith("-"):
        return
    close = difflib.get_close_matches(name, PATTERNS, n=3, cutoff=0.5)
    hints = [f"Did you mean `{'` or `'.join(close)}`?"] if close else []
    hints.append("`jostle signal --help` lists the patterns.")
    raise UsageError(f"There is no pattern `{name}`.", hint="\n".join(hints))
