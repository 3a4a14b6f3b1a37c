"""Holds the test of one shared resource, and the loss on it if there is evidence."""

from __future__ import annotations

from dataclasses import dataclass

from jostle.analysis.identification.statistics.resource_tests import ResourceTest
from jostle.analysis.identification.statistics.seconds_lost import SuspectLoss


@dataclass
class Evaluation:
    """A tested resource with the loss on it, if there is evidence.

    Attributes:
        test: The test result.
        loss: The loss that the suspects caused; None without suspects.
        together: Suspect that was dropped -> the job that explains the loss better.
    """

    test: ResourceTest
    loss: SuspectLoss | None
    together: dict[str, str]
