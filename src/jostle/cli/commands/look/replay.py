"""`jostle replay`: simulates the jobs of a period with and without a policy."""

from __future__ import annotations

from pathlib import Path

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import (
    json_option,
    open_repository,
    repository_flag,
    repository_option,
    seed_option,
)
from jostle.cli.output import emit_json, next_steps, show
from jostle.cli.progress import Bar
from jostle.report.verdict.site_advice import DAYS

#: The policy that `jostle advise --site` would write for the same period.
_ADVICE = "advice"


@click.command("replay")
@click.option(
    "--policy",
    metavar="P",
    default=_ADVICE,
    show_default=True,
    help="Policy: a file written by `jostle advise --site --format slurm`, or `advice` for the "
    "present advice.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 366),
    default=DAYS,
    show_default=True,
    metavar="N",
    help="Replay the jobs of the last N days.",
)
@click.option(
    "--cores",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of cores of the site [those of the nodes with an agent].",
)
@seed_option
@repository_option
@json_option
def command(
    policy: str, days: int, cores: int | None, seed: int, repository: Path, as_json: bool
) -> None:
    """Simulate the scheduling of the recorded jobs, with and without a policy.

    The output shows the core hours that the policy would have saved, with an interval, and how long
    jobs would have waited. Jobs start in the recorded order, and slow each other as measured.
    """
    from jostle.analysis.site_advice import policy_of, recommend_site, replay
    from jostle.files.regular_files import read_regular
    from jostle.report.format.scheduler_policy import read_policy
    from jostle.report.verdict.site_advice import evaluated_costs, site_evidence

    chosen = None
    if policy != _ADVICE:
        try:
            chosen = read_policy(read_regular(Path(policy)).decode("utf-8", "replace"), policy)
        except OSError as error:
            raise click.BadParameter(f"{policy} cannot be read ({error.strerror}).") from error
    store = open_repository(repository)
    with Bar("evaluating jobs", quiet=as_json) as bar:
        evidence = site_evidence(
            store, days, lambda name: evaluated_costs(store, name, seed=seed), say=bar.advance
        )
    rules = chosen or policy_of(recommend_site(evidence))
    with Bar("replaying", quiet=as_json):
        result = replay(evidence, rules, cores=cores, seed=seed)
    if as_json:
        emit_json(result.to_json() | {"policy": {n: list(w) for n, w in rules.programs.items()}})
        return
    from jostle.cli.views.advice.replay import replay_view

    show(*replay_view(result, rules))
    next_steps(*steps("replay", "a period", flag=repository_flag(repository)))
