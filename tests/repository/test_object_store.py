"""A repository in an object store gives the answers of one in a folder, despite faults."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from support import expected_keys, make_profile, make_shorts, stored_keys, write_all

import jostle
from jostle.cli.commands.look import jobs
from jostle.cli.doctor.site import Site
from jostle.repository import Repository, RepositoryError
from jostle.repository.ingest import fair_batches as shares
from jostle.repository.store import log
from jostle.repository.store.fabrics import save_fabric
from jostle.repository.store.layout import MARKER, TABLES
from jostle.repository.store.marker import restore_marker
from jostle.repository.store.storage import objects, open_storage, opened
from jostle.topology import Topology
from jostle.topology.formats.source import Source
from jostle.topology.reading import read_sources
from object_store import ObjectStore

LONG = "SELECT process, slice FROM slices JOIN processes USING (process) WHERE NOT short"


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with ObjectStore() as running:
        yield running


@pytest.fixture
def place(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request
) -> Iterator[str]:
    """The address of a repository of this test alone; copies are in its folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(objects, "_FIRST_PAUSE_S", 0.01)
    opened.forget_all()
    store.proxy.faults.clear()
    yield store.place(request.node.name.translate(str.maketrans("[]", "--")))
    opened.forget_all()


def elsewhere(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Continues like another machine: without any copies."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    opened.forget_all()


def filled(place: str, spool: Path, seeds: range = range(4)) -> Repository:
    write_all(spool, [make_profile(seed, job=f"job{seed % 2}") for seed in seeds])
    repository = Repository(place, create=True)
    repository.ingest([spool])
    return repository


def tables(repository: Repository) -> dict[str, list]:
    answers = {name: repository.query(f"SELECT * FROM {name}").to_pylist() for name in TABLES}
    return {name: sorted(rows, key=repr) for name, rows in answers.items()}


def test_the_answers_of_a_folder(place, tmp_path, spool, monkeypatch):
    folder = Repository(tmp_path / "folder", create=True)
    repository = filled(place, spool, range(9))
    folder.ingest([spool])
    make_shorts("job0", 4).write(spool)
    for each in (repository, folder):
        each.ingest([spool])
    truth = tables(folder)
    assert tables(repository) == truth
    assert repository.compact().files_after < 40
    elsewhere(monkeypatch, tmp_path / "other")
    assert tables(Repository(place)) == truth
    copies = open_storage(place).root
    shutil.rmtree(copies / "slices")  # at any time
    assert tables(Repository(place)) == truth


def test_readers_do_not_list_and_ask_little(place, store, spool, monkeypatch, tmp_path):
    filled(place, spool)
    elsewhere(monkeypatch, tmp_path / "other")
    lists = []
    monkeypatch.setattr(objects.ObjectStorage, "_listed", lambda *_: lists.append(1) or iter(()))
    reader = Repository(place)
    assert reader.query("SELECT count(*) n FROM slices")["n"].to_pylist() != [0]
    before = store.proxy.asked.total()
    reader.query("SELECT count(*) n FROM slices")
    assert not lists
    assert store.proxy.asked.total() - before <= 1  # whether there is a new commit


def test_a_reader_sees_what_others_commit(place, spool, tmp_path, monkeypatch):
    monkeypatch.setattr(log, "CHECKPOINT_EVERY", 3)
    reader = filled(place, spool, range(1))
    elsewhere(monkeypatch, tmp_path / "other")
    writer = Repository(place)
    for seed in range(1, 12):
        folder = tmp_path / f"spool{seed}"
        write_all(folder, [make_profile(seed)])
        writer.ingest([folder])
        assert reader.query("SELECT count(*) n FROM processes")["n"].to_pylist() == [seed + 1]
    elsewhere(monkeypatch, tmp_path / "third")
    late = Repository(place)
    assert late.query("SELECT count(*) n FROM processes")["n"].to_pylist() == [12]
    assert late.commits() == writer.commits()


FAULTS = [
    ("PUT", "commits/", "503"),
    ("PUT", "commits/", "lost answer"),
    ("PUT", "commits/", "hang"),
    ("PUT", "slices", "cut upload"),
    ("PUT", "slices", "lost answer"),
    ("PUT", "slices", "503"),
    ("PUT", "rollup", "short upload"),
    ("GET", "commits/", "500"),
    ("GET", "commits/", "short read"),
    ("GET", "slices", "short read"),
    ("GET", "slices", "hang"),
    ("HEAD", "slices", "500"),
    ("DELETE", "", "500"),
]


@pytest.mark.in_turn
@pytest.mark.parametrize(("method", "part", "kind"), FAULTS)
def test_a_store_that_is_unwell(place, store, spool, tmp_path, monkeypatch, method, part, kind):
    """Each slice is there once, or the ingest says why not, and does it the next time."""
    monkeypatch.setattr(objects, "TIMEOUT", timedelta(seconds=1))
    profiles = [make_profile(seed) for seed in range(4)]
    write_all(spool, profiles)
    repository = Repository(place, create=True)
    store.proxy.spoil(method, part, kind, times=1 if kind == "short upload" else 2)
    if kind == "short upload":
        with pytest.raises(RepositoryError, match="arrived"):
            repository.ingest([spool])
    repository.ingest([spool])
    elsewhere(monkeypatch, tmp_path / "other")
    store.proxy.spoil(method, part, kind, times=2)
    rows = Repository(place).query(LONG).to_pylist()
    assert sorted((row["process"], row["slice"]) for row in rows) == expected_keys(profiles)


def test_an_upload_in_parts_that_fails(place, store, spool, monkeypatch):
    """No part of it is committed or left behind, and the error says why."""
    monkeypatch.setattr(objects, "_PART_BYTES", 2048)
    profiles = [make_profile(seed) for seed in range(4)]
    write_all(spool, profiles)
    repository = Repository(place, create=True)
    store.proxy.spoil("PUT", "partNumber=2", "500", times=10**6)
    with pytest.raises(RepositoryError, match=r"cannot be written.*500.*internal error") as caught:
        repository.ingest([spool])
    assert "object store" in caught.value.hint
    assert not repository.commits()
    assert not list(open_storage(place).listed("slices"))
    store.proxy.faults.clear()
    monkeypatch.setattr(objects, "_PART_BYTES", 8 << 20)
    repository.ingest([spool])
    assert stored_keys(repository) == expected_keys(profiles)


def test_a_store_that_is_down_says_so(place, store, spool):
    repository = filled(place, spool)
    store.proxy.spoil("GET", "commits/", "500", times=10**6)
    with pytest.raises(RepositoryError, match="object store"):
        repository.query("SELECT count(*) FROM slices")
    store.proxy.faults.clear()
    assert repository.query("SELECT count(*) n FROM slices")["n"].to_pylist() != [0]


def test_its_name_is_its_address(place, spool, capsys):
    """In messages for people; and `doctor --site` finds the store."""
    assert not Site(Path(place)).has_repository
    filled(place, spool)
    assert Site(Path(place)).has_repository
    jobs.command.main(["--repository", place, "--program", "none"], standalone_mode=False)
    assert capsys.readouterr().out == f"None of the 2 jobs in {place} matches.\n"
    assert repr(jostle.Site(place)) == f"<Site {place}>"
    (lost, *_) = open_storage(place).listed("slices")
    open_storage(place).remove([lost])
    repository = Repository(place)
    repository.query("SELECT count(*) FROM slices")
    (damaged,) = repository.left_out().values()
    assert (damaged.file, damaged.reason) == (lost, "it is not in the object store")


def test_fabrics(place, store, tmp_path, monkeypatch):
    """Others see them, also one that is replaced; and a page asks for them once a minute."""

    def fabric(nodes: str) -> Topology:
        source = Source("topology.conf", f"SwitchName=leaf1 Nodes={nodes}\n")
        return read_sources([source], "tree")[0]

    assert save_fabric(Repository(place, create=True).path, fabric("n[1-4]")).change == "new"
    elsewhere(monkeypatch, tmp_path / "other")
    other = Repository(place)
    assert [each.hosts for each in other.topologies()] == [("", "n1", "n2", "n3", "n4")]
    before = store.proxy.asked.total()
    other.topologies()
    assert store.proxy.asked.total() == before
    assert save_fabric(other.path, fabric("n[1-8]")).change == "replaced"
    elsewhere(monkeypatch, tmp_path / "cache")
    (seen,) = Repository(place).topologies()
    assert len(seen.hosts) == 9


def test_a_store_that_ignores_the_condition_is_refused(place, store):
    store.proxy.spoil("PUT", "", "no condition", times=10**6)
    with pytest.raises(RepositoryError, match="If-None-Match"):
        Repository(place, create=True)


def test_a_damaged_copy_is_fetched_again(place, spool):
    repository = filled(place, spool)
    truth = tables(repository)
    repository.close()
    for path in (open_storage(place).root / "slices").rglob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-100] + bytes(100))
    assert tables(Repository(place)) == truth


def test_retention_and_strays(place, spool, tmp_path, monkeypatch):
    repository = filled(place, spool)
    newer_folder = tmp_path / "newer"
    begin = time.time_ns() - 120 * 10**9
    write_all(
        newer_folder, [make_profile(99, "newer", slices=3, start_ns=begin, heartbeat_ns=begin)]
    )
    repository.ingest([newer_folder])
    repository.compact()
    storage = open_storage(place)
    stored = list(storage.listed("slices"))
    monkeypatch.setattr("jostle.repository.maintenance.compact.GRACE_S", -1.0)
    repository.compact()
    named = {file.path for file in repository.snapshot().files["slices"]}
    assert set(storage.listed("slices")) == named <= set(stored)
    repository.expire(3600.0)
    assert repository.jobs()["job"].to_pylist() == ["newer"]
    repository.ingest([spool])
    assert repository.jobs()["job"].to_pylist() == ["newer"]


KILLED = """
import os, random, sys
from pathlib import Path
from jostle.repository import Repository
from jostle.repository.ingest import fair_batches as shares
from jostle.repository.store import files, log
shares._BATCH_FILES, log.CHECKPOINT_EVERY = 2, 3
left = int(sys.argv[3])
def reached(step):
    global left
    left -= 1
    if left == 0: os.kill(os.getpid(), 9)
log.reached = files.reached = reached
Repository(sys.argv[1], create=True).ingest([Path(sys.argv[2])])
"""


def test_two_ingesters_one_killed(place, store, spool, tmp_path, monkeypatch):
    """Each slice is there exactly once, wherever one of them died."""
    profiles = [make_profile(seed, job=f"job{seed % 3}") for seed in range(9)]
    write_all(spool, profiles)
    monkeypatch.setattr(shares, "_BATCH_FILES", 2)
    draw = random.Random(7)
    for attempt in range(int(os.environ.get("JOSTLE_KILLS", "2"))):
        where = f"{place}-{attempt}"
        children = [
            subprocess.Popen(
                [sys.executable, "-c", KILLED, where, str(spool), str(left)],
                env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / f"cache{attempt}-{left}")},
                stderr=subprocess.DEVNULL,
            )
            for left in (draw.randrange(1, 60), 0)
        ]
        statuses = [child.wait(120) for child in children]
        assert statuses[0] in (0, -signal.SIGKILL)
        elsewhere(monkeypatch, tmp_path / f"after{attempt}")
        repository = Repository(where, create=True)
        repository.ingest([spool])
        assert stored_keys(repository) == expected_keys(profiles)


@pytest.mark.in_turn
@pytest.mark.parametrize("content", [None, b"", b"{}"])
def test_its_marker_is_written_again(place, spool, content):
    repository = filled(place, spool)
    before = tables(repository)
    storage = open_storage(place)
    if content is None:
        storage.remove([MARKER])
    else:
        storage.replace(MARKER, content)
    opened.forget_all()
    with pytest.raises(RepositoryError, match="missing" if content is None else "damaged"):
        Repository(place)
    with pytest.raises(RepositoryError, match="missing" if content is None else "damaged"):
        Repository(place, create=True)
    assert restore_marker(place) == ("missing" if content is None else "damaged")
    assert restore_marker(place) == ""
    assert tables(Repository(place)) == before
