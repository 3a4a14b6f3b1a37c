"""Libraries of one name for several architectures: the one for this machine is found."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from jostle.files.loadable import find_library, is_elf, is_loadable

PROGRAM = Path(sys.executable)
#: Where the ELF header holds the class, the byte order and the processor.
FIELDS = {"32-bit or x32": 4, "another byte order": 5, "another processor": 18}


@pytest.fixture
def libraries(tmp_path: Path) -> dict[str, Path]:
    """One library of this machine, and one for each other kind; all have the same name."""
    made = {}
    for number, (kind, at) in enumerate({**FIELDS, "this machine": None}.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        made[kind] = Path(shutil.copy(PROGRAM, folder / "libx.so.1"))
        if at is not None:
            header = bytearray(made[kind].read_bytes())
            header[at] ^= 3
            made[kind].write_bytes(header)
    return made


def test_a_library_of_another_kind_cannot_be_loaded(
    libraries: dict[str, Path], tmp_path: Path
) -> None:
    assert [kind for kind, path in libraries.items() if is_loadable(path)] == ["this machine"]
    assert all(map(is_elf, libraries.values()))
    (tmp_path / "libtext.so").write_text("GROUP ( libx.so.1 )")
    assert not is_elf(tmp_path / "libtext.so")
    for path in (tmp_path / "libtext.so", tmp_path / "libnone.so", tmp_path):
        assert not is_loadable(path)


def test_the_loader_lists_another_kind_first(
    libraries: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with gcc-multilib, where /libx32 comes before /lib."""
    ldconfig = tmp_path / "ldconfig"
    lines = "\n".join(f"\tlibx.so.1 (libc6,x32) => {path}" for path in libraries.values())
    ldconfig.write_text(f"#!/bin/sh\ncat <<end\n4 libs found in cache\n{lines}\nend\n")
    ldconfig.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert find_library("libx.so.1") == str(libraries["this machine"])
    assert find_library("libx.so") == ""
    libraries["this machine"].unlink()
    assert find_library("libx.so.1") == ""


def test_the_real_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    """It also works for a user without /sbin on PATH."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if shutil.which("ldconfig", path="/usr/sbin:/sbin") is None:
        pytest.skip("needs ldconfig")
    assert is_loadable(find_library("libc.so.6"))
