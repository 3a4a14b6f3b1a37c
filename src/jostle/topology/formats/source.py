"""The text of a file that describes a fabric, with functions for its readers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from jostle.topology.errors import TopologyError, fault
from jostle.topology.node_lists import expand

_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kMGTkmgt]?)(?:(?:i?b(?:it)?(?:/s|ps)?)|)", re.I)
_SCALE = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
#: Highest accepted rate of a link, bit/s; no cable is faster.
_MOST_RATE = 1e16


@dataclass(frozen=True)
class Source:
    """The text of one file.

    Attributes:
        name: Name of the file, as the user gave it.
        text: Content of the file.
    """

    name: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """All lines, without line ends."""
        return self.text.splitlines()

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not empty, with their numbers from 1."""
        for number, line in enumerate(self.lines, 1):
            if line.strip():
                yield number, line

    def fault(self, line: int, reason: str, fix: str) -> TopologyError:
        """Return the error of a line; 0: of the whole file."""
        return fault(self.name, line, reason, fix)

    def node_list(self, line: int, text: str) -> list[str]:
        """Expand a node list.

        Raises:
            TopologyError: The list is malformed.
        """
        try:
            return expand(text)
        except ValueError as error:
            fix = "Write names and ranges such as `n[1-8,10],login1`."
            raise self.fault(line, str(error), fix) from None

    def whole(self, line: int, text: str, what: str, least: int = 0, most: int = 1 << 31) -> int:
        """Parse a whole number within bounds.

        Raises:
            TopologyError: The text is no whole number, or out of bounds.
        """
        if re.fullmatch(r"\s*-?[0-9]{1,12}\s*", text) and least <= int(text) <= most:
            return int(text)
        raise self.fault(
            line,
            f"{what} `{text[:40]}` is not a whole number from {least} to {most}",
            f"Correct the {what}.",
        )

    def rate(self, line: int, text: str) -> float:
        """Return the rate of a link in bit/s; "" is 0: unknown.

        Raises:
            TopologyError: The text is no rate.
        """
        match = _RATE.fullmatch(text.strip())
        value = float(match[1]) * _SCALE[match[2].lower()] if match else -1.0
        if not text.strip():
            return 0.0
        if not 0 <= value <= _MOST_RATE:
            fix = "Write bits per second, such as `100Gbit` or `25000000000`."
            raise self.fault(line, f"`{text[:40]}` is not a rate", fix)
        return value
