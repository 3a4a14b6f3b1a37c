"""Answers in memory: bounded, and made once."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from starlette.requests import Request
from starlette.responses import Response

from jostle.server.cache.lru_cache import LruCache, weight
from jostle.server.cache.packed_answers import cached_response


def test_what_was_not_used_for_longest_goes_first() -> None:
    cache = LruCache(most_bytes=10_000)
    for name in "abc":
        cache.put(name, np.zeros(300, dtype=np.int64))
    cache.get("a")
    cache.put("d", np.zeros(300, dtype=np.int64))
    assert [name for name in "abcd" if cache.get(name) is not None] == ["a", "c", "d"]
    assert cache.bytes <= 10_000


def test_what_is_larger_than_all_room_is_not_kept() -> None:
    cache = LruCache(most_bytes=1000)
    cache.put("small", b"x")
    cache.put("large", bytes(5000))
    assert cache.get("large") is None
    assert cache.get("small") == b"x"


def test_several_who_ask_at_once_wait_for_one() -> None:
    cache, made, found = LruCache(), [], []

    def make() -> str:
        time.sleep(0.05)
        made.append(1)
        return "answer"

    def ask() -> None:
        found.append(cache.get_or_make("key", make))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["answer"] * 8
    assert len(made) == 1


def test_a_failure_is_not_kept() -> None:
    cache = LruCache()
    with pytest.raises(ZeroDivisionError):
        cache.get_or_make("key", lambda: 1 // 0)
    assert cache.get_or_make("key", lambda: 3) == 3


def test_the_weight_of_what_holds_others() -> None:
    assert weight(np.zeros(1000)) > 8000
    assert weight({"a": [bytes(1000)] * 3}) > 3000


def test_a_new_state_takes_the_place_of_the_old_one() -> None:
    cache = LruCache()
    for state in range(100):
        assert cache.get_or_make("key", lambda state=state: np.full(1000, state), state)[0] == state
    assert cache.get("key", 98) is None
    assert cache.get("key", 99)[0] == 99
    assert cache.bytes < 20_000


def test_what_is_kept_weighs_with_its_key() -> None:
    cache = LruCache(most_bytes=100_000)
    for number in range(1000):
        cache.put(("answer", f"{number:01000d}"), b"x")
    assert cache.get(("answer", f"{0:01000d}")) is None


def test_an_answer_is_known_again_by_who_got_it_and_by_nobody_else() -> None:
    """A server begun anew, of another repository or version, has other names for its answers."""

    def ask(cache: LruCache, viewer: str, tag: str = "") -> Response:
        headers = [(b"if-none-match", tag.encode())]
        request = Request({"type": "http", "headers": headers})
        return cached_response(cache, request, ("jobs", viewer), 7, lambda: {"seen by": viewer})

    cache = LruCache()
    first = ask(cache, "anne")
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    assert {"Authorization", "Cookie"} <= set(first.headers["vary"].split(", "))
    assert ask(cache, "anne", tag).status_code == 304
    assert ask(cache, "bert", tag).body == b'{"seen by":"bert"}'
    assert ask(LruCache(), "anne", tag).status_code == 200
