"""`jostle doctor --site`: the role of a machine in a site, and what is missing there."""

from __future__ import annotations

import http.server
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jostle.cli.commands.maintain.doctor import command
from jostle.cli.doctor import site_host, site_node
from jostle.cli.doctor.checks import Check
from jostle.cli.doctor.site import Site, site_checks
from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile
from synth_machine import MachineProfile


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A machine without anything of a site."""
    monkeypatch.setenv("JOSTLE_SPOOL", str(tmp_path / "spool"))
    for name in ("etc", "proc", "slurm"):
        (tmp_path / name).mkdir()
    return Site(
        tmp_path / "repository",
        tmp_path / "etc",
        tmp_path / "opt",
        tmp_path / "proc",
        tmp_path / "slurm" / "slurm.conf",
    )


def runs(site: Site, *commands: str) -> None:
    for pid, words in enumerate(commands, 4_000_000):
        folder = site.proc / str(pid)
        folder.mkdir()
        (folder / "cmdline").write_bytes(words.replace(" ", "\0").encode() + b"\0")


def agent_conf(site: Site, **values: str) -> Path:
    spool = site.etc.parent / "spool"
    spool.mkdir(exist_ok=True)
    spool.chmod(0o1777)
    values = {"spool": str(spool), **values}
    text = "".join(f"{key} = {value}\n" for key, value in values.items())
    (site.etc / "agent.conf").write_text(text)
    return spool


def names(site: Site) -> list[str]:
    return [name for name, _ in site_checks(site)]


def test_roles_show_in_what_is_installed_and_runs(site: Site) -> None:
    (name, check), *rest = site_checks(site)
    assert (name, rest) == ("this machine", [])
    assert check().state == "fail"

    site.slurm.write_text("ClusterName=c\n")
    login = Site(site.repository, site.etc, site.prefix, site.proc, site.slurm)
    assert login.roles == [f"login node ({site.slurm}, and no agent)"]
    assert names(login) == ["this machine", "library", "operator's file", "Slurm", "repository"]

    runs(
        site,
        "/opt/jostle/bin/jostle-agent sample --role server",
        "/usr/bin/python3 /usr/bin/jostle receive --config /x/receive.toml",
    )
    Repository(site.repository, create=True)
    every = Site(site.repository, site.etc, site.prefix, site.proc, site.slurm)
    assert [role.partition(" (")[0] for role in every.roles] == [
        "server",
        "receiver",
        "repository's host",
    ]
    assert str(every.receive_toml) == "/x/receive.toml"
    assert {"sampler", "mirror", "silent nodes", "site digest"} <= set(names(every))


def test_the_spool(site: Site) -> None:
    spool = agent_conf(site)
    assert site_node.check_spool(site).state == "ok"
    spool.chmod(0o777)
    assert site_node.check_spool(site).fix == f"chmod 1777 {spool}"
    site.slurm.write_text("JobContainerType=job_container/tmpfs\n")
    site.slurm.with_name("job_container.conf").write_text(f"Dirs={spool.parent}\n")
    assert "private to each job" in site_node.check_spool(site).says


@pytest.mark.usefixtures("library")
def test_agent_conf_is_read_by_its_program(site: Site) -> None:
    assert site_node.check_agent_conf(site).state == "warn"
    agent_conf(site, receiver="http://127.0.0.1:9")
    assert site_node.check_agent_conf(site).state == "ok"
    agent_conf(site, reciever="http://127.0.0.1:9")
    check = site_node.check_agent_conf(site)
    assert check.state == "fail"
    assert "reciever" in check.says
    assert site_node.check_shipper(site).says.startswith("jostle-ship does not run")


@pytest.mark.usefixtures("library")
def test_the_samplers_profile_must_grow(site: Site) -> None:
    assert "does not run" in site_node.check_sampler(site).says
    spool = agent_conf(site)
    runs(site, "jostle-agent sample")
    del site.programs
    assert "no profile of a machine" in site_node.check_sampler(site).says
    now = time.time_ns()
    p = MachineProfile(host="here", start_ns=now - 60 * SECOND, heartbeat_ns=now)
    p.write(spool)
    check = site_node.check_sampler(site)
    assert (check.state, "node, 0 components" in check.says) == ("ok", True)
    for path in spool.glob("*.jsm"):
        path.unlink()
    p.heartbeat_ns = now - 50 * SECOND
    p.write(spool)
    assert "has not grown for 50" in site_node.check_sampler(site).says


class _Answers(http.server.BaseHTTPRequestHandler):
    content: dict[str, Any]

    def do_GET(self) -> None:
        body = json.dumps(self.content).encode()
        self.send_response(200 if self.content["ok"] else 503)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""


@pytest.fixture
def receiver() -> Iterator[str]:
    """The address of a stand-in for a receiver; it answers /health with _Answers.content."""
    server = http.server.HTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_receiver_as_seen_from_a_node(site: Site, receiver: str) -> None:
    def check(**content: Any) -> Check:
        _Answers.content = {"ok": True, "problems": [], "time_ns": time.time_ns(), **content}
        return site_node.check_receiver(site)

    agent_conf(site, receiver=f"http://{receiver}")
    assert check().state == "ok"
    assert check(time_ns=time.time_ns() - 100 * SECOND).state == "warn"
    late = check(time_ns=time.time_ns() + 400 * SECOND)
    assert (late.state, "clock" in late.says) == ("fail", True)
    full = check(ok=False, problems=["the disk is nearly full"])
    assert "the disk is nearly full" in full.says
    agent_conf(site, receiver="http://127.0.0.1:9")
    del site.agent
    assert "does not answer" in site_node.check_receiver(site).says


def test_slurms_lines(site: Site, tmp_path: Path) -> None:
    plugin = tmp_path / "spank_jostle.so"
    site.slurm.write_text("ClusterName=c\n")
    assert site_node.check_slurm(site).state == "fail"
    site.slurm.with_name("plugstack.conf").write_text(f"optional {plugin} min_slice=1s\n")
    assert "is not here" in site_node.check_slurm(site).says
    plugin.touch()
    agent_conf(site)  # a node
    check = site_node.check_slurm(site)
    assert (check.state, "Prolog" in check.fix) == ("warn", True)
    site.slurm.write_text("Prolog=/x\nEpilog=/y\n")
    assert site_node.check_slurm(site).state == "ok"


def test_receiver_and_mirror(site: Site, receiver: str, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    munge = tmp_path / "munge.socket"
    (site.etc / "receive.toml").write_text(
        f'listen = "{receiver}"\nmirror = "{mirror}"\nmunge = true\n'
        f'munge_socket = "{munge}"\nfree_bytes = 1\n'
    )
    assert site_host.check_receive_toml(site).says.endswith("by MUNGE")
    assert site_host.check_mirror(site).state == "warn"
    mirror.mkdir(mode=0o755)
    assert site_host.check_mirror(site).fix == f"chmod 700 {mirror}"
    mirror.chmod(0o700)
    assert site_host.check_mirror(site).state == "ok"
    assert site_host.check_munged(site).state == "fail"
    with socket.socket(socket.AF_UNIX) as munged:
        munged.bind(str(munge))
        munged.listen()
        assert site_host.check_munged(site).state == "ok"
    assert "does not run" in site_host.check_receive(site).says
    runs(site, "jostle receive")
    del site.programs
    _Answers.content = {"ok": True, "problems": [], "lag_s": 2.5}
    assert "2.50 s behind" in site_host.check_receive(site).says
    # What the command line says wins, and is enough.
    (site.proc / "4000000" / "cmdline").write_bytes(b"jostle\0receive\0--mirror\0/nowhere\0")
    del site.programs
    assert site_host.check_mirror(site).says.startswith("/nowhere")


def test_nodes_that_are_silent(site: Site, tmp_path: Path) -> None:
    store = Repository(site.repository, create=True)
    assert site_host.check_newest(site).state == "warn"
    spool = tmp_path / "machines"
    spool.mkdir()
    now = time.time_ns()
    for pid, (host, ago, ended) in enumerate(
        (("node1", 0, False), ("node2", 300, False), ("node3", 300, True)), 1
    ):
        p = MachineProfile(host=host, pid=pid, start_ns=now - (600 + pid) * SECOND)
        p.add_component(kind="machine", name="machine")
        last = now - ago * SECOND
        p.add_slice(last // p.slice_ns - 1, {0: {"cpu_user_ns": SECOND}})
        p.heartbeat_ns = last
        p.end_ns, p.end_reason = (last, 1) if ended else (0, 0)
        p.write(spool)
    store.ingest([spool])
    check = site_host.check_silent(site)
    assert check.state == "warn"
    assert "node2 (5 min" in check.says
    assert "node1" not in check.says
    assert "node3" not in check.says
    assert site_host.check_newest(site).says.startswith("3 machines; the newest slice is node1's")
    agent_conf(site, node="node2")
    del site.agent
    mine = site_host.check_newest(site)
    assert (mine.state, mine.says[:30]) == ("warn", "this machine's newest slice en")


def test_digests_need_their_service(site: Site) -> None:
    assert site_host.check_digest(site).state == "ok"
    (site.etc / "site.conf").write_text("digest = output\n")
    assert site_host.check_digest(site).state == "fail"
    runs(site, "/usr/bin/python3 -m jostle.cli site digest --follow")
    del site.programs
    assert site_host.check_digest(site).says == "`jostle site digest` runs (output)"


def test_the_command_says_what_it_took_this_machine_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Repository(tmp_path, create=True)
    monkeypatch.setenv("COLUMNS", "60")
    # Agents of other tests may run on this machine meanwhile.
    monkeypatch.setattr("jostle.cli.doctor.site._programs", lambda _proc: [])
    code = command.main(["--site", "--repository", str(tmp_path), "--json"], standalone_mode=False)
    content = json.loads(capsys.readouterr().out)
    assert content["checks"][0]["name"] == "this machine"
    assert "repository's host (" in content["checks"][0]["says"]
    assert os.uname().nodename in content["checks"][0]["says"]
    assert code == int(not content["ok"])


def test_servers_of_a_file_system_that_have_no_agent(site: Site, tmp_path: Path) -> None:
    store = Repository(site.repository, create=True)
    assert site_host.check_file_servers(site).state == "ok"
    spool = tmp_path / "files"
    spool.mkdir()
    mine = Profile(job="mine", host="node1", pid=1)
    mine.add_mount(0, "/lfs", "lustre", "mgs@tcp:/lfs", (0, 50))
    mine.add_slice(mine.first_slice, {"posix_write_bytes": {0: 1}})
    mine.end_ns, mine.end_reason = EPOCH + SECOND, 1
    mine.write(spool)

    def server(host: str, pid: int, kind: str) -> None:
        p = MachineProfile(host=host, pid=pid, role=1, start_ns=EPOCH + pid)
        number = p.add_component(kind=kind, name="lfs-0000", source="lfs")
        p.add_slice(p.first_slice, {number: {"storage_write_bytes": 1}})
        p.end_ns, p.end_reason = EPOCH + SECOND, 1
        p.write(spool)

    server("oss1", 11, "lustre_ost")
    store.ingest([spool])
    check = site_host.check_file_servers(site)
    assert check.state == "warn"
    assert check.says == (
        "lustre:mgs@tcp:/lfs: object servers with an agent: oss1, "
        "no agent is known on its metadata server"
    )
    server("mds1", 12, "lustre_mdt")
    store.ingest([spool])
    check = site_host.check_file_servers(site)
    assert check.state == "ok"
    assert "metadata server with an agent: mds1" in check.says
