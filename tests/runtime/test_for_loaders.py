"""The name for launchers' preloads: a library for 64-bit programs, nothing for 32-bit programs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import Runner, for_loaders, needs_plain_build

COMPLAINT = "cannot be preloaded"
PROGRAM = r"""
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    (void)argc;
    return write(1, "32\n", 3) == 3 ? system(argv[1]) : 1;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A 32-bit program that starts a command."""
    source, program = tmp_path / "small.c", tmp_path / "small"
    source.write_text(PROGRAM)
    words = ["cc", "-m32", source, "-o", program]
    if subprocess.run(words, capture_output=True).returncode:
        pytest.skip("no 32-bit programs are made here (Debian: gcc-multilib)")
    if subprocess.run([program, "true"], capture_output=True).returncode:
        pytest.skip("no 32-bit programs run here")
    return program


def test_a_32_bit_program_sees_nothing_of_it(jostle: Runner, program: Path) -> None:
    """And the 64-bit programs that it starts are counted."""
    needs_plain_build(jostle.library)
    command = (program, "dd if=/dev/zero of=written bs=1000 count=37 status=none")
    bare = jostle.run(*command, preload=[jostle.library])
    assert COMPLAINT in bare.stderr, "by the library's own name the loader complains"
    before = bare.total("posix_write_bytes")
    result = jostle.run(*command, preload=[for_loaders(jostle.library)])
    assert (result.stdout, result.stderr) == ("32\n", "")
    written = sum(p.total("posix_write_bytes") for p in result.named("dd")) - before
    assert written == 37_000


@pytest.mark.parametrize("launcher", ["jostle-run", "jostle run"])
def test_both_launchers(jostle: Runner, program: Path, launcher: str) -> None:
    needs_plain_build(jostle.library)
    for_loaders(jostle.library)
    words = [jostle.library.parent / "jostle-run", "--"]
    if launcher == "jostle run":
        words = [sys.executable, "-m", "jostle.cli", "run", "--"]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "LD_"))}
    env |= {"JOSTLE_SPOOL": str(jostle.spool), "JOSTLE_NATIVE": str(jostle.library.parent)}
    words += [program, "echo $LD_PRELOAD"]
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    assert done.stdout == f"32\n{for_loaders(jostle.library)}\n"
    assert COMPLAINT not in done.stderr


def test_the_small_library_asks_for_nothing(jostle: Runner) -> None:
    """No symbol, no other library, no stack that can be executed."""
    small = Path(str(for_loaders(jostle.library)).replace("$PLATFORM", "i686"))
    words = ["readelf", "-hdlW", small]
    headers = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert re.search(r"Class: +ELF32", headers) and "NEEDED" not in headers
    assert re.search(r"GNU_STACK .* RW +0x", headers)


def test_every_platform_that_loaders_name(jostle: Runner) -> None:
    """glibc puts in the processor's kind, up to 2.36 a closer one; a shell would put in nothing."""
    name = str(for_loaders(jostle.library))
    for platform in ("x86_64", "haswell", "xeon_phi", ""):
        assert Path(name.replace("$PLATFORM", platform)).samefile(jostle.library)
