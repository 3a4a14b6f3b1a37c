"""Merging the segments of ranks: common boundaries, sums, and warnings where there are none."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranks import BEGIN, MS, make_program, rank_rows, running_hash, table_of, tokens_of, world_of

from jostle.repository.segments import bins
from jostle.repository.segments.merge import merge_world


def merged(program, cuts, *, seed=0, size=None, kinds=3, **options):
    """Merges ranks that cut a program at given places."""
    rng = np.random.default_rng(seed)
    rows = [
        rank_rows(program, c, rng, process=1000 + rank, **{k: v[rank] for k, v in options.items()})
        for rank, c in enumerate(cuts)
    ]
    world = world_of(size or len(cuts), list(range(len(cuts))))
    return merge_world(world, table_of(rows), tokens_of(kinds))


def every(count, step):
    return np.arange(step, count + 1, step)


def test_equal_ranks_are_merged_segment_by_segment():
    program = make_program(np.random.default_rng(1), 60)
    found = merged(program, [every(60, 2)] * 4)
    assert found.segments.num_rows == 31  # and the final one
    assert found.boundaries == found.boundaries_coarsest == 31
    assert found.agreement == 1
    assert found.notes == []
    assert found.segments["sends"].to_pylist() == [8] * 30 + [4]
    assert found.segments["sends_min"].to_pylist() == [2] * 30 + [1]
    assert found.rank_segments == [31] * 4
    assert found.segments["rule"].to_pylist() == ["coalesced"] * 30 + ["final"]
    assert found.segments["function"].to_pylist() == ["MPI_Allreduce"] * 30 + [""]


def test_nested_levels_are_coarsened_to_the_coarsest():
    program = make_program(np.random.default_rng(2), 64)
    found = merged(program, [every(64, 2), every(64, 8), every(64, 4), every(64, 1)])
    assert found.boundaries == 9
    assert found.agreement == 1
    assert found.segments["parts"].to_pylist() == [8] * 8 + [1]
    assert found.segments["sends"].to_pylist() == [32] * 8 + [4]
    assert found.segments["globals"].to_pylist() == [8] * 8 + [0]
    assert set(found.segments["rule"].to_pylist()[:8]) == {"coalesced"}


def test_raw_alongside_coarse():
    program = make_program(np.random.default_rng(3), 32)
    found = merged(program, [every(32, 1), every(32, 1)], rule=["raw", "raw"])
    assert set(found.segments["rule"].to_pylist()) == {"raw", "final"}
    assert found.rule == "raw"
    found = merged(program, [every(32, 1), every(32, 4)], rule=["raw", "coalesced"])
    assert found.boundaries == 9


def test_durations_are_medians_with_least_and_most():
    program = make_program(np.random.default_rng(4), 20)
    rng = np.random.default_rng(0)
    rows = [rank_rows(program, every(20, 1), rng, process=1000 + r, final=False) for r in range(3)]
    for r, late in enumerate((0, 3 * MS, 10 * MS)):  # each rank leaves the fifth later
        rows[r]["end_ns"][4] = BEGIN + int(program.gaps[:5].sum()) + late
        rows[r]["start_ns"][5] = rows[r]["end_ns"][4]
    table = merge_world(world_of(3), table_of(rows), tokens_of()).segments
    own = [rows[r]["end_ns"][4] - rows[r]["start_ns"][4] for r in range(3)]
    assert table["duration_ns"][4].as_py() == int(np.median(own))
    assert table["duration_min_ns"][4].as_py() == min(own)
    assert table["duration_max_ns"][4].as_py() == max(own)
    assert table["end_ns"][4].as_py() == BEGIN + int(program.gaps[:5].sum()) + 3 * MS
    assert table["start_ns"][5] == table["end_ns"][4]


def test_missing_ranks_are_said():
    program = make_program(np.random.default_rng(5), 30)
    found = merged(program, [every(30, 2)] * 3, size=5)
    assert found.missing == [3, 4]
    assert "2 ranks (3, 4) of 5 left no profile." in found.notes
    assert found.boundaries == 16


def test_a_rank_without_segments_is_said():
    program = make_program(np.random.default_rng(5), 30)
    rng = np.random.default_rng(0)
    rows = [rank_rows(program, every(30, 2), rng, process=1000 + r) for r in (0, 2)]
    found = merge_world(world_of(3), table_of(rows), tokens_of())
    assert found.ranks == [0, 2]
    assert "Rank 1 recorded no segments." in found.notes


def test_a_killed_rank_ends_the_common_part():
    program = make_program(np.random.default_rng(6), 40)
    found = merged(program, [every(40, 2)] * 3, until=[40, 21, 40])
    assert found.boundaries == 10
    assert "final" not in found.segments["rule"].to_pylist()


def test_a_rank_that_diverges_is_set_aside():
    program = make_program(np.random.default_rng(7), 40)
    other = make_program(np.random.default_rng(7), 40)
    other.calls[25] += 1
    other.sequence = running_hash(other.calls)
    rng = np.random.default_rng(0)
    rows = [
        rank_rows(other if r == 1 else program, every(40, 2), rng, process=1000 + r)
        for r in range(3)
    ]
    found = merge_world(world_of(3), table_of(rows), tokens_of(4))
    assert found.ranks == [0, 2]
    assert found.processes == [1000, 1002]
    assert found.diverged == {1: 26}
    assert found.boundaries == 21
    assert any("Rank 1 is left out" in note for note in found.notes)


def test_without_a_majority_the_segments_end_where_ranks_part():
    program = make_program(np.random.default_rng(8), 40)
    other = make_program(np.random.default_rng(8), 40)
    other.calls[25] += 1
    other.sequence = running_hash(other.calls)
    rng = np.random.default_rng(0)
    rows = [
        rank_rows(p, every(40, 2), rng, process=1000 + r) for r, p in enumerate((program, other))
    ]
    found = merge_world(world_of(2), table_of(rows), tokens_of(4))
    assert found.boundaries == 12
    assert found.diverged == {}
    assert any("From global collective 26 on" in note for note in found.notes)


def test_bytes_of_calls_that_vary_are_no_difference():
    """Ranks hand different sizes to Allgatherv: two tokens, one call."""
    program = make_program(np.random.default_rng(9), 20, kinds=1)
    rng = np.random.default_rng(0)
    rows = [rank_rows(program, every(20, 1), rng, process=1000 + r) for r in range(2)]
    rows[1]["token_hash"][rows[1]["token_hash"] == 100] = 101
    world = world_of(2)
    varying = tokens_of(2, {0: "MPI_Allgatherv", 1: "MPI_Allgatherv"})
    assert merge_world(world, table_of(rows), varying).boundaries == 21
    assert merge_world(world, table_of(rows), tokens_of(2)).boundaries == 0


def test_coverage_counts_kinds_that_recur():
    program = make_program(np.random.default_rng(10), 100)
    found = merged(program, [every(100, 1)] * 2, kinds=3)
    assert found.coverage == 1 and found.merged_coverage == 1
    assert found.segmentable and found.verdict == "segmented"
    once = make_program(np.random.default_rng(10), 40)
    once.calls[:] = np.arange(40)  # nothing recurs
    once.sequence = running_hash(once.calls)
    found = merged(once, [every(40, 1)] * 2, kinds=40)
    assert found.coverage == 0
    assert found.verdict == "not segmentable"


def test_no_rows_no_segments():
    program = make_program(np.random.default_rng(11), 10)
    found = merged(program, [[], []], final=[False, False])
    assert found.verdict == "no segments"
    assert found.segments.num_rows == 0
    assert found.to_json()["segments"] == 0


levels = st.lists(st.integers(0, 4), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(levels, st.integers(1, 120), st.integers(0, 2**32 - 1), st.booleans())
def test_sums_are_kept_whatever_the_levels(chosen, count, seed, final):
    rng = np.random.default_rng(seed)
    program = make_program(rng, count)
    cuts = [every(count, 2**level) for level in chosen]
    values = [
        {name: rng.integers(0, 50, count + 1) for name in ("sends", "p2p_bytes", "mpi_ns")}
        for _ in chosen
    ]
    found = merged(
        program, cuts, seed=seed, values=values, level=chosen, final=[final] * len(chosen)
    )
    # A rank that never got to a boundary has no rows, and takes no part.
    values = [v for v, c in zip(values, cuts, strict=True) if len(c) or final]
    coarsest = max((c for c in cuts if len(c) or final), key=lambda c: -len(c), default=cuts[0])
    assert found.boundaries == len(coarsest) + final
    assert found.agreement == (1 if found.boundaries else 0)
    for name in ("sends", "p2p_bytes", "mpi_ns"):
        for k, end in enumerate(coarsest):  # plainly
            begin = coarsest[k - 1] if k else 0
            parts = [int(v[name][begin:end].sum()) for v in values]
            assert found.segments[name][k].as_py() == sum(parts)
            assert found.segments[f"{name}_min"][k].as_py() == min(parts)
            assert found.segments[f"{name}_max"][k].as_py() == max(parts)
    ends = found.segments["end_ns"].to_pylist()
    assert found.segments["start_ns"].to_pylist() == [BEGIN, *ends[:-1]][: len(ends)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 60), max_size=30), min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_any_cuts_give_their_intersection(cuts, seed):
    program = make_program(np.random.default_rng(seed), 60)
    cuts = [np.array(sorted(set(c)), dtype=np.int64) for c in cuts]
    found = merged(program, cuts, seed=seed, final=[False] * len(cuts))
    common = set(cuts[0].tolist()).intersection(*map(set, cuts))
    with_rows = [c for c in cuts if len(c)]
    if len(with_rows) < len(cuts):  # ranks without segments take no part
        common = set(with_rows[0].tolist()).intersection(*map(set, with_rows)) if with_rows else ()
    assert found.boundaries == len(common)
    assert np.cumsum(found.segments["globals"].to_numpy()).tolist() == sorted(common)


def test_signatures_are_mergeable():
    program = make_program(np.random.default_rng(12), 48)
    fine = merged(program, [every(48, 1)] * 2, final=[False] * 2)
    coarse = merged(program, [every(48, 1), every(48, 6)], final=[False] * 2)
    sums = fine.segments["signature_sum"].to_numpy().reshape(-1, 6).sum(axis=1) % 2**32
    assert coarse.segments["signature_sum"].to_pylist() == sums.tolist()
    sets = np.bitwise_or.reduce(fine.segments["signature_set"].to_numpy().reshape(-1, 6), axis=1)
    assert coarse.segments["signature_set"].to_pylist() == sets.tolist()


def test_many_ranks_and_segments_take_seconds():
    count, ranks = 20_000, 64
    rng = np.random.default_rng(13)
    program = make_program(rng, count)
    one = rank_rows(program, every(count, 1), rng, process=0)
    rows = [{**one, "process": np.full(count + 1, 1000 + rank)} for rank in range(ranks)]
    rows[7] = rank_rows(program, every(count, 2), rng, process=1007)
    table = table_of(rows)
    begin = time.process_time()  # other tests may hold the cores
    found = merge_world(world_of(ranks), table, tokens_of())
    took = time.process_time() - begin
    assert found.boundaries == count // 2 + 1
    assert found.segments["sends"].to_numpy().sum() == ranks * (count + 1)
    assert took < 4, f"{took:.1f} s"


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_epochs_with_the_same_occurrence_are_common(ranks):
    rows = [epoch_rows(rank, level=rank % 3) for rank in range(ranks)]
    found = merge_world(world_of(ranks), table_of(rows), tokens_of())
    coarsest = 64 >> min(2, ranks - 1)
    assert found.boundaries == coarsest
    assert found.rule == "epoch"
    assert found.segments["sends"].to_pylist() == [64 // coarsest * ranks] * coarsest
    assert not any("time" in note for note in found.notes)


def epoch_rows(rank, *, level=0, site=100, skew=0, count=64, ms=100):
    """A rank that cuts at every 2^level-th occurrence of a call of its own; 100 ms apart."""
    program = make_program(np.random.default_rng(0), count)
    program.gaps[:] = ms * MS
    rng = np.random.default_rng(rank)
    rows = rank_rows(
        program,
        every(count, 2**level),
        rng,
        process=1000 + rank,
        final=False,
        rule="epoch",
        level=level,
    )
    n = len(rows["process"])
    rows["occurrence"] = every(count, 2**level)
    rows["globals"] = rows["globals_before"] = rows["sequence_hash"] = np.zeros(n, dtype=np.int64)
    rows["token_hash"][:] = site
    rows["end_ns"] += skew
    rows["start_ns"][1:] += skew
    return rows


def test_epochs_at_different_sites_are_matched_by_time():
    rows = [epoch_rows(0), epoch_rows(1, site=101, skew=10 * MS), epoch_rows(2, level=1)]
    found = merge_world(world_of(3), table_of(rows), tokens_of())
    assert found.boundaries == 32
    assert any("matched by time" in note for note in found.notes)
    away = [epoch_rows(0), epoch_rows(1, site=101, skew=40 * MS)]
    found = merge_world(world_of(2), table_of(away), tokens_of())
    assert found.boundaries == 0
    assert any("no counterpart" in note for note in found.notes)


def test_equal_occurrences_far_apart_in_time_are_not_the_same():
    rows = [epoch_rows(0), epoch_rows(1, ms=150)]
    found = merge_world(world_of(2), table_of(rows), tokens_of())
    assert found.boundaries < 8


def test_bins_of_ranks_are_summed_on_one_grid():
    program = make_program(np.random.default_rng(14), 4)
    program.gaps[:] = [30 * MS, 30 * MS, 30 * MS, 30 * MS]
    rows = [
        rank_rows(program, every(4, step), np.random.default_rng(0), process=1000 + r, final=False)
        for r, step in enumerate((1, 2))
    ]
    rows[0]["wait_bins"] = [b"\xff\x00\x33", b"", b"\x00\xff", b""]
    rows[1]["wait_bins"] = [b"", b"\xff\xff"]  # of 20 ms
    rows[1]["bin_shift"][1] = 1
    table = merge_world(world_of(2), table_of(rows), tokens_of()).segments
    assert table["bin_ns"].to_pylist() == [10 * MS, 20 * MS]
    assert table["wait_bins"].to_pylist()[0] == [10 * MS, 0, 2 * MS]
    assert list(map(sum, table["wait_min_bins"].to_pylist())) == [0, 10 * MS]
    assert sum(table["wait_bins"].to_pylist()[1]) == 50 * MS
    assert table["bins_from_ns"][0].as_py() == BEGIN // (10 * MS) * 10 * MS
    assert not any(map(any, table["offcpu_bins"].to_pylist()))
    assert not any(map(any, table["offcpu_max_bins"].to_pylist()))


def test_bins_have_their_extremes_over_ranks():
    program = make_program(np.random.default_rng(14), 1)
    program.gaps[:] = 30 * MS
    rows = [
        rank_rows(program, every(1, 1), np.random.default_rng(0), process=1000 + r, final=False)
        for r in range(3)
    ]
    for row, wait, off in zip(
        rows,
        (b"\xff\x33\x00", b"\x66\x66\xff", b"\x33\xff\xff"),
        (b"\x33", b"\x00\xff", b""),
        strict=True,
    ):
        row["wait_bins"], row["offcpu_bins"] = [wait], [off]
    table = merge_world(world_of(3), table_of(rows), tokens_of()).segments
    assert table["wait_min_bins"].to_pylist() == [[2 * MS, 2 * MS, 0]]
    assert table["wait_bins"].to_pylist() == [[16 * MS, 16 * MS, 20 * MS]]
    assert table["offcpu_max_bins"].to_pylist() == [[2 * MS, 10 * MS, 0]]
    rows[1]["wait_bins"] = [b""]  # a rank that never waited: nobody else's wait is everybody's
    table = merge_world(world_of(3), table_of(rows), tokens_of()).segments
    assert not any(table["wait_min_bins"].to_pylist()[0])


def ranks_with_bins(clock_off_ns: int, count: int = 2000, shown: int = 2):
    """Two ranks that wait in every bin; the second's clock is off."""
    program = make_program(np.random.default_rng(15), count)
    program.gaps[:] = 10 * MS
    rows = [
        rank_rows(program, every(count, 1), np.random.default_rng(0), process=1000 + r, final=False)
        for r in range(2)
    ]
    for row in rows:
        row["wait_bins"] = [b"\xff" * shown] * count
    for name in ("start_ns", "end_ns"):
        rows[1][name] += clock_off_ns
    return merge_world(world_of(2), table_of(rows), tokens_of())


def test_ranks_whose_clocks_are_far_apart_get_no_bins():
    found = ranks_with_bins(600_000 * MS)  # else 60 000 bins for each of the segments
    assert found.boundaries == 2000
    assert not any(found.segments["wait_bins"].to_pylist())
    assert set(found.segments["bin_ns"].to_pylist()) == {None}
    assert any("In 2000 segments" in note and "clocks" in note for note in found.notes)
    near = ranks_with_bins(100 * MS)
    assert all(map(len, near.segments["wait_bins"].to_pylist()))
    assert not any("clocks" in note for note in near.notes)


def test_the_longest_segments_give_way_when_there_are_too_many_bins(monkeypatch):
    monkeypatch.setattr(bins, "_MOST_BINS", 4000)
    program = make_program(np.random.default_rng(15), 3)
    row = rank_rows(program, every(3, 1), np.random.default_rng(0), process=1000, final=False)
    row["wait_bins"] = [b"\xff", b"\xff" * 5000, b"\xff"]
    table = merge_world(world_of(1), table_of([row]), tokens_of()).segments
    assert list(map(len, table["wait_bins"].to_pylist())) == [1, 0, 1]


def test_bytes_have_their_median_over_ranks():
    program = make_program(np.random.default_rng(14), 2)
    rows = [
        rank_rows(
            program,
            every(2, 1),
            np.random.default_rng(0),
            process=1000 + r,
            final=False,
            values={"p2p_bytes": np.array([7, size, 0])},
        )
        for r, size in enumerate((10, 30, 1000))
    ]
    table = merge_world(world_of(3), table_of(rows), tokens_of()).segments
    assert table["p2p_bytes_median"].to_pylist() == [7, 30]


def mixed_rows(rank, levels, skew):
    """A rank whose globals come every 16 steps of 100 ms; in between epochs at 2^level steps."""
    steps, every_ms = 64, 100
    ends, rules, occurrence, places = [], [], [], []
    for step in range(1, steps + 1):
        level = levels[(step - 1) // 16]
        if step % 16 == 0:
            rules.append("every")
        elif step % (1 << level) == 0:
            rules.append("epoch")
        else:
            continue
        late = skew if rules[-1] == "epoch" else 0
        ends.append(BEGIN + step * every_ms * MS + late)
        occurrence.append(step if rules[-1] == "epoch" else 0)
        places.append(step // 16)
    rows = epoch_rows(rank)
    n = len(ends)
    rows = {name: column[:n] for name, column in rows.items()}
    before = np.array([0, *places[:-1]])
    steps_at = (np.array(ends) - BEGIN) // (every_ms * MS)
    return rows | {
        "end_ns": np.array(ends),
        "start_ns": np.array([BEGIN, *ends[:-1]]),
        "rule": rules,
        "occurrence": np.array(occurrence),
        "globals_before": before,
        "globals": np.array(places) - before,
        "sequence_hash": np.array(places) * 7,
        "token_hash": np.array([101 if rule == "epoch" else 100 for rule in rules]),
        "sends": np.diff(steps_at, prepend=0),
    }


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.tuples(*[st.integers(0, 4)] * 4), st.integers(0, 40)), min_size=1, max_size=5
    )
)
def test_epochs_between_globals(ranks):
    rows = [mixed_rows(r, levels, skew * MS) for r, (levels, skew) in enumerate(ranks)]
    found = merge_world(world_of(len(ranks)), table_of(rows), tokens_of())
    coarsest = [max(levels[i] for levels, _ in ranks) for i in range(4)]
    steps = [
        step for step in range(1, 65) if step % 16 == 0 or step % (1 << coarsest[step // 16]) == 0
    ]
    assert np.cumsum(found.segments["sends"].to_numpy() // len(ranks)).tolist() == steps
    assert found.segments["sends_min"] == found.segments["sends_max"]
    rules = found.segments["rule"].to_pylist()
    assert rules == ["epoch" if step % 16 else "every" for step in steps]
    assert found.segments["globals"].to_pylist() == [int(step % 16 == 0) for step in steps]
