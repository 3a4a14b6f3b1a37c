"""Advice on a job: which advice is given where, what it would save, and when nothing helps."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis.advise import recommend
from jostle.analysis.advise.another_hour import another_hour
from jostle.analysis.advise.requests import larger_requests
from jostle.analysis.advise.time_limit import PastRun, time_limit
from jostle.analysis.binding.model import BindingAdvice
from jostle.analysis.identification.model import JobInterference, ResourceLoss, Suspect
from jostle.analysis.identification.resources.slow_targets import SlowTarget
from jostle.analysis.interval import LOSS_ERROR, Interval, saving_of
from jostle.repository.query.resources.co_running import CoRunning, JobFacts

NS = 10**9
NONE = Interval(0.0, 0.0, 0.0)
EMPTY = pa.table({"mount": pa.array([], pa.string())})


def alongside(mounts: pa.Table = EMPTY, user: int | None = 7) -> CoRunning:
    facts = JobFacts("mine", program="code", user=user, start_ns=0, end_ns=100 * NS)
    return CoRunning(facts, {}, mounts, EMPTY, EMPTY, EMPTY, EMPTY)


def resource(name: str, kind: str = "file system", **given: Any) -> ResourceLoss:
    usual = {"own_load": [], "others_load": [], "steps_ns": [], "slice_ns": NS}
    usual |= given
    return ResourceLoss(
        resource=name,
        kind=kind,  # type: ignore[arg-type]
        seconds=NONE,
        slices=10,
        own_s=1.0,
        slowdown=None,
        evident=True,
        smallest_s=0.0,
        why_not="",
        service=[],
        unit="bytes",
        **usual,  # type: ignore[arg-type]
    )


def suspect(
    job: str, where: str, seconds: Interval, user: int | None = 7, kind: str = "job"
) -> Suspect:
    return Suspect(
        job,
        "code",
        user,
        where,
        1.0,
        seconds,
        5,
        0.9,
        0.001,
        0.001,
        0.0,
        "",
        kind,  # type: ignore[arg-type]
    )


def interference(
    *suspects: Suspect, resources: list[ResourceLoss] | None = None
) -> JobInterference:
    lost = Interval(
        *(sum(getattr(s.seconds, end) for s in suspects) for end in ("value", "low", "high"))
    )
    return JobInterference(
        job="mine",
        start_ns=0,
        run_s=100.0,
        seconds=lost,
        percent=lost,
        resources=resources or [resource(one.resource) for one in suspects],
        suspects=list(suspects),
        ruled_out={},
        disturbed=[],
        neighbours=len(suspects),
        smallest_s=0.0,
        limits=[],
    )


def digest(**given: Any) -> Any:
    return SimpleNamespace(
        **{"shares": [], "cores": 1.0, "hosts": ["n1"], "seconds": 100.0, "binding": [], **given}
    )


def rules(given: Any) -> list[str]:
    return [each.rule for each in given.found]


def test_an_own_job_is_to_run_afterwards_and_saves_what_it_cost() -> None:
    found = interference(
        suspect("other", "m1", Interval(8.0, 6.0, 10.0)),
        suspect("other", "m2", Interval(4.0, 3.0, 5.0)),
    )
    given = recommend(alongside(), found, digest())
    assert rules(given) == ["one after the other"]
    saving = given.found[0].saving
    assert saving is not None
    assert saving.value == pytest.approx(12.0)
    both = saving_of(Interval(12.0, 3.0 + 6.0, 15.0))
    assert both.low < saving.low < 12 < saving.high < both.high  # narrower than both together
    assert not given.nothing


@pytest.mark.parametrize("user", [8, None])
def test_no_advice_names_the_job_of_another_user(user: int | None) -> None:
    found = interference(suspect("secret", "m1", Interval(8.0, 6.0, 10.0), user=user))
    given = recommend(alongside(user=None if user is None else 7), found, digest())
    assert given.found == ()
    assert "secret" not in str(given.to_json())
    assert "Nothing that you can change" in given.nothing


def test_without_evidence_nothing_is_to_be_done() -> None:
    given = recommend(alongside(), interference(), digest())
    assert given.found == ()
    assert given.nothing.startswith("Do nothing")


def test_a_saving_is_less_certain_than_the_loss_in_one_run() -> None:
    exact = saving_of(Interval(10.0, 10.0, 10.0))
    assert (exact.low, exact.high) == pytest.approx((10 - 10 * LOSS_ERROR, 10 + 10 * LOSS_ERROR))
    wide = saving_of(Interval(10.0, 6.0, 14.0))
    assert (wide.low, wide.high) == pytest.approx((5.0, 15.0))
    assert saving_of(Interval(10.0, 0.1, 14.0)).low == 0.0
    assert saving_of(Interval(10.0, -2.0, 14.0)).low < -2.0


def test_a_small_or_uncertain_saving_is_not_worth_a_change() -> None:
    small = interference(suspect("other", "m1", Interval(0.5, 0.4, 0.6)))
    doubtful = interference(suspect("other", "m1", Interval(8.0, 0.0, 10.0)))
    for found in (small, doubtful):
        assert recommend(alongside(), found, digest()).found == ()


def bursts(period: int, on: int, at: int, count: int = 240) -> list[float]:
    return [1e6 if (step - at) % period < on else 0.0 for step in range(count)]


def test_bursts_in_step_are_moved_apart_and_save_by_the_overlap_that_is_left() -> None:
    in_step = resource("m1", own_load=bursts(12, 4, 0), others_load=bursts(12, 4, 1))
    found = interference(suspect("other", "m1", Interval(20.0, 16.0, 24.0)), resources=[in_step])
    given = recommend(alongside(), found, digest())
    assert rules(given) == ["one after the other", "out of step"] or rules(given) == [
        "out of step",
        "one after the other",
    ]
    shift = next(each for each in given.found if each.rule == "out of step")
    seconds = float(shift.texts[0].split()[1])
    moved = np.roll(bursts(12, 4, 1), round(seconds))
    assert not (np.array(bursts(12, 4, 0)) * moved).any()
    assert shift.saving == saving_of(Interval(20.0, 16.0, 24.0))


@pytest.mark.parametrize(
    "others",
    [bursts(15, 4, 1), bursts(12, 11, 0), [1e6] * 240],
    ids=["another period", "no room between", "steady"],
)
def test_what_cannot_be_moved_apart_is_not(others: list[float]) -> None:
    found = interference(
        suspect("other", "m1", Interval(20.0, 16.0, 24.0)),
        resources=[resource("m1", own_load=bursts(12, 4, 0), others_load=others)],
    )
    assert "out of step" not in rules(recommend(alongside(), found, digest()))


def test_others_on_the_node_call_for_an_exclusive_one_but_a_slow_server_does_not() -> None:
    where = [resource("node1", "node"), resource("m1")]
    shared = suspect("x", "node1", Interval(5.0, 4.0, 6.0), user=8)
    server = suspect("the server", "m1", Interval(9.0, 8.0, 10.0), user=None, kind="server")
    assert rules(
        recommend(alongside(), interference(shared, server, resources=where), digest())
    ) == ["exclusive nodes"]
    alone = recommend(alongside(), interference(server, resources=where), digest())
    assert alone.found == ()


@pytest.mark.parametrize("user", [7, 8])
def test_what_is_lost_on_many_nodes_at_once_is_saved_once(user: int) -> None:
    hosts = [f"node{n}" for n in range(16)]
    disturbed = interference(
        *(suspect("x", host, Interval(30.0, 25.0, 35.0), user=user) for host in hosts),
        suspect("y", "m1", Interval(8.0, 6.0, 10.0), user=8),
        resources=[*(resource(host, "node") for host in hosts), resource("m1")],
    )
    # The job of 100 s waited for its slowest node: it lost 30 s on all of them together.
    disturbed = replace(disturbed, seconds=Interval(38.0, 31.0, 45.0))
    given = recommend(alongside(user=7), disturbed, digest())
    assert "exclusive nodes" in rules(given)
    assert ("one after the other" in rules(given)) == (user == 7)
    for each in given.found:
        assert each.saving is not None
        assert each.saving.value == pytest.approx(30.0)


def test_a_cpu_limit_that_stopped_it_is_to_be_raised() -> None:
    share = SimpleNamespace(name="throttled by its CPU limit", share=0.5)
    given = recommend(alongside(), interference(), digest(shares=[share], cores=2.0))
    assert rules(given) == ["more cores"]
    assert given.found[0].texts[0].startswith("#SBATCH --cpus-per-task=4 ")
    assert given.found[0].saving == Interval(25.0, 0.0, 50.0)
    hosts = [f"n{n}" for n in range(8)]
    given = recommend(alongside(), interference(), digest(shares=[share], cores=16.0, hosts=hosts))
    assert given.found[0].lever == "request 4 cores per node instead of 2"
    assert given.found[0].texts[0].startswith("#SBATCH --cpus-per-task=4 ")


def requests(latency_s: float, rate: float, size: int, seed: int = 3) -> pa.Table:
    """Slices of one process that writes pieces of a size: each costs a latency, and its bytes."""
    dice = np.random.default_rng(seed)
    ops = dice.integers(50, 150, 40)
    # Pieces vary in size, or latency and bytes could not be separated.
    moved = (ops * size * dice.uniform(0.5, 1.5, 40)).astype(np.int64)
    spent = (ops * latency_s + moved / rate) * 1e9
    zero = np.zeros(40, dtype=np.int64)
    columns = {"mount": ["m1"] * 40, "count": zero + 1}
    columns |= {
        f"{kind}_{way}_{what}": zero
        for kind in ("posix", "stdio")
        for way in ("read", "write")
        for what in ("ops", "bytes", "ns")
    }
    columns |= {
        "posix_write_ops": ops,
        "posix_write_bytes": moved,
        "posix_write_ns": spent.astype(np.int64),
    }
    return pa.table(columns)


def test_larger_requests_save_the_latency_of_those_that_are_fewer() -> None:
    rows = requests(0.002, 100e6, 4096)
    (advice,) = larger_requests(alongside(rows), seed=0)
    total = sum(rows["posix_write_ops"].to_pylist())
    assert advice.saving is not None
    assert advice.saving.value == pytest.approx(0.002 * total * (1 - 4096 / (1 << 20)), rel=0.02)
    assert advice.saving.low <= advice.saving.value <= advice.saving.high
    assert advice.unless.startswith("the data of each write must be on the file system")


def test_advice_on_reads_has_no_condition_of_writes() -> None:
    rows = requests(0.002, 100e6, 4096)
    swapped = [
        name.replace("_write_", "_read_")
        if "_write_" in name
        else name.replace("_read_", "_write_")
        for name in rows.column_names
    ]
    (advice,) = larger_requests(alongside(rows.rename_columns(swapped)), seed=0)
    assert advice.rule == "larger reads"
    assert "a larger read would also read what it does not need" in advice.unless
    assert "on the file system" not in advice.unless


def test_requests_of_many_processes_are_waited_for_by_all_of_them_at_once() -> None:
    """In most slices one process writes a little; in the others 64 do, each as much as it."""
    rows = requests(0.002, 100e6, 4096)
    count = np.where(np.arange(40) % 3 == 0, 64, 1)
    for name in ("posix_write_ops", "posix_write_bytes", "posix_write_ns"):
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, name, pa.array(rows[name].to_numpy() * count))
    rows = rows.set_column(rows.schema.get_field_index("count"), "count", pa.array(count))
    (advice,) = larger_requests(alongside(rows), seed=0)
    spent_s = (rows["posix_write_ns"].to_numpy() / count).sum() / 1e9
    assert advice.saving is not None
    assert 0.5 * spent_s < advice.saving.value <= spent_s


def changed(rows: pa.Table, **columns: Any) -> pa.Table:
    """Replaces columns of a table, or adds them."""
    for name, values in columns.items():
        place = rows.schema.get_field_index(name)
        column = pa.array(values)
        if place < 0:
            rows = rows.append_column(name, column)
        else:
            rows = rows.set_column(place, name, column)
    return rows


def same_size(size: int, latency_s: float = 0.002, rate: float = 100e6) -> pa.Table:
    """Slices as of `requests`, whose pieces all have one size."""
    rows = requests(latency_s, rate, size)
    ops = rows["posix_write_ops"].to_numpy()
    spent = ((ops * latency_s + ops * size / rate) * 1e9).astype(np.int64)
    return changed(rows, posix_write_bytes=ops * size, posix_write_ns=spent)


def test_requests_of_one_size_are_compared_with_those_of_others() -> None:
    """Alone they do not show how much of their time is that of their bytes."""
    rows = same_size(4096)
    assert list(larger_requests(alongside(rows), seed=0)) == []
    large = changed(same_size(1 << 20), job=["other"] * 40)
    elsewhere = changed(large, mount=["m2"] * 40)
    assert list(larger_requests(replace(alongside(rows), mount_loads=elsewhere), seed=0)) == []
    (advice,) = larger_requests(replace(alongside(rows), mount_loads=large), seed=0)
    total = sum(rows["posix_write_ops"].to_pylist())
    assert advice.saving is not None
    assert advice.saving.value == pytest.approx(0.002 * total * (1 - 4096 / (1 << 20)), rel=0.02)


def test_requests_that_are_faster_in_some_slices_cost_their_time_in_all() -> None:
    """A process that only waits for requests is in them all the time, however many there are."""
    rows = same_size(4096)
    spent = np.full(40, 240_000_000)
    rows = changed(rows, posix_write_ns=spent)
    large = changed(same_size(1 << 20, latency_s=0.0), job=["other"] * 40)
    (advice,) = larger_requests(replace(alongside(rows), mount_loads=large), seed=0)
    of_bytes_s = sum(rows["posix_write_bytes"].to_pylist()) / 100e6
    assert advice.saving is not None
    assert advice.saving.value == pytest.approx(spent.sum() / 1e9 - of_bytes_s, rel=0.02)


def test_the_time_of_a_large_request_may_be_in_the_next_slice() -> None:
    rows = same_size(4096)
    large = changed(same_size(1 << 20), job=["other"] * 40, slice=np.arange(40))
    spent = large["posix_write_ns"].to_numpy()
    odd = np.arange(40) % 2
    late = changed(large, posix_write_ns=np.where(odd, spent + np.roll(spent, 1), 0))
    given = [
        list(larger_requests(replace(alongside(rows), mount_loads=each), seed=0))
        for each in (large, late)
    ]
    assert given[0][0].saving is not None
    assert given[1][0].saving.value == pytest.approx(given[0][0].saving.value, rel=1e-6)  # type: ignore[union-attr]


def test_syncs_after_each_request_are_avoided_with_the_request() -> None:
    rows = requests(0.001, 100e6, 4096)
    ops = rows["posix_write_ops"].to_numpy()
    (without,) = larger_requests(alongside(rows), seed=0)
    rows = changed(rows, posix_sync_ops=ops, posix_sync_ns=ops * 3_000_000)
    (advice,) = larger_requests(alongside(rows), seed=0)
    assert advice.saving is not None and without.saving is not None
    assert advice.saving.value == pytest.approx(4 * without.saving.value, rel=0.02)
    assert "syncs" in advice.saving_words and "syncs" not in without.saving_words
    # Few syncs wait for the data of many requests.
    rows = changed(rows, posix_sync_ops=ops // 20)
    (few,) = larger_requests(alongside(rows), seed=0)
    assert few.saving == without.saving


@pytest.mark.parametrize("size", [1 << 18, 1 << 20])
def test_large_requests_are_left_alone(size: int) -> None:
    assert list(larger_requests(alongside(requests(0.002, 100e6, size)), seed=0)) == []


def limit_s(text: str) -> int:
    hours, minutes, _ = map(int, text.partition("   #")[0].rpartition("=")[2].split(":"))
    return 3600 * hours + 60 * minutes


def test_a_time_limit_needs_runs_and_holds_for_most_of_them() -> None:
    runs = [PastRun(100.0 + k) for k in range(40)]
    assert list(time_limit(runs[:5], "code")) == []
    (advice,) = time_limit(runs, "code")
    assert advice.saving is None
    assert len(advice.texts) == 1
    assert sum(run.seconds <= limit_s(advice.texts[0]) for run in runs) >= 38


def test_a_time_limit_without_others_is_given_where_it_is_another() -> None:
    """Twenty runs of 10 min, half of which lost 20 min to others."""
    runs = [PastRun(600.0 + 1200.0 * (k % 2), 1200.0 * (k % 2)) for k in range(20)]
    (advice,) = time_limit(runs, "code")
    with_others, alone = map(limit_s, advice.texts)
    assert with_others >= 1800
    assert 600 <= alone < 1200
    few = [PastRun(run.seconds, run.lost_s if k < 3 else None) for k, run in enumerate(runs)]
    (cautious,) = time_limit(few, "code")
    assert len(cautious.texts) == 1


def at_hours(lost: dict[int, float]) -> list[PastRun]:
    """Six runs at each of some hours, by the clock of this machine, with losses about a mean."""
    dice = np.random.default_rng(1)
    days = [datetime(2026, 3, day) for day in range(1, 7)]
    return [
        PastRun(600.0, mean + dice.normal(0, 5), (day + timedelta(hours=hour)).timestamp())
        for hour, mean in lost.items()
        for day in days
    ]


def test_another_hour_is_advised_where_runs_lost_less_then() -> None:
    runs = at_hours({9: 120.0, 14: 110.0, 22: 20.0})
    start = datetime(2026, 3, 8, 10).timestamp()
    (advice,) = another_hour(runs, start, seed=0)
    assert advice.texts == ("sbatch --begin=18:00 SCRIPT",)
    assert advice.saving is not None
    assert advice.saving.low < 100 < advice.saving.high
    assert advice.saving.low > 80
    # At the best hour already: what others save is below 0, and is not worth a word.
    (already,) = another_hour(runs, datetime(2026, 3, 8, 20).timestamp(), seed=0)
    assert already.saving is not None
    assert already.saving.value < 0


def test_too_few_runs_say_nothing_of_another_hour() -> None:
    runs = at_hours({9: 120.0, 22: 20.0})
    start = datetime(2026, 3, 8, 10).timestamp()
    assert list(another_hour(runs[:9], start, seed=0)) == []
    unknown = [replace(run, lost_s=None) for run in runs]
    assert list(another_hour(unknown, start, seed=0)) == []


def siblings(number: int) -> CoRunning:
    """A job alongside others of its user and program that ran for as long as it did."""
    facts = JobFacts("mine", program="code", user=7, start_ns=0, end_ns=100 * NS)
    others = {f"job{k}": replace(facts, job=f"job{k}") for k in range(number)}
    return CoRunning(facts, others, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY)


def test_several_jobs_of_one_program_are_to_be_fewer_at_once() -> None:
    """Each of four others cost it 10 s of 100: with one of them, it loses 10 s of 60."""
    found = interference(*(suspect(f"job{k}", "m1", Interval(10.0, 9.0, 11.0)) for k in range(4)))
    given = recommend(siblings(4), found, digest())
    assert rules(given) == ["fewer at once"]
    (advice,) = given.found
    assert advice.texts[0].startswith("#SBATCH --array=1-N%1 ")
    assert advice.saving is not None
    assert advice.saving.value == pytest.approx(40.0)
    # All five took 100 s at once; one after the other 5 x 60 s.
    assert "3 times as long" in advice.pays


def test_two_jobs_of_one_program_are_to_run_one_after_the_other() -> None:
    found = interference(suspect("job0", "m1", Interval(10.0, 9.0, 11.0)))
    assert rules(recommend(siblings(1), found, digest())) == ["one after the other"]


def test_like_jobs_that_seldom_ran_together_are_to_run_one_after_the_other() -> None:
    """Two of them overlapped it for 40 s of 100 each: 0.8 of them at the same time, on average."""
    around = siblings(2)
    others = {
        name: replace(facts, start_ns=at * NS, end_ns=(at + 40) * NS)
        for (name, facts), at in zip(around.others.items(), (10, 50), strict=True)
    }
    found = interference(*(suspect(f"job{k}", "m1", Interval(10.0, 9.0, 11.0)) for k in range(2)))
    given = recommend(replace(around, others=others), found, digest())
    assert rules(given) == ["one after the other"] * 2


def test_what_own_jobs_cost_is_not_said_to_belong_to_others() -> None:
    uncertain = Interval(10.0, 0.0, 20.0)
    own = suspect("job0", "m1", uncertain)
    given = recommend(siblings(1), interference(own), digest())
    assert rules(given) == []
    assert "your own jobs" in given.nothing and "others" not in given.nothing
    both = interference(own, suspect("theirs", "m2", uncertain, 8))
    nothing = recommend(siblings(1), both, digest()).nothing
    assert "on m2 belongs to others" in nothing and "m1" not in nothing


def test_own_neighbours_are_named_with_when_they_ran_and_others_are_not() -> None:
    lost = Interval(10.0, 9.0, 11.0)
    found = interference(
        suspect("job0", "m1", lost), suspect("job0", "m2", lost), suspect("job1", "m1", lost, 8)
    )
    around = siblings(2)
    later = replace(around.others["job0"], start_ns=30 * NS, end_ns=0, seen_ns=90 * NS)
    given = recommend(replace(around, others={**around.others, "job0": later}), found, digest())
    (own,) = given.own_neighbours
    assert (own.job, own.start_s, own.end_s) == ("job0", 30.0, 90.0)
    assert own.seconds.value == pytest.approx(20.0)


def both_mounts(second_ns_per_byte: float, size: int = 4096) -> pa.Table:
    """Slices of one process that writes to two mounts, at a given cost of a byte on the second."""
    first, second = requests(0.0, 100e6, 1 << 20), requests(0.0, 1e9 / second_ns_per_byte, size)
    return pa.concat_tables([first, second.set_column(0, "mount", pa.array(["m2"] * 40))])


@pytest.mark.parametrize(
    ("ns_per_byte", "size", "advised"),
    [(9.0, 1 << 20, True), (30.0, 1 << 20, False), (9.0, 4096, False)],
    ids=["as fast", "slower", "other requests"],
)
def test_another_file_system_is_advised_if_the_run_itself_saw_that_it_is_as_good(
    ns_per_byte: float, size: int, advised: bool
) -> None:
    lost = Interval(8.0, 6.0, 10.0)
    here = replace(resource("m1"), seconds=lost, mount="m1")
    found = interference(suspect("secret", "m1", lost, user=8), resources=[here])
    given = recommend(alongside(both_mounts(ns_per_byte, size)), found, digest())
    assert ("another file system" in rules(given)) == advised
    if advised:
        assert given.found[0].saving == saving_of(lost)
        assert "secret" not in str(given.to_json())


def test_where_both_file_systems_are_slow_none_is_better() -> None:
    lost = Interval(8.0, 6.0, 10.0)
    both = [replace(resource(name), seconds=lost, mount=name) for name in ("m1", "m2")]
    found = interference(suspect("x", "m1", lost, user=8), resources=both)
    given = recommend(alongside(both_mounts(9.0, 1 << 20)), found, digest())
    assert "another file system" not in rules(given)


def test_a_slow_storage_target_is_to_be_left() -> None:
    slow = SlowTarget("lustre:mgs:/fs", 3, "write", 4.0, 3.0, 5.0, 9, 40, 12, 1, 1e-6)
    given = recommend(alongside(), interference(), digest(), slow_targets=[slow])
    assert rules(given) == ["another target"]
    assert given.found[0].texts[0].startswith("lfs find --ost 3 ")


def test_advice_on_bindings_joins_and_a_prediction_comes_first() -> None:
    far = BindingAdvice(
        "far GPU",
        "seen",
        "bind near",
        ["taskset"],
        "nobody",
        "never",
        "of 4 s",
        (1.0, 2.0, 3.0),
        5,
        4.0,
        [],
        0,
    )
    found = interference(suspect("other", "m1", Interval(8.0, 6.0, 10.0)))
    given = recommend(alongside(), found, digest(binding=[far]))
    assert rules(given) == ["one after the other", "far GPU"]
    assert given.found[1].saving is None
    assert replace(given, found=()).to_json()["job"] == "mine"
