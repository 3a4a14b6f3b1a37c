"""Shows a job compared with other runs of its program: a digest's numbers, and its slowdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from jostle.analysis.digest.among_runs import side
from jostle.cli.options.as_user import who
from jostle.cli.output import fit, heading, table
from jostle.cli.views.interference import probability
from jostle.report.format.values import byte_count, count, duration, percent, seconds, significant

if TYPE_CHECKING:
    from jostle.analysis.identification.runs.met_runs import (
        MetJob,
        RunAmongItsLike,
        SlownessOnResource,
    )

_TEXTS = {"bytes": byte_count, "ops": count, "s": seconds}


def figures_view(figures: Mapping[str, Any]) -> Iterator[Any]:
    """Yield how a job's numbers compare with other runs of its program; nothing without others.

    Args:
        figures: Result of `jostle.report.models.job.among_runs.figures_of`.
    """
    runs, processes = figures["runs"], figures["processes"]
    if not runs:
        return
    rest = f" {count(runs)} other run{'s' if runs != 1 else ''} of {figures['program']}"
    if processes:
        rest += f" with {count(processes)} process{'es' if processes != 1 else ''}"
    yield from ("", heading("Among", rest))
    names = figures["others"] or ["least", "quarter", "median", "3 quarters", "most"]
    frame = table(["=", ">this run", *(f">{name}" for name in names), "=this run is"])
    for row in figures["figures"]:
        write, others = _TEXTS[row["unit"]], row["others"]
        values = others["values"] or [others[at] for at in ("min", "q1", "median", "q3", "max")]
        places = map(write, values)
        frame.add_row(row["name"], write(row["total"]), *places, side(row["total"], others))
    quarters = () if figures["others"] else ("quarter", "3 quarters")
    yield fit(frame, *quarters, "this run is")


_MET = 20  # jobs that are listed one by one
_STRENGTHS = {"evidence": "evidence", "weak": "weak", "none": "none", "too few runs": "too few"}


def whole_run_view(run: RunAmongItsLike) -> Iterator[Any]:
    """Yield the slowdown of a run among similar runs, and concurrent jobs, with the evidence.

    Args:
        run: A run of which only total times are known, not times per slice.
    """
    yield heading(_answer(run))
    for each in run.resources:
        yield f"  {_slowness(each, run.program)}"
    if run.met:
        yield from ("", heading("Jobs at the same time", "  while it transferred data"), _met(run))
        if len(run.met) > _MET:
            yield f"and {count(len(run.met) - _MET)} more (--json)."
    yield ""
    yield from (f"note: {limit}" for limit in run.limits)


def _answer(run: RunAmongItsLike) -> str:
    if not run.resources:
        return f"It is unknown how long calls of {run.job} took."
    first = run.resources[0]
    if not first.like_runs:
        return f"No other run of {run.program} is similar to {run.job}, so it cannot be compared."
    slow = f"{run.job} was {significant(first.factor)} times as slow as similar runs"
    if first.factor <= 1:
        slow = f"{run.job} was not slower than similar runs"
    if not run.met:
        return f"{slow}, and no other job ran at the same time."
    named = run.evident
    if not named:
        return f"{slow}; no program that ran at the same time is known to slow {run.program}."
    most = max(named, key=lambda each: each.slowdown.value if each.slowdown else 0.0)
    by = f" by {percent(most.slowdown.value)}" if most.slowdown else ""
    return f"{slow}; {most.program}, which ran at the same time, slows runs of {run.program}{by}."


def _slowness(each: SlownessOnResource, program: str) -> str:
    if not each.like_runs:
        return f"{_place(each)}: no similar run of {program} used it"
    runs = f"{count(each.like_runs)} other run{'s' if each.like_runs != 1 else ''}"
    return (
        f"{_place(each)}: its calls took {significant(each.factor)} times as long as those of "
        f"similar runs (the median of {runs} of {program}); {count(each.slower_than)} of them were "
        "faster"
    )


def _met(run: RunAmongItsLike) -> Any:
    frame = table(
        [
            "=job",
            "=program",
            "=user",
            "=on",
            ">overlap",
            ">of its traffic",
            ">load there",
            ">runs with",
            ">without",
            ">slower",
            ">p",
            ">q",
            "=evidence",
        ]
    )
    for each in run.met[:_MET]:
        frame.add_row(
            each.job,
            PurePath(each.program).name or "-",
            who(each.user),
            _place(each),
            duration(1e9 * each.overlap_s),
            percent(each.share),
            percent(each.load_share),
            count(each.with_runs),
            count(each.without_runs),
            *_tested(each),
            _STRENGTHS[each.strength],
        )
    on = ["on"] if len({_place(each) for each in run.met}) == 1 else []
    return fit(frame, *on, "user", "p", "load there", "runs with", "without")


def _tested(each: MetJob) -> tuple[str, str, str]:
    if each.slowdown is None or each.p is None or each.q is None:
        return "-", "-", "-"
    return percent(each.slowdown.value), probability(each.p), probability(each.q)


def _place(each: MetJob | SlownessOnResource) -> str:
    """Return a resource's name, marked if it is a metadata server, which is compared separately."""
    return each.resource + (", metadata" if each.resource_kind == "metadata server" else "")
