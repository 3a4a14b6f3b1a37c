"""A job that runs, in a browser: from before its first slice until its verdict."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path

import pytest
from web_fixtures import serving

from jostle.repository import Repository
from synth import SECOND, Profile

pytestmark = pytest.mark.in_turn

SLICE_NS = 4 * SECOND
#: What the first chart shows, in few numbers.
DRAWN = "document.querySelector('.stack canvas')?.toDataURL() ?? ''"


def running(job: str) -> Profile:
    """A profile of a process that goes on; its first slice ended three slices ago."""
    pid = subprocess.Popen(["sleep", "600"]).pid
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    boot = uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    begin = time.time_ns() // SLICE_NS * SLICE_NS - 8 * SLICE_NS
    profile = Profile(
        job=job, pid=pid, boot_id=boot, proc_start=int(stat[19]), slice_ns=SLICE_NS, start_ns=begin
    )
    profile.add_mount(0, path="/scratch", type="ext4")
    return profile


@pytest.mark.tries(3)
def test_a_page_follows_a_job_from_its_first_slice_to_its_verdict(page, idle, tmp_path):
    spool, path = tmp_path / "spool", tmp_path / "repository"
    spool.mkdir()
    store, stop = Repository(path, create=True), threading.Event()
    follower = threading.Thread(target=store.follow, args=([spool],), kwargs={"stop": stop.is_set})
    follower.start()
    profile = running("live-job")

    def publish(number: int) -> None:
        moved = {"posix_write_bytes": {0: (1 + number % 3) << 20}}
        profile.add_slice(profile.first_slice + number, moved)
        profile.write(tmp_path / "next").rename(spool / profile.name)

    page.expected.append("404")
    waits = []
    try:
        with serving(path) as served:
            page.goto(served.enter("/jobs/live-job"))
            page.get_by_text("There is no such job").wait_for()
            publish(0)
            page.wait_for_selector(".stack canvas")  # by itself
            page.get_by_text("so far").first.wait_for()
            for number in range(1, 4):
                idle(page)
                seen = page.evaluate(DRAWN)
                publish(number)
                written = time.monotonic()
                while page.evaluate(DRAWN) == seen:
                    assert time.monotonic() < written + 60
                    page.wait_for_timeout(50)
                waits.append(time.monotonic() - written)
            assert max(waits) < 2 * SLICE_NS / SECOND
            page.wait_for_selector("section.verdict")
            os.kill(profile.pid, signal.SIGKILL)
            profile.end_ns = profile.start_ns + 4 * SLICE_NS
            profile.write(tmp_path / "next").rename(spool / profile.name)
            page.get_by_text("so far").first.wait_for(state="detached")
            page.wait_for_selector("section.verdict")
            assert page.locator(".crumb .live").count() == 0
            page.goto("about:blank")  # it would miss its server
    finally:
        stop.set()
        follower.join()
