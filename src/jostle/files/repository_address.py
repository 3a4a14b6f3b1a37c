"""Recognises URLs of repositories in object stores, which the command line handles as paths."""

from __future__ import annotations

import re
from pathlib import Path

# pathlib removes the second slash of s3://.
_ADDRESS = re.compile(r"s3:/{1,2}([A-Za-z0-9][A-Za-z0-9._-]{1,62})(?:/(.*))?")
#: Folder of the local copies -> address of the repository.
_COPIED: dict[Path, str] = {}


def is_address(place: Path | str) -> bool:
    """Return whether a repository's path is the URL of an object store: s3://BUCKET/PREFIX."""
    return str(place).startswith("s3:/")


def parts_of(place: Path | str) -> tuple[str, str] | None:
    """Return bucket and prefix of a URL; None: the text is no such URL."""
    match = _ADDRESS.fullmatch(str(place))
    return (match[1], (match[2] or "").strip("/")) if match else None


def shown(place: Path | str) -> str:
    """Return the path or address of a repository as users write it."""
    if parts := parts_of(place):
        return f"s3://{'/'.join(part for part in parts if part)}"
    return _COPIED.get(Path(place)) or str(place)


def note_copies(folder: Path, name: str) -> None:
    """Note that a folder has the local copies of files of the repository in an object store."""
    _COPIED[folder] = name
