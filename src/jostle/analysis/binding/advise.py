"""Collects the advice of all rules on how to bind a job's processes to cores and GPUs."""

from __future__ import annotations

from collections.abc import Mapping

from jostle.analysis.binding.far_adapters import far_adapters
from jostle.analysis.binding.far_gpus import far_gpus, process_gpus
from jostle.analysis.binding.model import BindingAdvice
from jostle.analysis.binding.processes import bound_processes
from jostle.analysis.binding.same_cores import same_cores
from jostle.analysis.binding.shared_gpus import shared_gpus
from jostle.analysis.processes import Ints, JobProcesses
from jostle.repository.types import JobTables


def binding_advice(
    tables: JobTables, job_processes: JobProcesses, sums: Mapping[str, Ints]
) -> list[BindingAdvice]:
    """Return the advice how to bind a job's processes to cores and GPUs.

    Processes whose binding is not known are left out.

    Args:
        tables: The tables of the job, from Repository.job_tables.
        job_processes: The processes of the job.
        sums: Sum of each metric per process, from process_sums.

    Returns:
        At most one piece of advice of each rule; an empty list where the binding is good.
    """
    processes = bound_processes(job_processes, sums)
    ids = job_processes.ints("process")
    by_id = {int(ids[process.at]): process for process in processes}
    used = process_gpus(tables.process_gpus, tables.gpus, by_id)
    seconds = (job_processes.end - job_processes.start) / 1e9
    every = (
        far_gpus(used, processes),
        shared_gpus(tables.process_gpus, tables.node_gpus, by_id, seconds),
        far_adapters(used, tables.node_adapters),
        same_cores(processes),
    )
    return [advice for advice in every if advice is not None]
