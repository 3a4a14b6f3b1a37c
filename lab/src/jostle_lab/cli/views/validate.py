"""Show a validation's results in a terminal: Shah, 2020, tables 5.5 to 5.7, and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import heading, table

if TYPE_CHECKING:
    from jostle.analysis import Light
    from jostle_lab.validation.attribution_scores import AttributionScore
    from jostle_lab.validation.evaluate import Evaluation
    from jostle_lab.validation.lab.score import LabScore, Seen
    from jostle_lab.validation.results import Results
    from jostle_lab.validation.score import Lights, Row, Score
    from jostle_lab.validation.synthetic import Family

#: From this rank correlation on, foreign load explains the loss that was not injected.
_TOGETHER = 0.6
_LETTER = {"low": "L", "medium": "M", "high": "H"}


def view(results: Results) -> list[Any]:
    """Return the tables and lines of a validation for the terminal."""
    lines: list[Any] = []
    if results.estimation and results.estimation.rows:
        lines += _estimation(results.estimation)
    if results.lab and results.lab.runs:
        lines += _lab(results.lab, results.seen)
    if results.synthetic:
        lines += _synthetic(results.synthetic)
    if results.identified:
        lines += _injected_repositories(results.identified)
    if results.clustering:
        lines += _clustering(results.clustering)
    return lines or ["Nothing to score yet."]


def _estimation(evaluation: Evaluation) -> list[Any]:
    lines: list[Any] = []
    for code in dict.fromkeys(row.code for row in evaluation.rows):
        rows = [row for row in evaluation.rows if row.code == code]
        rate = evaluation.calls.get(code, 0.0)
        lines += ["", heading(code, f": {len(rows)} runs, {rate:,.0f} global collectives/s")]
        estimated = [row for row in rows if "jostle" in row.said]
        reason = evaluation.unknown.get(code)
        if reason:
            lines += [heading("not scored", f": {reason}"), _not_scored(estimated)]
        elif estimated:
            lines.append(_runs(estimated))
        lines += [*([] if reason else _classes(rows)), "", _machine(rows), *_noise(rows)]
        if fine := evaluation.resolutions.get(code):
            lines.append(
                f"How well the truth is known: oracles of two halves of the runs differ by "
                f"{fine.total:.1f} points in all, {fine.instantaneous:.1f} of the instantaneous "
                f"part"
            )
    lines += ["", heading("Estimates", " against the truth, in points of the run time")]
    if not evaluation.scored:
        lines.append(
            "Nothing could be scored: the true loss is not known well enough for any program."
        )
        return lines
    lines.append(_scores(evaluation.scores))
    lines += [f"{code} is not in these figures: {why}" for code, why in evaluation.unknown.items()]
    return lines


def _not_scored(rows: Sequence[Row]) -> Any:
    """Make the table of a program whose true loss is not certain: measured and estimated loss."""
    frame = table(("=run", ">M %", ">E %", "=interval", "=light"))
    for row in sorted(rows, key=lambda row: -row.truth.total):
        result = row.said["jostle"]
        frame.add_row(
            row.job,
            f"{row.truth.total:.1f}",
            f"{result.total:.1f}",
            f"{result.low:.1f}..{result.high:.1f}",
            result.light or "undecided",
        )
    return frame


def _runs(rows: Sequence[Row]) -> Any:
    """Make the table of one program's runs (Shah's 5.5 and 5.7), the most disturbed run first."""
    from jostle.analysis import class_of, probability

    frame = table(
        (
            "=run",
            ">M %",
            ">E %",
            ">slow cores",
            ">δ",
            "class",
            ">p(M)",
            ">p(E)",
            ">δp",
            "=interval",
            "=light",
            ">thesis M",
            ">E",
            ">δ",
        )
    )
    for row in sorted(rows, key=lambda row: -row.truth.total):
        result, truth = row.said["jostle"], row.truth.total
        p, q = probability(truth), probability(result.total)
        letters = f"{_LETTER[class_of(truth)]}/{_LETTER[class_of(result.total)]}"
        thesis = row.said["thesis"].percent
        frame.add_row(
            row.job,
            f"{truth:.1f}",
            f"{result.total:.1f}",
            "" if result.core_probe is None else f"{result.slow:.1f}",
            f"{abs(truth - result.total):.1f}",
            letters,
            f"{p:.2f}",
            f"{q:.2f}",
            f"{abs(p - q):.2f}",
            f"{result.low:.1f}..{result.high:.1f}{'' if row.held('jostle') else ' !'}",
            _light(result.light, truth),
            f"{row.thesis:.1f}",
            f"{thesis:.1f}",
            f"{abs(row.thesis - thesis):.1f}",
        )
    return frame


def _light(light: Light | None, truth: float) -> str:
    """Return the name of a traffic light, with `!` if it is wrong."""
    from jostle.analysis import LIGHTS, class_of

    return "undecided" if light is None else light + " !" * (LIGHTS[class_of(truth)] != light)


def _machine(rows: Sequence[Row]) -> Any:
    """Make the table of each run's injected loss, the machine's own loss, and its evidence."""
    frame = table(
        (
            "=run",
            ">M %",
            ">injected",
            ">the machine's own",
            ">core-speed probe",
            ">steal %",
            ">others %",
            "=quiet",
        )
    )
    for row in sorted(rows, key=lambda row: -row.own):
        core_probe = row.core_probe
        frame.add_row(
            row.job,
            f"{row.truth.total:.1f}",
            _injected(row),
            f"{row.own:.1f}",
            "" if core_probe is None else f"{core_probe:.2f}",
            f"{100 * row.noise['steal']:.1f}",
            f"{100 * row.noise['foreign']:.1f}",
            "yes" if row.quiet else "",
        )
    return frame


def _noise(rows: Sequence[Row]) -> list[str]:
    """Return the correlation of the loss that was not injected with steal time and slow cores."""
    import numpy as np

    from jostle_lab.analysis.validation import rank_correlation

    own = [row.own for row in rows]
    sentence = f"Not injected: {np.median(own):.1f} % in the median, {max(own):.1f} at most"
    taken = rank_correlation(own, [row.noise["steal"] + row.noise["foreign"] for row in rows])
    if taken is not None:
        sentence += (
            "; rank correlation with core time taken by others (steal, other programs): "
            f"{taken:.2f}"
        )
    watched = [(row.own, row.core_probe) for row in rows if row.core_probe is not None]
    slowed = rank_correlation(*zip(*watched, strict=True)) if watched else None
    if slowed is not None:
        sentence += f"; with the core-speed probe, how slow cores were: {slowed:.2f}"
    if taken is not None and max(taken, slowed or 0.0) < _TOGETHER:
        sentence += ": no counter shows most of it" + (
            ", as with cores that are slower by themselves" if slowed is None else ""
        )
    return [sentence]


def _injected(row: Row) -> str:
    """Return the loss by the log of the injector or of the disturber, in percent of the run."""
    if row.band is None:
        return ""
    low, high = (100 * value / row.truth.run_s for value in (row.band.low, row.band.high))
    return f"{low:.1f}..{high:.1f}"


def _classes(rows: Sequence[Row]) -> list[str]:
    """Return table 5.6 (F1 by class), a line per method."""
    from jostle_lab.analysis.validation import class_scores

    lines = []
    for method in dict.fromkeys(name for row in rows for name in row.said):
        own = [row for row in rows if method in row.said]
        f1s = class_scores(
            [row.measured(method) for row in own], [row.estimated(method) for row in own]
        )
        scores = ", ".join(
            f"{name} {f1.f1:.2f} ({f1.tp} right, {f1.fp} wrong, {f1.fn} missed)"
            for name, f1 in f1s.items()
        )
        lines.append(f"F1 by class, {method}: {scores}")
    return lines


def _scores(scores: Sequence[Score]) -> Any:
    frame = table(
        (
            "=program",
            "=method",
            ">runs",
            ">accuracy",
            ">10 %",
            ">least",
            ">total",
            ">instant.",
            ">steady",
            ">clean",
            ">worst",
            ">interval",
            ">inferred",
            ">lights right",
            ">undecided",
            ">of long",
        )
    )
    for score in scores:
        frame.add_row(
            score.code,
            score.method,
            str(score.runs),
            _number(score.soft.median, 3),
            _number(score.soft.tenth, 2),
            _number(score.soft.worst, 2),
            _number(score.total.median),
            _number(score.instantaneous.median),
            _number(score.steady.median),
            _number(score.clean.median),
            _number(score.clean.worst),
            _share(score.held),
            _share(score.inferred.median),
            *_lights(score.lights),
        )
    return frame


def _lights(lights: Lights) -> list[str]:
    """Return the shares of correct lights, and of undecided ones among all runs and long runs."""
    return [_share(lights.right_share), _share(lights.undecided_share), _share(lights.long_share)]


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _lab(score: LabScore, seen: Sequence[Seen]) -> list[Any]:
    frame = table(
        (
            "=experiment",
            "=kind",
            ">F1",
            ">run s",
            ">lost s",
            ">calm",
            ">said s",
            "=interval",
            ">error",
            "=first suspect",
        )
    )
    for run in seen:
        error = f"{run.points:.1f} points" if run.relative is None else _share(run.relative)
        verdict = run.named[0] if run.named else "nobody"
        wrong = run.right is False or (run.null and run.named)
        frame.add_row(
            run.job,
            run.name,
            "" if run.null else _number(run.slices.f1, 2),
            f"{run.run_s:.1f}",
            f"{run.lost_s:.1f}",
            _number(run.calm_s) if run.calm_s is not None else "",
            f"{run.said_s:.1f}",
            f"{run.low_s:.1f}..{run.high_s:.1f}{'' if run.held else ' !'}",
            error,
            verdict + " !" * bool(wrong),
        )
    summary = (
        f": F1 per slice {_number(score.slices.f1, 2)} (precision "
        f"{_number(score.slices.precision, 2)}, recall {_number(score.slices.recall, 2)}), first "
        f"suspect right in {_share(score.first)} of {score.harmful}, {score.alarms} false alarms "
        f"in {score.null} null runs"
    )
    seconds = (
        f"Seconds lost: within {_share(score.relative)} where above 10 % of the run (against the "
        f"calm slices of the same runs: {_share(score.relative_calm)}), else "
        f"{_number(score.points)} points; the interval holds them in {_share(score.held)} of the "
        f"harmful ones (those against calm slices: {_share(score.held_calm)}), and reaches "
        f"{_share(score.half_width)} either way. The two truths are {_share(score.apart)} apart"
    )
    own = [
        f"The rates of {name} differ by {_share(share)} over its null runs: its loss is that "
        "against the calm slices of the same run."
        for name, share in score.unsteady.items()
    ]
    return ["", heading("Identification", summary), seconds, *own, frame]


def _synthetic(family: Family) -> list[Any]:
    frame = table(
        (
            "=traces",
            ">number",
            ">accuracy",
            ">least",
            ">error",
            ">worst",
            ">interval",
            ">lights right",
            ">undecided",
        )
    )
    for score in family.scores:
        frame.add_row(
            score.code,
            str(score.runs),
            _number(score.soft.median, 3),
            _number(score.soft.worst, 2),
            _number(score.total.median),
            _number(score.total.worst),
            _share(score.held),
            *_lights(score.lights)[:2],
        )
    return ["", heading("Synthetic traces", ": the loss is known exactly"), frame]


def _injected_repositories(attribution_score: AttributionScore) -> list[Any]:
    summary = (
        f": {len(attribution_score.jobs)} jobs; F1 per slice {attribution_score.f1:.2f} "
        f"(precision {attribution_score.precision:.2f}, "
        f"recall {attribution_score.recall:.2f}), first suspect right in "
        f"{_share(attribution_score.top1)}, false alarms in "
        f"{_share(attribution_score.false_alarms)} of the jobs of harmless "
        "repositories, seconds lost within "
        f"{_share(attribution_score.relative_error)} where above 10 %, else "
        f"{attribution_score.points_error:.1f} points"
    )
    return ["", heading("Injected repositories", summary)]


def _clustering(results: Sequence[Any]) -> list[Any]:
    frame = table(("=program", "=method", ">clusters", ">std/mean", ">unclustered"))
    for result in results:
        for row in result.rows:
            frame.add_row(
                result.code,
                row.method,
                str(row.clusters),
                _number(row.spread, 3),
                _share(row.unclustered),
            )
    return ["", heading("Clustering", ": spread within clusters, share left alone"), frame]
