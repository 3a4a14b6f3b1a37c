#!/usr/bin/env python3
"""licences.py: checks that every pinned package has an allowed licence, offline.

Python packages have it in their installed metadata, npm packages in ui/package-lock.json. Which
licences are allowed, and those that a person had to read, is in tools/supply/rules.toml.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import replace
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

sys.path.insert(0, str(Path(__file__).parent))
from pins import ROOT, Pin, SupplyError, bundled_pins, npm_pins, python_pins, read

RULES = ROOT / "tools/supply/rules.toml"
# Classifiers that mean exactly one licence. "BSD License" does not.
CLASSIFIERS = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


def installed(pin: Pin) -> Distribution:
    """The package as it is installed, in the version that is pinned."""
    try:
        found = distribution(pin.name)
    except PackageNotFoundError:
        raise SupplyError(f"{pin.name} is not installed. To fix: make build") from None
    if found.version != pin.version:
        raise SupplyError(
            f"{pin.name} {pin.version} is pinned, {found.version} installed. To fix: make build"
        )
    return found


def declared(found: Distribution) -> str:
    """The SPDX expression in a package's metadata; empty: there is none that is clear."""
    about = found.metadata
    for key in ("License-Expression", "License"):
        try:
            for text in about.get_all(key) or []:
                return str(canonicalize_license_expression(text))
        except InvalidLicenseExpression:
            continue
    clear = {
        CLASSIFIERS.get(one) for one in about.get_all("Classifier") or [] if "License ::" in one
    }
    (only,) = clear if len(clear) == 1 else {None}
    return only or ""


def with_licence(pin: Pin, rules: Path = RULES) -> Pin:
    """A Python package's pin with its licence: the declared one, else what a person read."""
    was_read = tomllib.loads(read(rules))["read"].get(pin.name, "")
    return replace(pin, licence=declared(installed(pin)) or was_read)


def permits(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression holds with these licences alone."""
    tokens = re.findall(r"[()]|[^\s()]+", expression)

    def either() -> bool:
        good = both()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            good = both() or good  # both() has to consume its tokens
        return good

    def both() -> bool:
        good = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            good = one() and good
        return good

    def one() -> bool:
        token = tokens.pop(0)
        if token != "(":
            if tokens and tokens[0] == "WITH":
                token = f"{token} {tokens.pop(0)} {tokens.pop(0)}"
            return token in allowed
        good = either()
        tokens.pop(0)
        return good

    try:
        return either() and not tokens
    except IndexError:
        return False


def refused(pins: list[Pin], allowed: set[str], where: str) -> list[str]:
    return [
        f"{pin.name} {pin.version} ({pin.ecosystem}, {where}): its licence "
        f"{pin.licence or 'is not declared clearly'}{' is not allowed' if pin.licence else ''}. "
        "To fix: read it, then add it to tools/supply/rules.toml, or use another package"
        for pin in pins
        if not permits(pin.licence, allowed)
    ]


def main(rules: Path = RULES) -> int:
    try:
        table = tomllib.loads(read(rules))["licences"]
        python = [with_licence(pin, rules) for pin in python_pins()]
        npm = npm_pins()
        bad = refused(bundled_pins(), set(table["bundled"]), "in the wheel")
    except SupplyError as error:
        print(error)
        return 1
    bad += refused([*python, *npm], {*table["bundled"], *table["used"]}, "used")
    print("\n".join(bad) or f"{len(python)} Python and {len(npm)} npm packages: licences allowed")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
