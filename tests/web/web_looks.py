"""Pictures of pages, stored small, and how much two of them differ."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image

#: Heights of the three screens that pages are made for: phone, laptop, wall.
HEIGHTS = {390: 844, 1280: 800, 2560: 1440}
#: Colours of a kept picture, and how far a channel may be from them: palettes round, edges blur.
COLOURS, NEAR = 128, 48
#: Share of points that may differ.
MOST = 0.005


def small(png: bytes) -> Image.Image:
    """Gives a screenshot at half its size: layout and colours stay, noise of edges goes."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    return picture.reduce(2)


def few(picture: Image.Image, colours: int) -> Image.Image:
    """Gives a picture in few colours; rare ones, as those of lights, are not averaged away."""
    return picture.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def keep(png: bytes, path: Path) -> None:
    """Stores a screenshot as the reference of a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    few(small(png), COLOURS).save(path, optimize=True)


def differs(png: bytes, path: Path) -> str:
    """Describes how a screenshot differs from the reference; "" where it does not."""
    if not path.exists():
        return f"{path.name} is not kept yet: --update-golden"
    seen, wanted = small(png), Image.open(path).convert("RGB")
    if abs(seen.height - wanted.height) > 1 or seen.width != wanted.width:
        return f"{path.name} was {wanted.size}, is {seen.size}"
    height = min(seen.height, wanted.height)
    box = (0, 0, seen.width, height)
    off = np.abs(np.asarray(seen.crop(box), int) - np.asarray(wanted.crop(box), int)).max(axis=2)
    share = float((off > NEAR).mean())
    if share <= MOST:
        return ""
    rows, columns = np.nonzero(off > NEAR)
    return (
        f"{path.name}: {share:.1%} of its points differ, between "
        f"({columns.min() * 2}, {rows.min() * 2}) and ({columns.max() * 2}, {rows.max() * 2})"
    )
