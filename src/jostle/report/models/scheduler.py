"""What the batch system knows of a job: name, partition, account, state; asked when it is shown.

The answer is only used if user and time agree with the profiles: another cluster has jobs of the
same numbers.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jostle.batch_jobs import batch_job_of
from jostle.plain_values import one_line, plain

#: Nobody waits longer for an answer of one command, s.
_PATIENCE_S = 2.0
#: Clocks of the controller and of a node may differ by so much, s.
_SLACK_S = 60
_LONGEST = 80
_SACCT = "UID,Start,End,Partition,Account,State,JobName"  # the name may hold the separator
_FIELD = re.compile(r"(\w+)=(\S*)")


@dataclass(frozen=True)
class SchedulerFacts:
    """A job as its batch system knows it; "" for what it does not say."""

    name: str
    partition: str
    account: str
    state: str

    def to_json(self) -> dict[str, Any]:
        """Return the facts as plain values."""
        found: dict[str, Any] = plain(self)
        return found


def scheduler_facts(row: Mapping[str, Any]) -> SchedulerFacts | None:
    """Ask Slurm for a batch job: accounting, else the controller, which forgets after minutes.

    Args:
        row: The row of a batch job (report.models.batch_jobs), or of a job that is a part of one.

    Returns:
        The facts; None where Slurm is not here, does not answer at once, or means another job.
    """
    batch = batch_job_of(row.get("script") or row["job"])
    if batch is None or batch.system != "slurm" or not batch.number.isdecimal():
        return None
    return _accounted(batch.number, row) or _controlled(batch.number, row)


def _accounted(number: str, row: Mapping[str, Any]) -> SchedulerFacts | None:
    said = _ask("sacct", "-X", "-n", "-P", "-D", "-j", number, f"--format={_SACCT}")
    for line in said.splitlines():  # one per start of the job
        cells = line.split("|", 6)
        if len(cells) == 7 and _means(row, *cells[:3]):
            return _facts(cells[6], *cells[3:6])
    return None


def _controlled(number: str, row: Mapping[str, Any]) -> SchedulerFacts | None:
    said = _ask("scontrol", "show", "job", number)
    first, _, rest = said.partition("\n")
    name = first.partition(" JobName=")[2]
    fields = dict(_FIELD.findall(rest))
    uid = re.search(r"UserId=[^(\s]*\((\d+)\)", rest)
    if not name or not uid:
        return None
    if not _means(row, uid[1], fields.get("StartTime", ""), fields.get("EndTime", "")):
        return None
    return _facts(name, *(fields.get(key, "") for key in ("Partition", "Account", "JobState")))


def _facts(name: str, partition: str, account: str, state: str) -> SchedulerFacts:
    words = [one_line(word.strip())[:_LONGEST] for word in (name, partition, account)]
    name, partition, account = ("" if word == "(null)" else word for word in words)
    state = one_line(state.split(" ")[0].rstrip("+")).lower()  # "CANCELLED by 1000"
    return SchedulerFacts(name, partition, account, state[:_LONGEST])


def _means(row: Mapping[str, Any], uid: str, start: str, end: str) -> bool:
    """Return whether a job of Slurm is the one that was profiled: same user, same time."""
    if not start.isdecimal() or uid != str(row["uid"]):
        return False
    until = int(end) + _SLACK_S if end.isdecimal() else None
    began, ended = row["start_ns"] / 1e9, row["end_ns"] / 1e9
    return int(start) - _SLACK_S <= began and (until is None or ended <= until)


def _ask(*command: str) -> str:
    """Return what a command says, with times in seconds since the epoch; "" where it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environment |= {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
