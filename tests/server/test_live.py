"""Events: who gets those of which jobs, how many may listen, and how soon."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from jostle.repository import Repository
from jostle.server.access import Access, Viewer
from jostle.server.access.sessions import IDLE_S, Sessions
from jostle.server.job_service import JobService
from jostle.server.live import MOST_OF_ONE, MOST_STREAMS, LiveEvents
from synth import SECOND, Profile

CHIEF = Viewer("chief", 0, "administrator")
NOBODY = Request({"type": "http", "headers": []})


def parsed(event: str) -> tuple[str, dict]:
    lines = dict(line.split(": ", 1) for line in event.strip().splitlines())
    return lines["event"], json.loads(lines["data"])


def jobs_in(heard: list[tuple[str, dict]], event: str) -> set[str]:
    """Jobs that events of a kind have named."""
    return {job for kind, data in heard if kind == event for job in data["jobs"]}


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not so():
            await asyncio.sleep(0.01)


@pytest.fixture
def job_service(injected: Path, tmp_path: Path) -> JobService:
    made = JobService(injected, tmp_path)
    made.rows()
    return made


def test_a_viewer_hears_of_jobs_that_he_may_see(job_service: JobService) -> None:
    rows = list(job_service.index.rows.values())
    uid = rows[0]["uid"]
    wanted = {
        "user": {row["job"] for row in rows if row["uid"] == uid},
        "chief": {row["job"] for row in rows},
    }

    async def listen() -> dict[str, list[tuple[str, dict]]]:
        live, heard = LiveEvents(job_service), {"user": [], "chief": []}

        async def one(name: str, viewer: Viewer) -> None:
            live.enter(viewer)
            async for event in live.events(viewer):
                heard[name].append(parsed(event))

        tasks = [
            asyncio.create_task(one("user", Viewer("u", uid, "user"))),
            asyncio.create_task(one("chief", CHIEF)),
        ]
        await until(lambda: all(heard.values()))
        job_service.index._changes.append(
            (job_service.index.number + 1, [row["job"] for row in rows])
        )
        job_service.index.number += 1
        job_service.index._refreshed = time.monotonic() + 3600  # nothing else is looked for
        await until(lambda: all(jobs_in(heard[name], "commit") >= wanted[name] for name in heard))
        for row in rows:
            await live._add_verdict(row["job"])
        await until(lambda: all(jobs_in(heard[name], "verdict") >= wanted[name] for name in heard))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return heard

    heard = asyncio.run(listen())
    for name, jobs in wanted.items():
        assert heard[name][0] == ("commit", heard[name][0][1])
        assert heard[name][0][1]["jobs"] == []
        for event in ("commit", "verdict"):
            assert jobs_in(heard[name], event) == jobs


def test_a_commit_right_behind_the_first_event_is_reported(job_service: JobService) -> None:
    index = job_service.index
    job = next(iter(index.rows))

    async def listen() -> str:
        live = LiveEvents(job_service)
        live.enter(CHIEF)
        events = live.events(CHIEF)
        await anext(events)
        index._changes.append((index.number + 1, [job]))
        index.number += 1
        index._refreshed = time.monotonic() + 3600  # nothing else is looked for
        found = await asyncio.wait_for(anext(events), 60)
        await events.aclose()
        return found

    assert parsed(asyncio.run(listen()))[1]["jobs"] == [job]


def test_changes_are_reported_after_the_repository_could_not_be_read(
    job_service: JobService, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, failed = job_service.index, threading.Event()
    job = next(iter(index.rows))

    def refresh_if_stale() -> None:
        if not failed.is_set():
            failed.set()
            raise OSError("Stale file handle")

    monkeypatch.setattr("jostle.server.live._AGAIN_S", 0.01)
    monkeypatch.setattr(index, "refresh_if_stale", refresh_if_stale)

    async def listen() -> str:
        live = LiveEvents(job_service)
        live.enter(CHIEF)
        events = live.events(CHIEF)
        await anext(events)
        await until(failed.is_set)
        index._changes.append((index.number + 1, [job]))
        index.number += 1
        found = await asyncio.wait_for(anext(events), 10)
        await events.aclose()
        return found

    assert parsed(asyncio.run(listen()))[1]["jobs"] == [job]


def test_a_stream_ends_with_the_session_and_does_not_keep_it(job_service: JobService) -> None:
    now = 0.0
    access = Access()
    access.sessions = Sessions(lambda: now)
    kept = access.begin(CHIEF, NOBODY, Response())
    cookie = f"{access.cookie}={kept}".encode()
    request = Request({"type": "http", "headers": [(b"cookie", cookie)]})

    async def listen(over: Callable[[], None]) -> list[str]:
        live = LiveEvents(job_service)
        live.enter(CHIEF)
        heard = []
        async with asyncio.timeout(60):
            async for event in live.events(CHIEF, lambda: access.is_still(CHIEF, request)):
                heard.append(event)
                over()
        return heard

    def log_out() -> None:
        access.end(request, Response())

    assert access.is_still(CHIEF, request)
    assert not access.is_still(replace(CHIEF, role="user"), request)
    assert len(asyncio.run(listen(log_out))) == 1
    cookie = f"{access.cookie}={access.begin(CHIEF, NOBODY, Response())}".encode()
    request = Request({"type": "http", "headers": [(b"cookie", cookie)]})
    now = IDLE_S - 1
    assert access.is_still(CHIEF, request)
    now = IDLE_S + 1  # that look was no use of it
    assert len(asyncio.run(listen(lambda: None))) == 1


def test_no_more_streams_than_there_may_be(job_service: JobService) -> None:
    live = LiveEvents(job_service)
    for _ in range(MOST_OF_ONE):
        live.enter(CHIEF)
    with pytest.raises(HTTPException) as full:
        live.enter(CHIEF)
    assert full.value.status_code == 429
    for number in range(MOST_STREAMS - MOST_OF_ONE):
        live.enter(Viewer(str(number), number, "user"))
    with pytest.raises(HTTPException):
        live.enter(Viewer("late", 9999, "user"))


@pytest.mark.tries(3)
def test_slices_are_seen_within_two_slices_alongside_a_follower(tmp_path: Path) -> None:
    slice_ns = 4 * SECOND
    spool, path = tmp_path / "spool", tmp_path / "repository"
    spool.mkdir()
    store, stop = Repository(path, create=True), threading.Event()
    follower = threading.Thread(target=store.follow, args=([spool],), kwargs={"stop": stop.is_set})
    follower.start()
    job_service = JobService(path, tmp_path / "cache")
    stat = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    boot = uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    profile = Profile(
        job="live-job",
        pid=os.getpid(),
        boot_id=boot,
        proc_start=int(stat[19]),
        slice_ns=slice_ns,
        start_ns=time.time_ns() // slice_ns * slice_ns,
    )
    profile.add_mount(0, path="/scratch", type="ext4")
    waits = []

    async def listen() -> None:
        live, written = LiveEvents(job_service), 0.0
        live.enter(CHIEF)
        async for event in live.events(CHIEF):
            if written and "live-job" not in parsed(event)[1]["jobs"]:
                continue
            if written:
                waits.append(time.monotonic() - written)
            if len(waits) == 3:
                return
            moved = {"posix_write_bytes": {0: 4096}}
            profile.add_slice(profile.first_slice + len(waits), moved)
            profile.write(tmp_path / "next").rename(spool / profile.name)
            written = time.monotonic()

    async def within() -> None:
        async with asyncio.timeout(60):
            await listen()

    try:
        asyncio.run(within())
        assert max(waits) < 2 * slice_ns / SECOND
        row = job_service.rows()["live-job"]
        assert row["running"]
        assert row["end_ns"] >= (profile.first_slice + 3) * slice_ns
    finally:
        stop.set()
        follower.join()
        job_service.close()
