"""Other users cannot harm a lab by its folders, and a broken state file harms nothing."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_tools import CLI, NAME, traces

from jostle_lab.cluster import LabError, LabSpec, up
from jostle_lab.cluster.state import read_state
from jostle_lab.cluster.store import own_folder, trusted

ROOT = Path(__file__).parents[3]
NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="being two users needs root")


def give_away(folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)


def link_elsewhere(folder: Path) -> None:
    folder.with_name("elsewhere").mkdir(mode=0o755)
    folder.symlink_to(folder.with_name("elsewhere"))


def open_to_all(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


@needs_root
@pytest.mark.parametrize("made", [give_away, link_elsewhere, open_to_all])
def test_folders_of_others_are_not_trusted(tmp_path: Path, made: Callable[[Path], None]) -> None:
    folder = tmp_path / "base"
    made(folder)
    with pytest.raises(LabError, match="Other users can write") as caught:
        own_folder(folder, 0o700)
    assert f"ls -ld {folder}" in caught.value.hint
    with pytest.raises(LabError):
        trusted(folder)


def test_own_folder(tmp_path: Path) -> None:
    folder = own_folder(tmp_path / "base", 0o700)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert own_folder(folder, 0o700) == trusted(folder) == folder


@needs_root
@pytest.mark.usefixtures("can_lab")
@pytest.mark.skipif(not shutil.which("unshare"), reason="unshare is not installed")
def test_links_of_another_user_where_disk_images_go(tmp_path: Path) -> None:
    """Nothing is written through them, and nothing behind them is removed."""
    name = f"{NAME}-y"
    precious = tmp_path / "precious"
    precious.write_text("precious")
    victim = tmp_path / "home" / name
    victim.mkdir(parents=True)
    (victim / "file").write_text("precious")
    hostile = f"""
        mount --bind {tmp_path} /var/tmp || exit 77
        mkdir -p /var/tmp/jostle-lab/{name}
        ln -s {precious} /var/tmp/jostle-lab/{name}/store.img
        chown -R {NOBODY} /var/tmp/jostle-lab
        "$@" && exit 3
        rm -r /var/tmp/jostle-lab
        ln -s {tmp_path}/home /var/tmp/jostle-lab
        "$@" && exit 4
        exit 0
    """
    up_disk = [*CLI, "lab", "up", "--fs", "plain", "--store", "disk", "--nodes", "1"]
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", hostile, "sh", *up_disk, "--size", "64MiB", "--name", name],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip("this machine lets root mount nothing")
    assert done.returncode == 0 and done.stderr.count("Other users can write") == 2, done.stderr
    assert precious.read_text() == "precious" == (victim / "file").read_text()
    assert traces(name) == []


@needs_root
@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv is not installed")
def test_lab_that_another_user_has_made_up_for_us(tmp_path: Path) -> None:
    """Its state file would choose the environment of our commands."""
    base = Path(f"/tmp/jostle-lab-{NOBODY}")
    script = f"""
        mount -t tmpfs -o mode=1777 own /tmp || exit 77
        mkdir -p {base}/lab
        exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups "$@"
    """
    attach = "from jostle_lab.cluster import attach\nattach()"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", "/usr/bin/python3", "-c", attach],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'lab/src'}"},
    )
    if done.returncode == 77 or "ModuleNotFoundError" in done.stderr or sys.version_info < (3, 11):
        pytest.skip("nobody cannot run jostle here")
    assert f"Other users can write to {base}, or own it" in done.stderr


@needs_root
@pytest.mark.usefixtures("can_lab")
def test_spools_belong_to_the_lab() -> None:
    """All may write to them, and nobody can put something else in their place."""
    lab = up(LabSpec(name=f"{NAME}-z", nodes=1, fs="plain", size="64MiB"))
    try:
        for host in ("storage", "node1"):
            for folder in (lab.local(host), lab.local(host) / "spool"):
                found = folder.lstat()
                assert found.st_uid == 0 and stat.filemode(found.st_mode) == "drwxrwxrwt"
    finally:
        lab.down()


GOOD = {
    "spec": {"name": "x"},
    "pid": 1,
    "start": 1,
    "boot": "",
    "rootless": False,
    "ready": True,
    "begun_ns": 0,
    "hosts": {},
    "facts": {},
}


@pytest.mark.parametrize(
    "broken",
    [
        [],
        {"spec": {"nodes": 99}},
        {"spec": {"storage_rate": 5}},
        {"spec": {"unknown": 1}},
        {"pid": float("inf")},
        {"facts": 7},
        {"spec": {"name": "../x"}},
    ],
)
def test_broken_state_is_no_state(tmp_path: Path, broken: dict[str, object]) -> None:
    """So that `down` can clear it up."""
    state = tmp_path / "state.json"
    state.write_text(json.dumps(GOOD))
    assert read_state(tmp_path) is not None
    state.write_text(json.dumps(GOOD | broken if broken else broken))
    assert read_state(tmp_path) is None
