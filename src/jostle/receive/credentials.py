"""Identifies the sender of a POST request by a token, by MUNGE, or by a proxy that verified it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from jostle.errors import UsageError
from jostle.receive.munge import Munge
from jostle.receive.names import NODE_NAME_RULE, is_node_name
from jostle.receive.refused import RefusedError, malformed
from jostle.receive.tokens import Tokens

#: How far a node's clock may be from ours, ns.
MOST_SKEW_NS = 300_000_000_000
_PAYLOAD = re.compile(rb"([^\n]{1,200})\n(\d{1,20})\n([0-9a-f]{64})")
_DIGITS = re.compile(r"\d{1,20}")
_BOOT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Sender:
    """The sender of a POST request.

    Attributes:
        node: The node's name, which its credential confirms.
        digest: SHA-256 that the body must have, hexadecimal; "" if the credential has none.
        time_ns: Time of the node's clock, ns since the epoch.
    """

    node: str
    digest: str
    time_ns: int


class Credentials:
    """Checks the credentials of nodes, of all permitted kinds."""

    def __init__(
        self, tokens: Tokens | None, munge: Munge | None, munge_uids: frozenset[int]
    ) -> None:
        """Create the check for the given kinds, and for senders that a proxy names on its socket.

        Args:
            tokens: Tokens of the nodes; None: tokens are not accepted.
            munge: MUNGE library; None: MUNGE credentials are not accepted.
            munge_uids: Uids of users whose MUNGE credentials are accepted.
        """
        self._tokens = tokens
        self._munge = munge
        self._munge_uids = munge_uids
        self._pool = ThreadPoolExecutor(4, "munge")  # each thread waits for munged

    async def sender(self, headers: Mapping[str, str], *, is_proxied: bool) -> Sender:
        """Identify the sender of a POST request.

        Args:
            headers: The request's headers by name; the names are in lower case.
            is_proxied: Whether the request came on the proxy's socket.

        Raises:
            RefusedError: The request has no credential, or a wrong one.
        """
        node, time_text = headers.get("jostle-node", ""), headers.get("jostle-time", "")
        if not is_node_name(node):
            raise RefusedError(
                400, "node", "the header Jostle-Node is no node's name", NODE_NAME_RULE
            )
        if not _DIGITS.fullmatch(time_text):
            raise malformed("the header Jostle-Time is no time in ns")
        if not _BOOT.fullmatch(headers.get("jostle-boot", "")):
            raise malformed("the header Jostle-Boot is no boot id")
        verified = headers.get("jostle-verified-node")
        way, _, secret = headers.get("authorization", "").partition(" ")
        digest = ""
        if verified is not None and not is_proxied:
            raise RefusedError(
                400,
                "header",
                "Jostle-Verified-Node is the proxy's to send",
                "Leave the header out, or send to the proxy.",
            )
        if verified:
            if verified != node:
                raise _other_node(verified)
        elif way == "Bearer" and self._tokens:
            self._token(node, secret)
        elif way == "Munge" and self._munge:
            digest = await self._munged(node, time_text, secret)
        else:
            raise self._none(way, is_proxied=is_proxied)
        return Sender(node, digest, int(time_text))

    def _token(self, node: str, token: str) -> None:
        assert self._tokens is not None
        try:
            self._tokens.refresh()
        except UsageError as error:
            raise RefusedError(
                503,
                "credential",
                "the receiver's file of tokens cannot be read",
                f"At the receiver: {error} {error.hint}",
                retry_s=60,
            ) from None
        if not self._tokens.fits(node, token):
            raise RefusedError(
                401,
                "credential",
                "the token is not that of this node",
                "At the receiver: jostle receive token NODE; then give the node that token.",
            )

    async def _munged(self, node: str, time_text: str, credential: str) -> str:
        assert self._munge is not None
        loop = asyncio.get_running_loop()
        result = await loop.run_in_executor(self._pool, self._munge.check, credential.encode())
        if result.state == "down":
            raise RefusedError(
                503,
                "credential",
                f"munged does not answer at the receiver ({result.why})",
                "Start munged there.",
                retry_s=30,
            )
        if result.state == "clock":
            raise clock(f"the MUNGE credential is not valid at this time ({result.why})")
        if result.state == "replayed":
            raise RefusedError(
                401,
                "replay",
                "this MUNGE credential was used before",
                "Make a new credential for each post, also when one is sent again.",
            )
        if result.state != "valid":
            raise RefusedError(
                401,
                "credential",
                f"the MUNGE credential is not valid ({result.why})",
                "Node and receiver must have the same munge.key.",
            )
        if result.uid not in self._munge_uids:
            raise RefusedError(
                403,
                "credential",
                f"a credential of uid {result.uid} is not accepted",
                "The shipper runs as root, or as a user that `munge_users` names at the receiver.",
            )
        fields = _PAYLOAD.fullmatch(result.payload)
        if fields is None:
            raise RefusedError(
                401,
                "credential",
                "the MUNGE credential does not name node, time and body",
                "Its payload is NODE, Jostle-Time and the body's SHA-256, one per line.",
            )
        if fields[1] != node.encode():
            raise _other_node(fields[1].decode(errors="replace"))
        if fields[2] != time_text.encode():
            raise RefusedError(
                401,
                "credential",
                "Jostle-Time is not that of the credential",
                "Send both with the same time.",
            )
        return fields[3].decode()

    def _none(self, way: str, *, is_proxied: bool) -> RefusedError:
        ways = ["a token (Authorization: Bearer)"] if self._tokens else []
        ways += ["MUNGE (Authorization: Munge)"] if self._munge else []
        ways += ["a client certificate that the proxy verifies"] if is_proxied else []
        what = f"`{way[:20]}` is not accepted here" if way else "the post has no credential"
        return RefusedError(401, "credential", what, f"This receiver accepts {' or '.join(ways)}.")


def check_clock(sender: Sender, now_ns: int) -> None:
    """Refuse a request from a node whose clock differs much from ours.

    Raises:
        RefusedError: The clocks differ too much.
    """
    ahead = sender.time_ns - now_ns
    if abs(ahead) > MOST_SKEW_NS:
        side = "ahead of" if ahead > 0 else "behind"
        raise clock(f"the node's clock is {abs(ahead) / 1e9:.0f} s {side} the receiver's")


def clock(why: str) -> RefusedError:
    """Return the refusal of a request whose clock differs too much from ours."""
    return RefusedError(
        409, "clock", why, "Set the clocks by NTP; `time` is the receiver's, in ns.", retry_s=60
    )


def _other_node(name: str) -> RefusedError:
    return RefusedError(
        403,
        "node",
        f"the credential is that of {name[:128]!r}, not of Jostle-Node",
        "The node's name must be the one in its credential.",
    )
