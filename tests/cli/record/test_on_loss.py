"""Actions of `jostle run` when a job loses time, and waiting until others leave a resource."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path

import pytest
from command import jostle
from running import running

from jostle.cli.launch.loss_watch import LossWatch
from jostle.cli.views.live import live_lines
from jostle.report.models.job.live import LiveLoad
from jostle.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return running(tmp_path)


def test_a_command_is_started_once_with_the_facts(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "facts"
    store = Repository(repository)
    watch = LossWatch(store, "reader-1", f"env | grep ^JOSTLE_LOSS >>{shlex.quote(str(out))}")
    line = watch.look()
    assert line.startswith("loses ") and "on file system /data: bully-1 (" in line
    end = time.monotonic() + 20
    while time.monotonic() < end and "SUSPECT" not in (out.read_text() if out.exists() else ""):
        time.sleep(0.05)
    facts = dict(line.split("=", 1) for line in out.read_text().splitlines())
    assert facts["JOSTLE_LOSS_JOB"] == "reader-1" and facts["JOSTLE_LOSS_SUSPECT"] == "bully-1"
    assert facts["JOSTLE_LOSS_ON"] == "file system /data"
    assert 15 < float(facts["JOSTLE_LOSS_NOW_PERCENT"]) < 35
    assert 30 < float(facts["JOSTLE_LOSS_CHANGE_PERCENT"]) < 70
    before = out.read_text()
    watch.look()
    time.sleep(0.2)
    assert out.read_text() == before
    store.close()


def test_nothing_is_started_for_who_loses_nothing(repository: Path, tmp_path: Path) -> None:
    store = Repository(repository)
    assert LossWatch(store, "bully-1", f"touch {tmp_path}/bad").look() == ""
    assert LossWatch(store, "no-such-job", f"touch {tmp_path}/bad").look() == ""
    assert not (tmp_path / "bad").exists()
    store.close()


def test_the_lines_of_live_end_with_what_is_lost() -> None:
    lines = live_lines(LiveLoad(1, 0, 0, 0, 0, 0, 0), 1, "loses 20 % on cores of n1: make-1")
    assert lines[-1] == "  loses 20 % on cores of n1: make-1" and len(lines) == 4


def test_a_mount_that_others_use_is_not_quiet(repository: Path) -> None:
    words = ["wait-until-quiet", "--for", "1s", "--limit", "2s", "--repository", str(repository)]
    done = jostle(*words, "--on", "/data/deep/folder", "--json")
    answer = json.loads(done.out)
    assert done.code == 3 and not answer["quiet"] and answer["waited_s"] < 10
    assert next(iter(answer["loads"])) == "bully-1"


def test_who_keeps_a_mount_busy_is_said(repository: Path) -> None:
    words = ["wait-until-quiet", "--for", "1s", "--limit", "1s", "--repository", str(repository)]
    done = jostle(*words, "--on", "/data")
    assert "/data is not quiet after" in done.out and "bully-1 and others put" in done.out


def test_a_place_that_nobody_uses_is_quiet_and_what_is_no_place_is_refused(
    repository: Path,
) -> None:
    words = ["wait-until-quiet", "--for", "1s", "--limit", "20s", "--repository", str(repository)]
    done = jostle(*words, "--node", "elsewhere")
    assert done.code == 0 and "No load is recorded on elsewhere" in done.out
    assert jostle(*words, "--on", "/data", "--below", "100000").code == 0
    assert jostle(*words).code == 2 and jostle(*words, "--on", "/a", "--node", "b").code == 2


def test_the_own_job_does_not_count(repository: Path) -> None:
    words = ["wait-until-quiet", "--for", "1s", "--limit", "5s", "--repository", str(repository)]
    done = jostle(*words, "--on", "/data", "--below", "30", JOSTLE_JOB="bully-1")
    assert done.code == 0, done.out  # the reader moves 12.5 MiB/s
