"""Rules out jobs without a detectable effect, or states why they could not be tested.

To rule a job out needs evidence: slices that would have shown a loss, or an account. For the other
jobs the result states why they could not be tested, and what would decide it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jostle.analysis.identification.model import RUN_WITHOUT_IT, CoreAccount, Untested
from jostle.analysis.identification.statistics.evaluation import Evaluation
from jostle.analysis.identification.statistics.evidence import FEWEST
from jostle.analysis.identification.statistics.resource_tests import (
    LEVEL,
    MOST,
    blind,
    shorter_slices,
)

#: Part of the run: on a resource on which the job spent less, nobody can have cost it time.
_LEAST = 0.01
#: Part of the run: a test that can detect only greater losses rules nobody out.
_UNSEEN = 1 / 3


@dataclass(frozen=True)
class RuledOut:
    """The jobs that are no suspects: those ruled out, and those that could not be tested.

    Attributes:
        ruled_out: For each job without a detectable effect, the reason why it is no suspect.
        untested: For each job of which it is not known whether it had an effect, the reason.
    """

    ruled_out: dict[str, str]
    untested: dict[str, Untested]


def ruled_out(
    evaluations: Sequence[Evaluation],
    accounts: Sequence[CoreAccount],
    suspects: Collection[str],
    apart: Mapping[str, str | Untested],
    run_s: float,
) -> RuledOut:
    """Return for every neighbour that is no suspect why it is none.

    If this job shares several resources with a neighbour, the reason comes from the resource on
    which this job spent most time. But if the neighbour could not be tested on one of them, that is
    the reason.

    Args:
        evaluations: Evaluations of the resources.
        accounts: For nodes whose cores were accounted for, the account, which replaces the test.
        suspects: Jobs that are suspects.
        apart: For each neighbour that was tested on no link of this job's messages, a sentence that
            says why it did no harm there, or why it is not known whether it did.
        run_s: Length of the run, seconds.
    """
    reasons: dict[str, str] = {}
    untested: dict[str, Untested] = {}
    by_host = {account.host: account for account in accounts}
    for evaluation in sorted(evaluations, key=lambda each: -each.test.own_s):
        resource = evaluation.test.resource
        for job in resource.loads:
            if job in suspects or job in resource.servers:
                continue
            if resource.name in by_host and resource.kind == "node":
                reasons.setdefault(job, _by_account(by_host[resource.name], job))
                continue
            why_not = _untested(evaluation, job, run_s)
            if why_not is not None:
                untested.setdefault(job, why_not)
            else:
                reasons.setdefault(job, _reason(evaluation, job, run_s))
        for job in set(resource.apart) - set(suspects):
            reasons.setdefault(job, f"On {resource.name} it used other storage targets.")
    for job, reason in _elsewhere(accounts, {*suspects, *reasons, *untested}):
        reasons.setdefault(job, reason)
    for job in set(apart) - set(suspects):
        why = apart[job]
        if isinstance(why, Untested):
            untested.setdefault(job, why)
        else:
            reasons[job] = f"{reasons.get(job, '')} {why}".strip()
    cleared = {job: why for job, why in sorted(reasons.items()) if job not in untested}
    return RuledOut(cleared, dict(sorted(untested.items())))


def _elsewhere(
    accounts: Sequence[CoreAccount], known: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield neighbours that only an account of cores contains, with the reason from the account."""
    for account in accounts:
        for part in account.parts:
            if part.kind == "job" and part.name not in known:
                yield part.name, _by_account(account, part.name)


def _by_account(account: CoreAccount, job: str) -> str:
    """Return from an account of cores how small a job's part of the waiting is, as a sentence."""
    took = sum(
        part.seconds.value for part in account.parts if part.kind == "job" and part.name == job
    )
    share = took / account.waited_s if account.waited_s > 0 else 0.0
    return (
        f"By account it had the cores of {account.host} for {share:.1%} of the time for which this "
        "job waited for them."
    )


def _untested(evaluation: Evaluation, job: str, run_s: float) -> Untested | None:
    """Return why it is not known whether a neighbour did harm on a resource; None: it is known."""
    test = evaluation.test
    where = test.resource.place(job)
    if test.own_s < _LEAST * run_s or job in test.little or job in evaluation.together:
        return None
    if test.slices < FEWEST:
        return Untested(
            f"too few slices on {where}: {test.slices} of {FEWEST} that are needed",
            shorter_slices(test),
        )
    if job not in test.tests:
        return Untested(
            f"of all jobs on {where} only the {MOST} with most load were tested", RUN_WITHOUT_IT
        )
    if test.tests[job].alike:
        return Untested(
            f"its load on {where} never changed, or changed with the job's own phases",
            RUN_WITHOUT_IT,
        )
    if blind(test) or test.tests[job].smallest > LEVEL:
        return Untested(
            f"too few slices on {where} to distinguish its load from chance", shorter_slices(test)
        )
    if test.smallest_s > _UNSEEN * run_s:
        return Untested(
            f"a loss of less than {test.smallest_s:.3g} s on {where} would not show in this run",
            RUN_WITHOUT_IT,
        )
    return None


def _reason(evaluation: Evaluation, job: str, run_s: float) -> str:
    test = evaluation.test
    where = test.resource.place(job)
    if job in test.little:
        return f"Its load was only {test.little[job]:.1%} of all load on {where}."
    if job in evaluation.together:
        return (
            f"It was active on {where} together with {evaluation.together[job]}, whose load "
            "explains the slow slices better."
        )
    if test.own_s < _LEAST * run_s:
        return f"This job spent only {test.own_s:.2g} s on {where}: too little to lose time there."
    found = test.tests[job]
    if found.correlation > 0 and found.p <= LEVEL:
        return (
            f"The service time on {where} follows its load (p = {found.p:.2g}), but not more "
            "than chance makes likely among all that were tested, or at no visible loss."
        )
    return (
        f"The job's calls on {where} were no slower when its load was higher (p = {found.p:.2g})."
    )
