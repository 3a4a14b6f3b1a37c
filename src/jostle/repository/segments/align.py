"""Finds the segment boundaries that all ranks of a world share. Pure functions on columns.

Ranks do not communicate when they cut their run into segments. A boundary at a global collective (a
call of all ranks) is common to two ranks if three things agree: the function and its bytes, the
number of global collectives before it, and the hash of their sequence. Other boundaries, at a call
site of the rank's own, are called epochs. An epoch is common to two ranks if it is the same
occurrence of the same site; the remaining epochs are matched if they are close in time. Why:
docs/adr/0011-where-segments-end.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.store.tables import Ints
from jostle.schema.profile import SEGMENT_RULES

_BYTES_VARY = re.compile(r"[vw](_init)?(_c)?$")
# The ends of one epoch on all ranks are within one segment's length; within a quarter of it if
# epochs are matched by time alone.
_SAME_OCCURRENCE, _SAME_TIME = 1.0, 0.25
# Some epochs of unrelated rhythms coincide by chance: by time nearly all must have partners.
_MOST = 0.8
EVERY, COALESCED, EPOCH, RAW, FINAL, UNKNOWN = range(len(SEGMENT_RULES) + 1)
RULES = ("every", "coalesced", "epoch", "raw", "final", "unknown")
_GLOBAL = np.array([True, True, False, True, False, False])


@dataclass(frozen=True)
class Rows:
    """The segments of a world's ranks as columns, each rank's rows in order.

    Attributes:
        begin: First row of each rank.
        end: Row after the last row of each rank.
        start_ns, end_ns, occurrence: As in table segments.
        rule: Index into RULES.
        place: Number of global collectives up to the end of the segment.
        token: Number of the call that ended the segment; equal for equal function and bytes.
        site: Number of that call with its call site.
        sequence: Hash of the sequence of global collectives up to the end of the segment.
    """

    begin: Ints
    end: Ints
    start_ns: Ints
    end_ns: Ints
    rule: NDArray[np.int8]
    place: Ints
    token: Ints
    site: Ints
    sequence: Ints
    occurrence: Ints

    def rank(self, rank: int) -> slice:
        """Return the rows of a rank (by its index in the world's list)."""
        return slice(int(self.begin[rank]), int(self.end[rank]))


@dataclass
class Alignment:
    """Boundaries that all ranks share.

    Attributes:
        members: The ranks that share the boundaries (indices in the world's list).
        rows: For each of these ranks, the rows that end at the common boundaries, [members x
            boundaries].
        diverged: For each rank that is left out, the number of its global collectives before it
            differed from the others.
        parted: Number of global collectives before the first on which no majority of the ranks
            agreed; -1: a majority always agreed.
        coarsest: Number of boundaries of the rank with the fewest.
        epochs: Number of common epochs.
        epochs_coarsest: Number of epochs of the rank with the fewest.
        by_time: Number of common epochs that were matched by time.
        final: Whether the ends of the ranks' last segments are a common boundary.
    """

    members: list[int]
    rows: Ints
    diverged: dict[int, int] = field(default_factory=dict)
    parted: int = -1
    coarsest: int = 0
    epochs: int = 0
    epochs_coarsest: int = 0
    by_time: int = 0
    final: bool = False


class CallNumbers:
    """Assigns numbers to calls; calls with equal function and bytes get equal numbers.

    Bytes are ignored for functions whose ranks send different amounts (Allgatherv, Alltoallv, ...).
    """

    def __init__(self, tokens: pa.Table) -> None:
        """Assign numbers to the calls of a job.

        Args:
            tokens: Rows of table tokens.
        """
        self._known: dict[int, object] = {}
        self._numbers: dict[object, int] = {}
        columns = (tokens[name].to_pylist() for name in ("hash", "function", "bytes"))
        for value, function, size in zip(*columns, strict=True):
            self._known[value] = (function, 0 if _BYTES_VARY.search(function) else size)

    def __call__(self, hashes: Ints) -> Ints:
        """Return the number of the call behind each token hash."""
        encoded = pa.array(hashes).dictionary_encode()
        calls = [self._known.get(value, value) for value in encoded.dictionary.to_pylist()]
        numbers = [self._numbers.setdefault(call, len(self._numbers)) for call in calls]
        index = encoded.indices.to_numpy()
        result: Ints = np.array(numbers or [0], dtype=np.int64)[index] if len(hashes) else hashes
        return result


def align(rows: Rows) -> Alignment:
    """Find the boundaries that all ranks share."""
    globals_ = [_globals(rows, rank) for rank in range(len(rows.begin))]
    result = _common_globals(rows, globals_)
    finals = _finals(rows, result)
    epochs = [_epochs(rows, rank) for rank in result.members]
    same = _common_epochs(rows, result.rows, epochs)
    fixed = _in_order(result.rows, same)
    rest = [
        np.setdiff1d(mine, matched, assume_unique=True)
        for mine, matched in zip(epochs, same, strict=True)
    ]
    close = _by_time(rows, fixed, rest)
    counts = [
        len(globals_[rank]) + len(mine) + finals.shape[1]
        for rank, mine in zip(result.members, epochs, strict=True)
    ]
    result.coarsest = min(counts, default=0)
    result.epochs_coarsest = min((len(e) for e in epochs), default=0)
    result.epochs = same.shape[1] + close.shape[1]
    result.by_time = close.shape[1]
    result.final = finals.shape[1] > 0
    result.rows = _in_order(fixed, close, finals)
    return result


def _in_order(*parts: Ints) -> Ints:
    """Join boundaries of several kinds, which do not cross."""
    both: Ints = np.concatenate(parts, axis=1)
    return both[:, np.argsort(both[0], kind="stable")] if len(both) else both


def _globals(rows: Rows, rank: int) -> Ints:
    """Return the rows that end at global collectives, in the order of the collectives."""
    at = rows.rank(rank)
    ends = np.flatnonzero(_GLOBAL[rows.rule[at]]) + at.start
    place = rows.place[ends]
    # In a valid profile the counts increase; rows for which they do not are left out.
    before = np.concatenate([[0], np.maximum.accumulate(place)[:-1]]) if len(place) else place
    result: Ints = ends[place > before]
    return result


def _epochs(rows: Rows, rank: int) -> Ints:
    at = rows.rank(rank)
    result: Ints = np.flatnonzero(rows.rule[at] == EPOCH) + at.start
    return result


def _common_globals(rows: Rows, globals_: list[Ints]) -> Alignment:
    """Find common boundaries at global collectives, and the ranks that share them."""
    members = list(range(len(globals_)))
    result = Alignment(members, np.empty((len(members), 0), dtype=np.int64))
    while members:
        places = [rows.place[globals_[rank]] for rank in members]
        common = min(places, key=len)
        for other in sorted(places, key=len):
            common = common[_among(common, other)]
        shared = np.stack(
            [
                globals_[rank][np.searchsorted(place, common)]
                for rank, place in zip(members, places, strict=True)
            ]
        )
        keys = rows.token[shared] << 16 | rows.sequence[shared]
        result.members, result.rows, result.parted = members, shared, -1
        if (keys == keys[:1]).all():
            break
        middle = np.sort(keys, axis=0)[len(members) // 2]
        same = keys == middle
        majority = 2 * same.sum(axis=0) > len(members)
        until = len(common) if majority.all() else int(np.argmin(majority))
        if until < len(common):
            result.rows, result.parted = shared[:, :until], int(common[until])
        bad = ~same[:, :until].all(axis=1)
        if not bad.any():
            break
        for rank, agrees in zip(np.array(members)[bad].tolist(), same[bad, :until], strict=True):
            result.diverged[rank] = int(common[int(np.argmin(agrees))])
        members = np.array(members)[~bad].tolist()
    return result


def _among(values: Ints, others: Ints) -> NDArray[np.bool_]:
    """Return which values are among others; both are ascending."""
    if not len(others):
        return np.zeros(len(values), dtype=bool)
    index = np.minimum(np.searchsorted(others, values), len(others) - 1)
    result: NDArray[np.bool_] = others[index] == values
    return result


def _finals(rows: Rows, alignment: Alignment) -> Ints:
    """Return the last row of each rank, if all ranks reached MPI_Finalize together; else none."""
    none = np.empty((len(alignment.members), 0), dtype=np.int64)
    if not alignment.members or alignment.parted >= 0:
        return none
    last: Ints = rows.end[alignment.members] - 1
    if (rows.rule[last] == FINAL).all() and (rows.place[last] == rows.place[last[0]]).all():
        return last[:, None]
    return none


def _common_epochs(rows: Rows, common: Ints, epochs: list[Ints]) -> Ints:
    """Match epochs by site and occurrence, if they are close in time."""
    none = np.empty((len(epochs), 0), dtype=np.int64)
    if not epochs or min(map(len, epochs)) == 0:
        return none
    tables = []
    for ends in epochs:
        key = rows.site[ends] << 40 | (rows.occurrence[ends] & ((1 << 40) - 1))
        keys, first = np.unique(key[rows.occurrence[ends] > 0], return_index=True)
        tables.append((keys, ends[rows.occurrence[ends] > 0][first]))
    shared = min((keys for keys, _ in tables), key=len)
    for keys, _ in tables:
        shared = shared[_among(shared, keys)]
    if not len(shared):
        return none
    matched = np.stack([ends[np.searchsorted(keys, shared)] for keys, ends in tables])
    matched = matched[:, np.argsort(matched[0])]
    matched = _ordered(common, matched)
    # A rank whose site occurs more often per step than another's differs more and more.
    return _close(rows, matched, _SAME_OCCURRENCE)


def _by_time(rows: Rows, common: Ints, epochs: list[Ints]) -> Ints:
    """Match each epoch of the rank with the fewest with the nearest epoch of each other rank."""
    if not epochs or min(map(len, epochs)) == 0:
        return np.empty((len(epochs), 0), dtype=np.int64)
    own = min(range(len(epochs)), key=lambda i: len(epochs[i]))
    when = rows.end_ns[epochs[own]]
    matched = _ordered(common, np.stack([_nearest(rows, mine, when) for mine in epochs]))
    matched = _close(rows, matched, _SAME_TIME)
    gaps = common.shape[1] + 1
    wanted = np.bincount(_interval(common[own], epochs[own]), minlength=gaps)
    gap = _interval(common[own], matched[own])
    matches = np.bincount(gap, minlength=gaps)
    result: Ints = matched[:, (matches >= _MOST * wanted)[gap]]
    return result


def _nearest(rows: Rows, mine: Ints, when: Ints) -> Ints:
    times = rows.end_ns[mine]
    after = np.searchsorted(times, when).clip(0, len(times) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(times[before] - when) <= np.abs(times[after] - when)
    result: Ints = mine[np.where(nearer, before, after)]
    return result


def _interval(common: Ints, epochs: Ints) -> Ints:
    """Return the number of the interval between common boundaries in which each epoch ends."""
    result: Ints = np.searchsorted(common, epochs)
    return result


def _ordered(common: Ints, matched: Ints) -> Ints:
    """Keep the matches that are between the same common boundaries on all ranks, and in order."""
    intervals = np.stack([_interval(c, m) for c, m in zip(common, matched, strict=True)])
    matched = matched[:, (intervals == intervals[:1]).all(axis=0)]
    highest = np.maximum.accumulate(matched, axis=1)
    ahead = np.ones(matched.shape[1], dtype=bool)
    ahead[1:] = (matched[:, 1:] > highest[:, :-1]).all(axis=0)
    result: Ints = matched[:, ahead]
    return result


def _close(rows: Rows, matched: Ints, share: float) -> Ints:
    """Keep the matches that all ranks reach within a share of a segment's length.

    The length is that of the longest of the ranks' segments that end there, or the median of these
    lengths over all matches if that is longer.
    """
    end = rows.end_ns[matched]
    length = (end - rows.start_ns[matched]).max(axis=0)
    usual = np.median(length) if len(length) else 0
    spread = end.max(axis=0) - end.min(axis=0)
    result: Ints = matched[:, spread <= share * np.maximum(length, usual)]
    return result
