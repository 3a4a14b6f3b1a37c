"""Compare what libjostle.so exports with schema/calls.def.

Usage: tools/exports.py LIBRARY

Every mandatory function must be exported, an optional one may be, nothing else is.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from generate import CALLS_DEF, load_calls


def exported(library: Path) -> set[str]:
    """The names that a shared library defines for others."""
    listing = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=posix", str(library)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {line.split()[0].split("@")[0] for line in listing.splitlines()}


def main(library: Path) -> int:
    calls = load_calls(CALLS_DEF)
    names = exported(library)
    missing = {c.name for c in calls if not c.optional} - names
    surplus = names - {c.name for c in calls}
    for name in sorted(missing):
        print(f"{name}: in calls.def, not exported", file=sys.stderr)
    for name in sorted(surplus):
        print(f"{name}: exported, not in calls.def", file=sys.stderr)
    print(f"{len(names)} functions exported")
    return 1 if missing or surplus else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
