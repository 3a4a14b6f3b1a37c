"""Clusters numbers by their relative distances (Shah, 2020, section 5.1.1, figure 5.3)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.estimation.errors import EstimateError

Ints = NDArray[np.int64]
#: Returns whether neighbours (lower values, higher values) belong together.
Near = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]]

#: Relative distance from which on two neighbours are apart.
THRESHOLD = 0.1


def relative_clusters(values: NDArray[Any], threshold: float = THRESHOLD) -> Ints:
    """Cluster values by the relative distance of neighbours in ascending order.

    If value / previous value - 1 is below the threshold, the value is in the cluster of the
    previous one; otherwise it begins a new cluster. Only neighbours are compared, so a cluster may
    span a larger distance. Whole numbers are compared without rounding. Zeros are one cluster,
    since any positive value is infinitely far from zero.

    Args:
        values: The values, not negative, [n].
        threshold: Relative distance from which on neighbours are in different clusters; 0.1 in
            Shah, 2020.

    Returns:
        The cluster number of each value, from 0 in ascending order of values, [n].

    Raises:
        EstimateError: A value is negative or not finite.
    """
    values = np.asarray(values)
    if values.dtype.kind not in "iu":
        _refuse(~np.isfinite(values))
        whole = len(values) == 0 or (
            float(np.abs(values).max()) < 2**53 and bool((values == np.floor(values)).all())
        )
        if whole:
            values = values.astype(np.int64)
    _refuse(values < 0)
    if values.dtype.kind not in "iu":
        return chained(values, lambda low, high: (low > 0) & (high / low - 1 < threshold))
    share = Fraction(threshold).limit_denominator(10_000)
    most = int(values.max()) if len(values) else 0
    if most * max(share.numerator, share.denominator) >= 2**63:
        values = values.astype(object)

    def near(low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.bool_]:
        close = (high - low) * share.denominator < low * share.numerator
        return np.asarray(close | (high == low), dtype=bool)

    return chained(values, near)


def chained(values: NDArray[Any], near: Near) -> Ints:
    """Sort values, and put neighbours that are near each other into one cluster.

    Args:
        values: The values in any order, [n].
        near: Function that returns whether each value and the next one are near each other,
            [n - 1]. Its arguments are the lower values and the higher values.

    Returns:
        The cluster number of each value, from 0 in ascending order, [n].
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    number = np.zeros(len(values), dtype=np.int64)
    if len(values) > 1:
        number[1:] = np.cumsum(~near(ordered[:-1], ordered[1:]))
    result = np.empty(len(values), dtype=np.int64)
    result[order] = number
    return result


def _refuse(bad: NDArray[np.bool_]) -> None:
    if bad.any():
        raise EstimateError(
            f"{int(bad.sum())} of {len(bad)} values of work are negative or not a number.",
            hint="The profile is damaged; `jostle ingest` reports which part was left out.",
        )
