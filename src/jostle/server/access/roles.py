"""Maps login names to viewers: user ids on this machine, and the operator's table of roles."""

from __future__ import annotations

import grp
import logging
import pwd
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from jostle.server.access.files import AccessError
from jostle.server.access.viewer import Role, Viewer

_log = logging.getLogger("jostle.serve")
ROLES: tuple[Role, ...] = get_args(Role)  # in ascending order
#: How long `cached_viewer` caches a viewer, s.
_CACHED_S = 300.0


@dataclass(frozen=True)
class Roles:
    """The operator's table of roles.

    Attributes:
        support: Login names of support staff, who may see all users' jobs.
        administrator: Login names of administrators, who may see all users' jobs and the record of
            accesses to them.
        manager: For each manager's login name, the users whose jobs the manager may see: login
            names, or `@GROUP`.
    """

    support: frozenset[str] = frozenset()
    administrator: frozenset[str] = frozenset()
    manager: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _known: dict[str, tuple[float, Viewer]] = field(default_factory=dict, repr=False, compare=False)

    def now(self) -> Roles:
        """Return this table, which has no file and so does not change (see RolesFile)."""
        return self

    def viewer(self, name: str, *, claimed: Role = "user", accounts: Iterable[str] = ()) -> Viewer:
        """Return the viewer of a login name.

        Args:
            name: The login name, already verified.
            claimed: The role that the issuer of the log-in gives the user. If the table gives a
                higher role, that one is used.
            accounts: Users whose jobs the issuer lets this user see.
        """
        role = max(self._role(name), claimed, key=ROLES.index)
        named = (*self.manager.get(name, ()), *accounts) if role == "manager" else ()
        return Viewer(name, _uid(name), role, frozenset(_members(named)))

    def cached_viewer(self, name: str) -> Viewer:
        """Return the viewer according to this table alone; the result is cached for minutes."""
        now = time.monotonic()
        entry = self._known.get(name)
        if entry is None or now - entry[0] > _CACHED_S:
            if len(self._known) > 10_000:
                self._known.clear()
            entry = self._known[name] = (now, self.viewer(name))
        return entry[1]

    def mark(self, name: str) -> str:
        """Return the table's entry for a user as text; sessions end when it changes."""
        return f"{self._role(name)} {' '.join(self.manager.get(name, ()))}"

    def _role(self, name: str) -> Role:
        return (
            "administrator"
            if name in self.administrator
            else "support"
            if name in self.support
            else "manager"
            if name in self.manager
            else "user"
        )


class RolesFile:
    """The table of roles in the operator's file, which is read again when the file changes.

    While the file is invalid, for example during an edit, the last valid table is used.
    """

    def __init__(self, path: Path, table: Roles, read: Callable[[Path], Roles]) -> None:
        """Start with the table that was read from the file.

        Args:
            path: Path of the file.
            table: Table in the file.
            read: Function that reads the file again, or raises AccessError.
        """
        self._path = path
        self._table = table
        self._read = read
        self._state = self._stat()

    def now(self) -> Roles:
        """Return the current table."""
        state = self._stat()
        if state != self._state:
            self._state = state
            try:
                self._table = self._read(self._path)
                _log.warning("roles: read again from %s", self._path)
            except AccessError as error:
                _log.error("roles stay as they were: %s %s", error, error.hint)
        return self._table

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            facts = self._path.stat()
        except OSError:
            return None
        return facts.st_mtime_ns, facts.st_ino, facts.st_size


def _uid(name: str) -> int | None:
    try:
        return pwd.getpwnam(name).pw_uid
    except (KeyError, ValueError):
        return None


def _members(names: Iterable[str]) -> Iterable[int]:
    """Return the user ids of users and of members of groups; unknown names are left out."""
    for name in names:
        if not name.startswith("@"):
            uid = _uid(name)
            if uid is not None:
                yield uid
            continue
        try:
            group = grp.getgrnam(name[1:])
        except (KeyError, ValueError):
            continue
        yield from _members(group.gr_mem)
        yield from (user.pw_uid for user in pwd.getpwall() if user.pw_gid == group.gr_gid)
