"""Watches how long a running job takes per unit of work on one resource, phase by phase."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field

from jostle.analysis.live.change import Change, Detector

#: Most phases of a series that are stored, the latest ones.
_MOST_PHASES = 8


@dataclass(frozen=True)
class SeriesStep:
    """What one slice shows about a series.

    Attributes:
        change: The change that the slice shows; None: no change.
        lost_s: Seconds by which the work took longer than usual in the slice; 0 if there is no
            slow-down. When a slow-down is found, the seconds since it began.
    """

    change: Change | None
    lost_s: float


@dataclass
class Series:
    """The time per unit of work of one activity, slice by slice.

    Phases of a job differ in the size of its operations, and operations of different sizes take
    different times. So the usual level is estimated for each phase separately.

    Attributes:
        phases: Detector of changes for each phase, the present phase last.
    """

    phases: OrderedDict[int, Detector] = field(default_factory=OrderedDict)
    _pending_s: float = 0.0

    def add(self, phase: int, seconds_per_unit: float, busy_s: float) -> SeriesStep:
        """Evaluate a slice.

        Args:
            phase: Number of the phase.
            seconds_per_unit: Time per unit of work, above 0.
            busy_s: Time of the slice that was spent on this work, in seconds.
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
        """Use the present level of the measure in this phase as the usual one."""
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
