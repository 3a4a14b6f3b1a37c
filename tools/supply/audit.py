#!/usr/bin/env python3
"""audit.py: finds security advisories of pinned packages in the committed snapshot, offline.

  tools/supply/audit.py                  compares; exit status 1: a finding, 77: not audited
  tools/supply/audit.py --renew FILE...  makes the snapshot again from records of the OSV database:
                                         `all.zip` of PyPI and that of npm, or folders of JSON

A finding that does not concern us is accepted in tools/supply/rules.toml, with the reason and an
end date.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from advisories import Finding, Snapshot, findings, load, renew, uncovered
from pins import NPM_LOCK, PYTHON_LOCK, ROOT, Pin, SupplyError, npm_pins, python_pins, read

SNAPSHOT = ROOT / "tools/supply/advisories.json"
RULES = ROOT / "tools/supply/rules.toml"
NOT_DONE = 77
HOW = (
    "Get all.zip of PyPI and of npm from the OSV database (osv.dev), "
    "then: tools/supply/audit.py --renew FILE..."
)


def accepted(rules: Path, today: date) -> set[str]:
    """Return the IDs of assessed advisories, which are not reported until a date."""
    entries = tomllib.loads(read(rules)).get("accepted", [])
    for entry in entries:
        if (
            set(entry) != {"id", "reason", "until"}
            or not entry["reason"]
            or type(entry["until"]) is not date
        ):
            raise SupplyError(f"{rules.name}: [[accepted]] has an id, a reason and until (a day)")
    return {entry["id"] for entry in entries if today <= entry["until"]}


def message(found: Finding) -> str:
    pin = found.pin
    if pin.ecosystem == "npm":
        fix = f"tools/ui.sh npm update {pin.name}"
    else:
        fix = f"tools/supply/lock.sh {pin.name}"
    if not found.fixed:
        fix = (
            "no version without it is known; use another package, or accept it in "
            "tools/supply/rules.toml"
        )
    fixed = f"fixed in {found.fixed}" if found.fixed else "not fixed"
    ids = ", ".join(found.ids)
    return f"{pin.name} {pin.version} ({pin.ecosystem}): {ids}; {fixed}. To fix: {fix}"


def old(snapshot: Snapshot, today: date, days: int) -> list[str]:
    return [
        f"Warning: the advisories of {ecosystem} are of {day}, more than {days} days ago. {HOW}"
        for ecosystem, day in snapshot.dates.items()
        if today - day > timedelta(days=days)
    ]


def compare(pins: list[Pin], snapshot: Snapshot, rules: Path, today: date) -> int:
    """Print the findings, and return the exit status."""
    days = tomllib.loads(read(rules))["audit"]["days"]
    for line in old(snapshot, today, days):
        print(line)
    agreed = accepted(rules, today)
    every = findings(pins, snapshot)
    bad = [one for one in every if not agreed & set(one.ids)]
    for one in bad:
        print(message(one))
    unknown = uncovered(pins, snapshot)
    for ecosystem in sorted({pin.ecosystem for pin in unknown}):
        names = [pin.name for pin in unknown if pin.ecosystem == ecosystem]
        some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        print(f"{ecosystem}: the snapshot does not cover {len(names)} packages: {some}")
    looked = len(pins) - len(unknown)
    if bad:
        print(f"{len(bad)} findings in {looked} packages")
        return 1
    if unknown:
        print(f"{len(unknown)} of {len(pins)} packages could not be audited. {HOW}")
        return NOT_DONE
    dates = " and ".join(str(day) for day in sorted(set(snapshot.dates.values())))
    print(f"no finding in {looked} packages, {len(every)} accepted; advisories of {dates}")
    return 0


def main(arguments: list[str] | None = None, today: date | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--renew", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--snapshot", type=Path, default=SNAPSHOT)
    parser.add_argument("--rules", type=Path, default=RULES)
    parser.add_argument("--python-lock", type=Path, default=PYTHON_LOCK)
    parser.add_argument("--npm-lock", type=Path, default=NPM_LOCK)
    options = parser.parse_args(arguments)
    try:
        pins = python_pins(options.python_lock) + npm_pins(options.npm_lock)
        if options.renew:
            made = renew(options.renew, pins, options.snapshot).dates
            print("advisories of", ", ".join(f"{name} {day}" for name, day in made.items()))
            return 0
        if not options.snapshot.exists():
            print(f"could not be audited: no snapshot of advisories. {HOW}")
            return NOT_DONE
        return compare(pins, load(options.snapshot), options.rules, today or date.today())
    except SupplyError as error:
        print(error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
