"""From nodes' spools through the receiver into the repository: the rows of a direct ingest."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from receive_node import ranged
from running_receiver import Running, ingester_of

import synth
import synth_random
from jostle.receive import ingester
from jostle.repository import Repository, create_mirror
from jostle.repository.store.layout import TABLES


def rows(repository: Path) -> dict[str, list[str]]:
    """All rows of all tables, in an order of their own."""
    store = Repository(repository)
    found = {
        table: sorted(
            json.dumps({**row, "revision": 0}, default=str)
            for row in store.query(f"SELECT * FROM {table}").to_pylist()
        )
        for table in (*TABLES, "jobs")
    }
    store.close()
    return found


class Growing:
    """A process on a node: its profile grows, and its header changes, as the runtime's does."""

    def __init__(self, node: str, number: int) -> None:
        self.file = number
        self.random = random.Random(f"{node} {number}")
        self.owner = 1000 + number % 2
        self.profile = synth.Profile(
            host=node,
            pid=1000 + number,
            job=f"job{number % 2}",
            uid=self.owner,
            boot_id=uuid.uuid5(uuid.NAMESPACE_DNS, node),
            generation=1,
        )
        self.profile.add_mount(0, "/mnt/0", device=(8, 0))
        self.name = f"{self.profile.job}.{self.profile.pid}.{synth.EPOCH}.jst"
        self.at = self.profile.first_slice
        self.have = 0
        self.sent = b""

    def grow(self, slices: int) -> None:
        layout = self.profile.layout
        for _ in range(slices):
            values = synth_random.random_values(self.random, layout, 0.1, [0])
            self.profile.add_slice(self.at, values)
            self.at += 1
        assert self.profile.generation is not None
        self.profile.generation += slices

    def end(self) -> None:
        self.profile.end_ns, self.profile.end_reason = self.at * self.profile.slice_ns, 1

    def ranges(self, *, over: bool) -> list[bytes]:
        """Ranges that a shipper sends: appended records, then the header, its first page last."""
        data = self.profile.encode()
        place = {"name": self.name, "owner": self.owner}
        head = min(len(data) - len(b"".join(self.profile.records)), self.have)
        parts = [ranged(self.file, data[self.have :], self.have, **place)]
        for at in range(0, head, 4096)[::-1]:
            page = slice(at, min(at + 4096, head))
            if data[page] != self.sent[page] or at == 0:
                parts.append(ranged(self.file, data[page], at, **place))
        if over:
            parts.append(ranged(self.file, b"", len(data), over=True, **place))
        self.sent = data
        return parts


def wait_until_queryable(receiver: Running, seconds: float = 180) -> None:
    """Wait until the ingester, at the lowest priority, has read and removed ended profiles."""
    end = time.monotonic() + seconds
    while left := list(receiver.mirror.glob("*/*/*.js*")):
        assert time.monotonic() < end, (left, (receiver.folder / "log").read_text()[-2000:])
        time.sleep(0.1)
    # The pass that took the last of it may not be over yet.
    while (lag := json.loads(receiver.node().get("/health")[1])["lag_s"]) > 0:
        assert time.monotonic() < end, lag
        time.sleep(0.1)


def assert_as_direct(folder: Path, spools: list[Path], slices: int) -> None:
    """Compare a receiver's repository with one that took the spools themselves."""
    direct = Repository(folder / "direct", create=True)
    direct.ingest(spools)
    direct.close()
    expected, got = rows(folder / "direct"), rows(folder / "repository")
    assert len(expected["slices"]) > slices
    assert {table: len(found) for table, found in got.items()} == {
        table: len(found) for table, found in expected.items()
    }
    for table, found in expected.items():
        assert got[table] == found, table


@pytest.mark.skipif(os.geteuid() != 0, reason="makes files of several users")
def test_the_repository_is_that_of_a_direct_ingest(
    tmp_path: Path, starting: Callable[..., Running]
) -> None:
    nodes = {name: [Growing(name, number) for number in range(4)] for name in ("n1", "n2")}
    shorts = synth_random.small_shorts().encode()
    receiver = starting(folder=tmp_path)
    for turn in range(5):
        for name, processes in nodes.items():
            node = receiver.node(name)
            for process in processes:
                process.grow(20)
                if turn == 4:
                    process.end()
                answer = node.post(*process.ranges(over=turn == 4))
                process.have = answer.have(process.file)
                assert process.have == len(process.sent)
                assert answer.done(process.file) == (turn == 4)
        receiver.node().post(ranged(99, shorts, name="short.1.jss", over=turn == 4))
        time.sleep(0.3)
        if turn == 2:
            receiver.kill()
            receiver.restart()
    wait_until_queryable(receiver)
    for name, processes in nodes.items():
        (tmp_path / name).mkdir()
        for process in processes:
            path = tmp_path / name / process.name
            path.write_bytes(process.sent)
            os.chown(path, process.owner, -1)
    path = tmp_path / "n1/short.1.jss"
    path.write_bytes(shorts)
    os.chown(path, 1000, -1)
    assert_as_direct(tmp_path, [tmp_path / "n1", tmp_path / "n2"], slices=790)


@pytest.mark.skipif(os.geteuid() != 0, reason="makes files of several users")
def test_a_node_may_move_to_another_receiver(
    tmp_path: Path, starting: Callable[..., Running]
) -> None:
    """Two receivers with mirrors of their own fill one repository."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/repository").symlink_to(tmp_path / "repository")
    first = starting(folder=tmp_path)
    second = starting(folder=tmp_path / "other")
    moving, staying = Growing("n1", 1), Growing("n2", 2)
    for turn, receiver in enumerate((first, first, second, second)):
        if turn == 2:  # which has nothing of it yet
            moving.have, moving.sent = 0, b""
        for process, place in ((moving, receiver), (staying, second)):
            process.grow(20)
            if turn == 3:
                process.end()
            node = place.node(process.profile.host)
            process.have = node.post(*process.ranges(over=turn == 3)).have(process.file)
        time.sleep(0.3)
    wait_until_queryable(second)
    (tmp_path / "spool").mkdir()
    for process in (moving, staying):
        path = tmp_path / "spool" / process.name
        path.write_bytes(process.sent)
        os.chown(path, process.owner, -1)
    assert_as_direct(tmp_path, [tmp_path / "spool"], slices=150)


def test_the_ingester_ends_with_a_receiver_that_was_killed_in_a_word(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    create_mirror(mirror)
    ended = subprocess.run(
        [sys.executable, "-m", "jostle.receive.ingesting", tmp_path / "repository", mirror],
        input=b'{"batch": 1, "paths": []}\n{"batch": 2, "pa',
        stdout=subprocess.PIPE,
        timeout=60,
    )
    assert ended.returncode == 0


def test_an_ingester_that_was_killed_in_a_word_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho x >> {tmp_path}/starts\nprintf \'{{"slices": 1, "wa\'\n')
    program.chmod(0o755)
    monkeypatch.setattr(ingester.sys, "executable", str(program))
    monkeypatch.setattr(ingester, "_AGAIN_S", 0.02)
    process = ingester.IngestProcess(tmp_path, tmp_path, lambda text: None)
    end = time.monotonic() + 20
    while not (starts := tmp_path / "starts").exists() or len(starts.read_text()) < 6:
        assert time.monotonic() < end
        time.sleep(0.02)
    process.end()


def test_new_slices_come_though_the_ingester_is_killed(
    tmp_path: Path, starting: Callable[..., Running]
) -> None:
    receiver = starting(folder=tmp_path)
    os.kill(ingester_of(receiver.process.pid), signal.SIGKILL)
    data = synth_random.bulk_profile(200)
    node = receiver.node()
    node.post(ranged(1, data[:3000]))
    begin = time.monotonic()
    answer = node.post(ranged(1, data[3000:], 3000), ranged(1, data[:3000]))
    assert answer.have(1) == len(data)
    store = Repository(tmp_path / "repository")
    while store.query("SELECT count(*) AS n FROM slices")["n"][0].as_py() < 200:
        assert time.monotonic() - begin < 60, (tmp_path / "log").read_text()[-2000:]
        time.sleep(0.05)
    assert (receiver.mirror / "n1/1000/a.b.jst").exists()  # it is not over
    owners = store.query("SELECT DISTINCT uid FROM processes")["uid"].to_pylist()
    assert owners == [1000]
    store.close()
    receiver.kill(signal.SIGTERM)
    assert receiver.process.returncode == 0
