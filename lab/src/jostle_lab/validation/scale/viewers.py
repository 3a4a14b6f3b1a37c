"""Simulates users of `jostle serve`, who request the list of jobs, then data of a job's page."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import quote

_TIMEOUT_S = 60.0


def ask(address: str, token: str, path: str) -> tuple[int, bytes, float]:
    """Send one request to `jostle serve`.

    Args:
        address: HOST:PORT.
        token: Token of its URL.
        path: Path below /api/v1.

    Returns:
        HTTP status, response, and response time in seconds, including a new connection.

    Raises:
        OSError: The server does not answer.
    """
    begin = time.monotonic()
    connection = http.client.HTTPConnection(address, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", f"/api/v1/{path}", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        return answer.status, answer.read(), time.monotonic() - begin
    finally:
        connection.close()


@dataclass
class Asked:
    """Responses to one kind of request.

    Attributes:
        at: Time of each request, s (monotonic).
        took_s: Response time of each request, in seconds.
    """

    at: list[float] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)


class Viewers:
    """Several viewers, each with a connection and a thread of its own.

    Attributes:
        asked: Responses by the kind of the request.
        errors: Descriptions of failed requests.
    """

    def __init__(self, address: str, token: str, number: int, pause_s: float) -> None:
        """Start the viewers.

        Args:
            address: HOST:PORT of `jostle serve`.
            token: Token of its URL.
            number: Number of viewers.
            pause_s: Pause between two requests of one viewer.
        """
        self._address, self._token, self._pause_s = address, token, pause_s
        self.asked: dict[str, Asked] = {}
        self.errors: list[str] = []
        self._guard, self._over = threading.Lock(), threading.Event()
        self._threads = [
            threading.Thread(target=self._look, args=(each,), daemon=True) for each in range(number)
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """End the viewers."""
        self._over.set()
        for thread in self._threads:
            thread.join(_TIMEOUT_S)

    def _look(self, number: int) -> None:
        chance = random.Random(number)
        while not self._over.is_set():
            jobs = self._ask("jobs", "jobs?limit=100")
            names = [job["job"] for job in jobs.get("jobs", [])] if jobs else []
            if names:
                job = quote(chance.choice(names), safe="")
                self._ask("job", f"jobs/{job}")
                self._ask("series", f"jobs/{job}/series?metric=bytes")
                self._ask("background", f"jobs/{job}/series?metric=bytes&of=others")
            self._over.wait(self._pause_s)

    def _ask(self, kind: str, path: str) -> dict[str, list[dict[str, str]]]:
        """Send one request; HTTP status 202 (the data is still being computed) is no error."""
        begin = time.monotonic()
        try:
            status, content, took_s = ask(self._address, self._token, path)
        except OSError as error:
            self.errors.append(f"{kind}: {error}")
            return {}
        with self._guard:
            asked = self.asked.setdefault(kind, Asked())
            asked.at.append(begin)
            asked.took_s.append(took_s)
        if status not in (200, 202, 404):
            self.errors.append(f"{kind}: {status} {content[:200]!r}")
        if status != 200:
            return {}
        found: dict[str, list[dict[str, str]]] = json.loads(content)
        return found
