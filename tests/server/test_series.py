"""Series of jobs and their background: the numbers of the commands, and what a chart shows."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from jostle.report.models.job.background import background_of
from jostle.report.models.metrics import view
from jostle.repository import Repository
from jostle.server.access import Viewer
from jostle.server.job_service import JobService
from jostle.server.jobs.grid import process_grid

ALL = (0, 2**63 - 1)
CHIEF = Viewer("chief", 0, "administrator")


@pytest.fixture(scope="module")
def job_service(injected: Path, tmp_path_factory: pytest.TempPathFactory) -> JobService:
    return JobService(injected, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def job(job_service: JobService) -> str:
    """One with neighbours on its mount."""
    return next(
        name
        for name in job_service.rows()
        if job_service.repository.background(name, "posix_write_bytes").num_rows
    )


@pytest.mark.parametrize("metric", ["bytes", "ops", "time", "cpu", "communication", "os_threads"])
def test_a_series_and_its_background_are_those_of_the_command(
    job_service: JobService, job: str, metric: str
) -> None:
    said = background_of(job_service.repository, job, view(metric))
    for of, lines in (("job", said.own), ("others", None)):
        reported = job_service.series(job, metric, CHIEF, of=of, span=ALL, points=4000)
        scale = 1.0 if said.view.level else 1e9 / reported["step_ns"]
        scale /= 1e9 if said.view.unit == "ns" else 1
        for at, line in enumerate(reported["lines"]):
            if lines is not None:
                values = lines[at].values
            else:
                values = sum(place.lines[at].values for place in said.resources)
                values = values + np.zeros(len(line["mean"]))
            # Where others began or ended within a slice, the command has whole bytes and calls.
            assert line["mean"] == pytest.approx((values * scale).tolist(), rel=1e-3, abs=scale)


def test_a_suspect_is_shown_where_both_were(job_service: JobService, job: str) -> None:
    others = job_service.repository.neighbours(job, "posix_write_bytes")["job"].to_pylist()
    suspect = job_service.series(job, "bytes", CHIEF, of=others[0], span=ALL, points=4000)
    whole = job_service.series(job, "bytes", CHIEF, of="others", span=ALL, points=4000)
    assert suspect["start_ns"] == whole["start_ns"]
    part, total = (np.array(one["lines"][0]["mean"]) for one in (suspect, whole))
    assert part.sum() > 0
    assert (part <= total * 1.001 + 1e-6).all()


def test_hours_add_up_to_the_whole(job_service: JobService) -> None:
    rows = job_service.rows().values()
    span = min(row["start_ns"] for row in rows), max(row["end_ns"] for row in rows)
    lines = [["posix_write_bytes", "stdio_write_bytes"]]
    for table in (
        job_service.tiles.slices("rollup", lines, span),
        job_service.tiles.minutes("rollup", lines, span),
        job_service.tiles.minutes("rollup", lines, ALL),
    ):
        total = job_service.repository.query(
            "SELECT sum(posix_write_bytes_sum + stdio_write_bytes_sum)::DOUBLE AS s FROM rollup"
        )["s"][0].as_py()
        assert sum(table["v0"].to_pylist()) == pytest.approx(total)


def test_a_record_of_several_slices_is_shared_out(tmp_path: Path) -> None:
    class Store(Repository):
        """A job of one process that was stopped for three slices."""

        def __init__(self) -> None:
            self.loads = self

        def job_processes(self, _job: str):
            import pyarrow as pa

            return pa.Table.from_pylist(
                [
                    {
                        "process": 1,
                        "short": False,
                        "world_rank": 0,
                        "world_size": 0,
                        "host": "a",
                        "pid": 1,
                        "slice_ns": 10,
                        "first_slice": 0,
                        "last_slice": 5,
                    }
                ]
            )

        def process_sums(self, *_question: object):
            import pyarrow as pa

            return pa.table(
                {
                    "process": [1, 1],
                    "start_ns": [0, 10],
                    "length_ns": [10, 40],
                    "value": [10.0, 40.0],
                }
            )

    packed = process_grid(Store(), "job", "posix_write_bytes", (0, 60), 100)
    size = struct.unpack("<I", packed[:4])[0]
    assert json.loads(packed[4 : 4 + size])["columns"] == 6
    values = np.frombuffer(packed[4 + size :], "<f4") / 1e8  # per second
    assert values.tolist() == [10, 10, 10, 10, 10, 0]
