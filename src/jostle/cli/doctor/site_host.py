"""Checks of `jostle doctor --site` for receivers and repository hosts."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.cli.doctor.checks import Check
from jostle.cli.options.common import repository_flag
from jostle.errors import JostleError
from jostle.names.users import owner_name
from jostle.report.format.values import byte_count, count, duration

if TYPE_CHECKING:
    from jostle.cli.doctor.site import Site
    from jostle.receive.settings import ReceiveSettings
    from jostle.repository.query.resources.machine_loads import StorageServers

_PATIENCE_S = 10
_SILENT_NS = 60 * 10**9
#: Time without data after which a machine counts as removed, not as silent.
_GONE_NS = 7 * 86_400 * 10**9
#: Span of slices that is read to find running agents.
_RECENT_NS = 3600 * 10**9
_MOST_NAMES = 5
_OPTIONS = {
    "listen": "--listen",
    "mirror": "--mirror",
    "tokens": "--tokens",
    "proxy_socket": "--proxy-socket",
}
_MUNGE_SOCKET = Path("/run/munge/munge.socket.2")
_NEWEST = (
    "SELECT host, max(CASE WHEN end_ns > 0 THEN end_ns ELSE (last_slice + 1) * slice_ns END) AS ns,"
    " bool_or(end_ns = 0) AS runs FROM machines GROUP BY host"
)


def _settings(site: Site) -> ReceiveSettings:
    """Return the receiver's settings: from its file, and its command line."""
    from jostle.receive.settings import read_settings

    words = site.verb("receive")
    given: dict[str, Any] = {"munge": "--munge" in words}
    for key, option in _OPTIONS.items():
        if option in words[:-1]:
            value = words[words.index(option) + 1]
            given[key] = value if key == "listen" else Path(value)
    file = site.receive_toml
    return read_settings(None if words and not file.exists() else file, **given)


def wants_munge(site: Site) -> bool:
    """Return whether the receiver here accepts MUNGE credentials."""
    try:
        return _settings(site).munge
    except JostleError:
        return False


def check_receive_toml(site: Site) -> Check:
    """Check the receiver's file."""
    rules = _settings(site)  # its error has the reason and the remedy
    ways = [
        way
        for way, there in (
            ("tokens", rules.tokens),
            ("MUNGE", rules.munge),
            ("a proxy", rules.proxy_socket),
        )
        if there
    ]
    if rules.tokens and not rules.tokens.exists():
        return Check(
            "receive.toml",
            "fail",
            f"{rules.tokens} does not exist, so no node can send",
            f"jostle receive token NODE --tokens {rules.tokens}",
        )
    where = rules.listen or str(rules.proxy_socket)
    source = site.receive_toml if site.receive_toml.exists() else "its command line"
    return Check("receive.toml", "ok", f"{source}: {where}, by {', '.join(ways)}")


def check_mirror(site: Site) -> Check:
    """Check that only the receiver can read its copy of the nodes' profiles, and the free space."""
    rules = _settings(site)
    mirror = rules.mirror
    if not mirror.is_dir():
        if os.access(mirror.parent, os.R_OK | os.X_OK):
            return Check(
                "mirror",
                "warn",
                f"{mirror} is not there yet; the first start of `jostle receive` makes it",
                "systemctl enable --now jostle-receive",
            )
        return Check("mirror", "warn", f"{mirror} is closed to you", "ask as root")
    facts = mirror.stat()
    mode, owner = stat.S_IMODE(facts.st_mode), owner_name(facts.st_uid)
    if mode & 0o077:
        return Check(
            "mirror",
            "fail",
            f"{mirror} has mode {mode:o}, so others can read profiles of all users",
            f"chmod 700 {mirror}",
        )
    free = shutil.disk_usage(mirror).free
    says = f"{mirror}: owner {owner}, {byte_count(free)} free"
    if os.statvfs(mirror).f_flag & os.ST_RDONLY:
        return Check("mirror", "fail", f"{says}; it is mounted read-only", "mount it writable")
    if free < rules.free_bytes:
        return Check(
            "mirror",
            "fail",
            f"{says}: posts wait below {byte_count(rules.free_bytes)}",
            "make room, or lower `free_bytes`",
        )
    if free < 2 * rules.free_bytes:
        return Check(
            "mirror",
            "warn",
            f"{says}: posts wait below {byte_count(rules.free_bytes)}",
            "make room soon",
        )
    return Check("mirror", "ok", says)


def check_receive(site: Site) -> Check:
    """Check that the receiver runs, and how far its ingester is behind."""
    start = "systemctl enable --now jostle-receive"
    if not site.verb("receive"):
        return Check(
            "jostle receive", "fail", "it does not run, so nodes keep their profiles", start
        )
    rules = _settings(site)
    content = _health(rules)
    if content is None:
        return Check("jostle receive", "ok", "it runs; it answers only to the proxy, or by TLS")
    if problems := content.get("problems"):
        return Check(
            "jostle receive",
            "fail",
            "; ".join(map(str, problems)),
            "look into `journalctl -u jostle-receive`",
        )
    lag = duration(1e9 * float(content.get("lag_s", 0)))
    return Check("jostle receive", "ok", f"it runs; the repository is {lag} behind the mirror")


def _health(rules: ReceiveSettings) -> dict[str, Any] | None:
    """Return the health report of the receiver here; None if it cannot be reached without TLS."""
    if not rules.listen or rules.tls_cert:
        return None
    host, _, port = rules.listen.rpartition(":")
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://{host}:{port}/health", timeout=_PATIENCE_S) as answer:
            raw = answer.read(65536)
    except urllib.error.HTTPError as error:
        raw = error.read(65536)
    except OSError as error:
        return {"problems": [f"{host}:{port} does not answer: {error}"]}
    try:
        content = json.loads(raw)
    except ValueError:
        return {"problems": [f"{host}:{port} answers, but is no receiver"]}
    return content if isinstance(content, dict) else {}


def check_munged(site: Site) -> Check:
    """Check that munged answers."""
    named = site.agent.get("munge_socket")
    if not named and site.is_a("receiver"):
        named = str(_settings(site).munge_socket or "")
    path = named or str(_MUNGE_SOCKET)
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_PATIENCE_S)
            link.connect(path)
    except OSError as error:
        return Check(
            "munged",
            "fail",
            f"{path}: {error.strerror}: no credential can be made or checked",
            "systemctl enable --now munge; all machines need the same /etc/munge/munge.key",
        )
    return Check("munged", "ok", f"{path} takes connections")


def _newest(site: Site) -> dict[str, tuple[int, bool]]:
    """Return host -> end of its newest slice, ns, and whether its agent runs."""
    from jostle.repository import Repository

    store = Repository(site.repository)
    recent = store.newest_machine_slices(time.time_ns() - _RECENT_NS)
    rows = store.query(_NEWEST).to_pylist()
    return {row["host"]: (max(row["ns"], recent.get(row["host"], 0)), row["runs"]) for row in rows}


def check_newest(site: Site) -> Check:
    """Check the age of the newest slice in the repository: of this machine, and of all."""
    newest = _newest(site)
    if not newest:
        return Check(
            "newest slices",
            "warn",
            "no machine's agent has sent a slice yet",
            "run `jostle doctor --site` on a node",
        )
    now, own = time.time_ns(), os.uname().nodename
    names = [name for name in (site.agent.get("node"), own, own.partition(".")[0]) if name]
    mine = next((name for name in names if name in newest), None)
    latest = max(newest, key=lambda host: newest[host][0])
    says = f"{count(len(newest))} machines; the newest slice is {latest}'s, " + _ago(
        now - newest[latest][0]
    )
    if mine is not None:
        says = f"this machine's newest slice ended {_ago(now - newest[mine][0])}; {says}"
        late = now - newest[mine][0] > _SILENT_NS
        return Check(
            "newest slices",
            "warn" if late else "ok",
            says,
            "see `sampler`, `shipper` and `receiver` above" if late else "",
        )
    if site.is_a("node", "server"):
        return Check(
            "newest slices",
            "warn",
            f"nothing of this machine has arrived; {says}",
            "see `sampler`, `shipper` and `receiver` above",
        )
    late = now - newest[latest][0] > _SILENT_NS
    return Check(
        "newest slices",
        "warn" if late else "ok",
        says,
        "see `jostle receive` above, and run this on a node" if late else "",
    )


def check_silent(site: Site) -> Check:
    """Name the machines with a running agent that sent no data for a minute."""
    now = time.time_ns()
    silent = sorted(
        (now - ns, host)
        for host, (ns, runs) in _newest(site).items()
        if runs and _SILENT_NS < now - ns < _GONE_NS
    )
    if not silent:
        return Check("silent nodes", "ok", "none is silent for longer than a minute")
    named = ", ".join(f"{host} ({duration(ns)})" for ns, host in silent[:_MOST_NAMES])
    named += f" and {len(silent) - _MOST_NAMES} more" if len(silent) > _MOST_NAMES else ""
    return Check(
        "silent nodes",
        "warn",
        f"silent for longer than a minute: {named}",
        "run `jostle doctor --site` there",
    )


def check_file_servers(site: Site) -> Check:
    """Report for each mount with separate metadata servers which of its servers have an agent."""
    from jostle.repository import Repository

    mounts = Repository(site.repository).storage_servers()
    if not mounts:
        return Check(
            "file servers", "ok", "no job used a file system with metadata servers of its own"
        )
    said = [_servers_of(mount, servers) for mount, servers in list(mounts.items())[:_MOST_NAMES]]
    more = len(mounts) - len(said)
    text = "; ".join(said) + (f"; and {more} more" if more else "")
    if all(each.objects and each.metadata for each in mounts.values()):
        return Check("file servers", "ok", text)
    return Check(
        "file servers",
        "warn",
        text,
        "run the agent there too: slow servers, and load of nodes without profiles, are then named",
    )


def _servers_of(mount: str, servers: StorageServers) -> str:
    if servers.clusters:
        return (
            f"{mount}: its source does not say which of {servers.clusters} Ceph clusters it is, "
            "so none is taken"
        )
    parts = [
        f"{what} with an agent: {', '.join(hosts[:_MOST_NAMES])}"
        + (f" and {len(hosts) - _MOST_NAMES} more" if len(hosts) > _MOST_NAMES else "")
        if hosts
        else f"no agent is known on {whose}"
        for what, whose, hosts in (
            ("object servers", "its object servers", servers.objects),
            ("metadata server", "its metadata server", servers.metadata),
        )
    ]
    return f"{mount}: {', '.join(parts)}"


def _ago(ns: int) -> str:
    return f"{duration(max(ns, 0))} ago"


def check_ingester(site: Site) -> Check:
    """Check that some process ingests profiles into the repository."""
    if site.verb("receive"):
        return Check("ingester", "ok", "`jostle receive` ingests")
    if site.verb("ingest", "--follow"):
        return Check("ingester", "ok", "`jostle ingest --follow` runs")
    return Check(
        "ingester",
        "warn",
        "neither `jostle receive` nor `jostle ingest --follow` runs here",
        f"jostle ingest --follow{repository_flag(site.repository)}, or on another machine",
    )


def check_digest(site: Site) -> Check:
    """Check that digests are written, if the operator wants them."""
    from jostle.cli.job_outputs import site_settings

    words = site.verb("site", "digest")
    file = site.config(words, "site.conf")
    if not file.exists():
        return Check("site digest", "ok", f"{file} does not exist, so digests are switched off")
    wanted = site_settings(file).digest  # its error has the reason and the remedy
    if wanted == "off":
        return Check("site digest", "ok", f"{file} switches digests off")
    if not words:
        return Check(
            "site digest",
            "fail",
            f"{file} switches digests on ({wanted}), and `jostle site digest` does not run",
            f"jostle site digest --follow{repository_flag(site.repository)}",
        )
    return Check("site digest", "ok", f"`jostle site digest` runs ({wanted})")
