"""Evaluates a study: from the records of its runs to tables, curves, imprints and laws."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from jostle_lab.analysis.study import imprint as drops_of
from jostle_lab.analysis.study.balance import balances
from jostle_lab.analysis.study.cells import break_even, cells, curves, serialised
from jostle_lab.analysis.study.foreign import served
from jostle_lab.analysis.study.intervals import median, summary
from jostle_lab.analysis.study.measure import (
    Alone,
    MeasuredPair,
    Reference,
    Source,
    foreign_alone,
    foreign_measured,
    measure_alone,
    measure_pair,
)
from jostle_lab.analysis.study.model import (
    Cell,
    Imprint,
    Setting,
    Standalone,
    StudyNote,
    StudyResult,
    Trace,
)
from jostle_lab.analysis.study.pairs import JobProgress, outliers
from jostle_lab.analysis.study.runs import RunProgram, StudyRun, further_axes, read_runs, setting_of
from jostle_lab.analysis.study.unequal_sizes import kuo

#: Gives the bursts of a job from its signal's log, ns; nothing where there is no log.
Bursts = Callable[[str], Sequence[tuple[int, int]]]

# With fewer slices than this, the slices at the edges alone make a rate uncertain.
_SHORT = 5
_FEW = 3


@dataclass(frozen=True)
class _Study:
    """The runs of a study and what was measured in them: the input of each part of evaluating."""

    runs: Sequence[StudyRun]
    source: Source
    bursts: Bursts | None
    axes: Sequence[str]
    references: dict[str, Reference]
    measured: Sequence[MeasuredPair]


def evaluate(
    records: Sequence[Mapping[str, Any]],
    progress: Source,
    bursts: Bursts | None = None,
    *,
    planned: int = 0,
    unsynchronised: Sequence[str] = (),
    servers: pa.Table | None = None,
) -> StudyResult:
    """Evaluate the runs of a study as the papers do.

    Args:
        records: Records of the runs (lab/docs/reference/study.md).
        progress: Function that returns the progress of a job in a metric (`ProgressTables`).
        bursts: Function that returns the bursts of a periodic signal from its log. Without it,
            bursts are computed from the period of a signal of jostle, and detected in the slices of
            any other program.
        planned: Number of runs in the study's plan.
        unsynchronised: Jobs that ran on nodes whose clocks are not known to agree.
        servers: Data that the servers of the mounts under study moved (Repository.served).

    Returns:
        All results. Runs that failed, were disturbed or cannot be used are listed
        separately, with the reason.

    Raises:
        RecordError: A record lacks a required field.
    """
    runs = read_runs(records)
    if servers is not None and servers.num_rows:
        runs = [
            replace(run, served=served(servers, run.resource, run.begin_ns, run.end_ns))
            for run in runs
        ]
    alone = [run for run in runs if len(run.programs) == 1]
    both = [run for run in runs if len(run.programs) == 2]
    references = _references(alone, progress)
    measured = [_measured(run, references, progress) for run in both]
    study = _Study(runs, progress, bursts, further_axes(both or alone), references, measured)
    found = cells(measured, references, study.axes)
    lines = curves(found)
    return StudyResult(
        runs[0].study if runs else "",
        runs[0].place if runs else "",
        runs[0].slice_ns if runs else 0,
        len(runs),
        planned,
        list(dict.fromkeys(program.name for run in runs for program in run.programs)),
        list(dict.fromkeys(cell.setting for cell in found)),
        [_standalone(reference, study) for reference in references.values()],
        found,
        lines,
        break_even(lines),
        serialised(found),
        kuo(measured, references, study.axes),
        _imprints(study),
        _traces(found, study),
        _notes(study, found, planned, unsynchronised),
        balances(references.values(), study.axes),
    )


def _references(runs: Sequence[StudyRun], source: Source) -> dict[str, Reference]:
    groups: dict[str, list[Alone]] = {}
    for run in sorted(runs, key=lambda run: run.repetition):
        groups.setdefault(run.programs[0].baseline, []).append(measure_alone(run, source))
    references = {}
    for baseline, group in groups.items():
        reference = Reference(group[0].program, foreign_alone(group))
        rates = [run.rate or 0.0 for run in reference.runs if run.verdict == "kept"]
        reference.outlier = outliers(rates).tolist()
        references[baseline] = reference
    return references


def _measured(run: StudyRun, references: dict[str, Reference], source: Source) -> MeasuredPair:
    reference, other = (references.get(program.baseline) for program in run.programs)
    return measure_pair(run, (reference, other), source)


def _standalone(reference: Reference, study: _Study) -> Standalone:
    program, kept = reference.program, reference.kept
    whole = [run for run in reference.runs if run.verdict == "kept"]
    work = median([run.progress.total for run in kept if run.progress is not None])
    verdicts = [run.verdict for run in reference.runs]
    return Standalone(
        program.name,
        setting_of(reference.runs[0].run, 0, study.axes),
        program.pattern,
        program.metric,
        len(program.nodes),
        work,
        summary(reference.rates),
        max(reference.rates, default=None),
        summary([run.overall for run in kept]),
        summary([run.program.seconds for run in kept]),
        [run.rate or 0.0 for run in whole],
        reference.outlier,
        reference.protocol,
        verdicts.count("discarded"),
        verdicts.count("failed"),
    )


# The drops of periodic signals.


def _imprints(study: _Study) -> list[Imprint]:
    imprints = [_pair_imprint(pair, study) for pair in study.measured if pair.verdict == "kept"]
    imprints += [
        _split_imprint(run, study)
        for reference in study.references.values()
        for run in reference.kept
        if run.program.split and run.program.period_ns and run.program.duty > 0
    ]
    return [imprint for imprint in imprints if imprint is not None]


def _pair_imprint(pair: MeasuredPair, study: _Study) -> Imprint | None:
    probe, signal = pair.run.programs
    progress, theirs = pair.progress
    if not signal.period_ns or progress is None:
        return None
    reference = study.references.get(probe.baseline)
    alone = [run.progress for run in reference.kept if run.progress] if reference else []
    return _imprint(
        pair.run, (probe.name, signal), progress, _bursts(signal, theirs, study), alone, study
    )


def _split_imprint(run: Alone, study: _Study) -> Imprint | None:
    """Detect noise of one half of a program's ranks in the other (Shah et al., 2013, §III)."""
    own = run.program
    if run.progress is None:
        return None
    quiet = [
        one.progress
        for reference in study.references.values()
        for one in reference.kept
        if one.progress is not None
        and one.program.split
        and one.program.duty <= 0
        and (one.program.pattern, one.program.chunk, one.program.processes)
        == (own.pattern, own.chunk, own.processes)
    ]
    return _imprint(run.run, (own.name, own), run.progress, _bursts(own, None, study), quiet, study)


def _imprint(
    run: StudyRun,
    names: tuple[str, RunProgram],
    progress: JobProgress,
    signal_bursts: tuple[str, list[tuple[int, int]]],
    alone: Sequence[JobProgress],
    study: _Study,
) -> Imprint:
    probe, signal = names
    source, bursts = signal_bursts
    drops = drops_of.drops(progress, bursts, int(signal.period_ns * signal.duty))
    seen = sum(drop.seen for drop in drops)
    return Imprint(
        probe,
        signal.name,
        setting_of(run, 0, study.axes),
        run.run,
        signal.period_ns / 1e9,
        source,
        drops,
        seen,
        len(drops),
        *drops_of.probability(seen, len(drops)),
        summary([drop.depth for drop in drops]),
        drops_of.false_rate(alone, signal.period_ns, int(signal.period_ns * signal.duty)),
        drops_of.TEST,
    )


def _bursts(
    signal: RunProgram, progress: JobProgress | None, study: _Study
) -> tuple[str, list[tuple[int, int]]]:
    """Find the bursts of a signal from its log, from its period, or from its slices."""
    logged = sorted(study.bursts(signal.job)) if study.bursts else []
    if logged:
        return "log", logged
    if signal.pattern:
        return "rule", drops_of.bursts_between(
            signal.begin_ns, signal.end_ns, signal.period_ns, signal.duty, signal.phase_ns
        )
    return "profile", drops_of.bursts_seen_in(progress) if progress else []


# Runs slice by slice, for drawing.


def _traces(found: Sequence[Cell], study: _Study) -> list[Trace]:
    pairs = {pair.run.run: pair for pair in study.measured}
    traces = []
    for cell in found:
        run = cell.best or next((repetition.run for repetition in cell.repetitions), "")
        pair = pairs.get(run)
        if pair is not None:
            trace = _pair_trace(cell, pair, study)
            traces += [trace] if trace else []
    for reference in study.references.values():
        if (middle := reference.middle) is not None and middle.progress is not None:
            traces.append(_alone_trace(middle, middle.progress, study))
    return traces


def _pair_trace(cell: Cell, pair: MeasuredPair, study: _Study) -> Trace | None:
    probe = next(place for place in (0, 1) if _is_probe(cell, pair, place, study))
    own, other = pair.progress[probe], pair.progress[1 - probe]
    known = [progress for progress in (own, other) if progress is not None and progress.active]
    if own is None or not known:
        return None
    first = min(progress.first_slice for progress in known)
    last = max(progress.last_slice for progress in known)
    slice_ns = own.slice_ns
    signal = pair.run.programs[1 - probe]
    middle = _alone_progress(pair.run.programs[probe], study)
    bursts = _bursts(signal, other, study)[1] if signal.period_ns else []
    return Trace(
        cell.probe,
        cell.signal,
        cell.setting,
        pair.run.run,
        cell.metric,
        signal.metric,
        first * slice_ns,
        slice_ns,
        _rates(own, first, last),
        _rates(other, first, last) if other else [],
        _rates(middle, middle.first_slice, middle.last_slice) if middle else [],
        own.first_slice - first,
        _shifted(pair.window, first),
        _shifted(pair.overlap, first),
        _from(first * slice_ns, bursts),
    )


def _is_probe(cell: Cell, pair: MeasuredPair, place: int, study: _Study) -> bool:
    names = [program.name for program in pair.run.programs]
    seen = (names[place], names[1 - place], setting_of(pair.run, place, study.axes))
    return seen == (cell.probe, cell.signal, cell.setting)


def _alone_progress(program: RunProgram, study: _Study) -> JobProgress | None:
    reference = study.references.get(program.baseline)
    middle = reference.middle if reference else None
    return middle.progress if middle else None


def _alone_trace(run: Alone, progress: JobProgress, study: _Study) -> Trace:
    first, last = progress.first_slice, progress.last_slice
    setting: Setting = setting_of(run.run, 0, study.axes)
    bursts = _bursts(run.program, None, study)[1] if run.program.split else []
    return Trace(
        run.program.name,
        "",
        setting,
        run.run.run,
        run.program.metric,
        "",
        first * progress.slice_ns,
        progress.slice_ns,
        _rates(progress, first, last),
        [],
        [],
        0,
        _shifted(run.window, first),
        None,
        _from(first * progress.slice_ns, bursts),
    )


def _from(start_ns: int, bursts: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    return [((begin - start_ns) / 1e9, (end - start_ns) / 1e9) for begin, end in bursts]


def _rates(progress: JobProgress, first: int, last: int) -> list[float]:
    each = progress.between(first, last).sum(axis=0) / (progress.slice_ns / 1e9)
    values: list[float] = each.tolist()
    return values


def _shifted(region: tuple[int, int] | None, first: int) -> tuple[int, int] | None:
    return None if region is None else (region[0] - first, region[1] - first)


# What readers of the figures should know.


def _notes(
    study: _Study, found: Sequence[Cell], planned: int, unsynchronised: Sequence[str]
) -> list[StudyNote]:
    notes = []
    if unsynchronised:
        notes.append(_note_clock(study, unsynchronised))
    if planned > len(study.runs):
        text = f"{len(study.runs)} of {planned} runs are done; `jostle study run` makes the others."
        notes.append(StudyNote("missing", text, []))
    notes += _note_verdicts(study)
    notes += _note_foreign(study)
    notes += _note_repetitions(study, found)
    notes += _note_overlap(study)
    notes += _note_baselines(study)
    return notes


def _note_clock(study: _Study, jobs: Sequence[str]) -> StudyNote:
    named = set(jobs)
    runs = [
        run.run
        for run in study.runs
        if any(run_program.job in named for run_program in run.programs)
    ]
    text = (
        "The clocks of the nodes may not be synchronised, so slices of different nodes may not "
        "be of the same instant. Rates and degradation are correct; overlap and imprints may be "
        "wrong. Start chrony or ntpd on the nodes."
    )
    return StudyNote("clock", text, runs)


def _note_verdicts(study: _Study) -> list[StudyNote]:
    verdicts = [
        (measured_pair.run.run, measured_pair.verdict, measured_pair.reason)
        for measured_pair in study.measured
    ]
    for reference in study.references.values():
        verdicts += [(one.run.run, one.verdict, one.reason) for one in reference.runs]
    groups: dict[tuple[str, str], list[str]] = {}
    for run, verdict, reason in verdicts:
        if verdict != "kept":
            # Each run has another amount of foreign traffic; one note is about all of these runs.
            key = reason if verdict == "failed" else re.sub(r"\d+%", "%", reason)
            groups.setdefault((verdict, key), []).append(run)
    words = {"failed": "failed", "discarded": "left out", "unusable": "unusable"}
    reasons = {run: reason for run, _, reason in verdicts}
    return [
        StudyNote(
            "foreign" if verdict == "discarded" else verdict,
            f"{len(runs)} run{'s' if len(runs) > 1 else ''} {words[verdict]}: {reasons[runs[0]]}",
            runs,
        )
        for (verdict, _), runs in groups.items()
    ]


def _note_foreign(study: _Study) -> list[StudyNote]:
    """Add a note about runs in which foreign traffic could not be measured."""
    kept = {pair.run.run for pair in study.measured if pair.verdict == "kept"}
    for reference in study.references.values():
        kept |= {one.run.run for one in reference.runs if one.verdict == "kept"}
    runs = [run for run in study.runs if run.run in kept]
    without = [
        run.run
        for run in runs
        if not foreign_measured(
            run, [study.references.get(each.baseline) for each in run.programs], study.source
        )
    ]
    if not without:
        return []
    reason = "no agent on the servers"
    if any(run.server or run.served for run in runs if run.run in without):
        reason = "the servers' counters do not separate the traffic of different jobs"
    elif any(run.served for run in runs):
        reason = "no agent watched all servers all the time"
    which = "" if len(without) == len(runs) else f" in {len(without)} of {len(runs)} runs"
    text = (
        f"Foreign traffic was not measured{which}: {reason}. Some of the runs that count may "
        "have been disturbed by other jobs."
    )
    return [StudyNote("foreign", text, without)]


def _note_repetitions(study: _Study, found: Sequence[Cell]) -> list[StudyNote]:
    few = [cell for cell in found if cell.degradation.n < _FEW]
    few_alone = [
        reference for reference in study.references.values() if len(reference.rates) < _FEW
    ]
    if not few and not few_alone:
        return []
    cells = f"{len(few)} of {len(found)} cells and " if found else ""
    text = (
        f"{cells}{len(few_alone)} of {len(study.references)} "
        f"standalone programs have fewer than {_FEW} runs that count: their spread says little; "
        "raise `repetitions` in the study."
    )
    return [StudyNote("repetitions", text, [])]


def _note_overlap(study: _Study) -> list[StudyNote]:
    short = [
        pair.run.run
        for pair in study.measured
        if pair.verdict == "kept"
        and pair.window is not None
        and pair.window[1] - pair.window[0] + 1 < _SHORT
    ]
    if not short:
        return []
    text = (
        f"In {len(short)} runs fewer than {_SHORT} slices count: give the programs more to do, or "
        f"use shorter slices."
    )
    return [StudyNote("overlap", text, short)]


def _note_baselines(study: _Study) -> list[StudyNote]:
    without = {
        program.name
        for pair in study.measured
        for program in pair.run.programs
        if not (reference := study.references.get(program.baseline)) or not reference.rates
    }
    if not without:
        return []
    text = f"No standalone run of {', '.join(sorted(without))} counts: degradation is not known."
    return [StudyNote("baseline", text, [])]
