"""Result type of the evaluation of one shared resource: the test of its loads, and the loss."""

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
        together: For each job that is no longer a suspect, the suspect that ran at the same time
            and whose load explains the loss better.
    """

    test: ResourceTest
    loss: SuspectLoss | None
    together: dict[str, str]
