"""Finds which file of a repository is damaged, and how."""

from __future__ import annotations

import re
import time
from pathlib import Path

import duckdb

#: Longest search for the damaged file, s: without its name no question is answered.
_LOOK_S = 20.0
_PATH = re.compile(r"'((?:[^']|'')+\.parquet)'")


def is_of_a_file(error: duckdb.Error) -> bool:
    """Return whether an error of DuckDB is about a file, and not about the query.

    Errors of its Parquet reader have no class of their own and seldom mention files.
    """
    return type(error) is duckdb.Error or "parquet" in str(error).lower()


def reason_of(error: Exception, root: Path) -> str:
    """Return the reason of an error in one line, without the path of the repository."""
    gone = isinstance(error, FileNotFoundError) and error.strerror
    message = (gone or str(error)).partition("\nLINE ")[0]  # DuckDB's pointer into the question
    text = "".join(character if character.isprintable() else " " for character in message)
    text = " ".join(text.replace(f"{root}/", "").split())
    return re.sub(r"^(?:[A-Z]\w+ )+Error: ", "", text) or type(error).__name__


def find_damaged(
    connection: duckdb.DuckDBPyConnection, root: Path, message: str, sql: str, suspect: str
) -> str:
    """Find the file that a query failed at.

    Args:
        connection: Reads them.
        root: Folder of the repository.
        message: The error.
        sql: The question, with the files that it reads.
        suspect: The file to check first; "" for none.

    Returns:
        Its path within the repository; "" where it was not found.
    """
    paths = [path.replace("''", "'") for path in dict.fromkeys(_PATH.findall(sql))]
    named = next((path for path in paths if path in message), None)
    if named is None:
        paths.sort(key=lambda path: not (suspect and path == str(root / suspect)))
        end = time.monotonic() + _LOOK_S
        tried = (path for path in paths if time.monotonic() < end)
        named = next((path for path in tried if not _can_be_read(connection, path)), None)
    return str(Path(named).relative_to(root)) if named else ""


def _can_be_read(connection: duckdb.DuckDBPyConnection, path: str) -> bool:
    quoted = path.replace("'", "''")
    try:
        connection.execute(f"SELECT bit_xor(hash(t)) FROM read_parquet('{quoted}') t").fetchall()
    except duckdb.Error:
        return False
    return True
