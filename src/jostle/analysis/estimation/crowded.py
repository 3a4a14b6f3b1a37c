"""Handles nodes with more ranks than cores, where most waiting for cores is the job's own.

Four ranks on two cores wait half of their time, with nobody else there. What others took shows all
the same: ranks that crowd a node leave no core idle (who waits in MPI polls, or another runs
meanwhile), so together they use as much CPU time as the node has, and what they use less went to
others: a process beside them, or the hypervisor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.estimation.columns import Flags, Floats, Ints
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.starved import NEARLY, cores
from jostle.arrow_columns import floats

_QUEUED = 0.05  # of the time: with less waiting there are cores enough
_AWAKE = 0.5  # of the time: who neither runs nor waits for a core so long leaves cores idle
_IDLE = 0.15  # of a core: what is left of the last one, and yet it is there
_TOP = 0.95  # quantile: what processes use together where nobody takes anything
_LEAST = 0.02  # of the usual
_YIELDS = 1e-3  # seconds in MPI from switch to switch; 7 to 80 us where ranks yield, else 10 ms
_SWITCHES = ("voluntary", "involuntary")
_IN_MPI = ("p2p", "collective", "onesided", "mpiio", "mpi")
_FEWEST = 8  # slices


@dataclass(frozen=True)
class Crowd:
    """What a node with more processes than cores gave them.

    Attributes:
        cores: CPU seconds a second that the processes get together undisturbed.
        processes: How many they are; launchers and the like are none.
        taken_s: Seconds by which others delayed them, in each row of its slices.
    """

    cores: float
    processes: int
    taken_s: Floats

    @property
    def turns(self) -> float:
        """Share of the time that a process waits who takes turns with the others."""
        return max(1 - self.cores / self.processes, 0.0)


@dataclass(frozen=True)
class Together:
    """Time in which all ranks were in MPI at once, as they saw it (runtime/src/all_in_mpi.c).

    Attributes:
        begin: Start of each slice, ns; one begins where another ends.
        until: Its end.
        seconds: In it.
    """

    begin: Ints
    until: Ints
    seconds: Floats


def together(slices: pa.Table, start: int, end: int) -> Together | None:
    """Return when all ranks were in MPI at once; None where that is not known.

    Ranks look at each other from the first slice on in which they waited for cores: before it
    nothing is known, which is no zero. Of several nodes each tells of its own ranks only, who may
    all wait for somebody elsewhere: that is not known either. Nor where a rank that waits keeps its
    core to the end of its turn, as an MPI that polls without yielding makes it: the one that could
    go on is in MPI, too, and waits for that core. Those who yield change places every few
    microseconds.

    Args:
        slices: Of the job, by host, as in repository.types.RunTables.
        start: MPI_Init, ns.
        end: MPI_Finalize, ns.
    """
    told = floats(slices, "wait_all_ns_sum") / 1e9
    length = slices.column("slice_ns").to_numpy()
    one_node = len(pc.unique(slices.column("host"))) == 1 and len(np.unique(length)) == 1
    switches = sum(floats(slices, f"os_{kind}_switches_sum").sum() for kind in _SWITCHES)
    in_mpi = sum(floats(slices, f"state_{kind}_ns_sum").sum() / 1e9 for kind in _IN_MPI)
    if not told.any() or not one_node or in_mpi > _YIELDS * switches:
        return None
    begin = slices.column("slice").to_numpy() * length
    at = np.arange(begin[told > 0].min(), begin.max() + 1, length[0])
    seconds = np.zeros(len(at))
    seen = begin >= at[0]
    np.add.at(seconds, (begin[seen] - at[0]) // length[0], told[seen])
    # A stretch is booked where it ends: what does not fit there was before.
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
    """Return whether processes share cores among themselves on a node, and what others took.

    Older profiles do not record how many cores these may use: it is what they once used together.
    So on a node with a core for each, some of which others keep busy from the first to the last
    second, a smaller node is seen in them.

    Args:
        slices: Of one node, as in repository.types.RunTables.
        ranks: The job's ranks there; 0: not known. Other processes, as launchers, have a record in
            the slices in which they wake.

    Returns:
        None where there is a core for each, or too little to tell.
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
    if top + _IDLE < may:  # they never had all of them: others did, all the time
        had = may
    # A core that nobody waits for is not taken, but idle; so is what ranks would use that sleep, as
    # while they start. Who was stopped by a hypervisor did not leave his core of his own accord.
    slept = floats(slices, "os_voluntary_switches_sum") > 0
    awake = np.where(slept, ((rate + queued) / processes).clip(0, 1), 1.0)
    share = np.where(full, np.minimum(had * awake - rate, queued) / had, 0.0)
    taken = np.where(share > _LEAST, share, 0.0)
    return Crowd(had, processes, taken * length)
