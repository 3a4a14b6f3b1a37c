"""Computes how different two kinds of loads are: a distance of 1 is a difference that matters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.kinds.model import WORDS, LoadKind

Floats = NDArray[np.float64]

#: Distance of two patterns, if all else is equal.
_PATTERNS = 1.0
#: A factor of this size between chunks, processes or rates is a distance of 1.
_CHUNKS, _PROCESSES, _RATES = 16.0, 4.0, 30.0
#: A difference of this size between shares of time is a distance of 1.
_SHARES = 0.5
_SHARED = 0.5
_SMALLEST_CHUNK, _FEWEST_OPERATIONS = 1024.0, 10.0


def position(kind: LoadKind) -> Floats:
    """Return the position of a kind in a Euclidean feature space, shape (features,).

    Bytes per second are no feature, since they depend on how fast the file system was.
    """
    word = np.zeros(len(WORDS))
    word[WORDS.index(kind.pattern)] = _PATTERNS / np.sqrt(2)
    logs = (
        np.log(max(kind.chunk_bytes, _SMALLEST_CHUNK)) / np.log(_CHUNKS),
        np.log(max(kind.processes, 1)) / np.log(_PROCESSES),
        np.log(max(kind.metadata_per_s, _FEWEST_OPERATIONS)) / np.log(_RATES),
    )
    shares = (kind.in_calls / _SHARES, kind.duty / _SHARES, _SHARED * kind.shared_file)
    return np.array([*word, *logs, *shares])


def positions(kinds: Sequence[LoadKind]) -> Floats:
    """Return the positions of several kinds in feature space, shape (kinds, features)."""
    return np.array([position(kind) for kind in kinds]).reshape(len(kinds), len(WORDS) + 6)


def distances(ones: Floats, others: Floats) -> Floats:
    """Return the distance of each position from each other position, shape (ones, others)."""
    squares = (
        (ones**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None, :] - 2 * ones @ others.T
    )
    found: Floats = np.sqrt(np.maximum(squares, 0))
    return found
