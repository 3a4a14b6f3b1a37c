"""Activity of a job on each of its GPUs over time, as `timeline --per gpu` shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.errors import UsageError
from jostle.report.models.metrics import View

if TYPE_CHECKING:
    import pyarrow as pa

    from jostle.report.models.steps import Steps
    from jostle.repository import Repository

#: Most GPUs of a job: those with the most activity.
_MOST = 12


@dataclass(frozen=True)
class GpuSteps:
    """One GPU of a job over time.

    Attributes:
        host: Host of the GPU.
        gpu: Name of the GPU on the host.
        name: Model name; "" unknown.
        lines: Time series of each line of the view.
    """

    host: str
    gpu: str
    name: str
    lines: list[Steps]

    @property
    def title(self) -> str:
        """Title of the GPU's chart: `node1 · GPU 0000:3b:00.0`."""
        return f"{self.host} · GPU {self.gpu}"

    def to_json(self, view: View) -> dict[str, Any]:
        """Return the steps as JSON-compatible values."""
        from jostle.report.models.steps import steps_json

        series = [steps_json(*both) for both in zip(view.lines, self.lines, strict=True)]
        return {"host": self.host, "gpu": self.gpu, "name": self.name, "series": series}


def check_per_gpu(metrics: Iterable[str]) -> None:
    """Refuse metrics that are not counted per GPU.

    Raises:
        UsageError: A metric is not counted per GPU.
    """
    from jostle.reader import GPU_VALUES

    other = next((name for name in metrics if name not in GPU_VALUES), None)
    if other is not None:
        raise UsageError(
            f"`{other}` is not counted per GPU.",
            hint="Use --metric gpu_h2d_bytes, gpu_d2h_bytes, gpu_busy_ns or another GPU metric of "
            "docs/reference/metrics.md.",
        )


def gpu_steps(store: Repository, job: dict[str, Any], view: View) -> list[GpuSteps]:
    """Return the activity of a job on its twelve busiest GPUs, sorted by host and name.

    Args:
        store: The repository.
        job: The job's row in the list of jobs.
        view: A view of metrics of GPUs.
    """
    import pyarrow.compute as pc

    from jostle.report.models.steps import JobSpan, lines_of

    rows = store.gpus.series(job["job"], [name for line in view.lines for name in line.metrics])
    models = {
        (row["host"], row["gpu"]): row["name"] for row in store.gpus.named(job["job"]).to_pylist()
    }
    places = zip(rows["host"].to_pylist(), rows["gpu"].to_pylist(), strict=True)
    every = []
    for host, gpu in sorted(set(places)):
        mine = rows.filter(pc.and_(pc.equal(rows["host"], host), pc.equal(rows["gpu"], gpu)))

        def fetch(metric: str, mine: pa.Table = mine) -> pa.Table:
            return mine.select(["start_ns", "length_ns", metric]).rename_columns(
                ["start_ns", "length_ns", "sum"]
            )

        lines = lines_of(view, JobSpan.of(job), fetch)
        every.append(GpuSteps(host, gpu, models.get((host, gpu), ""), lines))
    most = sorted(every, key=lambda each: -sum(float(line.values.sum()) for line in each.lines))
    kept = most[:_MOST]
    return [each for each in every if each in kept]
