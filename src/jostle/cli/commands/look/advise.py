"""`jostle advise`: what to change about a job or a site, what that saves, and at whose cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.next_step import steps
from jostle.cli.options.as_user import as_user_option
from jostle.cli.options.common import (
    complete_job,
    json_option,
    open_repository,
    repository_flag,
    repository_option,
    seed_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.report.models.job.evidence import as_json as evidence_json
from jostle.report.models.job.evidence import require, rests_on
from jostle.report.verdict.advice import advice_on
from jostle.report.verdict.site_advice import DAYS

if TYPE_CHECKING:
    from jostle.repository import Repository


@click.command("advise")
@click.argument("job", metavar="[JOB]", required=False, shell_complete=complete_job)
@click.option(
    "--site", "of_site", is_flag=True, help="Give advice on the whole site, for its operator."
)
@click.option(
    "--days",
    type=click.IntRange(1, 366),
    metavar="N",
    help=f"With --site: evaluate the jobs of the last N days; default {DAYS}.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["slurm", "json"]),
    help="With --site: write the advice for a scheduler: the table of job_submit.lua, or JSON.",
)
@as_user_option
@seed_option
@repository_option
@json_option
def command(
    job: str | None,
    of_site: bool,
    days: int | None,
    form: str | None,
    viewer: int | None,
    seed: int,
    repository: Path,
    as_json: bool,
) -> None:
    """Show what to change about JOB or a site, what that would save, and at whose cost.

    Each piece of advice has a text to paste, the predicted saving with an interval, and conditions
    in which not to follow it. If no change would help, the output says so. JOB is a name, the
    beginning of one, or `last`. With --site the advice is for the operator, and names the programs
    whose jobs would be delayed; with --as-user, only the sums over that user's own jobs are shown.
    """
    _check(job, of_site, days, form, viewer)
    store = open_repository(repository)
    if job is None:
        _site(store, days or DAYS, form, viewer, seed, as_json=as_json)
        flag = repository_flag(repository)
        if not (as_json or form):
            next_steps(*steps("advise", "a site", flag=flag, viewer=viewer))
        return
    name = store.resolve_job(job, owner=viewer)
    require(store, [name], "verdict")
    with Bar("comparing slices", quiet=as_json):
        given = advice_on(store, name, seed=seed, viewer=viewer)
    evidence = rests_on(store, [name], "verdict")
    if as_json:
        emit_json(given.to_json() | evidence_json(evidence))
        return
    from jostle.cli.views.advice.advise import advice_view

    show(*advice_view(given), *evidence)
    flag = repository_flag(repository)
    next_steps(*steps("advise", "a job", name, flag=flag, viewer=viewer))


def _check(
    job: str | None, of_site: bool, days: int | None, form: str | None, viewer: int | None
) -> None:
    """Refuse combinations of options that are not valid.

    Raises:
        UsageError: The combination is not valid.
    """
    if of_site == (job is not None):
        raise UsageError(
            "Neither a job nor --site is given.",
            hint="Name a job (`jostle jobs` lists them), or use `jostle advise --site`.",
        )
    if job is not None and (days or form):
        raise UsageError(
            "--days and --format need --site.", hint="Add --site, or leave these options out."
        )
    if form and viewer is not None:
        raise UsageError(
            "The advice for a scheduler is made for the operator, not for a user.",
            hint="Leave out --as-user or --format.",
        )


def _site(
    store: Repository, days: int, form: str | None, viewer: int | None, seed: int, *, as_json: bool
) -> None:
    from jostle.analysis.site_advice import recommend_site, site_sums
    from jostle.report.verdict.site_advice import evaluated_costs, site_evidence

    with Bar("evaluating jobs", quiet=bool(as_json or form)) as bar:
        evidence = site_evidence(
            store,
            days,
            lambda name: evaluated_costs(store, name, viewer, seed),
            user=None if viewer is None else {viewer},
            say=bar.advance,
        )
        sums = None if viewer is None else site_sums(evidence)
        advice = recommend_site(evidence) if sums is None else None
    if form and advice:
        from jostle.report.format.scheduler_policy import policy_json, slurm_policy

        if form == "slurm":
            click.echo(slurm_policy(advice), nl=False)
        else:
            emit_json(policy_json(advice))
        return
    given = sums or advice
    assert given is not None
    if as_json:
        emit_json(given.to_json())
        return
    from jostle.cli.views.advice.site_advice import site_advice_view, site_sums_view

    show(*(site_sums_view(sums) if sums else site_advice_view(advice) if advice else ()))
