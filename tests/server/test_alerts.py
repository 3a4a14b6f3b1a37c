"""Alerts: who gets those of a disturbed job, and that they never delay the server."""

from __future__ import annotations

import json
import logging
import queue
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

import jostle.server.alerts as alerts_module
from jostle.server import Access, create_app
from jostle.server.access.files import AccessError
from jostle.server.access.settings import AlertSettings, read_settings
from jostle.server.alerts import SLOW_JOBS, Alerts, Webhook
from jostle.server.verdicts.verdict_store import StoredVerdict

SECRET = "T0K3N"


class Receiver:
    """A server that takes messages, with the statuses that a test wants first."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.got: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = outer.statuses.pop(0) if outer.statuses else 200
                # Before the answer: after it the next message may overtake this one.
                outer.got.put((f"{self.path} {status} {self.headers['Content-Type']}", body))
                self.send_response(status)
                self.send_header("Location", f"{outer.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self) -> None:
                self.do_POST()

            def log_message(self, *_: object) -> None:
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/{SECRET}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def next(self) -> tuple[str, dict[str, Any]]:
        return self.got.get(timeout=30)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def verdict(job: str, light: str | None, sight: str = "all", **other: object) -> StoredVerdict:
    brief = {
        "light": light,
        "undecided": "",
        "percent": 31.2,
        "lost_s": 12.5,
        "cause": "file system",
        "what": "file system",
        "resource": "/scratch",
    }
    return StoredVerdict(job, sight, "1", time.time(), 0.1, brief | other)


def watch(url: str, light: str = "red", jobs: int = 3, *, running: bool = False) -> Alerts:
    row = {"program": "/usr/bin/tar", "uid": 0, "running": running, "end_ns": time.time_ns()}
    index: Any = SimpleNamespace(rows={f"j{n}<!all>": dict(row) for n in range(jobs)})
    return Alerts(AlertSettings(url, light), index, "https://jostle.example")  # type: ignore[arg-type]


def test_a_job_that_turns_red_is_reported_once(receiver: Receiver) -> None:
    alerts = watch(receiver.url)
    for light, sight in ((None, "all"), ("green", "all"), ("yellow", "all"), ("red", "12")):
        alerts.note(verdict("j0<!all>", light, sight))
    alerts.note(StoredVerdict("j0<!all>", "all", "1", 0, 0, None, "It failed."))
    alerts.note(verdict("gone", "red"))
    alerts.note(verdict("j0<!all>", "red"))
    alerts.note(verdict("j0<!all>", "red"))
    alerts.note(verdict("j1<!all>", "red"))
    head, message = receiver.next()
    assert head == f"/{SECRET} 200 application/json"
    assert message == {
        "kind": "job",
        "text": "red: j0‹!all› lost 31 % of its time: file system (/scratch)",
        "url": "https://jostle.example/jobs/j0%3C%21all%3E",
        "job": "j0<!all>",
        "program": "/usr/bin/tar",
        "user": "root",
        "running": False,
        "light": "red",
        "percent": 31.2,
        "lost_s": 12.5,
        "cause": "file system",
        "resource": "/scratch",
    }
    assert receiver.next()[1]["job"] == "j1<!all>"
    alerts.end()


def test_yellow_is_reported_if_that_is_asked_for_and_red_after_it(receiver: Receiver) -> None:
    alerts = watch(receiver.url, "yellow", running=True)
    for light in ("yellow", "red", "yellow"):
        alerts.note(verdict("j0<!all>", light, cause="cpu"))
    assert [receiver.next()[1]["light"] for _ in range(2)] == ["yellow", "red"]
    alerts.end()


def test_history_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    alerts = watch("http://127.0.0.1:1/")
    monkeypatch.setattr(Webhook, "send", lambda _self, message: sent.append(message))
    alerts._index.rows["j0<!all>"]["end_ns"] -= 2 * 3_600_000_000_000
    alerts.note(verdict("j0<!all>", "red"))
    assert sent == []


def test_a_file_system_at_which_several_jobs_lose_time_is_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[dict[str, Any]] = []
    now = [0.0]
    monkeypatch.setattr(alerts_module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(Webhook, "send", lambda _self, message: sent.append(message))
    alerts = watch("http://127.0.0.1:1/", jobs=SLOW_JOBS + 3)
    alerts.note(verdict("j5<!all>", "red"))
    now[0] += 1000  # that was too long ago
    for number in range(SLOW_JOBS + 1):
        alerts.note(verdict(f"j{number}<!all>", "red"))
        alerts.note(verdict(f"j{number}<!all>", "red", resource="/home", cause="network"))
    reported = [message for message in sent if message["kind"] == "file system"]
    assert reported == [
        {
            "kind": "file system",
            "text": f"slow: {SLOW_JOBS} jobs lost time at /scratch",
            "url": "https://jostle.example/system",
            "resource": "/scratch",
            "jobs": [f"j{number}<!all>" for number in range(SLOW_JOBS)],
        }
    ]


def test_a_message_is_sent_again_until_it_is_taken(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses = [500, 429, 204]
    hook = Webhook(receiver.url, first_wait_s=0.01)
    hook.send({"n": 1})
    heads = [receiver.next()[0].split()[1] for _ in range(3)]
    assert heads == ["500", "429", "204"]
    assert "127.0.0.1 does not answer as it should: status 500" in caplog.text
    assert SECRET not in caplog.text
    hook.end()


def test_redirects_are_not_followed_and_refusals_not_repeated(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses = [302, 404]
    hook = Webhook(receiver.url, first_wait_s=0.01)
    for number in range(3):
        hook.send({"n": number})
    assert [receiver.next()[1]["n"] for _ in range(3)] == [0, 1, 2]
    assert receiver.got.empty()
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2
    assert "status 302" in caplog.text
    assert SECRET not in caplog.text
    hook.end()


def test_nobody_there_holds_nothing_up(caplog: pytest.LogCaptureFixture) -> None:
    hook = Webhook(f"http://127.0.0.1:1/{SECRET}")
    begin = time.monotonic()
    for number in range(150):
        hook.send({"n": number})
    hook.end()
    assert time.monotonic() - begin < 1
    assert "a message is dropped" in caplog.text
    assert SECRET not in caplog.text


def test_the_table_of_the_operators_file(tmp_path: Path) -> None:
    file, secret = tmp_path / "serve.toml", tmp_path / "hook"
    secret.write_text("https://chat.example/T0K3N\n")
    secret.chmod(0o600)
    file.write_text(f'[alerts]\nurl_file = "{secret}"\nlight = "yellow"\n')
    assert read_settings(file).alerts() == AlertSettings("https://chat.example/T0K3N", "yellow")
    file.write_text("")
    assert read_settings(file).alerts() is None
    for text in (f'url_file = "{secret}"\nlight = "green"', 'light = "red"', f'url = "{secret}"'):
        file.write_text(f"[alerts]\n{text}\n")
        with pytest.raises(AccessError):
            read_settings(file).alerts()
    file.write_text(f'[alerts]\nurl_file = "{secret}"\n')
    for url in ("http://chat.example/T0K3N", "https://chat.example/a b", "nonsense", ""):
        secret.write_text(url)
        with pytest.raises(AccessError) as refused:
            read_settings(file).alerts()
        assert "T0K3N" not in str(refused.value)


def test_the_server_has_all_jobs_assessed_and_reports(
    injected: Path, tmp_path: Path, receiver: Receiver, followed: list[frozenset[int] | None]
) -> None:
    followed.clear()
    app = create_app(injected, Access(), tmp_path, alerts=AlertSettings(receiver.url, "red"))
    with TestClient(app):
        assert followed == [None]
        assess = app.state.verdict_queue
        end = time.monotonic() + 30
        while not assess._index.rows:  # it looks for slices though no page is open
            assert time.monotonic() < end
            time.sleep(0.05)
        job, row = next(iter(assess._index.rows.items()))
        row["end_ns"] = time.time_ns()
        assess.on_stored(verdict(job, "red"))
        assert receiver.next()[1]["job"] == job
