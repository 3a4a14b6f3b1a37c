"""Caches compressed HTTP answers, with an ETag so that unchanged ones are not sent again."""

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
#: All headers that identify the user. A proxy's header is not listed: answers are private.
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
    """Return the cached answer of a key and state, or status 304 if the client has it already.

    Args:
        cache: The cache of answers.
        request: The request, of which `If-None-Match` and `Accept-Encoding` are used.
        key: Key of the answer, including the viewer's rights.
        state: State of the data that the answer is computed from.
        make: Function that computes the answer: bytes, or a value that becomes JSON.
        media: Media type of the answer.
    """
    name = repr((cache.salt, *key, state)).encode()
    tag = f'"{hashlib.blake2b(name, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": _VARY}
    known = [
        tag_text.strip().removeprefix("W/")
        for tag_text in request.headers.get("if-none-match", "").split(",")
    ]
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


def _packed(answer: BaseModel | dict[str, Any] | bytes) -> _Packed:
    if isinstance(answer, BaseModel):
        answer = answer.model_dump_json().encode()
    elif isinstance(answer, dict):
        answer = json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode()
    if len(answer) < _LEAST:
        return _Packed(answer, False)
    return _Packed(gzip.compress(answer, _LEVEL, mtime=0), True)
