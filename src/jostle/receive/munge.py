"""Checks MUNGE credentials with libmunge, which queries this machine's munged."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from jostle.errors import UsageError

_SOCKET = 8  # MUNGE_OPT_SOCKET
_EXPIRED, _REWOUND, _REPLAYED = 15, 16, 17
_DAEMON = (6, 7)  # EMUNGE_SOCKET, EMUNGE_TIMEOUT
_MOST_PAYLOAD = 4096


@dataclass(frozen=True)
class MungeResult:
    """The result of munged's check of a credential.

    Attributes:
        state: `valid`; `clock` (expired or from the future); `replayed` (used before); `down`
            (munged does not answer); or `wrong` (not valid for another reason).
        why: munged's message if the credential is not valid.
        uid: Uid of the user who created the credential.
        payload: Payload of the credential.
    """

    state: str
    why: str = ""
    uid: int = -1
    payload: bytes = b""


class Munge:
    """The MUNGE library, whose calls wait for munged without holding the interpreter's lock."""

    def __init__(self, socket: Path | None = None) -> None:
        """Load the library.

        Args:
            socket: Path of munged's socket, if it is not the usual one.

        Raises:
            UsageError: The library is not installed.
        """
        try:
            self._lib = ctypes.CDLL("libmunge.so.2")
            self._c = ctypes.CDLL(None)
        except OSError:
            raise UsageError(
                "MUNGE is requested, but this machine has no libmunge.so.2.",
                hint="Install munge (Debian: libmunge2; Red Hat: munge-libs).",
            ) from None
        self._socket = bytes(socket) if socket else None
        lib, pointer = self._lib, ctypes.c_void_p
        lib.munge_ctx_create.restype = pointer
        lib.munge_ctx_destroy.argtypes = [pointer]
        lib.munge_ctx_set.argtypes = [pointer, ctypes.c_int]
        lib.munge_strerror.restype = ctypes.c_char_p
        lib.munge_decode.argtypes = [ctypes.c_char_p, *[pointer] * 5]
        self._c.free.argtypes = [pointer]

    def check(self, credential: bytes) -> MungeResult:
        """Ask munged whether a credential is valid; munged accepts each credential only once."""
        lib = self._lib
        context = lib.munge_ctx_create()
        if not context:
            return MungeResult("down", "out of memory")
        buffer, size = ctypes.c_void_p(), ctypes.c_int()
        uid, gid = ctypes.c_uint32(), ctypes.c_uint32()
        try:
            if self._socket:
                lib.munge_ctx_set(context, _SOCKET, ctypes.c_char_p(self._socket))
            error = lib.munge_decode(
                credential,
                context,
                ctypes.byref(buffer),
                ctypes.byref(size),
                ctypes.byref(uid),
                ctypes.byref(gid),
            )
            payload = b""
            if buffer.value and 0 < size.value <= _MOST_PAYLOAD:
                payload = ctypes.string_at(buffer.value, size.value)
        finally:
            if buffer.value:
                self._c.free(buffer)
            lib.munge_ctx_destroy(context)
        why = "" if not error else lib.munge_strerror(error).decode(errors="replace")
        return MungeResult(_state(error), why, uid.value, payload)


def _state(error: int) -> str:
    if error in (_EXPIRED, _REWOUND):
        return "clock"
    if error in _DAEMON:
        return "down"
    return {0: "valid", _REPLAYED: "replayed"}.get(error, "wrong")
