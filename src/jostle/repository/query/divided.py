"""Questions that are answered day by day, by one engine or by many, and put together again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from jostle.repository.store.layout import TABLES

if TYPE_CHECKING:
    from jostle.repository.query.engine import Engine  # a type only: the engine answers them

_STORED = re.compile(r"\bstored_(\w+)\b")
#: What is asked of processes and of what those that are over add up to.
_OF_PROCESSES = {"jobs", "processes", "process_kinds"}
_ALWAYS = (0, 2**63 - 1)


@dataclass(frozen=True)
class Question:
    """A question whose answer is that on each day, one under the other.

    Each row of the answer must depend on slices that began on one day (UTC) alone, and on tables
    without slices (jobs, machines), which are whole everywhere.

    Attributes:
        sql: Names tables as queries see them, or `stored_NAME`: its rows as they are stored.
        order: Columns by which the rows are sorted, the same for no two of them; () for any order.
        params: Values of parameters.
        span: No other slices matter, ns since the epoch; the question leaves out what lies beyond.
    """

    sql: str
    order: tuple[str, ...] = ()
    params: tuple[Any, ...] = ()
    span: tuple[int, int] = _ALWAYS

    def tables(self) -> set[str]:
        """Return the tables of files that it may read."""
        words = set(re.findall(r"\w+", self.sql.lower()))
        stored = set(_STORED.findall(self.sql))
        return (
            words | stored | ({"processes", "process_kinds"} if words & _OF_PROCESSES else set())
        ) & TABLES.keys()


def answer(engine: Engine, question: Question) -> pa.Table:
    """Return the answer from the files that an engine has: all, or those of some days."""
    order = ", ".join(question.order)

    def sql() -> str:
        text = _STORED.sub(lambda name: engine.stored(name[1], *question.span), question.sql)
        return f"{text} ORDER BY {order}" if order else text

    return engine.ask(sql, question.params, views=True)


def combine(parts: Sequence[pa.Table], question: Question) -> pa.Table:
    """Put the answers of several days together."""
    whole = pa.concat_tables(parts, promote_options="permissive")
    by = [(name, "ascending") for name in question.order]
    return whole.sort_by(by) if by else whole


class Divided:
    """Has divided questions answered: in one piece by an engine, or as somebody else does it.

    Attributes:
        by: Answers a question.
    """

    def __init__(self, engine: Engine) -> None:
        """Have the engine answer."""
        self.by: Callable[[Question], pa.Table] = lambda question: answer(engine, question)

    def ask(self, question: Question) -> pa.Table:
        """Return the answer to a question."""
        return self.by(question)
