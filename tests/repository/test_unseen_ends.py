"""Processes whose profile vanished before their end was read: their jobs do not run for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import make_profile

from jostle.repository.ingest import follow as follow_module
from jostle.repository.ingest import spool as spool_module
from jostle.repository.maintenance import compact as compact_module
from jostle.repository.maintenance import unseen_ends
from synth import SECOND

HOUR = 3600 * SECOND
DAY = 24 * HOUR
WRITER = """
import os, time
with open(os.environ["DATA"], "wb", buffering=0) as file:
    while True:
        file.write(b"x" * 4096)
        time.sleep(0.002)
"""


@pytest.fixture
def later(monkeypatch):
    """Lets the repository's clock go ahead of the machine's."""

    def go(ns):
        clock = SimpleNamespace(
            **{name: getattr(time, name) for name in ("monotonic", "sleep")},
            time_ns=lambda: time.time_ns() + ns,
        )
        for module in (unseen_ends, spool_module):
            monkeypatch.setattr(module, "time", clock)

    return go


@pytest.fixture
def runs():
    """A process that runs until it is killed."""
    child = subprocess.Popen(["sleep", "600"])
    yield child
    child.kill()
    child.wait()


def own_boot_id():
    return uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())


def start_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def living(child, job="alpha", **header):
    """The profile of a process that runs and wrote its last slice now."""
    begin = time.time_ns() - 5 * SECOND
    return make_profile(
        1,
        job,
        ended=False,
        slices=2,
        slice_ns=SECOND,
        start_ns=begin,
        heartbeat_ns=time.time_ns(),
        boot_id=own_boot_id(),
        pid=child.pid,
        proc_start=start_of(child.pid),
        **header,
    )


def job_of(store):
    (job,) = store.jobs().to_pylist()
    return job


@pytest.mark.in_turn
def test_a_real_program_whose_profile_vanishes(store, spool, tmp_path, later, library):
    """It is killed together with its profile; its ingested rows stay as they are."""
    env = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "JOSTLE_SPOOL": str(spool),
        "JOSTLE_SLICE": "100ms",
        "JOSTLE_JOB": "lost",
        "DATA": str(tmp_path / "data"),
    }
    child = subprocess.Popen([sys.executable, "-c", WRITER], env=env)
    try:
        deadline = time.monotonic() + 30
        while not _written(store):
            assert time.monotonic() < deadline
            time.sleep(0.2)
            store.ingest([spool])
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    for path in spool.iterdir():
        path.unlink()
    before = _written(store)
    store.ingest([spool])
    assert job_of(store)["running"]  # it may have been moved: nobody knows yet
    later(HOUR)
    store.ingest([spool])
    job = job_of(store)
    assert not job["running"]
    (process,) = store.job_processes("lost").to_pylist()
    assert (process["complete"], process["end_reason"]) == (True, "end not seen")
    (newest,) = store.query("SELECT max((slice + span) * slice_ns) AS ns FROM slices").to_pylist()
    assert process["end_ns"] == job["end_ns"] == max(newest["ns"], job["end_ns"])
    assert process["end_ns"] - process["start_ns"] < 60 * SECOND
    assert _written(store) == before


def _written(store):
    (row,) = store.query("SELECT sum(posix_write_bytes) AS n FROM mount_slices").to_pylist()
    return row["n"] or 0


def test_a_profile_that_is_there_keeps_its_process_running(store, spool, runs, later):
    """It may have been stopped: SIGSTOP makes a process silent for days."""
    living(runs).write(spool)
    later(HOUR)
    store.ingest([spool])
    store.ingest([spool])
    assert job_of(store)["running"]


def test_profiles_that_may_not_be_read_are_not_gone(store, spool, runs, later, monkeypatch):
    path = living(runs).write(spool)
    store.ingest([spool])
    make_profile(2, "other").write(spool)
    later(HOUR)
    peek = spool_module.peek_header

    def guarded(asked, origin=None):
        if asked == path:
            raise PermissionError(13, "no", str(asked))
        return peek(asked, origin)

    monkeypatch.setattr("jostle.repository.ingest.ingest.peek_header", guarded)
    store.ingest([spool])
    assert {job["job"]: job["running"] for job in store.jobs().to_pylist()}["alpha"]


@pytest.mark.parametrize("compacted", [False, True])
def test_a_profile_that_comes_back_goes_on(store, spool, runs, later, compacted):
    """A node was cut off: the job runs again, and each of its slices is there once."""
    profile = living(runs)
    path = profile.write(spool)
    store.ingest([spool])
    path.unlink()
    later(HOUR)
    store.ingest([spool])
    assert not job_of(store)["running"]
    if compacted:
        store.compact()
        assert not job_of(store)["running"]
    for _ in range(3):
        profile.add_slice(
            max(slice_ for slice_, *_ in _slices(store)) + 5, {"posix_write_bytes": {0: 7}}
        )
        profile.heartbeat_ns = time.time_ns() + HOUR
        profile.write(spool)
        store.ingest([spool])
        assert job_of(store)["running"]
    rows = _slices(store)
    assert len(rows) == len(set(rows)) == 5
    assert job_of(store)["processes"] == 1
    runs.kill()
    runs.wait()
    store.ingest([spool])
    assert not job_of(store)["running"]
    store.compact()
    (process,) = store.job_processes("alpha").to_pylist()
    assert process["end_reason"] == "killed"
    (kinds,) = store.query("SELECT sum(processes) AS n FROM process_kinds").to_pylist()
    assert kinds["n"] == 1


def _slices(store):
    rows = store.query("SELECT slice, process FROM slices ORDER BY slice").to_pylist()
    return [(row["slice"], row["process"]) for row in rows]


def test_after_a_week_it_is_settled_and_not_taken_again(store, spool, tmp_path, runs, later):
    profile = living(runs)
    path = profile.write(spool)
    store.ingest([spool])
    path.unlink()
    later(HOUR)
    store.ingest([spool])
    later(8 * DAY)
    make_profile(2, "other").write(tmp_path / "others")
    store.ingest([tmp_path / "others"])
    store.compact()
    state = compact_module.Log(store.path).refresh()
    assert not compact_module.unsettled(state)
    (process,) = store.job_processes("alpha").to_pylist()
    assert process["end_reason"] == "end not seen"
    profile.add_slice(profile.first_slice + 100, {"posix_write_bytes": {0: 7}})
    profile.write(spool)
    report = store.ingest([spool])
    assert report.slices == 0
    (job,) = (job for job in store.jobs().to_pylist() if job["job"] == "alpha")
    assert (job["running"], job["processes"]) == (False, 1)


def test_the_follower_ends_them_too(store, spool, runs, later, monkeypatch):
    path = living(runs).write(spool)
    store.ingest([spool])
    path.unlink()
    later(HOUR)
    monkeypatch.setattr(follow_module, "_END_EVERY_S", 0.05)
    deadline = time.monotonic() + 30
    store.follow([spool], stop=lambda: time.monotonic() > deadline or not job_of(store)["running"])
    assert not job_of(store)["running"]


def test_a_pass_over_what_changed_says_nothing_of_the_others(
    store, spool, runs, later, monkeypatch
):
    """A receiver ingests new data at once, and its whole mirror now and then."""
    living(runs).write(spool)
    other = make_profile(2, "other").write(spool)
    store.ingest([spool])
    later(HOUR)
    monkeypatch.setattr(follow_module, "_END_EVERY_S", 0.02)
    passes = []

    def files():
        passes.append([other] if passes else [spool])
        return passes[-1]

    store.follow(
        [spool],
        stop=lambda: len(passes) > 20,
        files=files,
        pause=lambda _took, _left: time.sleep(0.02),
    )
    assert {job["job"]: job["running"] for job in store.jobs().to_pylist()}["alpha"]


def test_others_of_the_job_and_other_jobs_stay(store, spool, runs, later):
    gone = living(runs).write(spool)
    living(runs, "beta", part=2).write(spool)
    make_profile(3, "gamma").write(spool)
    store.ingest([spool])
    gone.unlink()
    later(HOUR)
    store.ingest([spool])
    assert {job["job"]: job["running"] for job in store.jobs().to_pylist()} == {
        "alpha": False,
        "beta": True,
        "gamma": False,
    }
    rows = store.query("SELECT job, end_reason FROM processes").to_pylist()
    reasons = {row["job"]: row["end_reason"] for row in rows}
    assert reasons == {"alpha": "end not seen", "beta": "", "gamma": "exit"}
