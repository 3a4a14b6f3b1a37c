"""Queries that can be divided by days, and run by one engine or several."""

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
#: Tables of processes, and of sums over settled ones.
_OF_PROCESSES = {"jobs", "processes", "process_kinds"}
_ALWAYS = (0, 2**63 - 1)


@dataclass(frozen=True)
class Question:
    """A query whose answer is the concatenation of its answers on single days.

    Each row of the answer may depend only on slices that began on one day (UTC), and on tables
    without slices (such as machines): every engine has these tables completely.

    Attributes:
        sql: SQL with names of views, or `stored_NAME` for the stored rows of a table.
        order: Columns by which the rows are sorted, unique for each row; () for any order.
        params: Values of parameters.
        span: Span of the slices that matter, ns since the epoch; the query leaves out all others.
    """

    sql: str
    order: tuple[str, ...] = ()
    params: tuple[Any, ...] = ()
    span: tuple[int, int] = _ALWAYS

    def tables(self) -> set[str]:
        """Return the tables of files that the query may read."""
        words = set(re.findall(r"\w+", self.sql.lower()))
        stored = set(_STORED.findall(self.sql))
        return (
            words | stored | ({"processes", "process_kinds"} if words & _OF_PROCESSES else set())
        ) & TABLES.keys()


def answer(engine: Engine, question: Question) -> pa.Table:
    """Run a query on the files that an engine has: all files, or only those of some days."""
    order = ", ".join(question.order)

    def sql() -> str:
        text = _STORED.sub(lambda name: engine.stored(name[1], *question.span), question.sql)
        return f"{text} ORDER BY {order}" if order else text

    return engine.ask(sql, question.params, views=True)


def combine(parts: Sequence[pa.Table], question: Question) -> pa.Table:
    """Concatenate the answers of several days."""
    whole = pa.concat_tables(parts, promote_options="permissive")
    by = [(name, "ascending") for name in question.order]
    return whole.sort_by(by) if by else whole


class Divided:
    """Runs queries that can be divided: in one engine, or by a function that divides them.

    Attributes:
        by: Function that runs a query and returns the answer.
    """

    def __init__(self, engine: Engine) -> None:
        """Use one engine for all queries."""
        self.by: Callable[[Question], pa.Table] = lambda question: answer(engine, question)

    def ask(self, question: Question) -> pa.Table:
        """Return the answer to a query."""
        return self.by(question)
