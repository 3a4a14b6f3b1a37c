"""Suggests the next command after each verb, from a table of findings and commands.

The verbs about a job form a path: `run`, `digest`, `estimate`, `interference`, the page. A verb
only leads to verbs after it in `PATH`, so that hints never lead in a circle. Commands that start
the path again (another run, profiles that are not ingested yet) are in `ANEW`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.report.verdict.verdict import EvaluatedJob

#: Verbs in the order in which they are shown.
PATH = (
    "run",
    "inject",
    "lab exec",
    "simulate site",
    "ingest",
    "receive",
    "import",
    "jobs",
    "top",
    "wait-until-quiet",
    "trends",
    "matrix",
    "nodes",
    "targets",
    "digest",
    "estimate",
    "compare",
    "neighbours",
    "placement",
    "interference",
    "advise",
    "predict",
    "replay",
    "timeline",
    "background",
    "serve",
)
#: Commands that may follow any verb, since they use new data.
ANEW = ("run --slice 250ms -- CMD", "run -- CMD", "ingest SPOOL", "demo", "agent start")

#: Verb -> finding -> the commands to try next, in order. JOB, OTHERS, ANOTHER_RUN
#: (of the same program) and SPOOL are filled in; commands about a missing run are left out.
TABLE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "run": {
        "a verdict": ("estimate JOB", "digest JOB"),
        "a loss with suspects": ("interference JOB", "serve JOB"),
        "a loss": ("estimate JOB", "agent start"),
        "no verdict": ("digest JOB", "timeline JOB"),
    },
    "lab exec": {"a job": ("digest JOB", "estimate JOB")},
    "ingest": {"jobs": ("jobs",), "nothing": ("run -- CMD",)},
    "receive": {"posts": ("jobs", "serve")},
    "import": {
        "jobs": ("jobs", "matrix"),
        "machines": ("timeline --node NODE", "nodes"),
        "nothing": ("run -- CMD",),
    },
    "jobs": {"jobs": ("digest JOB", "estimate JOB"), "nothing": ("run -- CMD", "demo")},
    "top": {"jobs": ("interference JOB", "serve"), "nothing": ("run -- CMD",)},
    "wait-until-quiet": {"a place": ("run -- CMD", "serve")},
    "matrix": {
        "jobs": ("interference JOB", "serve"),
        "no pair": ("run -- CMD", "serve"),
        "nothing": ("run -- CMD",),
    },
    "trends": {"programs": ("matrix", "serve"), "nothing": ("run -- CMD",)},
    "nodes": {
        "differences": ("timeline --node NODE", "serve"),
        "none": ("serve",),
        "nothing": ("agent start", "serve"),
    },
    "targets": {"targets": ("serve",), "nothing": ("serve",)},
    "digest": {
        "slices": ("estimate JOB", "timeline JOB"),
        "slices of MPI": ("estimate JOB", "timeline JOB --metric communication"),
        "no slices": ("timeline JOB", "serve JOB"),
        "an imported job": ("interference JOB", "timeline JOB"),
        "a spool": ("ingest SPOOL",),
    },
    "estimate": {
        "a loss with suspects": ("interference JOB", "serve JOB"),
        "a loss": ("compare JOB ANOTHER_RUN", "serve JOB"),
        "no loss": ("serve JOB", "compare JOB ANOTHER_RUN"),
        "too few slices": ("run --slice 250ms -- CMD", "serve JOB"),
        "undecided": ("compare JOB ANOTHER_RUN", "serve JOB"),
        "a spool": ("ingest SPOOL",),
    },
    "compare": {"runs": ("interference JOB", "serve JOB")},
    "neighbours": {
        "neighbours": ("interference JOB", "timeline JOB OTHERS"),
        "nobody": ("serve JOB",),
    },
    "placement": {
        "company": ("interference JOB", "serve JOB"),
        "alone": ("serve JOB",),
        "runs": ("interference JOB", "serve JOB"),
    },
    "interference": {
        "suspects": ("advise JOB", "serve JOB"),
        "no suspects": ("serve JOB", "timeline JOB"),
        "a whole run": ("timeline JOB", "background JOB"),
    },
    "advise": {"a job": ("serve JOB", "timeline JOB"), "a site": ("replay", "serve")},
    "predict": {"loads": ("serve",)},
    "replay": {"a period": ("serve",)},
    "simulate site": {"victims": ("interference JOB", "matrix"), "jobs": ("jobs", "matrix")},
    "timeline": {"jobs": ("background JOB", "serve JOB"), "machines": ("serve",)},
    "background": {"a load": ("serve JOB",), "nobody": ("serve JOB",)},
}


_NO_WORDS: Mapping[str, str] = {}


def steps(
    verb: str,
    seen: str,
    job: str = "",
    *,
    flag: str = "",
    viewer: int | None = None,
    others: Sequence[str] = (),
    words: Mapping[str, str] = _NO_WORDS,
) -> list[str]:
    """Return the commands to try after a verb.

    Args:
        verb: Verb that has ended.
        seen: Finding of the verb: a key of its part of `TABLE`.
        job: The job of the verb.
        flag: Option with the repository, with a blank before it; "" for the default one.
        viewer: User (uid) whose view was requested; verbs without such an option are left out
            if they would name others' jobs.
        others: Other jobs that were shown.
        words: Values of further placeholders in the table. ANOTHER_RUN: another run of the same
            program; without a value, commands with this placeholder are left out. SPOOL: a
            folder of profiles that are in no repository. NODE: a machine that was shown.

    Returns:
        Complete commands.

    Raises:
        KeyError: The table has no such entry.
    """
    commands = []
    for template in TABLE[verb][seen]:
        name, *named = template.split(" ")
        if viewer is not None and "OTHERS" in named:
            continue
        if "ANOTHER_RUN" in named and not words.get("ANOTHER_RUN"):
            continue
        if template == "agent start" and _agent_runs():
            continue
        filled = {"JOB": job or "JOB", **words}
        named = [filled.get(word, word) for word in named]
        place = named.index("OTHERS") if "OTHERS" in named else None
        if place is not None:
            named[place : place + 1] = others
        options = "" if template in ANEW else flag
        if viewer is not None and name in _AS_USER:
            options += f" --as-user {viewer}"
        commands.append(" ".join([f"jostle {name}{options}", *named]))
    return commands


def _agent_runs() -> bool:
    from jostle.cli.launch.own_agent import running_agent

    return bool(running_agent())


#: Verbs that can show what another user may see.
_AS_USER = ("advise", "estimate", "interference", "neighbours", "matrix", "placement", "predict")


def seen_by_estimate(evaluated_job: EvaluatedJob, slice_ns: int) -> str:
    """Return the finding of an estimate: a key of TABLE["estimate"].

    Args:
        evaluated_job: The estimate and the suspects.
        slice_ns: Longest slice of the job, ns; shorter slices are advised only if it is long.
    """
    from jostle.analysis.estimation.light import LEAST_COVERAGE
    from jostle.report.verdict.verdict import WORTH_A_WORD, attribution_of

    own, who = evaluated_job.estimate, evaluated_job.who
    lost = own.percent.value >= WORTH_A_WORD
    if lost and who is not None and attribution_of(own, who).suspects:
        return "a loss with suspects"
    if own.light is None:
        few = own.coverage < LEAST_COVERAGE and slice_ns > SHORT_SLICE_NS
        return "too few slices" if few else "undecided"
    return "a loss" if lost else "no loss"


#: The length of a slice in hints, for jobs under a minute, in nanoseconds.
SHORT_SLICE_NS = 250_000_000
