"""Texts of charts and names of their files; shared by the terminal and the figures."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from jostle.plot.charts.imprint import shown


def share_label(share: float | None, *, unit: bool = True) -> str:
    """Format a measured share as a percentage: `43 %`, `8.1 %`, `-0.4 %`; `-` where unknown."""
    if share is None or not math.isfinite(share):
        return "-"
    text = shown(share)
    return text if unit else text.removesuffix(" %")


def slug(text: str) -> str:
    """Convert a text into a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.").lower() or "x"


def tied(
    values: Iterable[float], extreme: float, label: Callable[[float], str] = share_label
) -> str:
    """Return in brackets how many other values have the label of the extreme one; "" for none.

    Args:
        values: All values (shares), including the extreme one.
        extreme: The greatest or the least value.
        label: Function that formats a value.
    """
    alike = sum(label(value) == label(extreme) for value in values) - 1
    if alike < 1:
        return ""
    return " (one other as much)" if alike == 1 else f" ({alike} others as much)"
