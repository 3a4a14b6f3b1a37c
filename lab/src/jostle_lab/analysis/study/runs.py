"""Parses the run records of a study (lab/docs/reference/study.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jostle.errors import JostleError
from jostle_lab.analysis.study.foreign import Served
from jostle_lab.analysis.study.setting import Setting, size_label

#: Metrics that are amounts of data, and therefore comparable between programs.
AMOUNTS = frozenset({"bytes", "read_bytes", "message_bytes"})
# Axes that are fields of a setting, or only names.
_OWN_AXES = frozenset({"chunk", "processes", "shared", "periodic", "name", "names", "programs"})


class RecordError(JostleError):
    """The record of a run is invalid."""


@dataclass(frozen=True)
class RunProgram:
    """One program of a run.

    Attributes:
        name: The program's name in the study.
        job: The program's job.
        role: "alone" (the only program), "probe" (its loss is measured), "signal" (it disturbs the
            probe) or "both" (each program of the run is probe and signal).
        processes: The program's processes, as requested.
        nodes: Nodes on which the program ran.
        pattern: Name of the pattern of `jostle signal`; "" for any other command.
        chunk: Chunk size, bytes.
        volume: Bytes that the program has to write; None if a time limit or the program itself
            decides.
        metric: Unit in which the program's progress is counted.
        error: Reason why the program failed; "" when it did not.
        begin_ns: Begin of the program's work, ns (of a signal: the first operation).
        end_ns: The program's end.
        shared: Whether all processes use one shared file.
        baseline: Word that is equal for runs of the program in the same configuration, alone or in
            a pair.
        period_ns: Period of a periodic signal; 0: sustained.
        duty: Share of the period that is a burst.
        phase_ns: Shift of the bursts.
        until_stopped: Whether the program runs until its probe ends, without a fixed amount of
            work.
        split: Whether half of the ranks are a probe, whose progress counts, and the other half
            periodic noise (Shah et al., 2013, section III).
    """

    name: str
    job: str
    role: str
    processes: int
    nodes: tuple[str, ...]
    pattern: str
    chunk: int | None
    volume: float | None
    metric: str
    error: str
    begin_ns: int
    end_ns: int
    shared: bool
    baseline: str
    period_ns: int
    duty: float
    phase_ns: int
    until_stopped: bool
    split: bool = False

    @property
    def seconds(self) -> float:
        """The program's run time, in seconds."""
        return (self.end_ns - self.begin_ns) / 1e9


def comparable(run_program: RunProgram, other: RunProgram) -> bool:
    """Return whether the rates of two programs can be compared.

    Rates in bytes can; an operation of a ping differs from one of an all-to-all.
    """
    same = (run_program.pattern or run_program.name) == (other.pattern or other.name)
    return run_program.metric == other.metric and (same or run_program.metric in AMOUNTS)


@dataclass(frozen=True)
class StudyRun:
    """One run of a study: a program alone, or two at the same time.

    Attributes:
        run: The run's id.
        study: Name of the study.
        repetition: Number of the repetition, from 1.
        programs: The one or two programs; a probe comes first.
        cell: Values of the axes of the study.
        slice_ns: Slice length, in ns.
        place: Where the run took place: local (this machine), lab or slurm.
        monitor: Samples of the counters of links and disks, ascending in time_ns.
        server: Name of the counter in `monitor` of bytes that the servers received; "": unknown.
        own: Names of the counters in `monitor` of bytes that the nodes of the run sent.
        discard: Reason why the runner discarded the run; "" if it did not.
        begin_ns: Begin of the run, with the time before the first operation, ns since the epoch.
        end_ns: The run's end.
        resource: Identity of the mount under study; "": not known.
        served: Traffic that the servers' agents counted; None if unknown.
    """

    run: str
    study: str
    repetition: int
    programs: tuple[RunProgram, ...]
    cell: Mapping[str, Any]
    slice_ns: int
    place: str
    monitor: Sequence[Mapping[str, Any]]
    server: str
    own: tuple[str, ...]
    discard: str
    begin_ns: int = 0
    end_ns: int = 0
    resource: str = ""
    served: Served | None = None

    def counted(self, name: str) -> float | None:
        """Return the increase of a counter over the run; None if the counter was not sampled."""
        values = [sample[name] for sample in self.monitor if sample.get(name) is not None]
        return float(values[-1] - values[0]) if len(values) > 1 else None


def read_runs(records: Sequence[Mapping[str, Any]]) -> list[StudyRun]:
    """Parse the records of runs; of several records with the same ID the last counts.

    Raises:
        RecordError: A record lacks a required field.
    """
    study_runs: dict[str, StudyRun] = {}
    for place, record in enumerate(records, 1):
        try:
            run = _run(record)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(
                f"Record {place} of the study's runs is damaged: {_said(error)}.",
                hint="Remove the line from runs.jsonl; `jostle study run` repeats the run.",
            ) from error
        study_runs[run.run] = run
    return list(study_runs.values())


def _said(error: Exception) -> str:
    return f"no field {error}" if isinstance(error, KeyError) else str(error)


def _run(record: Mapping[str, Any]) -> StudyRun:
    cell = record.get("cell") or {}
    programs = [_program(program, cell) for program in record["programs"]]
    if not 1 <= len(programs) <= 2:
        raise ValueError(f"a run has one or two programs, not {len(programs)}")
    programs.sort(key=lambda program: program.role == "signal")
    discard = record.get("discard") or ("it was interrupted" if record.get("interrupted") else "")
    return StudyRun(
        str(record["run"]),
        str(record.get("study", "")),
        int(record.get("repetition", 0)),
        tuple(programs),
        cell,
        int(record["slice_ns"]),
        str(record.get("place", "")),
        record.get("monitor") or [],
        str(record.get("server") or ""),
        tuple(record.get("own") or ()),
        str(discard),
        int(record.get("begin_ns") or 0),
        int(record.get("end_ns") or 0),
        str(record.get("resource") or ""),
    )


def _program(record: Mapping[str, Any], cell: Mapping[str, Any]) -> RunProgram:
    pattern = record.get("pattern") or ""
    chunk, volume = record.get("chunk"), record.get("volume")
    shared = bool(record.get("shared", cell.get("shared")))
    nodes = record.get("nodes") or []
    nodes = tuple(str(node) for node in nodes) if isinstance(nodes, list) else ("",) * int(nodes)
    processes = int(record.get("processes") or 1)
    recorded = record.get("baseline") or record.get("config")
    baseline = recorded or f"{record['name']} {chunk} {processes} {len(nodes)} {shared}"
    status = int(record.get("status") or 0)
    error = record.get("error", f"exit status {status}" if status else None)
    period = record.get("period_s")
    return RunProgram(
        str(record["name"]),
        str(record["job"]),
        str(record.get("role", "both")),
        processes,
        nodes,
        str(pattern),
        None if chunk is None else int(chunk),
        None if volume is None else float(volume),
        str(record.get("progress") or "bytes"),
        str(error or ""),
        int(record.get("begin_ns") or 0),
        int(record.get("end_ns") or 0),
        shared,
        str(baseline),
        int(record.get("period_ns") or round((period or 0) * 1e9)),
        float(record["duty"]) if record.get("duty") is not None else 0.5,
        int(record.get("phase_ns") or round((record.get("phase_s") or 0) * 1e9)),
        record.get("stop") == "partner" or bool(record.get("until_stopped")),
        bool(record.get("split")),
    )


def further_axes(runs: Sequence[StudyRun]) -> tuple[str, ...]:
    """Return the further axes that distinguish runs with equal programs and settings.

    Axes that depend on these (as the number of nodes depends on that of processes) are left out,
    since they would split matrices and curves.
    """
    names = dict.fromkeys(name for run in runs for name in run.cell if name not in _OWN_AXES)
    return tuple(name for name in names if _distinguishes(name, runs))


def _distinguishes(name: str, runs: Sequence[StudyRun]) -> bool:
    values: dict[object, str] = {}
    for run in runs:
        alike = tuple(
            (
                run_program.name,
                run_program.processes,
                run_program.chunk,
                run_program.shared,
                run_program.period_ns,
            )
            for run_program in run.programs
        )
        if values.setdefault(alike, repr(run.cell.get(name))) != repr(run.cell.get(name)):
            return True
    return False


def setting_of(run: StudyRun, probe: int, axes: Sequence[str]) -> Setting:
    """Return the setting of a run from the side of one of its programs.

    Args:
        run: The run.
        probe: Index of the program that is the probe, 0 or 1.
        axes: Names of further axes (further_axes).
    """
    own = run.programs[probe]
    other = run.programs[1 - probe] if len(run.programs) > 1 else None
    more = [(name, _shown(run.cell.get(name), probe)) for name in axes]
    if other is not None and other.chunk not in (None, own.chunk) and own.chunk is not None:
        more.append(("signal chunk", size_label(int(other.chunk or 0))))
    chunk = own.chunk if own.chunk is not None else _cell_chunk(run, other)
    return Setting(
        chunk,
        (own.processes, other.processes if other else 0),
        own.shared or bool(other and other.shared),
        bool(other and other.period_ns),
        tuple(sorted((name, value) for name, value in more if value)),
    )


def _cell_chunk(run: StudyRun, other: RunProgram | None) -> int | None:
    """Return the chunk size of a program that sets none: the study's, or its partner's."""
    chunk = run.cell.get("chunk")
    if isinstance(chunk, list):
        chunk = next((size for size in chunk if size is not None), None)
    if chunk is None and other is not None:
        chunk = other.chunk
    return None if chunk is None else int(chunk)


def _shown(value: Any, probe: int) -> str:
    """Format the value of an axis; a pair of values with the probe's first."""
    if isinstance(value, list) and len(value) == 2:
        own, other = value[probe], value[1 - probe]
        return str(own) if own == other else f"{own} against {other}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
