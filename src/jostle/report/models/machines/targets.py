"""Storage targets that are slower than their peers, from the files of one job or of all jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jostle.analysis.identification.resources.slow_targets import SlowTarget, slow_targets
from jostle.report.format.values import count, significant

if TYPE_CHECKING:
    from jostle.repository import Repository

_FILES = """
SELECT job, mount, targets, read_bytes, read_ns, write_bytes, write_ns FROM files
WHERE len(targets) > 0 AND ($1 IS NULL OR list_contains($1, job))
"""


def slow_targets_of(
    store: Repository, jobs: Sequence[str] | None = None
) -> tuple[int, list[SlowTarget]]:
    """Find storage targets that are slower than their peers.

    Args:
        store: The repository.
        jobs: Jobs whose files are compared; None: all jobs.

    Returns:
        The number of files with targets, and the slow targets, the slowest first.
    """
    files = store.query(_FILES, [None if jobs is None else list(jobs)])
    return files.num_rows, slow_targets(files)


def target_words(slow: SlowTarget) -> str:
    """Return a sentence on a slow storage target."""
    done = {"read": "Reading from", "write": "Writing to"}[slow.way]
    return (
        f"{done} storage target {slow.target} of {slow.mount} took {significant(slow.factor)} "
        f"times as long per byte as on the other targets ({significant(slow.low)} to "
        f"{significant(slow.high)}; {count(slow.files)} files against {count(slow.peers)}, "
        f"{count(slow.targets)} targets, p = {slow.p_value:.1g})."
    )
