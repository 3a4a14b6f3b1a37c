"""Interfered intervals as files for trace tools: Trace Event JSON, or CSV."""

from __future__ import annotations

import csv
import heapq
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.errors import UsageError, naming
from jostle.plain_values import cell
from jostle.report.format.values import iso_time

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Estimate, Hit

_SUFFIXES = (".json", ".csv")
_COLUMNS = ("job", "start_ns", "end_ns", "start", "lost_s", "cause", "resource", "cluster")


def check_export(file: str | None) -> Path | None:
    """Refuse a file that cannot take intervals, before any work is done."""
    if file is None:
        return None
    path = Path(file)
    folder = path.absolute().parent
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            f"`{file}` has an ending that intervals cannot be written in.",
            hint="Name a file that ends in .json (Perfetto, Chrome) or .csv.",
        )
    if not folder.is_dir():
        raise UsageError(f"The folder {folder} does not exist.", hint=f"mkdir -p {folder}")
    new = not path.exists()
    try:
        path.open("ab").close()  # os.access does not show whether a path can be a file at all
        if new:
            path.unlink()
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror}."
        raise UsageError(problem, hint="Name a file elsewhere.") from error
    return path


def write_intervals(estimate: Estimate, path: Path) -> int:
    """Write the interfered intervals of a run by cause; return how many there are.

    Args:
        estimate: The report on the run.
        path: A file ending in .json or .csv; replaced when it is there.
    """
    with naming(path):
        if path.suffix.lower() == ".csv":
            _write_csv(estimate, path)
        else:
            path.write_text(
                json.dumps(trace_events(estimate), ensure_ascii=False) + "\n", encoding="utf-8"
            )
    return sum(len(hit.by_cause) for hit in estimate.hits)


def _write_csv(estimate: Estimate, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for hit in estimate.hits:
            for part in hit.by_cause:
                writer.writerow(
                    (cell(estimate.job), hit.start_ns, hit.end_ns, iso_time(hit.start_ns),
                     part.seconds, part.cause, cell(part.resource),
                     hit.cluster if hit.cluster >= 0 else "")
                )  # fmt: skip


def trace_events(estimate: Estimate) -> dict[str, Any]:
    """Return the intervals in the Trace Event Format of Chrome, which Perfetto reads.

    Times are microseconds since the Unix epoch, so that they lie right beside other events of
    that clock. Each cause and resource has tracks of its own; complete events of one track must
    not overlap, so that there are as many tracks as overlap.
    """
    events: list[dict[str, Any]] = [
        _named("process_name", 1, 0, f"{estimate.job}: interference"),
        _complete("judged time", estimate.start_ns, estimate.end_ns, 1, _verdict(estimate)),
        _named("thread_name", 1, 1, "judged time"),
    ]
    places: dict[tuple[str, str], list[Hit]] = {}
    for hit in estimate.hits:
        for part in hit.by_cause:
            own = replace(hit, seconds=part.seconds)
            places.setdefault((part.cause, part.resource), []).append(own)
    track = 1
    for (cause, resource), hits in places.items():
        name = f"{cause} {resource}".strip()
        lanes = _lanes(hits)
        for lane in range(max(lanes) + 1):
            events.append(_named("thread_name", 1, track + 1 + lane, name))
        for hit, lane in zip(hits, lanes, strict=True):
            arguments = {"lost_s": hit.seconds, "resource": resource}
            if hit.cluster >= 0:
                arguments["cluster"] = hit.cluster
            events.append(
                _complete(f"lost to {cause}", hit.start_ns, hit.end_ns, track + 1 + lane, arguments)
            )
        track += max(lanes) + 1
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _verdict(estimate: Estimate) -> dict[str, Any]:
    return {
        "light": estimate.light, "sure": estimate.lit.sure, "undecided": estimate.lit.undecided,
        "percent": estimate.percent.value, "lost_s": estimate.lost_s.value, "run_s": estimate.run_s,
        "coverage": estimate.coverage, "method": estimate.method,
    }  # fmt: skip


def _named(kind: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": track, "args": {"name": name}}


def _complete(
    name: str, start_ns: int, end_ns: int, track: int, arguments: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ph": "X", "name": name, "cat": "interference", "pid": 1, "tid": track,
        "ts": start_ns / 1000, "dur": (end_ns - start_ns) / 1000, "args": arguments,
    }  # fmt: skip


def _lanes(hits: list[Hit]) -> list[int]:
    """Return each interval the first lane that is free at its start."""
    lanes = [0] * len(hits)
    ends: list[tuple[int, int]] = []
    free: list[int] = []
    for place in sorted(range(len(hits)), key=lambda number: hits[number].start_ns):
        while ends and ends[0][0] <= hits[place].start_ns:
            heapq.heappush(free, heapq.heappop(ends)[1])
        lane = heapq.heappop(free) if free else len(ends)
        lanes[place] = lane
        heapq.heappush(ends, (hits[place].end_ns, lane))
    return lanes
