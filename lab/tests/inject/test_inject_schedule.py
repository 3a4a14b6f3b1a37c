"""The windows of a run with a schedule, and a log that contradicts them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from jostle_lab.inject import InjectLog, InjectLogError, windows
from jostle_lab.inject.log import DELAYS, PROCESSES, TOTALS
from jostle_lab.inject.schedule import place

RULES = (
    "seed=5 calls=mpi delay=fixed:1ms period=400ns on=100ns phase=30ns place=random log=/a on=1s"
)


def log(*starts: int, rules: tuple[str, ...] = (RULES, RULES), seed: int = 5) -> InjectLog:
    """A log of processes with these rules; the first had delays that began so."""
    processes = [dict.fromkeys(PROCESSES.names) for _ in rules]
    for row, text in zip(processes, rules, strict=True):
        row |= {"rules": text, "seed": seed}
    delays = [{**dict.fromkeys(DELAYS.names), "start_ns": ns} for ns in starts]
    return InjectLog(
        pa.Table.from_pylist(delays, DELAYS),
        TOTALS.empty_table(),
        pa.Table.from_pylist(processes, PROCESSES),
    )


def test_whole_periods_with_one_window_on() -> None:
    found = windows(log(), 1_000, 5_000)
    assert found.random
    # periods begin at 30, 430, 830, 1230, ...; that of 4830 ends after 5000
    assert found.start_ns[0] == 1_230 and found.end_ns[-1] == 4_830
    assert (found.end_ns - found.start_ns == 100).all()
    assert found.period.tolist() == [k for k in range(3, 12) for _ in range(4)]
    for k in range(3, 12):
        on = found.on[found.period == k]
        assert on.sum() == 1 and on[place(5, k, 4)]


def test_the_rest_of_a_period_is_in_no_window() -> None:
    rules = RULES.replace("on=100ns", "on=150ns")
    found = windows(log(rules=(rules,)), 0, 1_000)
    assert found.start_ns.tolist() == [30, 180, 430, 580]


def test_the_first_place() -> None:
    found = windows(log(rules=(RULES.replace("random", "first"),)), 0, 1_000)
    assert not found.random
    assert found.on.tolist() == [True, False, False, False] * 2


def test_no_room_for_a_period() -> None:
    found = windows(log(), 1_000, 1_200)
    assert len(found.on) == 0


def test_what_contradicts_itself() -> None:
    with pytest.raises(InjectLogError, match="different"):
        windows(log(rules=(RULES, RULES.replace("400ns", "800ns"))), 0, 1_000)
    with pytest.raises(InjectLogError, match="no windows"):
        windows(log(rules=("seed=5 calls=mpi delay=fixed:1ms log=/a",)), 0, 1_000)
    with pytest.raises(InjectLogError, match="left no log"):
        windows(log(rules=()), 0, 1_000)
    millions = RULES.replace("0ns", "0ms")
    found = windows(log(rules=(millions,)), 0, 4_000_000_000)
    right = int(found.start_ns[found.on][3])
    windows(log(right + 10, right + 100_000_010, rules=(millions,)), 0, 4_000_000_000)
    wrong = next(
        int(ns)
        for ns, on, before in zip(found.start_ns[1:], found.on[1:], found.on, strict=False)
        if not on and not before
    )
    with pytest.raises(InjectLogError, match="1 delays began"):
        windows(log(right, wrong + 60_000_000, rules=(millions,)), 0, 4_000_000_000)
