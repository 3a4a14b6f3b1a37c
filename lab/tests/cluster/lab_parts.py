"""Helpers of the tests of a lab's parts: a lab of their own, and programs to run in it."""

from __future__ import annotations

import os
import re
import select
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from jostle import NativeMissingError, native_path
from jostle_lab.cluster import Lab, LabError, LabSpec, up
from jostle_lab.cluster.checks import check_machine
from jostle_lab.cluster.lab import down
from jostle_lab.cluster.state import names

MIB = 1 << 20


def needed(spec: LabSpec) -> None:
    """Skip the test where such a lab cannot be built."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    try:
        check_machine(spec)
    except LabError as error:
        pytest.skip(f"{error} ({error.hint})")


def native(name: str) -> Path | None:
    """A built native file, or None."""
    try:
        return native_path(name)
    except NativeMissingError:
        return None


@contextmanager
def lab_of(part: str, **fields: object) -> Iterator[Lab]:
    """A lab with a name of this process's own; it is taken down whatever happens."""
    name = f"test-{part}-{os.getpid()}"
    spec = LabSpec(**{"name": name, "nodes": 2, "size": "256MiB", **fields})  # type: ignore[arg-type]
    needed(spec)
    try:
        yield up(spec)
    finally:
        if name in names():
            down(name)


def on(
    lab: Lab,
    node: str,
    *argv: str | Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> str:
    """Runs a command on a node; gives its output, if it succeeds."""
    done = subprocess.run(
        lab.command(node, [*map(str, argv)], env, cwd="/"),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, f"{argv}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def mounts(lab: Lab) -> set[tuple[str, str]]:
    """Type and source of the shared file system, as its nodes see it: one pair if all agree."""
    seen = set()
    for node in lab.nodes:
        for line in on(lab, node, "cat", "/proc/self/mountinfo").splitlines():
            if f" {lab.shared} " in line:
                kind, source = line.split(" - ")[1].split()[:2]
                seen.add((kind, source))
    return seen


def dd(lab: Lab, name: str, size: int, *more: str) -> list[str]:
    """The dd that writes a file of `size` bytes to the shared file system."""
    count = size // MIB
    return ["dd", "if=/dev/zero", f"of={lab.shared}/{name}", "bs=1M", f"count={count}", *more]


def rate(words: str) -> float:
    """Bytes per second that a dd reports."""
    match = re.search(r"(\d+) bytes .* copied, ([\d.]+) s", words)
    assert match, words
    return int(match[1]) / float(match[2])


def together(lab: Lab, *jobs: tuple[str, list[str]]) -> list[float]:
    """Run dds on nodes at once; what each reports, in bytes per second."""
    started = [lab.popen(node, argv, stderr=subprocess.PIPE, text=True) for node, argv in jobs]
    said = [process.communicate(timeout=60)[1] for process in started]
    assert all(process.returncode == 0 for process in started), said
    return [rate(words) for words in said]


def remains(lab: Lab) -> list[str]:
    """The remains of a lab on this machine: folders, mounts, loop devices, processes."""
    found = [
        str(path) for path in (lab.folder, Path("/var/tmp/jostle-lab") / lab.name) if path.exists()
    ]
    found += [
        line
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if f"/jostle-lab/{lab.name}/" in line
    ]
    for path in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            text = path.read_text()
        except OSError:
            continue
        if f"/jostle-lab/{lab.name}/" in text:
            found.append(text)
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if f"/jostle-lab/{lab.name}/" in words:
            found.append(words)
    return found


def kill(lab: Lab) -> None:
    """End a lab's process 1 as a crash does, and wait until the kernel has ended the others."""
    descriptor = os.pidfd_open(lab.state.pid)
    os.kill(lab.state.pid, 9)
    assert select.select([descriptor], [], [], 60)[0]
    os.close(descriptor)
