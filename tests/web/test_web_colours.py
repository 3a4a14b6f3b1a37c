"""Colours of pages: those of the plots, legible, and distinct under colour blindness."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from jostle.plot.charts.chart import PALETTE, TERMINAL_PALETTE
from jostle.plot.figures.estimate.axes import LOST

UI = Path(__file__).parents[2] / "ui/src"
PAIR = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)")
TOKENS = {
    name: (light, dark) for name, light, dark in PAIR.findall((UI / "tokens.css").read_text())
}
THEMES = {"light": 0, "dark": 1}
#: What three kinds of eyes see of linear RGB (Viénot, Brettel and Mollon 1999; tritan: Brettel's,
#: as one plane).
EYES = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
    "tritan": [[1.0, 0.14461, -0.14461], [0.0, 0.85924, 0.14076], [0.0, 0.85924, 0.14076]],
}


def linear(colour):
    """Linear RGB of `#rrggbb`."""
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    """A colour in a perceptually uniform colour space."""
    to_lms = [
        [0.412221, 0.536333, 0.051446],
        [0.211903, 0.680700, 0.107397],
        [0.088302, 0.281719, 0.629979],
    ]
    to_lab = [
        [0.210454, 0.793618, -0.004072],
        [1.977998, -2.428592, 0.450594],
        [0.025904, 0.782772, -0.808676],
    ]
    return to_lab @ np.cbrt(to_lms @ np.clip(rgb, 0, 1))


def apart(one, other, eyes=None):
    seen = [np.array(EYES[eyes]) @ linear(c) if eyes else linear(c) for c in (one, other)]
    return float(np.linalg.norm(oklab(seen[0]) - oklab(seen[1])))


def contrast(one, other):
    light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def test_pages_and_plots_have_one_story():
    own, others = TOKENS["own"], TOKENS["others"]
    assert (own[0].upper(), others[0].upper()) == PALETTE[:2]
    assert (own[1].upper(), others[1].upper()) == TERMINAL_PALETTE[:2]
    assert others[0].upper() == LOST


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eyes", [None, *EYES])
def test_what_must_not_be_confused_is_apart(theme, eyes):
    at = THEMES[theme]
    pairs = [
        ("own", "others"),
        ("own", "card"),
        ("others", "card"),
        ("own", "others-soft"),
        ("others", "own-soft"),
    ]
    for one, other in pairs:
        assert apart(TOKENS[one][at], TOKENS[other][at], eyes) > 0.1, (one, other)
    # Lights have shapes; colours need not carry them alone.
    for one, other in itertools.combinations(("green", "yellow", "red"), 2):
        assert apart(TOKENS[one][at], TOKENS[other][at], eyes) > 0.02, (one, other)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ramp", ["grid", "heat"])
def test_ramps_go_one_way_for_all_eyes(theme, ramp):
    for eyes in (None, *EYES):
        stops = [linear(TOKENS[f"{ramp}-{step}"][THEMES[theme]]) for step in range(3)]
        if eyes:
            stops = [np.array(EYES[eyes]) @ stop for stop in stops]
        light = [oklab(stop)[0] for stop in stops]
        assert abs(light[0] - light[2]) > 0.3
        assert (light[0] < light[1] < light[2]) or (light[0] > light[1] > light[2])


@pytest.mark.parametrize("theme", THEMES)
def test_words_are_legible(theme):
    at = THEMES[theme]
    for ink, ground in itertools.product(
        ("ink", "soft", "own", "others-ink", "green", "yellow", "red"), ("card", "page")
    ):
        assert contrast(TOKENS[ink][at], TOKENS[ground][at]) >= 4.5, (ink, ground)


def test_components_hold_no_colours():
    found = [
        f"{path.name}: {colour}"
        for path in [*UI.rglob("*.svelte"), UI / "base.css"]
        for colour in re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;, )])", path.read_text())
    ]
    assert found == []
