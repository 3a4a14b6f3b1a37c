"""Chooses the spool (folder of profiles) of one run, and a name that no other run has."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jostle.cli.config import RuntimeSettings
from jostle.cli.launch.environment import RunSpool
from jostle.cli.launch.run_names import batch, candidates, is_taken, joins


@dataclass(frozen=True)
class NameOfRun:
    """The requested name of a run.

    Attributes:
        text: The name.
        named: Whether a user chose it; otherwise it is unique.
        number: Number of the attempt of `--gate`; from 2 on, it is appended to the name.
    """

    text: str
    named: bool
    number: int = 1


def claim(wanted: NameOfRun, rules: RuntimeSettings, repository: Path) -> tuple[str, RunSpool]:
    """Find a name that no earlier run has, and the spool of the run.

    The spool is the one that the user named (JOSTLE_SPOOL) or that the operator prescribes and
    locked; else it is a private folder, which this run alone uses.

    RATIONALE: the folder of a run has its name until the run's profiles are in the repository, and
    creating a folder is atomic. So of two concurrent runs with the same requested name, the second
    finds the folder of the first, or its profiles in the repository.
    """
    parent = rules.spool
    shared = bool(os.environ.get("JOSTLE_SPOOL")) or "spool" in rules.locked
    alone = wanted.named and not joins(wanted.text)
    name = next(candidates(wanted.text, wanted.number))
    if shared and not (alone and os.access(parent, os.W_OK | os.X_OK)):
        return name, RunSpool(parent, private=False)
    try:
        if not shared and not parent.is_dir():
            parent.mkdir(mode=0o1777, parents=True)
            parent.chmod(0o1777)
        if not _trustworthy(parent):
            raise PermissionError(parent)
        if alone:
            name, folder = _mark(wanted, parent, repository)
        else:
            folder = Path(tempfile.mkdtemp(prefix=f"run-{name}-", dir=parent))
    except OSError:
        # The spool is not writable, full or writable for others: any folder suffices for one run.
        if shared:
            return name, RunSpool(parent, private=False)
        folder = Path(tempfile.mkdtemp(prefix=f"jostle-run-{name}-"))
    if shared:
        return name, RunSpool(parent, private=False, mark=folder)
    if os.geteuid() == 0:
        folder.chmod(0o1777)  # children of root may change their user
    return name, RunSpool(folder, private=True)


def _mark(wanted: NameOfRun, parent: Path, repository: Path) -> tuple[str, Path]:
    """Create the folder of the first free name."""
    for name in candidates(wanted.text, wanted.number):
        if batch():  # its steps may run concurrently
            if is_taken(name, repository, parent):
                continue
            return name, Path(tempfile.mkdtemp(prefix=f"run-{name}-", dir=parent))
        folder = parent / f"run-{name}-{os.getuid()}"
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        if not is_taken(name, repository, parent):
            return name, folder
        folder.rmdir()
    raise FileExistsError(parent)


def _trustworthy(parent: Path) -> bool:
    """Return whether no other user can rename the folder: its parent is sticky, or this user's."""
    facts = parent.lstat()
    mine = facts.st_uid in (0, os.geteuid())
    closed = not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(facts.st_mode) and mine and (closed or bool(facts.st_mode & stat.S_ISVTX))
