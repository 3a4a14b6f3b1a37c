"""Reads the pairs of a study from its TOML file: which programs run together, for which values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jostle_lab.study.grammar import Source
from jostle_lab.study.kinds import near
from jostle_lab.study.model import Pair, Program

if TYPE_CHECKING:
    from jostle_lab.study.tables import Pairs


def pairs_of(
    source: Source, table: Pairs, programs: tuple[Program, ...], instead: list[Any] | None
) -> tuple[Pair, ...]:
    """Return which programs run in pairs.

    Args:
        source: The study's file.
        table: The table [pairs] of the file.
        programs: The programs of the study.
        instead: Pairs to use instead of those in the table.

    Raises:
        ConfigError: A pair names a program that does not exist.
    """
    listed = instead or table.listed
    names = [program.name for program in programs]
    if listed is None:
        return tuple(_all_pairs(programs, table.mode)) if table.every else ()
    pairs = []
    for item in listed:
        if not (isinstance(item, list) and len(item) == 2):
            raise source.error(
                ("pairs", "list"), f"{item!r} is not a pair.", 'list = [["probe", "signal"]]'
            )
        for word in item:
            if word not in names:
                reason, fix = f"there is no program `{word}`.", near(str(word), names)
                raise source.error(("pairs", "list"), reason, fix)
        pairs.append(Pair(*item))
    return tuple(dict.fromkeys(pairs))


def _all_pairs(programs: tuple[Program, ...], mode: str) -> list[Pair]:
    """Pair every probe with every signal; in race mode each pair occurs once."""
    probes = [program.name for program in programs if program.role in ("both", "probe")]
    signals = [program.name for program in programs if program.role in ("both", "signal")]
    pairs = [Pair(probe, signal) for probe in probes for signal in signals]
    if mode == "probe":
        return pairs
    return [
        pair for pair in pairs if Pair(pair.second, pair.first) not in pairs[: pairs.index(pair)]
    ]
