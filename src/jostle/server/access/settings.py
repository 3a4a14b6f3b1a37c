"""Settings of `jostle serve` on a network address, from a file that the operator writes.

docs/reference/serve.md describes the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field

from jostle.files.toml_settings import STRICT, read_toml
from jostle.server.access.access import Access, LoginMethod
from jostle.server.access.accounts import Accounts
from jostle.server.access.audit import Audit
from jostle.server.access.files import AccessError, read_secret
from jostle.server.access.oidc import OpenId, OpenIdSettings, is_safe
from jostle.server.access.proxy import Net, ProxyHeader
from jostle.server.access.roles import Roles, RolesFile

SERVE_CONFIG = Path("/etc/jostle/serve.toml")
#: Path to which the issuer sends browsers back.
RETURN = "/login/return"
_WAYS: Final = ("oidc", "proxy", "accounts")
_LOOPBACK = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
_REFERENCE = "docs/reference/serve.md has all keys."
_Text = Annotated[str, Field(min_length=1)]
#: Least length of the token for monitoring, which gives access to the names of all jobs, so nobody
#: must be able to guess it.
_LEAST_TOKEN = 32


@dataclass(frozen=True)
class AlertSettings:
    """Recipients of messages about disturbed jobs.

    Attributes:
        url: URL to which messages are posted, which is a secret; "": none.
        light: The least serious traffic light for which messages are sent.
        command: A command that reads each message on its standard input; (): none.
        silence: Patterns of names of jobs and resources. No messages are sent about losses of
            running jobs in which such a name occurs.
    """

    url: str
    light: Literal["yellow", "red"]
    command: tuple[str, ...] = ()
    silence: tuple[str, ...] = ()


class _Table(BaseModel):
    model_config = STRICT


class _OpenIdTable(_Table):
    issuer: _Text
    client_id: _Text
    client_secret_file: str = ""
    name_claim: _Text = "preferred_username"
    role_claim: str = ""
    accounts_claim: str = ""
    scope: _Text = "openid profile"


def _moved(_value: str) -> str:
    raise ValueError("it is now `proxy_secret_file`, above all tables, for every log-in")


class _ProxyTable(_Table):
    user_header: _Text
    secret_file: Annotated[str, AfterValidator(_moved)] = ""


class _AccountsTable(_Table):
    file: _Text


class _RolesTable(_Table):
    manager: dict[str, list[str]] = {}
    support: list[str] = []
    administrator: list[str] = []


class _AlertsTable(_Table):
    url_file: str = ""
    light: Literal["yellow", "red"] = "red"
    command: list[str] = []
    silence: list[str] = []


class _MetricsTable(_Table):
    token_file: _Text


class _ServeFile(_Table):
    """The keys of the file; `url` and `audit` are required to serve, not to change accounts."""

    url: str = ""
    audit: str = ""
    proxies: list[str] = []
    proxy_secret_file: str = ""
    oidc: _OpenIdTable | None = None
    proxy: _ProxyTable | None = None
    accounts: _AccountsTable | None = None
    roles: _RolesTable = _RolesTable()
    alerts: _AlertsTable | None = None
    metrics: _MetricsTable | None = None


@dataclass(frozen=True)
class ServeSettings:
    """The content of the operator's file.

    Attributes:
        path: Path of the file.
        content: Keys and values of the file.
    """

    path: Path
    content: _ServeFile

    @property
    def accounts(self) -> Path:
        """The file of local accounts.

        Raises:
            AccessError: The file of settings names no file of accounts.
        """
        if self.content.accounts is None:
            raise AccessError(
                f"{self.path} has no local accounts.",
                hint='Write `[accounts]` and `file = "/etc/jostle/accounts"` into it.',
            )
        return Path(self.content.accounts.file)

    def access(self, *, behind_proxy: bool) -> Access:
        """Create the access control that the file describes.

        Args:
            behind_proxy: Whether requests come through a proxy, which provides TLS.

        Raises:
            AccessError: A setting is missing or not safe.
        """
        url = self._url()
        proxies = self._proxies() if behind_proxy else None
        roles = RolesFile(self.path, self.roles(), lambda path: read_settings(path).roles())
        way = self._way(url, roles, is_behind=behind_proxy)
        return Access(
            way,
            url=url,
            audit=Audit(self._audit()),
            proxies=proxies,
            proxy_secret=self._proxy_secret(proxies or []),
            metrics_token=self.metrics_token(),
        )

    def alerts(self) -> AlertSettings | None:
        """Return the recipients of messages about disturbed jobs; None: there are none.

        Raises:
            AccessError: The file of the URL is not valid.
        """
        table = self.content.alerts
        if table is None:
            return None
        file, more = table.url_file, (tuple(table.command), tuple(table.silence))
        if not file and table.command:
            return AlertSettings("", table.light, *more)
        if not file:
            raise AccessError(
                f"[alerts] of {self.path} has no recipient of messages.",
                hint='Write `url_file = "/etc/jostle/alerts.url"`, or `command = ["mail", ...]`.',
            )
        url = read_secret(Path(file))
        if (
            not is_safe(url)
            or not url.isascii()
            or any(not " " < letter < "\x7f" for letter in url)
        ):
            raise AccessError(
                f"{file} does not contain an https URL.",
                hint="Write the URL of the recipient into the file, on one line.",
            )
        return AlertSettings(url, table.light, *more)

    def metrics_token(self) -> str | None:
        """Return the token with which monitoring gets the metrics of all jobs; None: there is none.

        Raises:
            AccessError: The file of the token is not valid.
        """
        table = self.content.metrics
        if table is None:
            return None
        token = read_secret(Path(table.token_file))
        if len(token) < _LEAST_TOKEN:
            raise AccessError(
                f"The token in {table.token_file} is shorter than {_LEAST_TOKEN} characters.",
                hint=f"openssl rand -hex 32 >{table.token_file}",
            )
        return token

    def _way(self, url: str, roles: RolesFile, *, is_behind: bool) -> LoginMethod:
        ways = [name for name in _WAYS if getattr(self.content, name) is not None]
        if len(ways) != 1:
            raise AccessError(
                f"{self.path} has {' and '.join(f'[{w}]' for w in ways) or 'no method of log-in'}.",
                hint="Write exactly one of [oidc], [proxy] and [accounts]: the method of log-in.",
            )
        if self.content.oidc is not None:
            return OpenId(self._oidc(self.content.oidc), url + RETURN, roles)
        if self.content.proxy is None:
            return Accounts(self.accounts, roles)
        if not is_behind:
            raise AccessError(
                f"{self.path} trusts a proxy's header, but there is no proxy in front.",
                hint="Add --behind-proxy, and the proxy's address as `proxies`.",
            )
        return ProxyHeader(self.content.proxy.user_header, roles)

    def _proxy_secret(self, proxies: list[Net]) -> str | None:
        """Return the secret that distinguishes the proxy from others with its address."""
        file = self.content.proxy_secret_file
        if (proxies and not file) and any(
            proxy.version == loopback.version and proxy.overlaps(loopback)
            for proxy in proxies
            for loopback in _LOOPBACK
        ):
            raise AccessError(
                f"{self.path} trusts 127.0.0.1, which is every user of this machine.",
                hint="Write `proxy_secret_file` above all tables, and let the proxy send its "
                "content as X-Jostle-Secret (docs/how-to/serve-a-cluster.md).",
            )
        return read_secret(Path(file)) if file and proxies else None

    def _url(self) -> str:
        url = self.content.url.rstrip("/")
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.hostname or parts.path or parts.query:
            raise AccessError(
                f"{self.path}: `url` is {url!r}.",
                hint='Write the URL that browsers open, as in url = "https://jostle.example.org".',
            )
        return url

    def _proxies(self) -> list[Net]:
        networks: list[Net] = []
        for text in self.content.proxies:
            try:
                networks.append(ip_network(text))
            except ValueError:
                raise AccessError(
                    f"{self.path}: {text!r} of `proxies` is not a network.",
                    hint='For example: proxies = ["10.1.2.3/32"]',
                ) from None
        if not networks:
            raise AccessError(
                f"{self.path} does not name the address of the proxy.",
                hint='For example: proxies = ["127.0.0.1/32"]',
            )
        return networks

    def _audit(self) -> Path:
        if not self.content.audit:
            raise AccessError(f"{self.path} lacks `audit`.", hint=_REFERENCE)
        return Path(self.content.audit)

    def _oidc(self, table: _OpenIdTable) -> OpenIdSettings:
        if not is_safe(table.issuer):
            raise AccessError(f"{self.path}: the issuer {table.issuer!r} is not an https URL.")
        file = table.client_secret_file
        return OpenIdSettings(
            table.issuer,
            table.client_id,
            read_secret(Path(file)) if file else None,
            table.name_claim,
            table.role_claim or None,
            table.accounts_claim or None,
            table.scope,
        )

    def roles(self) -> Roles:
        """Return the table of roles."""
        table = self.content.roles
        return Roles(
            frozenset(table.support),
            frozenset(table.administrator),
            {name: tuple(users) for name, users in table.manager.items()},
        )


def read_settings(path: Path) -> ServeSettings:
    """Read the operator's file.

    Raises:
        AccessError: There is no such file, or it is not valid.
    """
    try:
        return ServeSettings(path, read_toml(path, _ServeFile, _REFERENCE, AccessError))
    except FileNotFoundError:
        raise AccessError(
            f"On a network address `jostle serve` needs a file of access rules, and there is no "
            f"{path}.",
            hint="docs/how-to/serve-a-cluster.md explains this file; on 127.0.0.1 it is not "
            "needed.",
        ) from None
