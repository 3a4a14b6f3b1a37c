"""Reads, compares and renews the snapshot of security advisories of pinned packages.

The snapshot is read as untrusted input. It contains only facts: which versions of pinned packages
are affected by which advisory. Its source is the OSV database, whose records come from the advisory
databases of the PyPA and of GitHub.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from pins import Ecosystem, Pin, SupplyError, normal, parsed

SOURCE = "OSV database, osv.dev; its records come from the PyPA's and GitHub's advisory databases"
LICENCE = "CC-BY-4.0; changed: only the facts of packages that jostle pins were taken"
ECOSYSTEMS: tuple[Ecosystem, ...] = ("PyPI", "npm")
SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


@dataclass(frozen=True)
class Range:
    """Affected from `introduced` on, to before `fixed` or up to `last`; empty: without an end."""

    introduced: str
    fixed: str = ""
    last: str = ""


@dataclass(frozen=True)
class Advisory:
    id: str
    aliases: tuple[str, ...]
    ecosystem: Ecosystem
    package: str
    ranges: tuple[Range, ...]
    versions: tuple[str, ...]  # affected, in addition to those in ranges


@dataclass(frozen=True)
class Snapshot:
    """`dates`: of the records. `packages`: those of which all records are there."""

    dates: dict[Ecosystem, date]
    packages: dict[Ecosystem, frozenset[str]]
    advisories: tuple[Advisory, ...]


@dataclass(frozen=True)
class Finding:
    pin: Pin
    ids: tuple[str, ...]
    fixed: str  # the least version that fixes it; empty: none is known


# ---- versions ----


@functools.total_ordering
class Semver:
    """A version of an npm package, ordered as semver.org says."""

    def __init__(self, text: str) -> None:
        match = SEMVER.fullmatch(text)
        if match is None:
            raise InvalidVersion(f"not a version: {text!r}")
        before = [
            (0, int(part), "") if part.isdigit() else (1, 0, part)
            for part in (match[4] or "").split(".")
            if part
        ]
        self.key = (*map(int, match.groups()[:3]), not before, before)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self.key == other.key

    def __lt__(self, other: Semver) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(str(self.key))


def version(ecosystem: Ecosystem, text: str) -> Any:
    """Return a version that can be compared; `0` is before all others."""
    if ecosystem == "PyPI":
        return Version(text)
    return Semver("0.0.0-0" if text == "0" else text)


def within(ecosystem: Ecosystem, pinned: str, span: Range) -> bool:
    its = functools.partial(version, ecosystem)
    if its(pinned) < its(span.introduced):
        return False
    if span.fixed:
        return bool(its(pinned) < its(span.fixed))
    return not span.last or bool(its(pinned) <= its(span.last))


# ---- comparing ----


def findings(pins: list[Pin], snapshot: Snapshot) -> list[Finding]:
    """Return a finding for each advisory that affects a pin; aliases of an advisory count once."""
    found = []
    for pin in pins:
        seen: set[str] = set()
        for one in snapshot.advisories:
            if (one.ecosystem, one.package) != (pin.ecosystem, pin.name):
                continue
            spans = [span for span in one.ranges if within(pin.ecosystem, pin.version, span)]
            ids = (one.id, *one.aliases)
            if not (spans or pin.version in one.versions) or seen & set(ids):
                continue
            seen |= set(ids)
            ends = [span.fixed for span in spans if span.fixed]
            least = min(ends, key=functools.partial(version, pin.ecosystem), default="")
            found.append(Finding(pin, ids, least))
    return found


def uncovered(pins: list[Pin], snapshot: Snapshot) -> list[Pin]:
    """Return the pins that are not in the snapshot, which was made before they were added."""
    nothing: frozenset[str] = frozenset()
    return [pin for pin in pins if pin.name not in snapshot.packages.get(pin.ecosystem, nothing)]


# ---- reading ----


def load(path: Path) -> Snapshot:
    """Return the snapshot in a file; anything invalid is an error that names its position."""
    table = parsed(path)
    try:
        return _snapshot(table)
    except SupplyError as error:
        raise SupplyError(
            f"{path.name} is damaged: {error}. Take it from git, or renew it"
        ) from None


def _snapshot(table: dict[str, Any]) -> Snapshot:
    _keys(table, "the snapshot", "format source licence covers advisories")
    if table["format"] != 1:
        raise SupplyError(f"format 1 is expected, found {table['format']!r}")
    covers = table["covers"]
    if not isinstance(covers, dict) or not covers or not set(covers) <= set(ECOSYSTEMS):
        raise SupplyError("covers: PyPI or npm, or both, are expected")
    dates, packages = {}, {}
    for ecosystem, about in covers.items():
        where = f"covers.{ecosystem}"
        _keys(about, where, "date packages")
        try:
            dates[ecosystem] = date.fromisoformat(_text(about["date"], f"{where}.date"))
        except ValueError:
            raise SupplyError(f"{where}.date: no date: {about['date']!r}") from None
        packages[ecosystem] = frozenset(_texts(about["packages"], f"{where}.packages"))
    entries = _list(table["advisories"], "advisories")
    advisories = tuple(_advisory(one, f"advisories[{at}]") for at, one in enumerate(entries))
    return Snapshot(dates, packages, advisories)


def _advisory(table: Any, where: str) -> Advisory:
    _keys(table, where, "id aliases ecosystem package ranges versions")
    ecosystem = table["ecosystem"]
    if ecosystem not in ECOSYSTEMS:
        raise SupplyError(f"{where}.ecosystem: PyPI or npm is expected, found {ecosystem!r}")
    ranges = []
    for at, span in enumerate(_list(table["ranges"], f"{where}.ranges")):
        place = f"{where}.ranges[{at}]"
        _keys(span, place, "introduced fixed last")
        for key, text in span.items():
            if _text(text, f"{place}.{key}", empty=key != "introduced"):
                _comparable(ecosystem, text, f"{place}.{key}")
        ranges.append(Range(**span))
    return Advisory(
        _text(table["id"], f"{where}.id"),
        _texts(table["aliases"], f"{where}.aliases"),
        ecosystem,
        _text(table["package"], f"{where}.package"),
        tuple(ranges),
        _texts(table["versions"], f"{where}.versions"),
    )


def _comparable(ecosystem: Ecosystem, text: str, where: str) -> None:
    try:
        version(ecosystem, text)
    except InvalidVersion:
        raise SupplyError(f"{where}: no version of {ecosystem}: {text!r}") from None


def _keys(table: Any, where: str, wanted: str) -> None:
    if not isinstance(table, dict) or set(table) != set(wanted.split()):
        raise SupplyError(f"{where}: an object with {', '.join(wanted.split())} is expected")


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise SupplyError(f"{where}: a list is expected")
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    return tuple(_text(one, f"{where}[{at}]") for at, one in enumerate(_list(value, where)))


def _text(value: Any, where: str, empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or empty) or not value.isprintable():
        raise SupplyError(f"{where}: a text is expected, found {value!r}")
    return value


# ---- renewing ----


def renew(sources: list[Path], pins: list[Pin], path: Path) -> Snapshot:
    """A snapshot from OSV records: archives (`all.zip` of an ecosystem) or folders of JSON."""
    wanted = {(pin.ecosystem, pin.name) for pin in pins}
    newest: dict[Ecosystem, str] = {}
    kept = []
    for source in sources:
        for record in _records(source):
            try:
                for one in _of_record(record):
                    modified = record["modified"][:10]
                    newest[one.ecosystem] = max(newest.get(one.ecosystem, ""), modified)
                    if (one.ecosystem, one.package) in wanted and "withdrawn" not in record:
                        kept.append(one)
            except (AttributeError, KeyError, TypeError) as error:
                raise SupplyError(f"{record['id']} is not an OSV record: {error!r}") from None
    if not newest:
        raise SupplyError("The given files contain no record of PyPI or npm")
    kept.sort(key=lambda one: (one.ecosystem, one.package, one.id, one.ranges))
    covers = {
        ecosystem: {
            "date": newest[ecosystem],
            "packages": sorted({pin.name for pin in pins if pin.ecosystem == ecosystem}),
        }
        for ecosystem in sorted(newest)
    }
    # One line for each advisory, so that a renewal is readable as a diff.
    lines = ",\n".join(f"  {json.dumps(asdict(one))}" for one in kept)
    head = json.dumps({"format": 1, "source": SOURCE, "licence": LICENCE, "covers": covers})
    text = f'{head[:-1]},\n "advisories": [\n{lines}\n]}}\n'
    result = _snapshot(json.loads(text))
    path.write_text(text, encoding="utf-8")
    return result


def _of_record(record: dict[str, Any]) -> Iterator[Advisory]:
    """The contents of a record for packages of our ecosystems, one for each package."""
    for affected in record.get("affected", []):
        package = affected.get("package", {})
        ecosystem: Ecosystem = package.get("ecosystem")
        if ecosystem not in ECOSYSTEMS:
            continue
        name = normal(package["name"]) if ecosystem == "PyPI" else package["name"]
        ranges: list[Range] = []
        for about in affected.get("ranges", []):
            if about["type"] in ("ECOSYSTEM", "SEMVER"):
                ranges += _ranges(about["events"], ecosystem)
        covered = functools.partial(_covered, ecosystem, ranges)
        versions = tuple(one for one in affected.get("versions", []) if not covered(one))
        aliases = tuple(sorted(record.get("aliases", [])))
        yield Advisory(record["id"], aliases, ecosystem, name, tuple(ranges), versions)


def _ranges(events: list[dict[str, str]], ecosystem: Ecosystem) -> Iterator[Range]:
    """OSV's events as ranges. A bound that cannot be compared is left out: the range gets wider."""
    # Records need not have them in order.
    with contextlib.suppress(InvalidVersion):
        events = sorted(events, key=lambda one: version(ecosystem, next(iter(one.values()))))

    def known(text: str) -> str:
        try:
            version(ecosystem, text)
        except InvalidVersion:
            return ""
        return text

    begin = None
    for event in events:
        if begin is None and "introduced" in event:
            begin = known(event["introduced"]) or "0"
        elif begin is not None and ("fixed" in event or "last_affected" in event):
            yield Range(begin, known(event.get("fixed", "")), known(event.get("last_affected", "")))
            begin = None
    if begin is not None:
        yield Range(begin)


def _covered(ecosystem: Ecosystem, ranges: list[Range], text: str) -> bool:
    try:
        return any(within(ecosystem, text, span) for span in ranges)
    except InvalidVersion:
        return False


def _records(source: Path) -> Iterator[dict[str, Any]]:
    try:
        if source.is_dir():
            for path in sorted(source.rglob("*.json")):
                yield _record(path.read_bytes(), path.name)
            return
        with zipfile.ZipFile(source) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".json"):
                    yield _record(archive.read(name), name)
    except (OSError, zipfile.BadZipFile) as error:
        raise SupplyError(f"{source} cannot be read: {error}") from None


def _record(data: bytes, name: str) -> dict[str, Any]:
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SupplyError(f"{name} is not an OSV record: {error}") from None
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise SupplyError(f"{name} is not an OSV record: it has no id")
    return record
