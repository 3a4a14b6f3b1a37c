"""Result types: which ranks of a job the others waited for, since when, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from jostle.values.plain_values import plain

#: Why a rank was late. All but the last two come from outside the program.
WaitCause = Literal[
    "starved", "capped", "slow cores", "slow file system", "slow link", "own imbalance", "unknown"
]
#: named: others waited for the stragglers; cleared: they waited for no rank in particular;
#: undecided: not known.
WaitAnswer = Literal["named", "cleared", "undecided"]
#: Probability, per world, that a straggler is named although all ranks are equal.
FALSE_ALARM = 0.001


@dataclass(frozen=True)
class Straggler:
    """Ranks that the other ranks of their world waited for during a span of the run.

    Attributes:
        ranks: The late ranks, one or several of one node.
        host: Node of these ranks.
        start_ns: Start of their lateness, ns since the epoch.
        end_ns: End of their lateness.
        seconds: Time that the others waited for them in that span: the least time that any other
            rank spent in communication beyond theirs, added up over the slices.
        cause: Cause of the lateness. starved: others used the core; capped: a CPU limit stopped
            them; slow cores; slow file system: longer in file calls for the same operations; slow
            link: their messages took longer; own imbalance: more work than the others, which is not
            interference.
        explained_s: Seconds of these that the cause explains.
        resource: The mount of a slow file system, else the node.
        from_start: Whether they were late from the first slices on.
        to_end: Whether they were late to the last slices.
        p: Probability of such lateness if all ranks are equal (permutation test, corrected for the
            number of ranks and spans).
        why: For an unknown cause, the reason why it is unknown, as part of a sentence; else a note
            on the cause, or "".
        decided_by: Action that would decide it, part of a sentence; "" where it is decided.
    """

    ranks: list[int]
    host: str
    start_ns: int
    end_ns: int
    seconds: float
    cause: WaitCause
    explained_s: float
    resource: str
    from_start: bool
    to_end: bool
    p: float
    why: str = ""
    decided_by: str = ""

    @property
    def interference(self) -> bool:
        """Whether the lateness came from outside the program."""
        return self.cause not in ("own imbalance", "unknown")

    @property
    def confidence(self) -> float:
        """One less `p`: the confidence that the lateness is no chance."""
        return 1 - self.p

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        derived = {"interference": self.interference, "confidence": self.confidence}
        return {**plain(self), **derived}


@dataclass(frozen=True)
class WorldWaits:
    """Which ranks of one MPI world, or of one training launch, the others waited for.

    Attributes:
        number: Number of the world in its job.
        ranks: Number of ranks that were compared.
        answer: Result: named, cleared or undecided.
        stragglers: The stragglers that are named, the one that cost most first.
        run_s: Time in which the ranks were compared.
        waited_s: Seconds in which all others waited for the last rank, whichever it was.
        least_s: Least cost of a straggler that is named.
        why: Reason why it is undecided, or the finding on a cleared world; a part of a sentence.
        decided_by: Action that would decide it, part of a sentence; "" where it is decided.
    """

    number: int
    ranks: int
    answer: WaitAnswer
    stragglers: list[Straggler] = field(default_factory=list)
    run_s: float = 0.0
    waited_s: float = 0.0
    least_s: float = 0.0
    why: str = ""
    decided_by: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        return {**plain(self), "stragglers": [each.to_json() for each in self.stragglers]}


@dataclass(frozen=True)
class JobWaits:
    """Which ranks of a job the others waited for, world by world.

    Attributes:
        job: Name of the job.
        worlds: Its worlds of two ranks and more, the one with most rank-seconds first.
        false_alarm: Probability that a straggler is named in a world whose ranks are equal.
    """

    job: str
    worlds: list[WorldWaits]
    false_alarm: float = FALSE_ALARM

    @property
    def stragglers(self) -> list[Straggler]:
        """All stragglers that are named."""
        return [each for world in self.worlds for each in world.stragglers]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        worlds = [world.to_json() for world in self.worlds]
        return {"job": self.job, "worlds": worlds, "false_alarm": self.false_alarm}
