"""Message jobs in a lab: their cost for the watched job by their own logs; the demo's texts."""

from __future__ import annotations

import pyarrow as pa
import pytest

from jostle.topology import fat_tree
from jostle_lab.cli.network_demo.picture import crossed, picture, shared
from jostle_lab.cli.network_demo.plan import LOUD, SHARER, WATCHED, jobs
from jostle_lab.signals import SignalLog
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.messages import MessageJob, truth

S = 1_000_000_000


def log(bursts: dict[str, list[tuple[float, float]]], rates: list[int]) -> SignalLog:
    """A log with slices of a second: bursts of each job, and the watched one's operations."""
    rows = [
        {"job": job, "begin_ns": int(b * S), "end_ns": int(e * S)}
        for job, spans in bursts.items()
        for b, e in spans
    ]
    slices = [{"job": "a", "slice": n, "operations": rate} for n, rate in enumerate(rates)]
    processes = [{"job": job, "bytes": 1000} for job in bursts for _ in range(2)]
    return SignalLog(
        pa.Table.from_pylist(processes), pa.Table.from_pylist(rows), pa.Table.from_pylist(slices)
    )


TWO = [
    MessageJob("a", ("n1", "n2")),
    MessageJob("b", ("n3", "n4"), harm=True),
    MessageJob("c", ("n5", "n6")),
]


def test_the_truth_counts_what_was_not_done_in_harmful_bursts_alone() -> None:
    rates = [10, 10, 10, 10, 10, 10, 5, 4, 5, 10, 10, 8, 10]
    known = truth(log({"a": [(0, 13)], "b": [(6, 8.9)], "c": [(11, 11.9)]}, rates), TWO, S)
    assert known.lost_s == pytest.approx(0.5 + 0.6 + 0.5)
    assert known.took_s == 13
    assert known.bytes == {"a": 1000, "b": 1000, "c": 1000}  # half of each call stays in the rank


def test_a_watched_job_that_is_never_alone_has_no_truth() -> None:
    with pytest.raises(ValidationError, match="never alone"):
        truth(log({"a": [(0, 4)], "b": [(0, 4)], "c": []}, [5, 5, 5, 5]), TWO, S)


def test_the_demo_shares_links_with_the_quiet_job_alone() -> None:
    fabric = fat_tree(4, 2, 1)
    sent = {WATCHED: 200_000_000, SHARER: 40_000_000, LOUD: 100_000_000}
    over = crossed(fabric, jobs(), sent)
    assert shared(fabric, over, WATCHED, SHARER) == [
        "leaf1 > spine1",
        "spine1 > leaf1",
        "leaf3 > spine1",
        "spine1 > leaf3",
    ]
    assert shared(fabric, over, WATCHED, LOUD) == []
    lines = list(picture(fabric, jobs(), over, utf8=False))
    assert lines[:3] == [
        "spine1",
        "|- leaf1   watched 100 MB, sharer 20 MB  <- shared",
        "|  |- node1   watched",
    ]
    assert lines[-1] == "   `- node8"
