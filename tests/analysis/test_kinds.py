"""Kinds of loads, encounters of jobs, and predictions, against loads with known truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis.kinds import (
    LoadKind,
    PairModel,
    PairSample,
    by_kind,
    by_process,
    by_request,
    capacity,
    kinds_of,
    loss_of,
    pairs_met,
    parse_kind,
    positions,
    predict,
)
from jostle.analysis.kinds.distance import distances
from jostle.analysis.kinds.fair_share import longer_by
from jostle.analysis.kinds.met import undisturbed
from jostle.errors import UsageError
from jostle.repository.query.resources.co_running import JobFacts
from jostle.repository.query.resources.load_tables import LoadTables
from jostle.repository.query.resources.programs import FILE_CLASSES, Programs
from jostle.repository.types import ACCESS_METRICS
from jostle.values.file_metrics import file_metrics

SECOND = 1_000_000_000
KIB, MIB = 1 << 10, 1 << 20
FS = "lustre:mds@tcp:/fs"
START = 1_000


def loads(
    jobs: dict[str, dict[str, Any]],
    *,
    slices: int = 40,
    processes: int = 2,
    shared: float = 0.0,
    cores: float = 0.0,
) -> LoadTables:
    """Gives what jobs did per slice: the same in each, but for a period in `every`."""
    rows: dict[str, list[Any]] = {}
    names = (*ACCESS_METRICS, *file_metrics("sync_ops", "meta_ops"))
    for job, did in jobs.items():
        done = {name: value for name, value in did.items() if name not in ("every", "on")}
        for k in range(slices):
            if k % did.get("every", 1) >= did.get("on", 1):
                continue
            row = {"job": job, "mount": FS, "slice": START + k, "slice_ns": SECOND}
            row |= {"count": processes} | dict.fromkeys(names, 0) | done
            for name, value in row.items():
                rows.setdefault(name, []).append(value)
    life = slices * processes * SECOND
    nodes = [
        {
            "job": job,
            "cpu_ns": int(cores * life),
            "messages": 0,
            "message_ns": 0,
            "process_ns": life,
            "memory_bytes": 3 * MIB,
        }
        for job in jobs
    ]
    facts = {
        job: JobFacts(
            job,
            "code",
            processes=processes,
            start_ns=START * SECOND,
            end_ns=(START + slices) * SECOND,
            slice_ns=SECOND,
        )
        for job in jobs
    }
    return LoadTables(
        facts,
        pa.table(rows),
        pa.Table.from_pylist(nodes),
        pa.table({"job": list(jobs), "mount": [FS] * len(jobs), "share": [shared] * len(jobs)}),
        pa.table({"job": list(jobs), "library": ["0.5.0"] * len(jobs)}),
    )


def files(chunk: int, number: int, longer: float = 1.0, ns: int = 400_000_000) -> dict[str, Any]:
    """New files of one chunk each."""
    return {
        "posix_open_ops": number,
        "posix_close_ops": number,
        "posix_write_ops": number,
        "posix_write_bytes": number * chunk,
        "posix_write_ns": int(ns * longer),
        "posix_meta_ns": int(ns * longer),
        "access_file_ops": number,
        "access_file_bytes": number * chunk,
    }


def stream(chunk: int, number: int, ns: int = 1_800_000_000) -> dict[str, Any]:
    """Writes of one chunk each into files that grow."""
    return {"posix_write_ops": number, "posix_write_bytes": number * chunk, "posix_write_ns": ns}


STAT = {"posix_meta_ops": 400, "posix_meta_ns": 1_900_000_000}


def test_a_kind_says_what_was_done() -> None:
    kinds = kinds_of(
        loads({"many": files(64 * KIB, 10), "one": stream(MIB, 20), "names": STAT}, cores=0.25)
    )
    many, one, names = (kinds[job] for job in ("many", "one", "names"))
    assert (many.pattern, one.pattern, names.pattern) == (
        "open-write-close",
        "aggregate-write",
        "metadata",
    )
    assert many.chunk_bytes == 64 * KIB and one.chunk_bytes == MIB and names.chunk_bytes == 0
    # Two processes spent 0.4 s of each second in writing, and as much in opening and closing.
    assert many.in_data == pytest.approx(0.2) and many.in_metadata == pytest.approx(0.2)
    assert many.bytes_per_s == 10 * 64 * KIB / 2 and many.metadata_per_s == 10
    assert many.processes == 2 and many.duty == 1.0 and many.period_s is None
    assert many.cores == 0.25 and many.memory_bytes == 3 * MIB and many.mount == FS
    assert not many.shared_file
    assert kinds_of(loads({"one": stream(MIB, 20)}, shared=0.9))["one"].shared_file


def test_one_binary_used_differently_is_two_kinds_and_two_alike_are_one() -> None:
    kinds = kinds_of(
        loads(
            {
                "small": stream(64 * KIB, 100),
                "large": stream(16 * MIB, 1),
                "alike": stream(60 * KIB, 103),
                "rare": stream(64 * KIB, 100, ns=100_000_000),
            }
        )
    )
    assert kinds["small"].label == kinds["alike"].label == "aggregate-write 64KiB x2"
    assert kinds["large"].label == "aggregate-write 16MiB x2"
    assert kinds["rare"].label == "aggregate-write 64KiB x2 rarely"
    places = positions([kinds[job] for job in ("small", "alike", "large")])
    apart = distances(places, places)
    assert apart[0, 1] < 0.1 and apart[0, 2] > 1
    assert distances(places, positions([parse_kind("metadata:x2")])).min() > 1


def test_the_time_between_bursts_is_no_use_of_the_mount() -> None:
    kinds = kinds_of(loads({"burst": stream(MIB, 20) | {"every": 10, "on": 3}}, slices=200))
    assert kinds["burst"].duty == pytest.approx(0.3, abs=0.01)
    assert kinds["burst"].in_data == pytest.approx(0.9)
    assert kinds["burst"].period_s == pytest.approx(10, rel=0.02)
    assert kinds["burst"].label.endswith("in part")


def test_interference_does_not_change_the_kind() -> None:
    alone = kinds_of(loads({"a": files(64 * KIB, 20, ns=600_000_000)}))["a"]
    slowed = kinds_of(loads({"a": files(64 * KIB, 10, ns=800_000_000)}))["a"]
    assert alone.label == slowed.label
    again = undisturbed(slowed, 8 / 3)  # an operation took 160 instead of 60 ms
    # Of a second 0.8 s were spent in calls that would have taken 0.3: 0.5 s in all.
    assert again.in_calls == pytest.approx(0.6)
    assert again.bytes_per_s == pytest.approx(2 * slowed.bytes_per_s)


def test_who_hardly_uses_files_is_neither_slowed_nor_a_neighbour() -> None:
    kind = kinds_of(loads({"a": stream(MIB, 1, ns=1_000_000)}))["a"]
    assert kind.label == "computes x2"
    assert by_process(kind, parse_kind("metadata")) == by_process(parse_kind("metadata"), kind) == 0


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("aggregate-write:1MiB:x4", "aggregate-write 1MiB x4"),
        ("open-write-close:64KiB:x2:30%", "open-write-close 64KiB x2 in part"),
        ("write-seek:1MiB:x8:one-file", "write-seek 1MiB x8 one file"),
        ("metadata:x3", "metadata x4"),
        ("computes:x16", "computes x16"),
    ],
)
def test_kinds_can_be_written(text: str, label: str) -> None:
    assert parse_kind(text).label == label


@pytest.mark.parametrize("text", ["metadata:", "metadata:4", "metadata:x2:1MB", "writes:x2"])
def test_what_is_no_kind_is_said(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_kind(text)
    assert error.value.hint


# ---- the laws ----


def test_the_law_of_the_paper() -> None:
    # Kuo et al. 2013, equation 1: (np_L + np_S) / np_L times as long.
    small, large = parse_kind("aggregate-write:x12"), parse_kind("aggregate-write:x60")
    assert 1 + by_process(large, small) == pytest.approx(72 / 60)
    assert 1 + by_process(small, large) == pytest.approx(72 / 12)
    assert loss_of(by_process(small, large)) == pytest.approx(100 * (1 - 12 / 72))
    assert longer_by(loss_of(2.5)) == pytest.approx(2.5)
    # Who is in calls for half of its time loses in that half, to who asks in a half of its own.
    half = parse_kind("aggregate-write:x12:50%")
    assert by_process(half, half) == pytest.approx(0.25)


def test_small_requests_wait_longer_than_large_ones() -> None:
    small, large = parse_kind("write-seek:32KiB:x2"), parse_kind("aggregate-write:1MiB:x2")
    assert by_request(small, large) == pytest.approx(4 * by_process(small, large))
    assert by_request(large, small) == pytest.approx(by_process(large, small) / 4)
    assert by_request(large, large) == by_process(large, large)
    # A new file takes four requests instead of one.
    files_too = parse_kind("open-write-close:32KiB:x2")
    assert by_request(files_too, small) == pytest.approx(4 * by_request(small, small))


# ---- who met whom ----


def meetings(slowed: float, *, users: tuple[int, int] = (1, 1)) -> tuple[Programs, dict[str, Any]]:
    """Gives three runs alone and three alongside a neighbour, which makes calls longer.

    A victim of one process spends 0.3 s of a second in writes, alone.
    """
    rows: list[dict[str, Any]] = []
    jobs = {}
    alone_ns, rest_ns = 300_000_000, 700_000_000
    for run in range(6):
        names = {f"victim-{run}": users[0]} | ({f"storm-{run}": users[1]} if run >= 3 else {})
        for name, user in names.items():
            jobs[name] = JobFacts(name, name.split("-")[0], user, start_ns=1, end_ns=SECOND)
        calls_ns = int(alone_ns * (slowed if run >= 3 else 1))
        # Of the same work a second holds less.
        part = SECOND / (calls_ns + rest_ns)
        for k in range(40):
            at = run * 1_000 + k
            writes = round(3_000 * part)
            rows.append(
                {
                    "job": f"victim-{run}",
                    "slice": at,
                    "posix_write_ops": writes,
                    "posix_write_bytes": writes * 64 * KIB,
                    "posix_write_ns": int(calls_ns * part),
                }
            )
            # Its calls are long: in some slices none of them ends.
            if run >= 3 and k % 3:
                rows.append(
                    {
                        "job": f"storm-{run}",
                        "slice": at,
                        "posix_write_ops": 300,
                        "posix_write_bytes": 300 * MIB,
                        "posix_write_ns": 900_000_000,
                    }
                )
    empty = {f"{name}_{what}": 0 for name in FILE_CLASSES for what in ("ops", "bytes", "ns")}
    table = pa.Table.from_pylist(
        [empty | {"resource": FS, "slice_ns": SECOND} | row for row in rows]
    )
    none = table.slice(0, 0)
    kinds = {
        name: LoadKind("write-seek", 64 * KIB, 1, in_data=0.3, mount=FS)
        if name.startswith("victim")
        else LoadKind("aggregate-write", MIB, 1, in_data=0.9, mount=FS)
        for name in jobs
    }
    return Programs(jobs, table, none, none), kinds


@pytest.mark.parametrize("slowed", [1.0, 2.0, 5.0])
def test_the_loss_of_a_pair_that_met(slowed: float) -> None:
    tables, kinds = meetings(slowed)
    victims = [each for each in pairs_met(tables, kinds) if each.victim.pattern == "write-seek"]
    (met,) = victims
    assert met.neighbour.pattern == "aggregate-write" and met.mount == FS and met.runs == 3
    truth = 100 * (1 - 1 / (0.7 + 0.3 * slowed))
    assert met.loss == pytest.approx(truth, abs=1.0)
    assert met.groups == ("victim write-seek", "storm aggregate-write")


def test_no_victim_is_known_of_what_never_ran_alone() -> None:
    tables, kinds = meetings(3.0)
    assert all(each.victim.pattern != "aggregate-write" for each in pairs_met(tables, kinds))


def test_other_users_jobs_teach_a_viewer_nothing() -> None:
    tables, kinds = meetings(3.0, users=(1, 2))
    assert pairs_met(tables, kinds)
    assert not pairs_met(tables, kinds, as_user=1)
    assert not pairs_met(tables, kinds, as_user=2)
    tables, kinds = meetings(3.0)
    assert pairs_met(tables, kinds, as_user=1)
    # Of what was done elsewhere the kinds say nothing.
    kinds = {job: replace(kind, mount="nfs:server:/home") for job, kind in kinds.items()}
    assert not pairs_met(tables, kinds)


def test_the_matrix_can_be_by_kind() -> None:
    tables, kinds = meetings(3.0)
    names = {fact.program for fact in by_kind(tables, kinds).jobs.values()}
    assert names == {kinds["victim-0"].label, kinds["storm-3"].label}
    names = {fact.program for fact in by_kind(tables, {}).jobs.values()}
    assert names == {"unknown"}


# ---- the model ----

PATTERNS = ("aggregate-write", "write-seek", "open-write-close", "sequential", "random", "metadata")
PROGRAMS = [(pattern, chunk) for pattern in PATTERNS for chunk in (64 * KIB, 4 * MIB)]


def injected(seed: int, number: int = 120) -> list[PairSample]:
    """Gives pairs whose loss is by process, but for what is peculiar to victims and neighbours."""
    dice = np.random.default_rng(seed)
    peculiar = np.random.default_rng(1).normal(0, 6, (2, len(PROGRAMS)))
    samples = []
    for _ in range(number):
        one, other = dice.integers(0, len(PROGRAMS), 2)
        victim, neighbour = (
            LoadKind(*PROGRAMS[number], int(2.0 ** dice.integers(0, 3)), in_data=1.0)
            for number in (one, other)
        )
        loss = loss_of(by_process(victim, neighbour)) + peculiar[0, one] + peculiar[1, other]
        loss = float(np.clip(loss + dice.normal(0, 2), -5, 99))
        names = (str(PROGRAMS[one]), str(PROGRAMS[other]))
        samples.append(PairSample(victim, neighbour, FS, loss, 3, names))
    return samples


@pytest.fixture(scope="module")
def model() -> PairModel:
    return PairModel(injected(seed=2))


def test_new_pairs_of_known_patterns_are_predicted(model: PairModel) -> None:
    fresh = injected(seed=3)
    found = [model.predict(each.victim, each.neighbour, FS) for each in fresh]
    errors = [abs(each.loss - guess.value) for each, guess in zip(fresh, found, strict=True)]
    fair = [abs(each.loss - guess.fair) for each, guess in zip(fresh, found, strict=True)]
    assert np.median(errors) < 3.5 < np.median(fair)
    held = [g.low <= max(each.loss, 0) <= g.high for each, g in zip(fresh, found, strict=True)]
    assert np.mean(held) >= 0.9
    assert model.calibrated and not any(each.outside for each in found)


def test_programs_that_were_left_out_are_within_the_interval() -> None:
    samples, held = injected(seed=4), []
    for name in map(str, PROGRAMS):
        known = PairModel([each for each in samples if name not in each.groups])
        for each in samples:
            if name in each.groups:
                guess = known.predict(each.victim, each.neighbour, FS)
                held.append(guess.low <= max(each.loss, 0) <= guess.high)
    assert np.mean(held) >= 0.85  # 90 % of those that were left out to calibrate
    few = PairModel([each for each in samples if PATTERNS[0] in each.groups[0]][:10])
    assert not few.calibrated and few.reach > known.reach


def test_what_is_far_from_all_is_said_to_be(model: PairModel) -> None:
    strange = parse_kind("metadata:x512:2%")
    usual = parse_kind("write-seek:1MiB:x2")
    found = model.predict(usual, strange, FS)
    assert found.outside and found.near == 0
    seen = model.samples[0]
    near = model.predict(seen.victim, seen.neighbour, FS)
    assert not near.outside and near.near > 0
    elsewhere = model.predict(seen.victim, seen.neighbour, "nfs:server:/home")
    assert elsewhere.high - elsewhere.low > near.high - near.low


def test_nothing_learned_is_fair_share_with_wide_intervals() -> None:
    empty = PairModel([])
    kind = parse_kind("aggregate-write:1MiB:x2")
    found = empty.predict(kind, kind, "")
    assert found.value == found.fair == pytest.approx(50)
    assert found.outside and not empty.calibrated
    assert found.low < 15 and found.high > 85
    none = empty.predict(kind, parse_kind("computes:x2"), "")
    assert (none.value, none.low, none.high) == (0, 0, 0)


def test_losses_are_never_impossible(model: PairModel) -> None:
    for text in ("aggregate-write:1MiB:x1", "metadata:x1:1%", "random:4KiB:x4096"):
        for other in ("aggregate-write:1MiB:x4096", "metadata:x1:1%"):
            found = model.predict(parse_kind(text), parse_kind(other), FS)
            assert 0 <= found.low <= found.value <= found.high <= 100


# ---- several at once ----


def test_times_of_several_neighbours_add_up() -> None:
    kind = parse_kind("aggregate-write:1MiB:x2")
    found = predict([("a", kind), ("b", kind), ("c", kind)], FS, PairModel([]))
    assert [each.name for each in found.losses] == ["a", "b", "c"]
    assert found.losses[0].neighbours == ("b", "c")
    assert found.losses[0].percent == pytest.approx(100 * 2 / 3)  # three share
    assert found.losses[0].outside and "No two comparable jobs" in found.limits[0]
    assert found.to_json()["losses"][2]["name"] == "c"


def test_the_capacity_of_fair_share() -> None:
    # In calls for a fifth of its time: n of them make it longer by (n - 1) / 25.
    kind = parse_kind("aggregate-write:1MiB:x4:20%")
    found = capacity("a", kind, FS, PairModel([]))
    assert found.at_once == 3  # (n - 1) / 25 is a ninth at 3.8
    assert found.surely == 1 and not found.open_ended
    losses = [point.percent for point in found.curve]
    assert losses == sorted(losses) and found.curve[0].percent == 0
    assert dict(zip([p.jobs for p in found.curve], losses, strict=True))[6] == pytest.approx(
        loss_of(5 / 25)
    )
    assert capacity("a", parse_kind("computes"), FS, PairModel([])).open_ended


def test_who_hardly_uses_files_is_said_to_be_out_of_scope() -> None:
    pair = [("a", parse_kind("computes:x4")), ("b", parse_kind("metadata:x4"))]
    found = predict(pair, FS, PairModel([]))
    assert any("hardly uses" in limit for limit in found.limits)
    assert found.losses[0].percent == 0


def test_learning_does_not_depend_on_the_order() -> None:
    samples = injected(seed=5, number=40)
    victim, neighbour = samples[0].victim, replace(samples[1].neighbour, processes=3)
    one, other = (
        PairModel(each).predict(victim, neighbour, FS) for each in (samples, samples[::-1])
    )
    assert one.value == pytest.approx(other.value, abs=0.1)
