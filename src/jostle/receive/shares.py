"""Fair shares of a quota among the owners of one node's files."""

from __future__ import annotations

ROOT = 0


class Shares:
    """The amount (number of files, or bytes) that each owner has of a common quota.

    An owner may have more than an equal share while part of the quota is free. Once none is free,
    owners with less than an equal share may still add to theirs. So n owners, who add one after the
    other, together have at most 1 + 1/2 + ... + 1/n times the quota. Root, who owns the profiles of
    the machine and the facts on batch jobs, has a quota of its own.
    """

    def __init__(self, most: int, most_of_owner: int) -> None:
        """Create the shares, all empty.

        Args:
            most: The quota: largest amount of all owners except root together.
            most_of_owner: Largest amount of one owner; also root's quota.
        """
        self._most = most
        self._most_of_owner = most_of_owner
        self._held: dict[int, int] = {}
        self.total = 0

    def fits(self, owner: int, size: int = 1) -> bool:
        """Return whether an owner may have this amount in addition."""
        held = self._held.get(owner, 0) + size
        if held > self._most_of_owner:
            return False
        of_root = self._held.get(ROOT, 0)
        if owner == ROOT or self.total - of_root + size <= self._most:
            return True
        owners = len(self._held.keys() - {ROOT} | {owner})
        return held <= self._most // owners

    def add(self, owner: int, size: int = 1) -> None:
        """Add to the amount of an owner; a negative size is subtracted."""
        held = self._held.get(owner, 0) + size
        self.total += size
        if held > 0:
            self._held[owner] = held
        else:
            self._held.pop(owner, None)
