"""The viewer of pages, and the jobs that the viewer may see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from fastapi import Depends, Request

Role = Literal["user", "manager", "support", "administrator"]


@dataclass(frozen=True)
class Viewer:
    """A user who views pages.

    Attributes:
        name: Login name.
        uid: User id; None if there is none on the cluster.
        role: Role, which decides what the viewer may see.
        accounts: User ids whose jobs a manager may see, in addition to the manager's own.
        address: Client address, for the record of accesses; it does not distinguish viewers.
    """

    name: str
    uid: int | None
    role: Role
    accounts: frozenset[int] = frozenset()
    address: str = field(default="", compare=False)

    @property
    def sees_all(self) -> bool:
        """Whether the viewer may see all users' jobs and their names."""
        return self.role in ("support", "administrator")

    @property
    def users(self) -> frozenset[int] | None:
        """Uids of the users whose jobs the viewer may see; None: all."""
        if self.sees_all:
            return None
        return self.accounts | (frozenset() if self.uid is None else {self.uid})

    def sees(self, uid: int | None) -> bool:
        """Return whether the viewer may see jobs of a user; None: jobs of several users."""
        return self.sees_all or (uid is not None and (uid == self.uid or uid in self.accounts))


async def _viewer(request: Request) -> Viewer:  # async: needs no thread of its own
    viewer: Viewer = request.state.viewer  # the middleware has stored it
    return viewer


#: A parameter of every route that reports on jobs.
Looking = Annotated[Viewer, Depends(_viewer)]
