"""Computes the MPI part of a digest from a job's tables (Shah, 2020, section 2.1.3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.digest.advice import advise
from jostle.analysis.digest.mpi_world import (
    USUAL_EVENTS,
    Balance,
    CallTraffic,
    Counters,
    RankThreads,
    TimeShare,
    WorldDigest,
)
from jostle.analysis.digest.segments import segments_of
from jostle.analysis.processes import Ints, JobProcesses
from jostle.analysis.shares_of_time import (
    CLOCK_TOLERANCE,
    SHORTEST_S,
    seconds_for_rates,
    share_of_lives,
    share_of_time,
    threads_time,
)
from jostle.analysis.spread import Range, Spread
from jostle.names.training import is_collective_library
from jostle.repository.types import JobTables
from jostle.schema.profile import THREAD_LEVELS, MpiAdapter, MpiState
from jostle.values.file_metrics import file_metrics
from jostle.values.mpi_metrics import RECEIVES, ROOM, SENDRECV_SENT

Floats = NDArray[np.float64]
Sums = Mapping[str, Ints]

_NS = 1e9
FLOPS = re.compile(r"(FP|DP|SP|VEC)_(OPS|INS)|FLOP|FP_ARITH", re.IGNORECASE)

_BLOCKING = "one_to_all all_to_one all_to_all scan neighbor".split()
_COLLECTIVE = [*_BLOCKING, *(f"i{name}" for name in _BLOCKING)]
_SPLIT = ("", "_all", "_shared", "_split")
_CCL = [f"ccl_{name}" for name in ("all_to_all", "one_to_all", "all_to_one", "barrier")]
#: name -> (metrics of calls, metrics of bytes).
TRAFFIC: dict[str, tuple[list[str], list[str]]] = {
    "ccl collective": ([f"{name}_ops" for name in _CCL], [f"{name}_bytes" for name in _CCL[:3]]),
    "ccl send": (["ccl_send_ops"], ["ccl_send_bytes"]),
    "ccl receive": (["ccl_recv_ops"], ["ccl_recv_bytes"]),
    "collective": (
        [f"mpi_{name}_ops" for name in (*_COLLECTIVE, "barrier", "ibarrier")],
        [f"mpi_{name}_bytes" for name in _COLLECTIVE],
    ),
    "send": (["mpi_send_ops", "mpi_isend_ops"], ["mpi_send_bytes", "mpi_isend_bytes"]),
    "receive": (["mpi_recv_ops", "mpi_irecv_ops"], [*RECEIVES]),
    "room": ([], [*ROOM]),
    "sendrecv": (["mpi_sendrecv_ops"], [*SENDRECV_SENT, "mpi_sendrecv_arrived_bytes"]),
    "complete": (["mpi_wait_ops", "mpi_test_ops", "mpi_probe_ops"], []),
    "one-sided": (
        ["mpi_put_ops", "mpi_get_ops", "mpi_accumulate_ops"],
        ["mpi_put_bytes", "mpi_get_bytes", "mpi_accumulate_bytes"],
    ),
    "mpiio read": (
        [f"mpiio_read{form}_ops" for form in _SPLIT],
        [f"mpiio_read{form}_bytes" for form in _SPLIT],
    ),
    "mpiio write": (
        [f"mpiio_write{form}_ops" for form in _SPLIT],
        [f"mpiio_write{form}_bytes" for form in _SPLIT],
    ),
    "file read": ([*file_metrics("read_ops")], [*file_metrics("read_bytes")]),
    "file write": ([*file_metrics("write_ops")], [*file_metrics("write_bytes")]),
}
#: States that the time of a rank is divided into, in addition to computation.
STATES = {
    "point-to-point": "state_p2p_ns",
    "collective": "state_collective_ns",
    "one-sided": "state_onesided_ns",
    "mpiio": "state_mpiio_ns",
    "other mpi": "state_mpi_ns",
    "file i/o": "state_io_ns",
}


def worlds(tables: JobTables, job_processes: JobProcesses, sums: Sums) -> list[WorldDigest]:
    """Compute the MPI part of a job's digest.

    Args:
        tables: The tables of the job.
        job_processes: The processes of the job.
        sums: Sum of each metric per process, in the order of `job_processes`.

    Returns:
        One entry per world: the ranks of one mpirun, or of one launch of a training job. Worlds
        are in the order of their starts.
    """
    world_digests = [
        _World(tables, job_processes, sums, members).made() for members in _groups(job_processes)
    ]
    return sorted(world_digests, key=lambda world: (world.start_ns, world.world))


def _groups(job_processes: JobProcesses) -> list[NDArray[np.intp]]:
    """Return the indices of a job's ranks, one array for each world."""
    if not job_processes.ranks.any():
        return []
    keys = zip(
        job_processes.texts("world"),
        job_processes.ints("spawned").tolist(),
        job_processes.ints("world_size").tolist(),
        job_processes.texts("mpi_library"),
        strict=True,
    )
    groups: dict[object, list[int]] = {}
    for place, key in enumerate(keys):
        if job_processes.ranks[place]:
            groups.setdefault(key, []).append(place)
    return [np.array(members) for members in groups.values()]


class _World:
    """Columns over the ranks of one world, from which its digest is made."""

    def __init__(
        self, tables: JobTables, job_processes: JobProcesses, sums: Sums, members: NDArray[np.intp]
    ) -> None:
        self._tables, self._people = tables, job_processes
        rank = job_processes.ints("world_rank")[members]
        self._at = members[np.argsort(rank, kind="stable")]
        self._rank = self.ints("world_rank")
        self._life = job_processes.life[self._at].astype(np.float64)
        self._threads_life = threads_time(sums, job_processes)[self._at]
        self._rated_s = seconds_for_rates(sums, job_processes)[self._at]
        self._sums = {name: values[self._at] for name, values in sums.items()}
        start = self.ints("start_ns")
        end = start + job_processes.life[self._at]
        init, ready = self.ints("mpi_init_ns"), self.ints("mpi_ready_ns")
        leaving, left = self.ints("mpi_finalize_ns"), self.ints("mpi_end_ns")
        self._init = np.where(init > 0, init, start)
        self._left = np.where(left > 0, left, np.maximum(end, leaving))
        # Rates are per second between MPI_Init's return and MPI_Finalize's call.
        begin = np.where(ready > 0, ready, self._init)
        until = np.where(leaving > 0, leaving, end)
        # A rank that is not known to have lived after MPI_Init has no rate.
        known = ~np.isnan(self._rated_s) & (until - begin >= SHORTEST_S * _NS)
        self._between = np.where(known, until - begin, np.nan)

    def ints(self, name: str) -> Ints:
        return self._people.ints(name)[self._at]

    def texts(self, name: str) -> list[str]:
        texts = self._people.texts(name)
        return [texts[place] for place in self._at]

    def made(self) -> WorldDigest:
        shares, over, states = self._shares()
        names = self._people.names()
        adapter = self.ints("mpi_adapter")
        library = _first_line(self.texts("mpi_library")[0])
        training = is_collective_library(library)
        counted = training or bool((adapter == MpiAdapter.LOADED).all())
        processes = self.ints("process").tolist()
        size, ranks = int(self.ints("world_size").max()), len(self._at)
        complete = self._people.complete[self._at]
        world = WorldDigest(
            world=self.texts("world")[0],
            size=size,
            ranks=ranks,
            processes=processes,
            programs=dict(Counter(names[place] for place in self._at).most_common()),
            hosts=sorted(set(self.texts("host"))),
            spawned=bool(self.ints("spawned").any()),
            library=library,
            adapter=self.texts("mpi_adapter_name")[0],
            counted=counted,
            problem=_missing(size, ranks) if training else _problem(adapter, size, ranks),
            launcher=self.texts("launcher")[0],
            batch=self.texts("batch")[0],
            thread_level=THREAD_LEVELS[min(int(self.ints("thread_level").max()), 3)],
            unfinished=int((self.ints("mpi_state") < MpiState.FINALISED).sum()),
            running=not bool(complete.all()),
            start_ns=int(self._init.min()),
            seconds=max(float(self._left.max() - self._init.min()), 0.0) / _NS,
            in_collectives=self._in_collectives(),
            traffic=self._traffic(),
            shares=shares if counted else [],
            shares_over=over,
            balance=self._balance(states) if counted and ranks > 1 else None,
            threads=self._threads(),
            counters=self._counters(),
            waited=self._part("wait_mpi_ns"),
            off_cpu=self._part("wait_offcpu_ns"),
            metrics={name: _spread(values) for name, values in self._sums.items() if values.any()},
            segments=segments_of(self._tables, processes),
            next=[],
        )
        return replace(world, next=advise(world))

    def _total(self, names: list[str]) -> Ints:
        zero = np.zeros(len(self._at), dtype=np.int64)
        return sum((self._sums.get(name, zero) for name in names), start=zero)

    def _spent(self, *names: str) -> float:
        return float(self._total([*names]).sum())

    def _in_collectives(self) -> float:
        return share_of_time(self._spent(*(f"{name}_ns" for name in _CCL)), self._life.sum())

    def _part(self, name: str) -> float:
        return share_of_lives(self._spent(name), self._life.sum(), self._threads_life.sum())

    def _traffic(self) -> list[CallTraffic]:
        call_traffics = []
        for name, (ops, moved) in TRAFFIC.items():
            calls, size = self._total(ops), self._total(moved)
            if calls.any() or size.any():
                per_s = _NS / self._between
                call_traffics.append(
                    CallTraffic(
                        name,
                        _spread(calls),
                        _spread(size),
                        Range.of(calls * per_s),
                        Range.of(size * per_s),
                    )
                )
        return call_traffics

    def _shares(self) -> tuple[list[TimeShare], str, dict[str, Floats]]:
        """Divide the time of the ranks among states.

        If several threads of a rank were in MPI at once, the time of its threads is divided. A rank
        that was in calls for longer than its threads are known to have lived is left out.

        Returns:
            The shares of time; a description of the time that is divided; and the time of each
            rank in each state, by state, in ns.
        """
        states = {name: self._total([metric]).astype(np.float64) for name, metric in STATES.items()}
        inside = sum(states.values(), start=np.zeros(len(self._at)))
        known = (self._life > 0) & (inside <= self._threads_life * (1 + CLOCK_TOLERANCE))
        whole = np.where(known, np.maximum(self._life, inside), np.nan)
        states = {"computation": whole - inside, **states}
        if not known.any():
            return [], "not known: more time in calls was counted than the ranks lived", states
        over = "the ranks' lifetime"
        if bool((inside > 1.01 * self._life)[known].any()):
            over = "the threads' time in calls: several were in calls at once"
        total = float(whole[known].sum())
        shares = [
            TimeShare(
                name,
                float(spent.sum()) / _NS,
                float(spent.sum()) / total,
                float((spent / whole[known]).min()),
                float((spent / whole[known]).max()),
            )
            for name, spent in ((name, state[known]) for name, state in states.items())
            if name == "computation" or spent.any()
        ]
        return shares, over, states

    def _balance(self, states: dict[str, Floats]) -> Balance | None:
        known = ~np.isnan(states["computation"])
        computing, waiting = states["computation"][known], states["collective"][known]
        rank = self._rank[known]
        mean = float(computing.mean()) if known.any() else 0.0
        if mean <= 0:
            return None
        return Balance(
            imbalance=float(computing.max()) / mean - 1,
            busiest=int(rank[computing.argmax()]),
            idlest=int(rank[computing.argmin()]),
            least_waiting=int(rank[waiting.argmin()]) if waiting.any() else None,
            computing_s=Range.of(computing / _NS),
        )

    def _threads(self) -> RankThreads:
        cpu_s = self._total(["os_user_ns"]) / _NS + self._total(["os_system_ns"]) / _NS
        effective = cpu_s / self._rated_s
        threads = self.ints("omp_threads")
        wanted = (threads > 0) & ~np.isnan(effective)
        ratio = float((effective[wanted] / threads[wanted]).mean()) if wanted.any() else None
        same = set(threads.tolist())
        return RankThreads(Range.of(effective), same.pop() if len(same) == 1 else None, ratio)

    def _counters(self) -> Counters:
        papi = self._papi_names()
        places = [*range(len(USUAL_EVENTS)), *range(8, 12)]
        names = [*USUAL_EVENTS, *papi]
        asked, granted = self.ints("perf_asked"), self.ints("perf_granted")
        wanted = [
            name
            for name, bit in zip(names, places, strict=True)
            if name and bool((asked >> bit & 1).any())
        ]
        got = [
            name
            for name, bit in zip(names, places, strict=True)
            if name in wanted and bool((granted >> bit & 1).all())
        ]
        return self._counted(wanted, got, papi)

    def _papi_names(self) -> list[str]:
        lists = self._people.name_lists("papi_names")
        found = [lists[place] for place in self._at]
        longest = max(found, key=len, default=[])
        return [*longest, "", "", "", ""][:4]

    def _counted(self, wanted: list[str], got: list[str], papi: list[str]) -> Counters:
        counters = Counters(wanted, got, [name for name in wanted if name not in got])
        instructions = self._total(["perf_instructions"])
        cycles = float(self._total(["perf_cycles"]).sum())
        misses = float(self._total(["perf_llc_misses"]).sum())
        clock, cpu = (
            self._total(["perf_task_clock_ns"]),
            self._total(["os_user_ns", "os_system_ns"]),
        )
        # The hardware counters pause where they would cost too much; the task clock pauses with
        # them. Without one, rates are per CPU time.
        counted = np.where(clock > 0, clock, cpu) / _NS
        lived = np.where(counted >= SHORTEST_S, counted, np.nan)
        if instructions.any() and "instructions" in got and (counted >= SHORTEST_S).any():
            total = float(instructions.sum())
            counters = replace(
                counters,
                instructions_per_s=Range.of(instructions / lived),
                counted_share=min(float(counted.sum()) * _NS / max(float(cpu.sum()), 1.0), 1.0),
                instructions_per_cycle=total / cycles if cycles and "cycles" in got else None,
                misses_per_kilo=1000 * misses / total if "last-level misses" in got else None,
            )
        events = {
            name: self._total([f"papi_{number}_count"])
            for number, name in enumerate(papi, 1)
            if name and name in got
        }
        flops = next((name for name in events if FLOPS.search(name)), "")
        if flops and (counted >= SHORTEST_S).any():
            counters = replace(
                counters, flops_per_s=Range.of(events[flops] / lived), flops_event=flops
            )
        return replace(counters, papi={name: _spread(n) for name, n in events.items()} or None)


def _spread(values: Ints) -> Spread:
    return Spread(int(values.sum()), int(values.min()), float(values.mean()), int(values.max()))


def _first_line(text: str) -> str:
    """Return the name of a library from its description: the text up to a comma or line's end."""
    line = re.split(r"[\n,]", text.strip(), maxsplit=1)[0]
    return " ".join(line.replace("Version:", " ").split())


def _problem(adapter: Ints, size: int, ranks: int) -> str:
    if bool((adapter == MpiAdapter.LACKING).any()):
        return "MPI found but no adapter for it: its calls were not counted"
    if bool((adapter == MpiAdapter.REFUSED).any()):
        return "the adapter does not fit this MPI: its calls were not counted"
    if bool((adapter != MpiAdapter.LOADED).any()):
        return "some ranks were not counted: no adapter was loaded in them"
    return _missing(size, ranks)


def _missing(size: int, ranks: int) -> str:
    if ranks < size:
        return f"{size - ranks} of {size} ranks left no profile here"
    return ""
