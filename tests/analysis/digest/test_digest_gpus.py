"""GPUs in a digest: sums and rates of the counters."""

from __future__ import annotations

import pyarrow as pa
import pytest

from jostle.analysis.digest.gpus import gpus
from jostle.reader import GPU_VALUES
from jostle.repository.types import JobTables


def tables(**values: int) -> JobTables:
    row = {"host": "node1", "gpu": "0000:3b:00.0", "name": "G1", "memory_bytes": 1 << 36}
    row |= {name: values.get(name.removeprefix("gpu_"), 0) for name in GPU_VALUES}
    empty = pa.table({})
    return JobTables(
        "j", empty, empty, empty, empty, gpus=pa.table({k: [v] for k, v in row.items()})
    )


def test_copies_launches_and_computing() -> None:
    (gpu,) = gpus(
        tables(
            h2d_bytes=4000,
            h2d_ns=2000,
            d2d_bytes=7,
            launch_ops=5,
            graph_ops=2,
            busy_ns=3 * 10**9,
            lost_ops=1,
        ),
        12.0,
    )
    assert (gpu.to_bytes, gpu.back_bytes, gpu.within_bytes) == (4000, 0, 7)
    assert gpu.to_served == pytest.approx(2e9)
    assert gpu.back_served is None
    assert (gpu.launches, gpu.lost_records) == (7, 1)
    assert gpu.busy_share == pytest.approx(0.25)


def test_kernels_that_were_not_recorded_are_no_idle_gpu() -> None:
    (gpu,) = gpus(tables(launch_ops=5), 12.0)
    assert gpu.busy_share is None


def test_a_job_without_gpus() -> None:
    empty = pa.table({})
    assert gpus(JobTables("j", empty, empty, empty, empty), 1.0) == []
