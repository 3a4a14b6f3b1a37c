"""The colours of causes, in figures and in the terminal."""

from __future__ import annotations

from jostle.plot.charts.chart import PALETTE, TERMINAL_PALETTE
from jostle.report.models.job.lost_time import ORDER

#: The last causes have colours of their own: the palette's last two are those of compared runs.
COLOURS = dict(zip(ORDER, (*PALETTE[:4], "#8B5E3C", "#AD4E8A", "#7E57C2", "#546E7A"), strict=True))
TERMINAL_COLOURS = dict(
    zip(ORDER, (*TERMINAL_PALETTE[:4], "#C49A6C", "#D48CBC", "#B39DDB", "#90A4AE"), strict=True)
)
