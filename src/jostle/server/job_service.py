"""Answers requests about jobs from the repository; answers are cached while data do not change."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel

from jostle.analysis import digest
from jostle.errors import JostleError
from jostle.names.batch_jobs import BatchJob, batch_job_of, part_name
from jostle.report.models.job.scheduler import with_facts
from jostle.report.verdict.batch_loss import (
    JobLoss,
    added_loss,
    loss_numbers,
    loss_of_verdict,
    too_short,
)
from jostle.report.verdict.site_advice import JobCosts, stored_costs
from jostle.repository import Repository
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.background.tiles import Tiles
from jostle.server.cache.lru_cache import LruCache
from jostle.server.cache.packed_answers import cached_response
from jostle.server.jobs.index import Filter, JobIndex, fits
from jostle.server.jobs.series import Curves, Question
from jostle.server.verdicts.estimate_store import EstimateStore
from jostle.server.verdicts.verdict_queue import VerdictQueue
from jostle.server.verdicts.verdict_store import StoredVerdict, VerdictStore, cache_folder, sight

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate

T = TypeVar("T")
_log = logging.getLogger("jostle.serve")
#: How long to wait for a verdict that is being made, s: it comes with the job's segments.
_PATIENCE_S = 30.0


class EvaluationError(JostleError):
    """The interference of a job cannot be evaluated."""


class JobService:
    """Answers requests about the jobs of one repository.

    Attributes:
        repository: The repository.
        index: Jobs of the repository.
        tiles: Loads of all jobs, cached by hour.
        others: Sums of these loads, as far as a viewer may see them.
        queue: Queue that makes verdicts.
    """

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        """Open a repository.

        Args:
            path: Folder of the repository.
            cache: Folder in which verdicts and estimates are kept after the end of this process;
                None: in the user's cache.
        """
        self.repository = Repository(path)
        self.repository.on_damage(lambda damaged: _log.error("damaged: %s", damaged.missing()))
        self.index = JobIndex(self.repository)
        self._cache = LruCache()
        cache = cache or cache_folder(path)
        self._verdicts = VerdictStore(cache)
        self.tiles = Tiles(self.repository, self._cache)
        self.others = Others(self.tiles)
        self._curves = Curves(self.index, self.tiles, self.others, self._cache)
        self.queue = VerdictQueue(self.index, self._verdicts)
        self._estimates = EstimateStore(cache)
        self.queue.on_estimate = self._keep

    def close(self) -> None:
        """End the verdict process and close the repository."""
        self.queue.end()
        self.repository.close()

    def cached(
        self, key: tuple[Hashable, ...], make: Callable[[], T], *, of: Sequence[str] = ()
    ) -> T:
        """Return the cached result of a key, or compute it once for all concurrent callers.

        Args:
            key: Key of the result.
            make: Function that computes the result.
            of: Jobs on which the result depends; empty: it is valid until the next commit.
        """
        self.rows()
        return self._cache.get_or_make(key, make, self.index.state(*of))

    def answer(
        self,
        request: Request,
        key: tuple[Hashable, ...],
        make: Callable[[], BaseModel | dict[str, Any] | bytes],
        media: str = "application/json",
        *,
        of: Sequence[str] = (),
        has_verdicts: bool = False,
    ) -> Response:
        """Return an answer with an ETag; its bytes are cached as by `cached`.

        Args:
            request: The request.
            key: Key of the answer; it contains everything on which the answer depends, also the
                viewer.
            make: Function that computes the answer: bytes, or a value that becomes JSON.
            media: Media type of the answer.
            of: Jobs on which the answer depends, as for `cached`.
            has_verdicts: Whether the answer contains verdicts; then any new verdict makes it
                invalid.
        """
        self.rows()
        state = (*self.index.state(*of), self._verdicts.count if has_verdicts else None)
        return cached_response(self._cache, request, key, state, make, media)

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the rows of the list of jobs by job name, the earliest first."""
        self.index.refresh_if_stale()
        return self.index.rows

    def row(self, job: str, viewer: Viewer) -> dict[str, Any]:
        """Return a job's row with `verdict`, and `why_not`: why there can be no verdict, if known.

        Raises:
            JobError: There is no such job (any more).
        """
        self.rows()
        return self.with_verdict(self.index.row(job), viewer)

    def with_verdict(self, row: Mapping[str, Any], viewer: Viewer) -> dict[str, Any]:
        """Return a row with `verdict` and `why_not`, as `row` does, but for a row that is given.

        So it also works for a job that the repository no longer has.
        """
        verdict = self._verdicts.get(row["job"], sight(viewer.users))
        brief, why_not = (verdict.brief, verdict.error) if verdict else (None, "")
        if brief is not None:  # the suspects are on the job's page, and in the metrics
            brief = {key: value for key, value in brief.items() if key != "suspects"}
        return {**row, "verdict": brief, "why_not": why_not}

    def suspects(self, job: str, viewer: Viewer) -> list[dict[str, Any]]:
        """Return the suspects that caused most of a job's loss, from its stored verdict."""
        verdict = self._verdicts.get(job, sight(viewer.users))
        brief = verdict.brief if verdict else None
        return brief.get("suspects", []) if brief else []

    def verdict(self, job: str, viewer: Viewer, wait_s: float = 0.2) -> dict[str, Any] | None:
        """Return the full verdict on a job; None while it is being made.

        Args:
            job: Name of the job.
            viewer: The viewer: the verdict names no job that the viewer may not see.
            wait_s: Time to wait for a verdict that is being made, in seconds.

        Raises:
            EvaluationError: The job cannot be evaluated.
            JobError: The job expired meanwhile.
        """
        self.rows()
        users = viewer.users
        verdict = self.queue.ask(job, users, wait_s)
        if verdict is None:  # an earlier verdict is better than none during a run
            verdict = self._verdicts.get(job, sight(users))
            if verdict is None or verdict.error or not self.index.row(job)["running"]:
                return None
        if verdict.error:
            raise EvaluationError(verdict.error, hint=verdict.hint)
        body = self._cache.get_or_make(
            ("verdict", verdict.job, verdict.sight),
            lambda: self._body(verdict),
            (verdict.mark, verdict.made),
        )
        row = self.row(job, viewer) | {"part": part_name(job)}
        return None if body is None else {"job": row, **body}

    def disturbed(self, job: str, viewer: Viewer) -> list[dict[str, Any]] | None:
        """Return the slices in which others slowed a job; None: it has no stored verdict."""
        verdict = self._verdicts.get(job, sight(viewer.users))
        body = None if verdict is None else self._verdicts.body(verdict.job, verdict.sight)
        if body is None:
            return None
        found: list[dict[str, Any]] = (body["interference"] or {}).get("disturbed", [])
        return found

    @property
    def state_of_all(self) -> int:
        """A number that changes with the repository and with each new verdict."""
        return hash((self.repository.commits(), self._verdicts.count))

    def has_verdict(self, job: str, viewer: Viewer) -> bool:
        """Return whether a job has a stored verdict, or a known reason why there can be none."""
        return self._verdicts.get(job, sight(viewer.users)) is not None

    def lost_s(self, job: str, viewer: Viewer) -> float | None:
        """Return the loss of a job to interference, s; None: it has no stored verdict."""
        verdict = self._verdicts.get(job, sight(viewer.users))
        return None if verdict is None or not verdict.brief else float(verdict.brief["lost_s"])

    def costs(self, job: str, viewer: Viewer) -> JobCosts | None:
        """Return the losses of a job by suspect and resource; None: it has no stored verdict."""
        verdict = self._verdicts.get(job, sight(viewer.users))
        if verdict is None or not verdict.brief:
            return None
        body = self._verdicts.body(verdict.job, verdict.sight)
        return None if body is None else stored_costs(job, body)

    def batch(
        self, name: str, rows: Mapping[str, dict[str, Any]], viewer: Viewer
    ) -> dict[str, Any] | None:
        """Return the loss of a batch job from the verdicts on its parts; None: no such job.

        Args:
            name: Number of the batch job, or its whole name.
            rows: Rows of the jobs that the viewer may see.
            viewer: The viewer.
        """
        wanted = Filter(batch=name)
        parts = [row | {"verdict": None} for row in rows.values()]
        parts = [row for row in parts if fits(row, wanted)]
        named = {row["batch"] for row in parts}
        batch = batch_job_of(parts[0]["job"]) if len(named) == 1 else None
        if batch is None:
            return None
        losses = [loss for row in parts if (loss := self._part_loss(row, viewer))]
        whole = {
            "script": batch.script,
            "parts": parts,
            "start_ns": min(row["start_ns"] for row in parts),
            "end_ns": max(row["end_ns"] for row in parts),
        }
        waiting = len(parts) - len(losses)
        total = None if waiting else added_loss(whole, losses)
        return {
            "name": batch.name,
            "title": batch.title,
            "parts": len(parts),
            "waiting": waiting,
            "run_s": (whole["end_ns"] - whole["start_ns"]) / 1e9,
            "loss": total and loss_numbers(total).to_json(),
            "scheduler": self._facts(batch, whole),
        }

    def _facts(self, batch: BatchJob, whole: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the batch system's facts on a batch job; None if it belongs to several users."""
        owners = {row["uid"] for row in whole["parts"]}
        if len(owners) != 1 or None in owners:
            return None
        row = {
            "job": batch.script,
            "uid": owners.pop(),
            "start_ns": whole["start_ns"],
            "end_ns": whole["end_ns"],
            "running": any(part["running"] for part in whole["parts"]),
        }
        found: dict[str, Any] | None = with_facts(self.repository, [row])[0]["scheduler"]
        return found

    def _part_loss(self, row: Mapping[str, Any], viewer: Viewer) -> JobLoss | None:
        """Return the loss of a part of a batch job; None: it has no stored verdict yet."""
        if why := too_short(row):
            return JobLoss(row["job"], None, why)
        verdict = self._verdicts.get(row["job"], sight(viewer.users))
        if verdict is None:
            return None
        if verdict.error:
            return JobLoss(row["job"], None, verdict.error)
        body = self._verdicts.body(verdict.job, verdict.sight)
        return None if body is None else loss_of_verdict(body)

    def _body(self, verdict: StoredVerdict) -> dict[str, Any] | None:
        body = self._verdicts.body(verdict.job, verdict.sight)
        if body is None:
            return None
        parts = {name: body.pop(name) for name in ("head", "attribution", "interference", "mounts")}
        waits = body.pop("waits", None)  # verdicts that an earlier version stored have none
        return {**parts, "waits": waits, "estimate": body}

    def estimate(self, job: str, viewer: Viewer) -> RunEstimate:
        """Return an estimate with its segments; it takes seconds if it is not cached.

        Args:
            job: Name of the job.
            viewer: The viewer. If the verdict for this viewer is being made, its estimate is used.

        Raises:
            EvaluationError: The job cannot be evaluated.
        """
        # An estimate includes data on neighbours, which depends on the viewer.
        key = ("estimate", job, sight(viewer.users))
        return self.cached(key, lambda: self._estimated(job, viewer), of=[job])

    def _estimated(self, job: str, viewer: Viewer) -> RunEstimate:
        mark = self.index.marks.get(job, "")
        users = viewer.users
        estimate = self._estimates.get(job, sight(users), mark)
        if estimate is not None:
            return estimate
        with contextlib.suppress(JostleError):  # the estimate fails with the same error
            self.verdict(job, viewer, wait_s=_PATIENCE_S)
        cached: RunEstimate | None = self._cache.get(("estimate", job, sight(users)), (mark,))
        if cached is not None:
            return cached
        verdict_answer = self.queue.estimate(job, users)
        if verdict_answer.estimate is None:
            raise EvaluationError(verdict_answer.error, hint=verdict_answer.hint)
        self._keep(job, sight(users), mark, verdict_answer.estimate)
        return verdict_answer.estimate

    def _keep(self, job: str, seen: str, mark: str, estimate: RunEstimate) -> None:
        """Cache an estimate in memory, and on disk if its job has ended."""
        self._cache.put(("estimate", job, seen), estimate, (mark,))
        row = self.index.rows.get(job)
        if row is not None and not row["running"]:
            self._estimates.put(job, seen, mark, estimate)

    def digest(self, job: str) -> dict[str, Any]:
        """Return the digest of a job as JSON (null for NaN)."""
        content: dict[str, Any] = self.cached(
            ("digest", job), lambda: digest(self.repository.job_tables(job)).to_json(), of=[job]
        )
        return content

    def series(
        self,
        job: str,
        metric: str,
        viewer: Viewer,
        *,
        of: str = "job",
        resource: str = "",
        span: tuple[int, int],
        points: int,
    ) -> dict[str, Any]:
        """Return a view (see `jostle timeline --metric`) over a span; see `Curves.ask`.

        Args:
            job: Name of the job.
            metric: A view or a metric.
            viewer: The viewer.
            of: The job or jobs whose values are returned, as in `Question.of`.
            resource: Name of the only mount or node; "": the sum over all.
            span: Start and end, ns since the epoch.
            points: Largest number of points.
        """
        self.rows()
        return self._curves.ask(Question(job, metric, of, resource), viewer, span, points)

    def gpus(self, job: str, metric: str, span: tuple[int, int], points: int) -> dict[str, Any]:
        """Return a view over a span on each GPU of a job; see `Curves.ask_gpus`."""
        self.rows()
        return self._curves.ask_gpus(job, metric, span, points)
