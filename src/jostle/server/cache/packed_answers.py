"""Whole answers, made once: their bytes are kept packed, and not sent to who has them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel

from jostle.server.cache.lru_cache import Kept

_LEVEL = 5
#: Whatever tells who asks; a proxy's header is told to nobody's cache (private).
_VARY = "Accept-Encoding, Authorization, Cookie"
_LEAST = 500  # bytes that are worth packing


@dataclass(frozen=True)
class _Packed:
    body: bytes
    is_gzip: bool


def answered(
    kept: Kept,
    request: Request,
    key: tuple[Hashable, ...],
    state: Hashable,
    make: Callable[[], BaseModel | dict[str, Any] | bytes],
    media: str = "application/json",
) -> Response:
    """Return an answer whose bytes are those of its key and state.

    Args:
        kept: Where answers are kept.
        request: What was asked: `If-None-Match`, `Accept-Encoding`.
        key: What was asked, and by whom.
        state: That of the data.
        make: Makes it: bytes, or what becomes JSON.
        media: Its media type.
    """
    name = repr((kept.salt, *key, state)).encode()
    tag = f'"{hashlib.blake2b(name, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": _VARY}
    known = [one.strip().removeprefix("W/") for one in
             request.headers.get("if-none-match", "").split(",")]  # fmt: skip
    if tag in known:
        return Response(status_code=304, headers=headers)
    packed = kept.once(("answer", *key), lambda: _packed(make()), state)
    body = packed.body
    if packed.is_gzip:
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
        else:
            body = gzip.decompress(body)
    return Response(body, media_type=media, headers=headers)


def _packed(made: BaseModel | dict[str, Any] | bytes) -> _Packed:
    if isinstance(made, BaseModel):
        made = made.model_dump_json().encode()
    elif isinstance(made, dict):
        made = json.dumps(made, separators=(",", ":"), ensure_ascii=False).encode()
    if len(made) < _LEAST:
        return _Packed(made, False)
    return _Packed(gzip.compress(made, _LEVEL, mtime=0), True)
