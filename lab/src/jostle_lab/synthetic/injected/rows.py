"""Writes the synthetic jobs as rows of a repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.writing import (
    TABLES,
    PartitionChunk,
    ProcessSource,
    SliceBatch,
    is_shared,
    mount_identity,
    partition_chunks,
    process_id,
)
from jostle_lab.synthetic.injected.contention import MESSAGE, SliceOf
from jostle_lab.synthetic.injected.model import InjectedJob, Spec
from jostle_lab.synthetic.injected.programs import META, READ, WRITE
from jostle_lab.synthetic.injected.schedule import EPOCH_S, Participant

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_BOOT = "0a0b0c0d-0000-4000-8000-00000000"


def mount_of(number: int) -> tuple[str, str, str]:
    """Return path, type and source of a synthetic file system."""
    kind = "lustre" if number % 2 == 0 else "nfs4"
    source = f"mds{number}@tcp:/fs{number}" if kind == "lustre" else f"server{number}:/export"
    return f"/fs{number}", kind, source


def mount_name(number: int) -> str:
    """Return the name of a synthetic file system in the column `mount` of a repository."""
    return mount_identity("", *mount_of(number))


class Writer:
    """Turns slices of jobs into rows of their processes."""

    def __init__(
        self, spec: Spec, participants: Sequence[Participant], rng: np.random.Generator
    ) -> None:
        self._spec, self._participants, self._rng = spec, participants, rng
        self._slice_ns = round(spec.slice_s * 1e9)
        self._first = EPOCH_S * 1_000_000_000 // self._slice_ns
        counts = [participant.processes for participant in participants]
        self._count = np.array(counts, dtype=np.int64)
        self._base = np.cumsum([0, *counts[:-1]])
        self._sources = [
            source
            for number, participant in enumerate(participants)
            for source in self._of(number, participant)
        ]
        self._numbers = {participant.job: number for number, participant in enumerate(participants)}
        self._rewinds = np.array(
            [participant.program.habit == "write-seek" for participant in participants]
        )

    def _of(self, number: int, participant: Participant) -> Iterator[ProcessSource]:
        mount = mount_name(participant.mount)
        for rank in range(participant.processes):
            host = participant.nodes[rank * len(participant.nodes) // participant.processes]
            start = round((EPOCH_S + participant.start_s) * 1e9)
            key = process_id(None, f"{_BOOT}{host[-4:]}", _pid(number, rank), start, 0)
            yield ProcessSource(key, participant.job, host, self._slice_ns, [mount])

    # Slices

    def chunks(self, done: Sequence[SliceOf]) -> Iterator[PartitionChunk]:
        """Return the rows of some slices, in all four tables of slices."""
        job = np.concatenate([each.jobs for each in done])
        number = np.concatenate(
            [np.full(len(each.jobs), each.number, dtype=np.int64) for each in done]
        )
        live = np.concatenate([each.alive_s for each in done]) > 0
        facts = {
            name: np.concatenate([getattr(each, name) for each in done])[live]
            for name in (
                "alive_s",
                "io_s",
                "ops",
                "moved",
                "net_s",
                "waited_s",
                "collectives",
                "cpu_s",
                "queued_s",
            )
        }
        job, number = job[live], number[live]
        count = self._count[job]
        row = np.repeat(np.arange(len(job)), count)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        used = np.unique(job)
        sources, place = self._present(used)
        process = place[job[row]] + rank
        at = self._first + number[row]
        slices = {
            "process": process,
            "slice": at,
            "span": np.ones(len(row), dtype=np.int32),
            **self._process_metrics(facts, row),
        }
        mounts = self._mount_metrics(facts, job, row)
        touched = np.any([values > 0 for values in mounts.values()], axis=0)
        mount_slices = {
            "process": process,
            "slice": at,
            "span": np.ones(len(row), dtype=np.int32),
            "slot": np.zeros(len(row), dtype=np.int64),
            **mounts,
        }
        yield from partition_chunks(
            SliceBatch(
                sources,
                np.arange(len(sources)),
                pa.table(slices),
                pa.table({name: values[touched] for name, values in mount_slices.items()}),
            )
        )

    def _present(self, used: Ints) -> tuple[list[ProcessSource], Ints]:
        """Return the processes of some jobs, and the index of each job's first process."""
        place = np.zeros(len(self._participants), dtype=np.int64)
        sources: list[ProcessSource] = []
        for job in used.tolist():
            place[job] = len(sources)
            sources += self._sources[self._base[job] : self._base[job] + self._count[job]]
        return sources, place

    def _whole(self, value: Floats, row: Ints, spread: float = 0.05) -> Ints:
        """Return a whole number for each process: its job's value, with small random changes."""
        each = value[row] * (1 + spread * self._rng.standard_normal(len(row), dtype=np.float32))
        return np.floor(np.maximum(each, 0) + self._rng.random(len(row), dtype=np.float32)).astype(
            np.int64
        )

    def _ns(self, seconds: Floats, row: Ints, spread: float = 0.03) -> Ints:
        return np.minimum(self._whole(seconds * 1e9, row, spread), self._slice_ns)

    def _process_metrics(self, facts: dict[str, Any], row: Ints) -> dict[str, Ints]:
        io, net = facts["io_s"].sum(axis=1), facts["net_s"]
        collectives = self._whole(facts["collectives"], row, 0.0)
        waited = self._ns(facts["waited_s"] + 0.05 * net, row, 0.3)
        queued = self._ns(facts["queued_s"], row, 0.1)
        return {
            "os_user_ns": self._ns(facts["cpu_s"] + 0.9 * net, row),
            "os_system_ns": self._ns(0.15 * io + 0.1 * net, row),
            "os_runqueue_ns": queued,
            "wait_offcpu_ns": queued + self._ns(0.01 * facts["alive_s"], row, 0.5),
            "os_rss_bytes": np.full(len(row), 800 << 20, dtype=np.int64),
            "os_threads": np.ones(len(row), dtype=np.int64),
            "mpi_all_to_all_ops": collectives,
            "mpi_all_to_all_bytes": collectives * MESSAGE,
            "mpi_all_to_all_ns": self._ns(net, row),
            "state_collective_ns": self._ns(net, row),
            "state_io_ns": self._ns(io, row),
            "wait_mpi_ns": np.where(collectives > 0, waited, 0),
        }

    def _mount_metrics(self, facts: dict[str, Any], job: Ints, row: Ints) -> dict[str, Ints]:
        count = self._count[job]
        values: dict[str, Ints] = {}
        for what, name in ((WRITE, "write"), (READ, "read")):
            ops, moved, time = (facts[key][:, what] for key in ("ops", "moved", "io_s"))
            calls = self._whole(ops / count, row)
            size = np.divide(moved, ops, out=np.zeros_like(ops), where=ops > 0)
            each = np.divide(time * count, ops, out=np.zeros_like(ops), where=ops > 0)
            values[f"posix_{name}_ops"] = calls
            values[f"posix_{name}_bytes"] = (calls * size[row]).astype(np.int64)
            spread = 1 + 0.03 * self._rng.standard_normal(len(row), dtype=np.float32)
            values[f"posix_{name}_ns"] = (calls * each[row] * 1e9 * spread).astype(np.int64)
        self._files(values, facts, job, row)
        return values

    def _files(self, values: dict[str, Ints], facts: dict[str, Any], job: Ints, row: Ints) -> None:
        """Add the open, close and seek operations that a program of this kind makes."""
        steps = self._whole(facts["ops"][:, META] / self._count[job], row)
        moved = self._whole(facts["moved"][:, META] / self._count[job], row)
        each = np.divide(
            facts["io_s"][:, META] * self._count[job],
            facts["ops"][:, META],
            out=np.zeros(len(job)),
            where=facts["ops"][:, META] > 0,
        )
        files = steps * 2 // 5
        spent = (steps * each[row] * 1e9).astype(np.int64)
        values["posix_write_ops"] += files
        values["posix_write_bytes"] += np.where(files > 0, moved, 0)
        values["posix_write_ns"] += np.where(files > 0, spent // 10, 0)
        values["posix_meta_ops"] = steps - 2 * files
        values["posix_meta_ns"] = spent - np.where(files > 0, spent // 10, 0)
        back = self._rewinds[job[row]]
        values["posix_seek_ops"] = np.where(back, values["posix_write_ops"], 0)
        values["access_back_ops"] = values["posix_seek_ops"]
        values["access_back_bytes"] = np.where(back, values["posix_write_bytes"], 0)
        values["posix_open_ops"] = files
        values["posix_close_ops"] = files
        values["access_file_ops"] = files
        values["access_file_bytes"] = np.where(files > 0, moved, 0)

    # Processes and mounts

    def ends(self, truth: dict[str, InjectedJob]) -> Iterator[PartitionChunk]:
        """Return the rows of processes and mounts, once all jobs have ended."""
        rows = [
            self._process_row(participant, rank, truth[participant.job])
            for participant in self._participants
            for rank in range(participant.processes)
        ]
        yield PartitionChunk("processes", pa.Table.from_pylist(rows, _schema("processes")), 0, 0)
        mounts = [
            self._mount_row(participant, host)
            for participant in self._participants
            for host in participant.nodes
        ]
        yield PartitionChunk("mounts", pa.Table.from_pylist(mounts, _schema("mounts")), 0, 0)

    def processes(self, without: frozenset[str]) -> list[int]:
        """Return the IDs of all processes, except for those of the given jobs."""
        return [source.process for source in self._sources if source.job not in without]

    def _process_row(
        self, participant: Participant, rank: int, truth: InjectedJob
    ) -> dict[str, Any]:
        number = self._numbers[participant.job]
        source = self._sources[self._base[number] + rank]
        name, mpi = participant.program.name, participant.program.mpi
        said = (
            {
                "mpi_state": 4,
                "mpi_adapter": 1,
                "mpi_adapter_name": "openmpi",
                "launcher": "orte",
                "mpi_library": "Open MPI v4.1.4",
                "world": f"world-{participant.job}",
                "world_size": participant.processes,
                "world_rank": rank,
                "mpi_init_ns": truth.start_ns,
                "mpi_ready_ns": truth.start_ns,
                "mpi_finalize_ns": truth.end_ns,
                "mpi_end_ns": truth.end_ns,
            }
            if mpi
            else {"mpi_state": 0, "mpi_adapter": 0, "world": "", "world_size": 0}
        )
        return {
            "process": source.process,
            "job": participant.job,
            "host": source.host,
            "boot_id": f"{_BOOT}{source.host[-4:]}",
            "pid": _pid(number, rank),
            "ppid": 1,
            "sid": _pid(number, 0),
            "uid": participant.uid,
            "gid": participant.uid,
            "part": 0,
            "program": f"/usr/bin/{name}",
            "command": f"{name} input",
            "library": "0.4.0",
            "slice_ns": self._slice_ns,
            "start_ns": truth.start_ns,
            "end_ns": truth.end_ns,
            "end_reason": "exit",
            "complete": True,
            "short": False,
            "first_slice": truth.start_ns // self._slice_ns,
            "last_slice": truth.end_ns // self._slice_ns,
            "records": truth.end_ns // self._slice_ns - truth.start_ns // self._slice_ns + 1,
            "clock_state": 0,
            "clock_error_us": 200,
            "clock_steps": 0,
            "lost_threads": 0,
            "notes": [],
            "warnings": [],
            "revision": 1,
            "spawned": False,
            **said,
        }

    def _mount_row(self, participant: Participant, host: str) -> dict[str, Any]:
        path, kind, source = mount_of(participant.mount)
        return {
            "job": participant.job,
            "host": host,
            "mount": mount_name(participant.mount),
            "path": path,
            "type": kind,
            "source": source,
            "major": 0,
            "minor": 50 + participant.mount,
            "shared": is_shared(kind, source),
        }


def _pid(number: int, rank: int) -> int:
    return 1000 + number % 30 * 1000 + rank


def _schema(table: str) -> pa.Schema:
    return pa.schema(list(TABLES[table].keys.items()))
