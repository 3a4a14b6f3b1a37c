"""The verdict at the end of `jostle run`: the loss to interference, or why that is not known.

Printing the verdict never fails: the command has ended, and its exit status is kept.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from jostle.cli.launch.past_runs import ShortRun
from jostle.cli.next_step import SHORT_SLICE_NS
from jostle.cli.options.common import slice_text
from jostle.cli.output import show, stderr_style
from jostle.cli.progress import Bar
from jostle.report.format.values import duration
from jostle.schema.settings import DEFAULT_SLICE_NS, SHORTEST_SLICE_NS

if TYPE_CHECKING:
    from jostle.analysis import JobDigest
    from jostle.report.verdict.verdict import EvaluatedJob
    from jostle.repository import Repository

#: Variables of launchers in the environment of a rank, and those with the number of ranks.
_RANKS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "PMI_SIZE"),
    ("SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS"),
    ("RANK", "WORLD_SIZE"),
)
#: A run of fewer slices gets no verdict, since loading the engine takes a second; `jostle estimate`
#: still evaluates it.
_LEAST = 2
#: Multiple of the least number of slices above which a light is not undecided by their length.
_ENOUGH = 2


@dataclass(frozen=True)
class EndVerdict:
    """The verdict on a run that has ended, or why there is none.

    Attributes:
        evaluated: Estimate and suspects of the run; None if there is no verdict.
        why: Reason why there is no verdict, a sentence without its full stop; "" if there is one.
        few_slices: The hint to use shorter slices, for a run that had too few; "" for others.
    """

    evaluated: EvaluatedJob | None = None
    why: str = ""
    few_slices: str = ""

    @property
    def seen(self) -> str:
        """The finding: a key of the table of next steps."""
        if self.evaluated is None:
            return "no verdict"
        from jostle.cli.next_step import seen_by_estimate

        seen = seen_by_estimate(self.evaluated, 0)
        return seen if seen in ("a loss with suspects", "a loss") else "a verdict"

    def say(self) -> None:
        """Print the verdict on stderr."""
        bold, reset = stderr_style("bold"), stderr_style("reset")
        if self.evaluated is not None:
            from jostle.cli.views.estimate import verdict

            show(verdict(self.evaluated.estimate, self.evaluated.who), err=True)
            for line in self._stragglers(self.evaluated):
                show(f"  {line}", err=True)
        else:
            click.echo(f"{bold}no verdict:{reset} {self.why}", err=True)
        if self.few_slices and self.few_slices != self.why:
            click.echo(f"  {self.few_slices}", err=True)

    @staticmethod
    def _stragglers(evaluated: EvaluatedJob) -> list[str]:
        """Return a sentence for each rank for which the others waited."""
        from jostle.report.format.waits import straggler_row

        named = evaluated.waits.stragglers if evaluated.waits else []
        return [straggler_row(each, evaluated.names).text for each in named]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers of the verdict, or why there is none, as JSON-compatible values."""
        if self.evaluated is None:
            return {"light": None, "why": self.why}
        from jostle.report.verdict.verdict import head

        return head(self.evaluated.estimate).to_json() | {"why": ""}


def is_outermost() -> bool:
    """Return whether this run is neither within another one nor one of several ranks."""
    if os.environ.get("JOSTLE_FIRST"):
        return False
    several = (
        os.environ.get(ranks, "") not in ("", "1") for rank, ranks in _RANKS if os.environ.get(rank)
    )
    return not any(several)


def end_verdict(
    store: Repository, job: str, digest: JobDigest, *, quiet: bool = False, by_itself: bool = False
) -> EndVerdict:
    """Evaluate a run that has ended; load the engine only if a verdict is possible.

    Args:
        store: The repository with its profiles.
        job: The job's full name.
        digest: Digest of the job.
        quiet: Whether to show no progress.
        by_itself: Whether the next run of the command will have shorter slices automatically.
    """
    from jostle.analysis.estimation.light import LEAST_RUN_S

    if digest.seconds < LEAST_RUN_S:
        return EndVerdict(why=f"it ran for less than {LEAST_RUN_S:g} s")
    number, slice_ns = _slices(digest)
    hint = few_slices(digest, by_itself=by_itself)
    if number < _LEAST and not any(world.counted for world in digest.mpi):
        return EndVerdict(why=hint or had_slices(number, slice_ns, "it"), few_slices=hint)
    try:
        from jostle.report.verdict.verdict import USUAL, evaluate_job

        with Bar(f"estimating {job}", quiet=quiet) as bar:
            evaluated = evaluate_job(store, job, USUAL, say=bar.advance)
        decided = evaluated.estimate.light is not None
    except Exception as error:  # the run has ended, and has been reported
        return EndVerdict(why=(str(error) or type(error).__name__).rstrip("."), few_slices=hint)
    return EndVerdict(evaluated, few_slices="" if decided else hint)


def _slices(digest: JobDigest) -> tuple[int, int]:
    """Return the number of a run's slices, and their length, in ns."""
    slice_ns = max(digest.slice_ns, default=0)
    number = -(-(digest.end_ns - digest.start_ns) // slice_ns) if slice_ns else 0
    return max(1, number), slice_ns


def had_slices(number: int, slice_ns: int, who: str) -> str:
    """Return a text on the number of a run's slices: `this run had only 3 slices of 4 s`."""
    return f"{who} had only {number} slice{'s' if number != 1 else ''} of {duration(slice_ns)}"


def short_run(digest: JobDigest) -> ShortRun | None:
    """Return the entry of past_runs.py for a short run, with the slice length that it needs."""
    from jostle.analysis.estimation.light import LEAST_RUN_S, LEAST_SLICES

    if digest.seconds < LEAST_RUN_S:
        return None
    lengths = (DEFAULT_SLICE_NS, SHORT_SLICE_NS, SHORTEST_SLICE_NS)
    most_ns = digest.seconds * 1e9 / (_ENOUGH * LEAST_SLICES)
    needed = next((length for length in lengths if length <= most_ns), SHORTEST_SLICE_NS)
    return None if needed == DEFAULT_SLICE_NS else ShortRun(digest.seconds, needed)


def few_slices(digest: JobDigest, *, by_itself: bool) -> str:
    """Return the hint to use shorter slices, for a run that had too few; "" for any other.

    Args:
        digest: Digest of the run.
        by_itself: Whether the next run of the command will have shorter slices automatically.
    """
    from jostle.analysis.estimation.light import LEAST_SLICES

    short = short_run(digest)
    number, slice_ns = _slices(digest)
    if not short or number >= _ENOUGH * LEAST_SLICES or slice_ns <= short.slice_ns:
        return ""
    had = had_slices(number, slice_ns, "this run")
    if by_itself:
        return (
            f"{had}; the next with the same arguments has slices of {duration(short.slice_ns)}, "
            f"one with others needs --slice {slice_text(short.slice_ns)}"
        )
    return f"{had}; for one as short as this: --slice {slice_text(short.slice_ns)}"
