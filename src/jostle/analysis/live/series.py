"""Watches one series of a running job: its time per unit of work, by phase, and its slow-downs."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field

from jostle.analysis.live.change import Change, Detector

#: Most phases of a series that are stored, the latest ones.
_MOST_PHASES = 8


@dataclass(frozen=True)
class SeriesStep:
    """The result of one value of a series.

    Attributes:
        change: The change that it reveals, if any.
        lost_s: Seconds beyond the usual time; at a change, with those of the slices since it
            began; 0 without slow-down.
    """

    change: Change | None
    lost_s: float


@dataclass
class Series:
    """A series whose usual level is estimated for each phase of the job separately.

    Phases differ in the size of operations: other sizes take other times, which is not a change.
    """

    phases: OrderedDict[int, Detector] = field(default_factory=OrderedDict)
    _pending_s: float = 0.0

    def add(self, phase: int, seconds_per_unit: float, busy_s: float) -> SeriesStep:
        """Evaluate a slice.

        Args:
            phase: Number of the phase.
            seconds_per_unit: Time per unit of work, above 0.
            busy_s: Time of the slice spent in this work, s.
        """
        detector = self._of(phase)
        value = math.log(seconds_per_unit)
        change = detector.add(value)
        if detector.learning:
            return SeriesStep(None, 0.0)
        beyond = busy_s * max(1 - math.exp(detector.quiet_level - value), 0.0)
        if detector.reference is not None:
            beyond, self._pending_s = beyond + self._pending_s, 0.0
            return SeriesStep(change, beyond)
        self._pending_s = self._pending_s + beyond if detector.doubtful else 0.0
        return SeriesStep(change, 0.0)

    def accept(self) -> None:
        """Accept the present level of the present phase as the usual one."""
        if self.phases:
            next(reversed(self.phases.values())).accept()
        self._pending_s = 0.0

    @property
    def present(self) -> Detector | None:
        """The detector of the present phase; None before the first slice."""
        return next(reversed(self.phases.values())) if self.phases else None

    @property
    def slowed(self) -> bool:
        """Whether the present phase is slower than usual."""
        return self.present is not None and self.present.reference is not None

    def _of(self, phase: int) -> Detector:
        if phase not in self.phases:
            self.phases[phase] = Detector()
            if len(self.phases) > _MOST_PHASES:
                self.phases.popitem(last=False)
        self.phases.move_to_end(phase)
        return self.phases[phase]
