"""Charts of time slices: the same `Chart` drawn in a terminal or saved as PNG or SVG.

`figure` is not imported here, because it loads matplotlib.
"""

from jostle.plot.model import Chart, Panel, Series
from jostle.plot.terminal import draw

__all__ = ["Chart", "Panel", "Series", "draw"]
