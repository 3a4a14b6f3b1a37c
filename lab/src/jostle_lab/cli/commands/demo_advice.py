"""Follows jostle's advice on the demo's writer, and compares the saving with the prediction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jostle_lab.cli.commands.demo_proof import runs_of, seconds_of

#: The study in which the advice is followed.
APPLIED = "applied"
#: The advice that the demo can follow.
_RULE = "one after the other"


@dataclass(frozen=True)
class AppliedAdvice:
    """The predicted and the measured saving of a piece of advice.

    Attributes:
        lever: Name of the change; "" if the demo can follow none of the advice.
        predicted_s: Predicted saving of run time with its bounds, s; None if `lever` is "".
        measured_s: Measured saving of run time, s; None if `lever` is "".
        nothing: Reason why there was no advice; "" if there was some.
    """

    lever: str
    predicted_s: tuple[float, float, float] | None
    measured_s: float | None
    nothing: str

    def lines(self) -> list[str]:
        """Return the comparison in sentences."""
        if self.predicted_s is None or self.measured_s is None:
            return [self.nothing or "Nothing was advised that this demo can do."]
        value, low, high = self.predicted_s
        within = "within" if low <= self.measured_s <= high else "outside of"
        return [
            f"Predicted before: {value:.1f} s less ({low:.1f} to {high:.1f}). Measured now: "
            f"{self.measured_s:.1f} s less,",
            f"{within} the interval. The neighbour pays: it starts when the writer has ended.",
        ]


def advice_for(repository: Path, job: str) -> Any:
    """Return the advice on a job of the demo's repository, as `job.advice()` does."""
    import jostle

    with jostle.open(repository) as site:
        return site.job(job).advice()


def is_followed(advice: Any) -> bool:
    """Return whether the demo can follow a piece of advice."""
    return any(each.rule == _RULE and each.saving for each in advice.found)


def one_after_the_other(study: Path, folder: Path) -> Path:
    """Rewrite a study of the demo with its two programs one after the other.

    Args:
        study: The demo's study.
        folder: Folder for the rewritten study's file.

    Returns:
        Path of the rewritten study's file.
    """
    text = study.read_text()
    text = text.replace('name = "demo"\n', f'name = "{APPLIED}"\n', 1)
    head, _, _ = text.partition("[pairs]")
    path = folder / f"{APPLIED}.toml"
    path.write_text(f"{head}[pairs]\nall = false\n")
    return path


def applied(repository: Path, advice: Any) -> AppliedAdvice:
    """Compare what was predicted with the run in which the advice was followed.

    Args:
        repository: The demo's repository.
        advice: Advice on the writer, from `advice_for`.
    """
    chosen = next((each for each in advice.found if each.rule == _RULE), None)
    if chosen is None or chosen.saving is None:
        return AppliedAdvice("", None, None, advice.nothing)
    writer = runs_of(repository, "demo")["writer", "neighbour"]["programs"][0]
    (alone,) = runs_of(repository, APPLIED)[("writer",)]["programs"]
    saving = chosen.saving
    return AppliedAdvice(
        chosen.lever,
        (saving.value, saving.low, saving.high),
        seconds_of(writer) - seconds_of(alone),
        "",
    )
