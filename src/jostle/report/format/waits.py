"""Sentences and data on stragglers: late ranks, for which the other ranks of a job waited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.report.format.values import local_time, seconds
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.analysis.waits.model import JobWaits, Straggler, WaitCause, WorldWaits

#: Why a rank was late, after its name; {it} and {its} are of one rank or of several.
_CAUSES: dict[WaitCause, str] = {
    "starved": "others had {its} cores",
    "capped": "a CPU limit stopped {it}",
    "slow cores": "{its} cores were slower",
    "slow file system": "{its} file calls on {resource} took longer",
    "slow link": "messages over the link of this node took longer",
    "own imbalance": "more work of {its} own, which is imbalance and not interference",
}
_MOST_RANKS = 6  # that are listed by number


@dataclass(frozen=True)
class StragglerRow:
    """A row of the table of stragglers.

    Attributes:
        who: The late ranks and their node: `rank 3 on node02`.
        when: Begin and end as text, local time.
        seconds: Time that the other ranks waited for them, in seconds.
        reason: Why these ranks were late, in words; for an unknown cause, also how to find it.
        interference: Whether the cause is outside the program.
        confidence: 1 minus the probability that ranks of equal speed show such a delay by chance.
        text: The whole row as one sentence.
    """

    who: str
    when: str
    seconds: float
    reason: str
    interference: bool
    confidence: float
    text: str


def straggler_row(straggler: Straggler, names: Mapping[str, str]) -> StragglerRow:
    """Return the row of a straggler.

    Args:
        straggler: The late ranks.
        names: Path of each mount, for users.
    """
    several = len(straggler.ranks) > 1
    who = f"{_ranks(straggler.ranks)} on {straggler.host}"
    reason = _reason(straggler, names, several=several)
    when = _when(straggler)
    text = (
        f"{who[0].upper()}{who[1:]} {'were' if several else 'was'} waited for {when}, "
        f"{seconds(straggler.seconds)} in all: {reason}."
    )
    return StragglerRow(
        who, when, straggler.seconds, reason, straggler.interference, straggler.confidence, text
    )


def wait_sentences(waits: JobWaits | None, names: Mapping[str, str]) -> list[str]:
    """Return sentences on the late ranks of each world of a job, at least one per world.

    Args:
        waits: The result of `waits_of` for the job; None: it has no ranks.
        names: Path of each mount, for users.
    """
    found: list[str] = []
    worlds = waits.worlds if waits else []
    for world in worlds:
        which = f"world {world.number}: " if len(worlds) > 1 else ""
        if world.stragglers:
            rows = [straggler_row(each, names) for each in world.stragglers]
            found += [f"{which}{row.text}" for row in rows]
        else:
            found.append(f"{which}{world_text(world)}")
    return found


def world_text(world: WorldWaits) -> str:
    """Return a sentence on a world in which no straggler was found."""
    if world.answer == "cleared":
        lower = f"; a wait of less than {seconds(world.least_s)} would not have been detected"
        return f"No rank kept the others waiting: {world.why}{lower}."
    return (
        f"It is undecided whether a rank kept the others waiting, because {world.why}; "
        f"{world.decided_by} would decide it."
    )


def waits_json(waits: JobWaits | None, names: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the late ranks of a job as JSON-compatible values, with the sentences on them.

    Args:
        waits: The result of `waits_of` for the job; None: it has no ranks.
        names: Path of each mount, for users.
    """
    if waits is None:
        return None
    worlds = []
    for world in waits.worlds:
        rows = [each.to_json() | plain(straggler_row(each, names)) for each in world.stragglers]
        text = " ".join(row["text"] for row in rows) or world_text(world)
        worlds.append({**world.to_json(), "stragglers": rows, "text": text})
    return {**waits.to_json(), "worlds": worlds}


def _ranks(ranks: Sequence[int]) -> str:
    """Return ranks in words: `rank 3`, `ranks 0, 2 to 5 and 9`."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    runs: list[list[int]] = []
    for rank in sorted(ranks):
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    parts = [
        f"{run[0]} to {run[-1]}" if len(run) > 2 else " and ".join(map(str, run)) for run in runs
    ]
    if len(parts) > _MOST_RANKS:
        parts = [*parts[:_MOST_RANKS], f"more, {len(ranks)} in all"]
    return f"ranks {', '.join(parts)}"


def _when(straggler: Straggler) -> str:
    begin, end = (_clock(at) for at in (straggler.start_ns, straggler.end_ns))
    if straggler.from_start and straggler.to_end:
        return "from start to end"
    if straggler.from_start:
        return f"from the start to {end}"
    return f"from {begin} on" if straggler.to_end else f"from {begin} to {end}"


def _clock(instant_ns: int) -> str:
    return local_time(instant_ns, zone=False).split()[1]


def _reason(straggler: Straggler, names: Mapping[str, str], *, several: bool) -> str:
    if straggler.cause == "unknown":
        return (
            f"the cause is unknown, because {straggler.why}; {straggler.decided_by} would show it"
        )
    resource = names.get(straggler.resource, straggler.resource)
    words = _CAUSES[straggler.cause].format(
        it="them" if several else "it", its="their" if several else "its", resource=resource
    )
    return f"{words} ({straggler.why})" if straggler.why else words
