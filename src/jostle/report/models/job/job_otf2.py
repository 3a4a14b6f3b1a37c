"""Writes a job as a trace in the format OTF2: slices as metrics, spans of lost time as regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.errors import JostleError
from jostle.report.models.job.job_trace import lanes_of
from jostle.report.models.metrics import View, view
from jostle.values.arrow_columns import floats

if TYPE_CHECKING:
    import pyarrow as pa

    from jostle.analysis.estimation.model import Hit, RunEstimate
    from jostle.repository import Repository

#: Views that become metrics: bytes of all mounts together, and CPU time.
_VIEWS = ("bytes", "cpu")
#: Timestamps are ns since the Unix epoch.
_RESOLUTION = 1_000_000_000


class NoOtf2Error(JostleError):
    """The Python package `otf2`, which writes the archives, is not installed."""

    exit_code = 2


@dataclass(frozen=True)
class _Samples:
    """Rates of one process over time, for one view.

    Attributes:
        begin: Start of each row of slices, ns, [rows].
        end: End of each row of slices, ns, [rows].
        rates: Rate of each line of the view per second (CPU time: cores), [rows, lines].
    """

    begin: np.ndarray[Any, Any]
    end: np.ndarray[Any, Any]
    rates: np.ndarray[Any, Any]


def write_otf2(store: Repository, job: str, estimate: RunEstimate | None, folder: Path) -> int:
    """Write a job as an OTF2 archive: `folder`/traces.otf2 and its further files.

    Args:
        store: The repository.
        job: The job's full name.
        estimate: Estimate of the job's loss; None where there is none.
        folder: Folder to create; it must not exist yet.

    Returns:
        The number of events.

    Raises:
        NoOtf2Error: The package `otf2` is not installed.
    """
    try:
        import otf2
    except ImportError as error:
        raise NoOtf2Error(
            "OTF2 traces need the Python package otf2, which is not installed.",
            hint="pip install 'jostle[otf2]'",
        ) from error
    with otf2.writer.open(str(folder), timer_resolution=_RESOLUTION) as trace:
        writer = _TraceWriter(otf2, trace, job)
        writer.processes(store, job)
        if estimate is not None:
            writer.losses(estimate.hits)
        writer.finish()
    return writer.events


class _TraceWriter:
    """Writer of the definitions and events of a trace.

    Attributes:
        events: Number of events written so far.
    """

    def __init__(self, otf2: Any, trace: Any, job: str) -> None:
        self.events = 0
        self._otf2, self._trace = otf2, trace
        self._defined = trace.definitions
        self._root = self._defined.system_tree_node(f"jostle: {job}", class_name="job")
        self._first_ns: int | None = None

    def processes(self, store: Repository, job: str) -> None:
        """Write each process: its run time as a region, and its slices as metrics."""
        rows = store.job_processes(job).to_pylist()
        hosts = {
            host: self._defined.system_tree_node(host, class_name="node", parent=self._root)
            for host in sorted({row["host"] for row in rows})
        }
        known = [(one, self._metric(one)) for one in map(view, _VIEWS)]
        samples = [(metric, _samples(store, job, one)) for one, metric in known]
        for row in rows:
            name = f"{row['program'] or '?'} {row['pid']}"
            if row["world_size"]:
                name = f"rank {row['world_rank']}: {name}"
            end = row["end_ns"] or (row["last_slice"] + 1) * row["slice_ns"]
            number = row["process"]
            own = [(metric, found[number]) for metric, found in samples if number in found]
            self._process(name, hosts[row["host"]], (row["start_ns"], end), own)

    def _process(
        self, name: str, node: Any, life: tuple[int, int], own: list[tuple[Any, _Samples]]
    ) -> None:
        group = self._defined.location_group(name, system_tree_parent=node)
        events = self._trace.event_writer(name, group=group)
        region = self._defined.region(
            name.partition(": ")[2] or name, region_role=self._otf2.RegionRole.FUNCTION
        )
        changes = sorted(
            (change for metric, samples in own for change in _changes(metric, samples, life)),
            key=lambda change: change[0],
        )
        begin = min([life[0], *(at for at, *_ in changes[:1])])
        end = max([life[1], *(at for at, *_ in changes[-1:])])
        self._count(begin)
        events.enter(begin, region)
        for at, metric, values in changes:
            self._count(at)
            events.metric(at, metric, values)
        self._count(end)
        events.leave(end, region)

    def _metric(self, shown: View) -> Any:
        """Define the metrics of a view; a value applies to the time since the previous event."""
        unit = {"bytes": "bytes/s", "ns": "cores"}[shown.unit]
        members = [
            self._defined.metric_member(
                line.label if shown.unit == "bytes" else f"{line.label} CPU",
                metric_type=self._otf2.MetricType.OTHER,
                metric_mode=self._otf2.MetricMode.ABSOLUTE_LAST,
                value_type=self._otf2.Type.DOUBLE,
                unit=unit,
            )
            for line in shown.lines
        ]
        return self._defined.metric_class(members)

    def losses(self, hits: list[Hit]) -> None:
        """Write the spans in which time was lost; each cause and resource has its own location."""
        places: dict[str, list[tuple[Hit, float]]] = {}
        for hit in hits:
            for part in hit.by_cause:
                name = f"{part.cause} {part.resource}".strip()
                places.setdefault(name, []).append((hit, part.seconds))
        lost = self._defined.attribute(
            "lost_s", description="seconds of run time lost", type=self._otf2.Type.DOUBLE
        )
        for name, parts in places.items():
            group = self._defined.location_group(
                f"interference: {name}", system_tree_parent=self._root
            )
            region = self._defined.region(
                f"lost to {name}",
                region_role=self._otf2.RegionRole.ARTIFICIAL,
                paradigm=self._otf2.Paradigm.MEASUREMENT_SYSTEM,
            )
            lanes = lanes_of([hit for hit, _ in parts])
            for lane in range(max(lanes) + 1):
                events = self._trace.event_writer(f"{name} {lane + 1}", group=group)
                for (hit, seconds), at in zip(parts, lanes, strict=True):
                    if at == lane:
                        self._count(hit.start_ns)
                        events.enter(hit.start_ns, region, attributes={lost: seconds})
                        self._count(hit.end_ns)
                        events.leave(hit.end_ns, region)

    def finish(self) -> None:
        """Set the wall-clock time of the first event, in place of the time of writing."""
        if self._first_ns is not None:
            self._trace._realtime_timestamp = self._first_ns / 1e9

    def _count(self, at_ns: int) -> None:
        self.events += 1
        self._first_ns = at_ns if self._first_ns is None else min(self._first_ns, at_ns)


def _changes(
    metric: Any, samples: _Samples, life: tuple[int, int]
) -> Iterator[tuple[int, Any, list[float]]]:
    """Yield the changes of a process's metrics, which are 0 in gaps between rows of slices."""
    last = life[0]
    for begin, end, rates in zip(
        samples.begin.tolist(), samples.end.tolist(), samples.rates.tolist(), strict=True
    ):
        if begin > last:
            yield begin, metric, [0.0] * len(rates)
        yield min(end, max(life[1], begin + 1)), metric, rates
        last = end


def _samples(store: Repository, job: str, shown: View) -> dict[int, _Samples]:
    """Return the rates of each process over time, all its mounts together."""
    metrics = [metric for line in shown.lines for metric in line.metrics]
    ask = store.job_mount_slices if shown.name == "bytes" else store.job_slices
    rows = ask(job, metrics)
    if not rows.num_rows:
        return {}
    amounts = np.stack([_line(rows, line.metrics) for line in shown.lines], axis=1)
    process, length = rows["process"].to_numpy(), rows["slice_ns"].to_numpy()
    begin = rows["slice"].to_numpy() * length
    end = begin + floats(rows, "span").clip(1).astype(np.int64) * length
    keys, place = np.unique(np.stack([process, begin, end], axis=1), axis=0, return_inverse=True)
    sums = np.zeros((len(keys), len(shown.lines)))
    np.add.at(sums, place.ravel(), amounts)
    seconds = ((keys[:, 2] - keys[:, 1]) / 1e9)[:, None]
    rates = sums / seconds / (1e9 if shown.unit == "ns" else 1)
    found = {}
    for number in np.unique(keys[:, 0]).tolist():
        own = keys[:, 0] == number
        found[number] = _Samples(keys[own, 1], keys[own, 2], rates[own])
    return found


def _line(rows: pa.Table, metrics: tuple[str, ...]) -> np.ndarray[Any, Any]:
    return sum((floats(rows, metric) for metric in metrics), np.zeros(rows.num_rows))
