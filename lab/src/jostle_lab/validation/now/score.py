"""Compares jostle's answers about running jobs with the injected disturbances. Pure functions.

The truth comes from logs alone: when each disturbance began and ended, and how long each job took
per unit of its work in each slice.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jostle_lab.validation.now.asked import Answer, JobAnswer, NewChange
from jostle_lab.validation.now.plan import OWN, SERVER, SLICE_NS, UNPROFILED, Disturbance
from jostle_lab.validation.now.programs import APART, culprit
from jostle_lab.validation.now.runner import Record

#: A disturbance that makes a unit of work take less longer than this has done no harm, percent; one
#: below the second value has no effect.
VISIBLE, NO_EFFECT = 10.0, 5.0
#: Least present loss to other jobs that counts as shown, percent: that from which alerts are sent.
SHOWN = 5.0
#: Slices after a disturbance in which its answer may come, and which are not undisturbed.
AFTER = 6
#: Fewest undisturbed slices that give a usual time, and most, the newest ones.
_FEWEST, _MOST = 5, 30
#: Answers about one job that are no further apart are one false alarm, s.
_ONE_ALARM_S = 10.0
#: Goal: a person at a terminal sees within this time who slows his job, s.
GOAL_S = 10.0
#: Program of load without a profile.
_UNPROFILED_PROGRAM = "jostle-signal"
_CORES = "node"


@dataclass(frozen=True)
class Row:
    """One disturbance and jostle's answer.

    What cannot be known is None. Times count from the begin of the disturbance by the log.

    Attributes:
        session: Number of the session.
        number: Number of the disturbance in the session, from 1.
        fs: File system of the lab.
        kind: Kind of the disturbance.
        target: The job that it slows.
        cause: What was injected.
        resident: Whether the culprit already ran before, without load.
        length_s: Length of the disturbance, s.
        jobs: Number of jobs that ran concurrently, without the culprit.
        error: Reason why the session failed; if it did, the following fields are empty.
        slowed: By how much a unit of the target's work took longer, percent, by the target's log.
        seen_s: Time until an answer showed that the target was slower.
        seen_slices: Slices of the disturbance on which this answer was based.
        what: What was slower by this answer.
        named_s: Time until an answer named somebody.
        first: The first suspect of that answer; "" if nobody was named.
        right: Whether that suspect is the culprit. If no job is: whether nobody was named.
    """

    session: int
    number: int
    fs: str
    kind: str
    target: str
    cause: str
    resident: bool
    length_s: float
    jobs: int
    error: str = ""
    slowed: float | None = None
    seen_s: float | None = None
    seen_slices: float | None = None
    what: str = ""
    named_s: float | None = None
    first: str = ""
    right: bool | None = None

    @property
    def counts(self) -> bool:
        """Whether the disturbance slowed its target."""
        return not self.error and self.slowed is not None and self.slowed >= VISIBLE

    @property
    def has_culprit(self) -> bool:
        """Whether another job, or load without a profile, is the culprit."""
        return self.kind not in (OWN, SERVER)


@dataclass(frozen=True)
class SessionRow:
    """The false alarms of a session.

    Attributes:
        session: Number of the session.
        fs: File system of the lab.
        jobs: Number of jobs.
        seconds: Length of the session, s.
        learned_s: Time from the start of the session until the usual times of all jobs that are
            disturbed were known, s; None: they never were.
        answers: Number of answers.
        answer_s: 95th percentile of the time that an answer took, s.
        calm_s: Time without disturbance, summed over the jobs, s.
        alarms: Number of false alarms in this time.
        alarm: The false alarms.
        error: Reason why the session failed.
    """

    session: int
    fs: str
    jobs: int
    seconds: float
    learned_s: float | None = None
    answers: int = 0
    answer_s: float | None = None
    calm_s: float = 0.0
    alarms: int = 0
    alarm: str = ""
    error: str = ""


# ---- the truth ----------------------------------------------------------------------------------
Work = Sequence[tuple[int, int, int]]
Spans = Sequence[tuple[int, int]]


def windows(spans: Spans) -> list[tuple[int, int]]:
    """Return the spans of disturbances, each with the time after it in which it has effects."""
    return [(begin, end + AFTER * SLICE_NS) for begin, end in spans]


def slowed(work: Work, spans: Spans, number: int) -> float | None:
    """Return by how many percent a unit of work took longer during a disturbance.

    It is compared with the newest undisturbed slices before it.

    Args:
        work: The job's work in each slice.
        spans: Begin and end of all disturbances, in ns.
        number: Number of the disturbance, counted from 0.

    Returns:
        The percentage; None if there are too few undisturbed slices. A job that finished nothing
        during the disturbance took at least so long for one unit.
    """
    begin, end = spans[number]
    others = windows(spans)
    calm = [
        ns / units
        for slice_, units, ns in work
        if (slice_ + 1) * SLICE_NS <= begin
        and not _overlaps(others, slice_ * SLICE_NS, (slice_ + 1) * SLICE_NS)
    ]
    if len(calm) < _FEWEST:
        return None
    usual = statistics.median(calm[-_MOST:])
    inside = [
        (units, ns)
        for slice_, units, ns in work
        if begin <= slice_ * SLICE_NS and (slice_ + 1) * SLICE_NS <= end
    ]
    units = sum(each[0] for each in inside)
    took = sum(each[1] for each in inside) / units if units else float(end - begin)
    return 100 * (took / usual - 1)


def _overlaps(spans: Spans, begin: int, end: int) -> bool:
    return any(begin < b and a < end for a, b in spans)


# ---- the answers --------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Shown:
    """What one answer shows about a job: that it is slower, and who is suspected.

    Attributes:
        what: What is slower.
        suspects: The suspects; empty: nobody is named.
    """

    what: str
    suspects: tuple[str, ...] = ()


def _shown(job: JobAnswer, since_ns: int, *, cores: bool) -> Iterator[_Shown]:
    """Yield what an answer newly shows about a job: new changes, then the present loss.

    Args:
        job: The answer about the job.
        since_ns: Changes that were found before are of no interest.
        cores: Whether what is said about cores counts, see `own_cores`.
    """
    for change in job.changes:
        if change.kind != "slower" or (change.resource_kind == _CORES and not cores):
            continue
        if change.found_ns > since_ns:
            yield _Shown(_what(change), change.suspects if _by_others(change.because) else ())
    yield from _loss(job, cores=cores)


def _loss(job: JobAnswer, *, cores: bool) -> Iterator[_Shown]:
    """Yield the present loss of a job to other jobs, if it is shown."""
    counts = cores or job.resource_kind != _CORES
    if counts and job.now_percent >= SHOWN and _by_others(job.because) and job.suspects:
        yield _Shown(f"loss on {job.place}", job.suspects)


def own_cores(record: Record, job: str) -> bool:
    """Return whether the cores of a job's node are those of no other host of the lab.

    RATIONALE: what jostle says about the cores of other nodes is left out, as all hosts of a lab
    but node1 share the same ones. Any load there does take core time from every job, and is
    correctly named for it. On a cluster each node and server has cores of its own.
    """
    return record.session.job(job).nodes[0] == APART


def _what(change: NewChange) -> str:
    return f"{change.what} {change.percent:+.0f} %"


def _by_others(because: str | None) -> bool:
    return because == "other jobs"


def assess(record: Record, answers: Sequence[Answer]) -> list[Row]:
    """Compare each disturbance of a session with jostle's answers."""
    return [_assessed(record, answers, at) for at in range(len(record.session.disturbances))]


def _assessed(record: Record, answers: Sequence[Answer], at: int) -> Row:
    one = record.session.disturbances[at]
    target = f"{record.prefix}-{one.target}"
    begin, end = windows(record.spans)[at]
    found = {**described(record, at), "slowed": slowed(record.work[target], record.spans, at)}
    cores = own_cores(record, one.target)
    known: set[_Shown] = set(_before(answers, target, begin))
    for answer in answers:
        job = answer.jobs.get(target)
        if job is None or job.seen_ns <= begin or answer.got_ns > end:
            continue
        for shown in _shown(job, begin, cores=cores):
            if _same(known, shown):
                continue
            if "seen_s" not in found:
                found["seen_s"] = (answer.got_ns - begin) / 1e9
                found["seen_slices"] = math.ceil((job.seen_ns - begin) / SLICE_NS)
                found["what"] = shown.what
            if shown.suspects and "named_s" not in found:
                found["named_s"] = (answer.got_ns - begin) / 1e9
                found["first"] = shown.suspects[0].removeprefix(f"{record.prefix}-")
    found["right"] = _is_right(one, at, str(found.get("first", "")))
    return Row(**found)  # type: ignore[arg-type]


def _before(answers: Sequence[Answer], target: str, begin_ns: int) -> Iterator[_Shown]:
    """Yield the loss that the last answer before a disturbance already showed."""
    earlier = [each for each in answers if each.got_ns <= begin_ns and target in each.jobs]
    if earlier:
        yield from _loss(earlier[-1].jobs[target], cores=True)


def _same(known: set[_Shown], shown: _Shown) -> bool:
    """Return whether a loss was already shown before: same place, same first suspect."""
    return any(
        each.what == shown.what and each.suspects[:1] == shown.suspects[:1] for each in known
    )


def _is_right(one: Disturbance, at: int, first: str) -> bool:
    """Return whether the first suspect is the culprit; if no job is, whether nobody was named."""
    if one.kind == OWN:
        return not first
    if one.kind == SERVER:
        return not first or one.nodes[0] in first
    if one.kind == UNPROFILED:
        return first.startswith(_UNPROFILED_PROGRAM) or one.nodes[0] in first
    return first == culprit(at)


def described(record: Record, at: int) -> dict[str, object]:
    """Return the fields of a row that describe what was injected."""
    session = record.session
    one = session.disturbances[at]
    length = one.length_s
    if record.spans:
        length = (record.spans[at][1] - record.spans[at][0]) / 1e9
    return {
        "session": session.number,
        "number": at + 1,
        "fs": session.fs,
        "kind": one.kind,
        "target": one.target,
        "cause": str(one),
        "resident": one.resident,
        "length_s": length,
        "jobs": len(session.jobs),
    }


def failed(record: Record, error: str) -> list[Row]:
    """Return the rows of a session that failed, or could not be assessed."""
    return [
        Row(**described(record, at), error=error)  # type: ignore[arg-type]
        for at in range(len(record.session.disturbances))
    ]


# ---- false alarms -------------------------------------------------------------------------------
def alarms(record: Record, answers: Sequence[Answer]) -> SessionRow:
    """Return the false alarms of a session.

    An answer is a false alarm if it names somebody who slows a job at a time at which nothing was
    injected, or during a disturbance that did not slow this job by its log.
    """
    session, names, calm = record.session, [], 0.0
    for job in session.jobs:
        name = f"{record.prefix}-{job.name}"
        disturbed, cores = _disturbing(record, name), own_cores(record, job.name)
        calm += _outside((record.start_ns, record.end_ns), disturbed)
        last_s = -math.inf
        for answer in answers:
            if not record.start_ns < answer.got_ns <= record.end_ns:
                continue
            about = answer.jobs.get(name)
            named = about and next(_alarms(about, record.start_ns, disturbed, cores=cores), None)
            if not named:
                continue
            at_s = (answer.got_ns - record.start_ns) / 1e9
            if at_s - last_s > _ONE_ALARM_S:
                who = named.suspects[0].removeprefix(f"{record.prefix}-")
                names.append(f"{job.name} at {at_s:.0f} s: {who}, {named.what}")
            last_s = at_s
    took = sorted((each.got_ns - each.asked_ns) / 1e9 for each in answers)
    return SessionRow(
        session.number,
        session.fs,
        len(session.jobs),
        session.seconds,
        _learned(record, answers),
        len(answers),
        took[int(0.95 * (len(took) - 1))] if took else None,
        calm,
        len(names),
        "; ".join(names),
    )


def _alarms(job: JobAnswer, since_ns: int, disturbed: Spans, *, cores: bool) -> Iterator[_Shown]:
    """Yield what an answer about a job names that was not injected."""
    for change in job.changes:
        if change.kind != "slower" or not _by_others(change.because) or not change.suspects:
            continue
        if change.resource_kind == _CORES and not cores:
            continue
        if change.found_ns > since_ns and not _overlaps(disturbed, change.at_ns, change.found_ns):
            yield _Shown(_what(change), change.suspects)
    if not _overlaps(disturbed, job.seen_ns - SLICE_NS, job.seen_ns):
        yield from _loss(job, cores=cores)


def _disturbing(record: Record, name: str) -> list[tuple[int, int]]:
    """Return the windows of the disturbances that had, or may have had, an effect on a job."""
    found = []
    for at, window in enumerate(windows(record.spans)):
        much = slowed(record.work[name], record.spans, at)
        is_target = name == f"{record.prefix}-{record.session.disturbances[at].target}"
        if is_target or much is None or much >= NO_EFFECT:
            found.append(window)
    return found


def _outside(span: tuple[int, int], windows: Spans) -> float:
    """Return the time of a span that is in no window, s."""
    left, at = 0, span[0]
    for begin, end in sorted(windows):
        left += max(min(begin, span[1]) - at, 0)
        at = max(at, end)
    return (left + max(span[1] - at, 0)) / 1e9


def _learned(record: Record, answers: Sequence[Answer]) -> float | None:
    names = {f"{record.prefix}-{one.target}" for one in record.session.disturbances}
    for answer in answers:
        if all(name in answer.jobs and not answer.jobs[name].learning for name in names):
            return (answer.got_ns - record.start_ns) / 1e9
    return None


def without_alarms(record: Record, error: str) -> SessionRow:
    """Return the row of a session that failed."""
    session = record.session
    return SessionRow(session.number, session.fs, len(session.jobs), session.seconds, error=error)


# ---- sums ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Summary:
    """Scores over some disturbances.

    Attributes:
        injected: Number of disturbances of sessions that did not fail.
        harmful: Number of those that slowed their target, and of own phases.
        seen: Number of harmful ones that an answer showed.
        seen_s, late_s: Median and 90th percentile of the time until then, s.
        seen_slices, late_slices: The same in slices.
        named: Number of harmful ones in which somebody was named.
        named_s: Median of the time until then, s.
        right: Number of harmful ones with the right answer.
        in_time: Number of harmful ones whose culprit was named first, within GOAL_S.
    """

    injected: int
    harmful: int
    seen: int
    seen_s: float | None
    late_s: float | None
    seen_slices: float | None
    late_slices: float | None
    named: int
    named_s: float | None
    right: int
    in_time: int


def summary(rows: Sequence[Row]) -> Summary:
    """Return the scores over rows.

    All own phases count, whether they slowed their target or not: nobody may be named in any.
    """
    made = [row for row in rows if not row.error]
    harmful = [row for row in made if row.counts or row.kind == OWN]
    seen = [row for row in harmful if row.seen_s is not None]
    times = [row.seen_s for row in seen if row.seen_s is not None]
    slices = [row.seen_slices for row in seen if row.seen_slices is not None]
    named = [row.named_s for row in harmful if row.named_s is not None]
    return Summary(
        len(made),
        len(harmful),
        len(seen),
        quantile(times, 0.5),
        quantile(times, 0.9),
        quantile(slices, 0.5),
        quantile(slices, 0.9),
        len(named),
        quantile(named, 0.5),
        sum(bool(row.right) for row in harmful),
        sum(bool(row.right) and (row.named_s or math.inf) <= GOAL_S for row in harmful),
    )


def quantile(values: Sequence[float], part: float) -> float | None:
    """Return a quantile: the smallest value that at least this part of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(part * len(ordered)) - 1, 0)] if ordered else None


def by_kind(rows: Sequence[Row], kinds: Sequence[str]) -> Mapping[str, list[Row]]:
    """Return the rows of each kind that has any."""
    found = {kind: [row for row in rows if row.kind == kind] for kind in kinds}
    return {kind: some for kind, some in found.items() if some}
