"""Log-in by a proxy in front of the server, which sends the user's name in a header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final

from starlette.requests import Request

from jostle.server.access.roles import Roles, RolesFile
from jostle.server.access.viewer import Viewer

Net = IPv4Network | IPv6Network
#: Header with which a proxy identifies itself, if others share its address.
SECRET_HEADER = "X-Jostle-Secret"
_NAME = re.compile(r"[^\s\x00-\x1f\x7f:/]{1,128}")


class ProxyHeader:
    """Log-in by a header, which is trusted because the middleware admits only the proxies.

    Attributes:
        header: Name of the header.
    """

    kind: Final = "proxy"

    def __init__(self, header: str, roles: Roles | RolesFile) -> None:
        self.header = header
        self.roles = roles

    def viewer(self, request: Request) -> Viewer | None:
        """Return the viewer whom the proxy has logged in; None: it has logged in nobody."""
        names = request.headers.getlist(self.header)
        if len(names) != 1 or not _NAME.fullmatch(names[0]):
            return None  # one of two headers may be from the client
        return self.roles.now().cached_viewer(names[0])


def is_from(host: str | None, networks: Sequence[Net]) -> bool:
    """Return whether an address is in one of some networks."""
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return any(mapped in network for network in networks)
