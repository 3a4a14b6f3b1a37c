"""Injected faults of a simulated site: slow servers, throttled nodes, reboots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jostle_lab.synthetic.site.spec import SiteSpec

Floats = NDArray[np.float64]
SiteFaultKind = Literal["slow server", "throttled node", "reboot"]
_KINDS: tuple[SiteFaultKind, ...] = ("slow server", "throttled node", "reboot")
#: How long a node is down when it reboots, s.
DOWN_S = 300.0


@dataclass(frozen=True)
class SiteFault:
    """One fault.

    | kind | what it is | size |
    |---|---|---|
    | slow server | requests to a scratch file system take longer, without load | factor, above 1 |
    | throttled node | its cores run slower, and so does the job on it | share left, below 1 |
    | reboot | its job is killed; then it has a new boot id | - |

    Attributes:
        kind: Kind of the fault, from the table.
        place: Number of the file system, or of the node.
        size: Strength of the fault, see the table.
        start_s: Time at which the fault begins, s after the site's start.
        end_s: Time at which the fault ends.
    """

    kind: SiteFaultKind
    place: int
    size: float
    start_s: float
    end_s: float


def draw_faults(spec: SiteSpec) -> tuple[SiteFault, ...]:
    """Draw the faults of a site, on nodes that no injected job uses."""
    draw = np.random.default_rng([spec.seed, 5])
    span = spec.slices * spec.slice_s
    faults = []
    for number in range(spec.faults):
        kind = _KINDS[number % len(_KINDS)]
        begin = float(draw.uniform(0.1, 0.8)) * span
        begin = begin // spec.slice_s * spec.slice_s  # a node goes down between two slices
        if kind == "slow server":
            place, size = int(draw.integers(spec.file_systems)), float(draw.uniform(1.8, 3.0))
        else:
            place, size = int(draw.integers(spec.nodes - spec.reserved)), 0.6
        length = DOWN_S if kind == "reboot" else float(draw.uniform(0.1, 0.2)) * span
        faults.append(SiteFault(kind, place, size, begin, begin + length))
    return tuple(faults)


class Acting:
    """The times at which faults act."""

    def __init__(self, spec: SiteSpec, faults: Sequence[SiteFault]) -> None:
        self._spec, self._faults = spec, faults

    def servers(self, at: float) -> Floats:
        """Return how many times longer requests to each file system take at an instant."""
        slow = np.ones(self._spec.file_systems)
        for fault in self._of("slow server"):
            if fault.start_s <= at < fault.end_s:
                slow[fault.place] *= fault.size
        return slow

    def throttled(self, at: float) -> list[tuple[int, float]]:
        """Return throttled nodes at an instant, and the share of speed left to them."""
        return [
            (fault.place, fault.size)
            for fault in self._of("throttled node")
            if fault.start_s <= at < fault.end_s
        ]

    def reboots(self, at: float) -> list[int]:
        """Return the nodes that go down in the slice that begins at an instant."""
        return [fault.place for fault in self._of("reboot") if self._begins(at, fault.start_s)]

    def returning(self, at: float) -> list[int]:
        """Return the nodes that come up again in the slice that begins at an instant."""
        return [fault.place for fault in self._of("reboot") if self._begins(at, fault.end_s)]

    def _of(self, kind: SiteFaultKind) -> list[SiteFault]:
        return [fault for fault in self._faults if fault.kind == kind]

    def _begins(self, at: float, instant: float) -> bool:
        return at <= instant < at + self._spec.slice_s

    def boots(self, nodes: NDArray[np.int64], at: float) -> NDArray[np.int64]:
        """Return how often each node had been rebooted before an instant."""
        count = np.zeros(len(nodes), np.int64)
        for fault in self._of("reboot"):
            if fault.start_s <= at:
                count += nodes == fault.place
        return count
