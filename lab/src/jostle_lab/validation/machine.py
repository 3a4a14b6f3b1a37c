"""Records the load of other programs on this machine during a run, as a measure of noise."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """Counters of the machine at an instant, in seconds over all cores.

    Attributes:
        busy_s: Time in which cores were busy with any process.
        steal_s: Steal time.
        ours_s: CPU time of this program and of its child processes that have ended.
        load: Load average over the last minute.
        cores: Number of cores.
    """

    busy_s: float
    steal_s: float
    ours_s: float
    load: float
    cores: int


def look() -> Machine:
    """Read the counters now; without /proc/stat, busy time and steal time are 0."""
    tick = os.sysconf("SC_CLK_TCK")
    try:
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        words = []
    user, nice, system, _idle, _wait, irq, soft, steal = ([int(x) for x in words] + [0] * 8)[:8]
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ours = sum(one.ru_utime + one.ru_stime for one in used)
    busy = (user + nice + system + irq + soft) / tick
    return Machine(busy, steal / tick, ours, os.getloadavg()[0], os.cpu_count() or 1)


def noise(before: Machine, after: Machine, seconds: float) -> dict[str, float]:
    """Return the share of the cores' time that others took between two readings.

    Args:
        before: The first reading.
        after: The second reading; all processes started in between have ended.
        seconds: Time between them.

    Returns:
        `steal` and `foreign`: shares of all cores' time, 0 to 1, that the hypervisor and other
        programs took; `load`: load average at the second reading.
    """
    room = max(seconds, 1e-9) * after.cores
    foreign = (after.busy_s - before.busy_s) - (after.ours_s - before.ours_s)
    return {
        "steal": (after.steal_s - before.steal_s) / room,
        "foreign": max(foreign, 0.0) / room,
        "load": after.load,
    }
