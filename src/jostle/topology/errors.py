"""The error for files that should describe a fabric."""

from __future__ import annotations

from jostle.errors import UsageError
from jostle.values.plain_values import one_line


class TopologyError(UsageError):
    """A file of a fabric cannot be read; the message has file, line, reason and remedy."""


def fault(name: str, line: int, reason: str, fix: str) -> TopologyError:
    """Return the error of a line in a file.

    Args:
        name: Name of the file, as the user gave it.
        line: Number of the line, from 1; 0: the file as a whole.
        reason: Description of the error without a full stop, which may quote the file.
        fix: Remedy, a sentence.
    """
    where = f"{name}, line {line}" if line else name
    return TopologyError(f"{where}: {one_line(reason)[:300]}.", hint=fix)
