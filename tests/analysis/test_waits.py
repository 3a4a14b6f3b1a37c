"""Which rank waits for which: synthetic ranks that are late for a known reason, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_maker import FIRST, LENGTH_NS, RankMaker

from jostle.analysis.waits import JobWaits, Straggler, WorldWaits, waits_of
from jostle.analysis.waits.late import LatePlaces, late_span, places_of
from jostle.report.format.waits import straggler_row, wait_sentences, waits_json

FOUR = ["n1", "n2", "n3", "n4"]
PAIRS = ["n1", "n1", "n2", "n2"]
WHEN = slice(60, 100)
#: Seconds of each slice that a rank of which others have the core is late, and waits for it.
QUEUE = 0.08


def world(maker: RankMaker, **given: object) -> WorldWaits:
    tables = maker.tables(**given)  # type: ignore[arg-type]
    (found,) = waits_of(tables, maker.peer_table).worlds
    return found


def named(maker: RankMaker, **given: object) -> Straggler:
    found = world(maker, **given)
    assert found.answer == "named"
    (straggler,) = found.stragglers
    return straggler


def span(straggler: Straggler) -> tuple[float, float]:
    """First slice, and the first after the last."""
    return straggler.start_ns / LENGTH_NS - FIRST, straggler.end_ns / LENGTH_NS - FIRST


def late(hosts: list[str] = FOUR, rank: int | slice = 2, at: slice = WHEN) -> RankMaker:
    maker = RankMaker(list(hosts))
    maker.slow(rank, at, 1.5)
    return maker


def test_ranks_that_are_alike_have_no_straggler() -> None:
    found = world(RankMaker(FOUR))
    assert (found.answer, found.stragglers) == ("cleared", [])
    assert 0 < found.least_s < 1


def test_a_rank_whose_core_others_had_is_named_with_its_span_and_its_seconds() -> None:
    maker = late()
    maker.add("os_runqueue", 2, WHEN, QUEUE)
    found = named(maker)
    assert (found.ranks, found.host, found.cause) == ([2], "n3", "starved")
    assert found.interference
    assert found.confidence > 0.999
    assert span(found) == pytest.approx((60, 100), abs=1)
    busy = maker.busy()
    waited = sum(busy[at, 2] - np.delete(busy[at], 2).max() for at in range(60, 100))
    assert found.seconds == pytest.approx(waited, rel=0.03)
    assert found.explained_s <= found.seconds
    assert (found.from_start, found.to_end) == (False, False)


def test_a_cpu_limit_is_distinguished_from_others_that_have_the_core() -> None:
    maker = late()
    maker.add("os_runqueue", 2, WHEN, QUEUE)  # the kernel counts it there, too
    maker.add("os_throttled", 2, WHEN, QUEUE)
    assert named(maker).cause == "capped"


def test_a_cpu_limit_of_a_node_is_not_counted_once_per_rank() -> None:
    maker = late(PAIRS, slice(2, 4))
    maker.add("os_throttled", slice(2, 4), WHEN, 2 * QUEUE)  # of the group: of both its ranks
    found = named(maker)
    assert (found.ranks, found.cause, found.resource) == ([2, 3], "capped", "n2")
    assert found.explained_s <= found.seconds


def test_slower_cores_are_known_by_the_probe() -> None:
    maker = late()
    maker.probe({2: 1.5}, WHEN)
    found = named(maker)
    assert (found.cause, found.interference) == ("slow cores", True)


def file_calls(maker: RankMaker, ops: float, each: float) -> None:
    """Lets all ranks write 10 times a slice, and rank 2 ops times for each seconds when late."""
    for rank in range(4):
        number, seconds = np.full(maker.slices, 10.0), np.full(maker.slices, 0.01)
        if rank == 2:
            number[WHEN], seconds[WHEN] = ops, ops * each
        maker.mounts.append((rank, "nfs:home", "write", number, seconds))
        maker.add("state_io", rank, slice(None), 0.01)
    maker.add("state_io", 2, WHEN, ops * each - 0.01)


def test_slow_file_calls_are_distinguished_from_more_of_them() -> None:
    slow, more = late(), late()
    file_calls(slow, 10, 0.009)
    file_calls(more, 120, 0.001)
    found = named(slow)
    assert (found.cause, found.resource) == ("slow file system", "nfs:home")
    found = named(more)
    assert (found.cause, found.interference) == ("own imbalance", False)


def test_a_rank_with_more_work_in_every_slice_is_no_interference() -> None:
    maker = late(at=slice(None))
    maker.probe()
    found = named(maker)
    assert (found.ranks, found.cause, found.interference) == ([2], "own imbalance", False)
    assert found.from_start
    assert found.to_end


def test_without_a_probe_more_work_is_not_distinguished_from_slower_cores() -> None:
    found = named(late(at=slice(None)))
    assert (found.cause, found.interference) == ("unknown", False)
    assert "JOSTLE_CORE_PROBE" in found.decided_by


def test_without_a_probe_other_ranks_of_the_node_show_that_it_is_more_work() -> None:
    found = named(late(PAIRS, at=slice(None)))
    assert (found.ranks, found.cause) == ([2], "own imbalance")


def test_what_comes_on_top_of_its_own_imbalance_is_apart_from_it() -> None:
    maker = late(at=slice(None))
    maker.slow(2, WHEN, 1.6)
    maker.add("os_runqueue", 2, WHEN, QUEUE)
    maker.probe()
    found = {each.cause: each for each in world(maker).stragglers}
    assert set(found) == {"own imbalance", "starved"}
    assert found["own imbalance"].from_start
    assert span(found["starved"]) == pytest.approx((60, 100), abs=1)


def test_a_rank_that_sleeps_or_was_stopped_has_no_known_cause() -> None:
    maker = late()
    maker.values["os_user"] = maker.busy().copy()
    maker.values["os_user"][WHEN, 2] = 0.02
    found = named(maker)
    assert found.cause == "unknown"
    assert "stopped" in found.why


def test_two_ranks_at_two_times_are_both_named() -> None:
    maker = RankMaker(FOUR, slices=160)
    for rank, at in ((0, slice(10, 50)), (3, slice(90, 140))):
        maker.slow(rank, at, 1.5)
        maker.add("os_runqueue", rank, at, QUEUE)
    found = {each.ranks[0]: span(each) for each in world(maker).stragglers}
    assert found[0] == pytest.approx((10, 50), abs=1)
    assert found[3] == pytest.approx((90, 140), abs=1)


def test_bursts_of_one_disturbance_are_one_straggler() -> None:
    maker = RankMaker(FOUR, slices=240)
    for begin in range(20, 220, 40):
        maker.slow(1, slice(begin, begin + 20), 1.6)
        maker.add("os_runqueue", 1, slice(begin, begin + 20), QUEUE)
    found = named(maker)
    assert found.cause == "starved"
    assert span(found) == pytest.approx((20, 200), abs=2)


def test_one_rank_with_two_causes_after_each_other_is_named_for_each() -> None:
    maker = RankMaker(["n1", "n2"], slices=170)  # of two equal ranks each is last half of the time
    starved, capped = slice(20, 55), slice(72, 107)
    for at in (starved, capped):
        maker.slow(1, at, 2.0)
        maker.add("os_runqueue", 1, at, 0.1)
    maker.add("os_throttled", 1, capped, 0.1)
    found = {each.cause: span(each) for each in world(maker).stragglers}
    assert found == {
        "starved": pytest.approx((20, 55), abs=1),
        "capped": pytest.approx((72, 107), abs=1),
    }


def test_lateness_that_goes_round_is_no_ranks() -> None:
    maker = RankMaker(FOUR)
    for turn in range(24):
        maker.slow(turn % 4, slice(5 * turn, 5 * turn + 5), 1.5)
    found = world(maker)
    assert (found.answer, found.stragglers) == ("cleared", [])
    assert found.waited_s > 3
    assert "changed" in found.why


def test_all_equally_slow_have_no_straggler() -> None:
    maker = RankMaker(FOUR)
    maker.slow(slice(None), WHEN, 3.0)
    maker.add("os_runqueue", slice(None), WHEN, QUEUE)
    assert world(maker).answer == "cleared"


def test_a_master_that_only_waits_is_not_late() -> None:
    maker = RankMaker(FOUR)
    maker.slow(0, slice(None), 0.01)
    assert world(maker).answer == "cleared"


def test_ranks_that_do_not_communicate_wait_for_nobody() -> None:
    maker = RankMaker(FOUR, messages=0.0)
    maker.slow(2, WHEN, 2.0)
    tables = maker.tables()
    zero = pa.array(np.zeros(tables.slices.num_rows, dtype=np.int64))
    at = tables.slices.column_names.index("state_collective_ns")
    slices = tables.slices.set_column(at, "state_collective_ns", zero)
    (found,) = waits_of(replace(tables, slices=slices)).worlds
    assert (found.answer, found.why) == ("cleared", "its ranks hardly communicated")


def ring(maker: RankMaker, reach: int = 1) -> RankMaker:
    """Each rank exchanges messages with the next ones on either side."""
    count = len(maker.hosts)
    for rank in range(count):
        for step in range(1, reach + 1):
            for peer in {(rank + step) % count, (rank - step) % count} - {rank}:
                maker.peers.append((rank, peer, 1000))
    return maker


def slow_messages(
    maker: RankMaker, who: list[int], at: slice = WHEN, also: tuple[list[int], slice] | None = None
) -> RankMaker:
    """In some slices messages of some ranks take longer, and the others wait for these."""
    longer = np.zeros(maker.need.shape, dtype=bool)
    for ranks, span in ((who, at), also or ([], slice(0))):
        longer[span, ranks] = True
    maker.messages = np.where(longer.any(axis=1)[:, None], 0.6, 0.3)
    noise = np.exp(maker.dice.normal(0, 0.1, maker.need.shape))
    maker.values["state_p2p"] = (0.02 + 0.06 * longer) * noise
    return maker


@pytest.mark.parametrize("node", [0, 2, 4])
def test_a_slow_link_is_that_of_the_node_in_the_midst_of_slow_messages(node: int) -> None:
    hosts = [f"n{number}" for number in range(5)]
    around = [(node + step) % 5 for step in (-1, 0, 1)]
    found = named(slow_messages(ring(RankMaker(hosts)), around))
    assert (found.ranks, found.host, found.cause) == ([node], f"n{node}", "slow link")
    assert span(found) == pytest.approx((60, 100), abs=1)


@pytest.mark.parametrize("seed", range(6))
def test_of_two_slow_links_after_each_other_no_third_is_named(seed: int) -> None:
    maker = ring(RankMaker(["n0", "n1", "n2", "n3"], seed=seed, slices=130))
    slow_messages(maker, [3, 0, 1], slice(20, 55), ([0, 1, 2], slice(73, 108)))
    found = {each.host: span(each) for each in world(maker).stragglers}
    assert found == {"n0": pytest.approx((20, 55), abs=2), "n1": pytest.approx((73, 108), abs=2)}


def test_of_two_nodes_no_link_is_named() -> None:
    maker = slow_messages(ring(RankMaker(["n1", "n2"])), [0, 1])
    assert world(maker).answer == "cleared"


def test_one_rank_waits_for_nobody() -> None:
    assert waits_of(RankMaker(["n1"]).tables()).worlds == []
    assert waits_of(RankMaker(["n1"]).tables(size=4)).worlds[0].answer == "undecided"


def test_ranks_without_a_profile_may_be_the_late_ones() -> None:
    found = world(RankMaker(FOUR), size=8)
    assert found.answer == "undecided"
    assert "4 of its ranks have no profile" in found.why


def test_a_short_run_is_undecided() -> None:
    maker = RankMaker(["n1", "n2"], slices=12)
    maker.slow(1, slice(None), 2.0)
    found = world(maker)
    assert found.answer == "undecided"
    assert "12 whole slices" in found.why
    assert "--slice" in found.decided_by


def test_clocks_that_are_apart_make_it_undecided() -> None:
    tables = late().tables()
    at = tables.ranks.column_names.index("clock_error_us")
    ranks = tables.ranks.set_column(at, "clock_error_us", pa.array([500_000] * 4))
    (found,) = waits_of(replace(tables, ranks=ranks)).worlds
    assert found.answer == "named"  # the ranks left MPI_Init at one time by all clocks
    for name in ("begin_ns", "end_ns"):
        later = tables.ranks[name].to_numpy() + np.array([0, 400, 0, 0]) * 10**6
        ranks = ranks.set_column(tables.ranks.column_names.index(name), name, pa.array(later))
    (found,) = waits_of(replace(tables, ranks=ranks)).worlds
    assert found.answer == "undecided"
    assert "clocks" in found.why


@pytest.mark.parametrize(("errors", "answer"), [([40, 40], "undecided"), ([40, 0], "named")])
def test_two_clocks_may_differ_by_both_their_errors(errors: list[int], answer: str) -> None:
    """Slices are 250 ms long, and their clocks may be a quarter of that apart."""
    tables = late(PAIRS).tables()
    ranks = tables.ranks
    ahead_ns = np.array([0, 0, 200, 200]) * 10**6  # two ranks have one clock
    for name, values in (
        ("clock_error_us", np.repeat(errors, 2) * 1000),
        ("begin_ns", ranks["begin_ns"].to_numpy() + ahead_ns),
        ("end_ns", ranks["end_ns"].to_numpy() + ahead_ns),
    ):
        ranks = ranks.set_column(ranks.column_names.index(name), name, pa.array(values))
    (found,) = waits_of(replace(tables, ranks=ranks)).worlds
    assert found.answer == answer


def test_a_rank_that_ended_early_is_compared_while_it_ran() -> None:
    maker = late()
    maker.add("os_runqueue", 2, WHEN, QUEUE)
    maker.there[30:, 0] = False
    found = named(maker)
    assert (found.ranks, found.cause) == ([2], "starved")


def test_a_record_of_a_starved_heartbeat_spans_several_slices() -> None:
    maker = late()
    maker.add("os_runqueue", 2, WHEN, QUEUE)
    tables = maker.tables()
    rows = tables.slices.to_pylist()
    mine = [row for row in rows if row["process"] == 102 and 60 <= row["slice"] - FIRST < 100]
    joined = []
    for first in mine[::4]:
        part = [row for row in mine if 0 <= row["slice"] - first["slice"] < 4]
        sums = {name: sum(row[name] for row in part) for name in first if name.endswith("_ns")}
        joined.append({**first, **sums, "slice_ns": LENGTH_NS, "span": 4})
    left = [row for row in rows if row not in mine]
    slices = pa.Table.from_pylist(left + joined, tables.slices.schema)
    (found,) = waits_of(replace(tables, slices=slices)).worlds
    (straggler,) = found.stragglers
    assert (straggler.ranks, straggler.cause) == ([2], "starved")


def test_two_worlds_are_answered_each_by_itself() -> None:
    one, two = late(), RankMaker(["m1", "m2", "m3"], seed=3)
    one.add("os_runqueue", 2, WHEN, QUEUE)
    first, second = one.tables(), two.tables()
    ranks = second.ranks.to_pylist()
    for row in ranks:
        row |= {"number": 1, "process": row["process"] + 100}
    slices = second.slices.to_pylist()
    for row in slices:
        row["process"] += 100
    tables = replace(
        first,
        ranks=pa.concat_tables([first.ranks, pa.Table.from_pylist(ranks, first.ranks.schema)]),
        slices=pa.concat_tables([first.slices, pa.Table.from_pylist(slices, first.slices.schema)]),
    )
    found = waits_of(tables)
    assert [each.answer for each in found.worlds] == ["named", "cleared"]
    assert [text[:9] for text in wait_sentences(found, {})] == ["world 0: ", "world 1: "]


def test_threads_of_a_hybrid_rank_count_as_one_wait() -> None:
    maker = late()
    maker.add("os_runqueue", 2, WHEN, 8 * QUEUE)  # eight threads, each a third of its time
    maker.values["os_user"] = np.full(maker.need.shape, 8 * 0.2)
    maker.values["os_user"][WHEN, 2] = 8 * (0.25 - QUEUE)
    found = named(maker)
    assert found.cause == "starved"
    assert found.explained_s <= found.seconds


def test_quiet_runs_raise_hardly_any_alarm() -> None:
    alarms = 0
    for seed in range(60):
        for hosts in (FOUR, PAIRS, ["n1", "n2"]):
            maker = RankMaker(hosts, seed=seed, scatter=0.1, slices=80)
            maker.add("os_runqueue", seed % len(hosts), slice(0, 40), QUEUE)
            alarms += world(maker).answer != "cleared"
    assert alarms <= 1


def test_the_test_keeps_its_rate_of_false_alarms() -> None:
    dice = np.random.default_rng(7)
    low = 0
    for seed in range(100):
        whole = dice.exponential(1.0, (60, 3))
        span_found = late_span(places_of(whole), seed, 0.0)
        assert span_found is not None
        low += span_found.p <= 0.1
    assert low <= 20  # 10 expected; 20 or more have a chance of 0.2 %


@settings(max_examples=25, deadline=None)
@given(
    ranks=st.integers(2, 6),
    late_rank=st.integers(0, 5),
    begin=st.integers(0, 60),
    length=st.integers(30, 60),
    seed=st.integers(0, 10_000),
)
def test_shares_are_possible_whatever_happened(
    ranks: int, late_rank: int, begin: int, length: int, seed: int
) -> None:
    maker = RankMaker([f"n{number}" for number in range(ranks)], seed=seed)
    at = slice(begin, begin + length)
    maker.slow(late_rank % ranks, at, 1.6)
    maker.add("os_runqueue", late_rank % ranks, at, 0.2)
    for straggler in world(maker).stragglers:
        assert straggler.ranks == [late_rank % ranks]
        assert 0 < straggler.seconds <= (straggler.end_ns - straggler.start_ns) / 1e9
        assert 0 <= straggler.explained_s <= straggler.seconds * (1 + 1e-9)
        assert 0 < straggler.p <= 0.001


def test_of_many_equal_places_none_is_rare() -> None:
    nobody = LatePlaces(np.full(10, -1), np.zeros(10), 4)
    assert late_span(nobody, 0, 0.0) is None


def straggler(**given: object) -> Straggler:
    values = {
        "ranks": [3],
        "host": "n02",
        "start_ns": 0,
        "end_ns": 10**9,
        "seconds": 41.2,
        "cause": "capped",
        "explained_s": 40.0,
        "resource": "n02",
        "from_start": False,
        "to_end": True,
        "p": 0.00025,
    }
    return Straggler(**{**values, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given_values", "text"),
    [
        ({}, "on, 41.2 s in all: a CPU limit stopped it."),
        ({"from_start": True}, "Rank 3 on n02 was waited for from start to end, 41.2 s in all"),
        ({"from_start": True, "to_end": False}, "waited for from the start to "),
        ({"ranks": [2, 3], "cause": "starved"}, "Ranks 2 and 3 on n02 were waited for from"),
        ({"ranks": [0, 2, 3, 4, 9], "cause": "starved"}, "Ranks 0, 2 to 4, 9 on n02"),
        ({"cause": "slow file system", "resource": "fs:1"}, "its file calls on /scratch took"),
        ({"cause": "own imbalance"}, "imbalance and not interference"),
        (
            {"cause": "unknown", "why": "A", "decided_by": "B"},
            "the cause is unknown, because A; B would show it.",
        ),
    ],
)
def test_the_sentence_names_rank_node_time_seconds_and_why(
    given_values: dict[str, object], text: str
) -> None:
    row = straggler_row(straggler(**given_values), {"fs:1": "/scratch"})
    assert text in row.text


def test_every_answer_is_a_name_a_clearance_or_says_why_it_is_undecided() -> None:
    cleared = WorldWaits(0, 4, "cleared", why="no rank was later than the others", least_s=0.5)
    unknown = WorldWaits(1, 2, "undecided", why="A", decided_by="B")
    said = wait_sentences(JobWaits("j", [cleared, unknown]), {})
    assert said[0].startswith("world 0: No rank kept the others waiting")
    assert said[1].endswith("kept the others waiting, because A; B would decide it.")
    assert wait_sentences(None, {}) == []
    plain = waits_json(JobWaits("j", [replace(cleared, stragglers=[straggler()])]), {})
    assert plain is not None
    (row,) = plain["worlds"][0]["stragglers"]
    assert row["interference"] is True
    assert row["confidence"] == pytest.approx(0.99975)
    assert row["text"] == plain["worlds"][0]["text"]


def test_the_repository_returns_what_ranks_did(tmp_path: Path) -> None:
    from mpi_jobs import ocean

    from jostle.repository import Repository

    spool = tmp_path / "spool"
    spool.mkdir()
    ocean(spool)
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([spool])
    tables = store.rank_tables("ocean")
    assert tables.ranks["world_rank"].to_pylist() == [0, 1, 2, 3]
    last = tables.ranks["process"][3]
    mine = tables.slices.filter(pc.equal(tables.slices["process"], last))
    assert mine["state_collective_ns"][5].as_py() == pytest.approx(50_000_000, rel=1e-3)
    first = tables.mounts.to_pylist()[0]
    assert (first["write_ops"], first["read_ns"]) == (2, 0)
    assert first["write_ns"] == pytest.approx(20_000_000, rel=1e-3)
    (found,) = waits_of(tables).stragglers
    assert (found.ranks, found.from_start, found.to_end) == ([3], True, True)
    assert found.cause == "own imbalance"
    assert found.seconds == pytest.approx(0.1 * 38, rel=0.1)
