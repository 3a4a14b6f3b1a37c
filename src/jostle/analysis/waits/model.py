"""Result types of the search for late ranks: for which ranks the others waited, when, and why."""

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
        ranks: Numbers of the late ranks: one rank, or several ranks of one node.
        host: Node of these ranks.
        start_ns: Start of the span in which they were late, ns since the epoch.
        end_ns: End of this span, ns since the epoch.
        seconds: Time for which the others waited for them in this span. In each slice, this is the
            least communication time of any other rank, less that of the late ranks.
        cause: Cause of the lateness. "starved": other processes used their cores. "capped": a CPU
            limit stopped them. "slow cores": their cores were slower. "slow file system": the same
            file operations took longer. "slow link": their messages took longer. "own imbalance":
            they had more work than the others, which is no interference. "unknown": not known.
        explained_s: Part of `seconds` that the cause explains.
        resource: The mount for a slow file system, else the node.
        from_start: Whether they were late from the first slices of the run on.
        to_end: Whether they were late up to the last slices of the run.
        p: Probability of such lateness if all ranks are equal (permutation test, corrected for the
            number of ranks and spans).
        why: If the cause is unknown, the reason why; else a note on the cause, or "". It is part of
            a sentence.
        decided_by: Action that would show the cause, as part of a sentence; "" where it is known.
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
        """Confidence that the lateness is not due to chance: 1 - `p`."""
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
        answer: "named" if the others waited for the stragglers, "cleared" if they waited for no
            rank in particular, "undecided" if this is not known.
        stragglers: The late ranks that are named, those that cost the others most time first.
        run_s: Length of the time in which the ranks were compared, in seconds.
        waited_s: Time for which all others waited for the last rank, whichever it was, in seconds.
        least_s: Least time that late ranks must cost the others to be named, in seconds.
        why: Reason why the answer is undecided, or what was found in a cleared world; part of a
            sentence.
        decided_by: Action that would decide the answer, as part of a sentence; "" where it is
            decided.
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
        worlds: The job's worlds with two or more ranks, the one with most rank-seconds first.
        false_alarm: Probability that a rank is named in a world whose ranks are equal.
    """

    job: str
    worlds: list[WorldWaits]
    false_alarm: float = FALSE_ALARM

    @property
    def stragglers(self) -> list[Straggler]:
        """The late ranks that are named, of all worlds."""
        return [each for world in self.worlds for each in world.stragglers]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        worlds = [world.to_json() for world in self.worlds]
        return {"job": self.job, "worlds": worlds, "false_alarm": self.false_alarm}
