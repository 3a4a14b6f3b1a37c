"""The viewer of pages, and what he may see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from fastapi import Depends, Request

Role = Literal["user", "manager", "support", "administrator"]


@dataclass(frozen=True)
class Viewer:
    """A user who views pages.

    Attributes:
        name: His login name.
        uid: His user id; None where he has none on the cluster.
        role: What he may see.
        accounts: User ids whose jobs a manager may see, besides his own.
        address: Client address, for the record of accesses; it does not distinguish viewers.
    """

    name: str
    uid: int | None
    role: Role
    accounts: frozenset[int] = frozenset()
    address: str = field(default="", compare=False)

    @property
    def sees_all(self) -> bool:
        """Whether all users' jobs, and their names, are open to him."""
        return self.role in ("support", "administrator")

    @property
    def users(self) -> frozenset[int] | None:
        """Uids of those whose jobs are open to him; None: everybody's."""
        if self.sees_all:
            return None
        return self.accounts | (frozenset() if self.uid is None else {self.uid})

    def sees(self, uid: int | None) -> bool:
        """Return whether he may see a job of a user; None: of several users at once."""
        return self.sees_all or (uid is not None and (uid == self.uid or uid in self.accounts))


def _viewer(request: Request) -> Viewer:
    viewer: Viewer = request.state.viewer  # the middleware has stored it
    return viewer


#: A parameter of every route that reports on jobs.
Looking = Annotated[Viewer, Depends(_viewer)]
