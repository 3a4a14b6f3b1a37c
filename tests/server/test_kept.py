"""Answers in memory: bounded, and made once."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from starlette.requests import Request
from starlette.responses import Response

from jostle.server.cache.lru_cache import Kept, weight
from jostle.server.cache.packed_answers import answered


def test_what_was_not_used_for_longest_goes_first() -> None:
    kept = Kept(most_bytes=10_000)
    for name in "abc":
        kept.put(name, np.zeros(300, dtype=np.int64))
    kept.look("a")
    kept.put("d", np.zeros(300, dtype=np.int64))
    assert [name for name in "abcd" if kept.look(name) is not None] == ["a", "c", "d"]
    assert kept.bytes <= 10_000


def test_what_is_larger_than_all_room_is_not_kept() -> None:
    kept = Kept(most_bytes=1000)
    kept.put("small", b"x")
    kept.put("large", bytes(5000))
    assert kept.look("large") is None
    assert kept.look("small") == b"x"


def test_several_who_ask_at_once_wait_for_one() -> None:
    kept, made, found = Kept(), [], []

    def make() -> str:
        time.sleep(0.05)
        made.append(1)
        return "answer"

    def ask() -> None:
        found.append(kept.once("key", make))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["answer"] * 8
    assert len(made) == 1


def test_a_failure_is_not_kept() -> None:
    kept = Kept()
    with pytest.raises(ZeroDivisionError):
        kept.once("key", lambda: 1 // 0)
    assert kept.once("key", lambda: 3) == 3


def test_the_weight_of_what_holds_others() -> None:
    assert weight(np.zeros(1000)) > 8000
    assert weight({"a": [bytes(1000)] * 3}) > 3000


def test_a_new_state_takes_the_place_of_the_old_one() -> None:
    kept = Kept()
    for state in range(100):
        assert kept.once("key", lambda state=state: np.full(1000, state), state)[0] == state
    assert kept.look("key", 98) is None
    assert kept.look("key", 99)[0] == 99
    assert kept.bytes < 20_000


def test_what_is_kept_weighs_with_its_key() -> None:
    kept = Kept(most_bytes=100_000)
    for number in range(1000):
        kept.put(("answer", f"{number:01000d}"), b"x")
    assert kept.look(("answer", f"{0:01000d}")) is None


def test_an_answer_is_known_again_by_who_got_it_and_by_nobody_else() -> None:
    """A server begun anew, of another repository or version, has other names for its answers."""

    def ask(kept: Kept, viewer: str, tag: str = "") -> Response:
        headers = [(b"if-none-match", tag.encode())]
        request = Request({"type": "http", "headers": headers})
        return answered(kept, request, ("jobs", viewer), 7, lambda: {"seen by": viewer})

    kept = Kept()
    first = ask(kept, "anne")
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    assert {"Authorization", "Cookie"} <= set(first.headers["vary"].split(", "))
    assert ask(kept, "anne", tag).status_code == 304
    assert ask(kept, "bert", tag).body == b'{"seen by":"bert"}'
    assert ask(Kept(), "anne", tag).status_code == 200
