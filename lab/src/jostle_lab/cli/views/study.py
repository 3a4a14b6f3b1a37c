"""Shows a study's results in the terminal, as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import console, fit, heading, table, utf8, without
from jostle.plot.charts import share_label
from jostle.report.format.values import count, duration
from jostle_lab.analysis.study.model import Cell, KuoRow, Law, Standalone, StudyResult
from jostle_lab.plot.study_charts import (
    Group,
    brief,
    chunk_label,
    common,
    groups,
    interval_label,
    kept_label,
    metric_of,
    parts,
    patterns,
    rate_label,
    seconds_label,
    several,
    signed_label,
    summary_of,
    verdicts,
    why_empty,
)

if TYPE_CHECKING:
    from rich.table import Table

_MANY = 4  # chunk sizes; more make columns instead of a matrix each
_LEVELS = " ▁▂▃▄▅▆▇█"


def view(study_result: StudyResult, laws: Sequence[Law]) -> Iterator[Any]:
    """Yield a result as lines and tables, the most important first."""
    yield from _head(study_result)
    if study_result.standalone:
        yield from ("", heading("Alone", "  throughput until 90 % of the work is done"))
        yield _standalone(study_result.standalone)
    known = patterns(study_result)
    for group in groups(study_result.cells, study_result.programs):
        for measure in ("degradation", "dilation"):
            for part, _ in parts(group, known):
                yield from _matrices(part, measure)
    yield from _lines("Break-even chunk sizes", [size.text for size in study_result.break_even])
    turns = [f"{pair.text} ({pair.setting.label})" for pair in study_result.serialised]
    yield from _lines("Pairs whose programs took turns instead of sharing the resource", turns)
    yield from _imprints(study_result)
    yield from _kuo(study_result)
    yield from _laws(laws)
    yield from _left_out(study_result)
    if study_result.notes:
        yield ""
        yield from (f"{note.kind}: {note.text}" for note in study_result.notes)


def _head(study_result: StudyResult) -> Iterator[Any]:
    """Yield the number of runs, how many of them count, and how to read the results."""
    counts = dict.fromkeys(("kept", "discarded", "failed", "unusable"), 0)
    for cell in _pairs(study_result.cells):
        for verdict, number in verdicts(cell).items():
            counts[verdict] += number
    planned = f" of {count(study_result.planned)} planned" if study_result.planned else ""
    words = [
        f"place: {study_result.place}",
        f"slices of {duration(study_result.slice_ns)}",
        f"{count(study_result.runs)} runs{planned}",
    ]
    yield heading(study_result.study, f"  {'; '.join(words)}")
    others = [f"{number} {verdict}" for verdict, number in list(counts.items())[1:] if number]
    kept = counts["kept"]
    pairs = f"{count(kept)} {'run of a pair counts' if kept == 1 else 'runs of pairs count'}" + (
        f", {', '.join(others)}" if others else ""
    )
    repetitions = kept_label(verdicts(cell)["kept"] for cell in study_result.cells)
    if study_result.standalone and not study_result.cells:
        yield f"no pairs; clock: {_clock(study_result)}"
        return
    yield f"{pairs}; repetitions per cell: {repetitions}; clock: {_clock(study_result)}"
    same = common([cell.setting for cell in study_result.cells])
    if same:
        yield f"everywhere: {same}"
    yield "degradation: share of the probe's undisturbed throughput lost alongside the signal"
    yield "dilation:    share by which the probe's run takes longer (for a fixed amount of work)"


def _clock(study_result: StudyResult) -> str:
    """Return which clock the slices of all nodes are on, in words."""
    if any(note.kind == "clock" for note in study_result.notes):
        return "see the note at the end"
    one_machine = study_result.place in ("local", "lab")
    return "one machine's, for all nodes" if one_machine else "synchronised on all nodes"


def _pairs(cells: Iterable[Cell]) -> list[Cell]:
    """Return one cell per pair, since both cells of a pair in race mode have the same runs."""
    seen: set[object] = set()
    pairs = []
    for cell in cells:
        runs = frozenset(repetition.run for repetition in cell.repetitions)
        if runs and runs in seen:
            continue
        seen.add(runs)
        pairs.append(cell)
    return pairs


def _standalone(rows: Sequence[Standalone]) -> Table:
    frame = table(
        [
            "=program",
            "=setting",
            ">throughput",
            ">95 % interval",
            ">best",
            ">run time",
            ">n",
            ">left out",
        ]
    )
    settings = [row.setting for row in rows]
    for row in rows:
        low, high = row.rate.low, row.rate.high
        interval = "2 runs: too few" if row.rate.n == 2 else "-"
        if low is not None and high is not None:
            interval = f"{rate_label(low, row.metric)} to {rate_label(high, row.metric)}"
        out = {"outliers": sum(row.outlier), "discarded": row.discarded, "failed": row.failed}
        left = ", ".join(f"{number} {reason}" for reason, number in out.items() if number)
        frame.add_row(
            row.program,
            brief(row.setting, settings) or "-",
            rate_label(row.rate.median, row.metric),
            interval,
            rate_label(row.best, row.metric),
            seconds_label(row.seconds.median),
            str(row.rate.n),
            left or "-",
        )
    return _trimmed(fit(frame, "left out", "n", "best", "95 % interval"))


def _trimmed(frame: Table) -> Table:
    """Remove the column of settings if all its cells are equal."""
    for column in frame.columns:
        if column.header == "setting" and all(cell == "-" for cell in column.cells):
            without(frame, [column])
    return frame


def _matrices(group: Group, measure: str) -> Iterator[Any]:
    """Yield a matrix per chunk size; if there are many sizes, one table with a column for each."""
    known = [cell for cell in group.cells if summary_of(cell, measure).n]
    if not known and (measure == "dilation" or not group.cells):
        return
    words = ", ".join(group.words)
    extra = f"; {words}" if words else ""
    if len(group.chunks) > _MANY:
        yield from (
            "",
            heading(
                f"{measure.capitalize()} of the probe in % over the chunk size", f"  median{extra}"
            ),
        )
        yield _over_chunks(group, measure)
        return
    for chunk in group.chunks:
        frame, detail = _matrix(group, chunk, measure)
        title = f"{measure.capitalize()} of the probe in %"
        title += f", chunks of {chunk_label(chunk)}" if chunk is not None else ""
        spread = several(group.cells)
        about = "median" + (", in brackets the mean's 95 % interval" if detail and spread else "")
        best = detail > 1 and measure == "degradation" and spread
        about += ", then the least disturbed run" if best else ""
        yield from ("", heading(title, f"  {about}{extra}"), frame)


def _matrix(group: Group, chunk: int | None, measure: str) -> tuple[Table, int]:
    """Return a table of probes by row and signals by column, and the detail of its cells (0 to 2).

    The detail is reduced until the table fits.
    """
    frame, detail = table([]), 0
    for detail in (2, 1, 0):
        frame = table(["=probe", *(f"=alongside {signal}" for signal in group.signals)])
        for probe in group.probes:
            cells = [group.find(probe, signal, chunk) for signal in group.signals]
            if any(cells):
                frame.add_row(probe, *(_cell(cell, measure, detail) for cell in cells))
        if _fits(frame):
            break
    return frame, detail


def _fits(frame: Table) -> bool:
    from rich.measure import Measurement

    target = console()
    wanted = Measurement.get(target, target.options.update(max_width=10_000), frame).maximum
    return wanted <= target.width


def _cell(cell: Cell | None, measure: str, detail: int) -> str:
    """Return a cell as text: a bar, the median, its interval, the least disturbed run."""
    if cell is None:
        return ""
    summary = summary_of(cell, measure)
    if summary.median is None:
        return why_empty(cell)
    text = share_label(summary.median, unit=False)
    if measure == "degradation" and utf8():
        level = min(max(summary.median, 0.0), 1.0) * (len(_LEVELS) - 1)
        text = f"{_LEVELS[max(round(level), 1 if level > 0 else 0)]} {text}"
    interval = interval_label(summary, unit="")
    if detail >= 1 and interval != "-":
        text += f" ({interval})"
    best = cell.degradation_best if measure == "degradation" and summary.n > 1 else None
    if detail >= 2 and best is not None:
        text += f" {share_label(best, unit=False)}"
    return text


def _over_chunks(group: Group, measure: str) -> Table:
    frame = table(["=probe", "=signal", *(f">{chunk_label(chunk)}" for chunk in group.chunks)])
    for probe in group.probes:
        for signal in group.signals:
            cells = [group.find(probe, signal, chunk) for chunk in group.chunks]
            if any(cells):
                frame.add_row(probe, signal, *(_cell(cell, measure, 0) for cell in cells))
    return frame


def _lines(title: str, lines: Sequence[str]) -> Iterator[Any]:
    if lines:
        yield from ("", heading(title), *(f"  {line}" for line in lines))


def _imprints(study_result: StudyResult) -> Iterator[Any]:
    """Yield how many bursts of periodic signals are visible in the probe."""
    if not study_result.imprints:
        return
    about = "  drop: throughput lost in a burst, compared with the time around it"
    yield from ("", heading("Imprint of the periodic signal", about))
    frame = table(
        [
            "=probe",
            "=signal",
            "=setting",
            "=run",
            ">seen",
            ">95 % interval",
            ">drop",
            ">false alarms",
            "=bursts from",
        ]
    )
    settings = [imprint.setting for imprint in study_result.imprints]
    for imprint in study_result.imprints:
        interval = "-"
        if imprint.low is not None and imprint.high is not None:
            interval = f"{100 * imprint.low:.0f} to {100 * imprint.high:.0f} %"
        frame.add_row(
            imprint.probe,
            imprint.signal if imprint.setting.processes[1] else "its other half",
            brief(imprint.setting, settings) or "-",
            imprint.run,
            f"{imprint.seen} of {imprint.total}",
            interval,
            share_label(imprint.depth.median),
            share_label(imprint.false_rate),
            imprint.source,
        )
    yield _trimmed(fit(frame, "bursts from", "false alarms", "95 % interval"))


def _kuo(study_result: StudyResult) -> Iterator[Any]:
    """Yield table 3, the model, and the two phases of Kuo et al."""
    if study_result.kuo is None or not study_result.kuo.rows:
        return
    rows = study_result.kuo.rows
    about = "  in the active overlap and over the whole runs; P has fewer processes"
    yield from ("", heading("Throughput of two at once", about), _overlap(study_result))
    predicted = [row for row in rows if row.predictions]
    if predicted:
        about = "  Kuo's equations 1 (Q) and 2 (P) with their relative errors"
        yield from ("", heading("Run times of two at once, observed and predicted", about))
        yield _predictions(predicted)
        yield from _errors(study_result)
        yield from _reasons(predicted)
    if any(row.phases for row in rows):
        about = "  with the larger, and alone after its end"
        yield from ("", heading("The two phases of the smaller", about), _phases(study_result))


def _reasons(rows: Sequence[KuoRow]) -> Iterator[str]:
    """Yield for which pairs the model's preconditions do not hold, reason by reason."""
    settings = [row.setting for row in rows]
    pairs: dict[str, list[str]] = {}
    for row in rows:
        names = row.small if row.small == row.large else f"{row.small} and {row.large}"
        setting = brief(row.setting, settings)
        for why in row.why_not:
            pairs.setdefault(why, []).append(f"{names} ({setting})" if setting else names)
    for why, affected in pairs.items():
        more = f" and {len(affected) - 3} more" if len(affected) > 3 else ""
        yield f"the model does not apply to {', '.join(affected[:3])}{more}: {why}"


def _named(rows: Sequence[KuoRow]) -> list[tuple[str, str]]:
    """Return the texts of the rows' first two columns, as short as is unambiguous."""
    settings = [row.setting for row in rows]
    return [
        (
            row.small if row.small == row.large else f"{row.small}, {row.large}",
            (brief(row.setting, settings) or "-")
            .replace(" against ", " and ")
            .replace(" processes", ""),
        )
        for row in rows
    ]


def _overlap(study_result: StudyResult) -> Table:
    rows = study_result.kuo.rows if study_result.kuo else []
    frame = table(
        [
            "=P and Q",
            "=setting",
            ">overlap P",
            ">overlap Q",
            ">Q/P",
            ">q/p",
            ">spread",
            ">whole P",
            ">whole Q",
            ">Q/P ",
            ">n",
        ]
    )
    for row, names in zip(rows, _named(rows), strict=True):
        metrics = [metric_of(study_result, name) for name in (row.small, row.large)]
        frame.add_row(
            *names,
            *map(rate_label, row.overlap, metrics),
            _ratio(row.overlap_ratio),
            _ratio(row.expected_ratio),
            share_label(row.spread),
            *map(rate_label, row.overall, metrics),
            _ratio(row.overall_ratio),
            str(row.runs),
        )
    return _trimmed(fit(frame, "n", "whole P", "whole Q", "Q/P ", "spread"))


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _seconds(value: float | None) -> str:
    """Format as seconds, not minutes: the values are compared with one another."""
    return "-" if value is None else f"{value:.1f} s" if value < 100 else f"{value:.0f} s"


def _predictions(rows: Sequence[KuoRow]) -> Table:
    """Return one line per pair, since equation 2 gives the same by process and by node."""
    frame = table(
        [
            "=P and Q",
            "=setting",
            ">Q observed",
            ">by process",
            ">error by process",
            ">by node",
            ">error by node",
            ">P observed",
            ">predicted",
            ">error of P",
            "=holds",
        ]
    )
    for row, names in zip(rows, _named(rows), strict=True):
        by = {prediction.by: prediction for prediction in row.predictions}
        words = []
        for key in ("process", "node"):
            prediction = by.get(key)
            words += (
                [_seconds(prediction.large_s), signed_label(prediction.large_error)]
                if prediction
                else ["-", "-"]
            )
        any_one = row.predictions[0]
        frame.add_row(
            *names,
            _seconds(row.large_s.median),
            *words,
            _seconds(row.small_s.median),
            _seconds(any_one.small_s),
            signed_label(any_one.small_error),
            "yes" if row.holds else "no",
        )
    return _trimmed(fit(frame, "holds", "P and Q", "by node", "by process", "predicted"))


def _phases(study_result: StudyResult) -> Table:
    rows = study_result.kuo.rows if study_result.kuo else []
    frame = table(
        [
            "=P and Q",
            "=setting",
            ">alongside",
            ">afterwards",
            ">alone from the start",
            ">Q ends after",
            ">P ends after",
        ]
    )
    for row, names in zip(rows, _named(rows), strict=True):
        if row.phases:
            phases = row.phases
            metric = metric_of(study_result, row.small)
            rates = (
                rate_label(rate, metric)
                for rate in (phases.together, phases.alone, phases.standalone)
            )
            frame.add_row(*names, *rates, _seconds(phases.change_s), _seconds(phases.end_s))
    return _trimmed(fit(frame, "alone from the start", "P and Q"))


def _errors(study_result: StudyResult) -> Iterator[str]:
    kuo = study_result.kuo
    if kuo is None:
        return
    reasons = [
        f"{share_label(error)} with shares by {by}"
        for by, error in (("process", kuo.error_process), ("node", kuo.error_node))
        if error is not None
    ]
    if reasons:
        yield (
            f"median relative error of {kuo.n} predictions of unequal pairs that meet the model's "
            f"preconditions: {', '.join(reasons)}"
        )


def _laws(laws: Sequence[Law]) -> Iterator[Any]:
    """Yield whether the papers' laws hold here."""
    if not laws:
        return
    yield from ("", heading("Laws of the papers in this study"))
    for law in laws:
        yield heading(f"  {law.name}: {_holds(law)}.", f" {law.statement}")
        yield f"    goal: {law.goal}" + (f". {law.explanation}" if law.explanation else "")


def _holds(law: Law) -> str:
    """Return in words whether a law holds; one observation is too few to decide that."""
    if law.holds is None:
        return "undecided"
    if law.n < 2:
        return "seen once" if law.holds else "not seen"
    return "holds" if law.holds else "does not hold"


def _left_out(study_result: StudyResult) -> Iterator[Any]:
    """Yield each run of a pair that does not count, with the reason."""
    frame = table(["=run", "=pair", "=setting", "=verdict", "why"])
    number, settings = 0, [cell.setting for cell in study_result.cells]
    for cell in _pairs(study_result.cells):
        for repetition in cell.repetitions:
            if repetition.verdict != "kept":
                number += 1
                frame.add_row(
                    repetition.run,
                    f"{cell.probe} alongside {cell.signal}",
                    brief(cell.setting, settings) or "-",
                    repetition.verdict,
                    repetition.reason or "-",
                )
    alone = [row for row in study_result.standalone if row.failed or row.discarded]
    if number:
        yield from ("", heading("Runs that do not count", f"  {count(number)}"), frame)
    for row in alone:
        yield (
            f"{row.program} alone ({row.setting.label}): {row.failed} failed, "
            f"{row.discarded} discarded"
        )
