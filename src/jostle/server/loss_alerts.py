"""Groups the losses of running jobs into alerts: one alert per job that slows others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jostle.report.format.values import duration
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.report.models.now import NowJob, NowReport

#: Loss in percent from which a job is a victim, and below which it no longer is.
BEGINS_PERCENT, ENDS_PERCENT = 5.0, 2.0
#: Least confidence in the culprit.
SURE = 0.5
#: Time without victims after which an alert is closed, s.
CLOSES_S = 60.0


@dataclass
class _OpenAlert:
    """An alert that is open.

    Attributes:
        begin_s: Time at which the alert was opened, on the clock of `LossAlerts.update`, s.
        victims: Jobs that lose time now, each with its loss in percent.
        met: All jobs that lost time since the alert was opened.
        quiet_s: Time since when no job loses time, on the same clock; None: a job loses time now.
    """

    begin_s: float
    victims: dict[str, float] = field(default_factory=dict)
    met: list[str] = field(default_factory=list)
    quiet_s: float | None = None


class LossAlerts:
    """Decides for which losses of running jobs a message is sent."""

    def __init__(self, page: str, silence: Sequence[str] = ()) -> None:
        """Start without alerts.

        Args:
            page: The server's own URL, for links.
            silence: Patterns (`*`, `?`) of names for which no alert is opened: the slowed job, the
                job that slows it, or the resource.
        """
        self._page, self._silence = page, tuple(silence)
        self._open: dict[tuple[str, str], _OpenAlert] = {}

    def update(self, report: NowReport, now_s: float) -> list[dict[str, Any]]:
        """Open and close alerts according to a report; return the messages to send.

        Args:
            report: Current losses of running jobs.
            now_s: Present time of a monotonic clock, in seconds.
        """
        messages = []
        losing: dict[tuple[str, str], dict[str, NowJob]] = {}
        for job in report.jobs:
            key = self._culprit(job)
            if key is None:
                continue
            known = self._open.get(key)
            least = ENDS_PERCENT if known and job.answer.job in known.victims else BEGINS_PERCENT
            if job.answer.now_percent >= least:
                losing.setdefault(key, {})[job.answer.job] = job
        for key, victims in sorted(losing.items()):
            if key not in self._open:
                self._open[key] = _OpenAlert(now_s)
                messages.append(self._opened(key, victims))
        for key, alert in list(self._open.items()):
            victims = losing.get(key, {})
            alert.victims = {name: job.answer.now_percent for name, job in victims.items()}
            alert.met += [name for name in victims if name not in alert.met]
            alert.quiet_s = None if victims else now_s if alert.quiet_s is None else alert.quiet_s
            if alert.quiet_s is not None and now_s - alert.quiet_s >= CLOSES_S:
                messages.append(self._closed(key, alert))
                del self._open[key]
        return messages

    def _culprit(self, job: NowJob) -> tuple[str, str] | None:
        """Return the job that slows a job, and the resource; None: uncertain, or silenced."""
        answer = job.answer
        if not answer.running or answer.because != "other jobs" or not answer.suspects:
            return None
        first = answer.suspects[0]
        names = (answer.job, first.job, job.place, answer.resource)
        if first.confidence < SURE or any(
            fnmatchcase(name, pattern) for name in names for pattern in self._silence
        ):
            return None
        return first.job, job.place

    def _opened(self, key: tuple[str, str], victims: dict[str, NowJob]) -> dict[str, Any]:
        worst = max(victims.values(), key=lambda job: job.answer.now_percent).answer
        what = f"{key[0]} slows {_names(list(victims))} on {key[1]}"
        return self._message(
            key, "open", f"{what}: {worst.now_percent:.0f} % now", list(victims)
        ) | {
            "percent": round(worst.now_percent, 1),
            "confidence": round(worst.suspects[0].confidence, 2),
        }

    def _closed(self, key: tuple[str, str], alert: _OpenAlert) -> dict[str, Any]:
        lasted = (alert.quiet_s or alert.begin_s) - alert.begin_s
        what = f"over: {key[0]} slowed {_names(alert.met)} on {key[1]} for {duration(lasted * 1e9)}"
        return self._message(key, "closed", what, alert.met) | {"lasted_s": round(lasted, 1)}

    def _message(
        self, key: tuple[str, str], state: str, text: str, jobs: Sequence[str]
    ) -> dict[str, Any]:
        return {
            "kind": "loss",
            "state": state,
            "text": one_line(text).translate({ord("<"): "‹", ord(">"): "›"}),
            "url": f"{self._page}/jobs/{quote(jobs[0], safe='')}",
            "culprit": key[0],
            "place": key[1],
            "jobs": list(jobs),
        }


def _names(jobs: Sequence[str]) -> str:
    return jobs[0] if len(jobs) == 1 else f"{len(jobs)} jobs"
