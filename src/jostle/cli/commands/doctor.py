"""`jostle doctor`: what works on this machine, and how to mend the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.options.common import json_option, repository_option
from jostle.cli.output import emit_json, next_steps, show, table, utf8
from jostle.errors import JostleError

if TYPE_CHECKING:
    from jostle.cli.doctor.checks import Check

_SIGNS = {"ok": ("✓", "+", "green"), "warn": ("!", "!", "yellow"), "fail": ("✗", "x", "red bold")}


@click.command("doctor")
@repository_option
@json_option
def command(repository: Path, as_json: bool) -> int:
    """Check what works on this machine, and how to mend the rest.

    Ends with 1 when something fails, 0 when all is well or only less than it could be.
    """
    from rich.text import Text

    findings = []
    frame = table(["=", "=check", "finding"])
    for check in _all_checks(repository):
        findings.append(check)
        wide, plain, style = _SIGNS[check.state]
        text = Text(check.says)
        if check.mend:
            text.append(f"\nmend: {check.mend}", style="bold")
        frame.add_row(Text(wide if utf8() else plain, style=style), check.name, text)
    failed = sum(check.state == "fail" for check in findings)
    if as_json:
        emit_json({"ok": failed == 0, "checks": [vars(check) for check in findings]})
        return int(failed > 0)
    show(frame, "")
    warned = sum(check.state == "warn" for check in findings)
    if failed:
        show(f"{failed} of {len(findings)} checks failed.")
        next_steps("jostle doctor")
    else:
        checks = "1 check" if warned == 1 else f"{warned} checks"
        less = f" {checks} above: this machine could tell more about jobs." if warned else ""
        show(f"jostle works here.{less}")
        next_steps("jostle demo", "jostle run -- CMD")
    return int(failed > 0)


def _all_checks(repository: Path) -> Iterator[Check]:
    """Run every check; one that breaks is a failed check, never a traceback."""
    from jostle.cli.doctor import checks, mpi
    from jostle.cli.doctor import lab as checks_lab

    every: tuple[tuple[str, Callable[[], Check]], ...] = (
        ("runtime", checks.check_runtime),
        ("preload", checks.check_preload),
        ("counters", checks.check_counters),
        ("clock", checks.check_clock),
        ("spool", checks.check_spool),
        ("file systems", checks.check_file_systems),
        ("MPI", mpi.check_mpi),
        ("perf events", mpi.check_perf),
        ("PAPI", mpi.check_papi),
        ("lab", checks_lab.check_lab),
        ("repository", lambda: checks.check_repository(repository)),
        ("settings", checks.check_settings),
    )
    for name, check in every:
        try:
            yield check()
        except JostleError as error:
            yield checks.Check(name, "fail", str(error), error.hint)
        except Exception as error:
            yield checks.Check(name, "fail", f"the check itself broke: {error!r}", "report this")
