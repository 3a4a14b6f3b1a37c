"""More ranks on a node than cores: waiting for a core is then mostly the job's own doing.

Four ranks on two cores wait half of their time, with nobody else there. What others took shows all
the same: ranks that crowd a node leave no core idle (who waits in MPI polls, or another runs
meanwhile), so together they use as much CPU time as the node has, and what they use less went to
others: a process beside them, or the hypervisor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.estimation.columns import Flags, Floats, Ints, floats
from jostle.analysis.estimation.robust import usual

_QUEUED = 0.05  # of the time: with less waiting there are cores enough
_AWAKE = 0.5  # of the time: who neither runs nor waits for a core so long leaves cores idle
_IDLE = 0.15  # of a core: what is left of the last one, and yet it is there
_TOP = 0.95  # quantile: what processes use together where nobody takes anything
_LEAST = 0.02  # of the usual
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
    """Time in which all ranks were in MPI at once, as each of them saw it (runtime/src/together.c).

    Attributes:
        begin: Start of each slice, ns, ascending.
        until: Its end.
        seconds: In it; the least of its nodes: elsewhere somebody may compute whom they wait for.
    """

    begin: Ints
    until: Ints
    seconds: Floats


def together(slices: pa.Table, crowds: Mapping[str, Crowd]) -> Together | None:
    """Gives when all ranks were in MPI at once; None where that was not recorded.

    Ranks look at each other from the first slice on in which they waited for cores: before it
    nothing is known, which is no zero.

    Args:
        slices: Of the job, by host, as in repository.types.RunTables.
        crowds: Nodes with fewer cores than ranks, the only ones whose ranks look.
    """
    slices = slices.filter(pc.is_in(slices["host"], pa.array(list(crowds), pa.string())))
    told = floats(slices, "wait_all_ns_sum") / 1e9
    begin = slices.column("slice").to_numpy() * slices.column("slice_ns").to_numpy()
    seen = begin >= begin[told > 0].min(initial=np.iinfo(np.int64).max)
    if not seen.any():
        return None
    length = slices.column("slice_ns").to_numpy()[seen]
    at, first, row = np.unique(begin[seen], return_index=True, return_inverse=True)
    least = np.full(len(at), np.inf)
    np.minimum.at(least, row, told[seen])
    return Together(at, at + length[first], least)


def crowd(slices: pa.Table, ranks: int = 0) -> Crowd | None:
    """Tells whether the processes on a node share its cores among themselves, and what others took.

    The number of cores is not recorded: it is what the processes once used together. So on a node
    with a core for each, some of which others keep busy from the first to the last second, this
    sees a smaller node.

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
    if np.ceil(top - _IDLE) >= processes or usual(queued[full]).centre < _QUEUED * processes:
        return None
    if np.median((rate + queued)[full]) < _AWAKE * processes:
        return None
    cores = -usual(-rate[full]).centre
    # A core that nobody waits for is not taken, but idle; so is what ranks would use that sleep, as
    # while they start. Who was stopped by a hypervisor did not leave his core of his own accord.
    slept = floats(slices, "os_voluntary_switches_sum") > 0
    awake = np.where(slept, ((rate + queued) / processes).clip(0, 1), 1.0)
    share = np.where(full, np.minimum(cores * awake - rate, queued) / cores, 0.0)
    taken = np.where(share > _LEAST, share, 0.0)
    return Crowd(cores, processes, taken * length)
