"""Counts the SQL statements that reach DuckDB, at the connection."""

from __future__ import annotations

import sys
from typing import Any

from counts.figure import ROOT

sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "server"), str(ROOT / "tests")]


class Connection:
    """A DuckDB connection that records each statement before it runs it."""

    def __init__(self, connection: Any, statements: list[str]) -> None:
        self._connection, self._statements = connection, statements

    def execute(self, query: str, *more: Any, **named: Any) -> Any:
        self._statements.append(query)
        return self._connection.execute(query, *more, **named)

    def sql(self, query: str, *more: Any, **named: Any) -> Any:
        self._statements.append(query)
        return self._connection.sql(query, *more, **named)

    def cursor(self) -> Connection:
        return Connection(self._connection.cursor(), self._statements)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def noted() -> list[str]:
    """Let all connections record their statements from now on; return the list that they fill."""
    from jostle.repository.query import engine

    statements: list[str] = []
    connect = engine.connect
    engine.connect = lambda: Connection(connect(), statements)  # type: ignore[assignment,return-value]
    return statements


def in_short(statements: list[str]) -> str:
    """The beginnings of some statements, to find the one that is new."""
    return "; ".join(" ".join(text.split())[:80] for text in statements)
