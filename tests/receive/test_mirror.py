"""The mirror: acknowledged data are on disk, whatever is sent, in any order."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receive_node import body, file_line, ranged

from jostle.errors import UsageError
from jostle.receive import keeper as keeper_module
from jostle.receive import node_mirror
from jostle.receive.keeper import Keeper, Post
from jostle.receive.refused import RefusedError
from jostle.receive.usage import Usage

Say = Callable[..., Any]


class Mirror:
    """A keeper without its thread and without HTTP."""

    def __init__(self, folder: Path, most: int = 1 << 30) -> None:
        self.folder = folder
        self.most = most
        self.changed: list[str] = []
        self.begin()

    def begin(self) -> None:
        usage = Usage(self.most, self.most)
        self.keeper = Keeper(self.folder, usage, self.changed.extend, lambda give: give())

    def restart(self) -> None:
        """Begin anew from what is on the disk, as after a kill."""
        os.close(self.keeper._lock)
        self.begin()

    def put(self, *ranges: bytes, node: str = "n1") -> Any:
        answers: list[Any] = []
        self.keeper._keep([Post(node, body(*ranges), "", answers.append)])
        (answer,) = answers
        if isinstance(answer, RefusedError):
            return answer
        return [file_line(line) for line in answer.splitlines()]

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    mirror = Mirror(tmp_path / "mirror")
    yield mirror
    os.close(mirror.keeper._lock)


State = tuple[tuple[int, int], tuple[int, bool, str]]


def state(file: int, have: int, *, done: bool = False, why: str = "", owner: int = 1000) -> State:
    return (owner, file), (have, done, why)


def test_bytes_are_appended_and_heads_overwritten(mirror: Mirror) -> None:
    assert mirror.put(ranged(1)) == [state(1, 0)]
    assert not (mirror.folder / "n1/1000").exists()
    assert mirror.put(ranged(1, b"head-one"), ranged(1, b"tail", 8)) == [state(1, 12)]
    assert mirror.put(ranged(1, b"more", 12), ranged(1, b"HEAD", 0)) == [state(1, 16)]
    assert mirror.read("n1/1000/a.b.jst") == b"HEAD-onetailmore"
    assert mirror.put(ranged(1, b"!", 16, over=True)) == [state(1, 17, done=True)]
    assert mirror.read("n1/1000/a.b.jst.over") == b""
    assert mirror.changed.count("n1/1000/a.b.jst") == 3
    # What is over does not change any more.
    assert mirror.put(ranged(1, b"late", 0)) == [state(1, 17, done=True)]
    assert mirror.read("n1/1000/a.b.jst") == b"HEAD-onetailmore!"


def test_duplicates_and_reordered_ranges_do_no_harm(mirror: Mirror) -> None:
    first, second = ranged(1, b"abc"), ranged(1, b"def", 3)
    assert mirror.put(second) == [state(1, 0, why="offset")]
    assert mirror.put(second, first) == [state(1, 3, why="offset")]
    assert mirror.put(second, second, first) == [state(1, 6)]
    assert mirror.put(ranged(1, b"cde", 2), ranged(1, b"z", 99, over=True)) == [
        state(1, 6, why="offset")
    ]
    assert mirror.read("n1/1000/a.b.jst") == b"abcdef"
    assert mirror.put(ranged(1, b"", 3, over=True)) == [state(1, 6)]  # it ends elsewhere
    assert mirror.put(ranged(1, b"", 6, over=True)) == [state(1, 6, done=True)]


def head(generation: int, fill: bytes) -> bytes:
    return fill * 2048 + struct.pack("<Q", generation) + fill * 2040


def test_a_head_that_came_late_does_not_replace_a_newer_one(mirror: Mirror) -> None:
    mirror.put(ranged(1, head(5, b"a")))
    mirror.put(ranged(1, head(7, b"b")))
    assert mirror.put(
        ranged(1, b"tail", 4096), ranged(1, b"xx", 100), ranged(1, head(6, b"c"))
    ) == [state(1, 4100, why="stale")]
    assert mirror.read("n1/1000/a.b.jst") == head(7, b"b") + b"tail"
    # A shipper may send only the words of the head that changed.
    late, newer = (struct.pack("<Q", number) for number in (6, 8))
    assert mirror.put(ranged(1, b"xx", 100), ranged(1, late, 2048)) == [state(1, 4100, why="stale")]
    assert mirror.put(ranged(1, b"yy", 100), ranged(1, newer, 2048)) == [state(1, 4100)]
    assert mirror.read("n1/1000/a.b.jst")[100:102] == b"yy"
    # Shorts have no such head.
    shorts = {"name": "s.jss"}
    mirror.put(ranged(2, head(5, b"a"), **shorts))
    assert mirror.put(ranged(2, head(4, b"b"), **shorts)) == [state(2, 4096)]


def test_another_file_of_a_name_has_a_folder_of_its_own(mirror: Mirror) -> None:
    mirror.put(ranged(1, b"one"), ranged(2, b"two"), ranged(3, b"other user's", owner=7))
    assert mirror.read("n1/1000/a.b.jst") == b"one"
    assert mirror.read("n1/1000/again-2/a.b.jst") == b"two"
    assert mirror.read("n1/7/a.b.jst") == b"other user's"
    mirror.put(ranged(2, b"!", 3, name="new-name.jst"), node="n1")  # renamed on its node
    mirror.put(ranged(1, b"n2's"), node="n2")
    mirror.restart()
    assert mirror.put(ranged(1), ranged(2), ranged(3, owner=7)) == [
        state(1, 3),
        state(2, 4),
        state(3, 12, owner=7),
    ]
    assert mirror.put(ranged(1), node="n2") == [state(1, 4)]


def test_gaps_are_kept_as_gaps(mirror: Mirror) -> None:
    mirror.put(ranged(1, b"abc"))
    assert mirror.put(ranged(1, b"", 10, gap=True)) == [state(1, 10)]
    mirror.restart()
    assert mirror.put(ranged(1)) == [state(1, 10)]
    assert mirror.put(ranged(1, b"z", 10)) == [state(1, 11)]
    assert mirror.read("n1/1000/a.b.jst") == b"abc" + bytes(7) + b"z"
    # A gap at the end leaves the file short.
    assert mirror.put(ranged(1, b"", 50, gap=True, over=True)) == [state(1, 50, done=True)]
    assert len(mirror.read("n1/1000/a.b.jst")) == 11
    assert mirror.keeper.usage.gaps == 1
    assert mirror.put(ranged(2, b"", 1 << 40, gap=True)) == [state(2, 0, why="size")]


def test_what_is_over_stays_over_when_it_was_ingested(mirror: Mirror) -> None:
    mirror.put(ranged(1, b"abc", over=True))
    for path in ("a.b.jst", "a.b.jst.over"):
        (mirror.folder / "n1/1000" / path).unlink()
    mirror.restart()
    assert mirror.put(ranged(1, b"abc")) == [state(1, 3, done=True)]
    assert not (mirror.folder / "n1/1000/a.b.jst").exists()


def test_a_kill_between_the_line_and_the_mark_is_fixed(mirror: Mirror) -> None:
    mirror.put(ranged(1, b"abc", over=True))
    (mirror.folder / "n1/1000/a.b.jst.over").unlink()
    with (mirror.folder / "n1/.files").open("a") as journal:
        journal.write('["file",2,1000,"1000","b.j')  # a kill cut it off
    mirror.restart()
    assert mirror.put(ranged(1)) == [state(1, 3, done=True)]
    assert (mirror.folder / "n1/1000/a.b.jst.over").exists()
    mirror.put(ranged(3, b"new", name="c.jst"))
    mirror.restart()
    assert mirror.put(ranged(3)) == [state(3, 3)]


def test_one_users_files_cannot_fill_the_disk(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror", most=4000)
    greedy = ranged(1, bytes(900), owner=1), ranged(2, bytes(200), name="b.jst", owner=1)
    assert mirror.put(*greedy) == [state(1, 900, owner=1), state(2, 0, why="quota", owner=1)]
    assert mirror.put(ranged(3, bytes(900), owner=2)) == [state(3, 900, owner=2)]
    for node in ("n2", "n3", "n4"):
        assert mirror.put(ranged(1, bytes(1000), owner=1), node=node)[0][1][0] == 1000
    over = [state(1, 0, why="quota", owner=1)]
    assert mirror.put(ranged(1, bytes(200), owner=1), node="n5") == over
    assert mirror.put(ranged(1, bytes(200), owner=2), node="n5") == [state(1, 200, owner=2)]
    (mirror.folder / "n1/1/a.b.jst").unlink()  # ingested
    mirror.keeper.usage.count(mirror.folder)
    assert mirror.put(ranged(1, bytes(200), owner=1), node="n5") == [state(1, 200, owner=1)]


def test_one_users_files_leave_room_for_those_of_others(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_mirror, "MOST_OF_USER", 3)
    monkeypatch.setattr(node_mirror, "_MOST_KNOWN", 6)
    files = [ranged(number, b"x", name=f"{number}.jst") for number in range(5)]
    assert [why for _, (_, _, why) in mirror.put(*files)] == ["", "", "", "files", "files"]
    assert mirror.put(ranged(9, b"x", owner=7)) == [state(9, 1, owner=7)]
    # What is over makes room, and is forgotten early where there is too much of it.
    done = [ranged(n, b"", 1, name=f"{n}.jst", over=True) for n in range(3)]
    assert all(done for _, (_, done, _) in mirror.put(*done))
    assert mirror.put(*files[3:]) == [state(3, 1), state(4, 1)]
    assert mirror.put(ranged(5, b"x", name="5.jst")) == [state(5, 0, why="files")]
    for path in mirror.folder.glob("n1/1000/[012].jst"):
        path.unlink()
    monkeypatch.setattr(node_mirror, "_KEPT_LEAST_S", -2)
    monkeypatch.setattr(node_mirror, "_LOOK_EVERY_S", 0)
    mirror.keeper._nodes["n1"]._next_look = 0
    assert mirror.put(ranged(5, b"x", name="5.jst")) == [state(5, 1)]


def test_what_did_not_get_to_the_disk_is_not_acknowledged(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror.put(ranged(1, b"abc"))

    def full(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(keeper_module, "sync_group", full)
        refused = mirror.put(ranged(1, b"defg", 3, over=True))
    assert (refused.status, refused.code) == (503, "disk")
    assert mirror.put(ranged(1)) == [state(1, 3)]
    assert mirror.read("n1/1000/a.b.jst") == b"abc"
    assert not (mirror.folder / "n1/1000/a.b.jst.over").exists()
    assert mirror.put(ranged(1, b"defg", 3, over=True)) == [state(1, 7, done=True)]


def test_a_mark_that_did_not_get_to_the_disk_leaves_the_bytes(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ingester may see the mark meanwhile: next to it, all of the file must be there."""
    mirror.put(ranged(1, b"abc"))
    sync = keeper_module.sync_group

    def only_bytes(root: int, group: node_mirror.Group) -> None:
        if not group.files:
            raise OSError(errno.EIO, "Input/output error")
        sync(root, group)

    with monkeypatch.context() as patch:
        patch.setattr(keeper_module, "sync_group", only_bytes)
        refused = mirror.put(ranged(1, b"defg", 3, over=True))
    assert (refused.status, refused.code) == (503, "disk")
    assert (mirror.folder / "n1/1000/a.b.jst.over").exists()
    assert mirror.read("n1/1000/a.b.jst") == b"abcdefg"
    assert mirror.put(ranged(1)) == [state(1, 7)]  # not acknowledged yet
    assert mirror.put(ranged(1, b"", 7, over=True)) == [state(1, 7, done=True)]


PARTS = st.tuples(st.integers(0, 60), st.integers(0, 40), st.booleans())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(PARTS, max_size=4), max_size=6), st.integers(1, 50))
def test_any_order_of_parts_of_a_file_gives_its_beginning(
    posts: list[list[tuple[int, int, bool]]], size: int
) -> None:
    """For any parts in any order the mirror has a prefix, which never gets shorter."""
    content = bytes(range(size))
    with tempfile.TemporaryDirectory() as folder:
        mirror = Mirror(Path(folder) / "mirror")
        have = 0
        for parts in posts:
            sent = []
            for at, length, over in parts:
                data = content[at : at + length]
                sent.append(ranged(1, data, at, over=over and at + len(data) == size))
            answers = mirror.put(*sent)
            if answers:
                ((_, (now, done, _)),) = answers
                assert have <= now <= size
                assert done <= (now == size)
                have = now
            if have:
                assert mirror.read("n1/1000/a.b.jst") == content[:have]
        mirror.restart()
        assert mirror.put(ranged(1))[0][1][0] == have
        os.close(mirror.keeper._lock)
        os.close(mirror.keeper.root)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_a_full_disk_acknowledges_nothing_half(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder]).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        folder.chmod(0o700)
        mirror = Mirror(folder)
        data = os.urandom(400_000)
        refused = mirror.put(ranged(1, data, over=True))
        assert (refused.status, refused.code) == (507, "disk-full")
        ((_, (have, done, _)),) = mirror.put(ranged(1))
        assert 0 < have < 256 << 10
        assert not done
        assert mirror.read("n1/1000/a.b.jst") == data[:have]
        subprocess.run(["mount", "-o", "remount,size=2m", folder], check=True)
        rest = ranged(1, data[have:], have, over=True)
        assert mirror.put(rest) == [state(1, len(data), done=True)]
        assert mirror.read("n1/1000/a.b.jst") == data
        os.close(mirror.keeper._lock)
        os.close(mirror.keeper.root)
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_links_in_the_mirror_are_not_followed(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    mirror.put(ranged(1, b"abc"))
    file = mirror.folder / "n1/1000/a.b.jst"
    file.unlink()
    file.symlink_to(tmp_path / "precious")
    assert isinstance(mirror.put(ranged(1, b"abc")), RefusedError)
    (mirror.folder / "n2").symlink_to(tmp_path)
    assert isinstance(mirror.put(ranged(1, b"abc"), node="n2"), RefusedError)
    assert (tmp_path / "precious").read_text() == "precious"


def test_posts_that_decode_to_much_are_not_kept_in_memory(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = body(*[ranged(n, bytes(1 << 20), name=f"{n}.jst") for n in range(4)])
    assert len(sent) < 4096
    most = []
    monkeypatch.setattr(
        keeper_module, "sync_group", lambda *_: most.append(tracemalloc.get_traced_memory()[0])
    )
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        mirror.keeper._keep([Post(f"n{n}", sent, "", lambda _: None) for n in range(10)])
    finally:
        tracemalloc.stop()
    assert max(most) - before < 8 << 20


def test_a_mirror_has_one_receiver_and_is_closed_to_others(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror")
    with pytest.raises(UsageError, match="Another receiver"):
        Mirror(tmp_path / "mirror")
    assert (tmp_path / "mirror").stat().st_mode & 0o777 == 0o700
    mirror.put(ranged(1, b"abc", over=True))
    assert all(path.stat().st_mode & 0o077 == 0 for path in mirror.folder.rglob("*"))
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(UsageError, match="0755"):
        Mirror(tmp_path / "open")


def test_old_files_that_were_ingested_are_forgotten(mirror: Mirror) -> None:
    mirror.put(ranged(1, b"abc", over=True), ranged(2, b"abc", name="b.jst", over=True))
    (mirror.folder / "n1/1000/a.b.jst").unlink()
    node = mirror.keeper._nodes["n1"]
    node.prune(now_s=2**33)
    assert [key for key, _ in node.files] == [2]
    mirror.put(ranged(3, b"new"))
    assert mirror.read("n1/1000/a.b.jst") == b"new"
