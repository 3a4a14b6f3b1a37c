"""Labs come up, go down, and are killed: nothing is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from lab_tools import CLI, NAME, jostle, leftovers, on, traces

from jostle_lab.cluster import LabError, LabSpec, attach, up
from jostle_lab.cluster.lab import down

pytestmark = pytest.mark.usefixtures("can_lab")
FOLDER = Path("/run/jostle-lab")


def fake_sshfs(folder: Path, script: str) -> dict[str, str]:
    """An environment in which sshfs misbehaves."""
    program = folder / "sshfs"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")


def test_up_twice_and_down() -> None:
    name = f"{NAME}-a"
    steps: list[str] = []
    lab = up(LabSpec(name=name, nodes=2, size="64MiB"), steps.append)
    assert steps[0] == "network" and steps[-1] == "mount on node2"
    with pytest.raises(LabError, match="already up") as caught:
        up(LabSpec(name=name))
    assert caught.value.exit_code == 2 and f"jostle lab down --name {name}" in caught.value.hint
    assert attach(name).alive() and on(lab, "node2", "hostname") == "node2\n"
    assert len(traces(name, 0)) > 4  # the tests' own eye sees it
    assert lab.down() == []
    assert traces(name) == []
    with pytest.raises(LabError, match="No lab"):
        attach(name)
    with pytest.raises(LabError, match="No lab"):
        lab.counters()


@pytest.mark.parametrize("store", ["ram", pytest.param("both", marks=pytest.mark.in_turn)])
def test_killed_supervisor_leaves_a_folder_that_down_fixes(store: str) -> None:
    name = f"{NAME}-k"
    lab = up(LabSpec(name=name, nodes=2, size="64MiB", store=store))
    writer = lab.popen(
        "node1", ["dd", "if=/dev/zero", f"of={lab.shared}/x", "bs=64k"], stderr=subprocess.DEVNULL
    )
    time.sleep(0.2)
    os.kill(lab.state.pid, signal.SIGKILL)
    writer.wait(timeout=60)
    assert leftovers(name) == []
    assert (FOLDER / name / "state.json").exists()
    end = time.monotonic() + 60
    while lab.state.alive() and time.monotonic() < end:
        time.sleep(0.05)  # process 1 ends after all others
    with pytest.raises(LabError, match="ended without `down`") as caught:
        attach(name)
    assert f"jostle lab down --name {name} clears up" in caught.value.hint
    with pytest.raises(LabError) as caught:
        attach(f"{NAME}-none")
    assert name not in str(caught.value), "a lab that is not up was named as one that is"
    entered = subprocess.run(lab.command("node1", ["true"]), capture_output=True, text=True)
    assert entered.returncode == 1 and "the lab is gone" in entered.stderr
    fixed = down(name)
    assert fixed[0] == f"the lab `{name}` had ended without `down`"
    assert traces(name) == []


@pytest.mark.in_turn
def test_a_node_that_has_died_is_named() -> None:
    lab = up(LabSpec(name=f"{NAME}-n", nodes=2, size="64MiB", fs="plain"))
    holder = lab.state.hosts["node1"]
    spaces = os.stat(f"/proc/{lab.state.pid}/ns/pid").st_ino
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            inside = re.search(r"^NSpid:.*\t(\d+)$", (process / "status").read_text(), re.M)
            same = os.stat(process / "ns/pid").st_ino == spaces
            if same and inside and int(inside[1]) == holder:
                os.kill(int(process.name), signal.SIGKILL)
                end = time.monotonic() + 60
                while process.exists() and time.monotonic() < end:
                    time.sleep(0.01)  # a signal takes its time where cores are oversubscribed
    done = subprocess.run(lab.command("node1", ["true"]), capture_output=True, text=True)
    assert done.returncode == 1 and "this node of the lab has died" in done.stderr
    assert "fix: jostle lab down" in done.stderr
    assert on(lab, "node2", "hostname") == "node2\n"
    assert lab.down() == []
    assert traces(lab.name) == []


@pytest.mark.in_turn
def test_up_fixes_what_it_finds() -> None:
    name = f"{NAME}-f"
    os.kill(up(LabSpec(name=name, nodes=1, size="64MiB")).state.pid, signal.SIGKILL)
    assert leftovers(name) == []
    lab = up(LabSpec(name=name, nodes=1, size="64MiB"))
    assert on(lab, "node1", f"ls -A {lab.shared}") == ""
    lab.down()
    assert traces(name) == []


@pytest.mark.in_turn
def test_recycled_pid_and_reboot_are_not_taken_for_a_lab() -> None:
    name = f"{NAME}-r"
    os.kill(up(LabSpec(name=name, nodes=1, size="64MiB")).state.pid, signal.SIGKILL)
    assert leftovers(name) == []
    file = FOLDER / name / "state.json"
    state = json.loads(file.read_text())
    with subprocess.Popen(["sleep", "60"]) as other:
        file.write_text(json.dumps(state | {"pid": other.pid}))
        with pytest.raises(LabError):
            attach(name)
        down(name)
        assert other.poll() is None
        other.kill()
    assert traces(name) == []
    file.parent.mkdir(parents=True)
    file.write_text(
        json.dumps(state | {"boot": "00000000-0000-0000-0000-000000000000", "pid": os.getpid()})
    )
    assert down(name) and traces(name) == []
    file.parent.mkdir(parents=True)
    file.write_text("{ torn")
    assert down(name) and traces(name) == []


def test_failure_half_way_leaves_nothing(tmp_path: Path) -> None:
    name = f"{NAME}-h"
    broken = fake_sshfs(
        tmp_path,
        'if [ "$(hostname)" = node2 ]; then echo "read: no luck" >&2; exit 1; fi\n'
        'exec /usr/bin/sshfs "$@"',
    )
    done = jostle("lab", "up", "--name", name, "--size", "64MiB", env=broken)
    assert done.returncode == 1
    assert "did not come up" in done.stderr and "on node2 failed: read: no luck" in done.stderr
    assert traces(name) == []


@pytest.mark.in_turn
def test_caller_killed_half_way_leaves_nothing(tmp_path: Path) -> None:
    name = f"{NAME}-c"
    slow = fake_sshfs(tmp_path, 'sleep 1; exec /usr/bin/sshfs "$@"')
    with subprocess.Popen([*CLI, "lab", "up", "--name", name, "--size", "64MiB"], env=slow) as it:
        file = FOLDER / name / "state.json"
        end = time.monotonic() + 60
        while not (file.exists() and "storage" in json.loads(file.read_text())["hosts"]):
            assert time.monotonic() < end
            time.sleep(0.02)
        it.kill()
    assert leftovers(name) == []
    down(name)
    assert traces(name) == []


@pytest.mark.in_turn
def test_interrupted_up_leaves_nothing(tmp_path: Path) -> None:
    name = f"{NAME}-i"
    slow = fake_sshfs(tmp_path, 'sleep 1; exec /usr/bin/sshfs "$@"')
    with subprocess.Popen(
        [*CLI, "lab", "up", "--name", name, "--size", "64MiB"], env=slow, stderr=subprocess.PIPE
    ) as it:
        end = time.monotonic() + 60
        while not (FOLDER / name / "state.json").exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        it.send_signal(signal.SIGINT)
        assert it.wait(60) == 130
    assert traces(name) == []


@pytest.mark.in_turn
def test_two_labs_do_not_meet() -> None:
    spec = LabSpec(nodes=1, size="64MiB")
    labs = [up(LabSpec(**spec.to_json() | {"name": f"{NAME}-{n}"})) for n in "12"]
    try:
        for lab in labs:
            on(lab, "node1", f"echo {lab.name} > {lab.shared}/whose")
        assert [on(lab, "node1", f"cat {lab.shared}/whose").strip() for lab in labs] == [
            lab.name for lab in labs
        ]
        same = {on(lab, "node1", "getent hosts storage-s") for lab in labs}
        assert len(same) == 1  # equal addresses in networks apart
    finally:
        for lab in labs:
            lab.down()
    assert traces(labs[0].name) == [] and traces(labs[1].name) == []


def test_the_command_says_what_it_does() -> None:
    name = f"{NAME}-s"
    nothing = jostle("lab", "down", "--name", name)
    assert nothing.returncode == 0 and "nothing is left" in nothing.stdout
    absent = jostle("lab", "status", "--name", name)
    assert absent.returncode == 2 and f"fix: jostle lab up --name {name}" in absent.stderr
    made = jostle("lab", "up", "--name", name, "--nodes", "2", "--size", "64MiB", "--fifo")
    assert made.returncode == 0, made.stderr
    assert "2 nodes on two leaf switches" in made.stdout and "fifo" in made.stdout
    assert f"next: jostle lab exec --name {name} node1" in made.stderr
    again = jostle("lab", "up", "--name", name)
    assert again.returncode == 2 and "already up" in again.stderr
    assert f"fix: Use `jostle lab status --name {name}" in again.stderr
    lab = attach(name)
    with lab.popen("node2", ["sleep", "60"]):
        seen = jostle("lab", "status", "--name", name, "--json")
        status = json.loads(seen.stdout)
        assert status["spec"]["queue"] == "fifo" and status["nodes"] == ["node1", "node2"]
        assert set(status["mounts"].values()) == {f"fuse.sshfs storage.{name}:/"}
        assert [(c["node"], c["words"]) for c in status["commands"]] == [("node2", "sleep 60")]
        shown = jostle("lab", "status", "--name", name).stdout
        assert "sleep 60" in shown and "100mbit" in shown and "of 64.0 MiB used" in shown
        ended = jostle("lab", "down", "--name", name)
        assert "1 running command ended with it" in ended.stdout
    assert traces(name) == []


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from jostle_lab.cluster.filesystems.sshfs import Sshfs
    from jostle_lab.cluster.service import Need

    needs = (Need("no-such-mounter", "a-package"), Need("/no/such/server", "another-package"))
    monkeypatch.setattr(Sshfs, "needs", needs)
    with pytest.raises(LabError, match="no-such-mounter, /no/such/server") as caught:
        up(LabSpec(name=f"{NAME}-n"))
    assert caught.value.hint == "apt-get install a-package another-package"
    assert traces(f"{NAME}-n") == []


def test_a_store_that_does_not_fit_is_refused() -> None:
    with pytest.raises(LabError, match="does not fit"):
        up(LabSpec(name=f"{NAME}-z", size="900TiB"))
    assert traces(f"{NAME}-z") == []
