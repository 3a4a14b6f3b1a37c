"""Manages the state folders of labs: which labs run, and what a crashed lab left behind."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle_lab.cluster import namespaces, store
from jostle_lab.cluster.registry import services
from jostle_lab.cluster.spec import LabError, LabSpec, check_name

ROOT_FOLDER = Path("/run/jostle-lab")


def base_folder() -> Path:
    """Return the folder of all labs of this user."""
    if os.geteuid() == 0:
        return ROOT_FOLDER
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "jostle-lab" if runtime else Path(f"/tmp/jostle-lab-{os.geteuid()}")


@dataclass(frozen=True)
class State:
    """The state that the supervisor wrote about its lab.

    Attributes:
        spec: The specification of the lab.
        pid: Process ID of the supervisor on this machine.
        start: Start time of the supervisor, in clock ticks since boot.
        boot: Boot ID of the kernel at that time.
        rootless: Whether the lab has a user namespace.
        ready: Whether the lab is up.
        begun_ns: Start time of the lab, ns since the epoch.
        hosts: Process ID of each host, in the lab's PID namespace.
        facts: Facts that the services reported about themselves.
        device: The loop device of the store, or None.
        written: Bytes that the device had written before the lab used it.
        store_bytes: Size of the store, bytes; 0 if the file system has a store of its own.
    """

    spec: LabSpec
    pid: int
    start: int
    boot: str
    rootless: bool
    ready: bool
    begun_ns: int
    hosts: dict[str, int]
    facts: dict[str, dict[str, Any]]
    device: str | None
    written: int
    store_bytes: int

    def alive(self) -> bool:
        """Whether the supervisor runs (and its process id was not reused)."""
        return self.boot == namespaces.boot_id() and namespaces.start_time(self.pid) == self.start


def read_state(folder: Path) -> State | None:
    """Read a state file; None if there is no such file, or it is invalid."""
    try:
        fields = json.loads((folder / "state.json").read_text())
        return State(
            spec=LabSpec(**fields["spec"]),
            pid=int(fields["pid"]),
            start=int(fields["start"]),
            boot=str(fields["boot"]),
            rootless=bool(fields["rootless"]),
            ready=bool(fields["ready"]),
            begun_ns=int(fields["begun_ns"]),
            hosts=dict(fields["hosts"]),
            facts=dict(fields["facts"]),
            device=fields.get("device"),
            written=int(fields.get("written", 0)),
            store_bytes=int(fields.get("store_bytes", 0)),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, JostleError):
        return None


def trusted_folder() -> Path:
    """Return the folder of all labs of this user, if only this user can write to it.

    Raises:
        LabError: The folder belongs to another user.
        OSError: There is no such folder.
    """
    return store.trusted(base_folder())


def names() -> list[str]:
    """Return the names of all state folders of this user."""
    try:
        entries = list(trusted_folder().iterdir())
    except OSError:
        return []
    return sorted(entry.name for entry in entries if entry.is_dir())


def roots_own(name: str) -> bool:
    """Return whether this user is not root, and root has a lab of this name."""
    return os.geteuid() != 0 and (ROOT_FOLDER / name).exists()


class Claim:
    """The right to a lab's name: a lock that the supervisor inherits and keeps while it lives."""

    def __init__(self, name: str) -> None:
        """Claim the name of a lab.

        Raises:
            LabError: A lab of this name is up, or is being started or removed.
        """
        self.folder = base_folder() / check_name(name)
        self.folder.parent.parent.mkdir(parents=True, exist_ok=True)
        while True:
            with contextlib.suppress(FileNotFoundError):
                store.own_folder(self.folder.parent, 0o755)
                self.folder.mkdir(mode=0o755, exist_ok=True)
                self.descriptor = os.open(
                    self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
                )
                try:
                    fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(self.descriptor)
                    raise self._taken(name) from None
                if self._still_there():
                    return
                os.close(self.descriptor)  # another process removed the folder meanwhile

    def _still_there(self) -> bool:
        try:
            named = (self.folder / "lock").stat()
        except OSError:
            return False
        mine = os.fstat(self.descriptor)
        return (named.st_ino, named.st_dev) == (mine.st_ino, mine.st_dev)

    def _taken(self, name: str) -> LabError:
        state = read_state(self.folder)
        flag = "" if name == "lab" else f" --name {name}"
        if state and state.ready and state.alive():
            return LabError(
                f"The lab `{name}` is already up ({state.spec.nodes} nodes, {state.spec.fs}).",
                hint=f"Use `jostle lab status{flag}`, `jostle lab down{flag}`, or another --name.",
                exit_code=2,
            )
        return LabError(
            f"The lab `{name}` is being started or removed.",
            hint=f"Wait a moment, or stop the lab with `jostle lab down{flag}`.",
        )

    def release(self) -> None:
        """Release the name (the supervisor, if it has it, keeps it)."""
        os.close(self.descriptor)

    def remove(self) -> list[str]:
        """Remove the folder and what a killed lab left on the machine; return what was removed.

        Only for a claim whose lab does not run.
        """
        done = clear(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.folder.parent.rmdir()
        return done


def fix(folder: Path) -> list[str]:
    """Let the services of a dead lab undo their changes to the machine; return what was removed."""
    done: list[str] = []
    state = read_state(folder)
    for kind in services(state.spec) if state else ():
        with contextlib.suppress(OSError):
            assert state is not None
            done += kind.fix(state.facts.get(kind.name, {}))
    return done


def _is_ours(folder: Path) -> bool:
    try:
        return store.trusted(folder).is_dir()
    except (OSError, LabError):
        return False


def clear(folder: Path) -> list[str]:
    """Remove what outlives the lab's namespaces; empty the folder except for its lock.

    Returns:
        One sentence per thing that was removed.
    """
    done = fix(folder)
    disk = store.disk_folder(folder.name)
    if _is_ours(disk.parent) and disk.exists():
        done += [f"freed {device}" for device in store.detach_images(disk)]
        shutil.rmtree(disk, ignore_errors=True)
        with contextlib.suppress(OSError):
            disk.parent.rmdir()
    for entry in folder.iterdir():
        if entry.name == "lock":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
    return done
