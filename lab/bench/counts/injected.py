"""Makes the synthetic repository on which costs of subcommands, routes and pages are counted.

It also starts servers on that repository.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from counts.figure import work_folder
from counts.statements import noted

SEED = 5
#: An administrator, who sees all jobs.
GUEST = "adam"


@contextmanager
def injected(kind: str) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Make the repository, always the same; return it, its jobs, and the list of SQL statements."""
    with work_folder(kind) as folder:
        os.environ |= {"XDG_CACHE_HOME": str(folder / "cache"), "TZ": "UTC", "COLUMNS": "100"}
        time.tzset()
        statements = noted()
        import assessing
        from jostle.repository import Repository
        from jostle_lab.synthetic import Spec, plant, plant_machines

        spec = Spec(jobs=6, slices=80, length=40, processes=2, mounts=1, users=2)
        path = folder / "repository"
        plant_machines(plant(path, spec, seed=SEED), seed=SEED)
        jobs = sorted(row["job"] for row in Repository(path).jobs().to_pylist())
        with assessing.at_our_priority():
            yield path, jobs, statements


def server(repository: Path) -> Any:
    """Return a client of a newly started server."""
    import server_fixtures

    from jostle.server.verdicts.verdict_queue import VerdictQueue

    VerdictQueue.follow = lambda _queue, _whose: None  # type: ignore[method-assign]
    return server_fixtures.hall(repository, repository.parent / "audit").guest(GUEST)


def settle(repository: Path, jobs: list[str]) -> None:
    """Wait until all verdicts are stored in files; a process of its own computes them."""
    client = server(repository)
    for job in jobs:
        while client.get(f"/api/v1/jobs/{job}/verdict").status_code == 202:
            time.sleep(0.1)
