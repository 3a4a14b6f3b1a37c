"""The options `--junit` and `--annotate`: reports of a gate for CI pipelines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from jostle.errors import JostleError, UsageError

if TYPE_CHECKING:
    from jostle.ci.reports import Case

F = TypeVar("F", bound=Callable[..., Any])
#: GitLab requires a file for each entry; every project on GitLab has this one.
_GITLAB_FALLBACK = ".gitlab-ci.yml"


def ci_report_options(function: F) -> F:
    """Add `--junit` and `--annotate`."""
    annotate = click.option(
        "--annotate",
        type=click.Choice(["github", "gitlab"]),
        help="With --gate: show the finding in the CI pipeline. github: print workflow commands on "
        "stderr; gitlab: write the report gl-code-quality-report.json.",
    )
    return annotate(
        click.option(
            "--junit", metavar="FILE", help="With --gate: write the finding as JUnit XML."
        )(function)
    )


def check_ci_reports(gate: float | None, junit: str | None, annotate: str | None) -> None:
    """Refuse these options without `--gate`.

    Raises:
        UsageError: A report was requested without `--gate`.
    """
    for option, value in (("--junit", junit), ("--annotate", annotate)):
        if value is not None and gate is None:
            raise UsageError(
                f"{option} needs --gate.", hint=f"For example: --gate 7.5 {option} {value}"
            )


def write_ci_reports(cases: Sequence[Case], junit: str | None, annotate: str | None) -> None:
    """Write the requested reports.

    Args:
        cases: The findings, at least one.
        junit: The file of `--junit`.
        annotate: The value of `--annotate`.

    Raises:
        JostleError: A report cannot be written.
    """
    if junit is None and annotate is None:
        return
    from jostle.ci import reports

    if junit is not None:
        _write(Path(junit), reports.junit(cases))
    if annotate == "github":
        for line in reports.github(cases):
            click.echo(line, err=True)
    if annotate == "gitlab":
        _write(Path(reports.GITLAB_FILE), reports.gitlab(cases, _GITLAB_FALLBACK).encode())


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise JostleError(
            f"{path} cannot be written: {error.strerror}.", hint="Name a different file."
        ) from error
