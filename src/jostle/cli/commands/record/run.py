"""`jostle run`: profiles a command and all its children, and reports their activity and loss."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from jostle.cli.launch.one_run import RunOptions, once
from jostle.cli.launch.run_names import job_name
from jostle.cli.launch.run_spool import NameOfRun
from jostle.cli.options.ci_reports import check_ci_reports, ci_report_options, write_ci_reports
from jostle.cli.options.common import CoreProbeInterval, SliceLength, repository_option
from jostle.errors import UsageError
from jostle.names.identity import program_of_command


@click.command(
    "run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--job", metavar="NAME", help="Name of the job [made from CMD and the time].")
@click.option(
    "--slice",
    "slice_ns",
    type=SliceLength(),
    metavar="LENGTH",
    help="Length of a time slice, 100ms to 60s [JOSTLE_SLICE, or 4s; shorter if the last run "
    "of CMD took less than about a minute].",
)
@click.option(
    "--core-probe",
    "core_probe_ns",
    type=CoreProbeInterval(),
    metavar="LENGTH",
    help="Interval of the core-speed probe, which times a fixed piece of work, 5ms to 1s "
    "[JOSTLE_CORE_PROBE, or off].",
)
@click.option("--gpu", is_flag=True, help="Record the use of GPUs by CMD: copies, launches, waits.")
@click.option(
    "--live",
    is_flag=True,
    help="Show the activity of CMD and its lost time in the last lines of the terminal, slice by "
    "slice.",
)
@click.option(
    "--on-loss",
    default="",
    metavar="COMMAND",
    help="Run COMMAND in a shell when CMD begins to lose time to other jobs (variables: "
    "JOSTLE_LOSS_*).",
)
@click.option("--keep", is_flag=True, help="Keep the profiles after they are ingested.")
@click.option(
    "--gate",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with status 3 if more than PERCENT of the run time was lost to interference, with 4 "
    "if that is undecided.",
)
@click.option(
    "--retries",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
    help="With --gate: repeat CMD if it was disturbed, at most N times.",
)
@click.option(
    "--output-of",
    type=click.Choice(["accepted", "all"]),
    help="With --retries: print the standard output of the accepted attempt at its end (if "
    "none is accepted, that of the last attempt), or of all attempts as they run "
    "[accepted; in a terminal all].",
)
@click.option(
    "--gate-status",
    type=click.IntRange(1, 254),
    metavar="N",
    help="Exit with status N instead of 3, and N + 1 instead of 4.",
)
@ci_report_options
@click.option(
    "--no-verdict", is_flag=True, help="Do not estimate the loss to interference at the end."
)
@repository_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the report as one line of JSON on stderr (stdout belongs to CMD).",
)
@click.argument("cmd", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def command(
    job: str | None,
    slice_ns: int | None,
    core_probe_ns: int | None,
    gpu: bool,
    live: bool,
    on_loss: str,
    keep: bool,
    gate: float | None,
    retries: int,
    output_of: str | None,
    gate_status: int | None,
    junit: str | None,
    annotate: str | None,
    no_verdict: bool,
    repository: Path,
    as_json: bool,
    cmd: tuple[str, ...],
) -> int:
    """Profile CMD and all processes that it starts; then ingest the profiles, and print a report.

    CMD keeps its terminal, its pipes and its signals; jostle exits with the status of CMD. The
    report is printed on stderr, and ends with the verdict: how much time was lost to interference.
    """
    from jostle.cli.launch.gate import DISTURBED, Gate, HeldOutput, Rewind

    _check_options(gate, retries, output_of, gate_status, live=live, as_json=as_json)
    check_ci_reports(gate, junit, annotate)
    name = job_name(job, program_of_command(cmd))
    limit = None if gate is None else Gate(gate, retries + 1, gate_status or DISTURBED)
    again = Rewind()
    shown = output_of or ("all" if sys.stdout.isatty() else "accepted")
    held = HeldOutput() if retries and shown == "accepted" else None
    options = RunOptions(
        repository,
        slice_ns,
        core_probe_ns,
        gpu,
        live,
        keep,
        not no_verdict,
        as_json,
        on_loss=on_loss,
    )
    try:
        for attempt in range(1, retries + 2):
            wanted = NameOfRun(name, named=job is not None, number=attempt)
            own = replace(options, output=held.descriptor()) if held else options
            status = once(cmd, wanted, own, limit)
            if limit is None or status or not limit.wants_another:
                break
            again.back()
    finally:
        if held:
            held.release()
    if limit is not None:
        write_ci_reports([limit.case(cmd)], junit, annotate)
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
    """Refuse combinations of options without a meaning."""
    if retries and gate is None:
        raise UsageError("--retries needs --gate.", hint="For example: --gate 7.5 --retries 2")
    if output_of and not retries:
        raise UsageError(
            "--output-of needs --retries.",
            hint="For example: --gate 7.5 --retries 2 --output-of all",
        )
    if gate_status and gate is None:
        raise UsageError(
            "--gate-status needs --gate.", hint="For example: --gate 7.5 --gate-status 70"
        )
    if live and as_json:
        raise UsageError(
            "--live and --json both write to standard error.", hint="Leave out one of them."
        )
