"""The table of files: the use of each file, as the program knows it."""

from __future__ import annotations

from pathlib import Path

import peek
from harness import Compile, Runner

COUNTS = ("opens", "reads", "read_bytes", "writes", "write_bytes", "syncs")


def counted(process: peek.Process, folder: Path) -> dict[str, tuple[int, ...]]:
    """COUNTS by name below a folder, over all places of a name; of long paths the end is kept."""
    found: dict[str, tuple[int, ...]] = {}
    for file in process.files[1:]:
        name = file["name"].partition(f"/{folder.name}/")[2]
        if name:
            before = found.get(name, (0,) * len(COUNTS))
            found[name] = tuple(a + file[c] for a, c in zip(before, COUNTS, strict=True))
    return found


WAYS = {
    "a.bin": (1, 1, 50, 4, 65536 + 100 + 7 + 5, 1),
    "other.bin": (1, 0, 0, 1, 3, 0),
    "b.txt": (1, 1, 30, 11, 201, 1),
    "c.bin": (1, 0, 0, 1, 11, 0),
    "sub/d.bin": (1, 0, 0, 1, 13, 0),
    "sub/e.bin": (1, 0, 0, 1, 17, 0),
}


def test_ways(jostle: Runner, build: Compile) -> None:
    """Descriptors by open, dup, dup2, openat and fopen; calls of each kind."""
    process = jostle.run(build("which_file.c"), "ways").only()
    assert counted(process, jostle.data) == WAYS
    ticks = {f["name"]: f["write_ticks"] + f["meta_ticks"] for f in process.files[1:]}
    assert all(ticks.values())
    mount = process.slot_of(jostle.data)
    assert {f["mount"] for f in process.files[1:]} == {mount}


def test_kill(jostle: Runner, build: Compile) -> None:
    """A kill loses nothing that had returned."""
    process = jostle.run(build("which_file.c"), "killed", code=-9).only()
    assert counted(process, jostle.data) == WAYS


def test_fork(jostle: Runner, build: Compile) -> None:
    """A child has a table of its own, and knows the name of what it inherits."""
    processes = jostle.run(build("which_file.c"), "family").processes
    by_name = [counted(process, jostle.data) for process in processes]
    assert {"shared.bin": (1, 0, 0, 2, 65537, 0)} in by_name
    assert {"shared.bin": (0, 0, 0, 1, 70000, 0), "child.bin": (1, 0, 0, 1, 19, 0)} in by_name


def test_threads(jostle: Runner, build: Compile) -> None:
    """Threads that share a file lose no count."""
    process = jostle.run(build("which_file.c"), "threads").only()
    assert counted(process, jostle.data) == {
        "together.bin": (1, 0, 0, 80_000, 800_000, 0),
        "common.bin": (800, 0, 0, 0, 0, 0),
    }


def test_more_files_than_places(jostle: Runner, build: Compile) -> None:
    """The large ones keep their names, the others are put together, and no count is lost."""
    process = jostle.run(build("which_file.c"), "many").only()
    named = counted(process, jostle.data)
    large = [name for name, counts in named.items() if counts[4] == 4000]
    assert len(large) == 100
    assert named["held.bin"] == (1, 0, 0, 1, 1, 0)
    others = process.files[0]
    assert others["hash"] + len(named) == 5001
    assert len(process.files) <= 1024
    done = {"opens": 5001, "writes": 5001, "write_bytes": 4900 * 10 + 100 * 4000 + 1}
    for number, count in enumerate(COUNTS):
        total = sum(counts[number] for counts in named.values()) + others[count]
        assert total == done.get(count, 0)


def test_threads_that_make_room(jostle: Runner, build: Compile) -> None:
    """No count is lost or doubled when places are taken and given up at once."""
    process = jostle.run(build("which_file.c"), "crowd").only()
    for count, done in {"opens": 12_000, "writes": 12_000, "write_bytes": 120_000}.items():
        assert sum(file[count] for file in process.files) == done


def test_setting(jostle: Runner, build: Compile) -> None:
    """Without names a hash stands for the path, the same as with them; off: no table."""
    program = build("which_file.c")
    hashes = {}
    for value in ("names", "nameless", "off"):
        for path in jostle.spool.iterdir():
            path.unlink()
        process = jostle.run(program, "ways", env={"JOSTLE_FILES": value}).only()
        hashes[value] = {f["hash"] for f in process.files[1:]}
        if value == "nameless":
            assert not any(f["name"] for f in process.files)
        for path in sorted(jostle.data.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    assert hashes["names"] == hashes["nameless"] and len(hashes["names"]) == len(WAYS)
    assert not hashes["off"]


def test_excluded(jostle: Runner, build: Compile) -> None:
    """Files below an excluded path have no place."""
    variables = {"JOSTLE_EXCLUDE_PATHS": str(jostle.data / "sub")}
    process = jostle.run(build("which_file.c"), "ways", env=variables).only()
    assert not any("/sub/" in file["name"] for file in process.files)
    assert counted(process, jostle.data)["c.bin"] == WAYS["c.bin"]
