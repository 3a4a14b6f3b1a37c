"""The release archive: its content, that it is reproducible, and that it builds by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

import jostle

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import dist  # noqa: E402

sys.path.pop(0)

pytestmark = pytest.mark.skipif(not dist.STATIC.exists(), reason="the front end was not built")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dist.make_archive(tmp_path_factory.mktemp("dist"))


def test_it_holds_the_project_and_nothing_that_was_made_here(archive: Path) -> None:
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert archive.name == f"jostle-{jostle.__version__}.tar.gz"
    tracked = dist.output("git", "ls-files").splitlines()
    lacking = [name for name in tracked if name not in names and (ROOT / name).is_file()]
    assert [name for name in lacking if not name.startswith((".ci", "build"))] == []
    assert "src/jostle/server/static/index.html" in names
    made = {name.split("/")[0] for name in names} - {name.split("/")[0] for name in tracked}
    assert made <= {"PKG-INFO", ""}
    assert not [name for name in names if "__pycache__" in name or "node_modules" in name]


def test_it_is_the_same_for_the_same_commit(archive: Path, tmp_path: Path) -> None:
    assert dist.make_archive(tmp_path).read_bytes() == archive.read_bytes()


def test_an_archive_of_uncommitted_changes_is_refused() -> None:
    if not dist.output("git", "status", "--porcelain"):
        pytest.skip("there are none here")
    done = subprocess.run([ROOT / "tools/dist.py"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "these changes are in no commit" in done.stderr


@pytest.mark.nightly  # minutes: it compiles everything
def test_it_builds_in_a_clean_folder(archive: Path, tmp_path: Path) -> None:
    """As the recipes build it: a wheel with pip, and what a node needs with CMake."""
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("jostle-*")
    quiet = {"check": True, "capture_output": True, "text": True}
    settings = ["cmake.define.JOSTLE_MPICC=", "install.components=native"]
    options = [word for each in settings for word in ("--config-settings", each)]
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", *options]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JOSTLE")}
    subprocess.run([*pip, "--wheel-dir", tmp_path, source], env=environment, **quiet)
    (wheel,) = tmp_path.glob("*.whl")
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", target, wheel]
    subprocess.run(install, **quiet)
    # Without site (-S), what is installed here for development is not found first.
    paths = f"{target}:{sysconfig.get_path('purelib')}"
    alone = environment | {"PYTHONPATH": paths, "JOSTLE_REPOSITORY": str(tmp_path / "r")}
    run = "from jostle.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    words = ["run", "--job", "it", "--", "head", "-c", "200000", "/dev/zero"]
    python = [sys.executable, "-S", "-c", run]
    subprocess.run(
        [*python, *words], env=alone, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL
    )
    assert (target / "jostle/server/static/index.html").exists()
    build, prefix = tmp_path / "build", tmp_path / "prefix"
    cmake = ["cmake", "-G", "Ninja", "-DJOSTLE_MPICC=", "-S", source, "-B", build]
    subprocess.run(cmake, **quiet)
    subprocess.run(["cmake", "--build", build], **quiet)
    install = ["cmake", "--install", build, "--component", "native", "--prefix", prefix]
    subprocess.run(install, **quiet)
    spool = tmp_path / "spool"
    spool.mkdir()
    launcher = [prefix / "bin/jostle-run", "--spool", spool, "--", "cat", "/etc/hostname"]
    subprocess.run(launcher, env=environment, **quiet)
    assert list(spool.glob("*.js?"))
