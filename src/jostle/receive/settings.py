"""The operator's file of `jostle receive`."""

from __future__ import annotations

import difflib
import fnmatch
import pwd
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jostle.errors import UsageError
from jostle.files.regular_files import read_regular

RECEIVE_CONFIG = Path("/etc/jostle/receive.toml")
DEFAULT_MIRROR = Path("/var/lib/jostle/mirror")
DEFAULT_TOKENS = Path("/etc/jostle/receive.tokens")
_REFERENCE = "docs/reference/receive.md lists the keys."


@dataclass(frozen=True)
class ReceiveSettings:
    """How `jostle receive` runs; the fields are the keys of the file.

    Attributes:
        listen: Address `HOST:PORT` that nodes reach; "" for none.
        mirror: Folder of the mirror.
        tokens: File of hashed tokens; None: tokens do not count.
        munge: Whether MUNGE credentials count.
        munge_users: Users beside root whose credentials count.
        munge_socket: munged's socket, where it is not the usual one.
        proxy_socket: Socket on which a proxy passes on what it has verified.
        proxy_group: Group that may write to this socket.
        tls_cert: Certificate, and the chain behind it (PEM).
        tls_key: Its key (PEM).
        nodes: Patterns of the nodes that this receiver takes.
        elsewhere: Pattern of nodes -> URL of the receiver that takes them.
        node_bytes: Most bytes of one node in the mirror; of one user there a quarter of it.
        user_bytes: Most bytes of one user in the mirror.
        free_bytes: What stays free on the mirror's disk.
        most_lag_s: Posts wait once the repository is so far behind the mirror.
    """

    listen: str = ""
    mirror: Path = DEFAULT_MIRROR
    tokens: Path | None = None
    munge: bool = False
    munge_users: tuple[str, ...] = ()
    munge_socket: Path | None = None
    proxy_socket: Path | None = None
    proxy_group: str = ""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    nodes: tuple[str, ...] = ("*",)
    elsewhere: dict[str, str] = field(default_factory=dict)
    node_bytes: int = 16 << 30
    user_bytes: int = 256 << 30
    free_bytes: int = 2 << 30
    most_lag_s: float = 900.0

    def takes(self, node: str) -> bool:
        """Return whether this receiver takes a node."""
        return any(fnmatch.fnmatchcase(node, pattern) for pattern in self.nodes)

    def right_one(self, node: str) -> str:
        """Return the URL of the receiver that takes a node; "" if it is not known."""
        urls = (
            url for pattern, url in self.elsewhere.items() if fnmatch.fnmatchcase(node, pattern)
        )
        return next(urls, "")

    def munge_uids(self) -> frozenset[int]:
        """Return the uids whose MUNGE credentials count.

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
                    hint="Write the user who runs the shipper; its uid counts on all nodes.",
                ) from None
        return frozenset(uids)

    def check(self) -> None:
        """Refuse settings that let nobody in, or let others read along.

        Raises:
            UsageError: They do.
        """
        if not self.listen and not self.proxy_socket:
            raise UsageError(
                "The receiver listens nowhere.",
                hint="Name --listen HOST:PORT, or --proxy-socket FILE behind nginx.",
            )
        if not (self.tokens or self.munge or self.proxy_socket):
            raise UsageError(
                "No node could show who it is.",
                hint="Name --tokens FILE (jostle receive token NODE makes one), --munge, or "
                "--proxy-socket FILE.",
            )
        if (self.tls_cert is None) != (self.tls_key is None):
            raise UsageError("`tls_cert` and `tls_key` belong together.", hint="Name both.")
        if self.tls_cert and self.proxy_socket:
            raise UsageError(
                "With a proxy, TLS ends there.", hint="Leave `tls_cert` and `tls_key` out."
            )
        host = self.listen.rpartition(":")[0]
        is_local = host in ("", "127.0.0.1", "localhost", "[::1]")
        if self.tokens and not is_local and not self.tls_cert:
            raise UsageError(
                f"On {self.listen} without TLS anybody on the way could take the nodes' tokens.",
                hint="Name `tls_cert` and `tls_key`, listen on 127.0.0.1 behind a proxy, or use "
                "--munge.",
            )


def read_settings(path: Path | None, **given: Any) -> ReceiveSettings:
    """Read the operator's file; what the command line names comes first.

    Args:
        path: The file; None: RECEIVE_CONFIG, if it is there.
        given: Fields from the command line; None and False count as not named.

    Raises:
        UsageError: The file cannot be read or is not valid, or the settings are not (see check).
    """
    settings = replace(_read_file(path), **{key: value for key, value in given.items() if value})
    settings.check()
    return settings


def tokens_file(path: Path | None) -> Path:
    """Return the file of hashed tokens that a receiver with these settings would read.

    Args:
        path: The operator's file, as in `read_settings`.

    Raises:
        UsageError: The operator's file cannot be read or is not valid.
    """
    return _read_file(path).tokens or DEFAULT_TOKENS


def _read_file(path: Path | None) -> ReceiveSettings:
    file = path or RECEIVE_CONFIG
    content: dict[str, Any] = {}
    if path is not None or file.exists():
        try:
            content = tomllib.loads(read_regular(file).decode())
        except OSError as error:
            raise UsageError(
                f"{file} cannot be read: {error.strerror}.", hint="Check the name, and whose it is."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{file} is not valid TOML: {error}.", hint=_REFERENCE) from None
    return ReceiveSettings(**{key: _value(file, key, value) for key, value in content.items()})


def _value(file: Path, key: str, value: Any) -> Any:
    """Return the value of a key as its field's type."""
    fields = ReceiveSettings.__dataclass_fields__
    if key not in fields:
        close = difflib.get_close_matches(key, fields, n=1)
        hint = f"Did you mean `{close[0]}`?" if close else _REFERENCE
        raise UsageError(f"{file}: `{key}` is unknown.", hint=hint)
    kind = str(fields[key].type)
    if "Path" in kind and isinstance(value, str) and value:
        return Path(value)
    if kind == "str" and isinstance(value, str):
        return value
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind in ("int", "float") and isinstance(value, (int, float)) and not isinstance(value, bool):
        if value > 0:
            return int(value) if kind == "int" else float(value)
    elif kind.startswith("tuple") and _are_texts(value):
        return tuple(value)
    elif kind.startswith("dict") and isinstance(value, dict) and _are_texts([*value.values()]):
        return value
    raise UsageError(f"{file}: `{key}` cannot be {value!r}.", hint=_REFERENCE)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)
