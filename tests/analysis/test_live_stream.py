"""The stream of running jobs: which job slows which, from slices with known truth."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from live_maker import EPOCH_NS, MOUNT, SLICE_NS, busy, noise, reader, stencil, together, until

from jostle.analysis.live.model import hidden
from jostle.analysis.live.stream import LiveStream

_SPREAD = 0.015


def _disturbed(seed: int, factor: float = 1.3, at: int = 60, size: int = 120) -> tuple:
    """Return a reader that another one slows from a slice on, and a steady third job."""
    rng = np.random.default_rng(seed)
    slow = noise(rng, size, _SPREAD)
    slow[at:] += math.log(factor)
    bully = np.where(np.arange(size) >= at, 4000.0, 0.0)
    steady = reader("steady-1", noise(rng, size, _SPREAD), 300)
    loud = reader("bully-1", noise(rng, size, 0.05), bully)
    return together([*reader("victim-1", slow), *steady, *loud]), slow, at


def _answer(stream: LiveStream, job: str):  # type: ignore[no-untyped-def]
    return next(each for each in stream.answers() if each.job == job)


def test_a_neighbour_that_begins_is_named_within_three_slices() -> None:
    rows, _, at = _disturbed(1)
    stream, when = LiveStream(), None
    for size in range(1, 120):
        stream.take(until(rows, size))
        if _answer_or_none(stream) and when is None:
            when = size
    assert when is not None and when - 1 - at <= 3  # evaluated one slice after its end
    answer = _answer(stream, "victim-1")
    (change,) = answer.changes
    assert change.at_ns == EPOCH_NS + at * SLICE_NS and (change.what, change.resource) == (
        "read",
        MOUNT,
    )
    assert change.because == "other jobs" and change.suspects[0].job == "bully-1"
    assert change.suspects[0].confidence > 0.7 and 20 < change.percent < 40
    assert answer.now_percent > 8 and answer.resource == MOUNT
    assert _answer(stream, "steady-1").lost_s == 0


def _answer_or_none(stream: LiveStream) -> bool:
    state = stream.jobs.get("victim-1")
    return bool(state and state.answer().changes)


def test_the_loss_is_that_of_the_slices() -> None:
    rows, slow, at = _disturbed(2, factor=1.5)
    stream = LiveStream()
    stream.take(rows)
    done = slow[: len(slow) - 1]  # the last slice is not evaluated yet
    truth = sum(2.0 * math.exp(log) * (1 - 1 / 1.5) for log in done[at:])
    assert _answer(stream, "victim-1").lost_s == pytest.approx(truth, rel=0.08)


def test_a_job_that_reads_no_more_loses_nothing_now() -> None:
    slow = noise(np.random.default_rng(15), 120, _SPREAD)
    slow[60:] += math.log(1.5)
    after = np.arange(120)
    own = reader("victim-1", slow, np.where(after < 110, 1000.0, 0.0))
    loud = reader("bully-1", slow * 0, np.where(after >= 60, 4000.0, 0.0))
    rows = together([*own, *loud], busy("victim-1", np.ones(120)))
    stream = LiveStream()
    stream.take(until(rows, 111))
    during = _answer(stream, "victim-1")
    assert (during.resource, during.suspects[0].job) == (MOUNT, "bully-1")
    stream.take(rows)
    answer = _answer(stream, "victim-1")
    assert answer.now_percent == 0 and answer.lost_s > 0
    assert (answer.resource_kind, answer.suspects, answer.because) == (None, (), None)


@pytest.mark.parametrize("portion", [1, 7, 50])
def test_however_the_rows_are_portioned_the_answers_are_the_same(portion: int) -> None:
    rows, _, _ = _disturbed(3)
    whole, parts = LiveStream(), LiveStream()
    whole.take(until(rows, 120))
    for size in range(portion, 120 + portion, portion):
        since = max(min(size, 120) - portion - 3, 0)  # some of them again, as a poll does
        parts.take(until(rows, min(size, 120), since))
    assert [each.to_json() for each in parts.answers()] == [
        each.to_json() for each in whole.answers()
    ]


def test_two_hundred_slow_downs_are_found_with_their_culprit() -> None:
    rng, right, found = np.random.default_rng(4), 0, 0
    for _ in range(200):
        at, size = int(rng.integers(45, 70)), 80
        slow = noise(rng, size, _SPREAD)
        slow[at:] += math.log(rng.uniform(1.1, 1.6))
        loud = np.where(np.arange(size) >= at, rng.uniform(1000, 5000), rng.uniform(0, 100))
        steady = reader("steady-1", noise(rng, size, _SPREAD), noise(rng, size, 0.1) * 50 + 500)
        rows = together([*reader("victim-1", slow), *steady, *reader("bully-1", slow * 0, loud)])
        stream = LiveStream()
        stream.take(until(rows, at + 4))  # three slices of it, and one in which rows may be late
        changes = [c for c in stream.jobs["victim-1"].answer().changes if c.kind == "slower"]
        found += bool(changes)
        right += (
            bool(changes)
            and changes[-1].suspects[:1] != ()
            and (changes[-1].suspects[0].job == "bully-1")
        )
    assert found >= 198 and right >= 196


def test_other_sizes_of_reads_are_no_change_and_more_own_load_is_an_own_phase() -> None:
    rng = np.random.default_rng(5)
    slow = noise(rng, 120, _SPREAD)
    slow[60:] += math.log(1.5)
    ops = np.where(np.arange(120) >= 60, 2500.0, 1000.0)
    rows = together([*reader("victim-1", slow, ops), *reader("steady-1", slow * 0, 300)])
    stream = LiveStream()
    stream.take(rows)
    answer = _answer(stream, "victim-1")
    assert [change.because for change in answer.changes] == ["own change of phase"]
    assert answer.lost_s == 0


def test_a_program_without_a_profile_is_a_suspect_and_no_job() -> None:
    rows, _, _ = _disturbed(11)
    mounts = [
        replace(row, job="dd (pid 7, root)", count=0) if row.job == "bully-1" else row
        for row in rows.mounts
    ]
    stream = LiveStream()
    stream.take(replace(rows, mounts=tuple(mounts)))
    assert _answer(stream, "victim-1").suspects[0].job == "dd (pid 7, root)"
    assert "dd (pid 7, root)" not in stream.jobs


def test_a_slow_down_of_nobody_is_no_loss_to_others() -> None:
    slow = noise(np.random.default_rng(6), 120, _SPREAD)
    slow[60:] += math.log(1.5)
    stream = LiveStream()
    stream.take(together([*reader("victim-1", slow), *reader("steady-1", slow * 0, 300)]))
    answer = _answer(stream, "victim-1")
    assert answer.changes[0].because == "nobody known" and answer.lost_s == 0
    assert answer.unexplained_s > 30


def test_iterations_that_own_computing_prolongs_are_an_own_phase() -> None:
    rng = np.random.default_rng(7)
    length, work = 0.02 * np.exp(noise(rng, 120, 0.01)), np.full(120, 0.014)
    length[60:] += 0.01
    work[60:] += 0.01
    stream = LiveStream()
    stream.take(together(nodes=stencil("solver-1", length, work), ranks=4))
    answer = _answer(stream, "solver-1")
    assert [change.because for change in answer.changes] == ["own change of phase"]


def test_iterations_that_messages_of_others_prolong_have_a_suspect() -> None:
    rng = np.random.default_rng(8)
    length = 0.02 * np.exp(noise(rng, 120, 0.01))
    length[60:] *= 1.4
    victim = stencil("solver-1", length, np.full(120, 0.014))
    bully = stencil("chatter-1", np.full(60, 0.001), np.full(60, 0.0005))
    late = [replace(row, start_ns=row.start_ns + 60 * SLICE_NS, host="n2") for row in bully]
    stream = LiveStream()
    stream.take(together(nodes=[*victim, *late], ranks=4))
    answer = _answer(stream, "solver-1")
    assert answer.changes[0].because == "other jobs"
    assert answer.changes[0].suspects[0].job == "chatter-1"
    assert answer.lost_s == pytest.approx(59 * 4 * (1 - 1 / 1.4), rel=0.1)


@pytest.mark.parametrize("spins", [True, False])
def test_a_rank_that_others_slow_and_another_one_waits_for(spins: bool) -> None:
    """One of two ranks computes; the other waits for it in MPI, with or without CPU time."""
    size = 120
    length = 0.02 * np.exp(noise(np.random.default_rng(18), size, 0.01))
    length[60:] *= 1.5
    rows = []
    for at, each in enumerate(length.tolist()):
        calls = round(4 / each * 200)
        rows.append(
            replace(
                busy("solver-1", np.ones(1), count=2)[0],
                start_ns=EPOCH_NS + at * SLICE_NS,
                cpu_s=8.0 if spins else 4.0,
                mpi_ops=calls,
                mpi_bytes=calls << 10,
                mpi_s=4.0,
            )
        )
    hog = busy("hog-1", np.where(np.arange(size) >= 60, 1.0, 0.0))
    stream = LiveStream()
    stream.take(together(nodes=[*rows, *hog], ranks=2))
    answer = _answer(stream, "solver-1")
    slower = next(each for each in answer.changes if each.what == "iteration")
    assert (slower.because, slower.resource_kind) == ("other jobs", "node")
    assert slower.suspects[0].job == "hog-1"


def test_waiting_for_cores_is_divided_by_account_from_the_first_slice_on() -> None:
    size = 30
    victim = busy("victim-1", np.full(size, 0.5), queue_s=np.full(size, 2.0))
    loud = busy("cc1 (3 processes, root)", np.full(size, 0.5), count=0)
    stream = LiveStream()
    stream.take(together(nodes=[*victim, *loud]))
    answer = _answer(stream, "victim-1")
    assert answer.lost_s == pytest.approx((size - 1) * 1.0, rel=0.05)  # half of the waiting
    assert answer.suspects[0].job.startswith("cc1") and answer.resource_kind == "node"
    assert len(stream.answers()) == 1  # load without a profile is no job


@pytest.mark.parametrize(
    ("mine", "theirs", "part"),
    [({0}, {0}, 1), ({0}, {0, 1}, 2 / 3), ({0}, {1}, 0), ({0, 1, 2, 3}, {0, 1, 2, 3}, 0)],
)
def test_only_who_can_have_been_on_the_own_cores_made_it_wait(
    mine: set[int], theirs: set[int], part: float
) -> None:
    size = 10
    victim = busy("victim-1", np.full(size, 0.5), queue_s=np.full(size, 2.0))
    loud = busy("bully-1", np.full(size, 0.5))
    rows = [replace(row, cores=frozenset(mine)) for row in victim]
    rows += [replace(row, cores=frozenset(theirs)) for row in loud]
    stream = LiveStream()
    stream.take(together(nodes=rows))
    # Half of the waiting; a third if half of its time may have been elsewhere: 1 / (1 + 2) of 2 s.
    lost = _answer(stream, "victim-1").lost_s
    assert lost == pytest.approx(part * (size - 1) * 1.0, rel=0.05, abs=0.01)


def test_who_computes_on_other_cores_is_no_suspect_for_waiting() -> None:
    size, at = 80, 50
    late = np.arange(size) >= at
    victim = busy("victim-1", np.full(size, 0.5), queue_s=np.where(late, 2.0, 0.2))
    far = busy("far-1", np.where(late, 3.0, 0.1))
    near = busy("near-1", np.where(late, 0.5, 0.1))
    rows = [replace(row, cores=frozenset({0})) for row in (*victim, *near)]
    rows += [replace(row, cores=frozenset({1, 2, 3})) for row in far]
    stream = LiveStream()
    stream.take(together(nodes=rows))
    change = next(each for each in _answer(stream, "victim-1").changes if each.kind == "slower")
    assert change.what == "waiting for cores"
    assert [suspect.job for suspect in change.suspects] == ["near-1"]


def test_who_has_no_load_any_more_slows_nobody_now() -> None:
    slow = noise(np.random.default_rng(16), 120, _SPREAD)
    slow[60:] += math.log(1.5)
    at = np.arange(120)
    bully = reader("bully-1", slow * 0, np.where((at >= 60) & (at < 80), 4000.0, 0.0))
    rows = together([*reader("victim-1", slow), *reader("steady-1", slow * 0, 300), *bully])
    stream = LiveStream()
    stream.take(until(rows, 80))
    during = _answer(stream, "victim-1")
    assert during.because == "other jobs" and during.suspects[0].job == "bully-1"
    stream.take(until(rows, 90, 75))
    after = _answer(stream, "victim-1")
    assert (after.because, after.suspects, after.resource) == ("nobody known", (), MOUNT)
    stream.take(rows)
    answer = _answer(stream, "victim-1")
    assert answer.now_percent == 0 and answer.lost_s == pytest.approx(after.lost_s, abs=0.1)
    assert answer.unexplained_s > 15


def test_a_job_that_has_ended_loses_nothing_now() -> None:
    rows, _, _ = _disturbed(17)
    stream = LiveStream()
    stream.take(rows)
    assert _answer(stream, "victim-1").now_percent > 10
    jobs = [replace(job, end_ns=rows.newest_ns) for job in rows.jobs]
    stream.take(replace(rows, jobs=tuple(jobs)))
    answer = _answer(stream, "victim-1")
    assert not answer.running and answer.lost_s > 0 and answer.changes
    assert (answer.now_percent, answer.resource, answer.suspects) == (0, "", ())


def test_jobs_that_a_viewer_may_not_see_have_one_name() -> None:
    rows, _, _ = _disturbed(9)
    stream = LiveStream()
    stream.take(rows)
    answer = hidden(_answer(stream, "victim-1"), {"victim-1"}, "other users")
    assert {each.job for each in answer.suspects} == {"other users"}
    assert {each.job for each in answer.changes[0].suspects} == {"other users"}


def test_the_cost_of_a_slice_does_not_grow_with_the_job() -> None:
    slow = noise(np.random.default_rng(10), 3000, _SPREAD)
    rows = together([*reader("victim-1", slow), *reader("steady-1", slow, 300)])
    stream, spent = LiveStream(), []
    for part in range(6):
        portion = until(rows, 500 * (part + 1), 500 * part)
        begin = time.process_time()
        stream.take(portion)
        spent.append(time.process_time() - begin)
    assert min(spent[3:]) < 3 * min(spent[:3])  # a state that grew would cost more and more
