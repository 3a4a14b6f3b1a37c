"""Finds which file of a repository is damaged, and how.

A file with a flipped bit may still be readable, but have a different name or number in a row. So
the checksums of small files are compared before they are queried.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import duckdb

from jostle.repository.store.file_days import File
from jostle.repository.store.layout import TABLES
from jostle.repository.store.sealed import file_sum

#: Largest file of which the checksum is computed before it is read: it takes 1 ms per MiB. Those of
#: tables without times, which identify jobs, are few.
_SMALL_BYTES = 1 << 20
_FEW_BYTES = 16 << 20
_MOST_KNOWN = 1 << 17
WRONG_SUM = "its checksum does not match its content"

#: Time of change, length and inode of a file; None: it does not exist.
Facts = tuple[int, int, int] | None

#: Longest search for the damaged file, s: without its name no query is answered.
_LOOK_S = 20.0
_PATH = re.compile(r"'((?:[^']|'')+\.parquet)'")


def facts_of(path: Path) -> Facts:
    """Return properties by which a file differs from a later file with the same name."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class Sums:
    """Compares files with their checksums, each once while it is unchanged."""

    def __init__(self, root: Path) -> None:
        """Create the object without reading any files."""
        self._root = root
        self._guard = threading.Lock()
        self._sound: dict[str, Facts] = {}

    def wrong(self, files: Iterable[File]) -> File | None:
        """Return the first small file that exists, but whose content was changed after writing.

        Args:
            files: Files below the root; those without a known checksum count as intact.
        """
        for file in files:
            few = not TABLES[file.table].partition_ns
            if not file.sum or file.bytes > (_FEW_BYTES if few else _SMALL_BYTES):
                continue
            path = self._root / file.path
            facts = facts_of(path)
            if facts is None or self._sound.get(file.path) == facts:
                continue
            try:
                is_sound = file_sum(path) == file.sum
            except OSError:  # its reader reports why
                continue
            if not is_sound:
                return file
            with self._guard:
                if len(self._sound) >= _MOST_KNOWN:
                    self._sound.clear()
                self._sound[file.path] = facts
        return None


def is_of_a_file(error: duckdb.Error) -> bool:
    """Return whether an error of DuckDB is about a file, and not about the query.

    Errors of its Parquet reader have no separate class and rarely name files.
    """
    return type(error) is duckdb.Error or "parquet" in str(error).lower()


def reason_of(error: Exception, root: Path) -> str:
    """Return the reason of an error in one line, without the path of the repository."""
    gone = isinstance(error, FileNotFoundError) and error.strerror
    message = (gone or str(error)).partition("\nLINE ")[0]  # DuckDB's pointer into the query
    text = "".join(character if character.isprintable() else " " for character in message)
    text = " ".join(text.replace(f"{root}/", "").split())
    return re.sub(r"^(?:[A-Z]\w+ )+Error: ", "", text) or type(error).__name__


def find_damaged(
    connection: duckdb.DuckDBPyConnection, root: Path, message: str, sql: str, suspect: str
) -> str:
    """Find the file at which a query failed.

    Args:
        connection: Connection that reads the files.
        root: Folder of the repository.
        message: The error.
        sql: The query, with the files that it reads.
        suspect: The file to check first; "" for none.

    Returns:
        Path of the file within the repository; "" if it was not found.
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
