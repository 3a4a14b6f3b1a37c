"""A process that judges runs for somebody else (see server/verdicts/verdict_queue.py).

It reads questions from standard input and writes answers to standard output, pickled: it is started
by who asks it, over pipes that nobody else holds, and ends when they are closed, whatever it is
about: nobody waits for it any more. A run that takes all memory, or crashes what reads it, takes
this process along and nobody else.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.errors import JostleError

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Estimate
    from jostle.report.verdict.verdict import Say
    from jostle.repository import Repository

_NICE = 10
#: Estimates of more segments are not sent along: who wants them asks for them.
_MOST_SEGMENTS = 200_000


@dataclass(frozen=True)
class Question:
    """A run to judge.

    Attributes:
        job: Its full name.
        users: Whose jobs may be named, by uid; None: everybody's.
        whole: Send the estimate with its segments as well.
        only: Send nothing but the estimate.
    """

    job: str
    users: frozenset[int] | None = None
    whole: bool = False
    only: bool = False


@dataclass(frozen=True)
class Answer:
    """What became of it.

    Attributes:
        body: What `jostle estimate --json` prints, as JSON; empty where it failed.
        brief: light, undecided, percent, lost_s, cause, what and resource.
        estimate: With its segments, where they were asked for.
        error: Why the run cannot be judged; "" where it was.
        hint: What may mend that.
    """

    body: bytes = b""
    brief: dict[str, Any] | None = None
    estimate: Estimate | None = None
    error: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Progress:
    """How far an answer is; any number of these come before it.

    Attributes:
        step: What is being done, from 0.
        steps: How many there are.
        words: The same in words.
    """

    step: int
    steps: int
    words: str


def answer(store: Repository, asked: Question, say: Say = lambda *_: None) -> Answer:
    """Judge a run.

    Args:
        store: Where it is.
        asked: Which, and for whom.
        say: Told how far it is.
    """
    from jostle.report.verdict.verdict import USUAL, head, price, verdict_json

    try:
        found = price(store, asked.job, USUAL, alone=asked.only, viewer=asked.users, say=say)
        if asked.only:
            return Answer(estimate=found.estimate)
        few = found.estimate.segments.num_rows <= _MOST_SEGMENTS
        first, told = head(found.estimate, found.who), verdict_json(found)
        if asked.users is not None:
            for resource in (told["interference"] or {}).get("resources", []):
                resource["others_load"] = []  # it may be that of one neighbour
        return Answer(
            json.dumps(told, separators=(",", ":"), default=_plain).encode(),
            {
                "light": first.light,
                "undecided": first.undecided,
                "percent": first.percent.value,
                "lost_s": first.lost_s.value,
                "cause": first.cause,
                "what": first.what,
                "resource": found.names.get(first.resource, first.resource) or None,
            },
            found.estimate if asked.whole and few else None,
        )
    except JostleError as error:
        return Answer(error=str(error), hint=error.hint)
    except Exception as error:  # whatever is wrong with one run is no matter of others
        return Answer(error=f"{type(error).__name__}: {error}", hint="Please report it.")


def _plain(value: Any) -> Any:
    return value.tolist()


def end_with_asker() -> None:
    """Has this process end as soon as standard input is closed, be it in the midst of an answer."""

    def watch() -> None:
        closed = select.poll()
        closed.register(0, 0)  # that nobody writes any more is told unasked
        closed.poll()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Answer questions until there are no more."""
    # systemd tells all processes of a service to end; a run is not to blame where its judging does.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_with_asker()
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    os.nice(_NICE)
    from jostle.repository import Repository

    store = Repository(sys.argv[1])

    def send(what: Answer | Progress) -> None:
        pickle.dump(what, answers)
        answers.flush()

    while True:
        try:
            asked = pickle.load(questions)
        except EOFError:
            return
        send(answer(store, asked, lambda *said: send(Progress(*said))))
