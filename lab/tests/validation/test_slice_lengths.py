"""The experiments on slice lengths: their random choices, and records with longer slices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from jostle.repository import CoRunning, JobFacts
from jostle_lab.validation.cephfs.plan import QUIET
from jostle_lab.validation.csv_rows import load_rows, save_rows
from jostle_lab.validation.lengths import page
from jostle_lab.validation.lengths.coarse import coarse, coarse_rows
from jostle_lab.validation.lengths.plan import LONG, SHORT, from_json, trials
from jostle_lab.validation.lengths.score import Row, summary

MS = 10**6
FIRST = 4000  # the number of the first slice of 250 ms: it begins with one of 1 s


def mounts(job: str, begin: int, written: list[int]) -> pa.Table:
    """Slices of 250 ms of one job on one mount, one after the other; the first may be cut."""
    slices = np.arange(FIRST, FIRST + len(written))
    start = np.maximum(slices * 250 * MS, begin)
    return pa.table(
        {
            "job": [job] * len(written),
            "mount": ["m"] * len(written),
            "slice": slices,
            "slice_ns": [250 * MS] * len(written),
            "start_ns": start,
            "length_ns": (slices + 1) * 250 * MS - start,
            "count": [2] * len(written),
            "posix_write_bytes": written,
            "posix_write_ns_max": [7] * len(written),
        }
    )


def test_longer_slices_hold_the_sum_and_are_cut_to_the_life_of_their_job() -> None:
    begin = FIRST * 250 * MS + 100 * MS
    end = (FIRST + 6) * 250 * MS
    table = mounts("j", begin, [1, 2, 3, 4, 5, 6])
    found = coarse_rows(table, ["job", "mount"], 1000 * MS, {"j": (begin, end)}, (0, 0))
    assert found.column_names == table.column_names
    assert found["posix_write_bytes"].to_pylist() == [10, 11]
    assert found["posix_write_ns_max"].to_pylist() == [28, 14]
    assert found["count"].to_pylist() == [2, 2]
    assert found["slice"].to_pylist() == [FIRST // 4, FIRST // 4 + 1]
    assert found["start_ns"].to_pylist() == [begin, (FIRST + 4) * 250 * MS]
    assert found["length_ns"].to_pylist() == [900 * MS, 500 * MS]


def test_a_record_of_several_slices_stays_one() -> None:
    table = pa.table(
        {
            "host": ["h", "h"],
            "slice": [FIRST + 3, FIRST + 12],
            "slice_ns": [250 * MS] * 2,
            "span": pa.array([6, 1], pa.int32()),
            "read_bytes": [60, 5],
        }
    )
    found = coarse_rows(table, ["host"], 1000 * MS, {}, (0, 0))
    assert found["slice"].to_pylist() == [FIRST // 4, FIRST // 4 + 3]
    assert found["span"].to_pylist() == [3, 1]
    assert found["span"].type == pa.int32()
    assert found["read_bytes"].to_pylist() == [60, 5]


def test_a_length_that_is_no_multiple_is_refused() -> None:
    with pytest.raises(ValueError, match="not a multiple"):
        coarse_rows(mounts("j", 0, [1]), ["job"], 300 * MS, {}, (0, 0))


def test_a_job_and_its_neighbours_get_the_new_length() -> None:
    begin, end = FIRST * 250 * MS, (FIRST + 8) * 250 * MS
    own = mounts("j", begin, [1] * 8)
    none = pa.table({"host": pa.array([], pa.string()), "slice": pa.array([], pa.int64())})
    alongside = CoRunning(
        JobFacts("j", start_ns=begin, end_ns=end, slice_ns=250 * MS),
        {"k": JobFacts("k", start_ns=begin, end_ns=end, slice_ns=250 * MS)},
        own.drop_columns("job"),
        none,
        mounts("k", begin, [2] * 8),
        none,
        none,
    )
    found = coarse(alongside, 1000 * MS)
    assert found.job.slice_ns == found.others["k"].slice_ns == 1000 * MS
    assert found.own_mounts["posix_write_bytes"].to_pylist() == [4, 4]
    assert found.mount_loads["posix_write_bytes"].to_pylist() == [8, 8]


def test_what_is_drawn_depends_on_the_seed_alone_and_can_be_read_again() -> None:
    plan = trials(7)
    assert plan == trials(7) != trials(8)
    assert [from_json(one.to_json()) for one in plan] == plan
    assert len(plan) == sum(LONG.values()) + sum(SHORT.values())
    for one in plan:
        assert bool(one.experiment.harmful) is (one.experiment.group != QUIET)
        for load in one.experiment.harmful:
            # At least one whole burst lies in the run, but for what is on all the time.
            ends = load.rhythm.first_s + load.rhythm.on_s
            assert ends <= one.seconds or not one.decidable


def row(**given: object) -> Row:
    """A harmful experiment of ten minutes at 1 s, found right."""
    usual = {"cause": "x", "slowed": 50.0, "true_s": 10.0, "found_s": 11.0, "low_s": 9.0}
    usual |= {"high_s": 13.0, "suspect": "bad", "right": True}
    return Row(1, "bursts of 30 s", "sshfs", 600.0, 1000, **{**usual, **given})  # type: ignore[arg-type]


def test_a_neighbour_that_did_no_harm_counts_neither_way() -> None:
    idle = row(slowed=2.0, right=False, suspect="")
    quiet = row(cause="", right=None, suspect="decoy", wrong="decoy", slowed=None, true_s=None)
    one = summary([row(), idle, row(right=False, suspect="", found_s=0.0), quiet])
    assert (one.harmful, one.right, one.undecided) == (2, 1, 1)
    assert (one.quiet, one.quiet_named) == (1, 1)
    assert one.off == pytest.approx((0.1 + 1.0) / 2)


def test_the_page_is_the_same_of_data_that_were_read_again(tmp_path: Path) -> None:
    rows = [row(), replace(row(), slice_ms=4000)]
    rows.append(Row(2, QUIET, "sshfs", 120.0, 1000, error="the lab broke"))
    save_rows(tmp_path / page.DATA, Row, rows)
    again = load_rows(tmp_path / page.DATA, Row)
    assert again == rows
    text = page.page(again, "Measured.")
    assert "failed: the lab broke" in text
    assert "| 1 of 1 |" in text
