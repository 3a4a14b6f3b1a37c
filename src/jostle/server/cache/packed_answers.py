"""Whole HTTP answers: their bytes are cached compressed, with an ETag for unchanged ones."""

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

from jostle.server.cache.lru_cache import LruCache

_LEVEL = 5
#: All headers that say who asks; the header of a proxy needs none, for answers are private.
_VARY = "Accept-Encoding, Authorization, Cookie"
_LEAST = 500  # bytes; a shorter answer is not compressed


@dataclass(frozen=True)
class _Packed:
    body: bytes
    is_gzip: bool


def cached_response(
    cache: LruCache,
    request: Request,
    key: tuple[Hashable, ...],
    state: Hashable,
    make: Callable[[], BaseModel | dict[str, Any] | bytes],
    media: str = "application/json",
) -> Response:
    """Return the cached answer of a key and state, or 304 if the asker has it.

    Args:
        cache: Where answers are cached.
        request: The request: `If-None-Match` and `Accept-Encoding` count.
        key: What was asked, and by whom.
        state: State of the data that the answer is made from.
        make: Makes the answer: bytes, or what becomes JSON.
        media: Media type of the answer.
    """
    name = repr((cache.salt, *key, state)).encode()
    tag = f'"{hashlib.blake2b(name, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": _VARY}
    known = [one.strip().removeprefix("W/") for one in
             request.headers.get("if-none-match", "").split(",")]  # fmt: skip
    if tag in known:
        return Response(status_code=304, headers=headers)
    packed = cache.get_or_make(("answer", *key), lambda: _packed(make()), state)
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
