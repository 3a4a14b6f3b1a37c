"""What is known of lost time without asking what was done: M and D of the account.

M: in a bin of 10 ms everybody waited beyond the floors of the calls. It came from outside, through
the network or MPI itself: a late rank of their own would not have waited. D: a rank was off its
CPU, and the others lost as much. Both are read from bins and sums that the runtime keeps
(docs/explanation/waiting.md). Floors are lower quartiles, so undisturbed calls are beyond them too:
what is usual for a kind of segment is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints, floats, lists, share, summed
from jostle.analysis.estimation.robust import usual

_LEAST = 0.02  # of a bin: clocks, and the grain of a byte per bin
_SIGMA = 1.48  # standard deviation of a MAD of 1
_JITTER_S = 1.4e-4  # of calls, in bins; undisturbed runs have 50 to 90 microseconds
_WAVES_S = 1.2e-3  # of ranks that meet their neighbours only, in segments
_TURNS_S = 9e-3  # of ranks that take turns on a core, in segments
_TURNS = 0.1  # of a segment: nearer together are shares that turns make
_KINDS = 64  # kinds whose usual wait is their own; the rest have one in common
_ENOUGH = 50  # bins of a kind to have its own
_FEW = 8  # or segments


@dataclass(frozen=True)
class Account:
    """Time per segment that was seen to be lost, seconds.

    Attributes:
        network: Everybody waited in MPI (M).
        cpu: The critical rank was off its CPU outside MPI and file calls (D).
    """

    network: Floats
    cpu: Floats


def account(segments: pa.Table, ranks: int, kind: Ints, taken: Floats | None = None) -> Account:
    """Accounts for lost time segment by segment.

    Args:
        segments: Merged segments (repository.types.WorldSegments).
        ranks: Ranks that they were merged from.
        kind: Number of the kind of each segment; of equal kinds the same is usual.
        taken: Seconds of CPU that others took, where ranks have no core of their own: what they are
            off the CPU says nothing there.
    """
    duration = floats(segments, "duration_ns") / 1e9
    row, waited = lists(segments, "wait_min_bins")
    width = floats(segments, "bin_ns")[row]
    together = summed(row, waited, segments.num_rows) / 1e9
    if taken is not None:
        # Whoever waits for a core makes all others wait, bin by bin; segments even it out.
        network = _per_kind(together * 1e9, duration * 1e9, kind, _TURNS_S, _TURNS, _FEW) / 1e9
        network = np.minimum(network, duration)
        return Account(network, np.minimum(taken, duration - network))
    network = summed(row, _per_kind(waited, width, kind[row], _JITTER_S), segments.num_rows) / 1e9
    # Without a collective between, a delay goes from neighbour to neighbour, and all wait for it in
    # the end, but not in the same bin.
    waves = floats(segments, "globals") <= 1
    least = np.where(waves, floats(segments, "wait_ns_min"), 0.0)
    network = np.maximum(network, _per_kind(least, duration * 1e9, kind, _WAVES_S) / 1e9)
    network = np.minimum(network, duration)
    together = np.maximum(together, least / 1e9)
    return Account(network, np.minimum(_cpu(segments, ranks, together), duration - network))


def _per_kind(
    waited: Floats,
    width: Floats,
    kind: Ints,
    jitter: float,
    grain: float = 1e-3,
    enough: int = _ENOUGH,
) -> Floats:
    """Gives what is beyond the usual of a kind.

    Args:
        waited: Time that everybody waited in each bin, ns.
        width: Of the bin, ns.
        kind: Of the bin's segment.
        jitter: Seconds in which the jitter of calls comes.
        grain: Shares that differ by less are the same.
        enough: Values of a kind to have its own.
    """
    if not waited.any():
        return np.zeros(len(waited))
    part = share(waited, width)
    beyond: Floats = np.zeros(len(part))
    counts = np.bincount(kind) if len(kind) else np.empty(0, np.int64)
    own = np.argsort(-counts, kind="stable")[:_KINDS]
    own = own[counts[own] >= enough]
    rest = ~np.isin(kind, own)
    for chosen in (*(kind == number for number in own), rest):
        if chosen.any():
            beyond[chosen] = _beyond(
                part[chosen], float(np.median(width[chosen])) / 1e9, jitter, grain
            )
    beyond *= width
    return beyond


def _beyond(part: Floats, width: float, jitter: float, grain: float) -> Floats:
    """Gives what is beyond the usual, of the values that are so clearly.

    The usual itself may be made of delays, when nearly every bin has some. Counts tell: n delays of
    length d make a mean of n d and a variance of n d^2, so that variance over mean is d. The jitter
    of calls comes in tens of microseconds, what comes in larger chunks is no jitter: twice as large
    are hardly any of it, so that the share falls with the fourth power.

    Args:
        part: Share of each bin that everybody waited in.
        width: Of a bin, seconds.
        jitter: As in _per_kind.
        grain: As in _per_kind.
    """
    found = usual(part, grain)
    chunk = _SIGMA**2 * found.spread**2 / max(found.centre, 1e-9) * width
    natural = found.centre * min(1.0, (jitter / max(chunk, 1e-9)) ** 4)
    if natural < found.centre:
        return np.where(part > natural + _LEAST, part - natural, 0.0)
    hit = part > found.threshold(_LEAST)
    reference = float(part[~hit].mean()) if not hit.all() else found.centre
    beyond: Floats = np.where(hit, part - reference, 0.0)
    return beyond.clip(0)


def _cpu(segments: pa.Table, ranks: int, together: Floats) -> Floats:
    """Gives the seconds that the critical rank was off its CPU outside MPI and file calls.

    A rank that was off the CPU while it had time to spare cost nobody anything: the others did not
    wait for it. So it is no more than what every rank lost, waiting or off the CPU, beyond what all
    waited at once.
    """
    row, off = lists(segments, "offcpu_max_bins")
    most = summed(row, off, segments.num_rows)
    # Sleep in file calls is off the CPU too, and told apart there.
    most = (most - floats(segments, "io_ns_max")).clip(0) / 1e9
    lost = (floats(segments, "wait_ns") + floats(segments, "offcpu_ns")) / max(ranks, 1) / 1e9
    result: Floats = np.minimum(most, (lost - together).clip(0))
    return result
