"""Computes the amounts that jobs moved between two instants, whatever their slice lengths.

Jobs of one repository have slices of different lengths. What one job moved during a slice of
another job is a sum over its own slices: of each, the part that lies within the other slice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Flows:
    """Amounts that moved at constant rates over spans of time, in separate channels.

    A channel is a number that stands, for example, for one job on one resource.
    """

    def __init__(self, channel: Ints, start: Ints, end: Ints, amount: Floats) -> None:
        """Add up the amounts that moved in spans of time.

        Args:
            channel: Number of each span's channel.
            start: Start of each span, from 0, below 2**44 (any unit). The number of different
                channels times the last end must be below 2**63.
            end: End of each span, after its start.
            amount: Amount that moved in the span.
        """
        self._width = int(end.max(initial=0)) + 1
        rate = amount / np.maximum(end - start, 1)
        # The numbers of channels may be so large that their product with the width overflows.
        self._channels, row = np.unique(channel, return_inverse=True)
        origin = row.reshape(-1) * self._width
        at = np.concatenate([origin + start, origin + end])
        change = np.concatenate([rate, -rate])
        self._at, where = np.unique(at, return_inverse=True)
        self._rate = np.cumsum(np.bincount(where.reshape(-1), change, minlength=len(self._at)))
        moved = self._rate[:-1] * np.diff(self._at)
        self._moved = np.concatenate([[0.0], np.cumsum(moved)])[: len(self._at)]

    def between(self, channel: Ints, start: Ints, end: Ints) -> Floats:
        """Return the amounts that moved between two instants; 0 in unknown channels.

        Args:
            channel: The channels.
            start: For each of them, the first instant.
            end: For each of them, the second instant.
        """
        if not len(self._at):
            return np.zeros(len(channel))
        row = np.minimum(np.searchsorted(self._channels, channel), len(self._channels) - 1)
        until, since = (
            self._until(row * self._width + np.minimum(t, self._width - 1)) for t in (end, start)
        )
        known = self._channels[row] == channel
        return np.asarray(np.where(known, np.maximum(until - since, 0.0), 0.0))

    def _until(self, at: Ints) -> Floats:
        index = np.searchsorted(self._at, at, "right") - 1
        known = np.maximum(index, 0)
        moved = self._moved[known] + self._rate[known] * (at - self._at[known])
        return np.asarray(np.where(index >= 0, moved, 0.0))
