"""Reads the loads of jobs on GPUs, and the known GPUs."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from jostle.reader import GPU_VALUES
from jostle.repository.query.engine import Engine, total
from jostle.repository.query.lifetimes import lived
from jostle.repository.query.resources.around_gpus import adapter_loads
from jostle.repository.store.layout import TABLES

#: Columns of own_gpus and gpu_loads in addition to their keys: sums over the processes of a slice.
GPU_SUMS = tuple(f"{name}_sum" for name in GPU_VALUES)
#: An empty table of loads of GPUs.
NO_GPUS = pa.table(
    {
        **{name: pa.array([], pa.string()) for name in ("job", "host", "gpu", "pci_path")},
        **{
            name: pa.array([], pa.int64())
            for name in ("numa", "slice", "slice_ns", "start_ns", "length_ns", "count", *GPU_SUMS)
        },
    }
)
_SPAN = "(slice + 1) * slice_ns > $2 AND slice * slice_ns < $3"


class Gpus:
    """Queries on GPUs and the load of jobs on them (`Repository.gpus`)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def named(self, job: str | None = None) -> pa.Table:
        """Return the GPUs that jobs used, one row per job, host and GPU.

        Args:
            job: Name of the only job; None: all jobs.

        Returns:
            The columns of table gpus, by job, host and gpu.
        """
        return self._engine.ask(
            lambda: (
                f"SELECT * FROM ({self._engine.source('gpus')}) WHERE $1 IS NULL OR job = $1 "
                "ORDER BY job, host, gpu, name"
            ),
            [job],
        )

    def slices(self, job: str, metrics: Sequence[str] = GPU_VALUES) -> pa.Table:
        """Return the load of each process of a job on each GPU, per slice.

        Args:
            job: Name of the job.
            metrics: Ids of metrics of GPU_VALUES.

        Returns:
            The keys of table gpu_slices and the metrics, by time, process and gpu.
        """
        window = self._engine.window(job)
        columns = ", ".join([*TABLES["gpu_slices"].keys, *metrics])
        return self._engine.ask(
            lambda: (
                f"SELECT {columns} FROM ({self._engine.source('gpu_slices', *window)}) "
                "WHERE job = $1 ORDER BY slice * slice_ns, process, gpu"
            ),
            [job],
        )

    def totals(self, job: str) -> pa.Table:
        """Return the total load of a job on each GPU.

        Args:
            job: Name of the job.

        Returns:
            Columns host, gpu, name, memory_bytes and GPU_VALUES, by host and gpu.
        """
        window = self._engine.window(job)
        sums = ", ".join(f"{total(f'{name}_sum')} AS {name}" for name in GPU_VALUES)

        def question() -> str:
            sources = (self._engine.stored("gpu_rollup", *window), self._engine.stored("gpus"))
            return (
                f"SELECT host, gpu, coalesce(name, '') AS name, coalesce(memory_bytes, 0) AS "
                f"memory_bytes, {', '.join(GPU_VALUES)} FROM "
                f"(SELECT host, gpu, {sums} FROM {sources[0]} WHERE job = $1 GROUP BY host, gpu) "
                "LEFT JOIN (SELECT host, gpu, max(name) AS name, max(memory_bytes) AS memory_bytes "
                f"FROM {sources[1]} WHERE job = $1 GROUP BY host, gpu) USING (host, gpu) "
                "ORDER BY host, gpu"
            )

        return self._engine.ask(question, [job])

    def tables(self, job: str) -> dict[str, pa.Table]:
        """Return the fields of JobTables about GPUs; only `gpus` if the job used no GPU."""
        gpus = self.totals(job)
        if not gpus.num_rows:
            return {"gpus": gpus}
        hosts = set(gpus.column("host").to_pylist())
        far = hosts if len(hosts) > 1 else ()  # messages within a node need no adapter
        return {
            "gpus": gpus,
            "process_gpus": self.of_processes(job),
            "node_gpus": self.of_nodes(job),
            "node_adapters": adapter_loads(self._engine, far, self._engine.window(job)),
        }

    def of_processes(self, job: str) -> pa.Table:
        """Return the load of each process of a job on each GPU, over its life.

        Args:
            job: Name of the job.

        Returns:
            Columns process, host, gpu, numa (-1: unknown) and GPU_VALUES, by process and gpu.
        """
        window = self._engine.window(job)
        sums = ", ".join(f"{total(name)} AS {name}" for name in GPU_VALUES)

        def question() -> str:
            rows, named = self._engine.stored("gpu_slices", *window), self._engine.stored("gpus")
            return (
                f"SELECT process, host, gpu, coalesce(numa, -1) AS numa, {', '.join(GPU_VALUES)} "
                f"FROM (SELECT process, host, gpu, {sums} FROM {rows} WHERE job = $1 "
                "GROUP BY process, host, gpu) LEFT JOIN "
                f"(SELECT host, gpu, max(numa) AS numa FROM {named} WHERE job = $1 "
                "GROUP BY host, gpu) USING (host, gpu) ORDER BY process, gpu"
            )

        return self._engine.ask(question, [job])

    def of_nodes(self, job: str) -> pa.Table:
        """Return all known GPUs on the nodes where a job used one.

        Args:
            job: Name of the job.

        Returns:
            Columns host, gpu, pci and uuid ("": unknown), used (whether any job's profile shows
            work on the GPU while this job ran), busy_ns (the GPU's busy time while this job ran,
            from the node's agent; null: unknown), by host and gpu.
        """
        window = self._engine.window(job)
        work = " + ".join(
            f"coalesce({name}_sum, 0)::HUGEINT" for name in GPU_VALUES if name.endswith("_ops")
        )

        def question() -> str:
            rollup = self._engine.stored("gpu_rollup", *window)
            seen = (
                "SELECT host, name AS gpu, sum(CASE WHEN list_contains(string_split("
                "coalesce(unknown, ''), ' '), 'device_busy_ns') THEN NULL "
                "ELSE coalesce(device_busy_ns, 0) END)::BIGINT AS busy_ns "
                f"FROM ({self._engine.source('component_slices', *window)}) WHERE kind = 'gpu' "
                f"AND {_SPAN.replace('slice + 1', 'slice + span')} GROUP BY host, name"
            )
            named = f"SELECT host, gpu, pci, uuid FROM {self._engine.stored('gpus')}"
            used = (
                f"SELECT host, gpu, {total(work)} > 0 AS used FROM {rollup} WHERE {_SPAN} "
                "GROUP BY host, gpu"
            )
            return (
                "SELECT host, gpu, max(pci) AS pci, max(uuid) AS uuid, "
                "coalesce(bool_or(used), false) AS used, max(busy_ns) AS busy_ns FROM "
                f"({named} UNION ALL SELECT host, gpu, '' AS pci, '' AS uuid FROM ({seen})) "
                f"LEFT JOIN ({used}) USING (host, gpu) LEFT JOIN ({seen}) USING (host, gpu) "
                f"WHERE host IN (SELECT host FROM {self._engine.stored('gpus')} WHERE job = $1) "
                "GROUP BY host, gpu ORDER BY host, gpu"
            )

        return self._engine.ask(question, [job, *window])

    def series(self, job: str, metrics: Sequence[str]) -> pa.Table:
        """Return the load of a job on each GPU per slice, summed over its processes.

        Args:
            job: Name of the job.
            metrics: Metrics of GPU_VALUES.

        Returns:
            Columns host, gpu, slice, slice_ns, the metrics (sums), start_ns and length_ns (the part
            of the slice in which the job ran), by host, gpu and time.
        """
        window = self._engine.window(job)
        sums = ", ".join(f"{total(f'{name}_sum')} AS {name}" for name in dict.fromkeys(metrics))
        rows = self._engine.ask(
            lambda: (
                f"SELECT job, host, gpu, slice, slice_ns, {sums} "
                f"FROM {self._engine.stored('gpu_rollup', *window)} WHERE job = $1 "
                "GROUP BY job, host, gpu, slice, slice_ns ORDER BY host, gpu, slice * slice_ns"
            ),
            [job],
        )
        return lived(rows, self._engine.lives).drop_columns("job")


def gpu_loads(
    engine: Engine, job: str, wide: list[int], window: list[int], nodes: Sequence[str]
) -> tuple[pa.Table, pa.Table]:
    """Return the slices of a job on its GPUs, and those of others on all GPUs of its hosts.

    All GPUs are included, since traffic to another GPU may use the same bus.

    Args:
        engine: The query engine.
        job: Name of the job.
        wide: Span of the job's own slices, in ns.
        window: Span of the slices of other jobs, in ns.
        nodes: Further hosts on which loads of others are read, since the job sends messages from
            there.

    Returns:
        Two tables with columns job, host, gpu, pci_path ("" unknown), numa (-1 unknown), slice,
        slice_ns, count, GPU_SUMS.
    """
    sums = ", ".join(f"{total(name)} AS {name}" for name in ("count", *GPU_SUMS))

    def question(where: str) -> str:
        named = (
            "SELECT host, gpu, max(pci_path) AS pci_path, max(numa) AS numa "
            f"FROM {engine.stored('gpus')} GROUP BY host, gpu"
        )
        rows = (
            f"SELECT job, host, gpu, slice, slice_ns, {sums} "
            f"FROM {engine.stored('gpu_rollup', *wide)} "
            f"WHERE {where} AND {_SPAN} GROUP BY job, host, gpu, slice, slice_ns"
        )
        return (
            "SELECT job, host, gpu, coalesce(pci_path, '') AS pci_path, "
            "coalesce(numa, -1) AS numa, "
            f"slice, slice_ns, count, {', '.join(GPU_SUMS)} "
            f"FROM ({rows}) LEFT JOIN ({named}) USING (host, gpu) "
            "ORDER BY host, gpu, job, slice * slice_ns"
        )

    own = engine.ask(lambda: question("job = $1"), [job, *wide])
    hosts = sorted({*own.column("host").to_pylist(), *nodes})
    if not hosts:
        return own, own
    others = engine.ask(
        lambda: question("job <> $1 AND list_contains($4, host)"), [job, *window, hosts]
    )
    return own, others
