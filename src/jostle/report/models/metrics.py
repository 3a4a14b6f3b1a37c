"""The views that `--metric` can select: a metric of the schema, or a group of metrics."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from jostle.errors import UsageError
from jostle.schema.metrics import BY_ID, METRICS
from jostle.values.file_metrics import file_metrics
from jostle.values.mpi_metrics import SENT


@dataclass(frozen=True)
class ViewLine:
    """One line of a view: the sum of some metrics under one label.

    Attributes:
        label: Label of the line.
        metrics: Ids of the metrics that are added up.
        again: Whether earlier lines of the view already contain the time of this line, so that it
            must not be added to their sum.
    """

    label: str
    metrics: tuple[str, ...]
    again: bool = False


@dataclass(frozen=True)
class View:
    """The content of a timeline: its lines, their unit and their heading.

    Attributes:
        name: Value of --metric.
        title: Heading of the chart.
        unit: Unit of the values: bytes, ops, ns or threads.
        level: Whether the values are levels (gauges).
        lines: Lines of each panel.
    """

    name: str
    title: str
    unit: str
    level: bool
    lines: tuple[ViewLine, ...]

    @property
    def rate_unit(self) -> str:
        """Unit of a chart's values: the view's unit per second; for levels, the unit itself."""
        if self.level:
            return self.unit
        return {"bytes": "bytes/s", "ns": "s/s"}.get(self.unit, f"{self.unit}/s")

    @property
    def scope(self) -> str:
        """Scope of the view's metrics: mount or process."""
        return BY_ID[self.lines[0].metrics[0]].scope

    @property
    def sums(self) -> list[list[str]]:
        """Groups of metrics: the view as one number is the largest of the groups' sums."""
        parts = [
            [name for line in self.lines if line.again is again for name in line.metrics]
            for again in (False, True)
        ]
        return [part for part in parts if part]


#: Time of threads in calls of MPI and gloo; calls of NCCL only enqueue.
CALLS = ("state_p2p_ns", "state_collective_ns", "state_onesided_ns", "state_mpi_ns")
_CCL = ("one_to_all", "all_to_one", "all_to_all")
#: Time of operations of collective libraries, from begin to completion.
CCL_TIMES = tuple(f"ccl_{name}_ns" for name in (*_CCL, "barrier", "send", "recv"))
_COLLECTIVE_BYTES = tuple(
    f"mpi_{name}_bytes"
    for shape in ("one_to_all", "all_to_one", "all_to_all", "scan", "neighbor")
    for name in (shape, f"i{shape}")
) + tuple(f"ccl_{name}_bytes" for name in _CCL)
VIEWS = (
    View(
        "bytes",
        "Bytes written and read",
        "bytes",
        False,
        (
            ViewLine("written", file_metrics("write_bytes")),
            ViewLine("read", file_metrics("read_bytes")),
        ),
    ),
    View(
        "ops",
        "Write and read calls",
        "ops",
        False,
        (
            ViewLine("writes", file_metrics("write_ops")),
            ViewLine("reads", file_metrics("read_ops")),
        ),
    ),
    View(
        "time",
        "Time in write and read calls",
        "ns",
        False,
        (
            ViewLine("writing", file_metrics("write_ns")),
            ViewLine("reading", file_metrics("read_ns")),
        ),
    ),
    View(
        "cpu",
        "CPU time",
        "ns",
        False,
        (ViewLine("user", ("os_user_ns",)), ViewLine("system", ("os_system_ns",))),
    ),
    View(
        "communication",
        "Time in communication, and in files",
        "ns",
        False,
        (
            ViewLine("communication", CALLS),
            ViewLine("files", ("state_io_ns", "state_mpiio_ns")),
            ViewLine("collective library", CCL_TIMES, again=True),
        ),
    ),
    View(
        "collectives",
        "Time in collectives and in point-to-point calls",
        "ns",
        False,
        (
            ViewLine("collectives", ("state_collective_ns",)),
            ViewLine("point-to-point", ("state_p2p_ns",)),
            ViewLine("collective library", CCL_TIMES, again=True),
        ),
    ),
    View(
        "messages",
        "Bytes sent point to point and put into collectives",
        "bytes",
        False,
        (
            ViewLine("point-to-point", (*SENT, "ccl_send_bytes")),
            ViewLine("collectives", _COLLECTIVE_BYTES),
        ),
    ),
    View(
        "gpu",
        "Bytes copied to GPUs and back",
        "bytes",
        False,
        (ViewLine("to GPUs", ("gpu_h2d_bytes",)), ViewLine("back", ("gpu_d2h_bytes",))),
    ),
    View(
        "wait",
        "Time waited in communication beyond the usual, and off the CPU",
        "ns",
        False,
        (ViewLine("communication", ("wait_mpi_ns",)), ViewLine("off the CPU", ("wait_offcpu_ns",))),
    ),
)
_PAIRS = {view.name: view for view in VIEWS}
DEFAULT = "bytes"


def names() -> list[str]:
    """Return all names that --metric accepts."""
    return [*_PAIRS, *(metric.id for metric in METRICS if metric.kind != "histogram")]


def view(name: str) -> View:
    """Return the view with a name.

    Raises:
        UsageError: No view has this name; the hint lists similar names.
    """
    if name in _PAIRS:
        return _PAIRS[name]
    if name == "mpi":
        raise UsageError(
            "There is no metric `mpi`.", hint="Use `communication`: the time in MPI, NCCL and gloo."
        )
    metric = BY_ID.get(name)
    if metric is None:
        close = difflib.get_close_matches(name, names(), n=3, cutoff=0.5)
        close += [other for other in names() if name in other and other not in close][
            : 3 - len(close)
        ]
        near = "Did you mean `" + "`, `".join(close) + "`?\n" if close else ""
        raise UsageError(
            f"There is no metric `{name}`.",
            hint=f"{near}Pairs: {', '.join(_PAIRS)}; all metrics: docs/reference/metrics.md.",
        )
    if metric.kind == "histogram":
        raise UsageError(
            f"`{name}` is a histogram and has no line over time.",
            hint="`jostle digest JOB` shows histograms.",
        )
    title = metric.doc.rstrip(".")
    return View(
        name, f"{name}: {title}", metric.unit, metric.kind == "gauge", (ViewLine(name, (name,)),)
    )
