"""Refusals of POST requests: the reason and the remedy, as sent to the node."""

from __future__ import annotations

import time

#: First line of answers: shows a node that a receiver answers, not a proxy.
FIRST_LINE = "jostle-ship 1"


class RefusedError(Exception):
    """A POST request is refused.

    Attributes:
        status: HTTP status of the answer.
        code: One word for programs; docs/reference/receive.md lists them.
        why: The reason, one sentence.
        fix: The remedy.
        retry_s: Time until a retry makes sense, s; 0: the same request will fail again.
        more: Further lines of the answer, by their first word.
    """

    def __init__(
        self,
        status: int,
        code: str,
        why: str,
        fix: str,
        *,
        retry_s: int = 0,
        more: dict[str, str] | None = None,
    ) -> None:
        super().__init__(why)
        self.status = status
        self.code = code
        self.why = why
        self.fix = fix
        self.retry_s = retry_s
        self.more = more or {}

    def text(self) -> str:
        """Return the answer: lines of text; it always has the receiver's time."""
        lines = {"error": self.code, "why": self.why, "fix": self.fix, **self.more}
        words = "".join(f"{key} {_one_line(value)}\n" for key, value in lines.items())
        return f"{FIRST_LINE}\ntime {time.time_ns()}\n{words}"


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def malformed(why: str) -> RefusedError:
    """Return the refusal of a body or header that the protocol does not allow."""
    return RefusedError(
        400, "malformed", why, "Node and receiver must speak the same protocol: update the older."
    )
