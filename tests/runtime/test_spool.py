"""A spool that is missing, full, hostile or gone: the program goes on, the problem is reported."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import peek
import pytest
from harness import Compile, Result, Runner, needs_plain_build, needs_root


def large(jostle: Runner, build: Compile, way: str = "return", **more: object) -> Result:
    """A program that moves 400 KiB; it must end as it does without jostle."""
    return jostle.run(build("ends.c"), jostle.data, way, "large", **more)


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs of 64 KiB."""
    needs_root()
    folder = tmp_path / "tiny"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=1777", "tmpfs", folder])
    if done.returncode != 0:
        pytest.skip("mount is forbidden here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def said_once(result: Result, *words: str) -> None:
    """One line of ours on stderr, and it names what is wrong."""
    assert result.stderr.count("\n") == 1 and "jostle" in result.stderr, result.stderr
    for word in words:
        assert word in result.stderr, result.stderr


def test_missing_folder_is_made(jostle: Runner, build: Compile) -> None:
    """The last component of the spool is made when its parent exists."""
    jostle.spool.rmdir()
    large(jostle, build).check("posix")


def test_missing_parent(jostle: Runner, build: Compile) -> None:
    """A spool that cannot be made switches the profile off with one line."""
    result = large(jostle, build, env={"JOSTLE_SPOOL": "/nonexistent/parent/spool"})
    said_once(result, "/nonexistent/parent/spool")


def test_small_process_says_nothing_of_a_bad_spool(jostle: Runner) -> None:
    """Not every little command of a script complains; the program's output stays its own."""
    script = "for i in 1 2 3; do /bin/true; done; echo done"
    result = jostle.run("/bin/sh", "-c", script, env={"JOSTLE_SPOOL": "/nonexistent/spool"})
    assert result.stdout == "done\n"
    assert result.stderr.count("\n") <= 1


def test_read_only_spool(jostle: Runner, build: Compile) -> None:
    """A spool on a read-only file system."""
    needs_root()
    folder = jostle.spool
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder], check=True)
    try:
        result = large(jostle, build)
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
    said_once(result, str(folder))


def test_forbidden_spool(jostle: Runner, build: Compile) -> None:
    """A spool that the user may not write."""
    needs_root()
    jostle.data.chmod(0o777)
    open_path(jostle.data)
    open_path(build("ends.c").parent)
    jostle.spool.chmod(0o755)
    result = large(jostle, build, user=65534, group=65534, extra_groups=[])
    said_once(result, str(jostle.spool))


def open_path(folder: Path) -> None:
    """Let other users through the folders above pytest's private ones."""
    for part in [folder, *folder.parents]:
        if part.is_relative_to("/tmp") and part != Path("/tmp"):
            part.chmod(stat.S_IMODE(part.stat().st_mode) | 0o055)


def test_other_users_share_a_sticky_spool(jostle: Runner, build: Compile) -> None:
    """Two users in one sticky spool: files of their own, closed to one another."""
    needs_root()
    jostle.spool.chmod(0o1777)
    jostle.data.chmod(0o777)
    open_path(jostle.data)
    open_path(build("ends.c").parent)
    for user in (65534, 65533):
        large(jostle, build, user=user, group=65534, extra_groups=[])
        (jostle.data / "data").unlink()
    files = [(p.stat().st_uid, stat.S_IMODE(p.stat().st_mode)) for p in jostle.spool.glob("*.jst")]
    assert sorted(files) == [(65533, 0o600), (65534, 0o600)]


def test_spool_behind_a_link(jostle: Runner, build: Compile) -> None:
    """No link is followed: a spool that is a symbolic link is refused with a message."""
    target = jostle.spool.with_name("elsewhere")
    target.mkdir()
    jostle.spool.rmdir()
    jostle.spool.symlink_to(target)
    result = large(jostle, build)
    said_once(result, str(jostle.spool))
    assert not list(target.iterdir())


def test_spool_of_a_stranger(jostle: Runner, build: Compile) -> None:
    """A folder that another user owns, without the sticky bit, is refused; with it, it serves."""
    needs_root()
    os.chown(jostle.spool, 65534, 65534)
    jostle.spool.chmod(0o777)
    said_once(large(jostle, build), str(jostle.spool))
    assert not list(jostle.spool.iterdir())


def test_no_planted_file_is_used(jostle: Runner) -> None:
    """A shorts file that is a link or belongs to somebody else is not written to."""
    victim = jostle.data / "victim"
    victim.write_text("precious")
    (jostle.spool / f"test.{os.getuid()}.jss").symlink_to(victim)
    jostle.run_bare("/bin/true")
    assert victim.read_text() == "precious"


def test_no_planted_pipe_blocks(jostle: Runner) -> None:
    """A pipe under the name of the shorts file would hold up every command of the job."""
    os.mkfifo(jostle.spool / f"test.{os.getuid()}.jss", 0o666)
    jostle.run_bare("/bin/true")


def test_no_foreign_file_is_fed(jostle: Runner) -> None:
    """Another user's file under the name of the shorts file learns nothing."""
    needs_root()
    prepared = jostle.shorts_path()
    prepared.write_bytes(b"")
    prepared.chmod(0o666)
    os.chown(prepared, 65534, 65534)
    jostle.run_bare("/bin/true")
    assert prepared.read_bytes() == b""


def test_no_planted_link_leads_to_a_file_of_ours(jostle: Runner) -> None:
    """Another user may link our files into the spool: no mark is left in them."""
    victim = jostle.data / "victim"
    victim.write_text("precious")
    os.link(victim, jostle.spool / f"test.{os.getuid()}.said")
    result = jostle.run("/bin/true", length="soon")
    said_once(result, "JOSTLE_SLICE has a wrong value")
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("way", ["return", "SIGKILL"])
def test_full_spool(jostle: Runner, build: Compile, tiny: Path, way: str) -> None:
    """A tmpfs too small for a profile: no SIGBUS, one line, the program ends as it would."""
    (tiny / "filler").write_bytes(bytes(60 * 1024))
    result = large(jostle, build, way, code=None, env={"JOSTLE_SPOOL": str(tiny)})
    assert result.code == (0 if way == "return" else -9)
    said_once(result, str(tiny))
    assert not list(tiny.glob("*.jst")), "half a profile is left behind"


def test_a_profile_that_cannot_be_mapped(jostle: Runner, build: Compile) -> None:
    """Nothing is left of it: what was counted is in the record of a short process only."""
    jostle.open_to_all()
    result = jostle.run(build("locked.c"), jostle.data)
    assert not list(jostle.spool.glob("*.jst"))
    assert result.only().total("posix_write_bytes") == 100 * 1024


def test_spool_that_fills_up(jostle: Runner, build: Compile, tiny: Path) -> None:
    """Appending fails in mid-run: the live counters still hold everything."""
    subprocess.run(["mount", "-o", "remount,size=4m", tiny], check=True)
    jostle.spool = tiny
    process = begun(jostle, build)
    fill(tiny / "filler")
    assert ended(jostle, process).count("\n") <= 1
    jostle.collect().check("posix")


def fill(path: Path) -> None:
    """Fill a file system to the last byte."""
    with path.open("wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2


@pytest.mark.parametrize("how", ["removed", "moved"])
def test_spool_that_vanishes(jostle: Runner, build: Compile, how: str) -> None:
    """The spool goes away in mid-run: the profile is whole, or its loss is reported."""
    process = begun(jostle, build)
    away = jostle.spool.with_name("away")
    shutil.rmtree(jostle.spool) if how == "removed" else jostle.spool.rename(away)
    err = ended(jostle, process)
    result = jostle.collect(spool=jostle.spool if how == "removed" else away)
    if how == "moved":
        result.check("posix")
        return
    if result.processes:
        result.check("posix")
    else:
        assert str(jostle.spool) in err


def begun(jostle: Runner, build: Compile) -> subprocess.Popen[str]:
    """A program that writes until a test ends it, with a profile of some slices."""
    process = jostle.start(build("steady.c"), jostle.data / "file", 60_000)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    jostle.await_ticks(process.pid, 1)
    return process


def ended(jostle: Runner, process: subprocess.Popen[str]) -> str:
    """Lets it end normally some slices later; returns its output."""
    time.sleep(0.5)
    (jostle.data / "file.end").touch()
    _out, err = process.communicate()
    assert process.returncode == 0
    return err


@pytest.mark.tries(3)
def test_profile_removed_under_the_process(jostle: Runner, build: Compile) -> None:
    """A cleaner deletes the file: a new one holds all there is."""
    process = begun(jostle, build)
    for path in jostle.spool.glob("*.jst"):
        path.unlink()
    ended(jostle, process)
    jostle.collect().check("posix")


@pytest.mark.parametrize("bytes_", [0, 512, 100_000])
def test_file_size_limit(jostle: Runner, build: Compile, bytes_: int) -> None:
    """`ulimit -f`: our file must not raise SIGXFSZ in the program."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))

    script = (
        "import os; f = os.open('/etc/hosts', 0); [os.pread(f, 1 << 16, 0) for i in range(9999)]"
    )
    result = jostle.run(sys.executable, "-S", "-c", script, preexec_fn=limit)
    assert result.stderr.count("\n") <= 1
    assert "jostle" in result.stderr or result.stderr == ""


def test_no_more_processes(jostle: Runner, build: Compile) -> None:
    """`ulimit -u`: where no heartbeat can be had, the live counters still hold everything."""
    needs_root()
    jostle.spool.chmod(0o1777)
    jostle.data.chmod(0o777)
    open_path(jostle.data)
    open_path(build("ends.c").parent)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

    user = {"user": 65531, "group": 65534, "extra_groups": []}
    result = large(jostle, build, preexec_fn=limit, **user)
    assert result.stderr == ""
    result.check("posix")


@pytest.mark.parametrize("count", range(4, 9))
def test_few_descriptors(jostle: Runner, build: Compile, count: int) -> None:
    """`ulimit -n` that leaves the program just what it needs leaves it that much with jostle."""
    needs_plain_build(jostle.library)
    program = build("few_fds.c")

    bare = run_limited([str(program), str(jostle.data)], count, {})
    seen = run_limited(
        [str(program), str(jostle.data)],
        count,
        {
            "LD_PRELOAD": str(jostle.library),
            "JOSTLE_SPOOL": str(jostle.spool),
            "JOSTLE_SLICE": "100ms",
        },
    )
    assert seen[:2] == bare[:2]
    assert seen[2].count("\n") <= 1


def run_limited(command: list[str], count: int, more: dict[str, str]) -> tuple[int, str, str]:
    """Run a command that may open `count` descriptors; the loader comes before the limit bites."""
    script = f'ulimit -n {count}; exec "$@"'
    setting = [f"{k}={v}" for k, v in more.items()]
    done = subprocess.run(
        ["/bin/bash", "-c", script, "sh", "/usr/bin/env", *setting, *command],
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.returncode, done.stdout, done.stderr


def test_without_proc(jostle: Runner, build: Compile, tmp_path: Path) -> None:
    """In a chroot without /proc, /dev and /etc the counts are the same."""
    needs_root()
    needs_plain_build(jostle.library)
    jail = tmp_path / "jail"
    program = build("ends.c", "-static-libgcc")
    for source in [program, jostle.library, *needed(program), *needed(jostle.library)]:
        target = jail / str(source).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for folder in ("spool", "truth", "data"):
        (jail / folder).mkdir()
    env = {"JOSTLE_SPOOL": "/spool", "TRUTH": "/truth"}
    program_env = jostle.environment() | env
    done = subprocess.run(
        [sys.executable, "-c", _IN_JAIL, jail, program, "/data", "return", "large"],
        env=program_env | {"JAIL_PRELOAD": program_env.pop("LD_PRELOAD")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    inside = Runner.__new__(Runner)
    inside.spool, inside.truth = jail / "spool", jail / "truth"
    result = inside.collect()
    result.check("posix")
    assert peek.read_spool(inside.spool)[0].job == "test"


_IN_JAIL = """
import os, sys
os.environ["LD_PRELOAD"] = os.environ.pop("JAIL_PRELOAD")
os.chroot(sys.argv[1]); os.chdir("/")
os.execv(sys.argv[2], sys.argv[2:])
"""


def needed(binary: Path) -> list[Path]:
    """Shared objects that a program loads."""
    listing = subprocess.run(["ldd", binary], capture_output=True, text=True).stdout
    words = [w for line in listing.splitlines() for w in line.split() if w.startswith("/")]
    return [Path(w) for w in words if Path(w).exists()]
