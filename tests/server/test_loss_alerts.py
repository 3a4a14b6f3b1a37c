"""Alerts of losses while jobs run: grouped by culprit, silenced, and closed when they end."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jostle.analysis.live.model import LiveAnswer, LiveSuspect
from jostle.report.models.now import NowJob, NowReport
from jostle.server.access.settings import AlertSettings, read_settings
from jostle.server.alerts import Alerts, MailCommand
from jostle.server.loss_alerts import CLOSES_S, LossAlerts

PAGE = "https://jostle.example"


def losing(job: str, percent: float, culprit: str = "bully<1>", sure: float = 0.9) -> NowJob:
    answer = LiveAnswer(
        job=job,
        program="p",
        uid=1,
        nodes=(),
        start_ns=0,
        seen_ns=0,
        running=True,
        run_s=100,
        lost_s=5,
        unexplained_s=0,
        now_percent=percent,
        resource_kind="file system",
        resource="nfs:x",
        suspects=(LiveSuspect(culprit, 1.0, sure),),
        because="other jobs",
    )
    return NowJob(answer, "anne", "file system /scratch", "", "")


def report(*jobs: NowJob) -> NowReport:
    return NowReport(0, jobs)


def test_one_culprit_with_many_victims_is_one_alert() -> None:
    alerts = LossAlerts(PAGE)
    (message,) = alerts.update(report(losing("a", 6), losing("b", 20), losing("c", 3)), 0)
    assert message == {
        "kind": "loss",
        "state": "open",
        "text": "bully‹1› slows 2 jobs on file system /scratch: 20 % now",
        "url": f"{PAGE}/jobs/a",
        "culprit": "bully<1>",
        "place": "file system /scratch",
        "jobs": ["a", "b"],
        "percent": 20,
        "confidence": 0.9,
    }
    assert alerts.update(report(losing("a", 6), losing("d", 9)), 5) == []
    assert len(alerts.update(report(losing("a", 6, "another")), 6)) == 1


def test_an_alert_is_closed_when_nobody_loses_time_for_a_while() -> None:
    alerts = LossAlerts(PAGE)
    alerts.update(report(losing("a", 6)), 0)
    assert alerts.update(report(losing("a", 3)), 10) == []  # still
    assert alerts.update(report(losing("a", 1)), 20) == []
    assert alerts.update(report(losing("b", 8)), 30) == []  # again
    assert alerts.update(report(), 40) == []
    (message,) = alerts.update(report(), 40 + CLOSES_S)
    assert (message["state"], message["jobs"], message["lasted_s"]) == ("closed", ["a", "b"], 40)
    assert message["text"].startswith("over: bully‹1› slowed 2 jobs on")
    assert len(alerts.update(report(losing("a", 6)), 200)) == 1  # a new one


@pytest.mark.parametrize("silence", ["bully*", "file system /scr*", "a", "nfs:*"])
def test_what_is_silenced_is_not_reported(silence: str) -> None:
    assert LossAlerts(PAGE, [silence]).update(report(losing("a", 50)), 0) == []


def test_without_a_likely_culprit_there_is_no_alert() -> None:
    alone = losing("a", 50)
    nobody = replace(alone, answer=replace(alone.answer, suspects=(), because="nobody known"))
    over = replace(alone, answer=replace(alone.answer, running=False))
    assert LossAlerts(PAGE).update(report(nobody, over, losing("b", 50, sure=0.4)), 0) == []


def test_a_command_gets_the_message(tmp_path: Path) -> None:
    out = tmp_path / "mail"
    settings = AlertSettings("", "red", ("sh", "-c", f"cat >{out}.part; mv {out}.part {out}"))
    now: Any = SimpleNamespace(refresh=list, report=lambda: report(losing("a", 30)))
    index: Any = SimpleNamespace(rows={}, refresh_if_stale=lambda: None)
    alerts = Alerts(settings, index, PAGE, now)
    alerts.start(SimpleNamespace(follow=lambda _users: None))  # type: ignore[arg-type]
    end = time.monotonic() + 20
    while not out.exists() and time.monotonic() < end:
        time.sleep(0.02)
    alerts.end()
    lines = out.read_text().splitlines()
    assert lines[:2] == ["bully‹1› slows a on file system /scratch: 30 % now", f"{PAGE}/jobs/a"]


def test_a_command_that_fails_holds_nothing_up(caplog: pytest.LogCaptureFixture) -> None:
    for words in (["false"], ["/no/such/command"]):
        mail = MailCommand(words)
        mail.send({"text": "x", "url": "y"})
        mail._pool.shutdown(wait=True)
    assert "false ended with status 1" in caplog.text
    assert "/no/such/command cannot be run" in caplog.text


def test_the_operators_file_may_name_a_command_alone(tmp_path: Path) -> None:
    file = tmp_path / "serve.toml"
    file.write_text('[alerts]\ncommand = ["mail", "ops"]\nsilence = ["bench*"]\n')
    settings = read_settings(file).alerts()
    assert settings == AlertSettings("", "red", ("mail", "ops"), ("bench*",))
