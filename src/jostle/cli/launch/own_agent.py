"""The agent on a user's own machine: started by any user, with a spool (profile folder) of its own.

It is the agent that a site runs on its nodes. Its profile is ingested into the repository at the
end of each `jostle run`, and by `jostle agent`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from pathlib import Path

from jostle.errors import JostleError, UsageError

#: Time within which it reports that it cannot run, and time within which it ends, s.
_SAYS_S, _ENDS_S = 1.0, 5.0


def agent_spool() -> Path:
    """Return the folder of the agent's profiles: jostle/agent in the user's state folder."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(state) / "jostle" / "agent"


def agent_files() -> list[Path]:
    """Return the agent's profiles; [] if it never ran."""
    return sorted(agent_spool().glob("machine.*.jsm"))


def running_agent() -> int:
    """Return the pid of the running agent; 0: no agent runs."""
    from jostle.repository.ingest.spool import peek_header

    try:
        lock = os.open(agent_spool() / "machine.lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # the lock is held
        newest = max(agent_files(), key=lambda path: path.stat().st_mtime_ns, default=None)
        life = peek_header(newest).life if newest else None
        return life[1] if life else 0
    finally:
        os.close(lock)
    return 0


def start_agent(slice_text: str) -> int:
    """Start the agent, and return its pid.

    Args:
        slice_text: Length of the agent's slices, in the form of JOSTLE_SLICE.

    Raises:
        UsageError: The agent runs already.
        JostleError: The agent cannot run; the message says why.
    """
    from jostle import native_path

    folder = agent_spool()
    if pid := running_agent():
        raise UsageError(
            f"The agent is running already (pid {pid}), and writes into {folder}.",
            hint="To stop it: jostle agent stop",
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    environment |= {"JOSTLE_SPOOL": str(folder), "JOSTLE_SLICE": slice_text}
    child = subprocess.Popen(
        [str(native_path("jostle-agent")), "sample", "--role", "node"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd="/",
        env=environment,
        start_new_session=True,
    )
    assert child.stderr is not None
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_SAYS_S)
        said = child.stderr.read().decode(errors="replace").strip()
        raise JostleError(
            f"The agent ended at once: {said or 'it printed nothing'}",
            hint="jostle-agent --once shows what it can read.",
        )
    child.stderr.close()
    child.returncode = 0  # it outlives this process
    return child.pid


def stop_agent() -> int:
    """End the agent after its last slice is written; return its pid, 0 if there was none.

    Raises:
        JostleError: The agent does not end.
    """
    pid = running_agent()
    if not pid:
        return 0
    os.kill(pid, signal.SIGTERM)
    limit = time.monotonic() + _ENDS_S
    while running_agent() == pid and time.monotonic() < limit:
        time.sleep(0.05)
    if running_agent() == pid:
        raise JostleError(f"The agent (pid {pid}) does not end.", hint=f"kill -9 {pid}")
    return pid
