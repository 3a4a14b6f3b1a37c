"""Addresses of repositories in object stores, which pass for paths inside the command."""

from __future__ import annotations

import re
from pathlib import Path

# A path drops the second slash of s3://.
_ADDRESS = re.compile(r"s3:/{1,2}([A-Za-z0-9][A-Za-z0-9._-]{1,62})(?:/(.*))?")
#: Addresses by the folders of their copies.
_COPIED: dict[Path, str] = {}


def is_address(place: Path | str) -> bool:
    """Return whether a place is in an object store: s3://BUCKET/PREFIX."""
    return str(place).startswith("s3:/")


def parts_of(place: Path | str) -> tuple[str, str] | None:
    """Return bucket and prefix of an address; None: it is none."""
    match = _ADDRESS.fullmatch(str(place))
    return (match[1], (match[2] or "").strip("/")) if match else None


def shown(place: Path | str) -> str:
    """Return the place of a repository as a person writes it; a folder of copies by its address."""
    if parts := parts_of(place):
        return f"s3://{'/'.join(part for part in parts if part)}"
    return _COPIED.get(Path(place)) or str(place)


def note_copies(folder: Path, name: str) -> None:
    """Note that a folder holds the copies of a repository in an object store."""
    _COPIED[folder] = name
