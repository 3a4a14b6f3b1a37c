"""Data types: what a user requests of a validation, and the results of the validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle_lab.validation.attribution_scores import AttributionScore
    from jostle_lab.validation.clusterings import Clustered
    from jostle_lab.validation.evaluate import Evaluation
    from jostle_lab.validation.lab.score import LabScore, Seen
    from jostle_lab.validation.synthetic import Family


@dataclass(frozen=True)
class Wanted:
    """Request of a validation.

    Attributes:
        parts: Requested parts: estimation, identification, clustering, synthetic.
        programs: Names of programs; empty: all installed programs.
        commands: The user's own programs, in the syntax of codes.of_command.
        runs: Number of injected runs of each program.
        quick: Whether to make few and short runs.
        seed: Seed of all random choices.
        make: Whether to make the runs that are missing.
    """

    parts: tuple[str, ...]
    programs: tuple[str, ...]
    commands: tuple[str, ...]
    runs: int
    quick: bool
    seed: int
    make: bool


@dataclass
class Results:
    """Results of a validation; a part that was not requested is None.

    Attributes:
        estimation: Scores of estimates on real programs.
        seen: Results of each experiment in the lab.
        lab: Scores over all these experiments.
        clustering: Scores of clustering methods, per program.
        synthetic: Scores of estimates on synthetic runs.
        identified: Scores of identification in synthetic repositories.
        limits: Notes for the user, one sentence each.
    """

    estimation: Evaluation | None = None
    seen: list[Seen] = field(default_factory=list)
    lab: LabScore | None = None
    clustering: list[Clustered] | None = None
    synthetic: Family | None = None
    identified: AttributionScore | None = None
    limits: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {
            "estimation": self.estimation.to_json() if self.estimation else None,
            "identification": None
            if self.lab is None
            else {**self.lab.to_json(), "experiments": [one.to_json() for one in self.seen]},
            "clustering": None
            if self.clustering is None
            else [clustered.to_json() for clustered in self.clustering],
            "synthetic": self.synthetic.to_json() if self.synthetic else None,
            "identified": self.identified.to_json() if self.identified else None,
            "limits": self.limits,
        }
