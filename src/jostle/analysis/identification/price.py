"""Seconds lost, whose load they go to, and the slices where it happened."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.estimation.model import Bounded
from jostle.analysis.identification.evidence import Moved
from jostle.analysis.identification.places import Floats, Place
from jostle.analysis.identification.service import QUIET, Flags, Service, quiet_slices, service

Rng = np.random.Generator

_DRAWS = 400
_STEPS = 25
#: Part of the load's fitted effect from which on a slice counts as loaded, and as guilty.
_LOADED = 0.05
_GUILTY = 0.4
#: Part of the usual slowdown that a guilty slice must show itself.
_SHOWN = 0.35
#: Suspects with less of the loss than this were only there at the time.
LEAST_SHARE = 0.05


@dataclass(frozen=True)
class Price:
    """What the suspects cost the job on one resource.

    Attributes:
        seconds: Run time lost.
        shares: Part of each suspect, with its interval.
        lost: Seconds lost per slice (0 where no suspect was).
        guilty: Slices in which it shows.
        slowdown: Median service time in loaded slices / in the others; None where either lacks.
        service: What the slices were judged by, with the suspects' absence for undisturbed.
        expected_s: Run time that the operations of the loaded slices would have taken.
    """

    seconds: Bounded
    shares: dict[str, Bounded]
    lost: Floats
    guilty: Flags
    slowdown: float | None
    service: Service
    expected_s: float


def price(place: Place, loads: dict[str, Floats], lag: int, rng: Rng) -> Price:
    """Prices the loads of suspects on a resource.

    Args:
        place: The resource.
        loads: Their loads, each moved by its lag.
        lag: Slices after a load that are not yet quiet.
        rng: For the bootstrap.
    """
    whole = np.sum(list(loads.values()), axis=0)
    quiet = quiet_slices(whole, 1 if lag else 0)
    served = service(place, quiet)
    judged = served.judged
    norm = _usual(whole)
    loaded = judged & (whole > _LOADED * norm)
    calm = judged & quiet
    ratio = np.where(judged, served.spent / np.maximum(served.expected, 1e-12), 1.0)
    lost = _lost(place, served, ratio, calm)
    seconds, drawn = _seconds(lost, place.busy, ratio, served, loaded, calm, rng)
    shares = _shares(place, loads, lost, judged, rng)
    high, low = served.slow[loaded], served.slow[calm]
    slowdown = float(np.exp(np.median(high) - np.median(low))) if len(high) and len(low) else None
    guilty = _guilty(served, whole, loaded, calm)
    return Price(
        Bounded(seconds, *_interval(drawn, seconds)), shares, np.where(loaded, lost, 0.0), guilty,
        slowdown, served, float((place.busy - lost)[loaded].sum()),
    )  # fmt: skip


def _usual(load: Floats) -> float:
    return float(np.quantile(load[load > 0], 0.9)) if (load > 0).any() else 1.0


def _even(served: Service, calm: Flags) -> float:
    """Gives spent / expected of the calm slices: references are medians, prices are means."""
    if int(calm.sum()) < QUIET:
        return 1.0
    return float(served.spent[calm].sum() / max(float(served.expected[calm].sum()), 1e-12))


def _lost(place: Place, served: Service, ratio: Floats, calm: Flags) -> Floats:
    """Gives seconds of the process that counts beyond what its operations usually take.

    Negative where they went faster: cutting that off would make losses of noise.
    """
    part = 1 - _even(served, calm) / np.maximum(ratio, 1e-12)
    return np.where(served.judged, place.busy * np.clip(part, -1, 1), 0.0)


def _seconds(
    lost: Floats, busy: Floats, ratio: Floats, served: Service, loaded: Flags, calm: Flags, rng: Rng
) -> tuple[float, Floats]:
    """Adds up the loss, with draws of it from a bootstrap over blocks of slices.

    Loaded and calm slices are drawn apart, so that the number of disturbed slices stays; the calm
    ones say what undisturbed is, and each draw says it anew.
    """
    value = float(lost[loaded].sum())
    where, still = np.flatnonzero(loaded), np.flatnonzero(calm)
    if not len(where):
        return 0.0, np.zeros(1)
    even = _even(served, calm)
    draws = np.empty(_DRAWS)
    for k in range(_DRAWS):
        pick = where[_blocks(len(where), rng)]
        level = even
        if len(still) >= QUIET:
            calmed = still[_blocks(len(still), rng)]
            level = float(served.spent[calmed].sum() / max(served.expected[calmed].sum(), 1e-12))
        part = np.clip(1 - level / np.maximum(ratio[pick], 1e-12), -1, 1)
        draws[k] = float((busy[pick] * part).sum())
    return value, draws


def _blocks(size: int, rng: Rng) -> NDArray[np.int64]:
    """Draws places with their neighbours, as a moving-block bootstrap does."""
    length = max(int(round(size ** (1 / 3) * 1.5)), 1)
    starts = rng.integers(0, size, -(-size // length))
    return np.asarray((starts[:, None] + np.arange(length)[None, :]).reshape(-1)[:size] % size)


def _interval(draws: Floats, value: float) -> tuple[float, float]:
    low, high = np.quantile(draws, (0.025, 0.975))
    # Few blocks make draws too narrow: widened as Student's t is against the normal, and more.
    wide = 1.15
    return float(value - (value - low) * wide), float(value + (high - value) * wide)


def _shares(
    place: Place, loads: dict[str, Floats], lost: Floats, judged: Flags, rng: Rng
) -> dict[str, Bounded]:
    """Shares the loss among loads by non-negative regression."""
    names = list(loads)
    if len(names) == 1:
        return {names[0]: Bounded(1.0, 1.0, 1.0)}
    exposed = place.busy - np.maximum(lost, 0)
    columns = np.array([loads[name] / _usual(loads[name]) * exposed for name in names]).T
    rows = np.flatnonzero(judged)
    value = _fitted(columns[rows], exposed[rows], lost[rows])
    draws = np.array([
        _fitted(columns[pick], exposed[pick], lost[pick])
        for pick in (rows[_blocks(len(rows), rng)] for _ in range(_DRAWS // 4))
    ])  # fmt: skip
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    return {
        name: Bounded(float(value[k]), float(low[k]), float(high[k]))
        for k, name in enumerate(names)
    }


def _fitted(columns: Floats, exposed: Floats, lost: Floats) -> Floats:
    """Gives each load's part of the fitted loss; what no load explains is left to a constant."""
    from scipy.optimize import nnls

    whole = np.column_stack([columns, exposed, -exposed])
    scale = np.maximum(np.linalg.norm(whole, axis=0), 1e-12)
    try:
        weight = nnls(whole / scale, lost)[0] / scale
    except RuntimeError:  # did not come to an end
        return np.full(columns.shape[1], 1 / columns.shape[1])
    parts = weight[: columns.shape[1]] * columns.sum(axis=0)
    total = float(parts.sum())
    return np.asarray(parts / total) if total > 0 else np.zeros(columns.shape[1])


def _guilty(served: Service, whole: Floats, loaded: Flags, calm: Flags) -> Flags:
    """Marks loaded slices that show the slowdown."""
    if not loaded.any():
        return loaded
    strong = loaded & (whole > _GUILTY * float(np.median(whole[loaded])))
    base = float(np.median(served.slow[calm])) if calm.any() else 0.0
    usual = float(np.median(served.slow[strong])) - base if strong.any() else 0.0
    if usual <= 0:
        return np.zeros(len(whole), dtype=bool)
    shown = np.where(served.judged, served.slow, -np.inf) > base + _SHOWN * usual
    return np.asarray(strong & shown)


def smallest_loss(place: Place, served: Service, load: Floats, moved: Moved, level: float) -> float:
    """Finds the smallest loss that the test would have seen, in seconds.

    A slowdown in step with the load is put on top of the job's slices, growing until the test's
    critical correlation is passed; what that would have cost is the answer.

    Args:
        place: The resource.
        served: How it served the job.
        load: The load of all others.
        moved: Of the slowdown as it was.
        level: Critical correlation.
    """
    judged = served.judged
    busy = float(place.busy[load > 0].sum())
    if not judged.any() or not load.any() or level >= 1:
        return busy
    shape = np.where(judged, np.minimum(load / _usual(load), 1.0), 0.0)
    if float(np.std(shape[judged])) < 1e-6:
        return busy
    still = served.slow.copy()
    here, gone = judged & (shape > _GUILTY), judged & (shape <= _LOADED)
    if here.any() and gone.any():
        still[here] -= np.median(still[here]) - np.median(still[gone])
    noise = float(np.std(still[judged]))
    for strength in np.geomspace(0.002, 3.0, _STEPS):
        slow = still + strength * shape
        if moved.at_least(slow, judged, load) > level + (1 - level) * 0.1 or strength > 8 * noise:
            part = 1 - np.exp(-strength * shape)
            return float((place.busy * part)[judged].sum())
    return busy
