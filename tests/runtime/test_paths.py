"""A variable of jostle may name any path: no program waits for it, fails, or prints more."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Runner

SYSTEM_FILE = Path("/etc/jostle/jostle.conf")
_SCRIPT = "echo out; echo err >&2; /bin/cat /dev/null; exit 7"


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        os.chdir(path.parent)  # the address is short
        one.bind(path.name)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _closed(path: Path) -> None:
    path.write_text("slice = 1s\n")
    path.chmod(0)


KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "link to a pipe": lambda path: (os.mkfifo(f"{path}.pipe"), path.symlink_to(f"{path}.pipe")),
    "socket": _socket,
    "huge file": _huge,
    "closed file": _closed,
    "folder": Path.mkdir,
    "link to itself": lambda path: path.symlink_to(path),
    "link to nothing": lambda path: path.symlink_to(f"{path}.gone"),
    "below a file": lambda path: path.parent.joinpath("file").write_text(""),
    "nothing": lambda path: None,
    "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "/dev/tty": lambda path: path.symlink_to("/dev/tty"),
    "/dev/full": lambda path: path.symlink_to("/dev/full"),
    "/proc/kmsg": lambda path: path.symlink_to("/proc/kmsg"),
    "own standard input": lambda path: path.symlink_to("/proc/self/fd/0"),
}
NAMES = [
    "JOSTLE",
    "JOSTLE_SLICE",
    "JOSTLE_SPOOL",
    "JOSTLE_SEGMENTS",
    "JOSTLE_SEGMENT_SPAN",
    "JOSTLE_CORE_PROBE",
    "JOSTLE_PEERS",
    "JOSTLE_PAPI",
    "JOSTLE_PERF",
    "JOSTLE_DIGEST",
    "JOSTLE_EXCLUDE_PROGRAMS",
    "JOSTLE_EXCLUDE_PATHS",
    "JOSTLE_CONFIG",
    "JOSTLE_JOB",
    "JOSTLE_COMMAND",
    "JOSTLE_INJECT",
]


def _named(folder: Path, kind: str) -> Path:
    path = folder / "named"
    KINDS[kind](path)
    return folder / "file" / "named" if kind == "below a file" else path


def _finish(process: subprocess.Popen[str]) -> tuple[str, str, int]:
    try:
        out, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail("it hangs")
    return out, err, process.returncode


@pytest.mark.parametrize("kind", KINDS)
def test_no_path_stops_a_program(
    jostle: Runner, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same output and status as bare, with one line of ours at most, whatever a variable names."""
    monkeypatch.chdir(tmp_path)
    path = _named(tmp_path, kind)
    injector = jostle.library.with_name("libjostle_inject.so")
    wrong = {}
    for name in NAMES:
        inject = name == "JOSTLE_INJECT"
        value = f"calls=io delay=fixed:1us log={path}" if inject else str(path)
        libraries = [*jostle.preload(), *([injector] if inject else [])]
        read, write = os.pipe()  # standard input is a pipe that nobody writes to
        process = jostle.start(
            "/bin/sh", "-c", _SCRIPT, preload=libraries, env={name: value}, stdin=read
        )
        os.close(read)
        out, err, status = _finish(process)
        os.close(write)
        said = [line for line in err.splitlines() if line != "err"]
        if (out, status) != ("out\n", 7) or "err\n" not in err or len(said) > 1:
            wrong[name] = (out, err, status)
    assert not wrong


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_no_configuration(jostle: Runner, tmp_path: Path, kind: str) -> None:
    """It is named, with the reason, and the defaults hold."""
    if SYSTEM_FILE.exists():
        pytest.skip(f"{SYSTEM_FILE} exists: JOSTLE_CONFIG has no effect on this machine")
    path = _named(tmp_path, kind)
    process = jostle.start("/bin/true", env={"JOSTLE_CONFIG": str(path)}, process_group=0)
    _out, err, status = _finish(process)
    assert status == 0
    if (kind == "closed file" and os.geteuid() == 0) or kind == "own standard input":
        return  # root may read it; /dev/null is an empty one
    assert err.count("\n") == 1 and f"'{path}'" in err
    reasons = {
        "huge file": "larger than 64 KiB",
        "link to nothing": "no such file",
        "below a file": "no such file",
        "nothing": "no such file",
        "closed file": "permission",
        "link to itself": "it is ignored",
        "/proc/kmsg": "it is ignored",
    }
    assert reasons.get(kind, "no regular file") in err


def test_dev_null_is_an_empty_configuration(jostle: Runner) -> None:
    """A user who wants none names /dev/null; nothing is printed."""
    _out, err, status = _finish(jostle.start("/bin/true", env={"JOSTLE_CONFIG": "/dev/null"}))
    assert (err, status) == ("", 0)


def test_a_configuration_may_be_long(jostle: Runner, tmp_path: Path) -> None:
    """Settings after many lines of comment count, too."""
    if SYSTEM_FILE.exists():
        pytest.skip(f"{SYSTEM_FILE} exists: JOSTLE_CONFIG has no effect on this machine")
    path = tmp_path / "jostle.conf"
    path.write_text("# a comment\n" * 5000 + "enabled = off\n")
    jostle.run("/bin/true", env={"JOSTLE_CONFIG": str(path)})
    assert not list(jostle.spool.iterdir())


@pytest.mark.parametrize("name", ["order", "log"])
def test_what_waits_in_the_folder_of_delays(jostle: Runner, tmp_path: Path, name: str) -> None:
    """A pipe under the name that the injector would use stops nobody."""
    folder = tmp_path / "delays"
    folder.mkdir()
    host = os.uname().nodename.replace("/", "_")
    os.mkfifo(folder / (f"inject-{host}.order" if name == "order" else f"inject-{host}-1.jil"))
    injector = jostle.library.with_name("libjostle_inject.so")
    rules = f"calls=io delay=fixed:1us log={folder}"
    process = jostle.start(
        "/bin/cat",
        "/etc/passwd",
        preload=[*jostle.preload(), injector],
        env={"JOSTLE_INJECT": rules},
    )
    out, _err, status = _finish(process)
    assert (out, status) == (Path("/etc/passwd").read_text(), 0)
