"""Local accounts: login names and argon2id hashes in a file of the operator."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final

from jostle.server.access.files import AccessError, read_private
from jostle.server.access.roles import Roles, RolesFile
from jostle.server.access.viewer import Viewer

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
LEAST_CHARACTERS, MOST_CHARACTERS = 10, 1000


class Accounts:
    """Log-in by name and password, from a file of accounts.

    Each line of the file is `NAME:HASH`. The file is read again when it changes. Then users who
    were removed, or who have a new password, are logged out.
    """

    kind: Final = "accounts"

    def __init__(self, path: Path, roles: Roles | RolesFile) -> None:
        """Read the file.

        Raises:
            AccessError: The file cannot be read, is accessible to others, or is not a file of
                accounts.
        """
        from argon2 import PasswordHasher

        self._path = path
        self.roles = roles
        self._hasher = PasswordHasher()
        self._state: tuple[int, int, int] | None = None
        self._hashes = self._read()
        # The check of an unknown name takes as long as that of a known one.
        self._nobody = self._hasher.hash(os.urandom(16).hex())

    def enter(self, name: str, password: str) -> Viewer | None:
        """Return the viewer who logged in; None: name or password is wrong.

        Each call takes 64 MB of memory and some tenths of a second, so `Access.login_service` runs
        only one at a time.
        """
        from argon2.exceptions import InvalidHashError, VerificationError

        stored = self._read().get(name)
        try:
            self._hasher.verify(stored or self._nobody, password)
        except (VerificationError, InvalidHashError):
            return None
        return self.roles.now().viewer(name) if stored else None

    def proof(self, name: str) -> str:
        """Return a digest of a user's password hash, on which sessions depend; "": no account."""
        stored = self._read().get(name)
        return hashlib.sha256(stored.encode()).hexdigest() if stored else ""

    def _read(self) -> dict[str, str]:
        facts = self._path.stat() if self._path.exists() else None
        state = (facts.st_mtime_ns, facts.st_ino, facts.st_mode) if facts else None
        if state is None or state != self._state:
            self._hashes = read_accounts(self._path)
            self._state = state
        return self._hashes


def read_accounts(path: Path) -> dict[str, str]:
    """Return the password hash of each login name in a file of accounts.

    Raises:
        AccessError: The file cannot be read, is accessible to others, or has an invalid line.
    """
    hashes: dict[str, str] = {}
    for number, line in enumerate(read_private(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, stored = line.strip().partition(":")
        if not NAME.fullmatch(name) or not stored.startswith("$argon2id$"):
            raise AccessError(
                f"{path}:{number} is not an account.",
                hint="Use jostle serve --add-user NAME to write accounts.",
            )
        hashes[name] = stored
    return hashes


def add_account(path: Path, name: str, password: str) -> bool:
    """Write a new account, or a new password of an existing account, atomically.

    Returns:
        Whether the account is new.

    Raises:
        AccessError: The name or the password is not acceptable, or the file cannot be written.
    """
    from argon2 import PasswordHasher

    if not NAME.fullmatch(name):
        raise AccessError(
            f"`{name}` is not a login name.", hint="Use the user's name on the cluster."
        )
    if not LEAST_CHARACTERS <= len(password) <= MOST_CHARACTERS:
        raise AccessError(
            f"The password has {len(password)} characters.",
            hint=f"Use {LEAST_CHARACTERS} to {MOST_CHARACTERS} characters.",
        )
    known = read_accounts(path) if path.exists() else {}
    is_new = name not in known
    known[name] = PasswordHasher().hash(password)
    text = "".join(f"{user}:{stored}\n" for user, stored in sorted(known.items()))
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                if path.exists():  # root may add accounts; the service's user stays the owner
                    facts = path.stat()
                    os.fchown(file.fileno(), facts.st_uid, facts.st_gid)
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise AccessError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Run the command as the file's owner.",
        ) from error
    return is_new
