"""Measures each run of a study, standalone or of a pair, from its slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from jostle.analysis import number
from jostle_lab.analysis.study import pairs
from jostle_lab.analysis.study.foreign import excess, own_bytes
from jostle_lab.analysis.study.intervals import median
from jostle_lab.analysis.study.model import Repetition, Side
from jostle_lab.analysis.study.pairs import JobProgress, Region
from jostle_lab.analysis.study.runs import RunProgram, StudyRun, comparable

#: Gives the progress of a job in a metric; None where nothing is known.
Source = Callable[[str, str], JobProgress | None]

# A program whose first operation lies this far into a slice does not own that slice.
_LATE = 0.05
# A command's first slice is left out where at least this many remain.
_ENOUGH = 4
# Work is "fixed" if a program did the same in both runs, up to this.
_SAME_WORK = 0.02
#: With fewer slices than this there is no rate.
FEWEST_SLICES = 3
# Metrics whose operations appear as time in file calls.
_FILES = frozenset({"bytes", "read_bytes", "closes", "operations"})
# A disk's counter explains our traffic if in most standalone runs it shows the same ratio to it.
_AGREE = 1.1


@dataclass(frozen=True)
class Alone:
    """One standalone run of a program, as far as it can be measured."""

    run: StudyRun
    program: RunProgram
    progress: JobProgress | None
    verdict: str
    reason: str
    window: Region | None = None
    rate: float | None = None
    overall: float | None = None
    service_ns: float | None = None
    protocol: float | None = None


@dataclass
class Reference:
    """A standalone program: the reference of its runs in pairs.

    Attributes:
        program: The program, as described in its first run.
        runs: All standalone runs of the program.
        outlier: Whether each of the kept runs is an outlier by the rule of Kuo et al. (2013).
    """

    program: RunProgram
    runs: list[Alone]
    outlier: list[bool] = field(default_factory=list)

    @property
    def kept(self) -> list[Alone]:
        """The standalone runs that count."""
        whole = [run for run in self.runs if run.verdict == "kept"]
        return [run for run, out in zip(whole, self.outlier, strict=True) if not out]

    @property
    def rates(self) -> list[float]:
        """The rates of the runs that count."""
        return [run.rate for run in self.kept if run.rate is not None]

    @property
    def protocol(self) -> float | None:
        """Bytes at the server per byte that the program moved."""
        return median([run.protocol for run in self.kept])

    @property
    def explained(self) -> bool:
        """Whether the servers' counter shows what the program writes."""
        return _explained(self.kept)

    @property
    def middle(self) -> Alone | None:
        """The run whose rate is nearest to the median."""
        goal = median(self.rates)
        runs = [run for run in self.kept if run.rate is not None]
        if goal is None or not runs:
            return None
        return min(runs, key=lambda run: abs((run.rate or 0.0) - goal))


@dataclass(frozen=True)
class MeasuredPair:
    """One run of two programs: its record and slices, and what was measured for each program."""

    run: StudyRun
    progress: tuple[JobProgress | None, JobProgress | None]
    window: Region | None
    overlap: Region | None
    verdict: str
    reason: str
    sides: tuple[Side, Side]
    spread: float | None
    foreign: float | None
    exclusive: float | None

    def seen_from(self, probe: int) -> Repetition:
        """Return the results of the run with one of its programs as the probe."""
        return Repetition(
            self.run.run,
            self.run.repetition,
            self.verdict,
            self.reason,
            self.sides[probe],
            self.sides[1 - probe],
            _length(self.window),
            _length(self.overlap),
            self.spread,
            self.foreign,
            self.exclusive,
        )


def _length(region: Region | None) -> int:
    return 0 if region is None else region[1] - region[0] + 1


def own_window(program: RunProgram, progress: JobProgress) -> Region | None:
    """Find the part of a run that counts for a program: from its begin to 90 % of its work.

    Slices that are only partly its own are left out: the first unless it began at a boundary, and
    the last, if it ended in the slice in which it reached 90 %.
    """
    if (active := progress.active) is None:
        return None
    first = _begin(program, progress, active)
    planned = program.volume if program.metric == "bytes" else None
    if planned is not None and progress.total >= planned * (1 - _SAME_WORK):
        planned = None
    last = active[1] if program.until_stopped else pairs.done_at(progress, planned)
    if last is None:
        last = active[1]
    if last == active[1] and last > first:
        last -= 1
    return (first, last) if first <= last else None


def _begin(program: RunProgram, progress: JobProgress, active: Region) -> int:
    length = progress.slice_ns
    if program.pattern and program.begin_ns:
        whole, into = divmod(program.begin_ns, length)
        return min(int(whole) + (into > _LATE * length), active[0] + 1)
    whole = max(active[0] + 1, progress.certain)
    return whole if active[1] - whole >= _ENOUGH - 1 else active[0]


def progress_of_program(program: RunProgram, source: Source) -> JobProgress | None:
    """Return a program's progress, long operations spread over the slices that they took."""
    progress = source(program.job, program.metric)
    busy = source(program.job, "busy_ns") if program.metric in _FILES else None
    if progress is None or busy is None:
        return progress
    since = program.begin_ns // progress.slice_ns if program.begin_ns else None
    return pairs.under_way(progress, busy, _one_operation(program, progress, source), since)


def _one_operation(program: RunProgram, progress: JobProgress, source: Source) -> float | None:
    """Return the amount of progress in one operation of a program."""
    if "bytes" not in program.metric:
        return 1.0
    if program.pattern:
        return program.chunk
    calls = source(program.job, "write_ops" if program.metric == "bytes" else "read_ops")
    return progress.total / calls.total if calls is not None and calls.total else None


def measure_alone(run: StudyRun, source: Source) -> Alone:
    """Measure a standalone run."""
    program = run.programs[0]
    progress = progress_of_program(program, source)
    if program.error:
        return Alone(run, program, progress, "failed", program.error)
    if run.discard:
        return Alone(run, program, progress, "discarded", run.discard)
    if progress is None or (window := own_window(program, progress)) is None:
        return Alone(run, program, None, "unusable", f"no {program.metric} were seen")
    others = _others(run, source)
    if others is not None and pairs.foreign(1.0, 1.0 + others):
        return Alone(run, program, progress, "discarded", too_much(others))
    overall = progress.total / program.seconds if program.seconds > 0 else None
    # Nothing disturbs it: of a run too short for slices, the rate over all of it but its end
    # serves.
    short = _length(window) < FEWEST_SLICES
    if short and (overall is None or program.seconds * 1e9 < run.slice_ns):
        return Alone(run, program, progress, "unusable", _short(window), window)
    return Alone(
        run,
        program,
        progress,
        "kept",
        "",
        window,
        overall if short else pairs.throughput(progress, *window),
        overall,
        service_time(program.job, window, source),
        _protocol(run, source),
    )


def service_time(job: str, window: Region, source: Source) -> float | None:
    """Return the mean time of a call that writes, syncs, opens or closes, ns; None without any."""
    spent, calls = source(job, "service_ns"), source(job, "service_ops")
    if spent is None or calls is None:
        return None
    made = float(calls.between(*window).sum())
    return float(spent.between(*window).sum()) / made if made else None


def _written(run: StudyRun, source: Source) -> list[float]:
    """Return the bytes that each program wrote while the servers were monitored."""
    until_ns = run.served.until_ns if run.served and not run.server else None
    return [own_bytes([source(program.job, "bytes")], until_ns) for program in run.programs]


def _server(run: StudyRun) -> float | None:
    """Return the bytes that the servers received over their link, or wrote to their disk."""
    if run.server:
        return run.counted(run.server)
    return run.served.written if run.served else None


def _others(run: StudyRun, source: Source) -> float | None:
    """Return other jobs' traffic at servers that count requests, divided by the study's traffic."""
    if run.served is None or not run.served.requests:
        return None
    read, written = (
        own_bytes([source(program.job, metric) for program in run.programs], run.served.until_ns)
        for metric in ("read_bytes", "bytes")
    )
    return excess(run.served, read, written)


def _protocol(run: StudyRun, source: Source) -> float | None:
    server, own = _server(run), sum(_written(run, source))
    return server / own if server is not None and own > 0 else None


def foreign_alone(runs: Sequence[Alone]) -> list[Alone]:
    """Discard standalone runs with more traffic than the quietest run of the same kind."""
    factors = [run.protocol for run in runs if run.verdict == "kept" and run.protocol]
    least = min(factors, default=1.0)
    if not _explained(runs) or any(_by_requests(run.run) for run in runs):
        return list(runs)
    return [
        _discarded(run, run.protocol / least - 1)
        if run.verdict == "kept" and run.protocol and pairs.foreign(1.0, run.protocol, least)
        else run
        for run in runs
    ]


def _explained(runs: Sequence[Alone]) -> bool:
    """Return whether the servers' counter shows what a program writes.

    A counter of a link to a server shows it. A counter of a disk may not: writes are cached, and
    the disk does not know which program wrote. Such a counter is used if its ratio to the written
    bytes is the same in most standalone runs.
    """
    kept = [run for run in runs if run.verdict == "kept" and run.protocol]
    if any(run.run.own or _by_requests(run.run) for run in kept):
        return True
    factors = sorted(run.protocol or 0.0 for run in kept)
    return len(factors) > 1 and factors[len(factors) // 2] <= _AGREE * factors[0]


def _by_requests(run: StudyRun) -> bool:
    """Return whether the servers' traffic is counted by requests, not by a link or disk."""
    return not run.server and run.served is not None and run.served.requests


def _discarded(run: Alone, share: float) -> Alone:
    return Alone(run.run, run.program, run.progress, "discarded", too_much(share))


def too_much(share: float) -> str:
    """Return the reason why a run with too much traffic of other jobs is left out."""
    return f"the servers received {share:.0%} more than the study's own traffic; 10 % is allowed"


def foreign_share(
    run: StudyRun, references: Sequence[Reference | None], source: Source
) -> float | None:
    """Return the servers' traffic divided by the study's own traffic, minus 1.

    If the servers count requests, their count is compared with the data that the programs moved.
    Otherwise there are two estimates of the study's own traffic: the data that the programs wrote,
    times the overhead of the protocol in their standalone runs; and, if the links of the nodes are
    counted, the data that left the nodes. The largest of the results is returned.
    """
    others = _others(run, source)
    if _by_requests(run):
        return others
    server, own = _server(run), _written(run, source)
    if server is None or sum(own) <= 0:
        return others  # a program that writes nothing is not disturbed by others' writes
    if not run.own and not all(reference and reference.explained for reference in references):
        return others
    found = [] if others is None else [others]
    factors = [reference.protocol if reference else None for reference in references]
    usual = median(factors) or 1.0
    expected = sum(part * (factor or usual) for part, factor in zip(own, factors, strict=True))
    if expected > 0:
        found.append(server / expected - 1)
    left = _left_nodes(run)
    if left:
        found.append(server / left - 1)
    return max(found, default=None)


def foreign_measured(run: StudyRun, references: Sequence[Reference | None], source: Source) -> bool:
    """Return whether other jobs' traffic at the servers is known, or the run writes no data."""
    if len(run.programs) > 1:
        return foreign_share(run, references, source) is not None or not sum(_written(run, source))
    if not sum(_written(run, source)) or _others(run, source) is not None:
        return True
    return _protocol(run, source) is not None and bool(references[0] and references[0].explained)


def _left_nodes(run: StudyRun) -> float | None:
    """Return the bytes that the nodes of the run sent to the servers, by their link counters."""
    sent = [run.counted(name) for name in run.own]
    return sum(part or 0.0 for part in sent) if sent and None not in sent else None


def measure_pair(
    run: StudyRun, references: tuple[Reference | None, Reference | None], source: Source
) -> MeasuredPair:
    """Measure a run of two programs."""
    run_program, other = run.programs
    p, q = (progress_of_program(program, source) for program in run.programs)
    window = _window(run.programs, p, q)
    overlap = _overlap(run.programs, p, q)
    share = foreign_share(run, references, source)
    verdict, reason = _verdict(run, window, share)
    parts = [
        _side(program, progress, reference, window, overlap, source)
        for program, progress, reference in zip(
            (run_program, other), (p, q), references, strict=True
        )
    ]
    spread = None
    if p is not None and q is not None and overlap is not None and comparable(run_program, other):
        spread = number(pairs.bytes_spread(p, q, overlap))
    return MeasuredPair(
        run,
        (p, q),
        window,
        overlap,
        verdict,
        reason,
        (parts[0], parts[1]),
        spread,
        share,
        _exclusive(p, q, window, parts),
    )


def _window(
    programs: tuple[RunProgram, ...], p: JobProgress | None, q: JobProgress | None
) -> Region | None:
    """Find the part of a run that counts: both run, until one has done 90 % of its work."""
    if p is None or q is None or p.slice_ns != q.slice_ns:
        return None
    both = [own_window(program, progress) for program, progress in zip(programs, (p, q))]  # noqa: B905
    windows = [window for window in both if window is not None]
    if len(windows) < 2:
        return None
    first, last = max(window[0] for window in windows), min(window[1] for window in windows)
    return (first, last) if first <= last else None


def _overlap(
    programs: tuple[RunProgram, ...], p: JobProgress | None, q: JobProgress | None
) -> Region | None:
    """Find the active overlap, without the slices in which a process begins or ends.

    Kuo's region may begin or end with a slice that a process used only in part; Kuo leaves out
    those in which one has finished (§4.2). Slices of a second or less allow this at both ends.
    """
    if p is None or q is None or p.slice_ns != q.slice_ns:
        return None
    region = pairs.active_overlap(p, q)
    if region is None or region[1] - region[0] < _ENOUGH:
        return region
    first, last = region
    begins = [
        _begin(program, progress, progress.active or region)
        for program, progress in zip(programs, (p, q), strict=True)
    ]
    ended = any((progress.between(last + 1, last + 1) <= 0).any() for progress in (p, q))
    return max(first, *begins), last - ended


def _verdict(run: StudyRun, window: Region | None, share: float | None) -> tuple[str, str]:
    failed = [f"{program.name}: {program.error}" for program in run.programs if program.error]
    if failed:
        return "failed", "; ".join(failed)
    if run.discard:
        return "discarded", run.discard
    if window is None:
        return "unusable", "the two programs made progress in no common slice"
    if _length(window) < FEWEST_SLICES:
        return "unusable", _short(window)
    # The same rule as pairs.foreign, to the last bit.
    if share is not None and pairs.foreign(1.0, 1.0 + share):
        return "discarded", too_much(share)
    return "kept", ""


def _short(window: Region) -> str:
    count = _length(window)
    slices = f"{count} slice{'s' if count != 1 else ''}"
    return f"only {slices} of the run would count: it needs more work, or shorter slices"


def _side(
    program: RunProgram,
    progress: JobProgress | None,
    reference: Reference | None,
    window: Region | None,
    overlap: Region | None,
    source: Source,
) -> Side:
    isolated = median(reference.rates) if reference else None
    interfered = lost = service = None
    if progress is not None and window is not None:
        interfered = pairs.throughput(progress, *window)
        service = service_time(program.job, window, source)
        lost = number(pairs.degradation(isolated, interfered)) if isolated else None
    return Side(
        program.name,
        program.job,
        len(progress.values) if progress is not None else program.processes,
        len(program.nodes),
        program.metric,
        isolated,
        interfered,
        pairs.throughput(progress, *overlap) if progress is not None and overlap else None,
        progress.total / program.seconds if progress is not None and program.seconds > 0 else None,
        program.seconds if program.seconds > 0 else None,
        lost,
        _dilation(program, progress, reference),
        number(pairs.dilation_implied(lost)) if lost is not None else None,
        service,
        median([run.service_ns for run in reference.kept]) if reference else None,
    )


def _dilation(
    program: RunProgram, progress: JobProgress | None, reference: Reference | None
) -> float | None:
    """Return the dilation if the program had a fixed amount of work, and did it in both runs."""
    if progress is None or reference is None or program.until_stopped or program.error:
        return None
    alone = [run for run in reference.kept if run.progress is not None]
    work = median([run.progress.total for run in alone if run.progress is not None])
    seconds = median([run.program.seconds for run in alone])
    if not work or not seconds or abs(progress.total - work) > _SAME_WORK * work:
        return None
    return number(pairs.dilation(seconds, program.seconds))


def _exclusive(
    p: JobProgress | None, q: JobProgress | None, window: Region | None, sides: Sequence[Side]
) -> float | None:
    if p is None or q is None or window is None:
        return None
    parts = []
    for progress, side in zip((p, q), sides, strict=True):
        if not side.isolated:
            return None
        parts.append(progress.between(*window).sum(axis=0) / side.isolated)
    if not np.any(parts[0] + parts[1]):
        return None
    found = pairs.exclusive(parts[0], parts[1])
    return None if math.isnan(found) else found
