"""Reads the operator's configuration file of `jostle receive`."""

from __future__ import annotations

import fnmatch
import pwd
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from jostle.errors import UsageError
from jostle.files.toml_settings import STRICT, read_toml

RECEIVE_CONFIG = Path("/etc/jostle/receive.toml")
DEFAULT_MIRROR = Path("/var/lib/jostle/mirror")
DEFAULT_TOKENS = Path("/etc/jostle/receive.tokens")
_REFERENCE = "docs/reference/receive.md lists the keys."
_Text = Annotated[str, Field(min_length=1)]
_Bytes = Annotated[int, Field(gt=0)]


def _named(path: Path) -> Path:
    if path == Path():
        raise ValueError("it is empty")
    return path


_File = Annotated[Path, AfterValidator(_named)]


@dataclass(frozen=True)
class ReceiveSettings:
    """Settings of `jostle receive`; the fields are the keys of the file.

    Attributes:
        listen: Address `HOST:PORT` that nodes reach; "" for none.
        mirror: Folder of the mirror.
        tokens: File of hashed tokens; None: no tokens are accepted.
        munge: Whether MUNGE credentials are accepted.
        munge_users: Users in addition to root whose credentials are accepted.
        munge_socket: Path of munged's socket, if it is not the usual one.
        proxy_socket: Socket on which a proxy forwards verified requests.
        proxy_group: Group that may write to this socket.
        tls_cert: File of the certificate with its chain (PEM).
        tls_key: File of the certificate's private key (PEM).
        nodes: Patterns of the nodes that this receiver accepts.
        elsewhere: For patterns of nodes, the URL of the receiver that accepts them.
        node_bytes: Largest number of bytes of one node in the mirror; one user of this node may
            have a quarter of it.
        user_bytes: Largest number of bytes of one user in the mirror, on all nodes together.
        free_bytes: Bytes that stay free on the mirror's disk.
        most_lag_s: Lag of the repository behind the mirror, s, from which on requests must wait.
    """

    __pydantic_config__: ClassVar[Any] = STRICT

    listen: str = ""
    mirror: _File = DEFAULT_MIRROR
    tokens: _File | None = None
    munge: bool = False
    munge_users: tuple[_Text, ...] = ()
    munge_socket: _File | None = None
    proxy_socket: _File | None = None
    proxy_group: str = ""
    tls_cert: _File | None = None
    tls_key: _File | None = None
    nodes: tuple[_Text, ...] = ("*",)
    elsewhere: dict[str, _Text] = field(default_factory=dict)
    node_bytes: _Bytes = 16 << 30
    user_bytes: _Bytes = 256 << 30
    free_bytes: _Bytes = 2 << 30
    most_lag_s: Annotated[float, Field(gt=0)] = 900.0

    def takes(self, node: str) -> bool:
        """Return whether this receiver accepts a node."""
        return any(fnmatch.fnmatchcase(node, pattern) for pattern in self.nodes)

    def right_one(self, node: str) -> str:
        """Return the URL of the receiver that accepts a node; "" if it is not known."""
        urls = (
            url for pattern, url in self.elsewhere.items() if fnmatch.fnmatchcase(node, pattern)
        )
        return next(urls, "")

    def munge_uids(self) -> frozenset[int]:
        """Return the uids whose MUNGE credentials are accepted.

        Raises:
            UsageError: This machine does not know one of the users.
        """
        uids = {0}
        for name in self.munge_users:
            try:
                uids.add(pwd.getpwnam(name).pw_uid)
            except KeyError:
                raise UsageError(
                    f"This machine knows no user {name!r} of `munge_users`.",
                    hint="Name the user who runs the shipper; its uid must be the same on all "
                    "nodes.",
                ) from None
        return frozenset(uids)

    def check(self) -> None:
        """Refuse settings with which no node could connect, or tokens could be read on the network.

        Raises:
            UsageError: The settings are not usable or not safe.
        """
        if not self.listen and not self.proxy_socket:
            raise UsageError(
                "The receiver has no address to listen on.",
                hint="Use --listen HOST:PORT, or --proxy-socket FILE behind nginx.",
            )
        if not (self.tokens or self.munge or self.proxy_socket):
            raise UsageError(
                "No method of authentication is set for nodes.",
                hint="Use --tokens FILE (jostle receive token NODE creates it), --munge, or "
                "--proxy-socket FILE.",
            )
        if (self.tls_cert is None) != (self.tls_key is None):
            raise UsageError("`tls_cert` and `tls_key` belong together.", hint="Set both keys.")
        if self.tls_cert and self.proxy_socket:
            raise UsageError(
                "With a proxy, the proxy provides TLS.", hint="Leave out `tls_cert` and `tls_key`."
            )
        host = self.listen.rpartition(":")[0]
        is_local = host in ("", "127.0.0.1", "localhost", "[::1]")
        if self.tokens and not is_local and not self.tls_cert:
            raise UsageError(
                f"Without TLS, others on the network could read tokens sent to {self.listen}.",
                hint="Set `tls_cert` and `tls_key`, listen on 127.0.0.1 behind a proxy, or use "
                "--munge.",
            )


def read_settings(path: Path | None, **given: Any) -> ReceiveSettings:
    """Read the configuration file; options of the command line take precedence over it.

    Args:
        path: Path of the configuration file; None: RECEIVE_CONFIG, if it exists.
        given: Fields from the command line; None and False count as not given.

    Raises:
        UsageError: The file cannot be read or is not valid, or the settings fail `check`.
    """
    settings = replace(_read_file(path), **{key: value for key, value in given.items() if value})
    settings.check()
    return settings


def tokens_file(path: Path | None) -> Path:
    """Return the file of hashed tokens that a receiver with these settings would read.

    Args:
        path: Path of the configuration file, as in `read_settings`.

    Raises:
        UsageError: The configuration file cannot be read or is not valid.
    """
    return _read_file(path).tokens or DEFAULT_TOKENS


def _read_file(path: Path | None) -> ReceiveSettings:
    file = path or RECEIVE_CONFIG
    try:
        return read_toml(file, ReceiveSettings, _REFERENCE, UsageError)
    except FileNotFoundError:
        if path is None:
            return ReceiveSettings()
        raise UsageError(f"There is no {file}.", hint="Check the name of the file.") from None
