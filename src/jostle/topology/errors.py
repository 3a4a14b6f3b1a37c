"""Errors in files that should describe a fabric."""

from __future__ import annotations

from jostle.errors import UsageError
from jostle.values.plain_values import one_line


class TopologyError(UsageError):
    """A file of a fabric cannot be read; it has the file, line, reason and remedy."""


def fault(name: str, line: int, reason: str, fix: str) -> TopologyError:
    """Return the error of a line in a file.

    Args:
        name: The file, as the user named it.
        line: Counted from 1; 0: the file as a whole.
        reason: What is wrong, without a full stop; may quote the file.
        fix: What to do about it, a sentence.
    """
    where = f"{name}, line {line}" if line else name
    return TopologyError(f"{where}: {one_line(reason)[:300]}.", hint=fix)
