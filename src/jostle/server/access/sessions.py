"""Sessions of logged-in users, stored on the server with a hash of the browser's secret."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from jostle.server.access.viewer import Viewer

IDLE_S = 12 * 3600.0
WHOLE_S = 7 * 86400.0
#: Most sessions of one viewer; the least recently used one is dropped.
_MOST = 20


@dataclass
class _Session:
    viewer: Viewer
    proof: str
    began_s: float
    used_s: float
    idle_s: float


class Sessions:
    """The sessions of one server process, with which they end."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._all: dict[bytes, _Session] = {}
        self._guard = threading.Lock()

    def begin(self, viewer: Viewer, *, proof: str = "", idle_s: float = IDLE_S) -> str:
        """Begin a session.

        Args:
            viewer: The user who logged in.
            proof: Text on which the session depends: it ends when the text changes (see `find`).
            idle_s: Time after which an unused session ends, in seconds.

        Returns:
            Secret of the session, 256 bits.
        """
        secret, now = secrets.token_urlsafe(32), self._clock()
        with self._guard:
            self._all = {
                key: session for key, session in self._all.items() if not _over(session, now)
            }
            his = [key for key, session in self._all.items() if session.viewer.name == viewer.name]
            his.sort(key=lambda key: self._all[key].used_s)
            for key in his[: max(len(his) - _MOST + 1, 0)]:
                del self._all[key]
            self._all[_hash(secret)] = _Session(viewer, proof, now, now, idle_s)
        return secret

    def find(
        self, secret: str, proof: Callable[[str], str] | None = None, *, is_use: bool = True
    ) -> Viewer | None:
        """Return the viewer of a session's secret; None: the session has ended or never existed.

        Args:
            secret: Secret from the cookie or the script.
            proof: Function that returns the current `proof` (see `begin`) of a login name.
            is_use: Whether the call counts as a use, which prolongs the session.
        """
        key, now = _hash(secret), self._clock()
        with self._guard:
            # NOTE: the key is a hash, whose bytes no client can choose.
            session = self._all.get(key)
            if session is None:
                return None
            if _over(session, now) or (proof and proof(session.viewer.name) != session.proof):
                del self._all[key]
                return None
            if is_use:
                session.used_s = now
            return session.viewer

    def end(self, secret: str) -> None:
        """End a session, if it exists."""
        with self._guard:
            self._all.pop(_hash(secret), None)

    def end_all(self, name: str) -> None:
        """End all sessions of a user."""
        with self._guard:
            self._all = {
                key: session for key, session in self._all.items() if session.viewer.name != name
            }


def csrf(secret: str) -> str:
    """Return the CSRF token that each changing request must contain."""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def _over(session: _Session, now: float) -> bool:
    return now - session.used_s > session.idle_s or now - session.began_s > WHOLE_S
