"""Implements the interface of a lab for its services: commands on hosts, waiting, folders."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from jostle_lab.cluster import namespaces, network
from jostle_lab.cluster.service import Host
from jostle_lab.cluster.spec import LabError, LabSpec

_NOBODY = Host("?", 0, "", "")
_TAIL = 800


class LabSite:
    """Implements `jostle_lab.cluster.service.Site` inside the supervisor."""

    def __init__(self, spec: LabSpec, folder: Path, *, rootless: bool) -> None:
        """Make the folders of the lab, and its hosts file."""
        self.spec = spec
        self.folder = folder
        self.rootless = rootless
        self.store = folder / "store"
        self.shared = folder / "shared"
        self.storage = _NOBODY
        self.servers: tuple[Host, ...] = ()
        self.nodes: tuple[Host, ...] = ()
        self._daemons: list[tuple[str, subprocess.Popen[bytes]]] = []
        hosts = [
            *spec.server_names,
            *spec.node_names,
            *([network.SWITCHES] if spec.topology else []),
        ]
        locals_ = [f"local/{name}" for name in hosts]
        for name in ("store", "shared", "here", "aside", "log", "local", *locals_):
            (folder / name).mkdir(exist_ok=True)
        for name in locals_:
            # Opened to all only after it is filled, so that no other user can have replaced it.
            spool = folder / name / "spool"
            spool.mkdir(exist_ok=True)
            spool.chmod(0o1777)
            (folder / name).chmod(0o1777)

    def run(
        self,
        host: Host | None,
        argv: Sequence[str],
        *,
        timeout: float = 20,
        env: Mapping[str, str] | None = None,
        text: Sequence[str] = (),
    ) -> str:
        """Run a command on a host (see `Site.run`); `text` are lines for its stdin."""
        process = self._popen(
            host,
            argv,
            env,
            None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        where = f" on {host.name}" if host else ""
        try:
            out, err = process.communicate("\n".join(text).encode(), timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise LabError(f"`{argv[0]}`{where} did not answer within {timeout:g} s.") from None
        if process.returncode:
            output = (err or out).decode(errors="replace").strip()[-_TAIL:]
            raise LabError(f"`{' '.join(argv[:4])}`{where} failed: {output or process.returncode}")
        return out.decode(errors="replace")

    def spawn(
        self,
        host: Host | None,
        argv: Sequence[str],
        *,
        log: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a daemon (see `Site.spawn`)."""
        with (self.folder / "log" / log).open("ab") as sink:
            process = self._popen(
                host, argv, env, cwd, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink
            )
        self._daemons.append((log, process))
        return process

    def wait_for(self, check: Callable[[], bool], what: str, *, timeout: float = 20) -> None:
        """Wait (see `Site.wait_for`)."""
        end = time.monotonic() + timeout
        pause = 0.002
        while not check():
            dead = [log for log, daemon in self._daemons if daemon.poll() not in (None, 0)]
            if dead or time.monotonic() > end:
                why = f"{dead[0]} ended" if dead else f"not within {timeout:g} s"
                raise LabError(f"{what} did not come up: {why}.{self._last_words(dead)}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)

    def local(self, host: Host) -> Path:
        """Return the host's own folder."""
        return self.folder / "local" / host.name

    def _last_words(self, logs: Sequence[str]) -> str:
        """Return the last lines of the logs of dead daemons, or else of all."""
        names = list(logs) or [log for log, _ in self._daemons]
        words = []
        for name in dict.fromkeys(names):
            text = (self.folder / "log" / name).read_text(errors="replace").strip()
            if text:
                words.append(f"\n  {name}: {text[-_TAIL:]}")
        return "".join(words)

    def _popen(
        self,
        host: Host | None,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: Path | None,
        *,
        stdin: int,
        stdout: int | IO[bytes],
        stderr: int | IO[bytes],
    ) -> subprocess.Popen[bytes]:
        entries = namespaces.open_host(host.pid) if host else []

        def settle() -> None:
            # The supervisor is a single thread: Python code between fork and exec is safe.
            signal.pthread_sigmask(signal.SIG_SETMASK, set())
            namespaces.enter(entries)
            os.chdir(cwd or "/")

        try:
            return subprocess.Popen(
                list(argv),
                preexec_fn=settle,
                env=None if env is None else dict(env),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
            )
        except FileNotFoundError as error:
            raise LabError(f"`{argv[0]}` is not installed.") from error
        finally:
            for entry, _ in entries:
                os.close(entry)
