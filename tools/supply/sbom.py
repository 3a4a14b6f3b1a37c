#!/usr/bin/env python3
"""sbom.py: writes the software bill of materials of the wheel, sbom.cdx.json (CycloneDX 1.6).

  tools/supply/sbom.py           writes it
  tools/supply/sbom.py --check   exit status 1 when it differs from the pins

It lists the packages that the wheel needs when it is installed, at the tested versions, and those
in its pages. The same pins give the same bytes. Only the pinned packages' metadata is read.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.requirements import Requirement

sys.path.insert(0, str(Path(__file__).parent))
from licences import installed, with_licence
from pins import ROOT, Pin, SupplyError, bundled_pins, normal, python_pins, read

SBOM = ROOT / "sbom.cdx.json"
PROJECT = ROOT / "pyproject.toml"
EXTRAS = ("s3", "site")
ALGORITHMS = {"sha256": "SHA-256", "sha512": "SHA-512"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@dataclass
class Needed:
    """Pinned packages that a wheel needs, each with the others that it needs."""

    pins: dict[str, Pin]
    edges: dict[str, set[str]] = field(default_factory=dict)

    def add(self, requirements: list[str], extras: frozenset[str] = frozenset()) -> set[str]:
        """Add these requirements and theirs; return the names of the given ones."""
        asked = set()
        for requirement in map(Requirement, requirements):
            if not applies(requirement.marker, extras):
                continue
            name = normal(requirement.name)
            if name not in self.pins:
                raise SupplyError(
                    f"{name} is needed and not pinned. To fix: tools/supply/lock.sh --keep"
                )
            asked.add(name)
            if name not in self.edges:
                self.edges[name] = set()
                needs = installed(self.pins[name]).requires or []
                self.edges[name] |= self.add(needs, frozenset(requirement.extras))
        return asked


def applies(marker: Marker | None, extras: frozenset[str]) -> bool:
    """Whether a requirement applies on any Python that we support, whichever runs now."""
    return marker is None or any(
        marker.evaluate(
            {
                "python_version": python,
                "python_full_version": f"{python}.0",
                "extra": extra,
                "sys_platform": "linux",
                "os_name": "posix",
                "platform_system": "Linux",
                "implementation_name": "cpython",
                "platform_python_implementation": "CPython",
            }
        )
        for python in PYTHONS
        for extra in ("", *extras)
    )


def component(pin: Pin, scope: str, about: str) -> dict[str, Any]:
    hashes = [one.split(":") for one in pin.hashes]
    simple = re.fullmatch(r"[\w.+-]+", pin.licence)
    return {
        "type": "library",
        "bom-ref": pin.purl,
        "name": pin.name,
        "version": pin.version,
        "scope": scope,
        "hashes": [{"alg": ALGORITHMS[kind], "content": digest} for kind, digest in hashes],
        "licenses": [{"license": {"id": pin.licence}} if simple else {"expression": pin.licence}],
        "purl": pin.purl,
        "properties": [{"name": "jostle:part", "value": about}],
    }


def document() -> str:
    project = tomllib.loads(read(PROJECT))["project"]
    version = re.search(
        r'^__version__ = "(.+)"', read(ROOT / "src/jostle/__init__.py"), re.MULTILINE
    )
    assert version
    me = Pin("PyPI", project["name"], version[1], licence=project["license"])
    pins = {pin.name: pin for pin in python_pins()}
    needed = Needed(pins)
    direct = needed.add(project["dependencies"])
    parts = dict.fromkeys(needed.edges, "needed")
    for extra in EXTRAS:
        direct |= needed.add(project["optional-dependencies"][extra])
        parts = dict.fromkeys(needed.edges, f"needed by the extra {extra}") | parts
    components = [
        component(with_licence(pins[name]), "required" if part == "needed" else "optional", part)
        for name, part in sorted(parts.items())
    ]
    bundled = bundled_pins()
    components += [
        component(pin, "required", "in the pages, jostle/server/static") for pin in bundled
    ]
    edges = {
        me.purl: {pins[name].purl for name in direct} | {pin.purl for pin in bundled},
        **{
            pins[name].purl: {pins[one].purl for one in needed.edges[name]}
            for name in sorted(parts)
        },
        **{pin.purl: set() for pin in bundled},
    }
    about = component(me, "required", "the wheel") | {"type": "application"}
    del about["hashes"], about["scope"], about["properties"]
    dependencies = [{"ref": ref, "dependsOn": sorted(needs)} for ref, needs in edges.items()]
    body = [
        ("metadata", {"component": about}),
        ("components", components),
        ("dependencies", dependencies),
    ]
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body))
    head = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
    }
    return "{\n" + ",\n".join(lines(key, value) for key, value in [*head.items(), *body]) + "\n}\n"


def lines(key: str, value: Any) -> str:
    """A member of the document; a list has a line for each entry, so that changes can be read."""
    if isinstance(value, list):
        entries = ",\n".join(f"    {json.dumps(one)}" for one in value)
        return f'  "{key}": [\n{entries}\n  ]'
    return f'  "{key}": {json.dumps(value)}'


def main(arguments: list[str]) -> int:
    try:
        text = document()
        if arguments != ["--check"]:
            SBOM.write_text(text, encoding="utf-8")
        elif read(SBOM) != text:
            raise SupplyError(f"{SBOM.name} is not what is pinned. To fix: tools/supply/sbom.py")
    except SupplyError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
