"""Room that the owners of one node's files share: nobody can use up the part of another."""

from __future__ import annotations

ROOT = 0


class Shares:
    """How much of something (files, bytes) each owner has.

    An owner may have more than an equal share while there is room. Once there is none, whoever is
    below an equal share still gets room, so that n owners in turn have at most
    1 + 1/2 + ... + 1/n times the whole. Root has room of its own: the profiles of the machine and
    the facts of batch jobs are root's.
    """

    def __init__(self, most: int, most_of_owner: int) -> None:
        """Begin with nothing.

        Args:
            most: Of all owners except root together.
            most_of_owner: Of one owner.
        """
        self._most = most
        self._most_of_owner = most_of_owner
        self._held: dict[int, int] = {}
        self.total = 0

    def fits(self, owner: int, size: int = 1) -> bool:
        """Return whether an owner may have so much more."""
        held = self._held.get(owner, 0) + size
        if held > self._most_of_owner:
            return False
        of_root = self._held.get(ROOT, 0)
        if owner == ROOT or self.total - of_root + size <= self._most:
            return True
        owners = len(self._held.keys() - {ROOT} | {owner})
        return held <= self._most // owners

    def add(self, owner: int, size: int = 1) -> None:
        """Count what an owner got; a negative size is given back."""
        held = self._held.get(owner, 0) + size
        self.total += size
        if held > 0:
            self._held[owner] = held
        else:
            self._held.pop(owner, None)
