"""Log-in by a proxy in front, which tells in a header who asks."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final

from starlette.requests import Request

from jostle.server.access.roles import Roles, RolesFile
from jostle.server.access.viewer import Viewer

Net = IPv4Network | IPv6Network
SECRET_HEADER = "X-Jostle-Secret"
_NAME = re.compile(r"[^\s\x00-\x1f\x7f:/]{1,128}")


class ProxyHeader:
    """Believes the header, for the guard lets only the proxies through to it.

    Attributes:
        header: Its name.
        secret: What the proxy sends in SECRET_HEADER; None: its address is proof enough.
    """

    kind: Final = "proxy"

    def __init__(self, header: str, secret: str | None, roles: Roles | RolesFile) -> None:
        self.header = header
        self.secret = secret
        self.roles = roles

    def viewer(self, request: Request) -> Viewer | None:
        """Gives whom the proxy has let in; None: nobody, or it is not the proxy that says so."""
        names = request.headers.getlist(self.header)
        if len(names) != 1 or not _NAME.fullmatch(names[0]):
            return None  # two headers: one of them may be the guest's own
        return self.roles.now().kept(names[0]) if self.vouches(request) else None

    def vouches(self, request: Request) -> bool:
        """Tells whether a request knows the proxy's secret, where there is one."""
        said = request.headers.get(SECRET_HEADER, "")
        return self.secret is None or hmac.compare_digest(said.encode(), self.secret.encode())


def is_from(host: str | None, networks: Sequence[Net]) -> bool:
    """Tells whether an address lies in one of some networks."""
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return any(mapped in network for network in networks)
