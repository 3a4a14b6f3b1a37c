"""Fixtures of the browser's tests: a repository with some data of every kind, and its server."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from web_studies import plant_study

import jostle.server.access.roles as roles
import jostle.server.app as application
from jostle.repository import Repository
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import DAY_NS, HOUR_NS, TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk, split_by_partition, without_zeros
from jostle.server import Access, Server, create_app
from jostle.server.access.accounts import Accounts, add_account
from jostle.server.access.audit import Audit
from jostle.values.arrow_columns import ints
from jostle_lab.synthetic import SPECS
from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.injected.schedule import EPOCH_S
from jostle_lab.synthetic.repository import plant
from jostle_lab.synthetic.traces.rows import segment_rows, tokens
from jostle_lab.synthetic.traces.tables import run_tables
from jostle_lab.synthetic.traces.trace import replayed

#: Six jobs of two users that hurt each other on one file system, and a job with segments.
SPEC = Spec(jobs=6, slices=200, length=120, processes=4, mounts=1, users=2)
#: A run of four ranks whose segments are kept, and one of two that still goes on; the injected
#: jobs have no segments.
SEGMENTS, LIVE = "relax-0006", "relax-0007"
#: A study whose runs are two of the synthetic jobs, alone and concurrently.
STUDY = "pairs"
#: Of anne, on a server with local accounts.
PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Served:
    """A running server, and its log-in address."""

    repository: Path
    access: Access
    url: str

    def enter(self, path: str) -> str:
        """URL of a page for a new visitor."""
        return f"{self.url}{path}{'&' if '?' in path else '?'}token={self.access.token}"


#: Servers that have ended: a page that is still open asks for its own in vain.
ENDED: set[str] = set()


@contextlib.contextmanager
def serving(repository: Path, access: Access | None = None) -> Iterator[Served]:
    """Serves a repository on a port of its own, to whoever has the token or as `access` has it.

    The front end is the built one, or that of the folder in JOSTLE_TEST_UI.
    """
    if own := os.environ.get("JOSTLE_TEST_UI"):
        application.STATIC = Path(own)
    access = access or Access()
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
        flag = f" --repository {repository}"
        app = create_app(repository, access, repository.parent / "cache", flag)
        server = Server(app, access)
        server.config.timeout_keep_alive = 600  # on a busy machine one takes long to ask again
        place.listen(128)
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        while not server.started:
            time.sleep(0.02)
        try:
            yield Served(repository, access, f"http://127.0.0.1:{port}")
        finally:
            ENDED.add(f"http://127.0.0.1:{port}/")
            server.should_exit = True
            thread.join()


@contextlib.contextmanager
def closed_to_all_but_anne(repository: Path, folder: Path) -> Iterator[Served]:
    """Serves a repository with local accounts: anne's own, with her password, who manages bert."""
    add_account(folder / "accounts", "anne", PASSWORD)
    way = Accounts(folder / "accounts", roles.Roles(manager={"anne": ("bert",)}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roles, "_uid", {"anne": 60000, "bert": 60001}.get)
        with serving(repository, Access(way, audit=Audit(folder / "audit"))) as made:
            yield made


def plant_ground(path: Path) -> Path:
    """Stores the data of all tests of pages; the same each time."""
    plant(path, SPEC, seed=3)
    plant_segments(path, SEGMENTS, first=1, begin_s=60)
    plant_segments(path, LIVE, first=11, begin_s=100, ranks=2, live=True)
    plant_study(path, STUDY)
    return path


def plant_segments(
    path: Path,
    job: str,
    *,
    first: int,
    begin_s: int,
    ranks: int = 4,
    live: bool = False,
    seed: int = 1,
) -> None:
    """Adds a run with segments to a repository, at the time of the synthetic jobs.

    Args:
        path: The repository.
        job: Name of the run.
        first: Id of its first process.
        begin_s: Its start, seconds after that of the first synthetic job.
        ranks: Its ranks.
        live: It has not ended yet.
        seed: Of what disturbs it.
    """
    spec = SPECS["solver-calls"]
    program = spec.program.sized(ranks=ranks, raw=True, slice_ns=1_000_000_000)
    run, _ = replayed(replace(spec, program=program), seed)
    run = replace(run, init_ns=(EPOCH_S + begin_s) * 1_000_000_000)
    tables = run_tables(run, job)
    processes = list(range(first, first + ranks))
    rows = without_zeros("segments", segment_rows(run, processes))
    files = write_chunks(
        path,
        [
            *_pieces("segments", _named(rows, job, "segments"), rows, HOUR_NS),
            PartitionChunk("processes", _people(tables.processes, first, live), 0, 0),
            PartitionChunk("mounts", _but(tables.mounts, "host", _HOST), 0, 0),
            PartitionChunk("tokens", tokens(run.script, job), 0, 0),
            *_rollups(tables, job, run.program.slice_ns),
        ],
    )
    end = max(file.hi for file in files)
    done: dict[int, tuple[Position, Reached]] = {
        process: (Position(), end) for process in processes
    }
    publish(path, Log(path), Change("ingest", add=files, advance=done))


_HOST = "node0090"


def _people(rows: pa.Table, first: int, live: bool) -> pa.Table:
    rows = _but(rows, "process", range(first, first + rows.num_rows))
    for name, value in {"host": _HOST, "uid": 60_000, "program": "/usr/bin/relax"}.items():
        rows = _but(rows, name, value)
    return _but(rows, "complete", False) if live else rows


def _but(rows: pa.Table, name: str, value: Any) -> pa.Table:
    """Gives rows with another column: one value for all, or one for each."""
    at = rows.column_names.index(name)
    values = list(value) if isinstance(value, range) else [value] * rows.num_rows
    return rows.set_column(at, name, pa.array(values, rows.schema.field(at).type))


def _rollups(tables: Any, job: str, slice_ns: int) -> Iterator[PartitionChunk]:
    for table, rows in (("node_rollup", tables.slices), ("rollup", tables.mount_slices)):
        start = ints(rows, "slice") * slice_ns
        timed = pa.table({"start_ns": start, "end_ns": start + slice_ns})
        if "host" in rows.column_names:
            rows = _but(rows, "host", _HOST)
        yield from _pieces(table, without_zeros(table, _named(rows, job, table)), timed, DAY_NS)


def _named(rows: pa.Table, job: str, table: str) -> pa.Table:
    if "job" not in rows.column_names:
        rows = rows.append_column("job", pa.array([job] * rows.num_rows).dictionary_encode())
    keep = {**TABLES[table].keys, **TABLES[table].values}
    return rows.select([name for name in keep if name in rows.column_names])


def _pieces(table: str, rows: pa.Table, timed: pa.Table, span_ns: int) -> Iterator[PartitionChunk]:
    start, end = ints(timed, "start_ns"), ints(timed, "end_ns")
    by = np.argsort(start // span_ns, kind="stable")
    yield from split_by_partition(
        table, rows.take(pa.array(by)), (start // span_ns)[by], start[by], end[by]
    )


def jobs_of(repository: Path) -> list[str]:
    """Names of all jobs, in order."""
    return sorted(row["job"] for row in Repository(repository).jobs().to_pylist())
