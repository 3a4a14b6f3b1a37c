"""Defines the rate at which a process increases each metric in each phase of its program.

Where the figures come from: lab/docs/explanation/simulated-site.md. The metrics, their sizes and
their spread are from small programs of this project under `jostle run` on a quiet machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jostle_lab.synthetic.site.programs import META, WRITE, Phase, Program

Floats = NDArray[np.floating]
#: Bases of rates, in seconds: of progress, of time in file calls (both only of processes that make
#: such calls), of progress of a job's first process, and of the times of `Interval`.
Basis = Literal["work", "calls", "io", "root", "net", "cpu", "alive", "waited"]
#: A log line, bytes.
LINE = 76
_SMALL = 16  # bytes of a reduction


@dataclass(frozen=True)
class Rate:
    """The rate of one metric.

    Attributes:
        basis: The time to which the rate refers.
        rates: Increase per second in each phase, over all programs, (phases,).
        spread: Standard deviation of one process's value, relative to it.
        share: Standard deviation that the metric has in common with the others of its basis.
    """

    basis: Basis
    rates: Floats
    spread: float = 0.0


Table = dict[str, Rate]


def _writers(program: Program, per_node: int) -> int:
    return per_node if program.writers == "all" else 1


class Rates:
    """The rates of all metrics.

    Attributes:
        counts: Rate of each counting metric of processes.
        times: Rate of each time of processes, in ns.
        files: Rate of each counting metric of the scratch file system.
        file_times: Rate of each time of the scratch file system, in ns.
        op_bytes: Bytes of a file operation, a message and an exchange, by phase.
    """

    def __init__(self, programs: Sequence[Program], per_node: int, *, pmu: bool) -> None:
        self._every = [(program, phase) for program in programs for phase in program.phases]
        self._per_node = per_node
        self.size = np.array([phase.size for _, phase in self._every])
        self.message = np.array([phase.message for _, phase in self._every])
        self.exchanged = np.array([phase.exchanged for _, phase in self._every])
        self.collective = np.array([program.collective for program, _ in self._every])
        self.is_meta = np.array([phase.what == META for _, phase in self._every])
        self.writes = np.array([phase.what == WRITE for _, phase in self._every])
        self.threads = np.array([program.threads for program, _ in self._every])
        self.memory = np.array([program.memory for program, _ in self._every])
        self.ops = self._of(self._ops)
        self.counts, self.times = self._counts(pmu=pmu), self._times()

    def _of(self, function: object) -> Floats:
        assert callable(function)
        return np.array([function(program, phase) for program, phase in self._every], dtype=float)

    def _ops(self, program: Program, phase: Phase) -> float:
        """Return the file calls of a process that reads or writes, per second of its progress."""
        writers = _writers(program, program.per_node or self._per_node)
        return phase.rate / writers / (1 if phase.what == META else phase.size)

    def _counts(self, *, pmu: bool) -> Table:
        pairs = self._of(lambda _, phase: phase.pairs)
        reductions = self._of(lambda _, phase: phase.reductions)
        exchanges = self._of(lambda _, phase: phase.exchanges)
        talks = (pairs + reductions + exchanges) > 0
        faults = self._of(lambda program, _: program.faults)
        table: Table = {
            "mpi_isend_ops": Rate("work", pairs),
            "mpi_wait_ops": Rate("work", pairs / 3),
            "exchanges": Rate("work", exchanges),
            "reductions": Rate("work", reductions),
            "mpi_barrier_ops": Rate("work", talks * 0.02),
            "mpi_one_to_all_ops": Rate("work", talks * 0.05),
            "os_voluntary_switches": Rate("alive", 1.5 + 0 * faults, 0.5),
            "os_involuntary_switches": Rate("alive", 0.4 + 0.35 * self.threads, 0.6),
            "os_minor_faults": Rate("cpu", faults, 0.7),
            "os_major_faults": Rate("alive", 0.0005 + 0 * faults),
            "perf_migrations": Rate("alive", 0.01 + 0.01 * self.threads, 0.5),
            "lines": Rate("root", self._of(lambda program, _: program.log), 0.1),
        }
        if pmu:
            table |= {
                "perf_instructions": Rate("cpu", 4.1e9 * self.threads, 0.02),
                "perf_cycles": Rate("cpu", 2.7e9 * self.threads, 0.01),
                "perf_llc_misses": Rate("cpu", 4e6 * self.threads, 0.05),
            }
        return table

    def _times(self) -> Table:
        """Return the rates of metrics of time (ns), except those that are computed from others."""
        one = np.ones(len(self._every))
        pairs = self._of(lambda _, phase: phase.pairs) > 0
        reductions = self._of(lambda _, phase: phase.reductions) > 0
        exchanges = self._of(lambda _, phase: phase.exchanges) > 0
        # Shares of the time in communication: messages to neighbours, exchanges and reductions.
        whole = 0.55 * pairs + 0.5 * exchanges + 0.35 * reductions
        part = np.divide(1e9, whole, out=0 * one, where=whole > 0)
        return {
            "mpi_isend_ns": Rate("net", 0.05 * pairs * part, 0.08),
            "mpi_irecv_ns": Rate("net", 0.02 * pairs * part, 0.08),
            "mpi_wait_ns": Rate("net", 0.48 * pairs * part, 0.15),
            "mpi_all_to_all_ns": Rate("net", (0.5 * exchanges + 0.34 * reductions) * part, 0.12),
            "mpi_barrier_ns": Rate("net", 0.004 * reductions * part, 0.8),
            "mpi_one_to_all_ns": Rate("net", 0.006 * reductions * part, 0.5),
            "wait_short_ns": Rate("net", 0.25e9 * (whole > 0), 0.25),
            "wait_all_ns": Rate("net", 0.15e9 * (whole > 0), 0.3),
            "waited": Rate("waited", 1e9 * one, 0.2),
            "system": Rate("io", 0.12e9 * one, 0.1),
            "os_runqueue_ns": Rate("alive", 4e5 * (1 + 0.2 * self.threads), 0.7),
            "wait_offcpu_ns": Rate("alive", 3e5 * one, 0.6),
            "self_heartbeat_ns": Rate("alive", 1.5e4 * one, 0.1),
        }
