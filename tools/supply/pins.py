"""Reads the pinned packages of Python (requirements.lock) and npm (ui/package-lock.json)."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[2]
PYTHON_LOCK = ROOT / "requirements.lock"
NPM_LOCK = ROOT / "ui/package-lock.json"
BUNDLED = ROOT / "ui/bundled.json"

Ecosystem = Literal["PyPI", "npm"]
LINE = re.compile(r"([A-Za-z0-9][\w.-]*)==([\w.!+]+)(?: ; (?P<marker>[^#\\]+?))?((?: --hash=\S+)*)")
SHA256 = re.compile(r"sha256:[0-9a-f]{64}")


class SupplyError(Exception):
    """A problem of the supply chain that a person must fix; the text says what and how."""


@dataclass(frozen=True, order=True)
class Pin:
    """One package at one version. Hashes are `ALGORITHM:HEX`, one for each file of it."""

    ecosystem: Ecosystem
    name: str
    version: str
    hashes: tuple[str, ...] = ()
    licence: str = ""

    @property
    def purl(self) -> str:
        kind = "pypi" if self.ecosystem == "PyPI" else "npm"
        return f"pkg:{kind}/{self.name.replace('@', '%40')}@{self.version.replace('+', '%2B')}"


def normal(name: str) -> str:
    """The normalised form of a Python package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def python_pins(path: Path = PYTHON_LOCK) -> list[Pin]:
    """The pins in a lock; a line without version or hash is an error."""
    found: dict[str, Pin] = {}
    for line in read(path).replace("\\\n", " ").splitlines():
        line = " ".join(line.split())
        if not line or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        hashes = tuple(re.findall(r"--hash=(\S+)", line))
        if match is None:
            raise SupplyError(f"{path.name}: not NAME==VERSION with hashes: {line[:100]}")
        name = normal(match[1])
        if not hashes or not all(SHA256.fullmatch(one) for one in hashes):
            raise SupplyError(f"{path.name}: {name} has no sha256 hash. Renew it: make lock")
        if name in found:
            raise SupplyError(f"{path.name}: {name} is pinned twice. Renew it: make lock")
        found[name] = Pin("PyPI", name, match[2], hashes)
    return sorted(found.values())


def npm_pins(path: Path = NPM_LOCK) -> list[Pin]:
    """The pins in a package-lock.json; one without a hash is an error."""
    packages = parsed(path).get("packages")
    if not isinstance(packages, dict):
        raise SupplyError(f"{path.name}: there is no table of packages")
    found = set()
    for where, about in packages.items():
        if not where:
            continue  # the front end itself
        name = about.get("name", where.rpartition("node_modules/")[2])
        algorithm, _, digest = about.get("integrity", "").partition("-")
        if algorithm != "sha512":
            raise SupplyError(
                f"{path.name}: {name} has no sha512 hash. Renew it: npm install in ui/"
            )
        digest = base64.b64decode(digest, validate=True).hex()
        found.add(
            Pin("npm", name, about["version"], (f"sha512:{digest}",), about.get("license", ""))
        )
    return sorted(found)


def bundled_pins(path: Path = NPM_LOCK) -> list[Pin]:
    """The npm packages that are in the pages, and so in the wheel."""
    packages = {
        where.removeprefix("node_modules/"): about["version"]
        for where, about in parsed(path)["packages"].items()
        if where
    }
    pins = {(pin.name, pin.version): pin for pin in npm_pins(path)}
    names = json.loads(read(BUNDLED))
    missing = [name for name in names if name not in packages]
    if missing:
        raise SupplyError(f"{BUNDLED.name} names {missing[0]}, which {path.name} has not")
    return [pins[name, packages[name]] for name in names]


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SupplyError(f"{path} cannot be read: {error}") from None


def parsed(path: Path) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        table = json.loads(read(path))
    except (ValueError, RecursionError) as error:
        raise SupplyError(f"{path.name} is not JSON: {error}") from None
    if not isinstance(table, dict):
        raise SupplyError(f"{path.name}: a JSON object is expected")
    return table
