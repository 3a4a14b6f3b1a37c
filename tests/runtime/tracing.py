"""What a command did to the files below a folder according to strace: an independent truth."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness import PROGRAMS, Runner

_READS = "read|pread64|readv|preadv|preadv2"
_WRITES = "write|pwrite64|writev|pwritev|pwritev2"
_OPENS = "open|openat|creat"
_SYNCS = "fsync|fdatasync|sync_file_range|syncfs"
#: What `add_up` wants to see, as a regular expression.
SYSTEM_CALLS = f"{_READS}|{_WRITES}|{_OPENS}|{_SYNCS}|lseek|sendfile|copy_file_range|splice"
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_UNFINISHED = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")


@dataclass
class Traced:
    """Successful system calls on the files below one folder."""

    reads: int = 0
    bytes_read: int = 0
    writes: int = 0
    bytes_written: int = 0
    opens: int = 0
    folders: int = 0  # of the opens, those with O_DIRECTORY
    seeks: int = 0
    syncs: int = 0


def trace(jostle: Runner, *command: str | Path, about: Path) -> Traced:
    """Run a command under strace, without the preload, and add up its calls.

    Args:
        jostle: for the environment.
        command: the program and its arguments.
        about: the folder whose files count.
    """
    log = jostle.truth.parent / "strace.log"
    strace = ["strace", "-f", "-y", "-s", "0", "-o", log, "-e", "signal=none"]
    expression = f"trace=/^({SYSTEM_CALLS})$"
    environment = jostle.environment(preload=[])
    subprocess.run(
        [*map(str, strace), "-e", expression, *map(str, command)],
        env=environment,
        check=True,
        cwd=jostle.data,
        timeout=120,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return add_up(log.read_text(errors="replace").splitlines(), str(about))


def add_up(lines: list[str], folder: str) -> Traced:
    """Add up the calls of a strace log whose descriptor or path lies below a folder."""
    out = Traced()
    waiting: dict[str, str] = {}
    for line in lines:
        if held := _UNFINISHED.match(line):
            waiting[held[1]] = f"{held[1]} {held[2]}"
            continue
        if resumed := _RESUMED.match(line):
            line = waiting.pop(resumed[1], "") + resumed[2]
        call = _CALL.match(line)
        if call is None or int(call[3]) < 0:
            continue
        name, arguments, value = call[1], call[2], int(call[3])
        ours = [f"<{folder}/" in part for part in arguments.split(", ")]
        if re.fullmatch(_OPENS, name):
            opened = f"<{folder}/" in line.rpartition("=")[2]
            out.opens += opened
            out.folders += opened and "O_DIRECTORY" in arguments
        elif name in ("sendfile", "copy_file_range", "splice"):
            source, target = (1, 0) if name == "sendfile" else (0, 2)
            if ours[source]:
                out.reads, out.bytes_read = out.reads + 1, out.bytes_read + value
            if ours[target]:
                out.writes, out.bytes_written = out.writes + 1, out.bytes_written + value
        elif not ours[0]:
            continue
        elif re.fullmatch(_READS, name):
            out.reads, out.bytes_read = out.reads + 1, out.bytes_read + value
        elif re.fullmatch(_WRITES, name):
            out.writes, out.bytes_written = out.writes + 1, out.bytes_written + value
        elif name == "lseek":
            out.seeks += 1
        else:
            out.syncs += 1
    return out


class Tools:
    """Commands that run the test program of a managed language."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, language: str, folder: Path) -> list[str | Path]:
        """The command line, up to the folder to work in."""
        if language == "python":
            return [sys.executable, "-S", PROGRAMS["plain.py"]]
        if shutil.which("javac") is None or shutil.which("java") is None:
            pytest.skip("needs a Java compiler and runtime")
        classes = self.folder / "java"
        if not classes.exists():
            subprocess.run(["javac", "-d", classes, PROGRAMS["Plain.java"]], check=True)
        return ["java", "-Xint", "-XX:+UseSerialGC", "-Xshare:auto", "-cp", classes, "Plain"]
