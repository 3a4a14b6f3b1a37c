"""`jostle doctor`: what works on this machine, and how to mend the rest."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.options import json_option, repository_option
from jostle.cli.output import emit_json, next_steps, show, table, utf8

_SIGNS = {"ok": ("✓", "+", "green"), "warn": ("!", "!", "yellow"), "fail": ("✗", "x", "red bold")}


@click.command("doctor")
@repository_option
@json_option
def command(repository: Path, as_json: bool) -> int:
    """Check what works on this machine, and how to mend the rest.

    Ends with 1 when something fails, 0 when all is well or only less than it could be.
    """
    from rich.text import Text

    from jostle.cli.checks import all_checks

    findings = []
    frame = table(["=", "=check", "finding"])
    for check in all_checks(repository):
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
        less = f", {warned} with less than there could be" if warned else ""
        show(f"jostle works here{less}.")
        next_steps("jostle demo", "jostle run -- CMD")
    return int(failed > 0)
