"""`jostle doctor`: checks which functions of jostle work on this machine, and how to fix others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.added_verbs import added_verbs
from jostle.cli.options.common import json_option, repository_option
from jostle.cli.output import emit_json, next_steps, show, table, utf8
from jostle.errors import JostleError
from jostle.extensions import named

if TYPE_CHECKING:
    from jostle.cli.doctor.checks import Check

_SIGNS = {"ok": ("✓", "+", "green"), "warn": ("!", "!", "yellow"), "fail": ("✗", "x", "red bold")}


@click.command("doctor")
@click.option(
    "--site",
    is_flag=True,
    help="Check this machine's part of a site (agent, receiver, server), not the installation.",
)
@repository_option
@json_option
def command(site: bool, repository: Path, as_json: bool) -> int:
    """Check which functions of jostle work on this machine, and how to fix the others.

    The exit status is 1 if a check fails, else 0, also if some functions are limited.
    """
    from rich.text import Text

    findings = []
    frame = table(["=", "=check", "finding"])
    for check in _all_checks(repository, site=site):
        findings.append(check)
        wide, plain, style = _SIGNS[check.state]
        text = Text(check.says)
        if check.fix:
            text.append(f"\nfix: {check.fix}", style="bold")
        frame.add_row(Text(wide if utf8() else plain, style=style), check.name, text)
    failed = sum(check.state == "fail" for check in findings)
    if as_json:
        emit_json({"ok": failed == 0, "checks": [vars(check) for check in findings]})
        return int(failed > 0)
    show(frame, "")
    warned = sum(check.state == "warn" for check in findings)
    if failed:
        show(f"{failed} of {len(findings)} checks failed.")
        next_steps("jostle doctor --site" if site else "jostle doctor")
    elif site:
        less = f" {_count_checks(warned)} above." if warned else ""
        show(f"The site's services on this machine work.{less}")
    else:
        less = f" {_count_checks(warned)} above: once fixed, jostle records more about jobs here."
        less = less if warned else ""
        show(f"jostle works here.{less}")
        next_steps(*["jostle demo"] * ("demo" in added_verbs()), "jostle run -- CMD")
    return int(failed > 0)


def _count_checks(number: int) -> str:
    """Return a number of checks as text."""
    return "1 check" if number == 1 else f"{number} checks"


def _all_checks(repository: Path, *, site: bool) -> Iterator[Check]:
    """Run every check; an error in one is a failed check, not a traceback."""
    from jostle.cli.doctor.checks import Check

    for name, check in _of_site(repository) if site else _of_machine(repository):
        try:
            yield check()
        except JostleError as error:
            yield Check(name, "fail", str(error), error.hint)
        except Exception as error:
            yield Check(name, "fail", f"the check itself broke: {error!r}", "report this")


def _of_site(repository: Path) -> Iterator[tuple[str, Callable[[], Check]]]:
    from jostle.cli.doctor.site import Site, site_checks

    return site_checks(Site(repository))


def _of_machine(repository: Path) -> Iterator[tuple[str, Callable[[], Check]]]:
    from jostle.cli.doctor import checks, gpu, mpi

    yield "runtime", checks.check_runtime
    yield "preload", checks.check_preload
    yield "counters", checks.check_counters
    yield "clock", checks.check_clock
    yield "spool", checks.check_spool
    yield "file systems", checks.check_file_systems
    yield "MPI", mpi.check_mpi
    yield "perf events", mpi.check_perf
    yield "PAPI", mpi.check_papi
    yield "GPUs", gpu.check_gpus
    for more in named("checks"):
        yield from more()
    yield "repository", lambda: checks.check_repository(repository)
    yield "fabrics", lambda: checks.check_fabrics(repository)
    yield "settings", checks.check_settings
