"""Sends alerts (messages) when a job is disturbed, or when a file system slows several jobs."""

from __future__ import annotations

import http.client
import json
import logging
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from jostle import __version__
from jostle.names.users import owner_name
from jostle.server.jobs.index import JobIndex
from jostle.server.loss_alerts import LossAlerts
from jostle.server.verdicts.verdict_queue import VerdictQueue
from jostle.server.verdicts.verdict_store import StoredVerdict, sight
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.report.models.now import Now
    from jostle.server.access.settings import AlertSettings

_log = logging.getLogger("jostle.serve")
#: Jobs without a newer slice get no alerts, ns: a new server evaluates all jobs.
_RECENT_NS = 3_600_000_000_000
#: A file system is slow if this many jobs lost time at it within a time, s; reported once an hour.
SLOW_JOBS, _WITHIN_S, _AGAIN_S = 3, 900.0, 3600.0
_RANKS = {"yellow": 1, "red": 2}
#: Interval of checks for new slices while no page is open, s.
_LOOK_S = 5.0
_TIMEOUT_S = 10.0
#: Longest time of a command that sends a message, s.
_COMMAND_S = 60.0
#: Waits between two tries, s, doubled each time up to the longest; and the number of tries.
_FIRST_WAIT_S, _LONGEST_WAIT_S, _TRIES = 1.0, 300.0, 16
_MOST_WAITING = 100


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Handles redirects as errors: a server must not send a message on to another recipient."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        """Follow no redirect."""


class Webhook:
    """Sends messages to one URL by HTTP POST, one after another, in a thread of its own."""

    def __init__(self, url: str, first_wait_s: float = _FIRST_WAIT_S) -> None:
        """Create an idle sender; the first message starts its thread.

        Args:
            url: URL of the recipient; it is a secret, so only its host is logged.
            first_wait_s: Wait before the second attempt, in seconds.
        """
        self._url, self._host = url, urlsplit(url).hostname or "?"
        self._first_wait_s = first_wait_s
        self._waiting: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._opener = urllib.request.build_opener(_NoRedirect)

    def send(self, message: dict[str, Any]) -> None:
        """Queue a message without waiting; if the queue is full, the message is dropped."""
        try:
            self._waiting.put_nowait(json.dumps(message).encode())
        except queue.Full:
            _log.warning("alerts: %s takes none; a message is dropped", self._host)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="alerts")
            self._thread.start()

    def end(self) -> None:
        """Drop the messages that have not been sent."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                body = self._waiting.get(timeout=1.0)
            except queue.Empty:
                continue
            self._deliver(body)

    def _deliver(self, body: bytes) -> None:
        wait = self._first_wait_s
        for _ in range(_TRIES):
            why, passing = self._post(body)
            if not why:
                return
            if not passing:
                break
            _log.warning("alerts: %s does not answer as it should: %s", self._host, why)
            if self._over.wait(wait):
                return
            wait = min(2 * wait, _LONGEST_WAIT_S)
        _log.error("alerts: %s takes no message, it is dropped: %s", self._host, why)

    def _post(self, body: bytes) -> tuple[str, bool]:
        """Post a message; return why it failed, "" on success, and whether a retry may succeed."""
        headers = {"Content-Type": "application/json", "User-Agent": f"jostle/{__version__}"}
        asked = urllib.request.Request(self._url, body, headers, method="POST")
        try:
            self._opener.open(asked, timeout=_TIMEOUT_S).close()
        except urllib.error.HTTPError as error:
            error.close()
            return f"status {error.code}", error.code >= 500 or error.code == 429
        except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
            reason = getattr(error, "reason", error)
            return getattr(reason, "strerror", None) or type(reason).__name__, True
        return "", False


class MailCommand:
    """Passes messages to a command, such as one that sends e-mail, one after another."""

    def __init__(self, words: Sequence[str]) -> None:
        """Create an idle sender.

        Args:
            words: The command. On standard input it gets the message: its sentence, its URL, and
                then all of it as JSON.
        """
        self._words = list(words)
        self._pool = ThreadPoolExecutor(1, "alert-command")

    def send(self, message: dict[str, Any]) -> None:
        """Queue a message without waiting until it is sent."""
        self._pool.submit(self._run, message)

    def end(self) -> None:
        """Drop the messages that have not been sent."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self, message: dict[str, Any]) -> None:
        text = f"{message['text']}\n{message['url']}\n\n{json.dumps(message, indent=2)}\n"
        try:
            done = subprocess.run(
                self._words,
                input=text.encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_COMMAND_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            _log.warning("alerts: %s cannot be run: %s", self._words[0], type(error).__name__)
            return
        if done.returncode:
            _log.warning("alerts: %s ended with status %d", self._words[0], done.returncode)


class Alerts:
    """Decides for which verdicts, and for which losses of running jobs, a message is sent."""

    def __init__(
        self, settings: AlertSettings, index: JobIndex, url: str, now: Now | None = None
    ) -> None:
        """Create the object without starting to watch jobs.

        Args:
            settings: Recipients, and the least serious traffic light for which messages are sent.
            index: The jobs of the repository.
            url: The server's own URL, for links.
            now: Losses of running jobs; None: only verdicts are checked.
        """
        self._senders: list[Webhook | MailCommand] = []
        if settings.url:
            self._senders.append(Webhook(settings.url))
        if settings.command:
            self._senders.append(MailCommand(settings.command))
        self._now, self._losses = now, LossAlerts(url, settings.silence)
        self._least = _RANKS[settings.light]
        self._index, self._page = index, url
        self._sent: dict[str, int] = {}
        self._lost: deque[tuple[float, str, str]] = deque()  # time, file system and job
        self._sent_at: dict[str, float] = {}
        self._over = threading.Event()

    def start(self, verdicts: VerdictQueue) -> None:
        """Start the evaluation of all jobs, also while no page is open."""
        verdicts.on_stored = self.note
        verdicts.follow(None)
        threading.Thread(target=self._look, daemon=True, name="alerts-look").start()

    def end(self) -> None:
        """End all watching and sending."""
        self._over.set()
        for sender in self._senders:
            sender.end()

    def _send(self, message: dict[str, Any]) -> None:
        for sender in self._senders:
            sender.send(message)

    def _look(self) -> None:
        while not self._over.is_set():
            try:
                self._index.refresh_if_stale()
                if self._now is not None:
                    self._now.refresh()
                    for message in self._losses.update(self._now.report(), time.monotonic()):
                        self._send(message)
            except Exception as error:  # the log of requests has it as well; it may be temporary
                _log.warning("alerts: the repository cannot be read: %s", error)
            self._over.wait(_LOOK_S)

    def note(self, verdict: StoredVerdict) -> None:
        """Handle a new verdict; send a message if the job's light has become worse."""
        row = self._index.rows.get(verdict.job)
        rank = _RANKS.get((verdict.brief or {}).get("light") or "", 0)
        if row is None or verdict.sight != sight(None) or rank < self._least:
            return
        if row["end_ns"] < time.time_ns() - _RECENT_NS:  # of a running job: its newest slice
            return
        if rank > self._sent.get(verdict.job, 0):
            self._sent[verdict.job] = rank
            self._send(self._of_job(verdict, row))
        assert verdict.brief is not None
        if verdict.brief["cause"] == "file system" and verdict.brief["resource"]:
            self._note_loss(verdict.brief["resource"], verdict.job)

    def _of_job(self, verdict: StoredVerdict, row: dict[str, Any]) -> dict[str, Any]:
        brief = verdict.brief or {}
        at = f" ({brief['resource']})" if brief["resource"] else ""
        lost = f"{verdict.job} lost {brief['percent']:.0f} % of its time: {brief['what']}{at}"
        return {
            "kind": "job",
            "text": _plain(f"{brief['light']}: {lost}"),
            "url": f"{self._page}/jobs/{quote(verdict.job, safe='')}",
            "job": verdict.job,
            "program": row["program"],
            "user": None if row["uid"] is None else owner_name(row["uid"]),
            "running": row["running"],
            **{key: brief[key] for key in ("light", "percent", "lost_s", "cause", "resource")},
        }

    def _note_loss(self, resource: str, job: str) -> None:
        """Note that a job lost time at a file system; send a message if several jobs did."""
        now = time.monotonic()
        self._lost.append((now, resource, job))
        while self._lost[0][0] < now - _WITHIN_S:
            self._lost.popleft()
        jobs = list(dict.fromkeys(who for _, where, who in self._lost if where == resource))
        if len(jobs) < SLOW_JOBS or now - self._sent_at.get(resource, -_AGAIN_S) < _AGAIN_S:
            return
        self._sent_at[resource] = now
        self._send(
            {
                "kind": "file system",
                "text": _plain(f"slow: {len(jobs)} jobs lost time at {resource}"),
                "url": f"{self._page}/system",
                "resource": resource,
                "jobs": jobs,
            }
        )


def _plain(text: str) -> str:
    """Return a text without mark-up of chat servers, which names chosen by users may contain."""
    return one_line(text).translate({ord("<"): "‹", ord(">"): "›"})
