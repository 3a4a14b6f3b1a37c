"""Writes intervals with lost time as files for trace tools: Trace Event JSON, or CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

from jostle.errors import UsageError, naming
from jostle.report.format.values import iso_time
from jostle.report.models.job.job_trace import trace_events
from jostle.values.plain_values import cell

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate

_SUFFIXES = (".json", ".csv")
_COLUMNS = ("job", "start_ns", "end_ns", "start", "lost_s", "cause", "resource", "cluster")


def check_export(file: str | None) -> Path | None:
    """Refuse an unusable file before any work is done."""
    if file is None:
        return None
    path = Path(file)
    folder = path.absolute().parent
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            f"`{file}` does not end in .json or .csv.",
            hint="Name a file that ends in .json (Perfetto, Chrome) or .csv.",
        )
    if not folder.is_dir():
        raise UsageError(f"The folder {folder} does not exist.", hint=f"mkdir -p {folder}")
    new = not path.exists()
    try:
        path.open("ab").close()  # os.access does not show whether a path can be a file
        if new:
            path.unlink()
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror}."
        raise UsageError(problem, hint="Name a file in a different folder.") from error
    return path


def write_intervals(estimate: RunEstimate, path: Path) -> int:
    """Write the intervals of a run with lost time, by cause; return their number.

    Args:
        estimate: The report on the run.
        path: A file ending in .json or .csv; replaced if it exists.
    """
    with naming(path):
        if path.suffix.lower() == ".csv":
            _write_csv(estimate, path)
        else:
            path.write_text(
                json.dumps(trace_events(estimate), ensure_ascii=False) + "\n", encoding="utf-8"
            )
    return sum(len(hit.by_cause) for hit in estimate.hits)


def _write_csv(estimate: RunEstimate, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for hit in estimate.hits:
            for part in hit.by_cause:
                writer.writerow(
                    (
                        cell(estimate.job),
                        hit.start_ns,
                        hit.end_ns,
                        iso_time(hit.start_ns),
                        part.seconds,
                        part.cause,
                        cell(part.resource),
                        hit.cluster if hit.cluster >= 0 else "",
                    )
                )
