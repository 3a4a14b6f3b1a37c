"""Charts: the same `Chart` of time series, drawn in a terminal or saved as PNG, SVG or PDF.

`Bars` are another kind of chart. `figure` and `bars_figure` are not imported here, because they
load matplotlib.
"""

from jostle.plot.charts.bars import Bars, IntervalBar
from jostle.plot.charts.chart import Chart, Panel, Series
from jostle.plot.terminal.bars import draw_bars
from jostle.plot.terminal.chart import draw
from jostle.plot.terminal.imprint import draw_imprint

__all__ = ["Bars", "Chart", "IntervalBar", "Panel", "Series", "draw", "draw_bars", "draw_imprint"]
