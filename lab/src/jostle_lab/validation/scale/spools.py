"""Writes the profiles of a simulated site's jobs, and records what was written (the truth)."""

from __future__ import annotations

import os
import random
import struct
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jostle.schema.settings import DEFAULT_SLICE_NS
from jostle_lab.validation.scale.profiles import (
    END_AT,
    GENERATION_AT,
    HEARTBEAT_AT,
    Program,
    clock_record,
    mount_record,
    new_head,
    program,
    shape,
    slice_record,
)

SLICE_NS = DEFAULT_SLICE_NS
PROGRAMS = ("solver", "writer", "reader", "analysis")
#: Nodes of a job, and its slices: at least, at most.
_NODES, _SLICES = 4, (150, 3000)
_AT_ONCE = 45  # slices


@dataclass
class Written:
    """The slices written of one process: the truth with which a repository is compared.

    Attributes:
        boot_id: Boot ID of the process's node, as the kernel writes it.
        safe: Number of slices, from the first one on, that are durable on the node's disk.
        slices: Number of slices that were written; those beyond `safe` were lost when the node
            failed, unless they had been sent before.
        jump: Number of slices by which the node's clock was set forward, and the number of slices
            that were written before.
    """

    host: str
    boot_id: str
    pid: int
    start_ns: int
    program: Program
    first: int
    slices: int = 0
    safe: int = 0
    jump: tuple[int, int] = (0, 0)

    def slice_number(self, turn: int) -> int:
        """Return the number of the slice that was written after `turn` others."""
        by, before = self.jump
        return self.first + turn + (by if turn >= before else 0)


@dataclass
class _Process:
    """A process that runs: its profile, and the record of what was written into it."""

    truth: Written
    file: int
    end: int
    generation: int = 0
    #: Where its records ended after each of the last few steps, for what a failure removes.
    steps: list[tuple[int, int]] = field(default_factory=list)

    def grow(self, slices: int, extra: bytes = b"") -> None:
        """Append slices, after other records if `extra` has any; then update the header."""
        truth, at = self.truth, shape()
        data = extra + truth.program.appended(truth.slices, slices - bool(extra))
        os.pwrite(self.file, data, self.end)
        self.end += len(data)
        truth.slices += slices
        self.steps = [*self.steps[-2:], (self.end, truth.slices)]
        cells = truth.program.after(truth.slices).tobytes()
        after = truth.slice_number(truth.slices - 1) + 1
        self.generation += 1
        commit = at.commit + (self.generation & 1) * at.commit_bytes
        os.pwrite(self.file, struct.pack("<2Q", self.end, after) + cells, commit)
        os.pwrite(self.file, cells, at.block + 64)
        os.pwrite(self.file, struct.pack("<Q", after * SLICE_NS), HEARTBEAT_AT)
        os.pwrite(self.file, struct.pack("<Q", self.generation), GENERATION_AT)

    def finish(self) -> None:
        """End gracefully."""
        after = self.truth.slice_number(self.truth.slices - 1) + 1
        os.pwrite(self.file, struct.pack("<QI", after * SLICE_NS, 1), END_AT)
        self.truth.safe = self.truth.slices
        os.close(self.file)

    def die(self, chance: random.Random) -> None:
        """End the process as its node fails: the last writes may not have reached the disk."""
        end, slices = chance.choice(self.steps)
        size = chance.randrange(end, self.end + 1)
        os.ftruncate(self.file, size)
        self.truth.safe = slices
        os.close(self.file)


class SimulatedNode:
    """One node: its spool, its boot, and the processes on it.

    Attributes:
        behind: Number of slices by which the node's clock is behind.
        is_up: Whether the node runs.
    """

    def __init__(self, folder: Path, number: int, seed: int) -> None:
        """Create the node's spool."""
        self.name = f"node{number:05d}"
        self.spool, self.boot_file = folder / self.name, folder / f"{self.name}.boot"
        self.spool.mkdir(parents=True, mode=0o700)
        self._chance = random.Random(f"{seed} {number}")
        self.behind = 0
        self._boots = 0
        self._processes: list[_Process] = []
        self.boot()

    def boot(self) -> None:
        """Begin a boot."""
        self._boots += 1
        self.boot_id = uuid.uuid5(uuid.NAMESPACE_DNS, f"{self.name} {self._boots}")
        self.boot_file.write_text(f"{self.boot_id}\n")
        self.is_up = True

    def start(
        self, job: str, what: Program, slice_: int, sleepers: Sequence[tuple[int, int]]
    ) -> Iterator[Written]:
        """Start the processes of a job.

        Args:
            job: Name of the job.
            what: Program of the job.
            slice_: Slice in which the processes start, by a correct clock.
            sleepers: Process IDs and start times (ticks since boot) of processes that run here.

        Yields:
            The truth of each process, which is filled as slices are written.
        """
        first = slice_ - self.behind
        for number, (pid, started) in enumerate(sleepers):
            # Two processes with one number, one after the other, differ in their start.
            start_ns = first * SLICE_NS + number
            truth = Written(self.name, str(self.boot_id), pid, start_ns, what, first)
            head = new_head(
                slice_ns=SLICE_NS,
                start_ns=start_ns,
                file_ns=start_ns,
                first_slice=first,
                pid=pid,
                ppid=1,
                uid=os.getuid(),
                gid=os.getgid(),
                proc_start=started,
                sid=pid,
                boot_id=self.boot_id.bytes,
                host=self.name.encode(),
                job=job.encode(),
                program=what.name.encode(),
                command=what.name.encode(),
                heartbeat_ns=start_ns,
            )
            mount = mount_record("server:/scratch")
            end = shape().head + len(mount)
            struct.pack_into("<2Q", head, shape().commit, end, first)
            path = self.spool / f"{job}.{pid}.{start_ns}.jst"
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(file, bytes(head) + mount)
            process = _Process(truth, file, end)
            process.steps.append((end, 0))
            self._processes.append(process)
            yield truth

    def grow(self, slices: int) -> None:
        """Write slices of every process."""
        for process in self._processes:
            left = slices
            while left:
                process.grow(min(left, _AT_ONCE))
                left -= min(left, _AT_ONCE)

    def set_clock(self) -> None:
        """Set the node's clock forward: its processes record the jump, and skip some slices."""
        step, self.behind = self.behind, 0
        for process in self._processes:
            truth = process.truth
            truth.jump = (step, truth.slices)
            now = truth.slice_number(truth.slices) * SLICE_NS
            # The period's record of this turn, with the gap before it.
            turn = truth.slices
            gained = {
                int(cell): int(value)
                for cell, value in enumerate(
                    truth.program.after(turn + 1).astype("int64")
                    - truth.program.after(turn).astype("int64")
                )
                if value
            }
            process.grow(1, clock_record(now, step * SLICE_NS) + slice_record(gained, step))

    def end_job(self) -> None:
        """End all processes gracefully."""
        for process in self._processes:
            process.finish()
        self._processes = []

    def fail(self) -> None:
        """Simulate a failure of the node: its processes end, and their last writes may be lost."""
        for process in self._processes:
            process.die(self._chance)
        self._processes = []
        self.is_up = False

    @property
    def is_idle(self) -> bool:
        """Whether the node is up and has no processes, as after a failure."""
        return self.is_up and not self._processes

    def waiting(self) -> int:
        """Return the number of profiles that are still in the node's spool."""
        return sum(not name.startswith(".") for name in os.listdir(self.spool))


class SimulatedSite:
    """Nodes on which jobs come and go.

    Attributes:
        truths: Truth of each process, in order of their starts.
        slice: The next slice, by correct clocks.
    """

    def __init__(
        self,
        folder: Path,
        nodes: int,
        start_slice: int,
        sleepers: Sequence[tuple[int, int]],
        seed: int,
    ) -> None:
        """Make the nodes."""
        self.nodes = [SimulatedNode(folder, number, seed) for number in range(nodes)]
        self.truths: list[Written] = []
        self.slice = start_slice
        self._sleepers = sleepers
        self._chance = random.Random(seed)
        self._programs = [program(f"/usr/bin/{name}", seed) for seed, name in enumerate(PROGRAMS)]
        self._jobs = 0
        groups = [self.nodes[at : at + _NODES] for at in range(0, nodes, _NODES)]
        #: The slice in which the job of each group of nodes ends.
        self._groups = [(group, 0) for group in groups]

    def advance(self, slices: int) -> None:
        """Advance the time: jobs begin and end, and every process writes its slices."""
        for number, (group, ends) in enumerate(self._groups):
            if self.slice >= ends or any(node.is_idle for node in group):
                self._groups[number] = (group, self._next_job(group))
        for node in self.nodes:
            if node.is_up:
                node.grow(slices)
        self.slice += slices

    def _next_job(self, group: Sequence[SimulatedNode]) -> int:
        for node in group:
            node.end_job()
        what = self._chance.choice(self._programs)
        job = f"{what.name.rpartition('/')[2]}-{self._jobs:05d}"
        self._jobs += 1
        for node in group:
            if node.is_up:
                self.truths += node.start(job, what, self.slice, self._sleepers)
        return self.slice + self._chance.randrange(*_SLICES)

    def end(self) -> None:
        """End all jobs."""
        for node in self.nodes:
            node.end_job()

    @property
    def now_ns(self) -> int:
        """The simulated time."""
        return self.slice * SLICE_NS
