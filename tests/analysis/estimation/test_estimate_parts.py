"""Parts of method jostle: usual time, accounted time, expected time, and the cost of files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from few_segments import run_of

from jostle.analysis import estimate
from jostle.analysis.estimation.account import account
from jostle.analysis.estimation.attribute import CauseSeconds, hits, spread_over
from jostle.analysis.estimation.columns import numbered, numbered_pairs, ordered
from jostle.analysis.estimation.expected import expected
from jostle.analysis.estimation.interval import doubt
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.service import excess
from jostle.analysis.estimation.work import Work, work_of
from jostle.report.verdict.verdict import head

MS = 1_000_000


@pytest.mark.parametrize("hit", [0.0, 0.3, 0.5, 0.65])
def test_the_usual_is_found_though_more_than_half_was_hit(hit):
    random = np.random.default_rng(1)
    calm = random.normal(0, 0.01, 1000)
    values = np.where(random.random(1000) < hit, calm + random.uniform(0.1, 1, 1000), calm)
    found = usual(values)
    assert abs(found.centre) < 0.006
    assert 0.003 < found.spread < 0.02


def test_of_two_levels_the_lower_one_is_usual():
    random = np.random.default_rng(2)
    values = np.concatenate([random.normal(0, 0.02, 300), random.normal(0.6, 0.02, 700)])
    assert abs(usual(values).centre) < 0.02


def test_one_level_keeps_its_middle():
    values = np.random.default_rng(3).normal(5, 1, 5000)
    assert usual(values).centre == pytest.approx(5, abs=0.25)


def test_equal_and_few_values_have_no_scatter():
    assert usual(np.full(40, 2.0)).spread == 0
    assert usual(np.array([7.0])).centre == 7
    assert usual(np.array([1.0, 2.0])).centre == 1


def bins(values, name="wait_min_bins"):
    return pa.array([list(map(int, row)) for row in values], pa.list_(pa.int64()))


def segments(count, **columns):
    table = {
        "duration_ns": np.full(count, 100 * MS),
        "bin_ns": np.full(count, 10 * MS),
        "globals": np.full(count, 50),
    }
    return pa.table(table | columns)


def test_what_everybody_waits_at_once_came_from_outside():
    waits = np.full((60, 10), 0.1 * MS)
    waits[5, 3] = 8 * MS
    found = account(segments(60, wait_min_bins=bins(waits)), 4, np.zeros(60, np.int64))
    assert found.network[5] == pytest.approx(7.9e-3, rel=0.01)
    assert found.network.sum() == pytest.approx(found.network[5])


def test_delays_in_every_bin_are_no_jitter():
    random = np.random.default_rng(4)
    delays = random.poisson(4, (60, 10)) * 1.0 * MS  # 40 % of the time
    jitter = random.normal(0.4 * MS, 0.04 * MS, (60, 10)).clip(0)
    kind = np.zeros(60, np.int64)
    hit = account(segments(60, wait_min_bins=bins(delays)), 4, kind).network.sum()
    assert hit == pytest.approx(delays.sum() / 1e9, rel=0.2)
    assert account(segments(60, wait_min_bins=bins(jitter)), 4, kind).network.sum() < 0.05


def test_dense_small_delays_are_priced_whole():
    random = np.random.default_rng(6)
    number = random.poisson(6, (200, 10))  # of 0.5 ms +- 0.1: 30 % of the time
    delays = (number * 0.5 + np.sqrt(number) * random.normal(0, 0.1, (200, 10))).clip(0) * MS
    found = account(segments(200, wait_min_bins=bins(delays)), 4, np.zeros(200, np.int64))
    assert found.network.sum() == pytest.approx(delays.sum() / 1e9, rel=0.06)


def test_off_cpu_counts_only_where_all_lost_by_it():
    off = np.zeros((60, 10))
    off[7, 2] = off[9, 2] = 6 * MS
    wait = np.zeros(60, np.int64)
    wait[7] = 6 * MS  # the other rank waited for the first one, and not for the second
    table = segments(
        60, offcpu_max_bins=bins(off), wait_ns=wait, offcpu_ns=off.sum(axis=1).astype(np.int64)
    )
    found = account(table, 2, np.zeros(60, np.int64)).cpu
    assert found[7] == pytest.approx(6e-3)
    assert found[9] == pytest.approx(3e-3)  # half of them lost it: what is known of the least


def test_sleep_in_file_calls_is_not_the_cpus():
    off = np.zeros((60, 10))
    off[7, 2] = 6 * MS
    io = np.zeros(60, np.int64)
    io[7] = 6 * MS
    table = segments(
        60, offcpu_max_bins=bins(off), io_ns_max=io, offcpu_ns=off.sum(axis=1).astype(np.int64) * 2
    )
    assert account(table, 2, np.zeros(60, np.int64)).cpu.sum() == 0


def test_without_a_collective_all_wait_in_the_end():
    least = np.zeros(60, np.int64)
    least[4] = 30 * MS  # each rank waited, but none when another did
    table = segments(
        60,
        wait_ns_min=least,
        wait_min_bins=bins(np.zeros((60, 10))),
        globals=np.zeros(60, np.int64),
    )
    assert account(table, 4, np.zeros(60, np.int64)).network[4] == pytest.approx(0.03)


def test_where_all_segments_are_delayed_their_delays_count_whole():
    """The same work in each, and a number of delays that makes every one longer."""
    random = np.random.default_rng(11)
    least = random.poisson(13, 200) * 3 * MS + (random.normal(1.5, 0.1, 200) * MS).astype(np.int64)
    table = segments(
        200,
        wait_ns_min=least,
        wait_min_bins=bins(np.zeros((200, 10))),
        duration_ns=80 * MS + least,
        globals=np.zeros(200, np.int64),
    )
    found = account(table, 2, np.zeros(200, np.int64)).network.sum()
    assert found == pytest.approx(200 * 13 * 3e-3, rel=0.06)


@pytest.mark.parametrize(("queue", "lost"), [(3.0, 3.0), (1.0, 1.5), (0.0, 1.5)])
def test_who_has_no_floor_waits_all_the_same(queue, lost):
    """One rank lost 3 s of its core; the other waited for it in a call that is made once."""
    table = pa.table(
        {
            "duration_ns": [10_000 * MS],
            "bin_ns": [320 * MS],
            "globals": [1],
            "all_to_all": [2],
            "wait_min_bins": bins([[0]]),
            "offcpu_max_bins": bins([[3000 * MS]], "offcpu_max_bins"),
            "offcpu_ns": [3000 * MS],
            "mpi_ns": [3000 * MS],
            "wait_ns": [0],
        }
    )
    found = account(table, 2, np.zeros(1, np.int64), queue=np.array([queue]))
    assert found.cpu.tolist() == pytest.approx([lost])


def made(**columns):
    """Segments of one kind by their signature."""
    count = len(next(iter(columns.values())))
    table = {"signature_set": np.full(count, 3, np.uint64), "token_hash": np.full(count, 9)}
    return pa.table(table | columns)


def test_work_is_the_calls_and_the_bytes_within_a_tenth():
    bytes_ = np.array([9, 1000, 1050, 1100, 1300, 1000])
    sends = np.array([5, 5, 5, 5, 5, 6])
    found = work_of(made(p2p_bytes=bytes_, sends=sends))
    assert len({*found.cluster[1:4].tolist()}) == 1
    assert len({*found.cluster[1:].tolist()}) == 3
    assert found.measured == ""
    counted = work_of(made(sends=sends, instructions=np.array([1, 10, 100, 10, 100, 10]) * 1000))
    assert counted.measured == "instructions"
    assert counted.cluster[1] == counted.cluster[3] != counted.cluster[2]


def test_what_lies_between_other_delimiters_is_of_another_kind():
    found = work_of(made(token_hash=np.array([1, 2, 3, 1, 2, 3, 1])))
    assert len({*found.kind.tolist()}) == 4  # the first has none before it
    assert found.kind[1] == found.kind[4] != found.kind[2]


def windows(seed=5, count=400, noise=0.01):
    """Windows of steps with iterations: both cost, and their calls are counted together."""
    random = np.random.default_rng(seed)
    steps, inner = random.integers(1, 5, count), random.integers(20, 200, count)
    time = (steps * 0.02 + inner * 5e-4) * np.exp(random.normal(0, noise, count))
    table = made(sends=steps + inner, all_to_all=steps + 2 * inner)
    return time, work_of(table), random


def test_windows_cost_the_sum_of_their_parts():
    time, work, random = windows()
    hit = random.random(len(time)) < 0.3
    found = expected(time * np.where(hit, 1.5, 1.0), work)
    assert found.usable.all()
    assert np.median(np.abs(found.seconds / time - 1)) < 0.02
    beyond = time * np.where(hit, 1.5, 1.0) > found.threshold
    assert (beyond == hit).mean() > 0.98


def test_a_minority_with_another_part_is_not_taken_for_disturbed():
    steps = np.repeat([2, 4], [60, 20])
    inner = np.concatenate([np.linspace(100, 300, 60), np.linspace(10, 30, 20)]).astype(int)
    time = steps * 8e-3 + inner * 1e-4
    found = expected(time, work_of(made(sends=steps, all_to_all=inner)))
    assert found.seconds == pytest.approx(time, rel=0.02)


def test_strange_segments_have_no_reference():
    time, work, _ = windows()
    sets = work.sets.copy()
    kind, cluster = work.kind.copy(), work.cluster.copy()
    sets[:2], kind[:2] = 1 << 40, kind.max() + 1
    cluster[:2] = cluster.max() + 1
    found = expected(time, Work(sets, kind, cluster, work.names, work.amounts, ""))
    assert not found.usable[:2].any()
    assert found.usable[2:].all()


def test_rare_segments_are_assessed_by_their_kin():
    time, work, _ = windows()
    kind, cluster = work.kind.copy(), work.cluster.copy()
    kind[:3], cluster[:3] = kind.max() + 1, cluster.max() + 1
    found = expected(time, Work(work.sets, kind, cluster, work.names, work.amounts, ""))
    assert found.usable[:3].all()
    assert found.seconds[:3] == pytest.approx(time[:3], rel=0.1)


def test_who_computes_between_the_calls_of_others_is_no_slow_kin():
    """A matrix is assembled once, and then comes the call that ends each of many iterations."""
    time, work, _ = windows()
    kind, cluster = work.kind.copy(), work.cluster.copy()
    kind[0], cluster[0] = kind.max() + 1, cluster.max() + 1
    work = Work(work.sets, kind, cluster, work.names, work.amounts, "")
    assert not expected(np.append(50 * time[0], time[1:]), work).usable[0]
    assert expected(np.append(1.5 * time[0], time[1:]), work).usable[0]


def test_long_windows_of_the_same_calls_are_assessed_by_their_kin():
    time, work, _ = windows()
    kind, cluster, amounts = work.kind.copy(), work.cluster.copy(), work.amounts.copy()
    kind[0], cluster[0], amounts[0] = kind.max() + 1, cluster.max() + 1, 40 * amounts[0]
    work = Work(work.sets, kind, cluster, work.names, amounts, "")
    found = expected(np.append(40 * time[0], time[1:]), work)
    assert found.seconds[0] == pytest.approx(40 * time[0], rel=0.1)


def test_a_single_content_shows_no_costs():
    """Eight windows of one step, one of 23, in which 22 have an exchange that the others lack."""
    steps = np.array([1] * 8 + [23])
    time = 0.028 * steps + 0.0075 * (steps - 1)
    found = expected(time, work_of(made(sends=128 * steps, sendrecvs=steps - 1)))
    assert found.usable[1:8].all() and found.seconds[1:8] == pytest.approx(time[1:8])
    assert time[8] <= found.threshold[8]


def test_files_alongside_a_periodic_neighbour():
    """Half of the time everything takes 1.8 times as long."""
    random = np.random.default_rng(6)
    time = np.full(80, 0.25)
    slow = np.arange(80) // 8 % 2 == 1
    work = time / np.where(slow, 1.8, 1.0) * np.exp(random.normal(0, 0.03, 80))
    lost, spread = excess(time, work / work.sum() * time.sum(), np.arange(80))
    assert lost.sum() == pytest.approx(40 * 0.25 * (1 - 1 / 1.8), rel=0.03)
    assert (lost[~slow] == 0).all()
    assert spread < 0.05


def test_a_steady_writer_lost_nothing():
    random = np.random.default_rng(7)
    time = np.full(80, 0.25) * np.exp(random.normal(0, 0.08, 80))
    lost, _ = excess(time, np.full(80, 0.25), np.arange(80))
    assert lost.sum() < 0.02 * time.sum()


def test_spread_over_keeps_what_lies_inside():
    begin = np.array([0, 100, 200])
    found = spread_over(
        begin,
        begin + 100,
        np.array([1.0, 2.0, 4.0]),
        np.array([0, 50, 250]),
        np.array([50, 250, 900]),
    )
    assert found == pytest.approx([0.5, 0.5 + 2 + 2, 2])


def test_numbers_of_groups():
    assert numbered(np.array([7, 3, 7])).tolist() == [0, 1, 0]
    assert numbered_pairs(np.array([0, 0, 1]), np.array([1, 1, 1])).tolist() == [0, 0, 1]
    group, value = np.array([1, 0, 1, 0]), np.array([2.0, 9.0, 1.0, 3.0])
    assert ordered(group, value).tolist() == [3, 1, 2, 0]
    assert ordered(group).tolist() == [1, 3, 0, 2]


def test_doubt_grows_with_what_was_not_assessed():
    some = {"unsure": np.array([0.1, 0.2]), "hidden": np.zeros(2), "seed": 1}
    sure = doubt(10, 100, coverage=1.0, **some)
    unsure = doubt(10, 100, coverage=0.5, **some)
    assert unsure.above > sure.above > 0
    assert unsure.below > sure.below > 0
    assert doubt(10, 100, coverage=1.0, **some) == sure


def test_each_span_with_a_loss_is_a_hit_of_its_own_also_of_unknown_cause():
    start = np.arange(4) * MS
    parts = [
        CauseSeconds("cpu", "n", True, np.array([0.0, 2.0, 2.0, 0.0])),
        CauseSeconds("unknown", "", False, np.array([0.0, 0.0, 0.0, 3.0])),
    ]
    lost = np.array([0.0, 2.0, 2.0, 3.0])
    found = hits(start, start + MS, lost, parts, np.arange(4), np.full(4, 0.5))
    assert [(hit.start_ns, hit.seconds, hit.cause) for hit in found] == [
        (1 * MS, 2.0, "cpu"),
        (2 * MS, 2.0, "cpu"),
        (3 * MS, 3.0, "unknown"),
    ]


def scattered(seed=8, count=300):
    """Rests of equal work with small one-sided delays, and the work."""
    random = np.random.default_rng(seed)
    delayed = random.exponential(0.02, count)
    work = windows(count=count)[1]
    same = Work(work.sets, work.kind * 0, work.cluster * 0, [], np.zeros((count, 0)), "")
    return 0.1 * (1 + delayed), delayed, same


def test_small_delays_of_most_segments_may_hide_above_their_edge():
    rest, _, same = scattered()
    found = expected(rest, same, np.zeros(len(rest)))
    assert found.edge[0] < found.seconds[0]
    assert found.edge[0] == pytest.approx(0.1, rel=0.01)


def test_scatter_that_goes_with_imbalance_is_the_jobs_own():
    rest, delayed, same = scattered()
    found = expected(rest, same, delayed / 2)
    assert found.edge[0] == found.seconds[0]
    assert (expected(rest, same).edge == expected(rest, same).seconds).all()


@pytest.mark.parametrize(
    ("hosts", "cause", "resource"),
    [(("node1", "node1"), "memory or cpu", "node1"), (("node1", "node2"), "network", "MPI")],
)
def test_messages_within_a_node_are_no_networks(hosts, cause, resource):
    """Two ranks that are held up at once, 60 ms in two of sixty steps."""
    lengths = [0.16 if step in (20, 40) else 0.1 for step in range(60)]
    tables = run_of(lengths, {"all_to_all": [1] * 60, "mpi_ns": [10**6] * 60})
    world = tables.worlds[0]
    full = [[0] * 10 + [10 * MS] * 6 if length > 0.1 else [0] * 10 for length in lengths]
    segments = world.segments.drop_columns(["wait_min_bins", "bin_ns"])
    segments = segments.append_column("wait_min_bins", pa.array(full, pa.list_(pa.int64())))
    segments = segments.append_column("bin_ns", pa.array([10 * MS] * 60))
    at = tables.processes.column_names.index("host")
    processes = tables.processes.set_column(at, "host", pa.array(hosts))
    made = estimate(
        replace(tables, worlds=(replace(world, segments=segments),), processes=processes)
    )
    assert made.lost_s.value == pytest.approx(0.12, rel=0.1)
    (one,) = [found for found in made.causes if found.how == "measured"]
    assert (one.cause, one.resource) == (cause, resource)
    assert {hit.cause for hit in made.hits} == {cause}
    assert head(made).cause == (cause if made.percent.value >= 0.5 else None)
