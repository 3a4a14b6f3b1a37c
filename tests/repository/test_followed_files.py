"""Unusual and hostile files among followed profiles: nothing is lost, doubled, or kept for ever."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from support import end_job, expected_keys, key_of, random_moves, stored_keys
from test_followed import World, grow, grow_all, living, running_profile, write

from jostle.reader.follow import MetricTable
from jostle.repository import Repository
from jostle.repository.ingest import fair_batches, followed
from jostle.repository.ingest.ingest import Ingester
from jostle.repository.ingest.mirror import create_mirror


def mirrored(tmp_path: Path, job: str) -> tuple[World, Repository, Ingester]:
    """A mirror with one profile, which is followed."""
    world = World(tmp_path / "mirror", random.Random(1), mirror=True)
    create_mirror(world.folder)
    world.live = [running_profile(1, job)]
    grow_all(world)
    store = Repository(tmp_path / "repository", create=True)
    ingester = Ingester(store.path)
    ingester.turn([world.folder])
    assert len(ingester._follower.followed) == 1
    return world, store, ingester


@pytest.mark.parametrize("restart", [False, True])
def test_an_older_state_of_a_file_doubles_nothing(tmp_path, restart):
    """After a loss of power, a mirror may have less of a file than the repository."""
    world, store, ingester = living(tmp_path, 1)
    path = world.path(world.live[0])
    older = path.read_bytes()
    grow_all(world)
    newer = path.read_bytes()
    ingester.turn([world.folder])
    path.write_bytes(older)
    ingester = Ingester(store.path) if restart else ingester
    ingester.turn([world.folder])
    path.write_bytes(newer)
    ingester.turn([world.folder])
    assert stored_keys(store) == expected_keys(world.live)
    grow_all(world)
    ingester.turn([world.folder])
    assert stored_keys(store) == expected_keys(world.live)


def test_a_profile_that_was_written_again_goes_on_in_another_file_of_the_mirror(tmp_path):
    """The runtime does so if its profile is removed from the spool; the first file ends there."""
    world, store, ingester = mirrored(tmp_path, "a")  # the first file also sorts first
    (profile,) = world.live
    again = world.spool / "again-7" / profile.name
    assert str(world.path(profile)) < str(again)
    for _ in range(2):
        grow(profile, world.rng)
        write(profile, again)
        assert ingester.turn([again]).changed == 1
        ingester.turn([world.folder])
        assert stored_keys(store) == expected_keys(world.live)
    grow(profile, world.rng)
    write(profile, again)
    ingester = Ingester(store.path)
    ingester.turn([world.folder])
    assert stored_keys(store) == expected_keys(world.live)
    profile.set_remainder(random_moves(world.rng))
    end_job(profile, profile._expected)
    write(profile, again)
    again.with_name(again.name + ".over").touch()
    assert ingester.turn([world.folder]).finished == 1
    assert stored_keys(store) == expected_keys(world.live)


def test_profiles_in_a_removed_folder_are_not_present(tmp_path):
    world, _, ingester = mirrored(tmp_path, "alpha")
    assert ingester.present == {key_of(profile) for profile in world.live}
    shutil.rmtree(world.spool.parent)
    ingester.turn([world.folder])
    assert ingester.present == set()
    assert not len(ingester._follower.followed)


def test_profiles_of_a_spool_that_is_gone_are_not_present(tmp_path):
    """It may come back: its profiles stay followed."""
    world, store, ingester = living(tmp_path)
    away = tmp_path / "away"
    world.folder.rename(away)
    ingester.turn([])
    assert ingester.present == set()
    away.rename(world.folder)
    grow_all(world)
    assert ingester.turn([world.folder]).changed == 3
    assert ingester.present == {key_of(profile) for profile in world.live}
    assert stored_keys(store) == expected_keys(world.live)


def test_an_absurd_time_in_a_header_does_not_stop_the_ingester(tmp_path):
    world, store, ingester = living(tmp_path)
    evil = running_profile(9, file_ns=2**63)
    grow(evil, world.rng)
    world.live.append(evil)
    for _ in range(2):
        grow_all(world)
        assert not ingester.turn([world.folder]).warnings
    assert len(ingester._follower.followed) == 3
    assert stored_keys(store) == expected_keys(world.live)


def test_an_absurd_number_of_threads_is_refused_as_by_the_normal_ingest(tmp_path):
    world, store, ingester = living(tmp_path, 1)
    (profile,) = world.live
    profile.lost_threads = 2**63
    for _ in range(20):  # so many slices that its row is due
        grow(profile, world.rng)
    write(profile, world.path(profile))
    report = ingester.turn([world.folder])
    assert any("absurd numbers" in text for text in report.warnings)
    assert store.query("SELECT min(lost_threads) AS n FROM processes")["n"].to_pylist() == [0]


def test_a_profile_with_many_notes_is_ingested_but_not_followed(tmp_path):
    """Its row would be kept in memory, once more after each note."""
    world, store, ingester = living(tmp_path)
    profile = world.live[0]
    for _ in range(3):
        profile.add_note(profile._expected, "n" * 2000)
        grow_all(world)
        ingester.turn([world.folder])
    assert len(ingester._follower.followed) == 2
    assert stored_keys(store) == expected_keys(world.live)


def test_profiles_are_followed_batch_by_batch(tmp_path, monkeypatch):
    """What was read of a hundred thousand profiles is not kept until the end of a pass."""
    added: list[int] = []
    plain = followed.Followed.add

    def counted(self, profiles):
        added.append(len(profiles))
        plain(self, profiles)

    monkeypatch.setattr(followed.Followed, "add", counted)
    monkeypatch.setattr(fair_batches, "_BATCH_FILES", 2)
    world, store, ingester = living(tmp_path, 6)
    assert max(added) == 2
    grow_all(world)
    assert ingester.turn([world.folder]).changed == 6
    assert stored_keys(store) == expected_keys(world.live)


def test_an_error_with_one_profile_leaves_the_others_followed(tmp_path, monkeypatch):
    world, store, ingester = living(tmp_path)
    evil = running_profile(9)
    grow(evil, world.rng)
    world.live.append(evil)
    plain = followed.identify

    def fails(path, *given):
        if path.name == evil.name:
            raise OverflowError("absurd")
        return plain(path, *given)

    monkeypatch.setattr(followed, "identify", fails)
    ingester = Ingester(store.path)  # reads all of them in one batch
    for _ in range(2):
        grow_all(world)
        report = ingester.turn([world.folder])
        assert len(ingester._follower.followed) == 3
        assert sum("absurd" in text for text in report.warnings) == 1
    assert report.changed >= 3


def test_metric_tables_of_one_user_leave_room_for_others():
    known = followed.Followed()
    tables = [MetricTable(b"%d" % number, 1, 1, 1) for number in range(20)]
    numbers = [known._number_of(table, 5) for table in tables]
    assert None in numbers
    assert known._number_of(tables[0], 5) == 0
    assert known._number_of(tables[-1], 6) is not None
    known.add([])
    assert not known.tables  # no followed profile has one of them


def test_names_that_may_be_used_again_are_forgotten_with_their_profiles(tmp_path, monkeypatch):
    monkeypatch.setattr(followed, "_MOST_GARBAGE", 1)
    world = World(tmp_path / "spool", random.Random(1), mirror=False)
    world.live = [running_profile(seed, f"train-{seed:08x}") for seed in range(6)]
    grow_all(world)
    store = Repository(tmp_path / "repository", create=True)
    ingester = Ingester(store.path)
    ingester.turn([world.folder])
    all_of_them = list(world.live)
    for profile in world.live[:5]:
        world.end(profile, world.path(profile))
    for _ in range(2):
        grow_all(world)
        ingester.turn([world.folder])
    known = ingester._follower.followed
    assert len(known._returning) == len(known._starts) == 1
    ((_, name, start, _),) = known.returning(list(known.places.values()), 0)
    assert (name, start) == (world.live[0].job, world.live[0].start_ns)
    assert stored_keys(store) == expected_keys(all_of_them)
