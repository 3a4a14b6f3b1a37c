"""The operator's file of `jostle serve` on a network address (docs/reference/serve.md)."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from jostle.files.regular_files import read_regular
from jostle.server.access.access import Access, Way
from jostle.server.access.accounts import Accounts
from jostle.server.access.audit import Audit
from jostle.server.access.files import AccessError, read_secret
from jostle.server.access.oidc import OpenId, OpenIdSettings, is_safe
from jostle.server.access.proxy import Net, ProxyHeader
from jostle.server.access.roles import Roles, RolesFile

SERVE_CONFIG = Path("/etc/jostle/serve.toml")
#: Path to which the issuer sends browsers back.
RETURN = "/login/return"
_WAYS = ("oidc", "proxy", "accounts")
_KEYS = {
    "": ("url", "audit", "proxies", "proxy_secret_file", "roles", "alerts", *_WAYS),
    "oidc": (
        "issuer",
        "client_id",
        "client_secret_file",
        "name_claim",
        "role_claim",
        "accounts_claim",
        "scope",
    ),
    "proxy": ("user_header",),
    "accounts": ("file",),
    "roles": ("manager", "support", "administrator"),
    "alerts": ("url_file", "light"),
}
_LOOPBACK = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
_REFERENCE = "docs/reference/serve.md has all keys."


@dataclass(frozen=True)
class AlertSettings:
    """Who is told of disturbed jobs.

    Attributes:
        url: Where messages are posted; a secret.
        light: The least light of which there are messages.
    """

    url: str
    light: Literal["yellow", "red"]


@dataclass(frozen=True)
class ServeSettings:
    """The content of the file.

    Attributes:
        path: The file.
        tables: Table -> its keys; "" for those above all tables.
    """

    path: Path
    tables: dict[str, dict[str, Any]]

    @property
    def accounts(self) -> Path:
        """The file of local accounts.

        Raises:
            AccessError: There is none.
        """
        if "accounts" not in self.tables:
            raise AccessError(
                f"{self.path} has no local accounts.",
                hint='Write `[accounts]` and `file = "/etc/jostle/accounts"` into it.',
            )
        return Path(self._text("accounts", "file"))

    def access(self, *, behind_proxy: bool) -> Access:
        """Make the access control that the file describes.

        Args:
            behind_proxy: Whether requests come through a proxy, which has TLS.

        Raises:
            AccessError: Something is missing or not safe.
        """
        url = self._url()
        proxies = self._proxies() if behind_proxy else None
        roles = RolesFile(self.path, self.roles(), lambda path: read_settings(path).roles())
        way = self._way(url, roles, is_behind=behind_proxy)
        return Access(
            way,
            url=url,
            audit=Audit(Path(self._text("", "audit"))),
            proxies=proxies,
            proxy_secret=self._proxy_secret(proxies or []),
        )

    def alerts(self) -> AlertSettings | None:
        """Return who is told of disturbed jobs; None: nobody.

        Raises:
            AccessError: The table is not valid.
        """
        if "alerts" not in self.tables:
            return None
        file = self._text("alerts", "url_file")
        url = read_secret(Path(file))
        if (
            not is_safe(url)
            or not url.isascii()
            or any(not " " < letter < "\x7f" for letter in url)
        ):
            raise AccessError(
                f"{file} does not hold an https URL.",
                hint="Write into it, on one line, the URL that takes the messages.",
            )
        light = self._text("alerts", "light", "red")
        if light not in ("yellow", "red"):
            raise AccessError(
                f"{self.path}: `light` of [alerts] is {light!r}.", hint="Write yellow or red."
            )
        return AlertSettings(url, "yellow" if light == "yellow" else "red")

    def _way(self, url: str, roles: RolesFile, *, is_behind: bool) -> Way:
        ways = [name for name in _WAYS if name in self.tables]
        if len(ways) != 1:
            raise AccessError(
                f"{self.path} has {' and '.join(f'[{w}]' for w in ways) or 'no way to log in'}.",
                hint="Write exactly one of [oidc], [proxy] and [accounts]: how users log in.",
            )
        if ways == ["oidc"]:
            return OpenId(self._oidc(), url + RETURN, roles)
        if ways == ["accounts"]:
            return Accounts(self.accounts, roles)
        if not is_behind:
            raise AccessError(
                f"{self.path} trusts a proxy's header, but there is no proxy in front.",
                hint="Add --behind-proxy, and the proxy's address as `proxies`.",
            )
        return ProxyHeader(self._text("proxy", "user_header"), roles)

    def _proxy_secret(self, proxies: list[Net]) -> str | None:
        """Return the secret that distinguishes the proxy from others with its address."""
        file = self._text("", "proxy_secret_file", "")
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
        url = self._text("", "url").rstrip("/")
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.hostname or parts.path or parts.query:
            raise AccessError(
                f"{self.path}: `url` is {url!r}.",
                hint='Write the URL that browsers open, as in url = "https://jostle.example.org".',
            )
        return url

    def _proxies(self) -> list[Net]:
        networks: list[Net] = []
        for text in self._texts("", "proxies"):
            try:
                networks.append(ip_network(text))
            except ValueError:
                raise AccessError(
                    f"{self.path}: {text!r} of `proxies` is not a network.",
                    hint='Write for example proxies = ["10.1.2.3/32"].',
                ) from None
        if not networks:
            raise AccessError(
                f"{self.path} does not name the proxy in front.",
                hint='Write for example proxies = ["127.0.0.1/32"].',
            )
        return networks

    def _oidc(self) -> OpenIdSettings:
        text = self._text
        file = text("oidc", "client_secret_file", "")
        issuer = text("oidc", "issuer")
        if not is_safe(issuer):
            raise AccessError(f"{self.path}: the issuer {issuer!r} is not an https URL.")
        return OpenIdSettings(
            issuer,
            text("oidc", "client_id"),
            read_secret(Path(file)) if file else None,
            text("oidc", "name_claim", "preferred_username"),
            text("oidc", "role_claim", "") or None,
            text("oidc", "accounts_claim", "") or None,
            text("oidc", "scope", "openid profile"),
        )

    def roles(self) -> Roles:
        """Return the table of roles.

        Raises:
            AccessError: It is not valid.
        """
        table = self.tables.get("roles", {})
        managers = table.get("manager", {})
        if not isinstance(managers, dict):
            raise AccessError(
                f"{self.path}: [roles] manager is not a table.",
                hint='Write for example [roles.manager] and mary = ["anne", "@physics"].',
            )
        return Roles(
            frozenset(self._texts("roles", "support")),
            frozenset(self._texts("roles", "administrator")),
            {name: tuple(self._list(users, name)) for name, users in managers.items()},
        )

    def _text(self, table: str, key: str, default: str | None = None) -> str:
        value = self.tables.get(table, {}).get(key, default)
        if not isinstance(value, str) or not (value or default is not None):
            where = f"[{table}] " if table else ""
            raise AccessError(f"{self.path} lacks {where}`{key}`.", hint=_REFERENCE)
        return value

    def _texts(self, table: str, key: str) -> list[str]:
        return self._list(self.tables.get(table, {}).get(key, []), key)

    def _list(self, value: object, key: str) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise AccessError(f"{self.path}: `{key}` is not a list of strings.", hint=_REFERENCE)
        return value


def read_settings(path: Path) -> ServeSettings:
    """Read the operator's file.

    Raises:
        AccessError: There is no such file, or it is not valid.
    """
    try:
        content = tomllib.loads(read_regular(path).decode())
    except FileNotFoundError:
        raise AccessError(
            f"On a network address `jostle serve` needs a file of access rules, and there is no "
            f"{path}.",
            hint="docs/how-to/serve-a-cluster.md explains how to write it; on 127.0.0.1 none is "
            "needed.",
        ) from None
    except OSError as error:
        raise AccessError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AccessError(f"{path} is not valid TOML: {error}.") from None
    tables: dict[str, dict[str, Any]] = {"": content}
    for name in (*_WAYS, "roles", "alerts"):
        if name in content:
            if not isinstance(content[name], dict):
                raise AccessError(f"{path}: `{name}` is not a table.", hint=f"Write [{name}].")
            tables[name] = content[name]
    for name, table in tables.items():
        _check_keys(path, name, table)
    return ServeSettings(path, tables)


def _check_keys(path: Path, name: str, keys: Iterable[str]) -> None:
    """Refuse an unknown key: misspelt, it might leave access open."""
    for key in keys:
        if (name, key) == ("proxy", "secret_file"):
            raise AccessError(
                f"{path}: `secret_file` of [proxy] is now `proxy_secret_file`, for every log-in.",
                hint="Write it above all tables.",
            )
        if key not in _KEYS[name]:
            close = difflib.get_close_matches(key, _KEYS[name], n=1)
            hint = f"Did you mean `{close[0]}`?" if close else _REFERENCE
            where = f" of [{name}]" if name else ""
            raise AccessError(f"{path}: `{key}`{where} is unknown.", hint=hint)
