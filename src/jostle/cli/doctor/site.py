"""Checks of `jostle doctor --site`: the services of a site on this machine.

A machine may be a node, a server, a receiver, the repository's host and a login node, in any
combination. Its roles follow from the installed files and running programs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jostle.cli.config import DEFAULT_SPOOL, setting_lines, settings
from jostle.cli.doctor import checks, site_host, site_node
from jostle.cli.doctor.checks import Check
from jostle.files.regular_files import read_regular
from jostle.files.repository_address import is_address, shown
from jostle.repository.store.layout import COMMITS, MARKER
from jostle.repository.store.storage import open_storage

_HOW_TO = "docs/how-to/profile-every-job-of-a-cluster.md"


@dataclass
class Site:
    """Paths of the parts of a site on a machine.

    Attributes:
        repository: The repository that commands use here.
        etc: Folder of the operator's files.
        prefix: Prefix of the packages for nodes.
        proc: The kernel's folder of processes.
        slurm: Slurm's configuration.
    """

    repository: Path
    etc: Path = Path("/etc/jostle")
    prefix: Path = Path("/opt/jostle")
    proc: Path = Path("/proc")
    slurm: Path = Path(os.environ.get("SLURM_CONF") or "/etc/slurm/slurm.conf")

    @cached_property
    def programs(self) -> list[tuple[str, ...]]:
        """The command line of each process in this machine's network namespace."""
        return list(_programs(self.proc))

    def program(self, name: str) -> tuple[str, ...]:
        """Return the command line of a running program (jostle-ship); empty if it does not run."""
        return next((w for w in self.programs if os.path.basename(w[0]) == name), ())

    def verb(self, *verbs: str) -> tuple[str, ...]:
        """Return the command line of a running `jostle VERB`; empty if it does not run."""
        for words in self.programs:
            at = next((n for n, word in enumerate(words[:4]) if _is_jostle(word)), None)
            if at is not None and set(verbs) <= set(words[at + 1 :]):
                return words
        return ()

    def config(self, words: tuple[str, ...], name: str) -> Path:
        """Return the file of a program's option --config, or the usual one."""
        if "--config" in words[:-1]:
            return Path(words[words.index("--config") + 1])
        return self.etc / name

    @cached_property
    def agent_conf(self) -> Path:
        """The configuration file of sampler and shipper."""
        return self.config(self.program("jostle-ship"), "agent.conf")

    @cached_property
    def receive_toml(self) -> Path:
        """The configuration file of the receiver."""
        return self.config(self.verb("receive"), "receive.toml")

    @cached_property
    def agent(self) -> dict[str, str]:
        """Keys and values of agent.conf, which its programs check themselves."""
        try:
            lines = setting_lines(read_regular(self.agent_conf))
        except OSError:
            return {}
        return {key: value for key, value in lines if value is not None}

    @cached_property
    def has_repository(self) -> bool:
        """Whether there is a repository where commands look for it."""
        if not is_address(self.repository):
            return any((self.repository / name).exists() for name in (MARKER, COMMITS))
        try:
            open_storage(self.repository).read(MARKER)
        except FileNotFoundError:
            return False
        except OSError:
            pass  # the check of the repository reports why
        return True

    @property
    def spool(self) -> Path:
        """The spool of this machine."""
        return Path(settings().get("spool") or self.agent.get("spool") or DEFAULT_SPOOL)

    @cached_property
    def roles(self) -> list[str]:
        """The roles of this machine in the site, each with the evidence for it."""
        roles = []
        sampler = self.program("jostle-agent")
        installed = self.prefix / "bin" / "jostle-agent"
        # A login node may share the folder of programs with nodes; but it runs no slurmd.
        counts = installed.exists() and (self.program("slurmd") or not self.slurm.exists())
        signs = [
            sign
            for sign, there in (
                ("jostle-agent runs", sampler),
                ("jostle-ship runs", self.program("jostle-ship")),
                (str(self.agent_conf), self.agent_conf.exists()),
                (str(installed), counts),
            )
            if there
        ]
        if signs:
            serves = {"server", "--serves"} & set(sampler) or self.agent.get("role") == "server"
            roles.append(f"{'server' if serves else 'node'} ({signs[0]})")
        if self.verb("receive") or self.receive_toml.exists():
            sign = "it runs" if self.verb("receive") else str(self.receive_toml)
            roles.append(f"receiver ({sign})")
        if not roles and self.slurm.exists() and not self.program("slurmd"):
            roles.append(f"login node ({self.slurm}, and no agent)")
        # Root may be able to write into a repository that a node only shares.
        at_work = next((verb for verb in ("receive", "ingest", "serve") if self.verb(verb)), "")
        writable = is_address(self.repository) or os.access(self.repository, os.W_OK)
        if self.has_repository and writable and (at_work or not signs):
            kind = "in an object store" if is_address(self.repository) else "writable"
            sign = f"jostle {at_work} runs" if at_work else f"{shown(self.repository)} is {kind}"
            roles.append(f"repository's host ({sign})")
        return roles

    def is_a(self, *names: str) -> bool:
        """Return whether this machine has one of some roles in the site."""
        return any(role.startswith(names) for role in self.roles)


def _is_jostle(word: str) -> bool:
    return os.path.basename(word) == "jostle" or word == "jostle.cli"


def _programs(proc: Path) -> Iterator[tuple[str, ...]]:
    """Yield the words of processes, except in other network namespaces: containers, labs."""
    try:
        network = os.readlink(proc / "self/ns/net")
    except OSError:
        network = ""
    for pid in os.listdir(proc):
        if not pid.isdecimal() or pid == str(os.getpid()):
            continue
        try:
            raw = (proc / pid / "cmdline").read_bytes()
        except OSError:
            continue
        try:
            other = os.readlink(proc / pid / "ns/net")
        except OSError:  # another user's process: it counts
            other = network
        if raw and other == network:
            yield tuple(word.decode("utf-8", "replace") for word in raw.rstrip(b"\0").split(b"\0"))


def site_checks(site: Site) -> Iterator[tuple[str, Callable[[], Check]]]:
    """Yield name and check of each service that belongs on this machine."""
    yield "this machine", lambda: _check_role(site)
    if not site.roles:
        return
    records = site.is_a("node", "server", "login")
    if records:
        yield "library", lambda: site_node.check_library(site)
        yield "operator's file", lambda: site_node.check_operators_file(site)
    if site.is_a("node", "server"):
        yield "clock", checks.check_clock
        yield "spool", lambda: site_node.check_spool(site)
        yield "agent.conf", lambda: site_node.check_agent_conf(site)
        yield "sampler", lambda: site_node.check_sampler(site)
        if site.agent.get("receiver"):
            yield "shipper", lambda: site_node.check_shipper(site)
            yield "receiver", lambda: site_node.check_receiver(site)
    if records and site.slurm.exists():
        yield "Slurm", lambda: site_node.check_slurm(site)
    if site.is_a("receiver"):
        yield "receive.toml", lambda: site_host.check_receive_toml(site)
        yield "mirror", lambda: site_host.check_mirror(site)
        yield "jostle receive", lambda: site_host.check_receive(site)
    if site.agent.get("munge") == "on" or (site.is_a("receiver") and site_host.wants_munge(site)):
        yield "munged", lambda: site_host.check_munged(site)
    if site.has_repository:
        yield "repository", lambda: checks.check_repository(site.repository)
        yield "newest slices", lambda: site_host.check_newest(site)
        yield "silent nodes", lambda: site_host.check_silent(site)
        yield "file servers", lambda: site_host.check_file_servers(site)
    elif site.is_a("login"):
        yield (
            "repository",
            lambda: Check(
                "repository",
                "warn",
                f"{shown(site.repository)} is not a repository, so users see no jobs",
                "set JOSTLE_REPOSITORY to the site's repository for all users",
            ),
        )
    if site.is_a("repository"):
        yield "ingester", lambda: site_host.check_ingester(site)
        yield "site digest", lambda: site_host.check_digest(site)


def _check_role(site: Site) -> Check:
    if site.roles:
        return Check("this machine", "ok", f"{os.uname().nodename}: {', '.join(site.roles)}")
    return Check(
        "this machine",
        "fail",
        "no part of a site is on this machine: no agent, no receiver, no repository "
        f"at {shown(site.repository)}, no Slurm",
        f"on a node install the package for nodes, on the repository's host set "
        f"JOSTLE_REPOSITORY ({_HOW_TO})",
    )
