"""Activity of a node's GPUs over time, from its agent, for the terminal, the API and web pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.report.models.machines.machine_steps import last_day
from jostle.schema.metrics import COMPONENTS_BY_ID

if TYPE_CHECKING:
    import pyarrow as pa

    from jostle.repository import Repository

Floats = NDArray[np.float64]
#: A slice counts as slowed if power or heat lowered the clock for this share of it.
_SLOWED = 0.01
#: A GPU counts as active in a slice if it computed for this share of it.
_WORKS = 0.25
#: Most steps of a full request, about a day of a node; a longer time has coarser steps.
_MOST_STEPS = 200_000


@dataclass(frozen=True)
class GpuView:
    """A view of a GPU's activity: the metrics that it shows, and their unit.

    Attributes:
        name: Name of the view.
        title: Title for users.
        unit: Unit of the values: %, bytes, MHz, W, bytes/s, or errors (per step).
        lines: Label and metrics of each line; the metrics are added up.
        scale: Factor that converts the metrics to `unit`. Counters of errors are taken per step,
            levels (gauges) as they are, and all other metrics per second.
    """

    name: str
    title: str
    unit: str
    lines: tuple[tuple[str, tuple[str, ...]], ...]
    scale: float = 1.0


VIEWS = (
    GpuView("computing", "Computing", "%", (("computing", ("device_busy_ns",)),), 1e-7),
    GpuView("memory", "Memory", "bytes", (("used", ("memory_used_bytes",)),)),
    GpuView("clock", "Clock", "MHz", (("clock", ("device_clock_khz",)),), 1e-3),
    GpuView("power", "Power", "W", (("power", ("power_energy_uj",)),), 1e-6),
    GpuView(
        "pcie",
        "PCIe",
        "bytes/s",
        (("to it", ("link_receive_bytes",)), ("from it", ("link_send_bytes",))),
    ),
    GpuView(
        "nvlink",
        "NVLink",
        "bytes/s",
        (("to it", ("device_peer_receive_bytes",)), ("from it", ("device_peer_send_bytes",))),
    ),
    GpuView(
        "errors",
        "Errors",
        "errors",
        (("errors", ("device_error_ops",)), ("repeated packets", ("link_error_ops",))),
    ),
)
_SHOWN = [name for view in VIEWS for _, names in view.lines for name in names]
_ALONGSIDE = ["device_throttle_ns", "power_limit_uw", "power_temperature_mc", "memory_limit_bytes"]


@dataclass(frozen=True)
class Slowed:
    """A span of time in which power or heat lowered a GPU's clock.

    Attributes:
        start_ns: Start of the span, ns since the epoch.
        end_ns: End of the span, ns since the epoch.
        share: Share of the time of the slowed slices in which the clock was lowered, 0 to 1.
        watts: Mean power in these slices, W.
        limit_watts: Power limit, W; 0: unknown.
        celsius: Highest temperature, °C; 0: unknown.
    """

    start_ns: int
    end_ns: int
    share: float
    watts: float
    limit_watts: float
    celsius: float


@dataclass(frozen=True)
class NodeGpu:
    """One GPU of a node over time.

    Attributes:
        host: Name of the node.
        gpu: Name of the GPU on the node.
        path: Folder of the GPU below /sys/devices; "": unknown.
        memory_bytes: Size of the GPU's memory; 0: unknown.
        start_ns: Start of the first step, ns since the epoch.
        step_ns: Length of each step, in ns.
        values: Values by name of the view, (lines, steps); NaN where the node's agent recorded
            none. Views without any value are missing.
        slowed: Spans of time in which power or heat lowered the GPU's clock.
    """

    host: str
    gpu: str
    path: str
    memory_bytes: int
    start_ns: int
    step_ns: int
    values: dict[str, Floats]
    slowed: list[Slowed]

    @property
    def edges(self) -> NDArray[np.int64]:
        """Borders of the steps, ns since the epoch; one more than there are values."""
        steps = max((rows.shape[1] for rows in self.values.values()), default=0)
        return self.start_ns + np.arange(steps + 1, dtype=np.int64) * self.step_ns

    def to_json(self) -> dict[str, Any]:
        """Return the steps as JSON-compatible values."""
        from jostle.report.format.nodes import slowed_words

        return {
            "host": self.host,
            "gpu": self.gpu,
            "path": self.path,
            "memory_bytes": self.memory_bytes,
            "start_ns": self.start_ns,
            "step_ns": self.step_ns,
            "views": [
                {
                    "name": view.name,
                    "title": view.title,
                    "unit": view.unit,
                    "lines": [
                        {
                            "name": label,
                            "values": [
                                None if np.isnan(each) else float(f"{each:.4g}")
                                for each in row.tolist()
                            ],
                        }
                        for (label, _), row in zip(view.lines, self.values[view.name], strict=True)
                    ],
                }
                for view in VIEWS
                if view.name in self.values
            ],
            "slowed": [
                {
                    "start_ns": each.start_ns,
                    "end_ns": each.end_ns,
                    "share": each.share,
                    "words": slowed_words(each),
                }
                for each in self.slowed
            ],
        }


def node_gpus(
    store: Repository, host: str, span: tuple[int, int] | None = None, points: int | None = None
) -> list[NodeGpu]:
    """Return the activity of a node's GPUs, by name; none if its agent found no GPU.

    Args:
        store: The repository.
        host: The node.
        span: Start and end, ns since the epoch; None: the last day of its slices.
        points: Largest number of steps; None: one for each slice.

    Raises:
        UsageError: No agent ran on such a machine.
    """
    begin, end = span or last_day(store, host)
    rows = store.query(
        f"SELECT name, mount, slice, slice_ns, span, {', '.join([*_SHOWN, *_ALONGSIDE])} "
        "FROM component_slices WHERE host = $1 AND kind = 'gpu' "
        "AND (slice + span) * slice_ns > $2 AND slice * slice_ns < $3 "
        "ORDER BY name, slice * slice_ns",
        [host, begin, end],
    )
    if not len(rows):
        return []
    import pyarrow.compute as pc

    axis = _axis(rows, min(points or _MOST_STEPS, _MOST_STEPS))
    names = sorted(set(rows["name"].to_pylist()))
    return [_gpu(host, rows.filter(pc.equal(rows["name"], name)), axis) for name in names]


def _times(rows: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and length of some slices, in ns."""
    from jostle.values.arrow_columns import ints

    length = ints(rows, "slice_ns")
    return ints(rows, "slice") * length, ints(rows, "span") * length


def _axis(rows: pa.Table, most: int) -> tuple[int, int, int]:
    """Return start of the first step and length of a step, ns, and the number of steps."""
    from jostle.values.arrow_columns import ints

    start, lasts = _times(rows)
    step, begin, stop = int(ints(rows, "slice_ns").min()), int(start.min()), (start + lasts).max()
    step *= max(1, -(-(int(stop) - begin) // (step * most)))
    first = begin // step
    return first * step, step, -(-int(stop) // step) - first


def _gpu(host: str, rows: pa.Table, axis: tuple[int, int, int]) -> NodeGpu:
    from jostle.analysis import resample
    from jostle.values.arrow_columns import ints

    start, lasts = _times(rows)
    step = axis[1]
    known = resample(start, lasts, lasts, axis) > 0

    def of(name: str) -> Floats:
        level = COMPONENTS_BY_ID[name].kind == "gauge"
        values = resample(start, lasts, ints(rows, name), axis, level=level)
        rate = 1.0 if level or name.endswith("_ops") else 1e9 / step
        return np.where(known, values * rate, np.nan)

    values = {}
    for view in VIEWS:
        lines = np.stack(
            [view.scale * np.sum([of(name) for name in names], axis=0) for _, names in view.lines]
        )
        if np.nansum(lines) > 0:
            values[view.name] = lines
    memory = int(ints(rows, "memory_limit_bytes").max())
    return NodeGpu(
        host,
        rows["name"][0].as_py(),
        rows["mount"][0].as_py(),
        memory,
        axis[0],
        step,
        values,
        _slowed(rows, start, lasts),
    )


def _slowed(rows: pa.Table, start: NDArray[np.int64], lasts: NDArray[np.int64]) -> list[Slowed]:
    """Join slices in which power or heat lowered the clock into spans.

    A span ends at a slice in which the GPU worked with a full clock, but not at an idle slice.
    """
    from jostle.values.arrow_columns import ints

    throttled = ints(rows, "device_throttle_ns")
    slowed = throttled >= _SLOWED * lasts
    if not slowed.any():
        return []
    worked_well = ~slowed & (ints(rows, "device_busy_ns") >= _WORKS * lasts)
    slow = np.flatnonzero(slowed)
    parts = np.split(slow, np.flatnonzero(np.diff(np.cumsum(worked_well)[slow])) + 1)
    energy, limit = ints(rows, "power_energy_uj"), ints(rows, "power_limit_uw")
    heat = ints(rows, "power_temperature_mc")
    every = []
    for part in parts:
        whole = int(lasts[part].sum())
        every.append(
            Slowed(
                int(start[part[0]]),
                int((start + lasts)[part[-1]]),
                min(float(throttled[part].sum() / whole), 1.0),
                float(energy[part].sum() / whole * 1e3),
                float(limit[part].max() / 1e6),
                float(heat[part].max() / 1e3),
            )
        )
    return every
