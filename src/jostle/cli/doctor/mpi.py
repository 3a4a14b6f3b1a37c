"""Checks of `jostle doctor` for MPI programs: adapters, and hardware counters."""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from jostle.cli.doctor.checks import Check

_LAUNCHER = re.compile(r"(mpirun|mpiexec|orterun|prterun)([.-].+)?")
_OURS = ("decode", "timer")
_PATIENCE_S = 10


@dataclass(frozen=True)
class FoundMpi:
    """An MPI installation whose launcher is on PATH.

    Attributes:
        family: openmpi or mpich (also others of its ABI), as in the names of adapters; "" if
            unknown.
        says: Name and version of the MPI.
        path: Path of its launcher.
    """

    family: str
    says: str
    path: str


def adapters() -> list[str]:
    """Return the names of the installed adapters."""
    from jostle import native_path

    folder = native_path("libjostle.so").parent
    names = (path.name[len("libjostle-") : -len(".so")] for path in folder.glob("libjostle-*.so"))
    return sorted(name for name in names if name not in _OURS)


def mpis_on_path() -> list[FoundMpi]:
    """Return the MPI installations whose launchers are on PATH, each once."""
    found_mpis: dict[str, FoundMpi] = {}
    seen = set()
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name)
            real = os.path.realpath(path)
            if _LAUNCHER.fullmatch(name) and real not in seen and os.access(path, os.X_OK):
                seen.add(real)
                mpi = _asked(path)
                if mpi and mpi.says not in found_mpis:
                    found_mpis[mpi.says] = mpi
    return list(found_mpis.values())


def _asked(path: str) -> FoundMpi | None:
    """Identify a launcher by its output."""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
            env={**os.environ, "JOSTLE": "off"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return recognised(done.stdout + done.stderr, path)


def recognised(words: str, path: str) -> FoundMpi | None:
    """Identify the MPI from the output of its launcher; None if it is not an MPI launcher."""
    if match := re.search(r"\((?:Open MPI|PRRTE|OpenRTE)\)\s*v?(\S+)", words):
        return FoundMpi("openmpi", f"Open MPI {match[1]}", path)
    if match := re.search(r"Intel\(R\) MPI Library.*?Version (\S+)", words, re.DOTALL):
        return FoundMpi("mpich", f"Intel MPI {match[1]}", path)
    if match := re.search(r"HYDRA.*?Version:\s*(\S+)", words, re.DOTALL):
        return FoundMpi("mpich", f"MPICH {match[1]}", path)
    return None


def check_mpi() -> Check:
    """Check that each MPI of this machine has an adapter."""
    installed, found_mpis = adapters(), mpis_on_path()
    names = ", ".join(installed) or "none"
    without = [mpi for mpi in found_mpis if not _has_adapter(mpi.family, installed)]
    if without:
        missing = ", ".join(f"{mpi.says} ({mpi.path})" for mpi in without)
        return Check(
            "MPI",
            "warn",
            f"adapters: {names}; without one, so that its calls are not counted: {missing}",
            "install its compiler wrapper (mpicc) and build jostle again, with "
            "-DJOSTLE_MPICC=LIST for an MPI elsewhere",
        )
    if not found_mpis:
        return Check("MPI", "ok", f"adapters: {names}; no MPI on PATH")
    served = ", ".join(mpi.says for mpi in found_mpis)
    return Check("MPI", "ok", f"adapters: {names}; they serve {served}")


def _has_adapter(family: str, installed: list[str]) -> bool:
    return any(name == family or name.startswith(f"{family}-") for name in installed)


_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
#: Name, type and config of perf_event_attr.
EVENTS = (
    ("instructions", 0, 1),
    ("cycles", 0, 0),
    ("last-level misses", 0, 3),
    ("task clock", 1, 1),
    ("context switches", 1, 3),
    ("migrations", 1, 4),
    ("page faults", 1, 2),
)


def open_event(kind: int, config: int) -> int:
    """Try to open a counter of this process in user mode; return 0 or the errno."""
    number = _PERF_EVENT_OPEN.get(os.uname().machine)
    if number is None:
        return errno.ENOSYS
    # struct perf_event_attr, first version: type, 64 bytes, config, and the flags disabled,
    # exclude_kernel (hardware only: switches happen in the kernel), exclude_hv.
    flags = 1 | 1 << 6 | (1 << 5 if kind == 0 else 0)
    attribute = struct.pack("=IIQQQQQ", kind, 64, config, 0, 0, 0, flags).ljust(64, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.syscall(number, attribute, 0, -1, -1, ctypes.c_ulong(0))
    if handle < 0:
        return ctypes.get_errno()
    os.close(handle)
    return 0


def check_perf() -> Check:
    """Report which performance events this machine permits, and why not the others."""
    failures = {name: open_event(kind, config) for name, kind, config in EVENTS}
    granted = [name for name, failure in failures.items() if failure == 0]
    denied = [name for name, failure in failures.items() if failure]
    if not denied:
        return Check(
            "perf events",
            "ok",
            f"granted: {', '.join(granted)}; hardware counters pause while they would cost too "
            "much (with JOSTLE_PERF=on they never pause)",
        )
    why, fix = _why({failures[name] for name in denied})
    says = f"not granted: {', '.join(denied)} ({why})"
    if granted:
        says = f"granted: {', '.join(granted)}; {says}"
    # A limit that cannot be fixed is no warning: such a machine works as well as it can.
    return Check("perf events", "warn" if fix else "ok", says, fix)


def _why(failures: set[int]) -> tuple[str, str]:
    if failures & {errno.EACCES, errno.EPERM}:
        path = Path("/proc/sys/kernel/perf_event_paranoid")
        level = path.read_text().strip() if path.exists() else "unknown"
        allow = "allow perf_event_open in the container's filter of system calls"
        if level in ("-1", "0", "1"):
            return f"perf_event_paranoid = {level} permits them: a filter does not", allow
        # 2 would still refuse task clock, switches, migrations and faults, which the kernel counts.
        return (
            f"closed to users, perf_event_paranoid = {level}",
            f"sysctl kernel.perf_event_paranoid=1, as root; in a container, also {allow}",
        )
    if errno.ENOSYS in failures:
        return "the kernel has no perf_event_open", ""
    return "this machine has no such counters, as many virtual machines", ""


_PAPI_EVENTS = ("PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_TOT_INS", "PAPI_L3_TCM")
_PAPI_LIBRARIES = tuple(f"libpapi.so{version}" for version in ("", ".7", ".6", ".5"))


def check_papi() -> Check:
    """Check whether PAPI is installed for JOSTLE_PAPI, and which usual events it supports."""
    for name in (*_PAPI_LIBRARIES, ctypes.util.find_library("papi") or ""):
        try:
            library = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if library is not None and hasattr(library, "PAPI_query_event"):
            return _papi_says(name, library)
    return Check("PAPI", "ok", "not installed: JOSTLE_PAPI counts nothing (nothing else needs it)")


def _papi_says(name: str, library: ctypes.CDLL) -> Check:
    versions = (major << 24 | minor << 16 for major in (7, 6, 5) for minor in range(10))
    library.PAPI_set_debug(0)
    if not any(library.PAPI_library_init(version) == version for version in versions):
        return Check("PAPI", "warn", f"{name} is there and does not start", "reinstall PAPI")
    known = [event for event in _PAPI_EVENTS if _papi_knows(library, event)]
    if known:
        return Check("PAPI", "ok", f"{name}; for JOSTLE_PAPI there are {', '.join(known)}")
    return Check(
        "PAPI",
        "warn",
        f"{name} knows none of {', '.join(_PAPI_EVENTS)} on this machine",
        "see `perf events`; papi_avail lists what there is",
    )


def _papi_knows(library: ctypes.CDLL, event: str) -> bool:
    code = ctypes.c_int()
    named: int = library.PAPI_event_name_to_code(event.encode(), ctypes.byref(code))
    return named == 0 and int(library.PAPI_query_event(code)) == 0
