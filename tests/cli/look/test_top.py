"""`jostle top`: running jobs in a pipe, on a screen, and from a server."""

from __future__ import annotations

import curses
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from command import jostle, plain
from running import running

from jostle.cli.top.screen import TopState, chosen, screen, trend_bars
from jostle.cli.top.source import ServerError, of_server, token_of
from jostle.cli.top.terminal import press
from jostle.errors import UsageError


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(running(tmp_path_factory.mktemp("top")))


@pytest.fixture(scope="module")
def report(repository: str) -> dict[str, Any]:
    return json.loads(jostle("top", "--json", "--repository", repository).out)


def test_json_has_who_slows_whom_on_what(report: dict[str, Any]) -> None:
    first = report["jobs"][0]
    assert first["job"] == "reader-1" and first["running"]
    assert 15 < first["now_percent"] < 35 and first["place"] == "file system /data"
    assert first["suspects"][0]["job"] == "bully-1" and first["because"] == "other jobs"
    assert [change["kind"] for change in first["changes"]] == ["slower"]
    assert 30 < first["changes"][0]["percent"] < 70
    assert first["trend"][-1] > 0 and first["trend"][0] == 0
    assert next(job for job in report["jobs"] if job["job"] == "bully-1")["lost_s"] == 0


def test_once_prints_a_table_and_the_change(repository: str) -> None:
    done = jostle("top", "--once", "--repository", repository)
    assert done.code == 0 and "2 jobs running, 1 losing time" in done.out
    assert re.search(r"reader-1 .*file system /data .*bully-1 \(", done.out)
    assert "reader-1: read calls on file system /data take" in done.out
    assert "jostle interference" in done.err
    assert jostle("top", "--filter", "nobody", "--repository", repository).out.count("\n") == 1


def test_nothing_runs(tmp_path: Path) -> None:
    from jostle.repository import Repository

    Repository(tmp_path / "r", create=True).close()
    done = jostle("top", "--repository", str(tmp_path / "r"))
    assert done.out == "No job runs, or none has a whole slice yet.\n"
    assert jostle("top", "--repository", str(tmp_path / "none")).code == 2


def test_the_screen_fits_and_keys_change_it(report: dict[str, Any]) -> None:
    state = TopState()
    for size in ((80, 24), (40, 5), (120, 3), (20, 1)):
        lines = screen(report, state, size)
        assert len(lines) <= size[1] and all(len(text) < size[0] for text, _ in lines)
    assert "selected" in {style for _, style in screen(report, state, (100, 10))}
    assert press(state, curses.KEY_DOWN, report) and state.selected == "bully-1"
    assert press(state, 10, report) and state.opened == "bully-1"
    assert any("no change" in text for text, _ in screen(report, state, (100, 30)))
    press(state, 27, report)
    assert state.opened == ""
    press(state, ord("s"), report)
    assert state.sort == "lost"
    press(state, ord("/"), report)
    for letter in "readx":
        press(state, ord(letter), report)
    press(state, 127, report)
    press(state, 10, report)
    assert [row["job"] for row in chosen(report, "now", state.filter)] == ["reader-1"]
    press(state, ord(" "), report)
    assert state.frozen and any("frozen" in text for text, _ in screen(report, state, (100, 10)))
    assert not press(state, ord("q"), report)


def test_a_trend_has_its_newest_slice_on_the_right() -> None:
    assert trend_bars([0, 0, 100], 5, ascii_only=True) == "    @"
    assert trend_bars([], 3) == "   "


def test_the_full_screen_in_a_terminal(repository: str) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    environment = plain() | {"TERM": "xterm"}
    environment.pop("COLUMNS")
    words = [sys.executable, "-m", "jostle.cli", "top", "--repository", repository]
    child = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    try:
        assert "bully-1 (" in _read_until(master, "q quit")  # the last line
        os.write(master, b"\n")
        assert "changes, the newest first" in _read_until(master, "changes, the newest")
        os.write(master, b"q")
        assert child.wait(30) == 0
    finally:
        child.kill()
        os.close(master)


def _read_until(master: int, text: str) -> str:
    seen, end = "", time.monotonic() + 30
    while text not in seen and time.monotonic() < end:
        if select.select([master], [], [], 0.5)[0]:
            seen += os.read(master, 65536).decode(errors="replace")
    assert text in seen, seen
    return seen


@pytest.fixture
def server(report: dict[str, Any]) -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            good = self.headers["Authorization"] == "Bearer secret" and self.path == "/api/v1/now"
            self.send_response(200 if good else 401)
            self.end_headers()
            self.wfile.write(json.dumps(report if good else {}).encode())

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    http = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http.server_port}"
    http.shutdown()


def test_a_server_is_asked_with_a_token(server: str, report: dict[str, Any]) -> None:
    assert of_server(server, "secret")() == report
    with pytest.raises(ServerError, match="401"):
        of_server(server, "wrong")()
    done = jostle("top", "--once", "--server", server, JOSTLE_TOKEN="secret")
    assert "bully-1" in done.out
    assert jostle("top", "--once", "--server", server).code == 2


def test_an_answer_that_breaks_off_is_an_error_that_is_shown() -> None:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"{")

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    http = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    with pytest.raises(ServerError, match="cannot be reached: IncompleteRead"):
        of_server(f"http://127.0.0.1:{http.server_port}", "secret")()
    http.shutdown()


def test_a_token_is_kept_secret(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="readable on the network"):
        of_server("http://far.example", "secret")
    file = tmp_path / "token"
    file.write_text("secret\n")
    file.chmod(0o644)
    with pytest.raises(UsageError, match="Others may read"):
        token_of(file)
    file.chmod(0o600)
    assert token_of(file) == "secret"
