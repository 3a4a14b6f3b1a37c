"""A temporary error says nothing of a file: its message is neither "damaged" nor "over".

What was found by test_faults.py, which tries every call.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from support import expected_keys, make_profile, make_shorts, stored_keys
from test_segment_tables import make_loop

from jostle.reader import ReadRequest, read_profiles
from jostle.reader.native import UNREADABLE, DecoderBatch
from jostle.repository import Repository, RepositoryError
from jostle.repository.ingest import ingest
from jostle.repository.ingest.ingest import Ingester
from jostle.repository.maintenance import repair


def fails(_: object, *__: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_commit_whose_other_name_stays(
    store: Repository, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was written over with its number: a hard link is no copy."""
    made = make_profile(1)
    made.write(spool)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", fails)
        store.ingest([spool])
    fresh = Repository(store.path)
    assert stored_keys(fresh) == expected_keys([made])
    assert fresh.damage() == []


def test_a_profile_that_cannot_be_read_is_not_taken_for_cut(tmp_path: Path) -> None:
    for made in (make_profile(1), make_shorts("job", 3)):
        path = made.write(tmp_path)
        batch = DecoderBatch((), (), (), 1000)
        descriptor = os.open(path, os.O_WRONLY)
        found = batch.add(descriptor, 0, 0, 0)
        os.close(descriptor)
        assert found.error.text == UNREADABLE


@pytest.mark.parametrize("first_fails", [False, True])
def test_what_failed_is_read_later_and_whole(
    store: Repository, spool: Path, monkeypatch: pytest.MonkeyPatch, first_fails: bool
) -> None:
    """The reading of a rank's segments fails, or the first look at it; nothing of it is taken."""
    path = make_loop(1).write(spool)
    ingester = Ingester(store.path, remove=True)
    with monkeypatch.context() as patch:
        if first_fails:
            patch.setattr(ingest, "peek_header", fails)
        else:
            plain = DecoderBatch.add

            def add(
                batch: DecoderBatch, fd: int, process: int, first: int, flags: int, *at: Any
            ) -> Any:
                found = plain(batch, fd, process, first, flags, *at)
                if flags & 2:
                    found.error.text = UNREADABLE
                return found

            patch.setattr(DecoderBatch, "add", add)
        report = ingester.run([spool])
        assert str(path) in report.warnings[0]
        assert (report.slices, report.removed, path.exists()) == (0, 0, True)
    report = ingester.run([spool])
    assert (report.slices > 0, report.segments > 0, report.removed) == (True, True, 1)


@pytest.mark.parametrize("of", [".jst", ".jsp"])
@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES])
def test_what_was_kept_does_not_stand_for_what_cannot_be_read(
    store: Repository, spool: Path, monkeypatch: pytest.MonkeyPatch, of: str, code: int
) -> None:
    """A heartbeat kept less of a process than the process left itself."""
    from jostle.repository.ingest import spool as module

    own = make_profile(5, proc_start=99, slices=8)
    own.write(spool)
    make_profile(5, proc_start=99, slices=2).write(spool, own.name.replace(".jst", ".jsp"))
    plain, failed = module._head, []

    def head(path: Path) -> object:
        if path.suffix == of and not failed:
            failed.append(path)
            raise OSError(code, os.strerror(code))
        return plain(path)

    monkeypatch.setattr(module, "_head", head)
    for _ in range(2):
        store.ingest([spool], remove=True)
    assert stored_keys(store) == expected_keys([own])


def test_a_repair_gives_up_nothing_that_it_cannot_read(
    store: Repository, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repair during an outage of a network file system must not drop the files on it."""
    made = [make_profile(number) for number in range(3)]
    for one in made:
        one.write(spool)
        store.ingest([spool])
    with monkeypatch.context() as patch:
        patch.setattr(repair, "file_sum", fails)
        assert {one.reason for one in store.check().damaged} == {
            "it cannot be read (Input/output error)"
        }
        with pytest.raises(RepositoryError, match="Nothing was removed") as error:
            store.repair()
    assert "remove it, and repeat the repair" in error.value.hint
    assert stored_keys(Repository(store.path)) == expected_keys(made)


def test_numbers_of_short_processes_after_a_file_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of what was read of it are there, under numbers that the next file must not have."""
    first = make_shorts("one", 3, uid=1).write(tmp_path)
    second = make_shorts("two", 2, uid=2).write(tmp_path)
    plain = DecoderBatch.add

    def add(batch: DecoderBatch, fd: int, process: int, first: int, flags: int, *at: Any) -> Any:
        found = plain(batch, fd, process, first, flags, *at)
        if process == 0:
            found.error.text = UNREADABLE
        return found

    monkeypatch.setattr(DecoderBatch, "add", add)
    read = read_profiles([ReadRequest(first, 0), ReadRequest(second, 1)])
    at, count = read.results[1].short_processes
    numbers = [one.process for one in read.short_processes[at : at + count]]
    assert numbers == [-4, -5]
    assert read.results[0].short_processes == (0, 0)
