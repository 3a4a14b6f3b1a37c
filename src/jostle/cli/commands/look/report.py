"""`jostle report`: writes one file about a job or a study that can be mailed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from jostle.cli.options.as_user import as_user_option
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.extensions import named
from jostle.files.default_repository import default_repository
from jostle.report.format.values import byte_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jostle.plot.document.document import Document
    from jostle.report.verdict.verdict import EvaluatedJob
    from jostle.repository import Repository

#: Most parts of a batch job that a report shows in full.
_MOST_PARTS = 6
_LIGHTS = ("green", "yellow", "red")
_ENDINGS = {".html": "html", ".htm": "html", ".pdf": "pdf"}


def _complete(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the name of a job or a study; none if there is no repository."""
    path = ctx.params.get("repository") or default_repository()
    try:
        studies = open_repository(Path(path)).studies()
    except Exception:  # a completion reports no errors
        studies = []
    named = [CompletionItem(name) for name in studies if name.startswith(begun)]
    return complete_job(ctx, param, begun) + named


@click.command("report")
@click.argument("what", metavar="JOB|STUDY", shell_complete=_complete)
@click.option(
    "-o", "--out", metavar="FILE", help="File to write, .html or .pdf [./JOB.html, ./STUDY.html]."
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@as_user_option
@repository_option
@json_option
def command(
    what: str, out: str | None, force: bool, viewer: int | None, repository: Path, as_json: bool
) -> None:
    """Write one file about a job or a study that can be mailed: HTML, or PDF to print.

    The report on a job contains the verdict, when and by which jobs it was slowed, its activity,
    advice what to examine next, and what was not measured: the numbers of `estimate`,
    `interference` and `digest`. The report on a study contains the output of `study show` and its
    figures. The file needs no other files and no network. JOB is a name, the beginning of one,
    `last`, or the number of a batch job: its report shows the whole, then the parts that ran
    longest.
    """
    if out is not None:
        _check_file(Path(out), force=force)
    store = open_repository(repository)
    others = {name: lay_out for part in named("reports") for name, lay_out in part(store).items()}
    if what in others:
        document = others[what](viewer, repository_flag(repository), quiet=as_json)
    else:
        document = _job(store, what, viewer, repository, quiet=as_json)
    path = Path(out) if out is not None else _default_file(document.name)
    if out is None:
        _check_file(path, force=force)
    data = _drawn(document, path, quiet=as_json)
    path.write_bytes(data)
    if as_json:
        emit_json(
            {
                "file": str(path.absolute()),
                "bytes": len(data),
                "title": document.title,
                "light": document.light if document.light in _LIGHTS else None,
                "verdict": document.verdict,
                "parts": [part.title for part in document.parts],
            }
        )
        return
    show(f"{document.title}, {byte_count(len(data))}: {path.absolute()}")
    flag, seen = repository_flag(repository), _seen(viewer)
    if document.kind == "Study":
        next_steps(f"jostle study show{flag} {document.name} --plot DIR")
    else:
        next_steps(
            f"jostle interference{flag}{seen} {document.name}",
            f"jostle serve{flag} {document.name}",
        )


def _seen(viewer: int | None) -> str:
    return f" --as-user {viewer}" if viewer is not None else ""


def _default_file(name: str) -> Path:
    from jostle.plot.charts.labels import slug

    return Path(f"{slug(name)}.html")


def _check_file(path: Path, *, force: bool) -> None:
    """Refuse a file that cannot become a report, before any work is done.

    Raises:
        UsageError: Its ending is neither .html nor .pdf, it already exists, or it cannot be
            written.
    """
    if path.suffix.lower() not in _ENDINGS:
        raise UsageError(
            f"`{path}` ends in neither .html nor .pdf.", hint="For example: -o report.html"
        )
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"The folder {folder} does not exist.", hint=f"mkdir -p {folder}")
    if path.is_dir():
        raise UsageError(f"`{path}` is a folder.", hint=f"-o {path / 'report.html'}")
    if path.exists() and not force:
        raise UsageError(
            f"{path} already exists.", hint="Add --force, or name a different file with --out."
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(
            f"{path} cannot be written by you.", hint="Name a file in a different folder with -o."
        )


def _job(
    store: Repository, what: str, viewer: int | None, repository: Path, *, quiet: bool
) -> Document:
    """Evaluate a job, or a batch job part by part, and lay out its report."""
    from jostle.report.verdict.verdict import USUAL, evaluate_job

    name, *more = store.resolve_parts(what, owner=viewer)
    flag = repository_flag(repository)
    if more:
        return _batch(store, [name, *more], viewer, flag, quiet=quiet)
    with Bar(f"estimating {name}", quiet=quiet) as bar:
        evaluated_job = evaluate_job(store, name, USUAL, viewer=viewer, say=bar.advance)
    return _of_one(store, evaluated_job, viewer, flag, quiet=quiet)


def _batch(
    store: Repository, parts: Sequence[str], viewer: int | None, flag: str, *, quiet: bool
) -> Document:
    """Evaluate a batch job and lay out its report: the whole, then the parts that ran longest."""
    from jostle.cli.views.report import batch_document
    from jostle.report.models.batch_jobs import batch_row
    from jostle.report.models.job.scheduler import scheduler_facts
    from jostle.report.verdict.batch_loss import batch_loss

    evaluated: list[EvaluatedJob] = []
    with Bar("estimating", quiet=quiet) as bar:
        row = batch_row(store, parts)
        loss = batch_loss(store, row, viewer=viewer, say=bar.advance, keep=evaluated.append)
        facts = scheduler_facts(store, row)
    evaluated.sort(key=lambda each: each.estimate.start_ns - each.estimate.end_ns)
    documents = {
        each.estimate.job: _of_one(store, each, viewer, flag, quiet=quiet)
        for each in evaluated[:_MOST_PARTS]
    }
    return batch_document(row, facts, loss, documents)


def _of_one(
    store: Repository, evaluated_job: EvaluatedJob, viewer: int | None, flag: str, *, quiet: bool
) -> Document:
    """Lay out the report on one job."""
    from jostle.analysis import digest
    from jostle.analysis.digest.among_runs import others_of
    from jostle.cli.views.report import job_document
    from jostle.report.models.job.among_runs import figures_of, runs_of

    name = evaluated_job.estimate.job
    with Bar("reading slices", quiet=quiet):
        did = digest(store.job_tables(name))
        rows = runs_of(store, name)
        if viewer is not None:
            rows = {job: row for job, row in rows.items() if row["uid"] == viewer}
        among = figures_of(store, rows, name)
    seen, names = _seen(viewer), others_of(rows, name)[0]
    another = [
        (f"jostle compare{flag} {name} {run}", "Why another run took another time:")
        for run in names[:1]
    ]
    return job_document(
        evaluated_job,
        did,
        among,
        [
            (f"jostle estimate{flag}{seen} {name}", "The verdict, with all causes and clusters:"),
            (f"jostle interference{flag}{seen} {name}", "Who slowed it, on what, and when:"),
            (f"jostle digest{flag} {name}", "What it did, rank by rank and mount by mount:"),
            *another,
            (f"jostle serve{flag} {name}", "The same in a browser, to zoom in:"),
        ],
    )


def _drawn(document: Document, path: Path, *, quiet: bool) -> bytes:
    """Draw a report in the form of the file's ending."""
    from jostle.plot.document.document import pictures
    from jostle.plot.document.html import html
    from jostle.plot.document.pdf import pdf

    number = sum(1 for _ in pictures(document))
    with Bar("drawing", quiet=quiet) as bar:

        def say(done: int, title: str) -> None:
            bar.advance(done, number, title)

        if _ENDINGS[path.suffix.lower()] == "pdf":
            return pdf(document, say)
        return html(document, say).encode("utf-8", "replace")
