"""Checks of `jostle doctor --site` for nodes, servers and login nodes."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import re
import socket
import ssl
import stat
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jostle.cli.config import settings
from jostle.cli.doctor import checks
from jostle.cli.doctor.checks import Check
from jostle.errors import JostleError
from jostle.files.regular_files import read_regular
from jostle.names.users import owner_name
from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.cli.doctor.site import Site

_PATIENCE_S = 10
#: Age in slices after which a profile of a machine counts as left over.
_STALE_SLICES = 3
#: Clock error beyond which the receiver refuses posts; from a tenth of it on it is reported.
_MOST_SKEW_S = 300
_SOON_S = 30 * 86_400
_ANSWER = re.compile(r"^last answer +(.*) \((\S+Z)\)$", re.M)
_WAITING = re.compile(r"^to be sent +(\d+ bytes)", re.M)


def check_library(site: Site) -> Check:
    """Check that every user's programs can load the library, and its adapters."""
    folder = site.prefix / "lib"
    if not (folder / "libjostle.so").exists():
        from jostle import native_path

        folder = native_path("libjostle.so").parent  # its error has the remedy
    files = [folder / "libjostle.so", *sorted(folder.glob("libjostle-*.so"))]
    closed = [
        path
        for path in (*files, folder, *folder.parents)
        if not path.stat().st_mode & (stat.S_IXOTH if path.is_dir() else stat.S_IROTH)
    ]
    if closed:
        return Check(
            "library",
            "fail",
            f"users cannot read {closed[0]}, so their programs start without it, "
            "with an error of the loader",
            f"chmod o+rX {closed[0]}",
        )
    names = [path.name[len("libjostle-") : -len(".so")] for path in files[1:]]
    adapters = ", ".join(name for name in names if name not in ("decode", "timer")) or "none"
    return Check("library", "ok", f"{files[0]}; adapters for MPI: {adapters}")


def check_operators_file(site: Site) -> Check:
    """Check that the operator set the folder of profiles, and that users cannot change it."""
    rules = settings()
    check = checks.check_settings()
    if check.state != "ok":
        return Check("operator's file", check.state, check.says, check.fix)
    if rules.file is None:
        return Check(
            "operator's file",
            "warn",
            f"{site.etc}/jostle.conf does not exist, so all settings have their defaults, and "
            "users can change them",
            f"write `spool`, `slice` and `lock = spool, slice` into {site.etc}/jostle.conf",
        )
    open_keys = sorted({"spool"} - rules.locked)
    if open_keys:
        return Check(
            "operator's file",
            "warn",
            f"{check.says}; users may choose another spool, which the agent does not send",
            f"add `spool` to `lock` in {rules.file}",
        )
    return Check("operator's file", "ok", check.says)


def check_spool(site: Site) -> Check:
    """Check that all users can write into the spool, and the shipper can empty it."""
    spool = site.spool
    private = checks.private_to_jobs(spool, site.slurm)
    if private:
        return Check(
            "spool",
            "fail",
            f"{spool} lies in {private}, which Slurm's job_container/tmpfs makes "
            "private to each job, so profiles are removed with it",
            "set `spool` in jostle.conf to a folder elsewhere, such as /var/spool/jostle",
        )
    make = f"install -d -m 1777 {spool}, as root, and at each boot (tmpfiles.d)"
    if not spool.is_dir():
        return Check("spool", "fail", f"{spool} is not a folder, so nothing is recorded", make)
    facts = spool.stat()
    if stat.S_IMODE(facts.st_mode) & 0o1777 != 0o1777:
        return Check(
            "spool",
            "fail",
            f"{spool} has mode {stat.S_IMODE(facts.st_mode):o}: all users must "
            "be able to write, but not to remove the files of others",
            f"chmod 1777 {spool}",
        )
    if settings().spool != spool:
        return Check(
            "spool",
            "warn",
            f"programs write into {settings().spool}, the agent reads {spool}",
            f"move `spool` from {site.agent_conf} to {site.etc}/jostle.conf",
        )
    kind, free = checks.file_system_of(spool), checks.free_of(spool)
    says = f"{spool}: owner {owner_name(facts.st_uid)}, sticky, {kind}, {free} free"
    if kind in checks.NETWORK_TYPES:
        return Check("spool", "warn", says, "move the spool to a local disk of this machine")
    return Check("spool", "ok", says)


def _ship(site: Site) -> Path:
    """Return the shipper: that of the packages, or the one in this program's folder."""
    installed = site.prefix / "bin" / "jostle-ship"
    if installed.exists():
        return installed
    from jostle import native_path

    return native_path("jostle-ship")


def _status(site: Site) -> tuple[int, str]:
    """Return exit status and output of `jostle-ship --status`, which reads agent.conf first."""
    done = subprocess.run(
        [str(_ship(site)), "--config", str(site.agent_conf), "--status"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr.strip()


def check_agent_conf(site: Site) -> Check:
    """Check agent.conf by the program that reads it."""
    if not site.agent_conf.exists():
        return Check(
            "agent.conf",
            "warn",
            f"{site.agent_conf} is not there: profiles stay in the spool "
            "until something takes them (`jostle ingest --follow`, on a shared folder)",
            f"write `receiver = https://HOST:8643` and a credential into {site.agent_conf}",
        )
    code, words = _status(site)
    if code:
        why, _, fix = words.removeprefix("jostle-ship: ").partition(" Fix: ")
        return Check("agent.conf", "fail", why, fix or f"correct {site.agent_conf}")
    receiver = site.agent.get("receiver")
    if not receiver:
        return Check(
            "agent.conf",
            "warn",
            f"{site.agent_conf} names no receiver",
            f"write `receiver = https://HOST:8643` into {site.agent_conf}",
        )
    return Check("agent.conf", "ok", f"{site.agent_conf}: to {receiver}")


def check_sampler(site: Site) -> Check:
    """Check that the sampler runs, and that its profile grows."""
    start = "systemctl enable --now jostle-agent-sampler"
    if not site.program("jostle-agent"):
        return Check(
            "sampler",
            "fail",
            "jostle-agent does not run, so the activity of this machine is not recorded",
            start,
        )
    from jostle.reader import ReadRequest, read_machines

    try:
        paths = [site.spool / name for name in os.listdir(site.spool) if name.endswith(".jsm")]
        newest = max(paths, key=lambda path: path.stat().st_mtime_ns, default=None)
    except OSError as error:
        return Check("sampler", "warn", f"{site.spool}: {error.strerror}", "ask as root")
    if newest is None:
        return Check(
            "sampler",
            "fail",
            f"jostle-agent runs, and {site.spool} has no profile of a machine",
            "look into `journalctl -u jostle-agent-sampler`",
        )
    (read,) = read_machines([ReadRequest(newest, 0)]).results
    if read.header is None:
        closed = not os.access(newest, os.R_OK)
        return Check(
            "sampler",
            "warn" if closed else "fail",
            str(read.error),
            "ask as root" if closed else start,
        )
    header = read.header
    silent = time.time_ns() - max(header.heartbeat_ns, header.start_ns)
    if silent > _STALE_SLICES * header.slice_ns + 10**9:
        return Check(
            "sampler",
            "fail",
            f"{newest.name} has not grown for {duration(silent)}",
            "systemctl restart jostle-agent-sampler",
        )
    texts = list(dict.fromkeys(note.text for note in header.notes))
    texts = [text for text in texts if not text.startswith("not here")]  # which is not an error
    lacks = f"; it says: {texts[0]}" if texts else ""
    lacks += f" (and {len(texts) - 1} more: jostle-agent --once)" if len(texts) > 1 else ""
    return Check(
        "sampler",
        "ok",
        f"{newest.name}: {header.role}, {len(header.components)} components, "
        f"slices of {duration(header.slice_ns)}{lacks}",
    )


def check_shipper(site: Site) -> Check:
    """Check that the shipper runs, and what the receiver last answered."""
    start = "systemctl enable --now jostle-ship"
    if not site.program("jostle-ship"):
        return Check(
            "shipper", "fail", "jostle-ship does not run, so profiles stay on this machine", start
        )
    code, words = _status(site)
    if code:
        return Check("shipper", "warn", words or "jostle-ship --status failed", "ask as root")
    answer = _ANSWER.search(words)
    if answer is None:
        return Check("shipper", "warn", words.strip().splitlines()[-1], "ask as root, or wait")
    waiting = _WAITING.search(words)
    says = f"last answer: {answer[1]} ({answer[2]})"
    says += f"; {waiting[1]} to be sent" if waiting else ""
    if answer[1] == "none yet":
        return Check("shipper", "warn", says, "wait for its next post")
    if answer[1] != "stored":
        _, _, fix = answer[1].partition(" Fix: ")
        return Check("shipper", "fail", says, fix or "see `receiver` below")
    return Check("shipper", "ok", says)


def check_receiver(site: Site) -> Check:
    """Check that the receiver answers from here, its certificate, and that both clocks agree."""
    url = urlsplit(site.agent["receiver"])
    if url.scheme == "unix":
        return _check_socket(url.path)
    try:
        asked = time.time()
        status, content, headers, until = _health(site, url)
    except ssl.SSLCertVerificationError as error:
        return Check(
            "receiver",
            "fail",
            f"{url.netloc}: its certificate is not valid: {error.verify_message}",
            "set `ca_file`, or renew the receiver's certificate",
        )
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Check(
            "receiver",
            "fail",
            f"{url.netloc} does not answer: {error}",
            "start `jostle receive` there, and let this machine through its firewall",
        )
    now = (asked + time.time()) / 2
    their_time = content.get("time_ns", 0) / 1e9
    if not their_time and headers.get("Date"):
        their_time = email.utils.parsedate_to_datetime(headers["Date"]).timestamp()
    skew = abs(now - their_time) if their_time else 0.0
    if skew > _MOST_SKEW_S / 10:
        state = "fail" if skew > _MOST_SKEW_S else "warn"
        return Check(
            "receiver",
            state,
            f"{url.netloc}: its clock and this one are {duration(skew * 1e9)} apart",
            "start chrony, ntpd or systemd-timesyncd on both",
        )
    if status == 503 and content.get("problems"):
        return Check(
            "receiver",
            "fail",
            f"{url.netloc}: {'; '.join(content['problems'])}",
            "run `jostle doctor --site` there",
        )
    if until is not None and until - now < _SOON_S:
        return Check(
            "receiver",
            "warn",
            f"{url.netloc}: its certificate ends in {duration(max(until - now, 0) * 1e9)}",
            "renew it",
        )
    clocks = f"clocks {duration(skew * 1e9)} apart" if their_time else "its clock is not known"
    return Check("receiver", "ok", f"{url.netloc} answers; {clocks}")


def _check_socket(path: str) -> Check:
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_PATIENCE_S)
            link.connect(path)
    except OSError as error:
        return Check("receiver", "fail", f"{path}: {error.strerror}", "start the proxy")
    return Check("receiver", "ok", f"{path} takes connections")


def _health(site: Site, url: Any) -> tuple[int, dict[str, Any], Any, float | None]:
    """Query a receiver's health; return status, content, headers, and end of its certificate."""
    if url.scheme == "https":
        context = ssl.create_default_context(cafile=site.agent.get("ca_file"))
        if certificate := site.agent.get("certificate_file"):
            context.load_cert_chain(certificate, site.agent.get("key_file"))
        link: http.client.HTTPConnection = http.client.HTTPSConnection(
            url.hostname, url.port, timeout=_PATIENCE_S, context=context
        )
    else:
        link = http.client.HTTPConnection(url.hostname, url.port, timeout=_PATIENCE_S)
    try:
        link.connect()
        until = None
        if isinstance(link.sock, ssl.SSLSocket):
            ends = (link.sock.getpeercert() or {}).get("notAfter")
            until = ssl.cert_time_to_seconds(str(ends)) if ends else None
        link.request("GET", "/health")
        answer = link.getresponse()
        body = answer.read(65536)
        is_ours = answer.headers.get_content_type() == "application/json"
        content = json.loads(body) if is_ours else {}
        return answer.status, content if isinstance(content, dict) else {}, answer.headers, until
    finally:
        link.close()


_PLUGIN = re.compile(r"^\s*(optional|required)\s+(\S*spank_jostle\.so)", re.M)
_SCRIPTS = {"Prolog": "prolog", "Epilog": "epilog"}


def check_slurm(site: Site) -> Check:
    """Check the lines of Slurm's configuration that profile jobs and record their properties."""
    text = _read(site.slurm)
    plugstack = site.slurm.with_name("plugstack.conf")
    if named := re.search(r"^\s*PlugStackConfig\s*=\s*(\S+)", text, re.M | re.I):
        plugstack = Path(named[1])
    plugin = _PLUGIN.search(_read(plugstack))
    task_prolog = re.search(r"^\s*TaskProlog\s*=.*jostle", text, re.M | re.I)
    share = site.prefix / "share" / "jostle" / "slurm"
    if plugin is None and task_prolog is None:
        return Check(
            "Slurm",
            "fail",
            f"neither {plugstack} nor TaskProlog names jostle, so jobs are not profiled",
            f"add `optional {site.prefix}/lib/slurm/spank_jostle.so` to {plugstack}",
        )
    if plugin is not None and not Path(plugin[2]).exists():
        return Check(
            "Slurm",
            "fail",
            f"{plugstack} names {plugin[2]}, which is not here",
            "install the package for nodes, or correct the line",
        )
    if plugin is not None and plugin[1] == "required":
        return Check(
            "Slurm",
            "warn",
            f"{plugstack} says `required`: if the plugin does not load, no job starts",
            "write `optional`",
        )
    by = f"the plugin ({plugstack})" if plugin else "TaskProlog"
    missing = [key for key in _SCRIPTS if not re.search(rf"^\s*{key}\s*=\s*\S", text, re.M | re.I)]
    if missing and not site.is_a("login"):
        lines = " and ".join(f"`{key}={share}/{_SCRIPTS[key]}`" for key in missing)
        return Check(
            "Slurm",
            "warn",
            f"profiles by {by}; no {' and no '.join(missing)}, so names, limits and ends of jobs "
            "are not recorded, and there are no digests",
            f"write {lines} into {site.slurm}, then `scontrol reconfigure`",
        )
    return Check("Slurm", "ok", f"profiles by {by}; Prolog and Epilog are set")


def _read(path: Path) -> str:
    try:
        return read_regular(path).decode("utf-8", "replace")
    except (OSError, JostleError):
        return ""
