"""States the limits of an identification of interference, one sentence each, for users."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from jostle.analysis.identification.resources.sensitivity import UNKNOWN
from jostle.analysis.identification.resources.service_time import QUIET, quiet_slices
from jostle.analysis.identification.resources.shared import SharedResource, nodes
from jostle.analysis.identification.statistics.resource_tests import ResourceTest
from jostle.analysis.identification.statistics.seconds_lost import SuspectLoss
from jostle.repository.query.resources.co_running import CoRunning

_UNSYNCHRONISED = 5
_APART = 0.1  # of a slice: clocks that agree better than this do no harm
_FEW = 40


def clock_slices(alongside: CoRunning) -> int:
    """Return by how many slices an effect may appear before its load, since clocks may differ."""
    return (
        1
        if alongside.job.slice_ns and _apart_ns(alongside) > _APART * alongside.job.slice_ns
        else 0
    )


def _apart_ns(alongside: CoRunning) -> int:
    """Return by how much the clocks of the job and its neighbours may differ, in ns.

    Two clocks may be off by their error bounds in opposite directions. The result is 0 if all jobs
    ran on one node, which has one clock.
    """
    job = alongside.job
    facts = [job, *alongside.others.values()]
    apart = [fact for fact in facts if len({*job.clocks, *fact.clocks}) != 1]
    if not apart:
        return 0
    worst = (job.clock_error_us + max(fact.clock_error_us for fact in apart)) * 1000
    if any(fact.clock_state == _UNSYNCHRONISED for fact in (job, *apart)):
        return max(worst, alongside.job.slice_ns)
    return worst


def limits(
    alongside: CoRunning,
    scored: Sequence[ResourceTest],
    losses: Sequence[SuspectLoss | None],
    run_s: float,
    accounted: Collection[str] = (),
) -> list[str]:
    """Return the limits of an identification, one sentence each.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        scored: The tests of all resources.
        losses: The loss on each of these resources; None: no evidence of a loss.
        run_s: Length of the run, seconds.
        accounted: Nodes on which waiting for cores was attributed by accounting, not by a test.
    """
    said = []
    if not alongside.job.slice_ns or not (
        alongside.own_mounts.num_rows or alongside.own_nodes.num_rows
    ):
        said.append(
            "The job has no slices, because it was too short, or used nothing that is counted."
        )
    apart = _apart_ns(alongside)
    if scored and apart > _APART * alongside.job.slice_ns:
        said.append(
            "Clocks of the nodes are not synchronised well enough: they may be up to "
            f"{apart / 1e6:.0f} ms apart, with slices of {alongside.job.slice_ns / 1e6:.0f} ms; "
            "effects shifted by more than a slice are missed."
        )
    for resource_test, loss in zip(scored, losses, strict=True):
        said += _of_place(resource_test, loss)
    shared = set(alongside.node_loads.column("host").to_pylist())
    if shared - set(nodes(alongside)) - set(accounted):
        said.append(
            "If the job shares several nodes with the same jobs, only the most loaded of these "
            "nodes was evaluated."
        )
    if alongside.job.processes > 1 and alongside.job.ranks <= 1 and any(losses):
        said.append(
            "The seconds are the mean over the job's processes. If processes wait for the slowest "
            "one, the job lost more."
        )
    if not alongside.job.end_ns:
        said.append("The job still runs, so this result may still change.")
    return said


def _of_place(resource_test: ResourceTest, loss: SuspectLoss | None) -> list[str]:
    resource, said = resource_test.resource, []
    if resource.kind == "bus" and loss is not None:
        what = "copies" if _copies(resource) else "messages and collectives"
        said.append(
            f"On {resource.name} the loss is the additional time that {what} took: {what} that "
            "overlap with computation cost the run less."
        )
    if resource.kind == "memory" and loss is not None:
        said += _of_memory(resource)
    if resource.raw_ns > resource.axis[1]:
        said.append(
            f"On {resource.name} the load of others is known only in slices of "
            f"{resource.raw_ns / 1e9:g} s, so their short bursts cannot be seen."
        )
    quiet = int((quiet_slices(resource.others, 0) & resource_test.served.scored).sum())
    if resource_test.slices and quiet < QUIET:
        said.append(
            f"On {resource.name} another job was active nearly all the time ({quiet} quiet "
            f"slices of {resource_test.slices}). So this run does not show what a steady load "
            "cost, and the loss is a lower bound."
        )
    if 0 < resource_test.slices < _FEW:
        said.append(f"On {resource.name} only {resource_test.slices} slices could be evaluated.")
    if loss and resource_test.jointly:
        said.append(
            f"On {resource.name} no single job's load explains the slow slices, but the loads of "
            "all suspects together do. So each suspect's share of the loss is less certain."
        )
    if loss and _rhythm(resource_test):
        said.append(
            f"On {resource.name} the suspect's bursts came in a strict rhythm. If the job slowed "
            "itself at the same instants, the measurements would be the same."
        )
    return said


def _of_memory(resource: SharedResource) -> list[str]:
    """Return why a loss on the memory of a node is uncertain, in sentences."""
    said = []
    if resource.load_source == "cores":
        said.append(
            f"On {resource.name} only the CPU time of neighbours is known, not how much memory "
            "traffic each of them causes, so a suspect there is less certain."
        )
    if resource.bound == UNKNOWN:
        said.append(
            f"On {resource.name} it is not known for how much of its time the job waits for "
            "memory (no counters, and no steady pace). So it is assumed to wait all the "
            "time, and the interval begins at 0."
        )
    return said


def _copies(resource: SharedResource) -> bool:
    """Return whether GPU copies take most of the time that the job spends on a resource."""
    seconds = {series.name: float(series.seconds.sum()) for series in resource.calls}
    return max(seconds, key=lambda name: seconds[name]).startswith("copies")


def _rhythm(resource_test: ResourceTest) -> bool:
    """Return whether a suspect's load is so periodic that shifting it makes no difference."""
    for name in resource_test.suspects:
        load = resource_test.resource.loads[name]
        free = load - load.mean()
        size = len(free)
        same = np.fft.irfft(np.abs(np.fft.rfft(free)) ** 2, size)[: size // 2]
        if len(same) < 8 or same[0] <= 0:
            continue
        same = same / same[0]
        below = np.flatnonzero(same < 0)
        if len(below) and float(same[int(below[0]) :].max()) > 0.8:
            return True
    return False
