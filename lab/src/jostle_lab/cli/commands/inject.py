"""`jostle inject`: delay calls of a command on purpose, profile it, and log the delays."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from jostle.cli.options import SliceLength, repository_option
from jostle.errors import UsageError
from jostle_lab.inject.rules import (
    GROUPS,
    Delay,
    Rules,
    length_ns,
    parse_calls,
    parse_ranks,
    variables,
)

_EXAMPLES = (
    (
        "delay one in a hundred all-to-all collectives by 10 ms with a standard deviation of 2 ms",
        "jostle inject --calls all-to-all --probability 0.01 --delay gauss:10ms,2ms -- "
        "mpirun -n 4 ./solver",
    ),
    (
        "a file server that is slow in half of each period of 4 s",
        "jostle inject --calls io --delay fixed:2ms --period 4s -- ./program",
    ),
    (
        "rare delays of one rank for ten seconds, some of them very long",
        "jostle inject --calls mpi --ranks 2 --from 10s --until 20s --probability 0.001 "
        "--delay pareto:5ms,1.2,500ms -- mpirun -n 8 ./solver",
    ),
)


class _InjectCommand(click.Command):
    """A command whose help has the sets of calls and examples."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sets of calls that can be delayed, and examples."""
        with formatter.section("Calls"):
            formatter.write_dl(list(GROUPS.items()))
        with formatter.section("Examples"):
            for purpose, line in _EXAMPLES:
                formatter.write(f"  # {purpose}\n  {line}\n")


class _Span(click.ParamType[int]):
    """A type of option for a span of time such as `5s`; its value is in nanoseconds."""

    name = "TIME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the span in nanoseconds."""
        return length_ns(str(value), "span of time", "5s or 250ms")


@click.command(
    "inject",
    cls=_InjectCommand,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--calls", metavar="CALLS", required=True, help="Calls to delay, comma separated; see below."
)
@click.option(
    "--delay",
    metavar="DELAY",
    required=True,
    help="Length of a delay: fixed:5ms; gauss:5ms,1ms (mean, standard deviation); or "
    "pareto:1ms,1.5 (minimum, exponent; a third value is the maximum, otherwise 1000 "
    "times the minimum).",
)
@click.option(
    "--probability",
    type=float,
    metavar="P",
    default=1.0,
    show_default=True,
    help="Probability that a call of these kinds is delayed.",
)
@click.option("--ranks", metavar="LIST", help="Only these ranks of an MPI program: 0,2-3.")
@click.option(
    "--from",
    "from_ns",
    type=_Span(),
    metavar="TIME",
    default="0s",
    help="Begin of the delays, counted from MPI_Init, or from the process's start without MPI.",
)
@click.option(
    "--until",
    "until_ns",
    type=_Span(),
    metavar="TIME",
    help="End of the delays, counted from the same instant as --from.",
)
@click.option(
    "--period",
    "period_ns",
    type=_Span(),
    metavar="TIME",
    help="Delay calls only in a part of each period of this length (wall clock).",
)
@click.option(
    "--duty",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="With --period: share of each period with delays [0.5].",
)
@click.option(
    "--phase", "phase_ns", type=_Span(), metavar="TIME", help="With --period: shift of the periods."
)
@click.option(
    "--place",
    type=click.Choice(("first", "random")),
    help="With --period: position of the delays in a period; random: drawn for each period "
    "[first].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of the random numbers; the same seed gives the same delays.",
)
@click.option("--log", metavar="DIR", help="Folder for the logs of the delays [inject-JOB].")
@click.option("--job", metavar="NAME", help="Name of the job [made from CMD and the time].")
@click.option(
    "--slice",
    "slice_ns",
    type=SliceLength(),
    metavar="LENGTH",
    help="Length of a time slice, 100ms to 60s [JOSTLE_SLICE, or 4s].",
)
@click.option("--keep", is_flag=True, help="Keep the profiles after they are ingested.")
@repository_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the report as one line of JSON on stderr (stdout belongs to CMD).",
)
@click.argument("cmd", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def command(
    calls: str,
    delay: str,
    probability: float,
    ranks: str | None,
    from_ns: int,
    until_ns: int | None,
    period_ns: int | None,
    duty: float | None,
    phase_ns: int | None,
    place: str | None,
    seed: int,
    log: str | None,
    job: str | None,
    slice_ns: int | None,
    keep: bool,
    repository: Path,
    as_json: bool,
    cmd: tuple[str, ...],
) -> int:
    """Profile CMD while some of its MPI and I/O calls are delayed on purpose.

    Each delay lies inside its call, as those of a busy network or file server would, and is logged
    with its instant and real length, so that the lost time is known. In all else this command works
    like `jostle run`.
    """
    from jostle.cli.for_verbs import NameOfRun, RunOptions, job_name, once
    from jostle.names.identity import program_of_command
    from jostle_lab.cli.views.inject import Delays

    if period_ns is None and (duty, phase_ns, place) != (None, None, None):
        raise UsageError(
            "--duty, --phase and --place are parts of a period.", hint="Add --period 4s"
        )
    name = job_name(job, program_of_command(cmd))
    folder = Path(log or f"inject-{name}").expanduser().absolute()
    rules = Rules(
        calls=parse_calls(calls),
        delay=Delay.parse(delay),
        probability=probability,
        seed=seed,
        ranks=parse_ranks(ranks) if ranks else (),
        from_ns=from_ns,
        until_ns=until_ns,
        period_ns=period_ns or 0,
        duty=0.5 if duty is None else duty,
        phase_ns=phase_ns or 0,
        random_place=place == "random",
    )
    delays = Delays(variables(rules, folder), folder)
    try:
        wanted = NameOfRun(name, named=job is not None)
        options = RunOptions(repository, slice_ns, as_json=as_json, keep=keep)
        return once(cmd, wanted, options, delays)
    finally:
        if log is None:
            with suppress(OSError):  # it is not empty, or CMD has removed it
                folder.rmdir()
