"""A lab of an ordinary user, in a user namespace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab_tools import NAME

NOBODY = 65532  # nobody but these tests: when their labs have gone nothing of theirs is left
ROOT = Path(__file__).parents[3]
#: What a user does; prints JSON.
SCRIPT = """
import json, subprocess, sys
from jostle.errors import JostleError
from jostle_lab.cluster import LabSpec, attach, up
from jostle_lab.cluster.state import base_folder

said = {}
for fs in ("sshfs", "loop", "gluster"):
    try:
        up(LabSpec(name=sys.argv[1], fs=fs, nodes=2, size="64MiB")).down()
        said[fs] = ["up", ""]
    except JostleError as error:
        said[fs] = [str(error), error.hint]
lab = up(LabSpec(name=sys.argv[1], fs="plain", nodes=2, size="64MiB"))
def on(node, script):
    command = lab.command(node, ["sh", "-c", script])
    return subprocess.run(command, capture_output=True, text=True).stdout
said["hosts"] = [on(node, "hostname").strip() for node in lab.nodes]
said["seen"] = on("node1", f"echo hi > {lab.shared}/x") + on("node2", f"cat {lab.shared}/x")
said["interfaces"] = on("node2", "ls /sys/class/net").split()
said["same"] = attach(sys.argv[1]).alive()
said["fixed"] = lab.down()
said["left"] = base_folder().exists()
print(json.dumps(said))
"""


def as_nobody(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [*user, *words],
        capture_output=True,
        text=True,
        env=environment,
        cwd="/",
        timeout=100,
        **more,
    )


@pytest.fixture
def python() -> str:
    """A Python that nobody may run, with the sources in reach; or skip."""
    if os.geteuid() != 0:
        pytest.skip("becoming another user needs root")
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    found = "/usr/bin/python3"
    check = "import sys, jostle_lab.cluster; assert sys.version_info >= (3, 11)"
    tried = as_nobody(found, "-c", check)
    if tried.returncode:
        pytest.skip(f"nobody cannot run jostle here: {tried.stderr.strip()[-200:]}")
    if as_nobody("unshare", "--user", "--map-root-user", "--net", "true").returncode:
        pytest.skip("this kernel gives no user namespaces")
    return found


def test_plain_lab_without_root(python: str) -> None:
    done = as_nobody(python, "-c", SCRIPT, f"{NAME}-u")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["hosts"] == ["node1", "node2"] and said["seen"] == "hi\n" and said["same"]
    assert said["interfaces"] == ["eth0", "eth1", "lo"]
    assert said["fixed"] == [] and not said["left"]
    for name in ("loop", "gluster"):
        assert "needs root" in said[name][0] and "--fs plain" in said[name][1]
    if said["sshfs"][0] != "up":  # that depends on who may open /dev/fuse
        assert "/dev/fuse" in said["sshfs"][0] and "--fs plain" in said["sshfs"][1]


def test_without_namespaces_the_message_says_so(python: str) -> None:
    """The user's limit of namespaces is the machine's way to forbid them."""
    script = (
        "from jostle_lab.cluster import LabSpec, up\n"
        "from jostle.errors import JostleError\n"
        "try: up(LabSpec(name='x', fs='plain', size='16MiB'))\n"
        "except JostleError as error: print(error, '|', error.hint)\n"
    )
    limits = Path("/proc/sys/user/max_user_namespaces")
    # A user namespace of its own, in which no more may be made: the limit of this one only.
    done = subprocess.run(
        [
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "--pid",
            "--fork",
            "--mount-proc",
            "sh",
            "-c",
            f"echo 0 > {limits} && exec setpriv --inh-caps=-all --bounding-set=-all "
            f'{python} -c "$1"',
            "sh",
            script,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
        env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONPATH": str(ROOT / "src")},
    )
    if done.returncode:
        pytest.skip(f"cannot forbid namespaces here: {done.stderr.strip()[-200:]}")
    assert "namespaces" in done.stdout and "root" in done.stdout
