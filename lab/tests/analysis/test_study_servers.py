"""Several file servers: ends of processes, and what each server received (thesis §3.2.3)."""

from __future__ import annotations

import numpy as np
import pytest
from synth_study import SLICE_NS, Lab, Writer

from jostle_lab.analysis.study.evaluate import evaluate
from jostle_lab.analysis.study.pairs import JobProgress


def _run(lab: Lab, ends: list[int], rates: list[float]) -> None:
    """A run whose processes end after so many slices, on servers that get so many bytes a slice."""
    record = lab.alone(Writer("aw", processes=len(ends), volume=40e6))
    program = record["programs"][0]
    values = [[1e6] * end + [0.0] * (max(ends) - end) for end in ends]
    first = program["begin_ns"] // SLICE_NS
    job = program["job"]
    lab.seen[job, "bytes"] = JobProgress(job, SLICE_NS, first, np.array(values))
    program["end_ns"] = program["begin_ns"] + max(ends) * SLICE_NS
    program["volume"] = 1e6 * sum(ends)
    record["server"] = "servers.in"
    record["monitor"] = [
        {"time_ns": program["begin_ns"] + step * SLICE_NS, "servers.in": step * sum(rates)}
        | {
            f"storage{place or ''}.in": step * rate
            for place, rate in zip((0, 2, 3), rates, strict=False)
        }
        for step in range(max(ends) + 1)
    ]


def test_processes_and_servers() -> None:
    lab = Lab()
    for _ in range(3):
        _run(lab, [8, 8, 16], [1e6, 2e6])
    balance = evaluate(lab.records, lab.source).balances[0]
    assert balance.program == "aw" and balance.servers == ["storage", "storage2"]
    assert balance.seconds == [[2.0, 2.0, 4.0]] * 3
    assert balance.spread.median == pytest.approx(0.3536, abs=1e-4)  # sqrt(8/9) of 8/3
    assert len(balance.ends) == 16 and balance.ends[-1] == pytest.approx(4.0)
    assert balance.received[1] == pytest.approx([8e6] * 16)


def test_one_server_has_no_balance() -> None:
    lab = Lab()
    for _ in range(3):
        _run(lab, [8, 8, 16], [1e6])
    assert evaluate(lab.records, lab.source).balances == []


def test_a_process_without_progress_is_left_out() -> None:
    lab = Lab()
    _run(lab, [8, 0, 16], [1e6, 2e6])
    assert evaluate(lab.records, lab.source).balances[0].seconds == [[2.0, 4.0]]
