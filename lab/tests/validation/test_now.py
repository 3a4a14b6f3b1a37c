"""Experiments on live answers: their random choices, how answers are scored, the page."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jostle.errors import JostleError
from jostle_lab.cluster import LabSpec
from jostle_lab.cluster.checks import check_machine
from jostle_lab.signals import PATTERNS
from jostle_lab.validation.now import runner
from jostle_lab.validation.now.asked import Answer, JobAnswer, NewChange, Recorder, read_answers
from jostle_lab.validation.now.page import PAGE, load, page, printed, save
from jostle_lab.validation.now.plan import (
    CPU,
    DATA,
    EACH,
    FILE_SYSTEMS,
    KINDS,
    LEARN_S,
    LINK,
    OWN,
    SERVER,
    SLICE_NS,
    SOLVER,
    UNPROFILED,
    WRITER,
    Disturbance,
    Job,
    Session,
    Steps,
    from_json,
    sessions,
)
from jostle_lab.validation.now.programs import Cores
from jostle_lab.validation.now.runner import Record, records
from jostle_lab.validation.now.score import (
    Row,
    alarms,
    assess,
    failed,
    slowed,
    summary,
    without_alarms,
)

START = 1_700_000_000 * SLICE_NS
#: The second disturbance begins 60 s after the start of the session.
AT, LENGTH, SECONDS = 60, 10, 100


def session(kind: str = DATA, target: str = WRITER, node: str = "node4", **more: Any) -> Session:
    """A session with one disturbance of two jobs."""
    jobs = (Job(WRITER, ("node2",), "write-seek"), Job(SOLVER, ("node1", "node1")))
    one = Disturbance(kind, target, float(AT), float(LENGTH), (node,), "cpu", **more)
    return Session(3, "sshfs", jobs, (one,), float(SECONDS))


def record(one: Session | None = None, slow: float = 2.0) -> Record:
    """A session of which the target took `slow` times as long during the disturbance."""
    one = one or session()
    target = one.disturbances[0].target
    work = {}
    for job in one.jobs:
        rows = []
        for at in range(SECONDS):
            factor = slow if job.name == target and AT <= at < AT + LENGTH else 1.0
            rows.append((START // SLICE_NS + at, 10, round(10_000_000 * factor)))
        work[f"p-{job.name}"] = tuple(rows)
    spans = ((START + AT * SLICE_NS, START + (AT + LENGTH) * SLICE_NS),)
    return Record(one, "p", START, START + SECONDS * SLICE_NS, spans, work)


def change(at: float, found: float, *suspects: str, **more: Any) -> NewChange:
    """A job became slower at a time of the session, which was found at another."""
    usual: dict[str, Any] = {"kind": "slower", "what": "write", "percent": 80.0}
    usual |= {"resource_kind": "file system"}
    usual |= {"because": "other jobs" if suspects else "nobody known"}
    times = START + round(at * SLICE_NS), START + round(found * SLICE_NS)
    return NewChange(*times, **{**usual, **more}, suspects=suspects)


def job(seen: float, *changes: NewChange, now: float = 0.0, **more: Any) -> JobAnswer:
    """An answer about a job that was based on the slices up to a time of the session."""
    usual: dict[str, Any] = {"place": "file system /shared", "resource_kind": "file system"}
    usual |= {"because": "other jobs" if now else None, "learning": False}
    seen_ns = START + round(seen * SLICE_NS)
    return JobAnswer(seen_ns, now, **{**usual, **more}, changes=changes)


def answer(got: float, **jobs: JobAnswer) -> Answer:
    """An answer that was there at a time of the session."""
    got_ns = START + round(got * SLICE_NS)
    return Answer(got_ns - SLICE_NS // 10, got_ns, {f"p-{name}": one for name, one in jobs.items()})


def scored(kind: str, *answers: Answer, slow: float = 2.0, **more: Any) -> Row:
    """The row of a session with one disturbance."""
    (row,) = assess(record(session(kind, **more), slow), answers)
    return row


# ---- the plan -----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20))
def test_draws_a_hundred_disturbances_of_all_kinds(seed: int) -> None:
    drawn = sessions(seed)
    every = [one for each in drawn for one in each.disturbances]
    assert len(every) == 100
    for fs in FILE_SYSTEMS:
        kinds = Counter(x.kind for each in drawn if each.fs == fs for x in each.disturbances)
        assert kinds == KINDS
    assert [one.number for one in drawn] == list(range(1, len(drawn) + 1))
    for one in drawn:
        assert 3 <= len(one.jobs) <= 6 and len(one.disturbances) == EACH
        assert from_json(json.loads(json.dumps(one.to_json()))) == one
        names = [job.name for job in one.jobs]
        assert len(set(names)) == len(names) and one.job(names[0]) == one.jobs[0]
        ends = LEARN_S
        for each in one.disturbances:
            assert each.begin_s > ends + 5 and each.target in names
            ends = each.begin_s + each.length_s
            if each.kind != SERVER:
                assert each.words.split()[0] in PATTERNS
        assert ends < one.seconds


def test_seeds_draw_differently_and_the_same_again() -> None:
    assert sessions(1) == sessions(1) != sessions(2)


def test_the_culprit_of_cores_is_on_the_node_of_its_target() -> None:
    for each in (x for one in sessions(5) for x in one.disturbances):
        if each.kind == CPU:
            assert each.nodes == ("node1",) and each.target == SOLVER
        if each.kind == LINK:
            assert len(set(each.nodes)) == 2 and not each.resident
        if each.kind == SERVER and each.words == "stop":
            assert each.part > 0 and each.nodes[0].startswith("storage")
        assert str(each)


# ---- the truth ----------------------------------------------------------------------------------
def test_slow_is_what_takes_longer_per_unit_than_before() -> None:
    one = record(slow=1.5)
    assert slowed(one.work["p-writer"], one.spans, 0) == pytest.approx(50)
    assert slowed(one.work["p-solver"], one.spans, 0) == pytest.approx(0)
    assert slowed(one.work["p-writer"][58:], one.spans, 0) is None  # two slices are too few


def test_a_job_that_finishes_nothing_is_slow() -> None:
    one = record()
    rows = [row for row in one.work["p-writer"] if not AT <= row[0] - START // SLICE_NS < 70]
    much = slowed(rows, one.spans, 0)
    assert much is not None and much > 1000


# ---- the answers --------------------------------------------------------------------------------
def test_the_first_answer_counts() -> None:
    early = answer(62.5, writer=job(61))
    seen = answer(64.3, writer=job(63, change(60, 63, "p-culprit-1", "p-calm")))
    later = answer(65, writer=job(64, change(60, 64, "p-calm"), now=30.0, suspects=("p-calm",)))
    row = scored(DATA, early, seen, later)
    assert (row.seen_s, row.seen_slices, row.named_s) == (pytest.approx(4.3), 3, pytest.approx(4.3))
    assert (row.first, row.right, row.what) == ("culprit-1", True, "write +80 %")
    assert row.counts and row.has_culprit and row.slowed == pytest.approx(100)
    assert (row.session, row.number, row.jobs, row.length_s) == (3, 1, 2, 10)


def test_seen_may_come_before_named() -> None:
    row = scored(
        DATA,
        answer(63, writer=job(62, change(60, 62))),
        answer(66, writer=job(65, now=20.0, suspects=("p-calm", "p-culprit-1"))),
    )
    assert (row.seen_s, row.named_s, row.first, row.right) == (3, 6, "calm", False)


def test_what_was_known_before_or_comes_too_late_is_no_answer() -> None:
    old = answer(59, writer=job(58, now=9.0, suspects=("p-calm",)))
    same = answer(63, writer=job(62, now=9.0, suspects=("p-calm",)))
    early = answer(62, writer=job(61, change(50, 59, "p-culprit-1")))
    late = answer(77, writer=job(76, change(60, 76, "p-culprit-1")))
    row = scored(DATA, old, early, same, late)
    assert row.seen_s is None and row.first == "" and row.right is False


def test_cores_count_on_node1_alone() -> None:
    cores = {"resource_kind": "node", "place": "cores of node1"}
    loses = job(62, now=30.0, suspects=("p-culprit-1",), **cores)
    assert scored(CPU, answer(63, solver=loses), target=SOLVER, node="node1").right
    assert scored(DATA, answer(63, writer=loses)).seen_s is None
    by_change = job(62, change(60, 62, "p-culprit-1", resource_kind="node"))
    assert scored(DATA, answer(63, writer=by_change)).seen_s is None


def test_without_a_culprit_nobody_is_right() -> None:
    nobody = answer(63, writer=job(62, change(60, 62)))
    somebody = answer(63, writer=job(62, change(60, 62, "p-calm")))
    for kind, node in ((SERVER, "storage"), (OWN, "node2")):
        assert scored(kind, nobody, node=node).right and scored(kind, node=node).right
        assert scored(kind, somebody, node=node).right is False
        assert not scored(kind, nobody, node=node).has_culprit
    server = answer(63, writer=job(62, change(60, 62, "server storage")))
    assert scored(SERVER, server, node="storage").right


def test_load_without_a_profile_is_right_by_its_program_or_node() -> None:
    for name in ("jostle-signal (3 processes, root)", "unprofiled on node4"):
        assert scored(UNPROFILED, answer(63, writer=job(62, change(60, 62, name)))).right
    assert not scored(UNPROFILED, answer(63, writer=job(62, change(60, 62, "sshfs")))).right
    assert scored(UNPROFILED).right is False


# ---- false alarms -------------------------------------------------------------------------------
def test_who_is_named_while_nothing_is_on_is_a_false_alarm() -> None:
    answers = [
        answer(40, writer=job(39, change(35, 38, "p-solver")), solver=job(39)),
        answer(41, writer=job(40, now=20.0, suspects=("p-solver",)), solver=job(40)),
        answer(64, writer=job(63, change(60, 63, "p-solver"))),  # it is disturbed then
        answer(66, solver=job(65, change(61, 65, "p-writer"))),  # and this job is not
        answer(90, writer=job(89, change(85, 88)), solver=job(89)),  # nobody is named
    ]
    row = alarms(record(), answers)
    assert row.alarms == 2 and row.alarm.startswith("writer at 40 s: solver, write +80 %; solver")
    # Ten seconds and six slices of the target; the other job was not disturbed.
    assert row.calm_s == pytest.approx(2 * SECONDS - LENGTH - 6)
    assert (row.learned_s, row.answers, row.jobs) == (40, 5, 2)
    assert row.answer_s == pytest.approx(0.1)


def test_a_job_that_was_slowed_too_is_no_false_alarm() -> None:
    one = record()
    work = {**one.work, "p-solver": one.work["p-writer"]}
    row = alarms(replace(one, work=work), [answer(66, solver=job(65, change(61, 65, "p-writer")))])
    assert row.alarms == 0


# ---- records ------------------------------------------------------------------------------------
def test_answers_keep_new_changes_alone(tmp_path: Path) -> None:
    plain = {
        **vars(change(60, 62)),
        "suspects": [{"job": "a", "share": 1.0, "confidence": 0.9}],
        "resource": "x",
    }
    row = {**vars(job(62)), "job": "p-writer", "suspects": [], "changes": [plain], "trend": [1.0]}
    recorder, path = Recorder(), tmp_path / "answers"
    lines = [json.dumps(recorder.short(n, n + 1, {"jobs": [row]})) for n in (1, 5)]
    path.write_text("\n".join([*lines, lines[0][:30]]))
    first, second = read_answers(path)
    assert first.jobs["p-writer"].changes == (change(60, 62, "a", because="nobody known"),)
    assert second.jobs["p-writer"].changes == () and (second.asked_ns, second.got_ns) == (5, 6)


def test_a_killed_measurement_goes_on(tmp_path: Path) -> None:
    good, bad = record(), Record(replace(session(), number=4), error="no lab")
    lines = [json.dumps(one.to_json()) for one in (bad, good)]
    (tmp_path / "sessions.jsonl").write_text("\n".join([*lines, lines[0][:50]]))
    assert records(tmp_path) == [good, bad]


def test_sessions_that_failed_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = [replace(session(), number=number) for number in (1, 2)]
    tried: list[int] = []

    def made(lab: object, one: Session, *rest: object) -> Record:
        tried.append(one.number)
        if len(tried) == 1:
            raise OSError("no room")
        return replace(record(one), session=one)

    class Labs:
        def __init__(self, name: str) -> None:
            self.closed = 0

        def lab(self, fs: str) -> None:
            return None

        def close(self) -> None:
            self.closed += 1

    monkeypatch.setattr(runner, "_made", made)
    monkeypatch.setattr(runner, "_Labs", Labs)
    monkeypatch.setattr(runner, "compile_steps", lambda folder: folder / "steps")
    monkeypatch.setattr(Cores, "of_machine", classmethod(lambda cls: cls(0, (0,))))
    for _ in range(2):
        runner.make(tmp_path, plan, "lab", lambda *_: None)
    assert tried == [1, 2, 1] and not any(one.error for one in records(tmp_path))


# ---- the page -----------------------------------------------------------------------------------
def test_the_sums_count_what_slowed_its_target() -> None:
    good = scored(DATA, answer(63, writer=job(62, change(60, 62, "p-culprit-1"))))
    late = replace(good, seen_s=12.0, named_s=12.0)
    harmless = scored(DATA, slow=1.05)
    one = summary([good, late, harmless, replace(good, right=False), *failed(record(), "x")])
    assert (one.injected, one.harmful, one.seen, one.right, one.in_time) == (4, 3, 3, 2, 1)
    assert (one.seen_s, one.late_s, one.named_s) == (3, 12, 3)


def test_the_page_has_every_disturbance_and_is_made_from_the_data(tmp_path: Path) -> None:
    answers = [answer(63, writer=job(62, change(60, 62, "p-calm")))]
    rows = [*assess(record(), answers), *failed(record(session(SERVER, node="storage")), "broke")]
    some = [alarms(record(), answers), without_alarms(record(), "broke")]
    save(tmp_path, rows, some)
    again = load(tmp_path)
    text = page(*again, "Measured today.")
    save(tmp_path, *again)
    assert load(tmp_path) == again and page(*again, "Measured today.") == text
    assert "| 3.1 | data | writer | cpu on node4 | 2 | 10.0 | 100 % | 3.0 |" in text
    assert "calm !" in text and text.count("failed: broke") == 2
    assert "0 of 1" in text and PAGE.endswith(".md")
    assert [x for x in text.splitlines() if len(x) > 120 and not x.startswith("|")] == []
    assert "failed: broke" in printed(*again)


def test_cores_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {4, 2, 7})
    cores = Cores.of_machine()
    assert (cores.words(apart=True), cores.words(apart=False)[-1]) == (
        ["taskset", "-c", "2"],
        "4,7",
    )
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {4})
    with pytest.raises(Exception, match="Two cores"):
        Cores.of_machine()


# ---- a session ----------------------------------------------------------------------------------
@pytest.mark.nightly
@pytest.mark.tries(2)
def test_a_session_in_a_lab(tmp_path: Path) -> None:
    """A writer and an MPI program; another job begins to write much."""
    if os.geteuid() != 0 or not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"):
        pytest.skip("needs root, and Open MPI with its compiler")
    try:
        check_machine(LabSpec())
    except JostleError as error:
        pytest.skip(str(error))
    jobs = (
        Job(WRITER, ("node2",), "write-seek --chunk 64KiB --every 30ms"),
        Job(SOLVER, ("node1", "node1"), steps=Steps(8000.0, 0.0, 1024, 1 << 20)),
    )
    words = "aggregate-write --chunk 4MiB --flush each --processes 2 --max-disk 200MiB"
    begin_s = LEARN_S + 6
    one = Disturbance(DATA, WRITER, begin_s, 10.0, ("node4",), words)
    runner.make(
        tmp_path, [Session(1, "sshfs", jobs, (one,), begin_s + 16)], "nightly-now", lambda *_: None
    )
    (made,) = records(tmp_path)
    assert not made.error and made.work.keys() == {f"{made.prefix}-{job.name}" for job in jobs}
    ((begin, end),) = made.spans
    assert abs(begin - made.start_ns - begin_s * SLICE_NS) < SLICE_NS and end - begin > 8 * SLICE_NS
    found = runner.answers(tmp_path, made)
    (row,) = assess(made, found)
    assert row.counts and row.seen_s is not None and row.right, row
    assert alarms(made, found).answers > 20
