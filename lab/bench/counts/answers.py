"""Counts SQL statements and bytes of JSON for each API route, of a newly started server.

The routes are those of `tests/server/roles.toml`, which a test holds against the application.
"""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

from counts.figure import ROOT, Figure, Figures
from counts.injected import injected, server, settle
from counts.statements import in_short

_TABLE = ROOT / "tests" / "server" / "roles.toml"
#: Routes that change who is logged in, or do not end.
_LEFT_OUT = ("/api/v1/live", "/api/v1/log", "/api/v1/token")


def measure() -> Figures:
    """Count the SQL statements and bytes of JSON of each route; return the figures by name."""
    routes = tomllib.loads(_TABLE.read_text())["routes"]
    found: Figures = {}
    with injected("answers") as (repository, jobs, statements):
        settle(repository, jobs)
        for route, entry in routes.items():
            if route.split(" ")[1].startswith(_LEFT_OUT):
                continue
            path = _path(route, entry, jobs)
            for _ in range(6):
                was_ready, status, made, size = _ask(repository, path, statements)
                if was_ready:  # else it was computed, and perhaps stored in a file
                    break
            what = route if status == 200 else f"{route} ({status})"
            found[f"statements: {what}"] = Figure(len(made), in_short(made))
            found[f"bytes: {what}"] = Figure(size)
    return found


def _path(route: str, entry: dict[str, Any], jobs: list[str]) -> str:
    path = route.split(" ")[1].replace("{job}", jobs[0]).replace("{own}", jobs[1])
    query = entry.get("query", "").replace("JOB", jobs[0]).replace("OWN", jobs[1])
    path = path.replace("{name}", "none").replace("{host}", "none").replace("{batch}", "none")
    return f"{path}?{query}" if query else path


def _ask(repository: Path, path: str, statements: list[str]) -> tuple[bool, int, list[str], int]:
    """Send a request to a newly started server until it answers.

    Returns:
        Whether it answered at once, the status of its answer, the SQL statements, and the bytes of
        the answer. The first value depends on the speed of the machine, so it must not be a part
        of a figure's name.
    """
    client = server(repository)
    client.get("/api/v1/jobs?limit=1")
    begin = len(statements)
    answer = client.get(path, headers={"Accept-Encoding": "identity"})
    was_ready = answer.status_code != 202
    while answer.status_code == 202:
        time.sleep(0.1)
        answer = client.get(path)
    return was_ready, answer.status_code, statements[begin:], len(answer.content)
