"""Logs of Darshan for tests: those of its own package, and written ones."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jostle.imports import DarshanImport, DarshanReport
from jostle.repository import Repository
from jostle_lab.synthetic.darshan_logs import LoggedFile, LoggedJob, write_log

START_NS = 1_700_000_000_000_000_000
MOUNTS = [("/scratch", "lustre"), ("/", "ext4")]


def example_logs() -> list[Path]:
    """The logs that the package `darshan` brings along: real runs."""
    import darshan

    folder = Path(darshan.__file__).parent / "examples"
    return sorted(folder.rglob("*.darshan"))


def example(name: str) -> Path:
    """The example whose file name begins like this."""
    (found,) = (path for path in example_logs() if path.name.startswith(name))
    return found


def job(
    *,
    read: Sequence[Sequence[int]] = (),
    written: Sequence[Sequence[int]] = (),
    start_ns: int = START_NS + 1,
    run_s: float = 1.0,
    files: Sequence[LoggedFile] = (),
    **more: Any,
) -> LoggedJob:
    """A job with a heat map of bins of 100 ms; without files one that all ranks share."""
    rows = max(len(read), len(written), 1)
    wide = np.zeros((rows, max((len(row) for row in (*read, *written)), default=0)), dtype=np.int64)
    both = []
    for given in (read, written):
        matrix = wide.copy()
        for row, values in zip(matrix, given, strict=False):
            row[: len(values)] = values
        both.append(matrix)
    counters = {
        "POSIX_OPENS": rows,
        "POSIX_READS": 7 if both[0].any() else 0,
        "POSIX_WRITES": 9 if both[1].any() else 0,
        "POSIX_BYTES_READ": int(both[0].sum()),
        "POSIX_BYTES_WRITTEN": int(both[1].sum()),
    }
    named = files or [LoggedFile("/scratch/data", -1, counters)]
    usual: dict[str, Any] = {"uid": 1000, "job_id": 12, "processes": rows, "exe": "/opt/code in"}
    return LoggedJob(
        **usual | {"mounts": MOUNTS} | more,
        start_ns=start_ns,
        end_ns=start_ns + round(run_s * 1e9),
        files=named,
        bin_s=0.1 if read or written else 0.0,
        read=both[0],
        written=both[1],
    )


def taken(store: Repository, folder: Path, *jobs: LoggedJob, **options: Any) -> DarshanReport:
    """Write logs of jobs into a folder, and import it."""
    folder.mkdir(exist_ok=True)
    for number, each in enumerate(jobs):
        write_log(folder / f"log{number}.darshan", each)
    return DarshanImport(store, workers=1, **options).run([folder])


def copies(folder: Path, *names: str) -> Path:
    """A folder with copies of some examples."""
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(example(name), folder)
    return folder


def only(store: Repository) -> str:
    """The job, where there is one."""
    (name,) = store.jobs()["job"].to_pylist()
    return str(name)


def per_slice(store: Repository, metric: str) -> dict[int, int]:
    """Sum of a metric of mounts in each slice that has any, by the slice's number."""
    rows = store.query(
        f"SELECT slice, sum({metric}_sum) AS n FROM rollup GROUP BY slice HAVING n > 0 ORDER BY 1"
    )
    return dict(zip(rows["slice"].to_pylist(), map(int, rows["n"].to_pylist()), strict=True))
