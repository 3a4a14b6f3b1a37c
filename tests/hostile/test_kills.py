"""Killed before any call on a file, repeatedly, nothing is lost or doubled."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence

import pytest
from grounds import Grounds
from test_faults import wrong

#: Operations of which each of a chain is killed, and the last of which is then done in peace.
CHAINS = {
    "ingest": ("ingest", "ingest", "compact"),
    "compact": ("ingest", "compact", "compact"),
    "expire": ("compact", "expire", "expire"),
}
KILLS = [
    *(("ingest", 40), ("compact", 20), ("expire", 20)),
    *(
        pytest.param(*more, marks=pytest.mark.nightly)
        for more in (("ingest", 110), ("compact", 40), ("expire", 50))
    ),
]
_LENGTH = 10


@pytest.mark.in_turn
@pytest.mark.parametrize(("last", "least"), KILLS)
def test_killed_again_and_again(grounds: Grounds, last: str, least: int) -> None:
    names, rng = CHAINS[last], random.Random(last)
    # Where ingests came before a compaction, all is there.
    plain = grounds.plain("ingest" if last == "compact" else last)
    calls = {name: len(grounds.plain(name).calls) for name in names}
    kills = 0
    while kills < least:
        kills += chain(grounds, last, names, calls, rng)
        ended = grounds.again("ingest") if last == "compact" else None
        ended = grounds.again(last) if ended is None else ended
        assert not wrong("ingest" if last == "compact" else last, plain, ended), (last, kills)


def chain(
    grounds: Grounds, last: str, names: Sequence[str], calls: dict[str, int], rng: random.Random
) -> int:
    """Kills some operations on one ground, one after the other; gives how many died."""
    kills = 0
    for number in range(_LENGTH):
        name = rng.choice(names)
        do = grounds.again if number else grounds.run
        # Early calls only look at what is there: half the kills come where files are written.
        first = calls[name] // 2 if rng.random() < 0.5 else 1
        status = do(name, kill_at=rng.randint(first, calls[name])).status
        assert status in (0, -signal.SIGKILL), (last, name, status)
        kills += status != 0
    return kills
