"""Ingests the profiles of a command that has ended, then clears its spool.

`mpirun` may return while its ranks are still being killed (after MPI_Abort): their profiles are
complete only after their end. And a process may outlive its command, or begin later. So a profile
is removed from a spool only if it was read completely after the death of its process.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jostle.repository import IngestReport, Repository

#: Longest wait for processes that outlive their command, s: after a success they are most likely
#: meant to continue; after a failure they are most likely being killed.
_AFTER_SUCCESS_S, _AFTER_FAILURE_S = 0.2, 3.0
_POLL_S = 0.02
#: Endings of files in a spool that are no profiles but marks of the runtime.
_MARKS = (".said",)


def collect(
    store: Repository, profiles: Callable[[], Sequence[Path]], *, failed: bool
) -> IngestReport:
    """Ingest the profiles of a command once its processes have ended.

    Args:
        store: The repository.
        profiles: Function that lists the profiles.
        failed: Whether the command failed or was killed: then the wait for its processes is longer.

    Returns:
        The report of the ingest.
    """
    from jostle.reader.liveness import still_written

    end = time.monotonic() + (_AFTER_FAILURE_S if failed else _AFTER_SUCCESS_S)
    living = [path for path in profiles() if still_written(path)]
    while living and time.monotonic() < end:
        time.sleep(_POLL_S)
        living = [path for path in living if still_written(path)]
    report = store.ingest(profiles())
    if living and not all(map(still_written, living)):  # one ended while it was ingested
        again = store.ingest(profiles())
        report.add(again)
        report.profiles = again.profiles
    return report


def clear(store: Repository, folder: Path) -> bool:
    """Remove the spool of one command, except files that the repository does not have completely.

    Args:
        store: The repository.
        folder: The spool, used by this command alone.

    Returns:
        Whether all of it was removed.
    """
    store.clear_spool(folder)
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.endswith(_MARKS):
                os.unlink(entry.path)
    with contextlib.suppress(OSError):
        folder.rmdir()  # fails if a file is left, or was added meanwhile
    return not folder.exists()
