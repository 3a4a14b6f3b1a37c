"""What a wheel holds in addition to Python: the web front end (not in git) and the runtime."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/jostle/server/static"


@pytest.mark.skipif(not (STATIC / "index.html").exists(), reason="the front end was not built")
def test_a_wheel_holds_the_web_front_end(tmp_path):
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--config-settings",
            "wheel.cmake=false",
            "--wheel-dir",
            tmp_path,
            ROOT,
        ],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    built = {
        f"jostle/{path.relative_to(ROOT / 'src/jostle')}"
        for path in STATIC.rglob("*")
        if path.is_file()
    }
    assert built <= set(names)
    assert not [name for name in names if "node_modules" in name]
    (inside,) = [name for name in names if name.endswith(".dist-info/sboms/jostle.cdx.json")]
    assert zipfile.ZipFile(wheel).read(inside) == (ROOT / "sbom.cdx.json").read_bytes()


@pytest.mark.in_turn
def test_a_portable_build_needs_no_new_glibc(tmp_path: Path) -> None:
    """A wheel for others runs where glibc 2.28 is, though it is built where a newer one is."""
    if not shutil.which("ninja") or platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("no ninja, or a processor that portable builds do not know")
    # Adapters take long to compile; what they ask of glibc is dlsym, as libjostle.so does.
    options = ["-DJOSTLE_PORTABLE=ON", "-DJOSTLE_MPICC=", "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1"]
    quiet = {"check": True, "capture_output": True}
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, *options], **quiet)
    targets = ["jostle", "jostle-decode", "jostle-run", "jostle-timer"]
    subprocess.run(["cmake", "--build", tmp_path, "--target", *targets], **quiet)
    built = [path for path in (tmp_path / "native").iterdir() if path.is_file()]
    built = [path for path in built if path.read_bytes()[:4] == b"\x7fELF"]
    assert len(built) >= len(targets)
    for path in built:
        symbols = subprocess.run(["objdump", "-T", path], text=True, **quiet).stdout
        asked = re.findall(r"\*UND\*.*GLIBC_2\.(\d+)", symbols)
        assert not [minor for minor in asked if int(minor) > 28], (path.name, symbols)
    spool = tmp_path / "spool"
    spool.mkdir()
    command = [tmp_path / "native/jostle-run", "--spool", spool, "--", "cat", "/etc/hostname"]
    subprocess.run(command, **quiet)
    assert list(spool.glob("*.js?"))
