"""Computes the digest of a job: each metric's total, minimum, mean and maximum over processes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.access.model import PATTERNS, READ_PATTERNS, AccessPattern
from jostle.analysis.access.reads import read_patterns
from jostle.analysis.access.writes import write_patterns
from jostle.analysis.binding.advise import binding_advice
from jostle.analysis.digest.files import files, formats
from jostle.analysis.digest.gpus import gpus
from jostle.analysis.digest.job_advice import advise_job
from jostle.analysis.digest.model import (
    AccessShape,
    Clock,
    JobDigest,
    MountDigest,
    ProfilerCost,
    Rate,
    Share,
    Threads,
    Unaccounted,
)
from jostle.analysis.digest.mpi import worlds
from jostle.analysis.processes import Ints, JobProcesses, histogram, process_sums
from jostle.analysis.shares_of_time import (
    SHORTEST_S,
    STATES,
    seconds_for_rates,
    share_of_time,
    threads_time,
)
from jostle.names.training import is_collective_library
from jostle.repository.types import JobTables
from jostle.schema.metrics import HIST_BUCKETS, MOUNT_IDS
from jostle.values.arrow_columns import ints_or_zeros
from jostle.values.file_metrics import file_total

_NS = 1e9
_SMALL_BUCKET = 12  # buckets 0 to 12 hold sizes below 4 KiB
_UNSYNCHRONISED = 5  # TIME_ERROR of adjtimex
#: Beginning of a note on the machine, not on the run: `jostle doctor` shows it.
_OF_THE_MACHINE = "perf: this machine does not count it"


def digest(tables: JobTables) -> JobDigest:
    """Compute the digest of a job.

    Args:
        tables: The tables of the job, from Repository.job_tables.

    Returns:
        The digest. Each rate states which time it is divided by.
    """
    job_processes = JobProcesses(tables.processes)
    sums = process_sums(tables, job_processes)
    totals = {name: int(values.sum()) for name, values in sums.items()}
    metrics = {name: job_processes.spread(values) for name, values in sums.items() if values.any()}
    cpu = sums["os_user_ns"] * 1.0 + sums["os_system_ns"]  # a sum of integers may overflow
    writing = [_within(pattern, job_processes) for pattern in write_patterns(tables)]
    reading = [_within(pattern, job_processes) for pattern in read_patterns(tables)]
    seconds = (job_processes.end - job_processes.start) / _NS
    shares = _shares(sums, job_processes)
    # Without rates if the time is too short for what was counted in it.
    threads_ns = float(threads_time(sums, job_processes).sum())
    known = seconds >= SHORTEST_S and not math.isnan(share_of_time(float(cpu.sum()), threads_ns))
    rated_s = seconds if known else math.nan
    made = JobDigest(
        job=tables.job,
        programs=job_processes.programs(),
        hosts=sorted(set(job_processes.texts("host"))),
        processes=int((~job_processes.short).sum()),
        short_processes=int(job_processes.short.sum()),
        start_ns=job_processes.start,
        end_ns=job_processes.end,
        running=job_processes.running,
        seconds=seconds,
        process_seconds=float(job_processes.life.sum()) / _NS,
        slice_ns=sorted(set(job_processes.ints("slice_ns").tolist())),
        metrics=metrics,
        mounts=_mounts(tables, job_processes, rated_s),
        rates=_rates(totals, rated_s),
        shares=shares,
        effective_threads=_threads(sums, job_processes),
        cores=float(cpu.sum()) / _NS / rated_s,
        access=[
            _access("read", tables, totals, reading),
            _access("write", tables, totals, writing),
        ],
        errors=_errors(totals),
        unaccounted=[_unaccounted(direction, totals) for direction in ("read", "write")],
        cost=_cost(totals, float(cpu.sum())),
        clock=_clock(job_processes),
        notes=[
            note
            for note in _distinct(job_processes.lists("notes"))
            if not note.startswith(_OF_THE_MACHINE)
        ],
        warnings=_distinct(job_processes.lists("warnings")),
        mpi=worlds(tables, job_processes, sums),
        writing=writing,
        reading=reading,
        files=files(tables),
        formats=formats(tables),
        gpus=gpus(tables, seconds),
        binding=binding_advice(tables, job_processes, sums),
    )
    # Ranks that wait in MPI use their cores: if calls are not counted, this looks like computing.
    return made if made.mpi else replace(made, next=advise_job(made))


def _within(pattern: AccessPattern, job_processes: JobProcesses) -> AccessPattern:
    """Cut the phases of an access pattern at the job's start and end, which are inside slices."""
    first, last = job_processes.start, job_processes.end
    phases = [
        replace(
            phase,
            start_ns=min(max(phase.start_ns, first), last),
            end_ns=max(min(phase.end_ns, last), first),
        )
        for phase in pattern.phases
    ]
    return replace(pattern, phases=phases)


def _threads(sums: Mapping[str, Ints], job_processes: JobProcesses) -> Threads | None:
    life_s = seconds_for_rates(sums, job_processes)
    known = ~np.isnan(life_s) & job_processes.included
    if not known.any():
        return None
    cpu_s = sums["os_user_ns"] / _NS + sums["os_system_ns"] / _NS
    threads = cpu_s[known] / life_s[known]
    return Threads(float(threads.min()), float(threads.mean()), float(threads.max()))


def _mounts(tables: JobTables, job_processes: JobProcesses, seconds: float) -> list[MountDigest]:
    rows = tables.mount_totals
    if not rows.num_rows:
        return []
    described: dict[str, list[dict[str, Any]]] = {}
    for row in tables.mounts.to_pylist():
        described.setdefault(row["mount"], []).append(row)
    encoded = rows.column("mount").combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    names, code = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    where = job_processes.index(ints_or_zeros(rows, "process"))
    columns = {name: ints_or_zeros(rows, name) for name in MOUNT_IDS}
    columns = {name: values for name, values in columns.items() if values.any()}
    mounts = [
        _mount(name, described.get(name, []), code == rank, where, columns, job_processes, seconds)
        for rank, name in enumerate(names)
    ]
    return sorted(mounts, key=lambda mount: (-_traffic(mount), mount.mount))


def _traffic(mount: MountDigest) -> int:
    return sum(spread.total for name, spread in mount.metrics.items() if name.endswith("_bytes"))


def _mount(
    name: str,
    described: list[dict[str, Any]],
    mine: NDArray[np.bool_],
    where: NDArray[np.intp],
    columns: Mapping[str, Ints],
    job_processes: JobProcesses,
    seconds: float,
) -> MountDigest:
    metrics = {}
    users = np.zeros(job_processes.count, dtype=bool)
    users[where[mine]] = True
    for metric, values in columns.items():
        sums = np.zeros(job_processes.count, dtype=np.int64)
        np.add.at(sums, where[mine], values[mine])
        if sums.any():
            metrics[metric] = job_processes.spread(sums, users)
    totals = {metric: spread.total for metric, spread in metrics.items()}
    return MountDigest(
        mount=name,
        paths=sorted({row["path"] for row in described}),
        type=described[0]["type"] if described else "",
        shared=any(row["shared"] for row in described),
        processes=int(users.sum()),
        metrics=metrics,
        rates=_rates(totals, seconds),
        errors=_errors(totals),
    )


def _rates(totals: Mapping[str, int], seconds: float) -> dict[str, Rate]:
    """Return bytes per second of the job's run time, and bytes per second inside the calls.

    Args:
        totals: Sum of each metric.
        seconds: Run time of the job. Where it is not known (NaN), only the rates per second inside
            the calls are returned.
    """
    rates = {}
    for way in ("read", "write"):
        moved = file_total(totals, f"{way}_bytes")
        ops = file_total(totals, f"{way}_ops")
        if moved and seconds > 0:
            rates[f"{way}_bytes"] = Rate(moved / seconds, "bytes/s", "the job's time", seconds)
            rates[f"{way}_ops"] = Rate(ops / seconds, "ops/s", "the job's time", seconds)
        # Only posix: of stdio, time is that of calls that reach the kernel, bytes are those of all.
        inside = totals.get(f"posix_{way}_ns", 0) / _NS
        if inside > 0:
            served = totals.get(f"posix_{way}_bytes", 0) / inside
            over = f"the time inside posix {way} calls, summed over threads"
            rates[f"{way}_service"] = Rate(served, "bytes/s", over, inside)
    return rates


def _shares(sums: Mapping[str, Ints], job_processes: JobProcesses) -> list[Share]:
    """Return how the ranks' time is divided among states; without ranks, that of all processes.

    If a state takes more time than the processes lived, all shares are of the lifetime of their
    threads.
    """
    timed = job_processes.timed
    life_ns = float(job_processes.life[timed].sum(dtype=np.float64))
    threads_ns = float(threads_time(sums, job_processes)[timed].sum())
    libraries = {name for name in job_processes.texts("mpi_library") if name}
    training = bool(libraries) and all(map(is_collective_library, libraries))
    spent_ns = {
        "collectives" if training and name == "MPI calls" else name: sum(
            int(sums[metric][timed].sum()) for metric in metrics if metric in sums
        )
        for name, metrics in STATES.items()
    }
    # Time in file calls is one state with several rows, and so is CPU time.
    in_files = sum(spent for name, spent in spent_ns.items() if name.startswith("file "))
    on_cpu = spent_ns["user CPU"] + spent_ns["system CPU"]
    most = max(in_files, on_cpu, *spent_ns.values())
    whole_ns = life_ns if not math.isnan(share_of_time(most, life_ns)) else threads_ns
    return [
        Share(name, spent / _NS, share_of_time(spent, whole_ns)) for name, spent in spent_ns.items()
    ]


def _access(
    direction: str, tables: JobTables, totals: Mapping[str, int], patterns: list[AccessPattern]
) -> AccessShape:
    ops = sum(totals.get(f"{module}_{direction}_ops", 0) for module in ("posix", "stdio"))
    moved = sum(totals.get(f"{module}_{direction}_bytes", 0) for module in ("posix", "stdio"))
    sizes = sum(
        (histogram(tables.totals, f"{module}_{direction}_size") for module in ("posix", "stdio")),
        start=np.zeros(HIST_BUCKETS, dtype=np.int64),
    )
    counted = int(sizes.sum())
    common = int(sizes.argmax()) if counted else 0
    small = float(sizes[: _SMALL_BUCKET + 1].sum()) / counted if counted else 0.0
    seeks = file_total(totals, "seek_ops")
    all_ops = file_total(totals, "read_ops", "write_ops")
    per_op = seeks / all_ops if all_ops else 0.0
    named = bool(patterns) and patterns[0].pattern in (*PATTERNS, *READ_PATTERNS)
    return AccessShape(
        direction=direction,
        ops=ops,
        bytes=moved,
        mean_bytes=moved / ops if ops else 0.0,
        histogram=sizes.tolist(),
        common_low=2 ** (common - 1) if common else 0,
        common_high=2**common if counted else 0,
        small_share=small,
        seeks_per_op=per_op,
        pattern=patterns[0].pattern if named else _pattern(counted, small, per_op),
    )


def _pattern(counted: int, small: float, seeks_per_op: float) -> str:
    if not counted:
        return "none"
    words = "many small" if small > 0.8 else "large" if small < 0.2 else "mixed sizes"
    return f"{words}, seeking" if seeks_per_op > 0.3 else words


def _errors(totals: Mapping[str, int]) -> dict[str, int]:
    return {
        name.removeprefix("error_").removesuffix("_ops"): value
        for name, value in totals.items()
        if name.startswith("error_") and value
    }


def _unaccounted(direction: str, totals: Mapping[str, int]) -> Unaccounted:
    system = totals.get(f"os_{direction}_chars", 0)
    wrapped = sum(
        totals.get(f"{module}_{direction}_bytes", 0) for module in ("posix", "stdio", "stream")
    )
    beyond = max(system - wrapped, 0)
    return Unaccounted(
        direction,
        system,
        wrapped,
        beyond,
        beyond / system if system else 0.0,
        totals.get(f"os_{direction}_bytes", 0),
    )


def _cost(totals: Mapping[str, int], cpu_ns: float) -> ProfilerCost:
    cost = totals.get("self_cost_ns", 0)
    return ProfilerCost(
        totals.get("self_calls_ops", 0),
        totals.get("self_heartbeat_ns", 0) / _NS,
        cost / _NS,
        share_of_time(cost, cpu_ns) if cpu_ns > 0 else 0.0,
    )


def _clock(job_processes: JobProcesses) -> Clock:
    # Short processes do not record the clock; the others of their node do.
    included = ~job_processes.short
    hosts = np.asarray(job_processes.texts("host"), dtype=object)
    bad = sorted(set(hosts[included & (job_processes.ints("clock_state") >= _UNSYNCHRONISED)]))
    error = int(job_processes.ints("clock_error_us")[included].max(initial=0))
    steps = int(job_processes.ints("clock_steps")[included].sum())
    several = len(set(hosts)) > 1
    if not several:  # slices of one node have one clock; `jostle doctor` checks it
        text = ""
    elif bad:
        where = ", ".join(bad[:3]) + (", ..." if len(bad) > 3 else "")
        text = (
            f"The clock of {where} was not synchronised: slices of different nodes may not match."
        )
    elif not included.any():
        text = "No process ran long enough to record the state of the clock."
    else:
        text = f"Clocks were synchronised, error at most {error / 1000:.1f} ms."
    if steps:
        text += f" The clock jumped {steps} time{'s' if steps > 1 else ''}."
        text = text.strip()
    return Clock(not bad and bool(included.any()), error, steps, text)


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
