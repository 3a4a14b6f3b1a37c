"""Shows a job's worlds (the ranks of one MPI or training program) as text and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, table, utf8
from jostle.report.format.values import alike, byte_count, count, duration, percent, significant

if TYPE_CHECKING:
    from jostle.analysis import Advice, JobDigest, Range, SegmentsDigest, WorldDigest

_KINDS = {
    "ccl collective": "collectives (NCCL, gloo)",
    "ccl send": "sent (NCCL, gloo)",
    "ccl receive": "received (NCCL, gloo)",
    "collective": "collectives",
    "send": "point-to-point, sent",
    "receive": "point-to-point, received",
    "room": "receives of unknown size: buffer size",
    "sendrecv": "sendrecv, both ways",
    "complete": "waits, tests, probes",
    "one-sided": "one-sided",
    "mpiio read": "MPI-IO, read",
    "mpiio write": "MPI-IO, written",
    "file read": "files, read",
    "file write": "files, written",
}
_TIMES = {
    "computation": "computation",
    "point-to-point": "MPI: point-to-point",
    "collective": "MPI: collectives",
    "one-sided": "MPI: one-sided",
    "mpiio": "MPI: MPI-IO",
    "other mpi": "MPI: start, end, other",
    "file i/o": "file I/O",
}
_LAUNCHERS = {
    "orte": "mpirun (ORTE)",
    "prrte": "mpirun (PRRTE)",
    "hydra": "mpiexec (Hydra)",
    "slurm": "srun",
    "torch": "torchrun or the like",
}
#: Most rows of a table of segments; --json has all.
_MOST_ROWS = 40


def world_view(world: WorldDigest) -> Iterator[Any]:
    """Yield the lines and tables of one world."""
    yield heading(f"{_kind(world)}: {_size(world)}", f"  {_who(world)}")
    yield from _facts(world)
    if world.traffic:
        yield from ("", heading("What a rank did"), _traffic(world))
        yield from _rates(world)
    if world.shares:
        yield from ("", heading("Where the time went", f" ({world.shares_over})"), _shares(world))
    yield from _balance(world)
    yield from _threads(world)
    yield from _counters(world)
    if world.counted:
        yield from _segments(world)


def _kind(world: WorldDigest) -> str:
    return "training job" if world.is_training else "MPI"


def _size(world: WorldDigest) -> str:
    number = world.size or world.ranks
    words = f"{count(number)} rank{'s' if number != 1 else ''}"
    if world.size and world.ranks > world.size:
        words = f"{count(world.ranks)} processes in worlds of {count(world.size)}"
    return words + (" (spawned)" if world.spawned else "")


def _who(world: WorldDigest) -> str:
    programs = [
        f"{name} {count(n)}" if len(world.programs) > 1 else name
        for name, n in list(world.programs.items())[:4]
    ]
    where = f"{len(world.hosts)} nodes" if len(world.hosts) > 1 else "".join(world.hosts)
    return f"{', '.join(programs)} on {where}"


def _facts(world: WorldDigest) -> Iterator[Any]:
    words = [world.library or "unknown MPI"]
    if world.adapter:
        words.append(f"adapter {world.adapter}")
    if world.launcher:
        words.append(f"started by {_LAUNCHERS.get(world.launcher, world.launcher)}")
    if world.batch:
        words.append(world.batch)
    if world.counted and not world.is_training:
        words.append(f"threads: {world.thread_level}")
    yield "; ".join(words)
    if world.counted:
        state = " so far" if world.running else ""
        between = "MPI_Init to MPI_Finalize"
        if world.is_training:
            between = "the rendezvous of its ranks to their end"
        yield f"{duration(world.seconds * 1e9)}{state} from {between}"
    if world.counted and world.unfinished and not world.running and not world.is_training:
        yield f"{_ranks(world.unfinished)} ended without MPI_Finalize"
    if world.problem:
        yield heading("note:", f" {world.problem}")


def _ranks(number: int) -> str:
    return f"{count(number)} rank{'s' if number != 1 else ''}"


def _traffic(world: WorldDigest) -> Any:
    frame = table(
        ["=", ">calls: least", ">mean", ">most", ">bytes: least", ">mean ", ">most ", ">calls/s"]
    )
    for kind in world.traffic:
        sizes = [kind.bytes.min, kind.bytes.mean, kind.bytes.max]
        frame.add_row(
            _KINDS[kind.name],
            *(count(round(n)) for n in (kind.calls.min, kind.calls.mean, kind.calls.max)),
            *(byte_count(n) if kind.bytes.max else "-" for n in sizes),
            "-" if math.isnan(kind.calls_per_s.mean) else count(kind.calls_per_s.mean),
        )
    return fit(frame, "calls/s", "mean ", "mean")


def _rates(world: WorldDigest) -> Iterator[str]:
    """Yield the rate of collectives as in the papers: minimum, mean and maximum over ranks."""
    for kind in world.traffic:
        if kind.name == "collective" and math.isnan(kind.calls_per_s.mean):
            yield "collectives: rate unknown (no rank is known to have lived 1 ms after MPI_Init)"
        elif kind.name == "collective":
            yield (
                f"collectives: {_range(kind.calls_per_s)} a second, "
                f"{byte_count(kind.bytes_per_s.mean)}/s on average"
            )


def _range(spread: Range) -> str:
    low, mean, high = (count(_three(n)) for n in (spread.min, spread.mean, spread.max))
    return mean if low == high else f"{mean} ({low} to {high} over ranks)"


def _three(value: float) -> float:
    """Round to three digits: rates are not exact counts."""
    return float(f"{value:.3g}")


def _shares(world: WorldDigest) -> Any:
    frame = table(["=", ">time, all ranks", ">share", ">least", ">most", "="])
    full, empty = ("█", "·") if utf8() else ("#", ".")
    for part in world.shares:
        filled = min(round(part.share * 20), 20)
        name = _TIMES[part.name]
        if world.is_training and part.name == "computation":
            name = "computation, waiting for GPUs"
        frame.add_row(
            name.removeprefix("MPI: ") if world.is_training else name,
            duration(part.seconds * 1e9),
            percent(part.share),
            percent(part.least),
            percent(part.most),
            full * filled + empty * (20 - filled),
        )
    return fit(frame, "least", "most")


def _balance(world: WorldDigest) -> Iterator[str]:
    balance = world.balance
    if balance is None:
        return
    words = f"load imbalance {percent(balance.imbalance)}: rank {balance.busiest} computes longest"
    if balance.least_waiting is not None:
        who = "it" if balance.least_waiting == balance.busiest else f"rank {balance.least_waiting}"
        words += f", {who} waits least in collectives"
    yield words
    if world.in_collectives > 0:
        yield f"collectives, from begin to completion: {percent(world.in_collectives)} of the time"
    if world.waited >= 0.001 or world.off_cpu >= 0.001:
        where = "collectives" if world.is_training else "MPI"
        yield (
            f"waited in {where} beyond what calls of their kind usually take: "
            f"{percent(world.waited)} of the time; off the CPU between calls: at least "
            f"{percent(world.off_cpu)}"
        )


def _threads(world: WorldDigest) -> Iterator[str]:
    threads = world.threads
    effective = threads.effective
    known = not math.isnan(effective.mean)
    words = f"effective threads {significant(effective.mean) if known else '-'}"
    if f"{effective.min:.2f}" != f"{effective.max:.2f}":
        words += f" ({significant(effective.min)} to {significant(effective.max)} over ranks)"
    texts = {None: "differs between ranks", 0: "is not set"}
    yield f"{words}; OMP_NUM_THREADS {texts.get(threads.omp_threads, f'= {threads.omp_threads}')}"


def _counters(world: WorldDigest) -> Iterator[str]:
    counters = world.counters
    words = []
    if counters.instructions_per_s:
        words.append(f"{_range(counters.instructions_per_s)} instructions per second of CPU time")
    if counters.instructions_per_cycle is not None:
        words.append(f"{significant(counters.instructions_per_cycle)} per cycle")
    if counters.misses_per_kilo is not None:
        words.append(f"{significant(counters.misses_per_kilo)} last-level misses per 1000")
    if counters.flops_per_s:
        words.append(
            f"{_range(counters.flops_per_s)} {counters.flops_event} per second of CPU time"
        )
    for name, spread in (counters.papi or {}).items():
        if name != counters.flops_event:
            words.append(f"{name} {count(spread.mean)} per rank")
    if words and counters.counted_share < 0.9:
        words.append(f"counted during {percent(counters.counted_share)} of it")
    if words:
        yield "; ".join(words)
    if counters.named_and_denied:
        yield f"requested counters that were not granted: {', '.join(counters.named_and_denied)}"


def _segments(world: WorldDigest) -> Iterator[str]:
    segments_digest = world.segments
    if segments_digest is None:
        yield "segments: none were recorded"
        return
    summary = f"{count(segments_digest.number)} segments, rule {segments_digest.rule}"
    if segments_digest.delimiter:
        summary += f", most ended by {segments_digest.delimiter}"
    yield f"{summary}; median {duration(segments_digest.median_s * 1e9)}"
    if segments_digest.segmentable:
        kinds = (
            f"{count(segments_digest.kinds)} recurring "
            f"kind{'s' if segments_digest.kinds != 1 else ''}"
        )
        yield (
            f"segments: {percent(segments_digest.coverage)} of the time lies in "
            f"{kinds}{_common(segments_digest)}"
        )
    else:
        yield (
            "segments: not segmentable: only "
            f"{percent(segments_digest.coverage)} of the time lies in kinds "
            f"that recur{_common(segments_digest)}"
        )
    if segments_digest.missing:
        yield f"segments: {_ranks(len(segments_digest.missing))} without a profile are not in them"
    yield from (f"segments: {note}" for note in alike(segments_digest.notes))


def _common(segments_digest: SegmentsDigest) -> str:
    stored = segments_digest.per_rank
    if stored.max == stored.min == segments_digest.number:
        return ""
    return (
        f"; {percent(segments_digest.agreement)} of the coarsest "
        "rank's boundaries are common to all "
        f"({count(round(stored.min))} to {count(round(stored.max))} segments per rank)"
    )


def brief(world: WorldDigest) -> str:
    """Return one line of text on a world, for the end of `jostle run`."""
    words = f"{_kind(world)}: {_size(world)}, {', '.join(list(world.programs)[:3])}"
    if not world.counted:
        return f"{words}; {world.problem}"
    if world.is_training:
        words += f"; {percent(world.in_collectives)} of their time in collectives"
        return words + _imbalance(world)
    parts = {part.name: part.share for part in world.shares}
    mpi = sum(share for name, share in parts.items() if name not in ("computation", "file i/o"))
    inside = [
        f"{_TIMES[name].removeprefix('MPI: ')} {percent(parts[name])}"
        for name in ("point-to-point", "collective", "one-sided", "mpiio")
        if parts.get(name, 0) >= 0.005
    ]
    words += f"; {percent(mpi if parts else math.nan)} of their time in MPI"
    words += f" ({', '.join(inside)})" if inside else ""
    return words + _imbalance(world)


def _imbalance(world: WorldDigest) -> str:
    return f", load imbalance {percent(world.balance.imbalance)}" if world.balance else ""


def next_view(advice: Sequence[Advice], job: str) -> Iterator[Any]:
    """Yield the kind of tool to use next, and why."""
    if not advice:
        return
    yield from ("", heading("What to look at next"))
    for number, item in enumerate(advice, 1):
        tools = " or ".join(tool.replace("JOB", job) for tool in item.tools)
        yield heading(f"{number}. {item.kind}", f": {tools}")
        yield f"   {item.why}"


def segments_table(rows: Sequence[dict[str, Any]], ranks: int) -> Iterator[Any]:
    """Yield the segments one by one, about as many as fit on two screens."""
    frame = table(
        [
            ">segment",
            ">begins",
            ">lasts",
            ">least",
            ">most",
            "=rule",
            "=ended by",
            ">globals",
            ">in calls",
            ">waited",
            "=kind",
        ]
    )
    start = rows[0]["start_ns"] if rows else 0
    for row in rows[:_MOST_ROWS]:
        time = ranks * row["duration_ns"]
        shares = (min(row[name] / time, 1.0) if time else 0.0 for name in ("mpi_ns", "wait_ns"))
        frame.add_row(
            count(row["number"]),
            duration(row["start_ns"] - start),
            duration(row["duration_ns"]),
            duration(row["duration_min_ns"]),
            duration(row["duration_max_ns"]),
            row["rule"],
            row["function"] or "-",
            count(row["globals"]),
            *map(percent, shares),
            _letter(row["kind"]),
        )
    yield fit(frame, "globals", "least", "most", "waited", "kind")
    if len(rows) > _MOST_ROWS:
        yield f"{len(rows) - _MOST_ROWS} more segments (--json has them all)"


def _letter(kind: int) -> str:
    """Return A, B, ... for kinds of segments that recur in the run; "-" for any other."""
    return "-" if kind == 0 else chr(ord("A") + kind - 1) if kind <= 26 else str(kind)


def all_advice(digest: JobDigest) -> list[Advice]:
    """Return the advice on the job and on each of its worlds; the same advice appears once."""
    advices: dict[str, Advice] = {item.rule: item for item in digest.next}
    for world in digest.mpi:
        for item in world.next:
            advices.setdefault(item.rule, item)
    return list(advices.values())
