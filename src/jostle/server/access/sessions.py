"""Who is logged in: kept on the server, of the browser's secret only a hash."""

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
#: Of one viewer; the one unused for longest gives way.
_MOST = 20


@dataclass
class _Session:
    viewer: Viewer
    proof: str
    began_s: float
    used_s: float
    idle_s: float


class Sessions:
    """The sessions of one server; they end with it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._all: dict[bytes, _Session] = {}
        self._guard = threading.Lock()

    def begin(self, viewer: Viewer, *, proof: str = "", idle_s: float = IDLE_S) -> str:
        """Begin a session.

        Args:
            viewer: Who has logged in.
            proof: What he has logged in by; when it changes the session is over (see `find`).
            idle_s: How long it lasts without being used.

        Returns:
            Its secret, of 256 bits.
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
        """Return whose session a secret opens; None: it is over, or never was.

        Args:
            secret: From the cookie or the script.
            proof: Name -> what he would log in by now.
            is_use: It is used by this, and lasts longer.
        """
        key, now = _hash(secret), self._clock()
        with self._guard:
            # NOTE: the look-up goes by the hash, whose bytes nobody outside can choose.
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
        """End a session; nothing happens where there is none."""
        with self._guard:
            self._all.pop(_hash(secret), None)

    def end_all(self, name: str) -> None:
        """End all sessions of somebody."""
        with self._guard:
            self._all = {
                key: session for key, session in self._all.items() if session.viewer.name != name
            }


def csrf(secret: str) -> str:
    """Return what a page must send along to change anything: only a holder of the secret can."""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def _over(session: _Session, now: float) -> bool:
    return now - session.used_s > session.idle_s or now - session.began_s > WHOLE_S
