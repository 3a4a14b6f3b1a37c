"""What the API answers about log-in and roles."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from jostle.server.access.viewer import Role

Kind = Literal["token", "oidc", "proxy", "accounts"]


class WayIn(BaseModel):
    """How one logs in.

    `token`: by the URL that `jostle serve` printed; `oidc`: at an issuer, beginning at
    /login/oidc; `proxy`: the proxy in front does it; `accounts`: by POST of name and password.
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
    """Who one is on this server."""

    name: str
    uid: int | None = Field(description="null: no user of the cluster, so without jobs")
    role: Role
    way: Kind
    accounts: list[Name] = Field(description="whose jobs a manager sees besides his own")
    csrf: str | None = Field(
        description="goes into the header X-CSRF-Token of every POST; null: none is needed"
    )
    recorded: bool = Field(description="looks at others' jobs are written down")
    flag: str = Field(
        description="what commands need to find this repository; told to its owner alone"
    )


class ScriptToken(BaseModel):
    """A token for the header `Authorization: Bearer TOKEN`."""

    token: str
    seconds: int = Field(description="until it ends")


class AccessRecord(BaseModel):
    """A look at another user's job."""

    time: str = Field(description="UTC")
    viewer: str
    role: Role
    address: str
    job: str
    owner: int | None = Field(description="null: several users")


class AccessRecords(BaseModel):
    """Looks at others' jobs, the newest first."""

    looks: list[AccessRecord]
    before: int | None = Field(description="for the next page; null: there is none")
