"""From the tables of the repository to progress per process and slice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from jostle_lab.analysis.study.progress import METRICS, ProgressTables, progress_of, progress_of_log


def table(*rows: dict[str, Any]) -> pa.Table:
    names = ["process", "mount", "slice", "slice_ns", "span"]
    names += sorted({name for row in rows for name in row} - set(names))
    first = {"mount": "m", "span": 1, "slice_ns": 10}
    return pa.table(
        {
            name: pa.array(
                [{**first, **row}.get(name, 0) for row in rows],
                pa.string() if name == "mount" else pa.int64(),
            )
            for name in names
        }
    )


def test_bytes_of_posix_and_stdio_on_the_shared_mount_only():
    rows = table(
        {"process": 7, "slice": 100, "posix_write_bytes": 5},
        {"process": 9, "slice": 102, "stdio_write_bytes": 3, "posix_write_bytes": 1},
        {"process": 9, "slice": 102, "mount": "other", "posix_write_bytes": 50},
        {"process": 3, "slice": 90, "posix_read_bytes": 8},  # it never writes
    )
    found = progress_of("job", rows, "bytes", "m")
    assert (found.first_slice, found.last_slice, found.slice_ns) == (100, 102, 10)
    assert found.values.tolist() == [[5, 0, 0], [0, 0, 4]]
    assert progress_of("job", rows, "bytes").total == 59
    assert progress_of("job", rows, "read_bytes").values.tolist() == [[8]]


def test_a_record_of_several_slices_is_shared_out():
    rows = table(
        {"process": 1, "slice": 10, "span": 4, "posix_write_bytes": 10},
        {"process": 1, "slice": 14, "posix_write_bytes": 1},
    )
    assert progress_of("job", rows, "bytes").values.tolist() == [[2.5, 2.5, 2.5, 2.5, 1]]


def test_the_youth_of_a_process_is_uncertain_unless_its_begin_is_known():
    rows = table(
        {"process": 1, "slice": 10, "span": 5, "posix_write_bytes": 10},
        {"process": 1, "slice": 15, "posix_write_bytes": 3},
        {"process": 2, "slice": 15, "span": 2, "posix_write_bytes": 4},
        {"process": 2, "slice": 20, "span": 2, "posix_write_bytes": 4},
    )
    found = progress_of("job", rows, "bytes")
    assert found.certain == 17  # records of several slices later on are no youth
    assert found.processes == (1, 2)
    known = progress_of("job", rows, "bytes", begin_ns=143)
    assert known.first_slice == 14
    assert known.values[0].tolist()[:2] == [10, 3]
    assert progress_of("job", rows, "bytes", begin_ns=500).first_slice == 10
    assert progress_of("job", rows, "bytes", begin_ns=5).first_slice == 10


def test_two_mounts_in_one_slice_add_up():
    rows = table(
        {"process": 1, "slice": 10, "posix_close_ops": 1},
        {"process": 1, "slice": 10, "mount": "n", "stdio_close_ops": 2},
    )
    assert progress_of("job", rows, "closes").values.tolist() == [[3]]


def test_collectives_and_messages_of_processes():
    rows = table(
        {"process": 1, "slice": 4, "mpi_barrier_ops": 2, "mpi_iall_to_all_ops": 1},
        {"process": 2, "slice": 5, "mpi_send_ops": 7, "mpi_all_to_one_ops": 4},
    )
    assert progress_of("job", rows, "collectives").values.tolist() == [[3, 0], [0, 4]]
    assert progress_of("job", rows, "messages").values.tolist() == [[7]]


def test_nothing_is_no_process():
    empty = table({"process": 1, "slice": 4})
    for metric in METRICS:
        assert progress_of("job", empty, metric).values.shape == (0, 0)
    assert progress_of("job", empty.slice(0, 0), "bytes").active is None


def test_unknown_metrics_and_mixed_slices_are_refused():
    with pytest.raises(ValueError, match="closes"):
        progress_of("job", table({"process": 1}), "joy")
    mixed = table({"process": 1, "slice_ns": 10}, {"process": 2, "slice_ns": 20})
    with pytest.raises(ValueError, match="10, 20"):
        progress_of("job", mixed, "bytes")


def test_tables_are_asked_for_once_and_own_progress_goes_first():
    asked: list[str] = []

    def mounts(job: str) -> pa.Table:
        asked.append(job)
        return table({"process": 1, "slice": 4, "posix_write_bytes": 5, "posix_close_ops": 1})

    own = progress_of_log(
        "load",
        pa.table(
            {
                "host": ["a", "a", "b"],
                "pid": [1, 1, 1],
                "slice": [3, 5, 4],
                "operations": [2, 3, 4],
                "bytes": [0, 0, 0],
            }
        ),
        10,
        "operations",
    )
    assert own.values.tolist() == [[2, 0, 3], [0, 4, 0]]
    tables = ProgressTables(
        mounts, lambda job: table({"process": 1}), "m", {("load", "operations"): own}
    )
    assert tables("job", "bytes").total == 5
    assert tables("job", "closes").total == 1
    assert tables("job", "collectives") is None
    assert tables("load", "operations") is own
    assert asked == ["job"]


def test_mpi_io_that_no_wrapper_sees_counts_as_bytes():
    tables = ProgressTables(
        lambda job: table({"process": 1, "posix_close_ops": 1}),
        lambda job: table({"process": 1, "slice": 2, "mpiio_write_all_bytes": 9}),
        "m",
    )
    assert tables("job", "bytes").total == 9


def test_an_empty_log_is_no_process():
    columns = ("host", "pid", "slice", "operations")
    empty = pa.table({name: pa.array([], pa.int64()) for name in columns})
    assert progress_of_log("job", empty, 10, "operations").values.shape == np.zeros((0, 0)).shape
