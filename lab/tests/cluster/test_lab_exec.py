"""Commands on nodes behave as if they had been started here."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest
from lab_tools import CLI, jostle, on

from jostle.errors import UsageError
from jostle_lab.cluster import Lab, LabError, LabSpec


def run(lab: Lab, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
    command = [*CLI, "lab", "exec", "--name", lab.name, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)  # type: ignore[call-overload]


def test_every_node_is_a_host_of_its_own(lab: Lab) -> None:
    assert lab.nodes == ["node1", "node2", "node3", "node4"]
    seen = set()
    for node in [*lab.nodes, "storage"]:
        script = "hostname; cat /sys/class/net/eth0/address; readlink /proc/self/ns/net"
        name, address, namespace = on(lab, node, script).split()
        assert name == node
        seen.add((address, namespace))
    assert len(seen) == 5
    assert on(lab, "node4", "getent hosts node1 storage-s").split() == [
        "10.7.0.1",
        "node1",
        "10.8.0.254",
        "storage-s",
    ]


def test_what_one_node_writes_the_others_see_and_the_machine_does_not(lab: Lab) -> None:
    on(lab, "node1", f"echo one > {lab.shared}/note")
    assert on(lab, "node3", f"cat {lab.shared}/note; stat -c %s {lab.shared}/note") == "one\n4\n"
    on(lab, "node3", f"echo more >> {lab.shared}/note")
    assert on(lab, "node1", f"cat {lab.shared}/note") == "one\nmore\n"
    assert list(lab.shared.iterdir()) == []
    assert on(lab, "node2", f"ls -A {lab.folder}/store") == ""  # no way round the link


def test_folders_and_shared_memory_of_a_node_are_its_own(lab: Lab) -> None:
    on(lab, "node2", f"echo two > {lab.here}/mine; echo > /dev/shm/lab-test")
    assert (lab.local("node2") / "mine").read_text() == "two\n"
    assert on(lab, "node1", f"ls -A {lab.here} /dev/shm").count("mine") == 0
    assert not Path("/dev/shm/lab-test").exists()


def test_the_store_has_an_end(lab: Lab) -> None:
    full = on(lab, "node1", f"dd if=/dev/zero of={lab.shared}/big bs=1M count=200 2>&1 || true")
    assert "error writing" in full or "No space" in full
    on(lab, "node1", f"rm {lab.shared}/big")


def test_status_environment_and_folder(lab: Lab, tmp_path: Path) -> None:
    assert run(lab, "node1", "--", "sh", "-c", "exit 7").returncode == 7
    assert run(lab, "node1", "no-such-command").returncode == 127
    assert run(lab, "node1", "/etc/hosts").returncode == 126
    killed = run(lab, "node1", "--", "sh", "-c", "kill -SEGV $$")
    assert killed.returncode == -signal.SIGSEGV
    where = run(
        lab,
        "node2",
        "--",
        "sh",
        "-c",
        'echo "$WORD"; pwd',
        cwd=tmp_path,
        env=os.environ | {"WORD": "two words"},
    )
    assert where.stdout == f"two words\n{tmp_path}\n" and where.stderr == ""
    echo = run(lab, "node2", "cat", input="through a pipe")
    assert echo.stdout == "through a pipe"
    inside = subprocess.run(
        lab.command("node1", ["pwd"], cwd=lab.shared), capture_output=True, text=True
    )
    assert inside.stdout.strip() == str(lab.shared)
    given = lab.command("node1", ["sh", "-c", "echo $A"], env={"A": "b c"})
    assert subprocess.run(given, capture_output=True, text=True).stdout == "b c\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_reach_the_command(lab: Lab, number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    script = f"trap 'echo got {name}; exit 9' {name}; echo ready; while :; do sleep 0.05; done"
    with lab.popen("node1", ["sh", "-c", script], stdout=subprocess.PIPE, text=True) as it:
        assert it.stdout is not None and it.stdout.readline() == "ready\n"
        it.send_signal(number)
        assert it.wait(60) == 9 and it.stdout.read() == f"got {name}\n"


def test_a_killed_entrance_takes_the_command_with_it(lab: Lab) -> None:
    with lab.popen("node1", ["sleep", "77"]) as it:
        end = time.monotonic() + 120
        while "sleep 77" not in on(lab, "node1", "ps -eo args"):
            assert time.monotonic() < end
        it.kill()
    while "sleep 77" in on(lab, "node1", "ps -eo args"):
        assert time.monotonic() < end


def test_terminal_and_its_keys(lab: Lab) -> None:
    script = "tty; trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.05; done"
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(CLI[0], [*CLI, "lab", "exec", "--name", lab.name, "node1", "sh", "-c", script])
    text = b""
    end = time.monotonic() + 60
    pressed = False
    while time.monotonic() < end:
        try:
            text += os.read(terminal, 1024)
        except OSError:
            break
        if b"ready" in text and not pressed:
            os.write(terminal, b"\x03")
            pressed = True
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 3, text
    assert b"/dev/pts/" in text and text.count(b"caught") == 1


def test_mistakes_are_named(lab: Lab) -> None:
    wrong = run(lab, "node9", "true")
    assert wrong.returncode == 2 and "fix: It has node1, node2, node3, node4" in wrong.stderr
    assert jostle("lab", "exec", "--name", lab.name, "node1").returncode == 2
    only = run(lab, "--slice", "1s", "node1", "true")
    assert only.returncode == 2 and "--job" in only.stderr
    with pytest.raises(LabError):
        lab.mpirun("openmpi", {"node7": 1}, ["true"])
    with pytest.raises(LabError):
        lab.mpirun("lam", {"node1": 1}, ["true"])
    for words in (["-n", "9", "--per-node", "2"], ["--nodes", "node1,node1"], ["--nodes", "n5"]):
        done = jostle("lab", "mpirun", "--name", lab.name, *words, "true")
        assert done.returncode == 2 and "fix:" in done.stderr, words


@pytest.mark.parametrize(
    "wrong",
    [
        {"nodes": 0},
        {"nodes": 17},
        {"name": "../x"},
        {"name": ""},
        {"storage_rate": "fast"},
        {"uplink_rate": "10bit"},
        {"queue": "lifo"},
        {"fs": "nfs"},
        {"store": "tape"},
        {"size": "4"},
        {"size": "many"},
        {"storage_rate": "9mbit,9mbit"},
        {"storage_rate": "9mbit,fast", "fs": "gluster", "queue": "fifo"},
        {"storage_rate": "9mbit,9mbit", "fs": "gluster", "queue": "fifo", "topology": "tree:2x2"},
        {"storage_rate": "9mbit," * 5 + "9mbit", "fs": "gluster", "queue": "fifo"},
    ],
)
def test_what_cannot_be_built_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError) as caught:
        LabSpec(**wrong)  # type: ignore[arg-type]
    assert caught.value.hint and caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("ranks", "nodes", "per_node", "expected"),
    [
        (None, None, None, [("node1", 1), ("node2", 1), ("node3", 1), ("node4", 1)]),
        (6, None, None, [("node1", 2), ("node2", 2), ("node3", 1), ("node4", 1)]),
        (2, "node4,node1", None, [("node4", 1), ("node1", 1)]),
        (None, "node1,node3", 3, [("node1", 3), ("node3", 3)]),
        (5, None, 2, [("node1", 2), ("node2", 2), ("node3", 1)]),
        (2, None, None, [("node1", 1), ("node2", 1)]),
    ],
)
def test_where_ranks_go(
    lab: Lab,
    ranks: int | None,
    nodes: str | None,
    per_node: int | None,
    expected: list[tuple[str, int]],
) -> None:
    from jostle_lab.cli.lab_job import Placement, place

    assert place(lab, Placement(ranks, nodes, per_node)) == expected
