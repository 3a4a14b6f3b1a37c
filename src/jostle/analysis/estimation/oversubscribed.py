"""Estimates the CPU time that other jobs took on nodes with more ranks than cores.

On such nodes most waiting for cores is due to the job itself: four ranks on two cores wait half of
their time even if they have the node to themselves. The CPU time that others took can still be
computed. The ranks leave no core idle, since a rank that waits in MPI polls, or another rank runs
meanwhile. So together they use all CPU time of the node, and any CPU time that they did not get was
taken by other processes or the hypervisor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.estimation.columns import Flags, Floats, Ints
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.starved import NEARLY, cores
from jostle.values.arrow_columns import floats

_QUEUED = 0.05  # of the time: with less waiting there are enough cores
_AWAKE = 0.5  # of the time: processes that run or wait for a core for less leave cores idle
_IDLE = 0.15  # of a core: so much of the last core may be unused
_TOP = 0.95  # quantile of the joint CPU use that counts as undisturbed
_LEAST = 0.02  # of the usual: smaller shares are not counted
_YIELDS = 1e-3  # seconds in MPI per context switch; 7 to 80 us if ranks yield, else 10 ms
_SWITCHES = ("voluntary", "involuntary")
_IN_MPI = ("p2p", "collective", "onesided", "mpiio", "mpi")
_FEWEST = 8  # slices


@dataclass(frozen=True)
class Crowd:
    """The cores of an oversubscribed node and their use by the job.

    Attributes:
        cores: CPU seconds per second that the job's processes get together if undisturbed.
        processes: Number of these processes, without launchers.
        taken_s: Seconds by which other jobs delayed these processes, per row of the node's slices.
    """

    cores: float
    processes: int
    taken_s: Floats

    @property
    def turns(self) -> float:
        """Share of the time for which a process waits since it takes turns with the others."""
        return max(1 - self.cores / self.processes, 0.0)


@dataclass(frozen=True)
class Together:
    """The time in which all ranks were in MPI at once, as they recorded it.

    The runtime computes it in runtime/src/mpi/all_in_mpi.c.

    Attributes:
        begin: Start of each slice, ns, which is the end of the slice before, [slices].
        until: End of each slice, ns, [slices].
        seconds: Seconds of each slice in which all ranks were in MPI, [slices].
    """

    begin: Ints
    until: Ints
    seconds: Floats


def together(slices: pa.Table, start: int, end: int) -> Together | None:
    """Return for how long all ranks were in MPI at once, slice by slice.

    Ranks record this from the first slice on in which they waited for cores; the time before is
    unknown, not 0. It is also unknown in two cases. If the job uses several nodes, each node
    records only its own ranks, and all of them may wait for a rank of another node. If the MPI
    polls without yielding, a waiting rank keeps its core until the end of its turn. Then the rank
    that could continue is in MPI, too, and waits for that core, so that this time shows no delay
    from outside. Ranks that yield switch every few microseconds.

    Args:
        slices: The job's slices by host (repository.types.RunTables).
        start: Time of MPI_Init, in ns.
        end: Time of MPI_Finalize, in ns.

    Returns:
        The recorded time per slice; None if it is unknown.
    """
    recorded = floats(slices, "wait_all_ns_sum") / 1e9
    length = slices.column("slice_ns").to_numpy()
    one_node = len(pc.unique(slices.column("host"))) == 1 and len(np.unique(length)) == 1
    switches = sum(floats(slices, f"os_{kind}_switches_sum").sum() for kind in _SWITCHES)
    in_mpi = sum(floats(slices, f"state_{kind}_ns_sum").sum() / 1e9 for kind in _IN_MPI)
    if not recorded.any() or not one_node or in_mpi > _YIELDS * switches:
        return None
    begin = slices.column("slice").to_numpy() * length
    at = np.arange(begin[recorded > 0].min(), begin.max() + 1, length[0])
    seconds = np.zeros(len(at))
    seen = begin >= at[0]
    np.add.at(seconds, (begin[seen] - at[0]) // length[0], recorded[seen])
    # Time is recorded in the slice in which the wait ends: what exceeds the slice was before it.
    whole = length[0] / 1e9
    for slice_ in range(len(at) - 1, 0, -1):
        over = max(seconds[slice_] - whole, 0.0)
        seconds[slice_] -= over
        seconds[slice_ - 1] += over
    inside = (at < end) & (at + length[0] > start)
    if not inside.any():
        return None
    first, last = at[inside].clip(start, None), (at[inside] + length[0]).clip(None, end)
    return Together(first, last, np.minimum(seconds[inside], (last - first) / 1e9))


def crowd(slices: pa.Table, ranks: int = 0) -> Crowd | None:
    """Find whether the job's processes share cores on a node, and how much CPU time others took.

    Older profiles do not record how many cores the processes may use. Then the largest number of
    cores that they used at once is assumed. This is too small if other jobs kept some cores busy
    during the whole run.

    Args:
        slices: Slices of one node (repository.types.RunTables).
        ranks: Number of the job's ranks on the node; 0 if it is not known. Other processes, such
            as launchers, have records only in slices in which they run.

    Returns:
        The node's cores and the time that others took. None if each process has a core of its own,
        or if there are too few slices to decide.
    """
    count = floats(slices, "count")
    length = floats(slices, "slice_ns") / 1e9
    most = int(np.bincount(count.astype(np.int64)).argmax()) if len(count) else 0
    processes = min(most, ranks) if ranks else most
    full: Flags = (count >= processes) & (length > 0)
    if full.sum() < _FEWEST:
        return None
    used = (floats(slices, "os_user_ns_sum") + floats(slices, "os_system_ns_sum")) / 1e9
    rate = np.divide(used, length, out=np.zeros(len(used)), where=length > 0)
    queued = floats(slices, "os_runqueue_ns_sum") / 1e9 / length.clip(1e-9)
    top = float(np.quantile(rate[full], _TOP))
    recorded = cores(slices)[full]
    may = float(np.median(recorded)) if recorded.all() else 0.0
    enough = np.ceil(top - _IDLE) >= processes if not may else processes <= may + NEARLY
    if enough or usual(queued[full]).centre < _QUEUED * processes:
        return None
    if np.median((rate + queued)[full]) < _AWAKE * processes:
        return None
    had = -usual(-rate[full]).centre
    if top + _IDLE < may:  # they never had all their cores: others used some all the time
        had = may
    # A core for which no process waits is idle, not taken; so are the cores of ranks that sleep,
    # as at their start. A process stopped by a hypervisor did not give up its core voluntarily.
    slept = floats(slices, "os_voluntary_switches_sum") > 0
    awake = np.where(slept, ((rate + queued) / processes).clip(0, 1), 1.0)
    share = np.where(full, np.minimum(had * awake - rate, queued) / had, 0.0)
    taken = np.where(share > _LEAST, share, 0.0)
    return Crowd(had, processes, taken * length)
