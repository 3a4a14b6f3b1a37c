"""Fixtures: a runner with folders of its own, compiled programs, a second file system."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness import PROGRAMS, Compile, Runner
from tracing import Tools


@pytest.fixture
def jostle(library: Path, tmp_path: Path) -> Runner:
    """A runner with a spool, a data folder and a folder for accounts of its own."""
    return Runner(library, tmp_path)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compile a test program once per session and set of flags."""
    folder = tmp_path_factory.mktemp("programs")
    done: dict[tuple[str, ...], Path] = {}

    def compiled(source: str, *flags: str) -> Path:
        key = (source, *flags)
        if key not in done:
            target = folder / f"{source.split('.')[0]}-{len(done)}"
            compiler = "g++" if source.endswith(".cc") else "cc"
            if "-shared" in flags:
                target = target.with_suffix(".so")
            command = [compiler, "-g", "-Wall", "-O1", str(PROGRAMS[source]), "-o", str(target)]
            subprocess.run([*command, *flags, "-pthread", "-ldl", "-lrt"], check=True)
            done[key] = target
        return done[key]

    return compiled


@pytest.fixture(scope="session")
def build_runtime(build: Compile, root: Path) -> Compile:
    """Compile a test program together with the runtime's own sources.

    These are kept in build/tests-runtime by what they were made of.
    """
    source, kept = root / "runtime" / "src", root / "build" / "tests-runtime"
    modules = [f"-DJST_WITH_{m}=1" for m in ("POSIX", "STDIO", "OS", "AIO", "MPI")]
    common = [
        "-D_GNU_SOURCE",
        "-U_FORTIFY_SOURCE",
        "-fvisibility=hidden",
        "-O0",
        "-g1",
        *modules,
        '-DJST_VERSION="test"',
        f"-I{root / 'runtime' / 'include'}",
        f"-I{source}",
        f"-I{root / 'schema'}",
    ]
    objects: dict[tuple[str, ...], Path] = {}

    def digest(command: list[str]) -> str:
        checksum = hashlib.sha256("\0".join(command).encode())
        for folder in (root / "runtime" / "include", source, root / "schema"):
            for path in sorted(folder.rglob("*.*")):
                checksum.update(path.read_bytes())
        checksum.update(subprocess.check_output(["cc", "--version"]))
        return checksum.hexdigest()[:16]

    def compiled(program: str, *flags: str) -> Path:
        ours = tuple(f for f in flags if f.startswith(("-fsanitize", "-DJST_")))
        if ours not in objects:
            files = sorted(source.rglob("*.[cS]"))
            command = ["cc", "-r", "-nostdlib", *common, *ours, *map(str, files)]
            objects[ours] = kept / f"{digest(command)}.o"
            if not objects[ours].exists():
                kept.mkdir(parents=True, exist_ok=True)
                made = kept / f".{os.getpid()}.o"
                subprocess.run([*command, "-o", made], check=True)
                made.rename(objects[ours])
        return build(program, *common, *flags, str(objects[ours]))

    return compiled


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """Commands that run the test programs of managed languages."""
    return Tools(tmp_path_factory.mktemp("tools"))


@pytest.fixture
def other_mount(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system than tmp_path."""
    shm = Path("/dev/shm")
    if not os.access(shm, os.W_OK) or shm.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second file system on /dev/shm")
    folder = shm / f"jostle-test-{os.getpid()}"
    folder.mkdir(mode=0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
