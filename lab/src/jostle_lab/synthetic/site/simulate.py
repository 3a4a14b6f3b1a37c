"""Simulates a site: writes a repository or spools of its jobs, and the truth about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from jostle.repository import Repository, RepositoryError
from jostle.repository.writing import (
    HOUR_NS,
    MARKER,
    Change,
    Log,
    PartitionChunk,
    Position,
    Reached,
    compact,
    publish,
    write_chunks,
)
from jostle_lab.synthetic.site.agents import Agents
from jostle_lab.synthetic.site.course import Interval
from jostle_lab.synthetic.site.processes import Ranks
from jostle_lab.synthetic.site.run import SiteRun
from jostle_lab.synthetic.site.spec import Form, SiteSpec
from jostle_lab.synthetic.site.spools import SpoolWriter
from jostle_lab.synthetic.site.tables import mount_table, process_table, slice_chunks
from jostle_lab.synthetic.site.truth import Simulated, truth_of

_MOUNTS = 2  # records that a profile begins with: they name its mounts
_ROW_EVERY_NS = 60_000_000_000  # how often a running process's row is renewed, as by the ingester
Progress = Callable[[float, float], None]


def simulate_site(
    target: Path | str,
    spec: SiteSpec | None = None,
    form: Form = "repository",
    progress: Progress | None = None,
) -> Simulated:
    """Make a site's repository, or its nodes' spools, and write the truth to its truth.json.

    Args:
        target: Path of a new or empty folder.
        spec: Specification of the site.
        form: Output: a repository, or spools.
        progress: Function that is called with the numbers of slices that are done and of all
            slices.

    Returns:
        The truth.

    Raises:
        RepositoryError: The folder cannot be written, or is in use.
    """
    spec, target = spec or SiteSpec(), Path(target).expanduser().absolute()
    if target.exists() and any(target.iterdir()):
        raise RepositoryError(f"{target} is not empty.", hint="Name a new folder.")
    writer = (RepositoryWriter if form == "repository" else SpoolWriter)(target, spec)
    for interval in writer.course.run():
        writer.add(interval)
        if progress:
            progress(interval.first + interval.count, spec.slices)
    writer.close()
    simulated = truth_of(spec, writer.jobs, writer.course, target, writer.process_slices)
    (target / "truth.json").write_text(json.dumps(simulated.to_json(), indent=1))
    return simulated


class RepositoryWriter(SiteRun):
    """Writes a site into a repository as its ingester would, and compacts it every hour."""

    def __init__(self, target: Path, spec: SiteSpec) -> None:
        super().__init__(spec)
        self._path = target
        if (target / MARKER).exists():
            raise RepositoryError(
                f"{target} already holds a repository.",
                hint="Name a folder that does not exist yet.",
            )
        Repository(target, create=True)
        self._log = Log(target)
        self._agents = Agents(spec, self.jobs, self.course)
        self._position: dict[int, tuple[int, int, int]] = {}  # job: records, revision, row slice
        self._hour = spec.first_slice * spec.slice_ns // HOUR_NS

    def add(self, interval: Interval) -> None:
        """Write and commit an interval."""
        hour = (self.spec.first_slice + interval.first) * self.spec.slice_ns // HOUR_NS
        if hour != self._hour:
            compact(self._path)
            self._hour = hour
        made = self.begin(interval)
        chunks, agents = self._agents.add(interval, made)
        for block in made:
            mounts = self.jobs.mount[[ranks.job for ranks in block.ranks]]
            chunks += slice_chunks(self.spec, block, mounts)
        advance, rows = self._lives(interval)
        advance |= agents
        if rows:
            chunks.append(PartitionChunk("processes", process_table(self.spec, rows), 0, 0))
            mount_rows = [(ranks, int(self.jobs.mount[ranks.job])) for ranks, _ in rows]
            chunks.append(PartitionChunk("mounts", mount_table(mount_rows), 0, 0))
        files = write_chunks(self._path, chunks)
        publish(self._path, self._log, Change("ingest", add=files, advance=advance))
        for job in interval.ended:
            del self.ranks[job], self._position[job]

    def _lives(
        self, interval: Interval
    ) -> tuple[dict[int, tuple[Position, Reached]], list[tuple[Ranks, Any]]]:
        """Return how far each profile has been read, and the processes whose rows are outdated."""
        spec = self.spec
        advance: dict[int, tuple[Position, Reached]] = {}
        rows = []
        counts = np.bincount(interval.job, minlength=len(self.jobs))
        open_slice = spec.first_slice + interval.first + interval.count
        for job in np.union1d(interval.job, interval.ended).astype(np.int64).tolist():
            ranks = self.ranks[job]
            records, revision, row_slice = self._position.get(job, (0, 0, -1))
            end_ns, reason = self.end_of(job)
            # A process is known to have lived until its profile's end, or its newest heartbeat.
            newest = end_ns // spec.slice_ns if end_ns else open_slice
            due = (newest - row_slice) * spec.slice_ns >= _ROW_EVERY_NS
            base = Position(records, revision, row_slice)
            records, revision = (records or _MOUNTS) + int(counts[job]), revision + 1
            if end_ns or due:
                row_slice = newest
                rows.append(
                    (
                        ranks,
                        {
                            "end_ns": end_ns,
                            "end_reason": reason,
                            "complete": end_ns > 0,
                            "last_slice": newest,
                            "records": records,
                            "revision": revision,
                        },
                    )
                )
            self._position[job] = (records, revision, row_slice)
            end = (newest + 1) * spec.slice_ns
            to = end if end_ns else Position(records, revision, row_slice)
            advance.update(dict.fromkeys(ranks.ids.tolist(), (base, to)))
        return advance, rows

    def close(self) -> None:
        """Compact the rest of the last hour."""
        compact(self._path)
