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
    uid: int | None = Field(description="null: not a user of the cluster, so without jobs")
    role: Role
    way: Kind
    accounts: list[Name] = Field(description="users whose jobs a manager sees besides the own ones")
    csrf: str | None = Field(
        description="value of the header X-CSRF-Token of every POST; null: not needed"
    )
    recorded: bool = Field(description="whether accesses to others' jobs are recorded")
    flag: str = Field(
        description="option that commands need to find this repository; on loopback only"
    )


class ScriptToken(BaseModel):
    """A token for the header `Authorization: Bearer TOKEN`."""

    token: str
    seconds: int = Field(description="how long it is valid")


class AccessRecord(BaseModel):
    """An access to another user's job."""

    time: str = Field(description="UTC")
    viewer: str
    role: Role
    address: str
    job: str
    owner: int | None = Field(description="null: several users")


class AccessRecords(BaseModel):
    """Accesses to others' jobs, the newest first."""

    looks: list[AccessRecord]
    before: int | None = Field(description="`before` of the next page; null: this is the last")
