"""Checks of `jostle doctor`; each reports one line, and a fix where one is needed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jostle.cli.config import RuntimeSettings, settings
from jostle.cli.options.common import repository_flag
from jostle.files.mounts import mount_points
from jostle.files.regular_files import read_regular
from jostle.files.repository_address import is_address
from jostle.names.users import owner_name
from jostle.report.format.values import byte_count, duration
from jostle.values.plain_values import one_line

_JOB_CONTAINER = re.compile(
    r"^[ \t]*JobContainerType[ \t]*=[ \t]*(?:job_container|namespace)/tmpfs", re.M | re.I
)
_CONTAINER_DIRS = re.compile(r"\bDirs[ \t]*=[ \t]*(\S+)", re.I)


@dataclass(frozen=True)
class Check:
    """The finding of one check.

    Attributes:
        name: Subject of the check.
        state: Result: ok, warn (jostle works with less) or fail (it does not).
        says: Text of the finding.
        fix: Remedy; empty if none is needed.
    """

    name: str
    state: str
    says: str
    fix: str = ""


def check_runtime() -> Check:
    """Check that the compiled parts exist, at a path that LD_PRELOAD supports."""
    from jostle import native_path

    library = native_path("libjostle.so")
    native_path("libjostle-decode.so")
    if any(sign in str(library) for sign in " :"):
        return Check(
            "runtime",
            "fail",
            f"{library} has a space or colon in its path, and LD_PRELOAD splits there",
            "install jostle below a path without spaces and colons",
        )
    return Check("runtime", "ok", str(library))


def check_preload() -> Check:
    """Run a small program under the runtime and read its profile back."""
    from jostle import native_path

    library = native_path("libjostle.so")
    size = 2 << 20
    with tempfile.TemporaryDirectory(prefix="jostle-doctor-") as name:
        folder = Path(name)
        (folder / "spool").mkdir()
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("JOSTLE")
        }
        environment.update(
            LD_PRELOAD=str(library),
            JOSTLE_SPOOL=str(folder / "spool"),
            JOSTLE_JOB="doctor",
            JOSTLE_SLICE="100ms",
        )
        command = ["dd", "if=/dev/zero", f"of={folder}/data", "bs=64k", f"count={size >> 16}"]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode != 0:
            return Check(
                "preload",
                "fail",
                f"dd ended with {done.returncode} under the runtime: {done.stderr.strip()[-200:]}",
                "set JOSTLE=off and report this",
            )
        return _compare_profile(folder / "spool", size, done.stderr)


def _compare_profile(spool: Path, size: int, words: str) -> Check:
    """Compare what the runtime counted with the `size` bytes that dd wrote."""
    from jostle.reader import ReadRequest, find_profiles, read_profiles

    paths = [path for path in find_profiles([spool]) if path.suffix == ".jst"]
    if not paths:
        messages = [line for line in words.splitlines() if "jostle" in line.lower()]
        why = messages[0] if messages else "the runtime gave no reason"
        return Check(
            "preload",
            "fail",
            f"dd wrote {byte_count(size)} and left no profile ({why})",
            "check whether the operator's settings switch jostle off; see `settings` below",
        )
    decoded = read_profiles([ReadRequest(path, number) for number, path in enumerate(paths)])
    rows = decoded.mount_slices.column("posix_write_bytes").to_pylist()
    counted = sum(value or 0 for value in rows)
    if counted < size:
        return Check(
            "preload",
            "fail",
            f"dd wrote {byte_count(size)}, the profile holds {byte_count(counted)}",
            "report this, with the version of your C library",
        )
    return Check("preload", "ok", f"dd wrote {byte_count(size)}; its profile says the same")


def check_counters() -> Check:
    """Check that the kernel's counters of a process can be read."""
    missing = []
    for path, content in (
        ("/proc/self/io", "bytes and calls of any origin"),
        ("/proc/self/schedstat", "time in the run queue"),
        ("/proc/self/stat", "CPU time"),
    ):
        try:
            Path(path).read_bytes()
        except OSError as error:
            missing.append(f"{path} ({content}): {error.strerror}")
    if missing:
        return Check(
            "counters",
            "warn",
            "not readable: " + "; ".join(missing),
            "mount /proc, or use a kernel with TASK_IO_ACCOUNTING and SCHED_INFO",
        )
    return Check("counters", "ok", "/proc/self/io, schedstat and rusage are readable")


class _Timex(ctypes.Structure):
    """struct timex of Linux, as returned by adjtimex(2)."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 32),
    )


def check_clock() -> Check:
    """Check that the clock is synchronised, and report its error bound."""
    libc = ctypes.CDLL(None, use_errno=True)
    facts = _Timex()
    state = libc.adjtimex(ctypes.byref(facts))
    if state < 0:
        return Check("clock", "warn", f"adjtimex: {os.strerror(ctypes.get_errno())}", "")
    bound = duration(facts.maxerror * 1000)
    source = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    name = source.read_text().strip() if source.is_file() else "unknown"
    if state == 5:
        return Check(
            "clock",
            "warn",
            f"not synchronised (clock source {name}): slices of several nodes "
            "may not line up; on one node they do",
            "start chrony, ntpd or systemd-timesyncd",
        )
    return Check("clock", "ok", f"synchronised, at most {bound} off (clock source {name})")


def free_of(path: Path) -> str:
    """Return the free space of a folder's file system, as text."""
    return byte_count(shutil.disk_usage(path).free)


def private_to_jobs(spool: Path, conf: Path | None = None) -> str:
    """Return the folder around the spool that Slurm makes private to each job; "" if none is.

    Mounts of its plugin job_container/tmpfs are removed with the job, including the profiles.
    """
    conf = conf or Path(os.environ.get("SLURM_CONF") or "/etc/slurm/slurm.conf")
    try:
        used = _JOB_CONTAINER.search(read_regular(conf).decode("utf-8", "replace"))
    except OSError:
        return ""
    if not used:
        return ""
    folders = {"/tmp", "/dev/shm"}
    with contextlib.suppress(OSError):
        text = read_regular(conf.with_name("job_container.conf")).decode("utf-8", "replace")
        for line in _CONTAINER_DIRS.findall(text):
            folders.update(line.split(","))
    return next((folder for folder in sorted(folders) if spool.is_relative_to(folder)), "")


def check_spool() -> Check:
    """Check that every user can write profiles and no user can remove another user's."""
    spool = settings().spool
    if private := private_to_jobs(spool):
        return Check(
            "spool",
            "fail",
            f"{spool} lies in {private}, which Slurm's job_container/tmpfs makes "
            "private to each job, so profiles would be removed with it",
            "set `spool` in /etc/jostle/jostle.conf to a folder elsewhere, such as "
            "/var/spool/jostle",
        )
    if not spool.exists():
        parent = spool.parent
        if os.access(parent, os.W_OK):
            return Check("spool", "ok", f"{spool} is not there yet; the first profile makes it")
        return Check(
            "spool",
            "fail",
            f"{spool} does not exist and {parent} is not writable for you",
            f"mkdir -m 1777 {spool} as root, or set JOSTLE_SPOOL",
        )
    facts = spool.stat()
    if not stat.S_ISDIR(facts.st_mode):
        return Check("spool", "fail", f"{spool} is not a folder", "remove it, or set JOSTLE_SPOOL")
    owner = owner_name(facts.st_uid)
    if not os.access(spool, os.W_OK | os.X_OK):
        return Check(
            "spool",
            "fail",
            f"{spool} belongs to {owner} ({stat.filemode(facts.st_mode)}) and "
            "you cannot write there",
            f"ask {owner} to `chmod 1777 {spool}`, or set JOSTLE_SPOOL",
        )
    free = shutil.disk_usage(spool).free
    kind = file_system_of(spool)
    says = f"{spool}: {kind}, {byte_count(free)} free"
    if free < 256 << 20:
        return Check("spool", "warn", says, "make room: a full spool ends recording")
    if facts.st_mode & stat.S_IWOTH and not facts.st_mode & stat.S_ISVTX:
        return Check(
            "spool",
            "fail",
            f"{spool} is writable for all but not sticky, so users could remove each other's "
            "profiles",
            f"chmod 1777 {spool}",
        )
    if kind in NETWORK_TYPES:
        return Check(
            "spool",
            "warn",
            f"{says}; profiles should stay on the node",
            "set JOSTLE_SPOOL to a folder on a local disk",
        )
    return Check("spool", "ok", says)


_NETWORK = (
    "nfs nfs4 lustre gpfs beegfs ceph fuse.ceph-fuse fuse.sshfs fuse.glusterfs glusterfs cifs "
    "smb3 9p"
)
NETWORK_TYPES = frozenset(_NETWORK.split())
_PSEUDO = (
    "proc sysfs cgroup cgroup2 devpts devtmpfs mqueue debugfs tracefs securityfs pstore bpf "
    "configfs fusectl hugetlbfs autofs binfmt_misc nsfs rpc_pipefs efivarfs ramfs"
)
_PSEUDO_TYPES = frozenset(_PSEUDO.split())


def mounts() -> list[tuple[str, str, str]]:
    """Return (path, type, source) of the mounts, except of pseudo file systems such as proc."""
    return [
        (mount.path, mount.kind, mount.source)
        for mount in mount_points()
        if mount.kind not in _PSEUDO_TYPES
    ]


def file_system_of(path: Path) -> str:
    """Return the type of the file system that contains `path`."""
    real = str(path.resolve())
    best = ("", "unknown")
    for mount, kind, _ in mounts():
        inside = real == mount or real.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best[0]):
            best = (mount, kind)
    return best[1]


def check_file_systems() -> Check:
    """Report which file systems jostle distinguishes."""
    seen = mounts()
    shared = sorted(
        {f"{one_line(path)} ({kind})" for path, kind, _ in seen if kind in NETWORK_TYPES}
    )
    kinds = sorted({kind for _, kind, _ in seen})
    says = f"{len(seen)} mounts with files: {', '.join(kinds)}"
    if shared:
        says += f"; shared with other nodes: {', '.join(shared)}"
    return Check("file systems", "ok", says)


def check_repository(path: Path) -> Check:
    """Check that there is a repository that this user may write to."""
    from jostle.repository import Repository

    if is_address(path):
        return _check_objects(path)
    if not path.exists():
        return Check("repository", "ok", f"{path} is not there yet; the first ingest makes it")
    if not os.access(path, os.W_OK | os.X_OK):
        owner = owner_name(path.stat().st_uid)
        return Check(
            "repository",
            "warn",
            f"{path} belongs to {owner}: you can read it, but not ingest into it",
            "name one of your own with --repository or JOSTLE_REPOSITORY",
        )
    store = Repository(path)
    number = store.jobs().num_rows
    free = byte_count(shutil.disk_usage(path).free)
    if lost := [*store.damage(), *(damaged.missing() for damaged in store.left_out().values())]:
        fix = f"restore it from a backup, or `jostle repository check{repository_flag(path)} --fix`"
        return Check("repository", "warn", f"{path}: {lost[0]}", fix)
    return Check("repository", "ok", f"{path}: {number} jobs, {free} free")


def _check_objects(path: Path) -> Check:
    """Test whether an object store refuses to replace an object, and report its number of jobs.

    If it replaced objects, two ingesters would overwrite each other's data.
    """
    from jostle.repository import Repository, RepositoryError
    from jostle.repository.store.storage import open_storage

    storage = open_storage(path)
    try:
        excludes = storage.excludes()
    except OSError as error:
        return Check(
            "repository",
            "fail",
            f"{storage.name}: {error.strerror or error}",
            "look at AWS_ENDPOINT_URL, AWS_REGION, the credentials and the bucket's name",
        )
    if not excludes:
        return Check(
            "repository",
            "fail",
            f"{storage.name}: the object store ignores "
            "`If-None-Match: *`; two ingesters would overwrite each other's commits",
            "use a store that puts an object only if it is absent",
        )
    says = f"{storage.name}: the object store refuses to replace a commit"
    try:
        store = Repository(path)
    except RepositoryError as error:
        if error.exit_code != 2:
            raise
        return Check("repository", "ok", f"{says}; the first ingest makes the repository")
    return Check("repository", "ok", f"{says}; {store.jobs().num_rows} jobs")


def check_fabrics(path: Path) -> Check:
    """Check that the nodes of jobs are in the known fabrics."""
    from jostle.cli.views.topology import outside_words
    from jostle.report.models.machines.fabrics import fabrics
    from jostle.repository import Repository, RepositoryError

    if not path.exists() and not is_address(path):
        return Check("fabrics", "ok", "there are no jobs yet")
    try:
        content = fabrics(Repository(path))
    except RepositoryError as error:
        if not is_address(path) or error.exit_code != 2:
            raise
        return Check("fabrics", "ok", "there are no jobs yet")
    flag = repository_flag(path)
    if content.damaged:
        return Check("fabrics", "warn", content.damaged[0], "import the fabric again")
    if not content.fabrics:
        return Check(
            "fabrics",
            "ok",
            "none is known, so shared links cannot be determined; "
            f"`jostle topology import{flag} FILE` takes one",
        )
    if lost := outside_words(content.outside):
        fix = (
            f"import the network as it is now, or give the right names: `jostle topology import"
            f"{flag} --hosts FILE ...`"
        )
        return Check("fabrics", "warn", " ".join(lost), fix)
    names = ", ".join(each.newest.name for each in content.fabrics)
    return Check("fabrics", "ok", f"{names}: all {content.outside.hosts} nodes of jobs are in them")


def check_settings() -> Check:
    """Check whether an operator's file or the environment changes the settings of jostle."""
    rules: RuntimeSettings = settings()
    if rules.problems:
        return Check("settings", "warn", "; ".join(rules.problems), "correct or remove these lines")
    if not rules.enabled:
        place, fix = str(rules.file), "export JOSTLE=on"
        if "enabled" in rules.locked:
            fix = f"write `enabled = on` into {rules.file}, as its owner"
        elif os.environ.get("JOSTLE"):
            place, fix = "JOSTLE", "unset JOSTLE"
        return Check("settings", "warn", f"recording is switched off by {place}", fix)
    words = [f"{key} = {value}" for key, value in rules.values.items() if key != "lock"]
    if rules.locked:
        words.append(f"locked: {', '.join(sorted(rules.locked))}")
    names = sorted(name for name in os.environ if name == "JOSTLE" or name.startswith("JOSTLE_"))
    if names:
        words.append("environment: " + ", ".join(names))
    where = f"{rules.file}: " if rules.file else "no operator's file; "
    return Check("settings", "ok", where + ("; ".join(words) or "defaults"))
