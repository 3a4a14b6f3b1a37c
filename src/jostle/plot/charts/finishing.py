"""Content of charts of the ends of a job's processes (Shah, 2020, figures 3.3 and 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jostle.report.models.job.finishing import finding, tail_share

if TYPE_CHECKING:
    from jostle.analysis.digest.finishing import Finishing

#: Most charts of a job: one for each mount, the longest tail-off first.
MOST = 4


@dataclass(frozen=True)
class FinishingChart:
    """Content of a chart of the ends of a job's processes.

    Attributes:
        title: The finding in a sentence.
        note: The share of the bytes that were moved in the tail-off, in which only a few late
            processes still transfer data; empty without a tail-off.
        each: Ends and rates on one mount.
    """

    title: str
    note: str
    each: Finishing


def charts(every: Sequence[Finishing]) -> list[FinishingChart]:
    """Return the charts of a job, one for each mount."""
    return [
        FinishingChart(f"{each.job} on {each.mount}: {finding(each)}", tail_share(each), each)
        for each in every[:MOST]
    ]
