"""Reads which programs of a study meet, and over which values, from its TOML file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jostle_lab.study.grammar import NAME, Table, near, whole
from jostle_lab.study.model import AXES, MODES, Pair, Program
from jostle_lab.study.units import size


def store_name(value: object) -> str | None:
    """Return a name of a store, or None."""
    return value if isinstance(value, str) and NAME.fullmatch(value) else None


def axes_of(table: Table) -> dict[str, tuple[Any, ...]]:
    """Return the values of each axis: one for both programs of a pair, or one for each.

    Raises:
        ConfigError: A value does not fit its axis.
    """
    readers: dict[str, Callable[[Any], Any]] = {
        "chunk": size,
        "processes": lambda v: whole(v, 1, 1_000_000),
        "nodes": lambda v: whole(v, 1, 100_000),
        "shared": lambda v: v if isinstance(v, bool) else None,
        "api": lambda v: v if v in ("posix", "mpiio") else None,
        "store": store_name,
    }
    found: dict[str, tuple[Any, ...]] = {}
    for key in AXES:
        raw = table.items(key)
        if raw is None:
            continue
        values = []
        for item in raw:
            parts = item if isinstance(item, list) else [item]
            read = [readers[key](part) for part in parts]
            if None in read or len(read) not in (1, 2):
                raise table.error(
                    key,
                    f"{item!r} is not a value for it.",
                    "Write one value for both programs of a pair, or a list of two.",
                )
            values.append(read[0] if not isinstance(item, list) or len(read) == 1 else tuple(read))
        if len(set(values)) < len(values):
            raise table.error(key, "a value stands there twice.", "Leave one out.")
        found[key] = tuple(values)
    table.finish()
    return found


def pairs_of(
    top: Table, programs: tuple[Program, ...], instead: list[Any] | None
) -> tuple[str, tuple[Pair, ...]]:
    """Return how pairs meet, and which.

    Args:
        top: The whole file.
        programs: Its programs.
        instead: Pairs in place of those that it lists.

    Raises:
        ConfigError: A pair names no program.
    """
    table = top.table("pairs")
    mode = table.word("mode", MODES) or "race"
    everything, listed = table.flag("all"), table.items("list")
    table.finish()
    listed = instead or listed
    names = [program.name for program in programs]
    if listed is None:
        return mode, tuple(_all_pairs(programs, mode)) if everything is not False else ()
    pairs = []
    for item in listed:
        if not (isinstance(item, list) and len(item) == 2):
            raise table.error("list", f"{item!r} is not a pair.", 'list = [["probe", "signal"]]')
        for word in item:
            if word not in names:
                raise table.error("list", f"there is no program `{word}`.", near(str(word), names))
        pairs.append(Pair(*item))
    return mode, tuple(dict.fromkeys(pairs))


def _all_pairs(programs: tuple[Program, ...], mode: str) -> list[Pair]:
    """Pair every probe with every signal; in a race each two meet once."""
    probes = [program.name for program in programs if program.role in ("both", "probe")]
    signals = [program.name for program in programs if program.role in ("both", "signal")]
    pairs = [Pair(probe, signal) for probe in probes for signal in signals]
    if mode == "probe":
        return pairs
    return [
        pair for pair in pairs if Pair(pair.second, pair.first) not in pairs[: pairs.index(pair)]
    ]
