"""A process that makes verdicts for the server (see server/verdicts/verdict_queue.py).

The process reads requests from standard input and writes answers to standard output, both pickled.
Only the server holds the other ends of these pipes. The process ends at once when the server closes
them. If the evaluation of a job takes all memory or crashes, it ends this process and not the
server.
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
    from jostle.analysis.estimation.model import RunEstimate
    from jostle.report.verdict.verdict import EvaluatedJob, ReportProgress
    from jostle.repository import Repository

_NICE = 10
#: Most segments of an estimate that is sent without an explicit request (`only`).
_MOST_SEGMENTS = 200_000
_MOST_SUSPECTS = 3


@dataclass(frozen=True)
class VerdictRequest:
    """A job to evaluate.

    Attributes:
        job: Full name of the job.
        users: Users (uids) whose jobs may be named; None: everybody's.
        whole: Whether to send the estimate with its segments in addition to the verdict.
        only: Whether to send the estimate with its segments in place of the verdict.
    """

    job: str
    users: frozenset[int] | None = None
    whole: bool = False
    only: bool = False


@dataclass(frozen=True)
class VerdictAnswer:
    """The verdict on a job, or the reason why there is none.

    Attributes:
        body: Output of `jostle estimate --json`; empty if the evaluation failed.
        brief: Main values of the verdict: light, undecided, percent, lost_s, cause, what, resource,
            run_s, core_hours, causes and suspects (at most _MOST_SUSPECTS, the greatest first).
        estimate: The estimate with its segments, if it was requested.
        error: Reason why the job cannot be evaluated; "" if it was.
        hint: Remedy for this error.
    """

    body: bytes = b""
    brief: dict[str, Any] | None = None
    estimate: RunEstimate | None = None
    error: str = ""
    hint: str = ""


@dataclass(frozen=True)
class VerdictProgress:
    """The progress of an evaluation; any number of such messages precede the answer.

    Attributes:
        step: Number of the current step, from 0.
        steps: Number of steps.
        words: Name of the current step.
    """

    step: int
    steps: int
    words: str


def answer(
    store: Repository, verdict_request: VerdictRequest, say: ReportProgress = lambda *_: None
) -> VerdictAnswer:
    """Evaluate a job.

    Args:
        store: Repository of the job.
        verdict_request: The job and the viewer.
        say: Function that is called with the progress.
    """
    from jostle.report.verdict.verdict import USUAL, cause_rows, evaluate_job, head, verdict_json

    try:
        evaluated_job = evaluate_job(
            store, verdict_request.job, USUAL, viewer=verdict_request.users, say=say
        )
        if verdict_request.only:
            return VerdictAnswer(estimate=evaluated_job.estimate)
        few = evaluated_job.estimate.segments.num_rows <= _MOST_SEGMENTS
        first, verdict = head(evaluated_job.estimate), verdict_json(evaluated_job)
        if verdict_request.users is not None:
            for resource in (verdict["interference"] or {}).get("resources", []):
                resource["others_load"] = []  # it may be the load of a single neighbour
        return VerdictAnswer(
            json.dumps(verdict, separators=(",", ":"), default=_plain).encode(),
            {
                "light": first.light,
                "undecided": first.undecided,
                "percent": first.percent.value,
                "lost_s": first.lost_s.value,
                "cause": first.cause,
                "what": first.what,
                "resource": evaluated_job.names.get(first.resource, first.resource) or None,
                "run_s": first.run_s,
                "core_hours": evaluated_job.estimate.core_hours_lost,
                "causes": [
                    {"what": row.what, "place": row.place, "lost_s": row.seconds.value}
                    for row in cause_rows(evaluated_job.estimate, evaluated_job.names)
                ],
                "suspects": _suspects(evaluated_job),
            },
            evaluated_job.estimate if verdict_request.whole and few else None,
        )
    except JostleError as error:
        return VerdictAnswer(error=str(error), hint=error.hint)
    except Exception as error:  # an error in one run must not affect others
        return VerdictAnswer(error=f"{type(error).__name__}: {error}", hint="Please report it.")


def _suspects(evaluated_job: EvaluatedJob) -> list[dict[str, Any]]:
    """Return the suspects that caused most of a job's loss, each with its costliest resource."""
    from jostle.report.verdict.verdict import attribution_of

    named = attribution_of(evaluated_job.estimate, evaluated_job.who).suspects[:_MOST_SUSPECTS]
    return [
        {
            "job": suspect.job,
            "kind": suspect.kind,
            "resource": evaluated_job.names.get(suspect.resources[0], suspect.resources[0]),
            "lost_s": suspect.seconds.value,
        }
        for suspect in named
    ]


def _plain(value: Any) -> Any:
    return value.tolist()


def end_with_asker() -> None:
    """End this process as soon as standard input is closed, even during an evaluation."""

    def watch() -> None:
        closed = select.poll()
        closed.register(0, 0)  # a hang-up is always reported
        closed.poll()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Read and answer requests until the input ends."""
    # systemd signals all processes of a service; a job must not be reported as the cause of that.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_with_asker()
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is not an answer
    os.nice(_NICE)
    from jostle.repository import Repository

    store = Repository(sys.argv[1])

    def send(what: VerdictAnswer | VerdictProgress) -> None:
        pickle.dump(what, answers)
        answers.flush()

    while True:
        try:
            asked = pickle.load(questions)
        except EOFError:
            return
        send(answer(store, asked, lambda *said: send(VerdictProgress(*said))))
