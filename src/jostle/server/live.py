"""Notifies pages of changes by server-sent events."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from fastapi import HTTPException

from jostle.server.access import Viewer
from jostle.server.job_service import JobService

_log = logging.getLogger("jostle.serve")
#: Shortest interval between two checks of the repository's log, s.
_POLL_S = 0.25
#: Interval until the log is read again after it could not be, s.
_AGAIN_S = 5.0
#: Interval of comments on a quiet stream, s.
_BEAT_S = 15.0
#: Interval of checks whether a listener is still logged in, s.
_CHECK_S = 1.0
#: Most concurrent streams, in total and of one viewer.
MOST_STREAMS, MOST_OF_ONE = 200, 20
#: Most changes by which a slow listener may lag; older ones are lost.
_REMEMBERED = 256
#: Delay between notifications of listeners, so that their requests are spread over time, s.
_APART_S = 0.02
#: Largest share of a core for reading changes.
_SHARE = 0.2


@dataclass(frozen=True)
class _Change:
    jobs: tuple[str, ...]
    is_verdict: bool


class LiveEvents:
    """Watches the commit log of a repository while there are listeners, with one watch for all."""

    def __init__(self, job_service: JobService) -> None:
        """Create the stream; the first listener starts the watch."""
        self._job_service = job_service
        self._listeners: dict[Viewer, int] = {}
        self._news = asyncio.Condition()
        self._changes: deque[_Change] = deque(maxlen=_REMEMBERED)
        self._count = self._turns = 0
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def enter(self, viewer: Viewer) -> None:
        """Register a listener.

        Raises:
            HTTPException: 429: there are too many.
        """
        own = self._listeners.get(viewer, 0)
        if sum(self._listeners.values()) >= MOST_STREAMS or own >= MOST_OF_ONE:
            raise HTTPException(429, "Too many pages follow this server already.")
        self._listeners[viewer] = own + 1

    def _leave(self, viewer: Viewer) -> None:
        self._listeners[viewer] -= 1
        if not self._listeners[viewer]:
            del self._listeners[viewer]

    async def events(
        self, viewer: Viewer, is_still_in: Callable[[], bool] = lambda: True
    ) -> AsyncIterator[str]:
        """Yield server-sent events about changes, and comments that prevent timeouts of proxies.

        An event `commit` lists the jobs whose data changed, an event `verdict` the jobs with a new
        verdict. Only jobs that the viewer may see are listed. The data of both events are
        {number, newest_ns, jobs}.

        The stream ends about a second after the viewer has logged out, or after the role of the
        viewer has changed.

        Args:
            viewer: The viewer, whom `enter` has admitted.
            is_still_in: Function that returns whether the same viewer would still be admitted.
        """
        try:
            if self._job_service.index.number < 0:
                await asyncio.to_thread(self._job_service.index.refresh_if_stale)
            if self._task is None or self._task.done():
                loop = asyncio.get_running_loop()
                self._job_service.queue.on_verdict = lambda job: _schedule(
                    loop, self._add_verdict(job)
                )
                # Start at the commit of the first event, so that no later commit is missed.
                self._task = asyncio.create_task(self._watch(self._job_service.index.number))
            self._turns += 1
            seen, turn = self._count, self._turns
            yield self._event("commit", [])
            quiet = 0.0
            while True:
                has_news = await self._wait_for_news(seen)
                if has_news and not self._over:
                    await asyncio.sleep(_APART_S * (turn % sum(self._listeners.values())))
                if self._over or not is_still_in():
                    return
                if not has_news:
                    quiet += _CHECK_S
                    if quiet >= _BEAT_S:
                        quiet = 0.0
                        yield ": still here\n\n"
                    continue
                quiet = 0.0
                new = list(self._changes)[-min(self._count - seen, len(self._changes)) :]
                seen = self._count
                for is_verdict in (False, True):
                    some = [change for change in new if change.is_verdict == is_verdict]
                    jobs = [
                        job for change in some for job in change.jobs if self._sees(viewer, job)
                    ]
                    if some and (jobs or not is_verdict):
                        yield self._event("verdict" if is_verdict else "commit", jobs)
        finally:
            self._leave(viewer)

    async def end(self) -> None:
        """End all streams; no new ones are accepted."""
        async with self._news:
            self._over = True
            self._news.notify_all()

    async def _wait_for_news(self, seen: int) -> bool:
        """Wait at most _CHECK_S; return whether there are more than `seen` changes, or the end."""
        try:
            async with asyncio.timeout(_CHECK_S), self._news:
                while self._count == seen and not self._over:
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    def _sees(self, viewer: Viewer, job: str) -> bool:
        row = self._job_service.index.rows.get(job)
        return row is not None and viewer.sees(row["uid"])

    def _event(self, name: str, jobs: list[str]) -> str:
        index = self._job_service.index
        data = {
            "number": index.number,
            "newest_ns": index.newest_ns,
            "jobs": list(dict.fromkeys(jobs)),
        }
        return f"event: {name}\nid: {index.number}\ndata: {json.dumps(data)}\n\n"

    async def _watch(self, reported: int) -> None:
        """Report the commits after commit `reported`, as long as there are listeners."""
        loop = asyncio.get_running_loop()
        index, wait = self._job_service.index, _POLL_S
        while self._listeners:
            await asyncio.sleep(wait)
            begin = loop.time()
            try:
                await asyncio.to_thread(index.refresh_if_stale)
            except Exception as error:  # it may pass; nobody else begins to watch again
                _log.warning("live: the repository cannot be read: %s", error)
                wait = _AGAIN_S
                continue
            wait = max(_POLL_S, (loop.time() - begin) / _SHARE)
            if index.number != reported:
                await self._add(_Change(tuple(index.since(reported)), is_verdict=False))
                reported = index.number

    async def _add_verdict(self, job: str) -> None:
        await self._add(_Change((job,), is_verdict=True))

    async def _add(self, change: _Change) -> None:
        async with self._news:
            self._changes.append(change)
            self._count += 1
            self._news.notify_all()


def _schedule(loop: asyncio.AbstractEventLoop, news: object) -> None:
    """Pass a change from the verdict queue's thread to the event loop, unless it is closed."""
    if asyncio.iscoroutine(news):
        if loop.is_closed():
            news.close()
        else:
            asyncio.run_coroutine_threadsafe(news, loop)
