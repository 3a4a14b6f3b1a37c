"""Collects amounts by rank, mount and span of slices, and adds up those with the same key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jostle.imports.darshan.model import Ints
from jostle.repository.store.tables import MAX_VALUE, groups


@dataclass
class Cells:
    """Amounts by rank, mount and span of slices, in parts: each call of `add` appends one.

    Attributes:
        keys: For each part, the columns rank, mount, first slice of the span (counted from the
            job's first slice), and number of slices in the span.
        values: For each part, the columns of metrics.
    """

    keys: list[tuple[Ints, Ints, Ints, Ints]] = field(default_factory=list)
    values: list[dict[str, Ints]] = field(default_factory=list)

    def add(
        self, rank: Ints, mount: Ints, at: Ints, span: Ints, values: Mapping[str, Ints]
    ) -> None:
        """Add rows; those without any amount are left out."""
        some: NDArray[np.bool_] = np.zeros(len(rank), dtype=bool)
        for amounts in values.values():
            some |= amounts != 0
        if not some.any():
            return
        self.keys.append((rank[some], mount[some], at[some], span[some]))
        self.values.append({name: amounts[some] for name, amounts in values.items()})

    def columns(self) -> tuple[dict[str, Ints], dict[str, Ints]]:
        """Return the columns of keys and of metrics, summed so that each key occurs once."""
        names = list(dict.fromkeys(name for values in self.values for name in values))
        keys = [
            np.concatenate([part[number] for part in self.keys] or [np.zeros(0, np.int64)])
            for number in range(4)
        ]
        if not len(keys[0]):
            return dict(zip(("rank", "mount", "slice", "span"), keys, strict=True)), {}
        by, starts = groups(*keys)
        found = {}
        for name in names:
            column = np.concatenate(
                [
                    values[name] if name in values else np.zeros(len(key[0]), np.int64)
                    for key, values in zip(self.keys, self.values, strict=True)
                ]
            )
            found[name] = np.add.reduceat(column[by], starts).clip(0, MAX_VALUE)
        firsts = (key[by][starts] for key in keys)
        return dict(zip(("rank", "mount", "slice", "span"), firsts, strict=True)), found
