"""The log of a repository: its pieces and checkpoints, old formats, damage, retention."""

from __future__ import annotations

import base64
import json
import random
import shutil
import time
import zlib
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
from support import expected_keys, make_profile, stored_keys
from test_ingest import own_boot_id, own_process

from jostle.repository import DamagedError, Repository, RepositoryError
from jostle.repository.store import log, sealed, state
from jostle.repository.store.file_days import File, FileDays
from jostle.repository.store.layout import DAY_NS, HOUR_NS, is_piece
from jostle.repository.store.log import Log
from jostle.repository.store.pieces import Pieces
from jostle.repository.store.profile_positions import Position, ProfilePositions, pack
from jostle.repository.store.sealed import seal
from jostle.repository.store.storage import FolderStorage


def pieces_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if is_piece(path.name))


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", range(4))
def test_positions_are_those_of_a_dictionary(tmp_path: Path, seed: int) -> None:
    chance, truth = random.Random(seed), {}
    held, now = ProfilePositions(Pieces(tmp_path)), 20_000 * DAY_NS
    for step in range(60):
        now += DAY_NS // 12
        moves = {}
        for _ in range(chance.choice([1, 3, 200])):
            key = chance.getrandbits(9)
            if isinstance(truth.get(key), int):
                continue
            over = chance.random() < 0.4
            moves[key] = now if over else Position(chance.getrandbits(40), step, -1, 7)
        truth |= moves
        held.advance(pack(moves) if chance.random() < 0.5 else moves)
        if chance.random() < 0.3:
            held.write(0)
        if chance.random() < 0.2:  # as a reader of that checkpoint sees it
            held.write(0)
            held = ProfilePositions(Pieces(tmp_path), held.open_runs, held.done_runs)
        keys = [chance.getrandbits(10) for _ in range(50)]
        for key, at in held.of(keys).items():
            plain = truth[key]
            assert isinstance(at, int) == isinstance(plain, int)
            assert isinstance(at, int) or at == plain
        assert set(held.of(keys)) == {key for key in keys if key in truth}
    assert len(held.runs) < 40
    # Retention forgets days, not ids; open profiles stay.
    held.write(now + 2 * DAY_NS)
    assert not held.done_runs
    assert set(held.of(truth)) == {key for key, at in truth.items() if isinstance(at, Position)}


def test_ids_of_a_day_end_in_one_run(tmp_path: Path) -> None:
    """Each id is written a few times, however often a checkpoint comes."""
    held = ProfilePositions(Pieces(tmp_path))
    for step in range(64):
        held.advance(dict.fromkeys(range(step * 10, step * 10 + 10), DAY_NS))
        held.write(0)
        assert len(held.done_runs[1]) <= 7
    held.advance({9999: 9 * DAY_NS})
    held.write(0)
    assert [run.count for run in held.done_runs[1]] == [640]
    size = sum(8 * run.count for run in held.runs)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 9 * size


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", range(4))
def test_files_are_those_of_a_dictionary(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    truth: dict[str, File] = {}
    held = FileDays(Pieces(tmp_path))
    for _ in range(40):
        gone = chance.sample(sorted(truth), min(len(truth), chance.randrange(8)))
        added = []
        for _ in range(chance.randrange(12)):
            day, number = chance.randrange(4), chance.getrandbits(30)
            table = chance.choice(["slices", "rollup", "processes"])
            if table == "processes":
                added.append(File(table, f"{table}/{number}.parquet", 1, 2, 0, 0, "x"))
                continue
            lo = day * DAY_NS + chance.randrange(24) * HOUR_NS
            folder = chance.choice(["date", "ended"])
            path = f"{table}/{folder}=1970-01-0{day + 1}/{number}.parquet"
            hi = lo + chance.choice([1, 30]) * HOUR_NS  # beyond its day
            added.append(File(table, path, 1, 2, lo, hi))
        held.change(added, gone)
        truth = {path: file for path, file in truth.items() if path not in gone}
        truth |= {file.path: file for file in added}
        if chance.random() < 0.4:
            held.write()
        if chance.random() < 0.2:
            held.write()
            held = FileDays(Pieces(tmp_path), held.days)
        assert sorted(held, key=astuple) == sorted(truth.values(), key=astuple)
        assert all(path in held for path in truth) and not any(path in held for path in gone)
        lo = chance.randrange(5) * DAY_NS
        for table in ("slices", "processes", "rollup"):
            own = {file for file in truth.values() if file.table == table}
            assert set(held.reaching(table)) == own
            some = {file for file in own if file.hi > lo and file.lo < lo + DAY_NS}
            assert set(held.reaching(table, lo, lo + DAY_NS)) >= some - {
                file for file in own if not file.hi
            }
        slices = [file.hi for file in truth.values() if file.table == "slices"]
        assert held.newest_of("slices") == max(slices, default=0)
        assert held.newest_ns >= max((file.hi for file in truth.values()), default=0)
    held.change(remove=list(truth))
    held.write()
    assert not held.days and not list(held)


def alive(slices: int):
    """The profile of a process that runs."""
    profile = make_profile(20, slices=slices, ended=False)
    profile.boot_id = own_boot_id()
    profile.pid, profile.proc_start = own_process()
    return profile


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory):
    """A repository of nine commits with checkpoints, one process in the middle, and its spool."""
    folder = tmp_path_factory.mktemp("ground")
    store, spool = Repository(folder / "repository", create=True), folder / "spool"
    made, half = [make_profile(seed) for seed in range(8)], alive(4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "CHECKPOINT_EVERY", 3)
        for profile in (*made[:4], half, *made[4:]):
            profile.write(spool)
            store.ingest([spool])
    return folder, made, half


@pytest.fixture
def grown(ground, tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch):
    """The same, in the test's own folders: repository, profiles, and the one that runs."""
    monkeypatch.setattr(log, "CHECKPOINT_EVERY", 3)
    folder, made, half = ground
    shutil.copytree(folder / "repository", tmp_path / "repository")
    shutil.copytree(folder / "spool", spool, dirs_exist_ok=True)
    return Repository(tmp_path / "repository"), made, half


def test_old_repositories_open_and_are_upgraded(grown, spool, monkeypatch) -> None:
    """Commits and checkpoints of version 3 held everything by themselves."""
    store, made, half = grown
    root, keys = store.path, stored_keys(store)
    held = Log(root).refresh()
    known = held.profiles.of([*_ids(store)])
    done = np.sort(np.array([key for key, at in known.items() if isinstance(at, int)], dtype="<i8"))
    opened = {str(key): astuple(at) for key, at in known.items() if isinstance(at, Position)}
    files = list(held)
    assert opened and len(done) == len(made)
    shutil.rmtree(root / "commits")
    (root / "commits").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(sealed, "LOG_VERSION", 3)
        old = {
            "files": [astuple(file) for file in files[1:]],
            "open": opened,
            "horizon_ns": 0,
            "done": base64.b64encode(zlib.compress(done[1:].tobytes())).decode(),
            "time_ns": time.time_ns(),
        }
        (root / "commits" / "00000007.checkpoint.json").write_bytes(seal(old, 7))
        commit = {
            "kind": "ingest",
            "time_ns": 5,
            "add": [astuple(files[0])],
            "remove": [],
            "advance": {str(done[0]): None},
            "forget": [],
            "horizon_ns": 0,
        }
        (root / "commits" / "00000008.json").write_bytes(seal(commit, 8))
    again = Repository(root)
    assert stored_keys(again) == keys
    assert again.ingest([spool]).slices == 0  # each exactly once
    alive(9).write(spool, half.name)
    assert again.ingest([spool]).slices > 0
    newest = json.loads((root / "commits" / "00000009.checkpoint.json").read_bytes())
    assert newest["version"] == 4 and "files" not in newest
    assert Repository(root).ingest([spool]).slices == 0
    assert stored_keys(Repository(root)) == expected_keys([*made, alive(9)])


def _ids(store: Repository) -> list[int]:
    return store.query("SELECT process FROM processes")["process"].to_pylist()


def test_an_older_jostle_says_that_it_is_too_old(grown, monkeypatch) -> None:
    store, *_ = grown
    monkeypatch.setattr(sealed, "LOG_VERSION", 3)
    with pytest.raises(RepositoryError, match="written by a newer jostle") as error:
        Repository(store.path).jobs()
    assert error.value.hint == "Upgrade jostle."


def test_a_checkpoint_names_nothing_elsewhere(grown) -> None:
    """Pieces out of use are removed: a checkpoint may not make that any other file."""
    store, *_ = grown
    path = store.path / "commits" / "00000009.checkpoint.json"
    value = json.loads(path.read_bytes())
    del value["sum"], value["number"], value["version"]
    value["dropped"] = {"../slices/x.parquet": 0}
    path.write_bytes(seal(value, 9))
    keys = stored_keys(store)
    assert Repository(store.path).damage() == [
        f"commits/{path.name} is damaged: it names files that are not pieces."
    ]
    assert stored_keys(Repository(store.path)) == keys


def test_a_reader_that_stays_begins_anew_with_checkpoints(grown, spool) -> None:
    """It keeps in memory only commits since the last two checkpoints."""
    store, made, _ = grown
    reader = Log(store.path)
    reader.refresh()
    for seed in range(30, 38):
        make_profile(seed).write(spool)
        store.ingest([spool])
        seen = reader.refresh()
        assert seen.number - seen.base <= 6
    assert reader.refresh().base == max(
        int(path.name.partition(".")[0])
        for path in (store.path / "commits").glob("*.checkpoint.json")
    )
    assert len(made) + 8 + 1 == len(_ids(Repository(store.path)))


def test_pieces_out_of_use_are_removed_after_a_while(grown, spool, monkeypatch) -> None:
    store, *_ = grown
    folder = store.path / "commits"
    before = pieces_in(folder)
    named = Log(store.path).refresh()
    assert set(before) == named.pieces  # in use, or so until a moment ago
    monkeypatch.setattr(state, "PIECE_GRACE_NS", 0)
    for seed in range(30, 37):
        make_profile(seed).write(spool)
        store.ingest([spool])
    held = Log(store.path).refresh()
    used = {day.name for day in held.files.days} | {run.name for run in held.profiles.runs}
    # Those of the checkpoint before the newest stay.
    assert used <= set(pieces_in(folder)) == held.pieces and not set(before) <= held.pieces
    (folder / f"open-{0:016x}.ids").write_bytes(b"")  # left by a killed writer
    store.compact()
    assert (folder / f"open-{0:016x}.ids").exists()
    monkeypatch.setattr("jostle.repository.maintenance.compact.GRACE_S", -60.0)
    store.compact()
    assert set(pieces_in(folder)) == Log(store.path).refresh().pieces


def test_a_checkpoint_that_fails_leaves_nothing_in_memory(grown, spool, monkeypatch) -> None:
    """Files from before the commit have no owner: a compaction may remove them."""
    store, made, half = grown

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(
            FolderStorage,
            "take_name",
            lambda storage, temporary, name: (
                full() if "checkpoint" in name else _plain_take_name(storage, temporary, name)
            ),
        )
        for seed in range(30, 37):
            make_profile(seed).write(spool)
            store.ingest([spool])
    for name in set(pieces_in(store.path / "commits")) - Log(store.path).refresh().pieces:
        (store.path / "commits" / name).unlink()
    every = [*made, half, *(make_profile(seed) for seed in range(30, 37))]
    assert stored_keys(store) == stored_keys(Repository(store.path)) == expected_keys(every)


_plain_take_name = FolderStorage.take_name


@pytest.mark.in_turn
@pytest.mark.parametrize("kind", ["files-2", "files-always", "open", "done"])
@pytest.mark.parametrize("harm", ["gone", "a bit"])
def test_a_damaged_piece(grown, spool, kind: str, harm: str) -> None:
    """Readers go on without it and say so; writers are refused; a fix restores what it held."""
    store, _, half = grown
    root, keys = store.path, stored_keys(store)
    held = Log(root).refresh()
    used = [day.name for day in held.files.days] + [run.name for run in held.profiles.runs]
    path = root / "commits" / next(name for name in used if name.startswith(kind))
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    if harm == "gone":
        path.unlink()
    reader, said = Repository(root), []
    reader.on_damage(said.append)
    for name in ("slices", "processes"):
        reader.query(f"SELECT count(*) FROM {name}")
    assert [damaged.file for damaged in said] == (
        [f"commits/{path.name}"] if kind.startswith("files") else []
    )
    if kind == "files-2":
        assert not stored_keys(reader)
        assert "the files that it lists from 2023-11-14" in said[0].missing()
        with pytest.raises(DamagedError):
            reader.require_whole(reader.jobs()["job"][0].as_py())
    make_profile(40).write(spool)
    if kind in ("open", "done"):
        with pytest.raises(RepositoryError, match=f"{path.name}: it"):
            Repository(root).ingest([spool])
    assert [damaged.file for damaged in Repository(root).check().damaged] == [
        f"commits/{path.name}"
    ]
    report = Repository(root).repair()
    assert [damaged.file for damaged in report.log] == [f"commits/{path.name}"]
    assert not Repository(root).check().damaged
    assert stored_keys(Repository(root)) == keys
    # Nothing twice. What is not known of the process in the middle is closed.
    assert report.closed == (1 if kind == "open" else report.closed)
    alive(9).write(spool, half.name)
    Repository(root).ingest([spool])
    late = [key for key in expected_keys([alive(9)]) if report.closed == 0]
    assert stored_keys(Repository(root)) == sorted(
        {*keys, *expected_keys([make_profile(40)]), *late}
    )
