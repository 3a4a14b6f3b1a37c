"""Tokens: one secret per node, of which the receiver stores only the hash."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from jostle.errors import UsageError
from jostle.files.regular_files import open_regular
from jostle.receive.names import NODE_NAME_RULE, RESERVED, is_node_name

_LINE = re.compile(r"(\S+) ([0-9a-f]{64})")
_MOST_BYTES = 16 << 20


class Tokens:
    """The file of hashed tokens; reloaded when it changes."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            UsageError: The file cannot be read, is malformed, or others can read or write it.
        """
        self._path = path
        self._mark: tuple[int, ...] = ()
        self._hashes: dict[str, str] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read the file again if it has changed; the errors are those of `__init__`."""
        try:
            info = self._path.stat()
            mark = info.st_ino, info.st_size, info.st_mtime_ns, info.st_mode
            if mark == self._mark:
                return
            self._hashes = _read(self._path)
        except OSError as error:
            raise UsageError(
                f"{self._path} cannot be read: {error.strerror}.",
                hint="Create a token with `jostle receive token NODE`, which writes this file.",
            ) from None
        self._mark = mark

    def fits(self, node: str, token: str) -> bool:
        """Return whether a token is that of a node."""
        return hmac.compare_digest(self._hashes.get(node, "-"), _hash(token))


def add_token(path: Path, node: str) -> str:
    """Create a token for a node, which replaces its previous one.

    Args:
        path: File of hashed tokens, which is created if there is none.
        node: Name of the node.

    Returns:
        The token itself, which is not stored.

    Raises:
        UsageError: The name is not valid for a node, or the file cannot be read or written.
    """
    if not is_node_name(node):
        raise UsageError(f"`{node}` is not a valid name of a node.", hint=NODE_NAME_RULE)
    token = secrets.token_urlsafe(32)
    try:
        with _alone(path.parent):
            hashes = _read(path) if path.exists() else {}
            hashes[node] = _hash(token)
            _write(path, hashes)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Run this command as the user of `jostle receive`, or name a different file with "
            "--tokens.",
        ) from None
    return token


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the file of tokens: of two commands at the same time, one would lose its token."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(path: Path, hashes: Mapping[str, str]) -> None:
    new = path.with_name(f".{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with open(os.open(new, flags, 0o600), "w", encoding="ascii") as file:
        file.writelines(f"{name} {value}\n" for name, value in sorted(hashes.items()))
        file.flush()
        os.fsync(file.fileno())
        if path.exists():  # the receiver's user stays its owner
            os.fchown(file.fileno(), path.stat().st_uid, path.stat().st_gid)
    os.rename(new, path)


def _read(path: Path) -> dict[str, str]:
    with open_regular(path) as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            raise UsageError(
                f"{path} has mode {mode:04o}: others could read or change it.",
                hint=f"chmod 0600 {path}",
            )
        content = file.read(_MOST_BYTES).decode("ascii", "replace")
    hashes: dict[str, str] = {}
    for number, line in enumerate(content.splitlines(), 1):
        fields = _LINE.fullmatch(line.strip())
        if fields and is_node_name(fields[1]):
            hashes[fields[1]] = fields[2]
        elif fields and fields[1].lower() in RESERVED:
            continue  # an earlier version made such tokens; no post with one was ever stored
        elif line.strip() and not line.startswith("#"):
            raise UsageError(
                f"{path}, line {number}: expected a node and a hash.",
                hint="Create the token with `jostle receive token NODE`.",
            )
    return hashes


def _hash(token: str) -> str:
    """Hash a token; it is 32 random bytes, so it cannot be guessed and needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()
