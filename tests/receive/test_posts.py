"""Posts to a running receiver: who may send, which are refused, and how."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from receive_node import Node, body, ranged
from running_receiver import Running

from jostle.errors import UsageError
from jostle.receive import add_token, read_settings
from jostle.receive import receiver as receiver_module
from jostle.receive.receiver import Visitor
from jostle.receive.tokens import Tokens

SECOND = 1_000_000_000


def test_what_is_acknowledged_is_in_the_mirror(receiver: Running) -> None:
    node = receiver.node("node-17.example.org")
    answer = node.post(ranged(1, b"hello"), ranged(2))
    assert answer.status == 200
    assert (answer.have(1), answer.have(2), answer.done(1)) == (5, 0, False)
    assert abs(answer.time_ns - time.time_ns()) < 60 * SECOND
    assert int(answer.words["credit"]) > 1 << 20
    assert float(answer.words["after"]) == 0
    assert (receiver.mirror / node.name / "1000/a.b.jst").read_bytes() == b"hello"


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"Authorization": None}, 401, "credential"),
        ({"Authorization": "Bearer secret-n2"}, 401, "credential"),
        ({"Authorization": "Munge MUNGE:AwQ="}, 401, "credential"),
        ({"Authorization": "Basic bjE6c2VjcmV0"}, 401, "credential"),
        ({"Jostle_Node": "n2"}, 401, "credential"),
        ({"Jostle_Node": "../n1"}, 400, "node"),
        ({"Jostle_Node": ".."}, 400, "node"),
        ({"Jostle_Node": "n1/n2"}, 400, "node"),
        ({"Jostle_Node": "n" * 129}, 400, "node"),
        ({"Jostle_Node": None}, 400, "node"),
        ({"Jostle_Boot": "../../etc"}, 400, "malformed"),
        ({"Jostle_Time": "soon"}, 400, "malformed"),
        ({"Jostle_Time": str(time.time_ns() - 3600 * SECOND)}, 409, "clock"),
        ({"Jostle_Time": str(time.time_ns() + 3600 * SECOND)}, 409, "clock"),
        ({"Jostle_Verified_Node": "n1"}, 400, "header"),
        ({"Content_Type": "application/json"}, 415, "type"),
        ({"Content_Encoding": "gzip"}, 415, "encoding"),
        ({"Content_Length": "9000000"}, 413, "size"),
    ],
)
def test_a_post_is_refused_with_a_reason(
    receiver: Running, changed: dict[str, str], status: int, code: str
) -> None:
    answer = receiver.node().post(ranged(1, b"refused", name="r.jst"), **changed)
    assert (answer.status, answer.code) == (status, code), answer.words
    assert answer.words["why"]
    assert answer.words["fix"]
    assert abs(answer.time_ns - time.time_ns()) < 60 * SECOND
    assert not list(receiver.mirror.glob("*/*/r.jst"))


def test_a_node_of_another_receiver_learns_which(receiver: Running) -> None:
    tokens = receiver.folder / "tokens"
    secret = add_token(tokens, "x7")  # read again while the receiver runs
    answer = Node(receiver.port, secret, "x7").post(ranged(1, b"x"))
    assert (answer.status, answer.code) == (421, "elsewhere")
    assert answer.words["receiver"] == "https://other:8643"
    assert not (receiver.mirror / "x7").exists()


def test_bodies_that_lie_are_refused_and_the_next_post_is_taken(receiver: Running) -> None:
    node = receiver.node("n2")
    for sent in (b"", b"no zstd", body(ranged(1, b"x"))[:-2], body(b"rubbish")):
        assert node.send(sent).status == 400
    assert node.send(bytes(100), Transfer_Encoding="chunked", Content_Length=None).status in (
        400,
        411,
    )
    node = receiver.node("n2")
    assert node.post(ranged(1, b"x")).have(1) == 1


def test_connections_that_ask_nothing_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def visit() -> None:
        with socket.create_server(("127.0.0.1", 0)) as place:
            config = uvicorn.Config(
                nothing, http=Visitor, ws="none", lifespan="off", log_level="critical"
            )
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve(sockets=[place]))
            port = place.getsockname()[1]
            # One that sends its head a byte at a time, one that sends nothing.
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            silent, _ = await asyncio.open_connection("127.0.0.1", port)
            begin = time.monotonic()
            with contextlib.suppress(OSError):
                while not reader.at_eof() and time.monotonic() < begin + 5:
                    writer.write(b"G")
                    await writer.drain()
                    await asyncio.sleep(0.02)
            with contextlib.suppress(OSError):
                await silent.read()
            assert time.monotonic() - begin < 3
            # Beyond the most connections, who asks is served and who waits longest must go.
            waiting = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
            reader, writer = waiting[-1]
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b" 204 " in await reader.readline()
            with contextlib.suppress(OSError):
                assert await waiting[0][0].read() == b""
            server.should_exit = True
            await serving

    monkeypatch.setattr(receiver_module, "HEAD_S", 0.5)
    monkeypatch.setattr(Visitor, "most", 3)
    asyncio.run(asyncio.wait_for(visit(), 20))


def test_heads_beyond_all_bounds_are_refused(receiver: Running) -> None:
    with socket.create_connection(("127.0.0.1", receiver.port), 10) as place:
        place.sendall(b"POST /ship/1 HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 100_000)
        assert b" 400 " in place.recv(4096)
    twice = {
        "Host": "x",
        "Connection": "close",
        **receiver.node().head(),
        "jostle-node": "n2",
        "Content-Length": "0",
    }
    with socket.create_connection(("127.0.0.1", receiver.port), 10) as place:
        lines = "".join(f"{key}: {value}\r\n" for key, value in twice.items())
        place.sendall(f"POST /ship/1 HTTP/1.1\r\n{lines}\r\n".encode())
        assert b"twice" in place.makefile("rb").read()


def test_other_addresses_have_answers_of_their_own(receiver: Running) -> None:
    node = receiver.node()
    assert node.get("/ship/1")[0] == 405
    assert node.get("/")[0] == 404
    status, content, _ = node.get("/health")
    assert (status, json.loads(content)["ok"]) == (200, True)


def test_the_examples_of_the_reference_are_valid(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs/reference/receive.md").read_text()
    examples = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 3
    path = tmp_path / "receive.toml"
    for example in examples:
        path.write_text(example)
        settings = read_settings(path)
        if settings.elsewhere:
            assert settings.takes("rack4-17")
            assert not settings.takes("rack5-1")
            assert settings.right_one("rack5-1").startswith("https://receiver2")


def test_the_operator_hears_once_who_is_refused(starting: Callable[..., Running]) -> None:
    receiver = starting()
    for _ in range(3):
        receiver.node("n1").post(ranged(1), Authorization="Bearer wrong")
    receiver.node("n2").post(ranged(1), Jostle_Node="../x\x1b[31m")
    log = (receiver.folder / "log").read_text()
    assert log.count("n1 is refused (401 credential): the token is not that of this node.") == 1
    assert "A node at 127.0.0.1 is refused (400 node)" in log
    assert "\x1b" not in log
    assert "wrong" not in log


def test_nodes_wait_while_the_disk_is_nearly_full(starting: Callable[..., Running]) -> None:
    receiver = starting(config=f"free_bytes = {1 << 60}\n")
    answer = receiver.node().post(ranged(1, b"x"))
    assert (answer.status, answer.code) == (503, "disk-low")
    assert int(answer.headers["retry-after"]) > 0
    status, content, _ = receiver.node().get("/health")
    assert (status, json.loads(content)["problems"]) == (503, ["the disk is nearly full"])


def test_tokens_are_kept_as_hashes_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    first, other = add_token(path, "n1"), add_token(path, "n2")
    second = add_token(path, "n1")
    assert path.stat().st_mode & 0o777 == 0o600
    assert first not in path.read_text()
    assert hashlib.sha256(second.encode()).hexdigest() in path.read_text()
    tokens = Tokens(path)
    assert tokens.fits("n1", second)
    assert tokens.fits("n2", other)
    assert not tokens.fits("n1", first)
    assert not tokens.fits("n2", second)
    assert not tokens.fits("n3", "")
    path.chmod(0o644)
    os.utime(path)
    with pytest.raises(UsageError, match="0644"):
        tokens.refresh()
    with pytest.raises(UsageError, match="is not a valid name"):
        add_token(path, "a/b")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('listn = "x:1"', "Did you mean `listen`"),
        ("node_bytes = -1", "cannot be -1"),
        ('munge = "yes"', "cannot be 'yes': it is not true or false"),
        ("node_bytes = true", "it is not a whole number"),
        ("most_lag_s = nan", "it must be greater than 0"),
        ('tokens = ""', "`tokens` cannot be '': it is empty"),
        ('munge_users = ["x", ""]', "cannot be '': it is empty"),
        ("listen = 2026-01-01", "it is not a string"),
        ('elsewhere = { "rack5-*" = 1 }', "`rack5-*` of [elsewhere] cannot be 1"),
        ("nodes = [1]", "cannot be"),
        ('listen = "0.0.0.0:1"\ntokens = "t"', "Without TLS"),
        ('listen = "0.0.0.0:1"', "No method of authentication"),
        ("munge = true", "has no address to listen on"),
        ('listen = "[::1]:1"\nmunge = true\ntls_cert = "c"', "belong together"),
        ("x", "not valid TOML"),
    ],
)
def test_settings_that_cannot_be_are_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "receive.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_settings(path)
    assert why in f"{caught.value} {caught.value.hint}"
