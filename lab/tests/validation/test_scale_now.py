"""Answers about many running jobs: how their delay is computed; a few jobs, with every fault."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from conftest import native
from jostle_lab.validation.scale.now import (
    NowSpec,
    Seen,
    missing_of,
    now_table,
    simulate_now,
    waits_of,
)
from jostle_lab.validation.scale.services import can_pretend
from jostle_lab.validation.scale.spools import SLICE_NS

_S = 10**9


def _seen(at: float, **slices: int) -> Seen:
    """An answer at a time, s, with the number of evaluated slices of each job."""
    jobs = {job: (n * SLICE_NS, n * SLICE_NS / _S) for job, n in slices.items()}
    return Seen(round(at * _S), 0.1, jobs)


def test_a_slice_is_in_an_answer_when_it_is_for_all_jobs() -> None:
    seen = [_seen(5, a=1), _seen(9, a=1, b=1), _seen(10, a=2, b=1), _seen(14, a=3, b=3)]
    ends = [SLICE_NS, 2 * SLICE_NS, 4 * SLICE_NS]
    assert waits_of(seen, ends, 2) == [5.0, 6.0, math.inf]


def test_what_an_answer_leaves_out_is_counted() -> None:
    assert missing_of(_seen(20, a=3, b=4), 0) == 0
    left = Seen(0, 0.0, {"a": (5 * SLICE_NS, 3 * SLICE_NS / _S), "b": (SLICE_NS, 4.0)})
    assert missing_of(left, 0) == 2


@pytest.mark.in_turn
def test_some_running_jobs_with_every_fault(tmp_path: Path) -> None:
    if native("jostle-ship") is None or os.geteuid() != 0 or not can_pretend(tmp_path):
        pytest.skip("needs jostle-ship, root, and mount namespaces")
    result = simulate_now(NowSpec(jobs=12, nodes=4, slices=6), tmp_path)
    assert result.truth.is_same, result.truth
    assert result.truth.slices == 12 * 2 * 6
    assert (result.jobs, result.missing) == (12, 0)
    assert len(result.happened) == 3 and math.isfinite(max(result.fault_waits_s))
    assert any("lost, doubled" in line for line in now_table(result))
