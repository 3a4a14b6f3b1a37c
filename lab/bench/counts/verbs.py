"""Counts the SQL statements of each subcommand of `jostle` that reads a repository."""

from __future__ import annotations

import contextlib
import io

from counts.figure import Figure, Figures
from counts.injected import injected
from counts.statements import in_short

#: JOB and OTHER are jobs of the repository.
_ASKED = (
    "jobs",
    "jobs --all",
    "digest JOB",
    "digest JOB --segments",
    "timeline JOB",
    "timeline JOB --metric cpu",
    "timeline JOB OTHER",
    "background JOB",
    "neighbours JOB",
    "interference JOB",
    "matrix",
    "trends",
    "top",
    "nodes",
    "estimate JOB",
    "compare JOB OTHER",
    "report JOB --out OUT.html",
    "export jobs --format json --out OUT.json",
    "export slices --format json --out OUT2.json",
    "export JOB --format json --out OUT3.json",
    "study list",
    "topology show",
    "repository check",
)


def measure() -> Figures:
    """Count the statements; return the counts by name."""
    found: Figures = {}
    with injected("verbs") as (repository, jobs, statements):
        from jostle.cli.main import main

        for asked in _ASKED:
            text = asked.replace("JOB", jobs[0]).replace("OTHER", jobs[1])
            text = text.replace("OUT", str(repository.parent / "out"))
            begin, said = len(statements), io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                status = main(["--repository", str(repository), *text.split(), "--json"])
            made = statements[begin:]
            name = asked.partition(" --out")[0]
            found[name if status == 0 else f"{name} (status {status})"] = Figure(
                len(made), in_short(made)
            )
    return found
