"""Reads the state of a lab's host from /proc, in process 1 of the lab."""

from __future__ import annotations

from pathlib import Path

from jostle_lab.cluster.service import Host

_LISTENING = "0A"


def listens(host: Host, port: int) -> bool:
    """Return whether a process on a host listens on a TCP port (IPv4 or IPv6)."""
    return any(
        row[1].endswith(f":{port:04X}") and row[3] == _LISTENING
        for table in ("tcp", "tcp6")
        for row in _rows(host, f"net/{table}")[1:]
    )


def mounted(host: Host, path: Path, kind: str) -> bool:
    """Return whether a file system of a type is mounted on a path, as a host sees it."""
    return any(row[4] == str(path) and kind in row for row in _rows(host, "mountinfo"))


def _rows(host: Host, name: str) -> list[list[str]]:
    try:
        text = Path(f"/proc/{host.pid}/{name}").read_text()
    except OSError:
        return []
    return [line.split() for line in text.splitlines()]
