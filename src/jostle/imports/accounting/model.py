"""The accounting record of a job, and functions that all readers of accounting share."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

#: Nodes of one job; a longer list counts as damaged.
MOST_NODES = 20_000
#: Characters of a field. Lists of nodes are not cut off: what is left of one names wrong nodes.
MOST_TEXT = 4096
_MOST_RANGES = 16  # in one name of a list of nodes
_MOST_INT = 2**62
_YEAR_2000_S = 946_684_800
_AHEAD_S = 86_400
_ID = re.compile(r"[A-Za-z0-9_.\[\]-]{1,64}")
#: States as table batch_jobs has them; others stay as they are, in lower case.
_STATES = {"exit": "failed", "done": "completed", "boot_fail": "node_fail"}
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")


class AccountingError(ValueError):
    """A line of accounting cannot be used; the message is the reason, a part of a sentence."""


@dataclass(frozen=True)
class AccountedJob:
    """One start of a batch job.

    Attributes:
        system: Batch system: slurm, pbs or lsf.
        cluster: Name of the cluster; "" not known.
        id: Number of the job, as text.
        name: Name of the job.
        user: Login of its owner.
        uid: Uid of the owner; -1: not known.
        account: Account that is charged.
        partition: Partition or queue of the job.
        submit_s: Time of submission, s since the epoch; 0: not known.
        start_s: Start, s since the epoch; 0: not started yet.
        end_s: End, s since the epoch; 0: not ended yet.
        state: State of the job: completed, failed, cancelled, timeout, out_of_memory, node_fail,
            running, pending.
        exit: Exit code and signal, `3:0`.
        nodes: Names of its nodes.
        cores: Number of allocated cores.
        memory_bytes: Allocated memory.
        time_limit_s: Time limit, in seconds.
        energy_j: Energy that it used, J; 0: not known.
    """

    system: str
    cluster: str
    id: str
    name: str = ""
    user: str = ""
    uid: int = -1
    account: str = ""
    partition: str = ""
    submit_s: int = 0
    start_s: int = 0
    end_s: int = 0
    state: str = ""
    exit: str = ""
    nodes: tuple[str, ...] = ()
    cores: int = 0
    memory_bytes: int = 0
    time_limit_s: int = 0
    energy_j: int = 0

    def check(self) -> None:
        """Check that the values are possible.

        Raises:
            AccountingError: A value is not possible.
        """
        if not _ID.fullmatch(self.id):
            raise AccountingError("the job has no number")
        latest = time.time() + _AHEAD_S
        for at in (self.submit_s, self.start_s, self.end_s):
            if at and not _YEAR_2000_S <= at <= latest:
                raise AccountingError("the job's times are before the year 2000, or in the future")
        if self.end_s and self.end_s < self.start_s:
            raise AccountingError("the job ended before it began")
        for number in (self.cores, self.memory_bytes, self.time_limit_s, self.energy_j):
            if not 0 <= number < _MOST_INT:
                raise AccountingError("one of the job's numbers is too large")


def state_of(text: str) -> str:
    """Convert a state to the values of table batch_jobs: `CANCELLED by 1000` to cancelled."""
    word = text.strip().partition(" ")[0].rstrip("+").lower()[:40]
    return _STATES.get(word, word)


def seconds_of(text: str) -> int:
    """Convert a duration such as 1-02:03:04, 02:03:04, 03:04 or 17 to s; 0 if the text is none."""
    days, _, rest = text.strip().rpartition("-")
    parts = rest.partition(".")[0].split(":")
    if len(parts) > 3 or not all(part.isdecimal() for part in (*parts, days or "0")):
        return 0
    total = 0
    for part in parts:
        total = total * 60 + int(part)
    return total + 86_400 * int(days or 0)


def number_of(text: str) -> int:
    """Parse a whole number; 0 if the text is not a number."""
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) < 20 else 0


def expanded(text: str) -> tuple[str, ...]:
    """Return the names that a list of nodes stands for, such as `nid[001-003,7],login1`.

    Raises:
        AccountingError: The list is malformed, or has more than MOST_NODES names.
    """
    names: list[str] = []
    for word in _words(text):
        if word.count("[") > _MOST_RANGES:
            raise AccountingError("its list of nodes is malformed")
        names += _names(word, MOST_NODES - len(names))
    return tuple(names)


def _words(text: str) -> list[str]:
    """Divide a list at the commas outside of brackets."""
    words, depth, word = [], 0, ""
    for letter in text.strip():
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            words.append(word)
            word = ""
        else:
            word += letter
    if depth:
        raise AccountingError("the job's list of nodes has a bracket too many")
    return [each for each in (*words, word) if each]


def _names(word: str, room: int) -> list[str]:
    before, bracket, rest = word.partition("[")
    if not bracket:
        if room < 1:
            raise AccountingError(f"it has more than {MOST_NODES} nodes")
        return [before]
    inside, _, after = rest.partition("]")
    numbers = []
    for part in inside.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise AccountingError("its list of nodes is malformed")
        low, high = match[1], match[2] or match[1]
        if not 0 <= int(high) - int(low) < room:
            raise AccountingError(f"it has more than {MOST_NODES} nodes")
        numbers += [f"{n:0{len(low)}d}" for n in range(int(low), int(high) + 1)]
    tails = _names(after, room) if after else [""]
    if len(numbers) * len(tails) > room:
        raise AccountingError(f"it has more than {MOST_NODES} nodes")
    return [f"{before}{number}{tail}" for number in numbers for tail in tails]
