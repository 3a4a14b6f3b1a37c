"""Parses dates and ages that users write: `2026-03-01T14:30Z`, `2d`."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

from jostle.errors import UsageError

_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d|w)")
_AGE_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_EPOCH = datetime.fromtimestamp(0, UTC)


def age_s(text: str) -> float:
    """Convert a length of time such as `12h` or `30d` to seconds.

    Raises:
        UsageError: The text is not a length of time.
    """
    match = _AGE.fullmatch(text.strip())
    if not match:
        raise UsageError(f"`{text}` is not an age.", hint="For example `12h`, `30d` or `8w`.")
    return float(match[1]) * _AGE_SECONDS[match[2]]


def moment_ns(text: str) -> int:
    """Return an instant such as `2026-03-01T14:30Z` in ns since the epoch; UTC without a zone.

    Raises:
        UsageError: The text is not an instant.
    """
    try:
        return datetime_ns(datetime.fromisoformat(text.strip()))
    except ValueError:
        raise UsageError(
            f"`{text}` is not a time.",
            hint="Write for example `2026-03-01T14:30Z`; without a zone it is UTC.",
        ) from None


def since_ns(text: str) -> int:
    """Return an instant, or an age before now (`2d`), in ns since the epoch.

    Raises:
        UsageError: The text is neither an instant nor an age.
    """
    if _AGE.fullmatch(text.strip()):
        return time.time_ns() - round(age_s(text) * 1e9)
    try:
        return moment_ns(text)
    except UsageError:
        raise UsageError(
            f"`{text}` is neither an age nor a time.",
            hint="Write for example `2d`, `12h` or `2026-03-01T14:30Z`; without a zone it is UTC.",
        ) from None


def datetime_ns(moment: datetime) -> int:
    """Return an instant in ns since the epoch; UTC without a zone."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def utc(ns: int) -> datetime:
    """Return ns since the epoch as a datetime in UTC, to the microsecond."""
    return _EPOCH + timedelta(microseconds=ns // 1000)
