"""Output that cannot be written: a full disk is named; a closed pipe is no failure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import jostle

SAID = "cannot be written: No space left on device."


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, full to the last byte."""
    folder = tmp_path / "full"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "disk", folder]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("no mounts here")
    with pytest.raises(OSError, match="No space"), (folder / "filler").open("wb") as file:
        file.write(bytes(1 << 20))
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.json", "a.svg", "a.png", "a.pdf"])
def test_a_file_on_a_full_disk(repository: Path, full: Path, name: str) -> None:
    """The message names the file as the user did, and no part of the file stays."""
    file = full / name
    is_figure = name.endswith((".svg", ".png", ".pdf"))
    words = ["timeline", "tar-steady", "--plot"] if is_figure else ["export", "tar-steady", "-o"]
    done = jostle(*words, str(file), JOSTLE_REPOSITORY=str(repository))
    assert done.code == 1
    assert done.err.splitlines()[0] == f"jostle: {file} {SAID}"
    assert "fix: Free some space there" in done.err
    assert [path.name for path in full.iterdir()] == ["filler"]


def test_standard_output_on_a_full_disk(repository: Path) -> None:
    """Neither a traceback nor a second error at the interpreter's exit."""
    environment = os.environ | {"JOSTLE_REPOSITORY": str(repository)}
    with Path("/dev/full").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-m", "jostle.cli", "jobs"],
            env=environment,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    lines = done.stderr.splitlines()
    assert (done.returncode, len(lines)) == (1, 2)
    assert lines[0] == f"jostle: The output {SAID}"


def test_a_run_whose_spool_is_full(repository: Path, full: Path) -> None:
    """A full disk is reported before the run, and the end names the full spool as the reason."""
    done = jostle(
        "run", "--", "echo", "hello", JOSTLE_SPOOL=str(full), JOSTLE_REPOSITORY=str(repository)
    )
    assert (done.code, done.out) == (0, "hello\n")
    first, *_, last = [line for line in done.err.splitlines() if f"spool {full} is full" in line]
    assert first.startswith("warning: ") and "this run may not be recorded" in first
    assert "nothing recorded" in last
    assert "fix: free some space there" in done.err


@pytest.mark.in_turn
@pytest.mark.usefixtures("library")
def test_a_reader_of_messages_that_has_seen_enough(tmp_path: Path) -> None:
    """`jostle run ... 2>&1 | head`: the status is the program's, and its profile is taken."""
    place = os.environ | {"JOSTLE_REPOSITORY": str(tmp_path / "repository")}
    read, write = os.pipe()
    os.close(read)
    code = f"open({str(tmp_path / 'x')!r}, 'w').write('x' * 300000)"
    words = ["run", "--job", "one", "--no-verdict", "--", sys.executable, "-c", code]
    done = subprocess.run(
        [sys.executable, "-m", "jostle.cli", *words], env=place, stderr=write, check=False
    )
    os.close(write)
    assert done.returncode == 0
    jobs = subprocess.run(
        [sys.executable, "-m", "jostle.cli", "jobs", "--json"],
        env=place,
        capture_output=True,
        check=True,
    )
    assert [row["job"] for row in json.loads(jobs.stdout)["jobs"]] == ["one"]
