"""Texts on the placement of jobs, for web pages, plots and the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.report.format.values import count, percent, significant

if TYPE_CHECKING:
    from jostle.analysis.placement import (
        Correlation,
        Noise,
        PairOfRuns,
        ProgramPlacement,
        Shape,
        SuspectProgram,
        Touched,
    )
    from jostle.report.models.job.placement import JobPlacement

#: Measures of placement: name and description.
MEASURES = {
    "conflicting_routers": ("conflicting routers", "routers of jobs that may use the same links"),
    "shared_routers": ("shared routers", "routers on which another job has a node, too"),
    "shared_links": ("shared links", "links that the traffic of another job may take, too"),
    "routers": ("routers allocated", "routers on which the job has a node"),
    "hops": ("hops between nodes", "links between two of its nodes, mean"),
    "communicator_hops": ("hops in communicators", "links between two ranks of a communicator"),
    "contiguity": ("contiguity", "its nodes over all nodes in the box around it"),
    "pieces": ("pieces", "contiguous groups of routers"),
    "leaves": ("leaves", "leaf switches with nodes of the job"),
    "pods": ("pods", "pods with nodes of the job"),
    "groups": ("groups", "groups with nodes of the job"),
}
_EVIDENCE = 0.05
_PLURALS = {"leaf": "leaves", "pod": "pods", "group": "groups"}


def measure_name(key: str) -> str:
    """Return the name of a measure of placement."""
    return MEASURES[key][0]


def message_rate(value: float | None) -> str:
    """Format a messaging rate: `58.0 MB/s`; "-" where there is none."""
    return "-" if value is None else f"{significant(value / 1e6)} MB/s"


def hops_of(value: float | None) -> str:
    """Format a mean number of hops: `6.6`."""
    return "-" if value is None else f"{value:.1f}"


def touched_name(part: Touched) -> str:
    """Return the plural for the parts of a fabric that a job uses: `leaves`."""
    return _PLURALS[part.what]


def shape_rows(shape: Shape, dimensions: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Return the measures of a placement: name, value, description."""
    whole = count(shape.whole_routers) if shape.whole_routers else "none"
    whole = "all" if shape.whole_routers == shape.routers else whole
    rows = [
        ("nodes", count(shape.nodes), f"in the {shape.kind} {shape.fabric}"),
        ("routers", count(shape.routers), f"switches of its nodes; no other job used {whole}"),
        (
            "hops",
            "-" if shape.hops is None else f"{hops_of(shape.hops)} (most {shape.most_hops})",
            "links between two of its nodes, mean",
        ),
    ]
    if shape.box is not None:
        begin = ", ".join(
            f"{name} {at}" for name, at in zip(dimensions, shape.box.begin, strict=True)
        )
        rows += [
            (
                "box",
                " x ".join(map(str, shape.box.lengths)),
                f"the smallest around it, from {begin}; {_many(shape.box.nodes, 'node')}",
            ),
            ("contiguity", significant(shape.contiguity or 0.0), "its nodes over those in the box"),
        ]
    else:
        rows.append(("box, contiguity", "not defined", f"in a {shape.kind}"))
    if shape.pieces is None:
        rows.append(("pieces", "not defined", f"in a {shape.kind}: no leaf is next to another"))
    else:
        rows.append(("pieces", count(shape.pieces), "contiguous groups of its routers"))
    rows += [
        (touched_name(part), count(part.number), f"{count(part.least)} would suffice")
        for part in shape.touched
    ]
    return rows


def job_answer(content: JobPlacement) -> str:
    """Return the finding on a job's placement in a sentence or two."""
    company = content.company
    met = [each for each in company.meetings if each.conflicting]
    where = (
        f"{content.job} has {_many(content.shape.nodes, 'node')} on "
        f"{_many(content.shape.routers, 'router')} of {content.shape.fabric}."
    )
    if not company.links:
        return f"{where} Its traffic takes no link between routers."
    if not company.meetings:
        return f"{where} No other job ran alongside it in this fabric."
    if not met:
        alongside = len(company.meetings)
        none = (
            "The job alongside it uses none"
            if alongside == 1
            else (f"None of the {count(alongside)} jobs alongside it uses any")
        )
        return f"{where} {none} of the links between its nodes."
    first = met[0]
    by = f"{first.job} ({first.program})" if first.program else first.job
    number = len(met)
    return (
        f"{where} {_many(number, 'job')} alongside it may use its links; the most has {by}: "
        f"{count(first.shared_links)} of {count(company.links)}."
    )


def program_answer(content: ProgramPlacement) -> str:
    """Return the finding on what explains a program's messaging rate, in a sentence or two."""
    best = content.measures[0] if content.measures else None
    proven = [each for each in content.suspects if is_proven(each)]
    slower = [each for each in proven if each.change and each.change[0] < 0]
    if best is None or best.rate.spearman is None or (best.rate.spearman_p or 1) > _EVIDENCE:
        text = f"No measure of placement correlates with the messaging rate of {content.program}."
    else:
        more = "lower" if best.rate.spearman < 0 else "higher"
        text = (
            f"The more {measure_name(best.key)}, the {more} the messaging rate of "
            f"{content.program} (rho {signed(best.rate.spearman)})."
            if best.key != "contiguity"
            else f"The more contiguous, the {more} the messaging rate of {content.program} "
            f"(rho {signed(best.rate.spearman)})."
        )
    if slower and slower[0].change:
        text += f" Alongside {slower[0].program} it is {percent(-slower[0].change[0])} lower."
    if content.noise is not None and not content.noise.excluded:
        text += " Computation varies between runs, too."
    return text


def is_proven(each: SuspectProgram) -> bool:
    """Return whether runs alongside a program differ from other runs by more than chance."""
    return each.q is not None and each.q < _EVIDENCE


def signed(value: float | None) -> str:
    """Format a correlation: `-0.81`; "-" where it is not known."""
    return "-" if value is None else f"{value:+.2f}"


def change_of(value: float | None) -> str:
    """Format a change with its sign: `-12 %`."""
    return "-" if value is None else f"{100 * value:+.0f} %"


def correlated(each: Correlation) -> str:
    """Format a correlation with p and n: `r = +0.23, p = 3e-36, n = 2,907`."""
    if each.pearson is None or each.pearson_p is None:
        return f"too few values (n = {count(each.n)})"
    return f"r = {signed(each.pearson)}, p = {chance(each.pearson_p)}, n = {count(each.n)}"


def chance(p: float | None) -> str:
    """Format a probability: `0.03`, `2e-07`; "-" where it is not known."""
    if p is None:
        return "-"
    return f"{p:.2e}" if p < 0.001 else f"{p:.3f}" if p < 0.01 else f"{p:.2f}"


def noise_answer(each: Noise) -> str:
    """Return whether operating-system noise explains why runs differ in speed, in sentences."""
    verdict = (
        "Noise of the operating system is not the reason."
        if each.excluded
        else "Noise of the operating system, or another input, may be a reason."
    )
    return (
        f"{verdict} Mean computation varies by {percent(each.compute_spread)} between runs, "
        f"MPI by {percent(each.mpi_spread)}; of the variance of run times "
        f"{percent(max(each.compute_part, 0.0))} goes with computation, "
        f"{percent(max(each.mpi_part, 0.0))} with MPI. Within a run a rank computes up to "
        f"{percent(each.least)} less and {percent(each.most)} more than the mean."
    )


def pair_answer(each: PairOfRuns) -> str:
    """Return a sentence on how two runs differ in speed, nodes and conflicting neighbours."""
    faster = f"{percent(each.faster)} faster than"
    if each.faster >= 1:
        faster = f"{1 + each.faster:.2f} times as fast as"
    text = f"{each.fast} is {faster} {each.slow}: {percent_alike(each.nodes_alike)} of the nodes"
    if each.neighbours_alike is None:
        return f"{text} are the same, and no job may use the links of either."
    return (
        f"{text} and {percent_alike(each.neighbours_alike)} of the conflicting nodes are the same."
    )


def percent_alike(share: float | None) -> str:
    """Format the share that two runs have in common: `98.7 %`; "-" if it is not defined."""
    if share is None:
        return "-"
    return f"{100 * share:.1f} %" if 0 < share < 1 else f"{100 * share:.0f} %"


def _many(number: int, noun: str) -> str:
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"
