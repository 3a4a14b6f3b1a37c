"""Makes synthetic repositories: jobs whose interference with each other is known.

`plant` simulates synthetic programs that contend with each other (injected/contention.py). It
writes what the profiler would have recorded of them, by the repository's own code and slice by
slice, and returns the truth about the lost time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository import Repository, RepositoryError
from jostle.repository.writing import (
    MARKER,
    Change,
    Log,
    PartitionChunk,
    Position,
    Reached,
    publish,
    write_chunks,
)
from jostle_lab.synthetic.injected.contention import KINDS, Play, SliceOf
from jostle_lab.synthetic.injected.model import Injected, InjectedJob, Kind, Spec
from jostle_lab.synthetic.injected.rows import Writer, mount_name
from jostle_lab.synthetic.injected.schedule import EPOCH_S, Participant, participants_of

_BATCH_ROWS = 500_000  # process-slices per commit: some 200 MB while they are written
_NS = 1e9


def plant(path: Path | str, spec: Spec | None = None, seed: int = 0) -> Injected:
    """Make a repository of jobs that slow each other by known amounts.

    Args:
        path: Folder of the repository; must be empty or new.
        spec: Specification of the repository.
        seed: The same seed and spec give the same repository.

    Returns:
        The truth.

    Raises:
        RepositoryError: The folder cannot be written, or is a repository already.
    """
    spec, path = spec or Spec(), Path(path).expanduser().absolute()
    if (path / MARKER).exists():
        raise RepositoryError(
            f"{path} already holds a repository.", hint="Name a folder that does not exist yet."
        )
    rng = np.random.default_rng(seed)
    participants = participants_of(spec, rng)
    play, writer = Play(spec, participants, rng), Writer(spec, participants, rng)
    Repository(path, create=True)
    log = Log(path)
    lost, rows, hidden = _Losses(spec, participants), 0, _Hidden(spec.unprofiled)
    for batch in _batches(play.run(), participants):
        lost.add(batch)
        files = write_chunks(path, hidden.take(writer.chunks(batch)))
        rows += sum(file.rows for file in files if file.table == "slices")
        publish(path, log, Change("ingest", add=files))
    jobs = _truth(participants, play)
    files = write_chunks(path, hidden.take(writer.ends(jobs)))
    end = max(file.hi for file in files)
    done: dict[int, tuple[Position, Reached]] = {
        key: (Position(), end) for key in writer.processes(spec.unprofiled)
    }
    publish(path, log, Change("ingest", add=files, advance=done))
    return Injected(path, spec, seed, jobs, lost.table(), rows, hidden.tables(), _programs(jobs))


class _Hidden:
    """Removes the rows of unprofiled jobs before rows are written into the repository."""

    def __init__(self, jobs: frozenset[str]) -> None:
        self._jobs = pa.array(sorted(jobs), pa.string())
        self._kept: dict[str, list[pa.Table]] = {"slices": [], "mount_slices": []}

    def take(self, chunks: Iterable[PartitionChunk]) -> Iterator[PartitionChunk]:
        """Return chunks of rows without the unprofiled jobs, whose rows are kept for `tables`."""
        for chunk in chunks:
            if not len(self._jobs):
                yield chunk
                continue
            mine = pc.is_in(chunk.rows["job"].cast(pa.string()), value_set=self._jobs)
            if chunk.table in self._kept:
                self._kept[chunk.table].append(chunk.rows.filter(mine))
            rest = chunk.rows.filter(pc.invert(mine))
            if rest.num_rows:
                yield replace(chunk, rows=rest)

    def tables(self) -> dict[str, pa.Table]:
        """Return the removed rows, by table."""
        return {
            name: pa.concat_tables(parts, promote_options="permissive")
            for name, parts in self._kept.items()
            if parts
        }


def _batches(
    slices: Iterator[SliceOf], participants: Sequence[Participant]
) -> Iterator[list[SliceOf]]:
    batch: list[SliceOf] = []
    size = 0
    counts = np.array([participant.processes for participant in participants])
    for each in slices:
        batch.append(each)
        size += int(counts[each.jobs].sum())
        if size >= _BATCH_ROWS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Losses:
    """Collects the slices in which time was lost."""

    def __init__(self, spec: Spec, participants: Sequence[Participant]) -> None:
        self._slice_ns = round(spec.slice_s * _NS)
        self._first = EPOCH_S * 1_000_000_000 // self._slice_ns
        self._names = np.array([participant.job for participant in participants], dtype=object)
        self._resources = [
            [_resource(kind, participant) for participant in participants] for kind in KINDS
        ]
        self._parts: list[tuple[np.ndarray, ...]] = []

    def add(self, slices: Sequence[SliceOf]) -> None:
        """Add the losses of some slices."""
        for each in slices:
            row, kind = np.nonzero(each.suspects >= 0)
            at = np.full(len(row), self._first + each.number)
            found = (each.jobs[row], at, kind, each.lost[row, kind], each.suspects[row, kind])
            self._parts.append(found)

    def table(self) -> pa.Table:
        """Return the table `Injected.slices`."""
        empty = (np.zeros(0, dtype=np.int64),) * 5
        job, at, kind, seconds, suspect = (
            np.concatenate(columns) for columns in zip(*(self._parts or [empty]), strict=True)
        )
        resources = np.array(self._resources, dtype=object)
        return pa.table(
            {
                "job": pa.array(self._names[job], pa.string()),
                "slice": at.astype(np.int64),
                "slice_ns": np.full(len(at), self._slice_ns),
                "kind": pa.array(np.array(KINDS, dtype=object)[kind], pa.string()),
                "resource": pa.array(resources[kind, job], pa.string()),
                "seconds": seconds.astype(np.float64),
                "suspect": pa.array(self._names[suspect], pa.string()),
            }
        )


def _resource(kind: Kind, participant: Participant) -> str:
    """Return the name that jostle's verdicts use for a job's resource of a kind."""
    if kind == "file system":
        return mount_name(participant.mount)
    return "network" if kind == "network" else participant.nodes[0]


def _truth(participants: Sequence[Participant], play: Play) -> dict[str, InjectedJob]:
    jobs = {}
    for number, participant in enumerate(participants):
        lost: dict[tuple[Kind, str], float] = {}
        by: dict[tuple[Kind, str, str], float] = {}
        for place, kind in enumerate(KINDS):
            resource = _resource(kind, participant)
            cost = play.cost[place, number]
            if cost.any():
                lost[kind, resource] = float(cost.sum())
            for other in np.flatnonzero(cost).tolist():
                by[kind, resource, participants[other].job] = float(cost[other])
        start, end = participant.start_s, float(play.end_s[number])
        jobs[participant.job] = InjectedJob(
            participant.job,
            participant.program.name,
            participant.uid,
            participant.nodes,
            participant.processes,
            round((EPOCH_S + start) * _NS),
            round((EPOCH_S + end) * _NS),
            end - start - sum(lost.values()),
            lost,
            by,
        )
    return jobs


def _programs(jobs: dict[str, InjectedJob]) -> dict[tuple[str, str, Kind], float]:
    """Return the time that each program cost each other program, by kind of resource.

    It is a percentage of the run time of those runs of the victim that were slowed.
    """
    seconds: dict[tuple[str, str, Kind], float] = defaultdict(float)
    time: dict[tuple[str, str, Kind], float] = defaultdict(float)
    for job in jobs.values():
        met = {(kind, jobs[other].program) for kind, _, other in job.by}
        for kind, program in met:
            time[job.program, program, kind] += job.run_s
        for (kind, _, other), lost in job.by.items():
            seconds[job.program, jobs[other].program, kind] += lost
    return {key: 100 * seconds[key] / time[key] for key in seconds}
