"""The colours of causes, in figures and in the terminal."""

from __future__ import annotations

from jostle.plot.charts.chart import PALETTE, TERMINAL_PALETTE
from jostle.report.models.lost_time import ORDER

#: The last cause has a colour of its own: the palette's last two are those of compared runs.
COLOURS = dict(zip(ORDER, (*PALETTE[:4], "#8B5E3C"), strict=True))
TERMINAL_COLOURS = dict(zip(ORDER, (*TERMINAL_PALETTE[:4], "#C49A6C"), strict=True))
