"""Solves non-negative least squares for a few columns (method of Lawson and Hanson).

SciPy has this function too, but importing scipy.optimize takes as long as a whole evaluation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SMALL = 1e-10


def nonnegative(columns: Floats, target: Floats) -> Floats:
    """Find x >= 0 for which columns @ x is nearest to target.

    Args:
        columns: Shape (rows, columns).
        target: Shape (rows,).

    Returns:
        x, shape (columns,); 0 for columns that are zero or equal others.
    """
    scale = np.linalg.norm(columns, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = columns / scale
    gram, aim = scaled.T @ scaled, scaled.T @ target
    size = len(aim)
    found = np.zeros(size)
    free = np.zeros(size, dtype=bool)
    least = _SMALL * max(float(np.abs(aim).max(initial=0.0)), _SMALL)
    for _ in range(3 * size + 1):
        pull = np.where(free, -np.inf, aim - gram @ found)
        best = int(np.argmax(pull)) if size else 0
        if not size or pull[best] <= least:
            break
        free[best] = True
        found = _settled(gram, aim, found, free)
    return found / scale


def _settled(gram: Floats, aim: Floats, found: Floats, free: NDArray[np.bool_]) -> Floats:
    """Solve for the free coefficients; those that would become negative are set to zero again."""
    while free.any():
        resource = np.flatnonzero(free)
        tried = np.zeros(len(aim))
        tried[resource] = np.linalg.lstsq(
            gram[np.ix_(resource, resource)], aim[resource], rcond=_SMALL
        )[0]
        below = free & (tried <= 0)
        if not below.any():
            return tried
        step = found[below] / np.maximum(found[below] - tried[below], 1e-300)
        found = found + float(step.min()) * (tried - found)
        free &= ~(below & (found <= _SMALL * max(float(np.abs(found).max()), _SMALL)))
        found = np.where(free, found, 0.0)
    return np.zeros(len(aim))
