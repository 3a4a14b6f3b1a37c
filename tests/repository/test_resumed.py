"""Profiles of MPI ranks that grow: an ingester that remembers where it stopped stores the same."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from children import ended, running
from support import SLICE, compare, expected_keys, random_moves, stored_keys

from jostle.reader import ReadRequest, ReadResult, SegmentRead
from jostle.repository import Repository
from jostle.repository.ingest import batch_reads
from jostle.repository.ingest import ingest as ingest_module
from jostle.repository.ingest.ingest import Ingester
from synth_growing import GrowingRank

BACK = 200  # slices between the start of the processes and the present


def rank(rng: random.Random, number: int, **header: Any) -> GrowingRank:
    """A rank of a job on another machine."""
    start = (time.time_ns() // SLICE - BACK) * SLICE
    header = {"host": f"node{number % 2}", "pid": 1000 + number, "start_ns": start, **header}
    return GrowingRank(rng, random_moves, gpus=number % 3 == 0, job="alpha", **header)


def grow(ranks: list[GrowingRank], spool: Path, steps: int = 10) -> None:
    """All ranks do something."""
    for mine in ranks:
        mine.grow(steps)
        mine.profile.heartbeat_ns = mine.profile._expected * SLICE
        mine.write(spool / mine.profile.name)


def damage(path: Path, rng: random.Random, first: int) -> None:
    """Change a byte of the new records, or cut them."""
    size = path.stat().st_size
    if size > first:
        at = rng.randrange(first, size)
        with path.open("r+b") as file:
            if rng.random() < 0.5:
                file.truncate(at)
            else:
                old = os.pread(file.fileno(), 1, at)[0]
                os.pwrite(file.fileno(), bytes([old ^ 0x10]), at)


def replaced(path: Path) -> None:
    """The same content in another file, with the same name."""
    new = path.with_name(".new")
    new.write_bytes(path.read_bytes())
    new.rename(path)


@pytest.mark.parametrize("seed", range(4))
def test_the_repository_is_the_same_as_with_whole_readings(tmp_path: Path, seed: int) -> None:
    rng, spool = random.Random(seed), tmp_path / "spool"
    spool.mkdir()
    grown = Repository(tmp_path / "grown", create=True)
    plain = Repository(tmp_path / "plain", create=True)
    ingester, plain_ingester = Ingester(grown.path), Ingester(plain.path)
    ranks = [rank(random.Random(seed * 10 + number), number, cuts=False) for number in range(4)]
    for step in range(10):
        sizes = [len(mine.image()) for mine in ranks]
        grow(ranks, spool, rng.randrange(12))
        for mine, size in zip(ranks, sizes, strict=True):
            if rng.random() < 0.1:
                damage(spool / mine.profile.name, rng, size)
            elif rng.random() < 0.1:
                replaced(spool / mine.profile.name)
        ingester.turn([spool])
        plain_ingester._bookmarks = batch_reads.Bookmarks()  # it remembers nothing
        plain_ingester.run([spool])
        if step % 3 == 2:
            compare(grown, plain)
    assert ingester._bookmarks.state_bytes > 0
    for mine in ranks:
        mine.end()
    grow(ranks, spool, 0)
    ingester.run([spool])
    plain_ingester.run([spool])
    compare(grown, plain)
    assert not ingester._bookmarks.known
    assert ingester._bookmarks.state_bytes == 0
    entries = sum(len(mine.stream.segments) for mine in ranks)
    assert grown.query("SELECT count(*) n FROM segments").to_pylist() == [{"n": entries}]


def noted(monkeypatch: pytest.MonkeyPatch) -> tuple[list[ReadResult], list[SegmentRead]]:
    """Note what an ingester reads."""
    slices: list[ReadResult] = []
    segments: list[SegmentRead] = []
    read_profiles, read_segments = ingest_module.read_profiles, batch_reads.read_segments

    def of_slices(requests: list[ReadRequest], most: int) -> Any:
        decoded = read_profiles(requests, most)
        slices.extend(decoded.results)
        return decoded

    def of_segments(requests: list[ReadRequest], most: int) -> Any:
        result = read_segments(requests, most)
        segments.extend(result.results)
        return result

    monkeypatch.setattr(ingest_module, "read_profiles", of_slices)
    monkeypatch.setattr(batch_reads, "read_segments", of_segments)
    return slices, segments


def test_states_are_given_to_the_next_reading(tmp_path, monkeypatch):
    spool = tmp_path / "spool"
    spool.mkdir()
    ranks = [rank(random.Random(number), number) for number in range(3)]
    store = Repository(tmp_path / "repository", create=True)
    ingester = Ingester(store.path)
    slices, segments = noted(monkeypatch)
    for _ in range(3):
        grow(ranks, spool, 60)
        slices.clear(), segments.clear()
        ingester.turn([spool])
    assert all(result.request.bookmark.state for result in slices)
    assert all(read.request.stream_state for read in segments)
    known = ingester._bookmarks.known.values()
    assert ingester._bookmarks.state_bytes == sum(stopped.state_bytes for stopped in known) > 0


def test_states_have_a_limit(tmp_path, monkeypatch):
    """Profiles beyond it are read wholly; nothing is lost."""
    spool = tmp_path / "spool"
    spool.mkdir()
    ranks = [rank(random.Random(number), number) for number in range(4)]
    grow(ranks, spool, 60)
    store = Repository(tmp_path / "repository", create=True)
    ingester = Ingester(store.path)
    ingester.turn([spool])
    marks = ingester._bookmarks
    monkeypatch.setattr(batch_reads, "_MOST_STATE_BYTES", marks.state_bytes * 3 // 2)
    for _ in range(4):
        grow(ranks, spool, 60)
        ingester.turn([spool])
        kept = [stopped.state_bytes for stopped in marks.known.values()]
        assert marks.state_bytes == sum(kept) <= batch_reads._MOST_STATE_BYTES
    assert 0 < sum(size > 0 for size in kept) < 4
    profiles = [mine.profile for mine in ranks]
    assert stored_keys(store) == expected_keys(profiles, remainder=False)
    entries = sum(len(mine.stream.segments) for mine in ranks)
    assert store.query("SELECT count(*) n FROM segments").to_pylist() == [{"n": entries}]


@pytest.mark.parametrize("step", ["file-written", "commit-written", "commit-linked"])
def test_killed_while_it_goes_on(tmp_path, step):
    """After a kill at any step of the second pass, each row is there exactly once."""
    spool, later = tmp_path / "spool", tmp_path / "later"
    spool.mkdir(), later.mkdir()
    ranks = [rank(random.Random(number), number) for number in range(3)]
    store = Repository(tmp_path / "repository", create=True)
    grow(ranks, spool, 40)
    grow(ranks, later, 40)
    code = (
        "import os\n"
        "spool, later = Path(sys.argv[2]), Path(sys.argv[3])\n"
        "ingester = ingest.Ingester(Path(sys.argv[1]))\n"
        "ingester.turn([spool])\n"
        "assert len(ingester._bookmarks.known) == 3\n"
        "for path in later.iterdir(): (spool / path.name).write_bytes(path.read_bytes())\n"
        "def reached(now):\n"
        f"    if now == {step!r}: os.kill(os.getpid(), 9)\n"
        "log.reached = files.reached = reached\n"
        "ingester.turn([spool])\n"
    )
    assert ended(running(code, store.path, spool, later)) == -signal.SIGKILL
    ingester = Ingester(store.path)
    for _ in range(2):
        grow(ranks, spool, 40)
        ingester.turn([spool])
    plain = Repository(tmp_path / "plain", create=True)
    Ingester(plain.path).run([spool])
    tables = ("segments", "slices", "peer_slices", "collective_slices", "gpu_slices")
    for table in tables:
        query = f"SELECT count(*) n FROM {table}"
        assert store.query(query).to_pylist() == plain.query(query).to_pylist()


def test_another_ingester_takes_the_same_profiles(tmp_path):
    """Whoever comes later reads from where the other one stopped."""
    spool = tmp_path / "spool"
    spool.mkdir()
    ranks = [rank(random.Random(number), number) for number in range(3)]
    store = Repository(tmp_path / "repository", create=True)
    ingesters = [Ingester(store.path), Ingester(store.path)]
    for which in (0, 0, 1, 0, 1, 1, 0):
        grow(ranks, spool, 20)
        ingesters[which].turn([spool])
    plain = Repository(tmp_path / "plain", create=True)
    Ingester(plain.path).run([spool])
    for table in ("segments", "slices", "peer_slices", "collective_slices", "gpu_slices"):
        query = f"SELECT count(*) n FROM {table}"
        assert store.query(query).to_pylist() == plain.query(query).to_pylist()
