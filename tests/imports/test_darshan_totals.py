"""Totals of imported logs are those of the package `darshan` itself, to the byte."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from logs import example_logs

from jostle.imports import DarshanImport
from jostle.imports.darshan.finding import identify
from jostle.repository import Repository

EXACT = {
    "POSIX": {
        "posix_read_bytes": "POSIX_BYTES_READ",
        "posix_write_bytes": "POSIX_BYTES_WRITTEN",
        "posix_read_ops": "POSIX_READS",
        "posix_write_ops": "POSIX_WRITES",
        "posix_open_ops": "POSIX_OPENS",
        "posix_seek_ops": "POSIX_SEEKS",
    },
    "STDIO": {
        "stdio_read_bytes": "STDIO_BYTES_READ",
        "stdio_write_bytes": "STDIO_BYTES_WRITTEN",
        "stdio_write_ops": "STDIO_WRITES",
    },
}
TIMES = {
    "posix_read_ns": "POSIX_F_READ_TIME",
    "posix_write_ns": "POSIX_F_WRITE_TIME",
    "posix_meta_ns": "POSIX_F_META_TIME",
}


def reported(path: Path) -> tuple[Counter[str], dict[str, float]]:
    """The values of a log by Darshan's own package: counters, and times in s."""
    import darshan

    report = darshan.DarshanReport(str(path), read_all=False)
    counts: Counter[str] = Counter()
    times: dict[str, float] = {}
    for module, metrics in EXACT.items():
        if module not in report.modules:
            continue
        report.mod_read_all_records(module)
        if not len(report.records[module]):
            continue
        frames: Any = report.records[module].to_df()
        for metric, counter in metrics.items():
            counts[metric] += int(frames["counters"][counter].sum())
        if module == "POSIX":
            times |= {name: float(frames["fcounters"][of].sum()) for name, of in TIMES.items()}
    return counts, times


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    store = Repository(tmp_path_factory.mktemp("totals") / "repository", create=True)
    report = DarshanImport(store, workers=1).run(example_logs())
    assert (report.imported, report.set_aside) == (len(example_logs()), [])
    return store


@pytest.mark.parametrize("path", example_logs(), ids=lambda path: path.name[:24])
def test_totals_are_those_of_the_package(imported: Repository, path: Path) -> None:
    counts, times = reported(path)
    mark = f"%-w{identify(path).digest[:8]}%"
    sums = ", ".join(
        f"sum({name}) AS {name}" for name in (*EXACT["POSIX"], *EXACT["STDIO"], *TIMES)
    )
    (found,) = imported.query(
        f"SELECT {sums} FROM mount_slices WHERE job LIKE ?", [mark]
    ).to_pylist()
    assert {name: int(found[name] or 0) for name in counts} == counts
    for name, seconds in times.items():
        # Of logs with traced operations, times are those of the operations.
        assert int(found[name] or 0) / 1e9 == pytest.approx(seconds, rel=0.3, abs=0.01), name
    by_slice = ", ".join(f"sum({name}_sum) AS {name}" for name in counts)
    (rolled,) = imported.query(
        f"SELECT {by_slice} FROM rollup WHERE job LIKE ?", [mark]
    ).to_pylist()
    assert {name: int(rolled[name] or 0) for name in counts} == counts
    (files,) = imported.query(
        "SELECT sum(read_bytes) AS read, sum(write_bytes) AS written FROM files WHERE job LIKE ?",
        [mark],
    ).to_pylist()
    for name, way in (("read", "read"), ("written", "write")):
        due = counts[f"posix_{way}_bytes"] + counts[f"stdio_{way}_bytes"]
        assert int(files[name] or 0) == due


def test_each_is_as_well_known_as_it_can_be(imported: Repository) -> None:
    rows = imported.query("SELECT job, min(basis) AS basis FROM process_kinds GROUP BY job")
    basis = {row["job"].partition("-w")[0]: row["basis"] for row in rows.to_pylist()}
    assert basis["darshan-32324925"] == "darshan:operations"
    assert basis["darshan-1537455"] == "darshan:operations"
    assert basis["darshan-6265799"] == "darshan:totals"


def test_anonymised_logs_have_their_mounts(imported: Repository) -> None:
    rows = imported.query(
        "SELECT program, uid, processes FROM jobs WHERE starts_with(job, 'darshan-83017637-')"
    ).to_pylist()
    assert rows == [{"program": "160345792", "uid": 996599276, "processes": 512}]
    mounts = imported.query(
        "SELECT DISTINCT mount FROM mount_slices WHERE starts_with(job, 'darshan-83017637-')"
    )["mount"].to_pylist()
    assert any(name.startswith("lustre:/") for name in mounts), mounts
