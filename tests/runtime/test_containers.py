"""In a container without the library, the loader prints nothing about it in the job's output.

The first test shows the problem: what a launcher without the library does. Apptainer is no package
of this system; it is written in Go and starts programs without libc, so it has a variable instead
(integrations/slurm/README.md).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Runner, for_loaders, needs_root

COMPLAINT = "cannot be preloaded"


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A root with a shell and `true`, and no more."""
    root = tmp_path / "image"
    for name in ("sh", "true", "env"):
        program = Path(shutil.which(name) or "").resolve()
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        files = [word for word in listed.split() if word.startswith("/")]
        for source in (str(program), *files):
            target = root / source.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        link = root / "bin" / name
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(program)
    for name in ("dev", "proc", "etc", "tmp", "home", "root", "run", "sys", "var", "usr"):
        (root / name).mkdir(exist_ok=True)
    for name in ("passwd", "group", "hosts", "resolv.conf"):  # ch-run puts its own over them
        (root / "etc" / name).touch()
    return root


def launched(launcher: str, image: Path) -> list[str]:
    words = {
        "chroot": ["chroot", str(image)],
        "unshare": ["unshare", "--mount", "--root", str(image)],
        "bwrap": ["bwrap", "--bind", str(image), "/", "--dev", "/dev"],
        "ch-run": ["ch-run", "--no-home", str(image), "--"],
    }[launcher]
    if shutil.which(launcher) is None:
        pytest.skip(f"{launcher} is not installed")
    return [*words, "/bin/sh", "-c", "/bin/true; /bin/env"]


def test_what_it_is_about(jostle: Runner, image: Path) -> None:
    needs_root()
    words = ["env", f"LD_PRELOAD={jostle.library}", "/bin/true"]
    done = subprocess.run(["chroot", image, *words], capture_output=True, text=True, check=True)
    assert COMPLAINT in done.stderr


@pytest.mark.parametrize("named", [Path, for_loaders])
@pytest.mark.parametrize("launcher", ["chroot", "unshare", "bwrap", "ch-run"])
def test_a_launcher_leaves_it_out(
    jostle: Runner, image: Path, launcher: str, named: Callable[[Path], Path]
) -> None:
    """The user's own preloads are passed on."""
    needs_root()
    if launcher == "ch-run" and Path(jostle.library).is_relative_to("/tmp"):
        pytest.skip("ch-run shows the host's /tmp, so the library is there")
    libm = "libm.so.6"
    (image / "lib64").mkdir(exist_ok=True)
    found = next(Path("/").glob(f"lib/*/{libm}"))
    shutil.copy(found, image / found.parent.relative_to("/"))
    env = os.environ | {"LD_PRELOAD": f"{named(jostle.library)}:{libm}", "USER": "root"}
    env["JOSTLE_SPOOL"] = str(image.parent)
    done = subprocess.run(launched(launcher, image), capture_output=True, text=True, env=env)
    if done.returncode and COMPLAINT not in done.stderr:
        pytest.skip(f"{launcher} does not work here: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0 and COMPLAINT not in done.stderr, done.stderr
    assert f"LD_PRELOAD={libm}\n" in done.stdout


@pytest.mark.parametrize("named", [Path, for_loaders])
def test_where_the_library_is_it_stays(jostle: Runner, named: Callable[[Path], Path]) -> None:
    name = str(named(jostle.library))
    for launcher in (["env"], ["setsid", "--wait"]):
        result = subprocess.run(
            [*launcher, "sh", "-c", "echo $LD_PRELOAD"],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"LD_PRELOAD": name, "JOSTLE_SPOOL": str(jostle.data)},
        )
        assert result.stdout == f"{name}\n"
