"""Content of charts, independent of whether a terminal or a figure draws it."""

from __future__ import annotations

from jostle.plot.charts.axis import ceiling
from jostle.plot.charts.chart import FILL, PALETTE, Series
from jostle.plot.charts.imprint import (
    ImprintChart,
    level,
    level_in_bursts,
    relative,
    role,
    seconds_ticks,
    shown,
)
from jostle.plot.charts.labels import share_label, slug, tied
from jostle.plot.charts.overhead import OURS

__all__ = [
    "FILL",
    "OURS",
    "PALETTE",
    "ImprintChart",
    "Series",
    "ceiling",
    "level",
    "level_in_bursts",
    "relative",
    "role",
    "seconds_ticks",
    "share_label",
    "shown",
    "slug",
    "tied",
]
