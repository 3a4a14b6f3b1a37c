"""What is told of jobs: asked of the repository once, and kept while their data are the same."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel

from jostle.analysis import digest
from jostle.errors import JostleError
from jostle.repository import Repository
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.background.tiles import Tiles
from jostle.server.cache.lru_cache import Kept
from jostle.server.cache.packed_answers import answered
from jostle.server.jobs.index import Index
from jostle.server.jobs.series import Curves, Question
from jostle.server.verdicts.estimate_store import Estimates
from jostle.server.verdicts.verdict_queue import Judge
from jostle.server.verdicts.verdict_store import Verdict, Verdicts, cache_folder, sight

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Estimate

T = TypeVar("T")
_log = logging.getLogger("jostle.serve")
#: A run that is being judged is waited for so long, s: its segments come with the verdict.
_PATIENCE_S = 30.0


class JudgingError(JostleError):
    """A run cannot be judged."""


class Stories:
    """Answers of one repository.

    Attributes:
        repository: It.
        index: Its jobs.
        tiles: Loads of all jobs by the hour.
        others: Sums of them, as far as a viewer may know them.
        judge: Makes verdicts.
    """

    def __init__(self, path: Path, cache: Path | None = None) -> None:
        """Open a repository.

        Args:
            path: Its folder.
            cache: Folder for what is kept beyond this process; None: that of the user's cache.
        """
        self.repository = Repository(path)
        self.repository.on_damage(lambda said: _log.error("damaged: %s", said))
        self.index = Index(self.repository)
        self._kept = Kept()
        cache = cache or cache_folder(path)
        self._verdicts = Verdicts(cache)
        self.tiles = Tiles(self.repository, self._kept)
        self.others = Others(self.tiles)
        self._curves = Curves(self.index, self.tiles, self.others, self._kept)
        self.judge = Judge(self.index, self._verdicts)
        self._estimates = Estimates(cache)
        self.judge.on_estimate = self._keep

    def close(self) -> None:
        """End what works beside the server."""
        self.judge.end()
        self.repository.close()

    def once(
        self, key: tuple[Hashable, ...], make: Callable[[], T], *, of: Sequence[str] = ()
    ) -> T:
        """Return what is kept under a key, or makes it; several who ask at once wait for one.

        Args:
            key: What is asked for.
            make: Makes it.
            of: Jobs as long as whose data are the same it holds; none: until the next commit.
        """
        self.rows()
        return self._kept.once(key, make, self.index.state(*of))

    def answer(
        self,
        request: Request,
        key: tuple[Hashable, ...],
        make: Callable[[], BaseModel | dict[str, Any] | bytes],
        media: str = "application/json",
        *,
        of: Sequence[str] = (),
        judged: bool = False,
    ) -> Response:
        """Return an answer with an ETag, its bytes kept as `once` keeps (see answers.py).

        Args:
            request: What was asked.
            key: As for `once`, with all that the answer depends on: who asks, too.
            make: Makes it: bytes, or what becomes JSON.
            media: Its media type.
            of: As for `once`.
            judged: It tells verdicts: it holds until there is a new one.
        """
        self.rows()
        state = (*self.index.state(*of), self._verdicts.count if judged else None)
        return answered(self._kept, request, key, state, make, media)

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the rows of the list of jobs, by name, the earliest first."""
        self.index.look()
        return self.index.rows

    def row(self, job: str, viewer: Viewer) -> dict[str, Any]:
        """Return a job's row with its verdict, where it is known already."""
        found = self._verdicts.look(job, sight(viewer.users))
        return self.rows()[job] | {"verdict": found.brief if found else None}

    def verdict(self, job: str, viewer: Viewer, wait_s: float = 0.2) -> dict[str, Any] | None:
        """Return all that the head of a job's page says; None while it is being made.

        Args:
            job: Its name.
            viewer: Who looks: he is told no names that he may not know.
            wait_s: How long to wait for one that is being made.

        Raises:
            JudgingError: The run cannot be judged.
        """
        self.rows()
        users = viewer.users
        found = self.judge.ask(job, users, wait_s)
        if found is None:  # of an earlier state: better than nothing while a run goes on
            found = self._verdicts.look(job, sight(users))
            if found is None or found.error or not self.rows()[job]["running"]:
                return None
        if found.error:
            raise JudgingError(found.error, hint=found.hint)
        told = self._kept.once(("verdict", found.job, found.sight), lambda: self._body(found),
                               (found.mark, found.made))  # fmt: skip
        return None if told is None else {"job": self.row(job, viewer), **told}

    def _body(self, found: Verdict) -> dict[str, Any] | None:
        told = self._verdicts.body(found.job, found.sight)
        if told is None:
            return None
        parts = {name: told.pop(name) for name in ("head", "blame", "interference", "mounts")}
        return {**parts, "estimate": told}

    def estimate(self, job: str, viewer: Viewer) -> Estimate:
        """Return an estimate with its segments: seconds of work where it is not kept.

        Args:
            job: Its name.
            viewer: Who asks: where his verdict is just being made, the estimate comes with it.

        Raises:
            JudgingError: The run cannot be judged.
        """
        return self.once(("estimate", job), lambda: self._estimated(job, viewer), of=[job])

    def _estimated(self, job: str, viewer: Viewer) -> Estimate:
        mark = self.index.marks.get(job, "")
        kept = self._estimates.look(job, mark)
        if kept is not None:
            return kept
        with contextlib.suppress(JostleError):  # what is wrong, the estimate says as well
            self.verdict(job, viewer, wait_s=_PATIENCE_S)
        made: Estimate | None = self._kept.look(("estimate", job), (mark,))
        if made is not None:
            return made
        found = self.judge.estimate(job)
        if found.estimate is None:
            raise JudgingError(found.error, hint=found.hint)
        self._keep(job, mark, found.estimate)
        return found.estimate

    def _keep(self, job: str, mark: str, made: Estimate) -> None:
        """Keep an estimate in memory, and on disk where its job is over."""
        self._kept.put(("estimate", job), made, (mark,))
        row = self.index.rows.get(job)
        if row is not None and not row["running"]:
            self._estimates.put(job, mark, made)

    def digest(self, job: str) -> dict[str, Any]:
        """Return the digest of a job, with other words for numbers that are none."""
        made: dict[str, Any] = self.once(
            ("digest", job),
            lambda: digest(self.repository.job_tables(job)).to_json(),
            of=[job],
        )
        return made

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
            job: A job.
            metric: A view or a metric.
            viewer: Who asks.
            of: "job", "others", or a job that the viewer may see: on the resources of both.
            resource: A mount or a node alone; "" adds up all.
            span: Start and end, ns since the epoch.
            points: The most points wanted.
        """
        self.rows()
        return self._curves.ask(Question(job, metric, of, resource), viewer, span, points)
