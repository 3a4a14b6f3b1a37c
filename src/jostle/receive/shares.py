"""Fair shares of a quota among the owners of one node's files."""

from __future__ import annotations

ROOT = 0


class Shares:
    """The amount of something (files, bytes) that each owner has.

    An owner may have more than an equal share while there is free space. Once there is none, owners
    below an equal share still get space, so that n owners in turn have at most
    1 + 1/2 + ... + 1/n times the whole. Root has a quota of its own: the profiles of the machine
    and the facts of batch jobs are root's.
    """

    def __init__(self, most: int, most_of_owner: int) -> None:
        """Create the shares, all empty.

        Args:
            most: Largest amount of all owners except root together.
            most_of_owner: Largest amount of one owner.
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
        """Count an amount of an owner; a negative size is returned."""
        held = self._held.get(owner, 0) + size
        self.total += size
        if held > 0:
            self._held[owner] = held
        else:
            self._held.pop(owner, None)
