"""Result type of the evaluation of one shared resource: its test, and the loss on it."""

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
        together: By dropped suspect, the job that explains the loss better.
    """

    test: ResourceTest
    loss: SuspectLoss | None
    together: dict[str, str]
