"""The faults of a simulated day, and the times at which they occur."""

from __future__ import annotations

from dataclasses import dataclass

#: What a fault does, in words.
KINDS = {
    "clock": "the clock of every twentieth node is 200 s behind",
    "clock set": "these clocks are corrected",
    "node down": "every tenth node fails, and the ends of its files are lost",
    "node up": "they boot again, with a new boot id",
    "receiver down": "receiver 1 is killed by SIGKILL",
    "receiver up": "receiver 1 starts again",
    "all down": "all receivers are killed by SIGKILL",
    "all up": "all receivers start again: all nodes come back at once",
    "ingester killed": "an ingester is killed by SIGKILL",
    "compaction killed": "a compaction is killed by SIGKILL",
    "shippers killed": "every fifth shipper is killed by SIGKILL, and started again",
    "compact": "`jostle repository compact`",
    "expire": "`jostle repository expire`",
    "spark": "`jostle matrix --engine spark`, in two tasks",
}


@dataclass(frozen=True, order=True)
class Fault:
    """A fault at a time.

    Attributes:
        minute: Simulated minute.
        kind: Kind of the fault, one of KINDS.
    """

    minute: float
    kind: str


def schedule(minutes: int, *, has_spark: bool) -> list[Fault]:
    """Return the faults of a simulation of some minutes, in order of time.

    One receiver is down for half an hour, and later all receivers for ten minutes. If the
    simulation is shorter than four hours, these times are shorter in proportion.
    """
    scale = min(1.0, minutes / 240)
    faults = [Fault(0, "clock"), Fault(0.3 * minutes, "clock set")]
    for begin, down, up, length in (
        (0.15, "node down", "node up", 4),
        (0.25, "receiver down", "receiver up", 30),
        (0.55, "all down", "all up", 10),
        (0.7, "node down", "node up", 4),
    ):
        faults += [Fault(begin * minutes, down), Fault(begin * minutes + length * scale, up)]
    for share, kind in (
        (0.2, "shippers killed"),
        (0.35, "ingester killed"),
        (0.5, "compaction killed"),
        (0.75, "ingester killed"),
        (0.8, "compaction killed"),
    ):
        faults.append(Fault(share * minutes, kind))
    for hour in range(1, max(2, minutes // 60 + 1)):
        share = min(60.0 * hour, 0.85 * minutes)
        faults += [Fault(share, "compact"), Fault(share + 0.01 * minutes, "expire")]
    if has_spark:
        faults += [Fault(0.4 * minutes, "spark"), Fault(0.9 * minutes, "spark")]
    return sorted(faults)
