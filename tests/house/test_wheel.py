"""What a wheel holds besides Python: git leaves the web front end out, the wheel must not."""

from __future__ import annotations

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
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--config-settings", "wheel.cmake=false", "--wheel-dir", tmp_path, ROOT],
        check=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    built = {
        f"jostle/{path.relative_to(ROOT / 'src/jostle')}"
        for path in STATIC.rglob("*") if path.is_file()
    }  # fmt: skip
    assert built <= set(names)
    assert not [name for name in names if "node_modules" in name]
    (inside,) = [name for name in names if name.endswith(".dist-info/sboms/jostle.cdx.json")]
    assert zipfile.ZipFile(wheel).read(inside) == (ROOT / "sbom.cdx.json").read_bytes()
