"""Schemas of answers about log-in and roles."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from jostle.server.access.viewer import Role

Kind = Literal["token", "oidc", "proxy", "accounts"]


class WayIn(BaseModel):
    """The method of log-in.

    - `token`: by the URL that `jostle serve` printed.
    - `oidc`: at an OpenID Connect issuer; the log-in begins at /login/oidc.
    - `proxy`: by the proxy in front of the server.
    - `accounts`: by an HTTP POST request with name and password.
    """

    way: Kind


class Password(BaseModel):
    """A name and a password."""

    name: str = Field(max_length=128)
    password: str = Field(max_length=1000)


class Name(BaseModel):
    """A user."""

    uid: int
    name: str


class Me(BaseModel):
    """The current user."""

    name: str
    uid: int | None = Field(description="null: this user has no uid on the cluster, so no jobs")
    role: Role
    way: Kind
    accounts: list[Name] = Field(
        description="users whose jobs a manager may see in addition to the manager's own"
    )
    csrf: str | None = Field(
        description="value that every POST request must have in the header X-CSRF-Token; null: "
        "requests of this client need no such header"
    )
    recorded: bool = Field(description="whether accesses to others' jobs are recorded")
    flag: str = Field(
        description="option with which jostle's commands find this repository; empty if the server "
        "is not on loopback, or if they need none"
    )


class ScriptToken(BaseModel):
    """A token for the header `Authorization: Bearer TOKEN`."""

    token: str
    seconds: int = Field(description="time for which the token is valid")


class AccessRecord(BaseModel):
    """An access to another user's job."""

    time: str = Field(description="time of the access, UTC: `2026-11-26T09:30:00Z`")
    viewer: str
    role: Role
    address: str
    job: str
    owner: int | None = Field(description="uid of the job's owner; null: several users own it")


class AccessRecords(BaseModel):
    """Accesses to others' jobs, the newest first."""

    looks: list[AccessRecord]
    before: int | None = Field(
        description="value of the parameter `before` for the next page; null: this page is the last"
    )
