"""The MPI part of a digest: figures of a known job, and the rules of advice."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from mpi_jobs import HALF, MS, RANKS, SEGMENTS, SLICES, WORLD, ocean, uncounted

from jostle.analysis import digest, segment_rows
from jostle.analysis.digest.advice import RULES, advise, features
from jostle.analysis.digest.mpi_world import TimeShare
from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile

NEAR = {"rel": 2e-3}  # times are stored with 11 bits


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mpi")
    ocean(folder / "spool")
    uncounted(folder / "spool")
    found = Repository(folder / "repository", create=True)
    found.ingest([folder / "spool"])
    return found


@pytest.fixture(scope="module")
def world(store):
    made = digest(store.job_tables("ocean"))
    assert len(made.mpi) == 1
    return made.mpi[0]


def test_who_ran(world):
    assert (world.size, world.ranks, world.world) == (RANKS, RANKS, WORLD)
    assert world.programs == {"ocean.x": RANKS}
    assert world.hosts == ["node1", "node2"]
    assert (world.library, world.adapter, world.launcher) == ("Open MPI v4.1.4", "openmpi", "orte")
    assert (world.thread_level, world.counted, world.problem) == ("funneled", True, "")
    assert (world.unfinished, world.running, world.spawned) == (0, False, False)
    assert world.start_ns == EPOCH + 100 * MS
    assert world.seconds == pytest.approx(SLICES * 0.5 - 0.2)


@pytest.mark.parametrize(
    ("name", "calls", "size"),
    [
        ("collective", 100 * SLICES, 720 * SLICES),
        ("send", 20 * SLICES, (20 << 10) * SLICES),
        ("receive", 20 * SLICES, (20 << 10) * SLICES),
        ("complete", 20 * SLICES, 0),
        ("mpiio write", SLICES // 10, SLICES // 10 << 20),
        ("file write", 2 * SLICES, (128 << 10) * SLICES),
    ],
)
def test_traffic(world, name, calls, size):
    kind = next(kind for kind in world.traffic if kind.name == name)
    for spread, each in ((kind.calls, calls), (kind.bytes, size)):
        assert (spread.min, spread.mean, spread.max) == (each, each, each)
        assert spread.total == RANKS * each
    between = SLICES * 0.5 - 1.0  # MPI_Init's return to MPI_Finalize's call
    assert kind.calls_per_s.mean == pytest.approx(calls / between)
    assert kind.bytes_per_s.max == pytest.approx(size / between)


def test_only_what_occurred(world):
    assert [kind.name for kind in world.traffic] == [
        "collective",
        "send",
        "receive",
        "complete",
        "mpiio write",
        "file write",
    ]


def test_shares_add_up(world):
    shares = {share.name: share for share in world.shares}
    assert sum(share.share for share in world.shares) == pytest.approx(1)
    life = RANKS * SLICES * 0.5
    collective = (3 * 0.150 + 0.050) * SLICES
    assert shares["collective"].seconds == pytest.approx(collective, **NEAR)
    assert shares["collective"].share == pytest.approx(collective / life, **NEAR)
    assert shares["collective"].least == pytest.approx(0.1, **NEAR)
    assert shares["collective"].most == pytest.approx(0.3, **NEAR)
    assert shares["mpiio"].share == pytest.approx(0.008, **NEAR)
    assert shares["file i/o"].share == pytest.approx(0.05, **NEAR)
    assert "one-sided" not in shares
    assert world.shares_over == "the ranks' lifetime"


def test_balance(world):
    computing = [500 - 150 - 50 - 4 - 25 + (100 if rank == 3 else 0) for rank in range(RANKS)]
    mean = sum(computing) / RANKS
    assert world.balance.imbalance == pytest.approx(max(computing) / mean - 1, rel=1e-2)
    assert (world.balance.busiest, world.balance.least_waiting) == (3, 3)
    assert world.balance.computing_s.max == pytest.approx(max(computing) * SLICES / 1e3, rel=1e-2)


def test_threads_and_counters(world):
    assert world.threads.effective.mean == pytest.approx(1.5, **NEAR)
    assert world.threads.omp_threads == 2
    assert world.threads.ratio == pytest.approx(0.75, **NEAR)
    counters = world.counters
    assert counters.asked == [
        "instructions",
        "cycles",
        "last-level misses",
        "task clock",
        "PAPI_FP_OPS",
    ]
    assert counters.denied == ["last-level misses"]
    assert counters.instructions_per_s.mean == pytest.approx(1e9 / 0.75, **NEAR)
    assert counters.instructions_per_cycle == pytest.approx(0.5)
    assert counters.misses_per_kilo is None
    assert (counters.flops_event, counters.flops_per_s.mean) == (
        "PAPI_FP_OPS",
        pytest.approx(4e8 / 0.75, **NEAR),
    )
    assert counters.papi["PAPI_FP_OPS"].total == RANKS * SLICES * 4 * 10**8


def test_waiting(world):
    assert world.waited == pytest.approx(0.06, **NEAR)
    assert world.off_cpu == pytest.approx(0.002, **NEAR)


def test_segments(world, store):
    found = world.segments
    assert (found.number, found.rule, found.delimiter) == (SEGMENTS, "every", "MPI_Allreduce")
    assert (found.per_rank.min, found.per_rank.max) == (SEGMENTS, SEGMENTS)
    assert (found.segmentable, found.kinds) == (True, 2)
    assert found.coverage == pytest.approx(1, abs=0.02)
    assert found.agreement == pytest.approx(1)
    assert found.median_s == pytest.approx(0.097, abs=0.003)
    assert found.rows is None
    rows = segment_rows(store.job_tables("ocean"), world.processes)
    assert len(rows) == SEGMENTS
    assert [row["number"] for row in rows[:3]] == [0, 1, 2]
    assert [row["kind"] for row in rows[:4]] == [1, 2, 1, 2]
    assert rows[0]["isends"] == 4 * RANKS
    assert rows[0]["function"] == "MPI_Allreduce"
    json.dumps(rows)


def test_an_mpi_without_adapter_is_said(store):
    world = digest(store.job_tables("uncounted")).mpi[0]
    assert (world.ranks, world.size, world.counted) == (2, 0, False)
    assert "MPI found but no adapter" in world.problem
    assert (world.traffic, world.shares, world.balance, world.next) == ([], [], None, [])
    assert world.segments is None


def test_missing_ranks_are_said(tmp_path):
    ocean(tmp_path / "spool", ranks=3, segments=False)
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([tmp_path / "spool"])
    world = digest(store.job_tables("ocean")).mpi[0]
    assert world.problem == "1 of 4 ranks left no profile here"
    assert world.segments is None


def test_two_mpiruns_of_one_job_are_two_worlds(tmp_path):
    for number, name in enumerate(("aaaa", "bbbb")):
        for rank in range(2):
            begin = EPOCH + number * 10 * SECOND
            profile = Profile(
                job="script",
                pid=10 * number + rank,
                slice_ns=HALF,
                start_ns=begin,
                end_ns=begin + 2 * SECOND,
                end_reason=1,
                mpi={
                    "mpi_state": 2 if number else 4,
                    "mpi_adapter": 1,
                    "world_size": 2,
                    "world_rank": rank,
                    "world": name,
                    "mpi_init_ns": begin,
                },
            )
            profile.add_slice(profile.first_slice, {"mpi_send_ops": 1 + rank + 2 * number})
            profile.write(tmp_path / "spool")
    shell = Profile(
        job="script",
        pid=99,
        program="/bin/sh",
        slice_ns=HALF,
        start_ns=EPOCH,
        end_ns=EPOCH + 30 * SECOND,
        end_reason=1,
    )
    shell.write(tmp_path / "spool")
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([tmp_path / "spool"])
    first, second = digest(store.job_tables("script")).mpi
    assert (first.world, second.world) == ("aaaa", "bbbb")
    assert [first.traffic[0].calls.total, second.traffic[0].calls.total] == [3, 7]
    assert (first.unfinished, second.unfinished) == (0, 2)


def test_threads_inside_mpi_at_once_stretch_the_time(tmp_path):
    profile = Profile(
        job="multiple",
        slice_ns=HALF,
        start_ns=EPOCH,
        end_ns=EPOCH + HALF,
        end_reason=1,
        mpi={
            "mpi_state": 4,
            "mpi_adapter": 1,
            "world_size": 1,
            "thread_level": 3,
            "mpi_init_ns": EPOCH,
            "world": "w",
        },
    )
    profile.add_slice(
        profile.first_slice, {"state_p2p_ns": 1500 * MS, "mpi_send_ops": 1, "os_threads": 4}
    )
    profile.write(tmp_path / "spool")
    store = Repository(tmp_path / "repository", create=True)
    store.ingest([tmp_path / "spool"])
    world = digest(store.job_tables("multiple")).mpi[0]
    assert sum(share.share for share in world.shares) == pytest.approx(1)
    assert "several were in calls at once" in world.shares_over
    assert world.balance is None


# ---- advice ----


def shares(**parts):
    names = {
        "io": "file i/o",
        "p2p": "point-to-point",
        "collective": "collective",
        "computation": "computation",
    }
    return [TimeShare(names[name], 100 * part, part, part, part) for name, part in parts.items()]


def spoken(world):
    return [advice.rule for advice in advise(world)]


def test_advice_of_a_known_job(world):
    assert spoken(world) == ["imbalance", "communication", "memory", "neighbours"]
    first = world.next[0]
    assert first.tools == ["Scalasca on Score-P"]
    assert "25 %" in first.why


@pytest.fixture
def calm(world):
    """The known job, with nothing to say about it."""
    return replace(
        world,
        balance=replace(world.balance, imbalance=0.0),
        waited=0.0,
        metrics={},
        traffic=[],
        counters=replace(world.counters, instructions_per_cycle=None),
        threads=replace(world.threads, ratio=None, omp_threads=0),
        shares=shares(computation=0.5, collective=0.2),
    )


def test_calm(calm):
    assert spoken(calm) == []


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("io", {"shares": shares(computation=0.5, io=0.1)}),
        ("communication", {"shares": shares(computation=0.5, collective=0.2, p2p=0.05)}),
        ("neighbours", {"waited": 0.05}),
        ("hot spots", {"shares": shares(computation=0.9)}),
    ],
)
def test_thresholds(calm, rule, change):
    assert spoken(replace(calm, **change)) == [rule]


def test_thresholds_of_parts(calm, world):
    few = replace(calm, threads=replace(world.threads, omp_threads=4, ratio=0.69))
    assert spoken(few) == ["threads"]
    assert spoken(replace(calm, threads=replace(few.threads, ratio=0.7))) == []
    slow = replace(calm, counters=replace(world.counters, instructions_per_cycle=0.79))
    assert spoken(slow) == ["memory"]
    missing = replace(
        calm, counters=replace(world.counters, instructions_per_cycle=2.0, misses_per_kilo=10.0)
    )
    assert spoken(missing) == ["misses"]
    both = replace(
        calm, counters=replace(world.counters, instructions_per_cycle=0.5, misses_per_kilo=10.0)
    )
    assert spoken(both) == ["memory"]
    waiting = world.metrics["os_runqueue_ns"]
    oversubscribed = replace(calm, metrics={"os_runqueue_ns": replace(waiting, total=10 * SECOND)})
    assert spoken(oversubscribed) == ["oversubscribed"]
    # Eight threads of each rank on one core wait for longer than the rank lives.
    queued, eight = replace(waiting, total=300 * SECOND), replace(waiting, mean=8.0)
    (worse,) = advise(replace(calm, metrics={"os_runqueue_ns": queued, "os_threads": eight}))
    assert worse.rule == "oversubscribed" and "54 %" in worse.why
    busy = replace(calm.balance, imbalance=0.15)
    assert spoken(replace(calm, balance=busy)) == ["imbalance"]


def test_many_small_collectives(calm, world):
    kind = next(kind for kind in world.traffic if kind.name == "collective")
    fast = replace(kind, calls_per_s=replace(kind.calls_per_s, mean=28_000.0))
    found = advise(replace(calm, traffic=[fast]))
    assert [advice.rule for advice in found] == ["latency"]
    assert "28,000 collectives a second of 7.2 bytes" in found[0].why


def test_rules_are_sound(world):
    known = features(world)
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    for rule in RULES:
        assert all(feature in known for feature, _, _ in rule.when)
        assert set(rule.unless) <= set(names)
        assert rule.why.format_map(dict.fromkeys(known, "x"))
        assert rule.tools and rule.kind


def test_json(store):
    for job in ("ocean", "uncounted"):
        text = json.dumps(digest(store.job_tables(job)).to_json(), allow_nan=False)
        assert json.loads(text)["mpi"][0]["ranks"] > 0
