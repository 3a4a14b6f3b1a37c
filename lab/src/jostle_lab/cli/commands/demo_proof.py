"""The demo's own check: compares the verdict with the neighbour's log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.analysis import Light

_STUDY = "demo"
_NOT_QUIET = {
    True: " The run without the neighbour was itself disturbed, see above:\nanother program "
    "keeps this machine busy. Repeat the demo when it has ended.",
    False: " It is undecided whether the run without the neighbour was itself disturbed.",
}


@dataclass(frozen=True)
class Proof:
    """The verdict compared with the truth.

    Attributes:
        slice_ns: Length of a time slice, in ns.
        on: Number of slices of the writer's run that the neighbour's bursts filled by half or more.
        named: Number of slices in which jostle found interference.
        both: Number of slices that are counted in both `on` and `named`.
        suspect: Name of jostle's first suspect; "" if there is none.
        neighbour: Name of the neighbour's job.
        together_s: Seconds from the writer's first operation to its end, alongside the neighbour.
        alone_s: The same number of seconds, for the run without the neighbour.
        lost_s: Seconds that the writer lost alongside the neighbour, with bounds: jostle's estimate
            from that run's profile only.
        alone: Traffic light of the run without the neighbour; None if undecided. `alone_s` is a
            fair reference only if the light is green.
    """

    slice_ns: int
    on: int
    named: int
    both: int
    suspect: str
    neighbour: str
    together_s: float
    alone_s: float
    lost_s: tuple[float, float, float]
    alone: Light | None

    def lines(self) -> list[str]:
        """Return the comparison in sentences."""
        who = "It named" if self.suspect == self.neighbour else "It did not name"
        value, low, high = self.lost_s
        length = f"{self.slice_ns / 1e6:g} ms"
        more = self.together_s - self.alone_s
        differs = f"{abs(more):.1f} s {'longer' if more >= 0 else 'shorter'}"
        return [
            f"The neighbour's own log: its bursts filled {self.on} slices of {length} of the "
            f"writer's run. jostle, which has not",
            f"read that log, named {self.named} slices; {self.both} are the same. {who} the "
            "neighbour as the first suspect.",
            f"With the neighbour the writer took {self.together_s:.1f} s, alone "
            f"{self.alone_s:.1f} s: {differs}. From the first of these runs",
            f"alone jostle said {value:.1f} s ({low:.1f} to {high:.1f})."
            + ("" if self.alone == "green" else _NOT_QUIET[self.alone is not None]),
        ]


def prove(path: Path) -> Proof:
    """Compare jostle's verdict on the demo's writer with the log of its neighbour.

    Args:
        path: Path of the demo's repository.
    """
    from jostle.cli.for_verbs import USUAL, evaluate_job
    from jostle.repository import Repository

    repository = Repository(path)
    runs = runs_of(path, _STUDY)
    (alone,) = runs[("writer",)]["programs"]
    pair = runs[("writer", "neighbour")]
    writer, neighbour = pair["programs"]
    evaluated = evaluate_job(repository, writer["job"], USUAL)
    lost, who = evaluated.estimate.lost_s, evaluated.who
    log = repository.study(_STUDY).folder / neighbour["log"]
    on = _slices_on(log, writer, pair["slice_ns"])
    named = {disturbed.start_ns for disturbed in who.disturbed} if who else set()
    return Proof(
        slice_ns=pair["slice_ns"],
        on=len(on),
        named=len(named),
        both=len(on & named),
        suspect=who.suspects[0].job if who and who.suspects else "",
        neighbour=neighbour["job"],
        together_s=seconds_of(writer),
        alone_s=seconds_of(alone),
        lost_s=(lost.value, lost.low, lost.high),
        alone=evaluate_job(repository, alone["job"], USUAL).estimate.light,
    )


def runs_of(path: Path, study: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the records of a study's runs by the names of their programs."""
    from jostle.repository import Repository

    return {
        tuple(program["name"] for program in record["programs"]): record
        for record in Repository(path).study(study).read_runs()
    }


def seconds_of(program: Mapping[str, int]) -> float:
    """Return a program's time from its first operation to its end, in seconds."""
    return (program["end_ns"] - program["begin_ns"]) / 1e9


def _slices_on(log: Path, probe: dict[str, int], step: int) -> set[int]:
    """Return the starts (ns) of the probe's slices that bursts in a log filled by half."""
    from jostle_lab.signals import read_log

    bursts = read_log(log).bursts
    filled: dict[int, int] = {}
    for burst in bursts.select(["begin_ns", "end_ns"]).to_pylist():
        begin = max(burst["begin_ns"], probe["begin_ns"])
        end = min(burst["end_ns"], probe["end_ns"])
        for start in range(begin // step * step, end, step):
            here = min(end, start + step) - max(begin, start)
            filled[start] = filled.get(start, 0) + here
    return {start for start, time in filled.items() if 2 * time >= step}
